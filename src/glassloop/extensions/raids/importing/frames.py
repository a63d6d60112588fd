"""Frames that the importing process writes to its pipe, and the bounds of them."""

import msgspec

from glassloop.extensions.raids.records import FightRecord, ReportRecord

MAX_FRAME_BYTES = 64_000_000
"""A fight of some hours. What is longer is refused, by who writes and by who reads."""


class Progress(msgspec.Struct, frozen=True, tag="progress"):
    """How far the file is read, from 0 to 1."""

    fraction: float


class ReadFight(msgspec.Struct, frozen=True, tag="fight"):
    record: FightRecord


class ReadReport(msgspec.Struct, frozen=True, tag="report"):
    """The last frame of a file that could be read."""

    record: ReportRecord


class Refused(msgspec.Struct, frozen=True, tag="refused"):
    """The last frame of one that could not, and why."""

    reason: str


Frame = Progress | ReadFight | ReadReport | Refused


class Instructions(msgspec.Struct, frozen=True, kw_only=True):
    """What the process is to read, as its one argument in JSON, and the CPU time it has for that. `zone` and `year`:
    where the log does not tell them."""

    path: str
    cpu_s: float
    year: int | None = None
    zone: str = ""
