"""Lease of a turn as its worker sees it: until when the turn is certainly its own."""

import time
from collections.abc import Mapping, Sequence

import msgspec

from glassloop.core.events import Durable
from glassloop.runtime.durable.leased_log import Begin


class TurnLease:
    """How long a turn is ours: until a moment of our own clock, or for good."""

    def __init__(self, seconds: float, asked_at: float) -> None:
        self.seconds = seconds
        self.until = asked_at + seconds

    def holds(self) -> bool:
        return not self.seconds or now() < self.until


class ClaimedTurn(msgspec.Struct, frozen=True):
    """A turn that is ours to run, with its events so far; `store_first` stores them where that was not possible yet,
    with the `blobs` that they speak of."""

    events: Sequence[Durable]
    asked_at: float
    epoch: int = 0
    cancel: bool = False
    messages_sent: int = 0
    store_first: Begin | None = None
    blobs: Mapping[str, bytes] = {}


def now() -> float:
    """A clock that also counts while the machine sleeps, so that a lease ends in time."""
    return time.clock_gettime(time.CLOCK_BOOTTIME) if hasattr(time, "CLOCK_BOOTTIME") else time.monotonic()
