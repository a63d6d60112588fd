"""Units and spells of a simulated raid, with the text that the log writes for them."""

from typing import Final, Literal

UnitKind = Literal["player", "pet", "npc"]

NOBODY_GUID: Final = "0000000000000000"
MANA: Final = 0
RAGE: Final = 1
ENERGY: Final = 3
UNKNOWN_NAMES: Final = {"de": "Zauber, Rang", "fr": "Sort", "ru": "Заклинание", "zh": "法术"}


class SimulatedSpell:
    """An ability as the game has it. `names` are those of other languages."""

    __slots__ = ("id", "name", "names", "school")

    def __init__(self, spell_id: int, name: str, school: int = 1, names: dict[str, str] | None = None) -> None:
        self.id = spell_id
        self.name = name
        self.school = school
        self.names = names or {}

    def text(self, language: str) -> str:
        """The three fields of the log. Names that are not known in a language are made up, as no two are the same."""
        name = self.name if language == "en" else self.names.get(language) or f"{UNKNOWN_NAMES[language]} {self.id}"
        return f'{self.id},"{name}",0x{self.school:x}'


class AuraState:
    """An aura that is on a unit now. `expiry` counts the applications, so that an old timer ends no new one."""

    __slots__ = ("begin", "buff", "expiry", "seen", "source", "spell", "stacks")

    def __init__(self, spell: SimulatedSpell, source: "CombatUnit", begin: int, buff: bool) -> None:
        self.spell = spell
        self.source = source
        self.begin = begin
        self.buff = buff
        self.stacks = 1
        self.expiry = 0
        self.seen = True
        """Whether the log of the fight tells of it."""


class CombatUnit:
    """Somebody in a fight: a player, a pet or totem, a creature."""

    def __init__(
        self,
        guid: str,
        name: str,
        kind: UnitKind,
        *,
        health: int,
        power: int = 0,
        power_type: int = MANA,
        hostile: bool = False,
        owner: "CombatUnit | None" = None,
        npc_id: int = 0,
        flags: int = 0,
    ) -> None:
        self.guid = guid
        self.name = name
        self.kind: UnitKind = kind
        self.max_health = self.health = health
        self.max_power = power
        self.power: float = 0 if power_type == RAGE else power
        self.power_type = power_type
        self.owner = owner
        self.npc_id = npc_id
        self.hostile = hostile
        self.natural_flags = flags or default_flags(kind, hostile)
        self.alive = True
        self.stunned_until = 0
        self.feigned_at = -10_000
        self.lingers = False
        """Whether it becomes a spirit when it dies."""
        self.auras: dict[tuple[int, str], AuraState] = {}
        self.shields: dict[tuple[int, str], int] = {}
        """What is left of those auras that absorb damage."""
        self.attack_power = self.spell_power = self.armor = 0
        self.x = self.y = 0.0
        self.text = ""
        self.show(self.natural_flags)

    def show(self, flags: int) -> None:
        """Set the flags that the log writes of it."""
        self.text = f'{self.guid},"{self.name}",0x{flags:x},0x0'

    def charm(self, hostile: bool) -> None:
        """Put a player under an enemy's control, or back under its own."""
        self.hostile = hostile
        self.show(0x1248 if hostile else self.natural_flags)

    def feigns(self, now: int) -> bool:
        """Whether it has pretended to be dead within the last second: enemies leave it alone."""
        return now - self.feigned_at < 1500

    @property
    def player(self) -> "CombatUnit":
        """Whoever its deeds are credited to."""
        return self.owner or self


def default_flags(kind: UnitKind, hostile: bool) -> int:
    """Type, controller, reaction and affiliation, as the game has them."""
    if hostile:
        return 0xA48
    return {"player": 0x514, "pet": 0x1114, "npc": 0x2114}[kind]
