"""Lease of a turn as its worker sees it: until when the turn is certainly its own."""

import time


class TurnLease:
    """How long a turn is ours: until a moment of our own clock, or for good."""

    def __init__(self, seconds: float, asked_at: float) -> None:
        self.seconds = seconds
        self.until = asked_at + seconds

    def holds(self) -> bool:
        return not self.seconds or now() < self.until


def now() -> float:
    """A clock that also counts while the machine sleeps, so that a lease ends in time."""
    return time.clock_gettime(time.CLOCK_BOOTTIME) if hasattr(time, "CLOCK_BOOTTIME") else time.monotonic()
