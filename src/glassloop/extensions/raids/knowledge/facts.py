"""Facts of the game (The Burning Crusade, tier 4), as the files in `data/` have them. Each file says where its
facts were checked."""

from typing import Literal

import msgspec

CooldownKind = Literal["throughput", "defensive", "interrupt", "utility"]
ConsumableKind = Literal[
    "flask", "battle elixir", "guardian elixir", "food", "weapon", "scroll", "potion", "mana potion", "healing potion",
    "rune", "drums", "bandage", "other",
]  # fmt: skip


class Fact(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Of all of them."""


class Phase(Fact, frozen=True, kw_only=True):
    """From `health` per cent of the boss down, or from `at_s` on, until the next one. With neither and no `aura` or
    `creature`, the first one. One with `health` or `aura` and a length ends after it, and the one before comes back."""

    name: str
    health: float | None = None
    at_s: float | None = None
    length_s: float | None = None
    """Of phases that come again and again by time (Netherspite), and of those that end by themselves (Nightbane)."""
    aura: int | None = None
    """Seen by this aura or cast of the boss, where the log has it."""
    freed_from: int | None = None
    """The end of this aura of `creature` begins it, else the first hit by or on it; `at_s` without events."""
    creature: int | None = None
    """Whose health is meant; without `health`, the phase begins when this creature first acts."""
    downtime: bool = False


class Mechanic(Fact, frozen=True, kw_only=True):
    """Something of an encounter that can be done right or wrong. `spells` are ids as the game has them."""

    name: str
    kind: Literal["avoidable", "interrupt", "dispel", "stay still", "position", "target", "taunt"]
    spells: tuple[int, ...]
    advice: str
    """One sentence: what to do about it."""
    tank_takes: bool = False
    """Whether it is a tank's part to be hit by it."""
    shielded_by: tuple[int, ...] = ()
    """Auras of the caster under which it cannot be interrupted."""


class Creature(Fact, frozen=True, kw_only=True):
    id: int
    name: str
    boss: bool = True


class Encounter(Fact, frozen=True, kw_only=True):
    id: int
    other_ids: tuple[int, ...] = ()
    """Under which other clients log it."""
    name: str
    names: dict[str, str] = {}
    """In other languages: de, fr, es, ru, pt, it, ko, zh."""
    nicknames: tuple[str, ...] = ()
    instance: int
    zone: str
    size: int
    creatures: tuple[Creature, ...] = ()
    phases: tuple[Phase, ...] = ()
    mechanics: tuple[Mechanic, ...] = ()
    gcd: int = 90
    """Expected global cooldown uptime of a good player, in per cent."""
    ranked: bool = True
    notes: str = ""


class Spec(Fact, frozen=True, kw_only=True):
    """`tree` counts the talent trees from 0. `signature`: spell ids that only this spec casts, `hints`: those that it
    casts and others could. `main`: names of the abilities that a rotation is judged on, most important first, with
    casts a minute expected of each; "A or B" is either of them, their casts counted together
    (`GameKnowledge.main_spells` has the ids)."""

    class_name: str
    name: str
    tree: int
    role: Literal["tank", "healer", "damage"]
    signature: tuple[int, ...] = ()
    hints: tuple[int, ...] = ()
    main: dict[str, float] = {}
    casts_per_minute: float = 0.0
    gcd_s: float = 1.5
    overheal_target: float | None = None
    power: Literal["mana", "rage", "energy"] = "mana"


class ClassFacts(Fact, frozen=True, kw_only=True):
    name: str
    names: dict[str, str] = {}
    colour: str
    abilities: tuple[str, ...] = ()
    """English names of spells that only this class casts. These and the ids come from `spells.toml`."""
    ability_ids: tuple[int, ...] = ()
    """And ids, of all ranks and effects, for clients in other languages."""


class ClassSpell(Fact, frozen=True, kw_only=True):
    """A spell of a class, with all its ranks, the lowest first."""

    name: str
    class_name: str
    spells: tuple[int, ...]
    school: int
    effects: tuple[int, ...] = ()
    """Ids under which what it does is logged, where they are not those of the cast."""


class Cooldown(Fact, frozen=True, kw_only=True):
    name: str
    spells: tuple[int, ...]
    class_name: str = ""
    """Empty: of an item or a race."""
    specs: tuple[str, ...] = ()
    """Empty: of all specs of the class."""
    kind: CooldownKind
    cooldown_s: float
    duration_s: float = 0.0
    major: bool = True
    source: Literal["class", "talent", "race", "item"] = "class"
    schools: int = 127
    """Of a defensive one: schools of damage that it helps against, as the game numbers them."""
    swings_only: bool = False
    """Helps by dodging alone: against swings, and not against damage of an area, whatever its school."""


class Dot(Fact, frozen=True, kw_only=True):
    name: str
    class_name: str
    spells: tuple[int, ...]
    duration_s: float
    tick_s: float
    longest_s: float
    """With talents."""


class Consumable(Fact, frozen=True, kw_only=True):
    name: str
    kind: ConsumableKind
    auras: tuple[int, ...] = ()
    """What it leaves on whoever takes it."""
    casts: tuple[int, ...] = ()
    """How its use is logged, where that is a cast."""
    enchants: tuple[int, ...] = ()
    """Temporary enchants, as `COMBATANT_INFO` has them."""
    roles: tuple[str, ...] = ()


class RaidBuff(Fact, frozen=True, kw_only=True):
    """Kings, Fortitude, Battle Shout … `covers`: the whole raid, the group, or a single player."""

    name: str
    auras: tuple[int, ...]
    class_name: str
    covers: Literal["raid", "group", "player"] = "raid"
    major: bool = False
    debuff: bool = False
    """On the boss rather than on players."""
    hidden: bool = False
    """Whether logs need not show it: an enchant of weapons is no aura, and a passive one is on before anything is
    written. Where none shows, nothing is known of it."""


class Proc(Fact, frozen=True, kw_only=True):
    """A trinket's or weapon's effect, and how much of a fight it is up at in good hands, in per cent."""

    name: str
    items: tuple[int, ...]
    auras: tuple[int, ...]
    uptime: float


class Channel(Fact, frozen=True, kw_only=True):
    name: str
    class_name: str
    spells: tuple[int, ...]
    duration_s: float


class CastTime(Fact, frozen=True, kw_only=True):
    """Of spells with a cast time, without talents and haste; 0 is instant."""

    name: str
    spells: tuple[int, ...]
    cast_s: float


class ItemFacts(Fact, frozen=True, kw_only=True):
    id: int
    name: str
    level: int
    slot: str
    quality: str = ""
    sockets: tuple[str, ...] = ()


class Gem(Fact, frozen=True, kw_only=True):
    id: int
    name: str
    quality: str
    """Below "rare" is low."""


class Enchant(Fact, frozen=True, kw_only=True):
    id: int
    name: str
