"""Bosses as the simulation plays them, read from `data/encounters.toml`."""

import tomllib
from functools import cache
from typing import Literal

import msgspec

from glassloop.extensions.raids.sample.kits import DATA, KitRecord, Range, Ticks


class BossAbility(KitRecord, frozen=True, kw_only=True):
    """`by`: which of several creatures uses it; the last one where nothing is said."""

    id: int
    name: str
    school: int = 1
    every: float
    first: float = 0.0
    cast: float = 0.0
    who: Literal["tank", "random", "raid", "self"] = "tank"
    count: int = 1
    dmg: Range | None = None
    dot: Ticks | None = None
    debuff: float = 0.0
    buff: float = 0.0
    stacks: int = 1
    stun: float = 0.0
    break_s: float = msgspec.field(default=0.0, name="break")
    """Of a stun: ends early, at the earliest after so many seconds."""
    heal: int = 0
    shield: int = 0
    dispel: str = ""
    interrupt: bool = False
    avoid: bool = False
    from_health: float = msgspec.field(default=100.0, name="from")
    to_health: float = msgspec.field(default=100.0, name="to")
    """Used while the boss has at most this many per cent."""
    by: int = 0


class BossCreature(KitRecord, frozen=True, kw_only=True):
    """`second`: attacked only when the others are dead. `tank`: the number of its tank, from 1."""

    id: int
    name: str
    health: int
    mana: int = 0
    copies: int = 1
    swing: tuple[float, int, int] | None = None
    tank: int = 1
    second: bool = False
    cage: tuple[int, str, int, float] | None = None
    """An aura (id, name, school) that keeps it still and out of reach until the others are dead, or so many seconds."""


class AddScript(KitRecord, frozen=True, kw_only=True):
    """Creatures that come again and again, and what each does."""

    id: int
    name: str
    health: int
    every: float
    zap: BossAbility


class Away(KitRecord, frozen=True, kw_only=True):
    at: tuple[float, ...] = ()
    every: float = 0.0
    for_s: float = msgspec.field(name="for")


class BossScript(KitRecord, frozen=True, kw_only=True):
    id: int
    name: str
    de: str = ""
    fr: str = ""
    instance: int
    creatures: tuple[BossCreature, ...]
    adds: AddScript | None = None
    away: Away | None = None
    abilities: tuple[BossAbility, ...]

    @property
    def size(self) -> int:
        return 10 if self.instance == 532 else 25

    def localised(self, language: str) -> str:
        return {"de": self.de, "fr": self.fr}.get(language) or self.name


class ScriptFile(KitRecord, frozen=True, kw_only=True):
    encounter: tuple[BossScript, ...]


@cache
def scripts() -> dict[int, BossScript]:
    """By the encounter's id."""
    raw = tomllib.loads((DATA / "encounters.toml").read_text("utf-8"))
    return {script.id: script for script in msgspec.convert(raw, ScriptFile).encounter}
