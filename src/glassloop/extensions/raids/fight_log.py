"""The events of one fight in columns: what the importer writes, the store keeps packed and every analysis reads.

One row an event, in the order of the log. Actors and spells are indexes into the report's own lists, so that a row is a
few numbers; `NOBODY` and `NO_SPELL` stand for none.
"""

import zlib
from array import array
from collections.abc import Iterator, Sequence
from enum import IntEnum, IntFlag
from typing import Final

import msgspec

NOBODY: Final = 0xFFFF
NO_SPELL: Final = 0xFFFF
"""Melee swings, falls, deaths: what has no spell."""
UNKNOWN: Final = -1
"""Health and power where the log does not tell them."""
LEVEL: Final = 1
"""Of compression. 6 takes six times as long for an eighth less."""


class Kind(IntEnum):
    """What happened. The comment tells what `amount` and `extra` hold; 0 where nothing is said."""

    DAMAGE = 1  # amount: done, without overkill; extra: absorbed. `overkill` has the rest
    HEAL = 2  # amount: whole; extra: overheal
    MISS = 3  # amount: what was avoided, where told; extra: a `Miss`
    ABSORB = 4  # source: who shielded, spell: the shield; amount: absorbed; extra: index of the attacker
    CAST_START = 5
    CAST = 6
    CAST_FAILED = 7
    AURA_ON = 8  # amount: stacks (1)
    AURA_OFF = 9
    AURA_REFRESH = 10
    AURA_DOSE = 11  # amount: stacks now
    ENERGIZE = 12  # amount; extra: power type
    DRAIN = 13  # amount; extra: power type
    INTERRUPT = 14  # extra: index of the interrupted spell
    DISPEL = 15  # extra: index of the dispelled spell; the flag BUFF tells which kind
    SUMMON = 16
    DEATH = 17
    RESURRECT = 18
    EXTRA_ATTACKS = 19  # amount: how many


class Miss(IntEnum):
    """Ways to be missed, as the log writes them."""

    MISS = 1
    DODGE = 2
    PARRY = 3
    BLOCK = 4
    RESIST = 5
    ABSORB = 6
    IMMUNE = 7
    EVADE = 8
    DEFLECT = 9
    REFLECT = 10


class Flag(IntFlag):
    """Marks of a row."""

    CRITICAL = 1
    GLANCING = 2
    CRUSHING = 4
    PERIODIC = 8
    OFF_HAND = 16
    BUFF = 32
    """Of an aura; without it a debuff."""
    SOURCE_HOSTILE = 64
    """At that moment: a player under mind control is hostile for as long."""
    TARGET_HOSTILE = 128
    ABOUT_SOURCE = 256
    """Health and power are the source's, else the target's."""
    ENVIRONMENT = 512
    SPLIT = 1024
    """Damage that an effect shares with another (Soul Link, Blessing of Sacrifice): nobody did it to a friend."""
    BLOCKED = 2048
    """A part of the hit, by a shield in the hand."""


class Row(msgspec.Struct, frozen=True):
    """One event, for code that reads few of them; the columns themselves are for whoever reads all."""

    at: int
    kind: int
    source: int
    target: int
    spell: int
    amount: int
    extra: int
    flags: int
    overkill: int
    health: int
    max_health: int
    power: int
    max_power: int
    power_type: int


class FightLog:
    """The columns. `at` is in milliseconds from the fight's start."""

    COLUMNS: Final = (
        ("at", "i"), ("kind", "B"), ("source", "H"), ("target", "H"), ("spell", "H"), ("amount", "i"), ("extra", "i"),
        ("flags", "H"), ("overkill", "i"), ("health", "i"), ("max_health", "i"), ("power", "i"), ("max_power", "i"),
        ("power_type", "b"),
    )  # fmt: skip

    def __init__(self) -> None:
        self.at = array("i")
        self.kind = array("B")
        self.source = array("H")
        self.target = array("H")
        self.spell = array("H")
        self.amount = array("i")
        self.extra = array("i")
        self.flags = array("H")
        self.overkill = array("i")
        self.health = array("i")
        self.max_health = array("i")
        self.power = array("i")
        self.max_power = array("i")
        self.power_type = array("b")

    def __len__(self) -> int:
        return len(self.at)

    def append(
        self,
        at: int,
        kind: int,
        source: int = NOBODY,
        target: int = NOBODY,
        spell: int = NO_SPELL,
        amount: int = 0,
        extra: int = 0,
        flags: int = 0,
        overkill: int = 0,
        health: int = UNKNOWN,
        max_health: int = UNKNOWN,
        power: int = UNKNOWN,
        max_power: int = UNKNOWN,
        power_type: int = UNKNOWN,
    ) -> None:
        """For tests and small things; the importer extends the columns itself."""
        values = (at, kind, source, target, spell, amount, extra, flags, overkill, health, max_health, power, max_power,
                  power_type)  # fmt: skip
        for (name, _), value in zip(self.COLUMNS, values, strict=True):
            getattr(self, name).append(value)

    def row(self, number: int) -> Row:
        """The event of that number."""
        return Row(*(getattr(self, name)[number] for name, _ in self.COLUMNS))

    def rows(self, numbers: Sequence[int] | None = None) -> Iterator[Row]:
        """All, or those of these numbers."""
        return map(self.row, range(len(self)) if numbers is None else numbers)

    def pack(self) -> bytes:
        """The columns one after the other, compressed: for the store."""
        bodies = [getattr(self, name).tobytes() for name, _ in self.COLUMNS]
        return msgspec.msgpack.encode((len(self), [zlib.compress(body, LEVEL) for body in bodies]))

    @classmethod
    def unpack(cls, packed: bytes) -> "FightLog":
        """What `pack` made. Raises `ValueError` for anything else."""
        fight = cls()
        size, bodies = msgspec.msgpack.decode(packed, type=tuple[int, tuple[bytes, ...]])
        for (name, _), body in zip(cls.COLUMNS, bodies, strict=True):
            column = getattr(fight, name)
            column.frombytes(zlib.decompress(body))
            if len(column) != size:
                raise ValueError(f"column {name!r} has {len(column)} values and not {size}")
        return fight
