"""Rotations of the specs, read from `data/kits.toml`."""

import tomllib
from functools import cache
from pathlib import Path
from typing import Literal

import msgspec

DATA = Path(__file__).parent / "data"
Range = tuple[int, int]
Ticks = tuple[float, float, float]
"""Duration and time between ticks in seconds, amount of a tick."""


class KitRecord(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Of all of them. What the fields mean is said at the top of the data file."""


class BroughtDebuff(KitRecord, frozen=True, kw_only=True):
    """A debuff of its own id that an ability or a talent puts on whoever is hit."""

    id: int
    name: str
    lasts: float
    stacks: int = 1


class Ability(KitRecord, frozen=True, kw_only=True):
    id: int
    name: str
    school: int = 0
    cast: float = 0.0
    cd: float = 0.0
    every: float = 0.0
    cost: int = 0
    dmg: Range | None = None
    heal: Range | None = None
    dot: Ticks | None = None
    channel: Ticks | None = None
    channel_mana: Ticks | None = None
    """Amount as a part of all mana."""
    ground: Ticks | None = None
    """Damage of an area, as hits without an aura on the target."""
    hot: Ticks | None = None
    shield: int = 0
    buff: float = 0.0
    group: float = 0.0
    """A buff on the five of the group."""
    debuff: float = 0.0
    brings: tuple[BroughtDebuff, ...] = ()
    ward: float = 0.0
    """A buff on whoever is hurt most."""
    chain: int = 1
    stacks: int = 1
    below: float = 0.0
    below_self: float = 0.0
    when_mana: float = 0.0
    tap: int = 0
    """Health turned to mana."""
    off_gcd: bool = False
    tank: bool = False
    innervate: bool = False
    trinket: bool = False
    """Two of them cannot run at once."""
    raises: bool = False
    """The dead."""


class PetKit(KitRecord, frozen=True, kw_only=True):
    """`summon`: the spell that calls it during a fight, for `lasts` seconds; without it the pet is there from the
    beginning."""

    npc: int
    name: str
    swing: tuple[float, int, int] | None = None
    id: int = 0
    ability: str = ""
    dmg: Range | None = None
    every: float = 0.0
    summon: int = 0
    lasts: float = 0.0
    cd: float = 0.0


class TotemKit(KitRecord, frozen=True, kw_only=True):
    npc: int
    id: int
    name: str
    every: float
    lasts: float = 0.0
    heals: int = 0
    mana: float = 0.0


class ProcKit(KitRecord, frozen=True, kw_only=True):
    """Additional damage of swings."""

    id: int
    name: str
    chance: float
    dmg: Range
    school: int


class Kit(KitRecord, frozen=True, kw_only=True):
    """A spec. `swing`, `off`, `shot`: seconds, from, to."""

    class_name: str = msgspec.field(name="class")
    name: str
    variant: str = ""
    role: Literal["tank", "healer", "damage"] = "damage"
    talents: tuple[int, int, int]
    health: int
    mana: int = 0
    power: Literal["mana", "rage", "energy"] = "mana"
    school: int = 1
    swing: tuple[float, int, int] | None = None
    off: tuple[float, int, int] | None = None
    shot: tuple[float, int, int] | None = None
    pet: PetKit | None = None
    totems: tuple[TotemKit, ...] = ()
    proc: ProcKit | None = None
    abilities: tuple[Ability, ...]

    @property
    def gcd(self) -> float:
        return 1.0 if self.class_name == "Rogue" or self.variant == "cat" else 1.5

    @property
    def regeneration(self) -> float:
        """The part of all mana that comes back in a second, with the buffs of a raid."""
        if self.role == "healer":
            return 0.008
        return 0.016 if self.swing else 0.009

    @property
    def label(self) -> str:
        return f"{self.class_name} {self.name}" + (f" {self.variant}" if self.variant else "")


class KitFile(KitRecord, frozen=True, kw_only=True):
    spec: tuple[Kit, ...]


@cache
def kits() -> dict[str, Kit]:
    """By label: class, spec and, of the two kinds of Feral, the variant ("Druid Feral cat")."""
    raw = tomllib.loads((DATA / "kits.toml").read_text("utf-8"))
    return {kit.label: kit for kit in msgspec.convert(raw, KitFile).spec}
