"""Weights of models that run here: what is told of them, and what an extension that has some must do with them.

Errors of weights:

WeightsError
├── SourceAway           this source cannot be reached, or does not have them: the next one is asked
│   └── DamagedWeights   what came is not what it should be; it was deleted
└── DiskFull             there is no space for them
"""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Literal, Protocol

import msgspec

from glassloop.core.errors import GlassloopError

WeightsState = Literal["ready", "partial", "unchecked", "absent"]


class WeightsError(GlassloopError):
    """The weights could not be had; the message says what to do."""


class SourceAway(WeightsError):
    """Nothing can be had from there for now."""


class DamagedWeights(SourceAway):
    """The bytes are not the ones that were promised."""


class DiskFull(WeightsError):
    """No space."""


class WeightsStatus(msgspec.Struct, frozen=True, kw_only=True):
    """What there is of some weights: `unchecked` is a file nobody has hashed since it changed. `purpose`: what they are
    for, in one sentence."""

    name: str
    title: str
    state: WeightsState
    bytes: int
    size: int
    path: str
    source: str = ""
    purpose: str = ""


class PullStage(msgspec.Struct, frozen=True):
    """How far a download is: what is being done, and bytes that are there of all bytes."""

    message: str
    done: int
    total: int


PullReport = Callable[[PullStage], None]


class Weights(Protocol):
    """Something a model here needs, and that is too large to come with the program."""

    @property
    def name(self) -> str: ...

    def problem(self) -> str | None:
        """Why a download would be for nothing, such as a program that is missing, and what to do about it."""
        ...

    def look(self) -> WeightsStatus:
        """What there is of it. Quick."""
        ...

    async def pull(self, environ: Mapping[str, str], report: PullReport, given: Path | None = None) -> Path:
        """Has it there, whole and verified; where it is then. Raises `WeightsError`."""
        ...

    async def check(self, report: PullReport) -> None:
        """Reads what is there whole. Raises `DamagedWeights` where it is not what it should be; it is deleted then."""
        ...

    def remove(self) -> int:
        """Deletes it; how many bytes that frees."""
        ...


def format_bytes(size: float) -> str:
    """Bytes as people say them: `1.12 GB`, `52 MB`."""
    if size >= 1e9:
        return f"{size / 1e9:.2f} GB"
    return f"{size / 1e6:.0f} MB" if size >= 1e6 else f"{size / 1e3:.0f} kB"
