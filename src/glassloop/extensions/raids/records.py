"""Records that an import makes of a log: a report with its actors and spells, its fights, and who did what in them.

Plain records, the same between the importing process, the store, the tools and the page's routes.
"""

from typing import Literal

import msgspec

Role = Literal["tank", "healer", "damage"]
ActorKind = Literal["player", "pet", "npc"]
SegmentKind = Literal["fight", "chess", "trash"]


class RaidRecord(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Of all of them."""


class Spell(RaidRecord, frozen=True, kw_only=True):
    """`id` and `school` as the game has them; `name` in the language of the client."""

    id: int
    name: str
    school: int = 0


class Actor(RaidRecord, frozen=True, kw_only=True):
    """Somebody of a report, by its index there. `owner` is the index of whose pet or totem it is."""

    guid: str
    name: str
    realm: str = ""
    kind: ActorKind = "npc"
    owner: int | None = None
    npc_id: int = 0
    class_name: str = ""
    """Of players: one of the nine, in English; empty where unknown."""


class GearItem(RaidRecord, frozen=True, kw_only=True):
    """What a player wears in a slot (0 head … 18 tabard), by `COMBATANT_INFO`."""

    slot: int
    item_id: int
    item_level: int = 0
    enchant: int = 0
    temporary_enchant: int = 0
    gems: tuple[int, ...] = ()


class Combatant(RaidRecord, frozen=True, kw_only=True):
    """A player at the start of a fight, by `COMBATANT_INFO`."""

    actor: int
    talents: tuple[int, ...] = ()
    """Points a tree."""
    gear: tuple[GearItem, ...] = ()
    auras: tuple[tuple[int, int], ...] = ()
    """Who cast it (index, `NOBODY` where unknown), and the spell's id as the game has it."""


class Blow(RaidRecord, frozen=True, kw_only=True):
    """A hit or a heal before a death. `health` after it, where told, out of `max_health`."""

    at: int
    kind: Literal["damage", "heal"]
    source: int
    spell: int
    amount: int
    overkill: int = 0
    absorbed: int = 0
    critical: bool = False
    health: int = -1
    max_health: int = -1


class Death(RaidRecord, frozen=True, kw_only=True):
    """A player's death. `cause` is the number of the killing blow in `blows`, the last ten hits and heals in order;
    None where no damage came before. `feigned`: Feign Death or Spirit of Redemption, which are no deaths."""

    actor: int
    at: int
    blows: tuple[Blow, ...] = ()
    cause: int | None = None
    feigned: str = ""


class AbilityTotal(RaidRecord, frozen=True, kw_only=True):
    """What a player or pet did with one ability in a fight, to (`damage`) or for (`healing`) others, or what it took
    of it (`taken`: then `actor` is who took it)."""

    actor: int
    kind: Literal["damage", "healing", "taken"]
    spell: int
    """An index of the report's spells; `NO_SPELL` is melee."""
    total: int
    """Damage without overkill; effective healing; damage taken without overkill."""
    overheal: int = 0
    absorbed: int = 0
    """Of shields: what they absorbed stands in `total`, and the ability is the shield."""
    hits: int = 0
    criticals: int = 0
    ticks: int = 0
    misses: int = 0
    casts: int = 0
    targets: int = 0
    largest: int = 0


class Performance(RaidRecord, frozen=True, kw_only=True):
    """A player in a fight."""

    actor: int
    class_name: str = ""
    spec: str = ""
    """In English; empty where unknown."""
    role: Role = "damage"
    item_level: float = 0.0
    """Average of what is worn, shirt and tabard apart; 0 where the log does not tell."""
    damage: int = 0
    """Own and pets', to hostile units, without overkill."""
    pet_damage: int = 0
    healing: int = 0
    """Effective, absorbs included."""
    overheal: int = 0
    absorbs: int = 0
    taken: int = 0
    friendly_fire: int = 0
    deaths: int = 0
    spirits: int = 0
    """Times that the player became a Spirit of Redemption and was not dead before the fight was over."""
    casts: int = 0
    interrupts: int = 0
    dispels: int = 0
    active_ms: int = 0
    """Time busy: casts, channels and global cooldowns."""
    died_at: int | None = None
    """Of the first death, in ms."""
    their_parse: float | None = None
    """Warcraft Logs' own percentile, where its JSON brought one."""


class Fight(RaidRecord, frozen=True, kw_only=True):
    """An attempt. Times are in ms since 1970 (of the log's own clock)."""

    number: int
    encounter_id: int
    name: str
    """As the log has it, else the English one."""
    kind: SegmentKind = "fight"
    started_at: int
    ended_at: int
    kill: bool = False
    difficulty: int = 0
    size: int = 0
    boss_health: float | None = None
    """Per cent left of the boss (of the last one of several) at the end; None where the log tells no health."""
    marked: bool = True
    """By ENCOUNTER_START and END; else found by the acts of a known boss."""
    missing: tuple[str, ...] = ()
    """What the log does not hold, as sentences without a full stop: "no gear: the log has no COMBATANT_INFO"."""


class FightRecord(RaidRecord, frozen=True, kw_only=True):
    """Everything of a fight that the store keeps."""

    fight: Fight
    performances: tuple[Performance, ...] = ()
    abilities: tuple[AbilityTotal, ...] = ()
    deaths: tuple[Death, ...] = ()
    combatants: tuple[Combatant, ...] = ()
    events: bytes = b""
    """`FightLog.pack()`."""


class BadLines(RaidRecord, frozen=True, kw_only=True):
    """Lines of a report that could not be read, by reason, with the first of them (number and text, cut)."""

    reason: str
    count: int
    first: tuple[tuple[int, str], ...] = ()


class ReportRecord(RaidRecord, frozen=True, kw_only=True):
    """A night. Known when the whole log is read; fights come before it."""

    code: str
    """Ten letters and digits, from the content."""
    title: str
    zone: str = ""
    started_at: int
    ended_at: int
    lines: int
    taken: int
    bad: int
    outside: int
    """`lines == taken + bad + outside`, always."""
    bad_lines: tuple[BadLines, ...] = ()
    advanced: bool = True
    build: str = ""
    turns_back: int = 0
    """How often the log goes back in time: its parts were joined in another order than they were written."""
    actors: tuple[Actor, ...] = ()
    spells: tuple[Spell, ...] = ()
    source: Literal["combat log", "Warcraft Logs"] = "combat log"
