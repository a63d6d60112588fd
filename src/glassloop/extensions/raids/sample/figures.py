"""The figures of a simulated raid as the simulation itself counted them: what an import must find.

Actors are named by GUID, spells by id (0 is melee), times in ms since 1970 or, in a fight, since its start.
"""

import msgspec


class SimulationFigures(msgspec.Struct, kw_only=True, omit_defaults=True):
    """Of all of them."""


class AbilityFigures(SimulationFigures):
    """An ability of an actor. `total`: damage without overkill, or effective healing and absorbs."""

    total: int = 0
    overheal: int = 0
    hits: int = 0
    criticals: int = 0
    ticks: int = 0
    misses: int = 0
    largest: int = 0
    targets: set[str] = msgspec.field(default_factory=set[str])


class CastFigures(SimulationFigures):
    """Casts of a spell. `instant`: successes that nothing announced. `begun` = finished + cancelled + failed + open
    (the fight ended, or the caster died, in the middle of it)."""

    begun: int = 0
    finished: int = 0
    cancelled: int = 0
    failed: int = 0
    open: int = 0
    instant: int = 0
    done_at: list[int] = msgspec.field(default_factory=list[int])
    """When each success was."""


class DotFigures(SimulationFigures):
    """A damage over time spell on all targets. `early`: renewed with more than 30 per cent of its time left."""

    casts: int = 0
    renewals: int = 0
    early: int = 0
    lost_ticks: int = 0
    duration: int = 0
    """In ms, with talents."""
    longest: int = 0
    """The longest that one ran: a longer duration than the usual shows in no other way."""


class DeathFigures(SimulationFigures):
    """A death at `at`. The killing blow is empty for a fall or where nothing struck."""

    guid: str
    at: int
    source: str = ""
    spell_id: int = 0
    amount: int = 0
    overkill: int = 0
    feigned: str = ""


class AuraFigures(SimulationFigures):
    """An aura of `source` on `target`, in spans clipped to the fight. `before`: it was on when the fight began."""

    target: str
    source: str
    spell_id: int
    buff: bool
    spans: list[tuple[int, int]] = msgspec.field(default_factory=list[tuple[int, int]])
    before: bool = False


class WornItem(SimulationFigures):
    slot: int
    item_id: int
    item_level: int
    enchant: int = 0
    temporary_enchant: int = 0
    gems: tuple[int, ...] = ()


class PlayerFigures(SimulationFigures):
    """A player in a fight. Damage and healing include pets and totems; `pet_damage` is their part."""

    guid: str
    name: str
    realm: str = ""
    class_name: str = ""
    spec: str = ""
    role: str = "damage"
    talents: tuple[int, int, int] = (0, 0, 0)
    gear: tuple[WornItem, ...] = ()
    damage: int = 0
    pet_damage: int = 0
    healing: int = 0
    overheal: int = 0
    absorbs: int = 0
    taken: int = 0
    friendly_fire: int = 0
    interrupts: int = 0
    dispels: int = 0
    deaths: int = 0
    died_at: int | None = None
    dead: list[tuple[int, int]] = msgspec.field(default_factory=list[tuple[int, int]])
    """From each death to the resurrection, or to the fight's end."""
    done: dict[str, dict[int, AbilityFigures]] = msgspec.field(default_factory=dict[str, dict[int, AbilityFigures]])
    """By actor (itself or a pet), then by spell."""
    healed: dict[str, dict[int, AbilityFigures]] = msgspec.field(default_factory=dict[str, dict[int, AbilityFigures]])
    taken_of: dict[int, int] = msgspec.field(default_factory=dict[int, int])
    """Damage taken, by spell; 0 is melee and the surroundings."""
    absorbed_of: dict[int, int] = msgspec.field(default_factory=dict[int, int])
    """What shields took of hits that came through all the same, by spell."""
    casts: dict[int, CastFigures] = msgspec.field(default_factory=dict[int, CastFigures])
    dots: dict[int, DotFigures] = msgspec.field(default_factory=dict[int, DotFigures])
    busy: list[tuple[int, int]] = msgspec.field(default_factory=list[tuple[int, int]])
    """Casts, channels and global cooldowns, in order, not merged."""
    swings_at: dict[str, int] = msgspec.field(default_factory=dict[str, int])
    """Swings of creatures at the player by how they ended: hit, blocked, crushing, or the kind of miss."""
    lowest_health: int = -1
    """As seen in the log's own lines about it; -1 where there is none."""
    lowest_health_at: int = 0
    lowest_power: int = -1
    """Of mana, as seen in the log's own lines about it; -1 where there is none."""

    @property
    def took_part(self) -> bool:
        """Whether the player did anything, or was hit."""
        return bool(self.casts or self.done or self.healed or self.taken_of or self.friendly_fire or self.deaths)


class FightFigures(SimulationFigures):
    """An attempt."""

    encounter_id: int
    name: str
    started_at: int
    ended_at: int = 0
    kill: bool = False
    boss_health: float = 0.0
    """Per cent at the end."""
    size: int = 10
    players: dict[str, PlayerFigures] = msgspec.field(default_factory=dict[str, PlayerFigures])
    deaths: list[DeathFigures] = msgspec.field(default_factory=list[DeathFigures])
    auras: dict[tuple[str, str, int], AuraFigures] = msgspec.field(
        default_factory=dict[tuple[str, str, int], AuraFigures]
    )
    enemy_casts: dict[int, int] = msgspec.field(default_factory=dict[int, int])
    """Casts of creatures that came through, by spell."""
    shielded_casts: dict[int, int] = msgspec.field(default_factory=dict[int, int])
    """Those of a creature behind a shield."""
    interrupted: dict[int, int] = msgspec.field(default_factory=dict[int, int])
    dispelled: dict[int, int] = msgspec.field(default_factory=dict[int, int])
    lines: int = 0
    """From ENCOUNTER_START to END."""

    @property
    def length_ms(self) -> int:
        return self.ended_at - self.started_at


class RaidFigures(SimulationFigures):
    """A night."""

    fights: list[FightFigures] = msgspec.field(default_factory=list[FightFigures])
    lines: int = 0
