"""Scheduler of work, of who does a piece of it and when: the port that the schedulers of the runtime fill."""

from collections.abc import Awaitable, Callable
from typing import Literal, Protocol

WorkKind = Literal["turn", "job"]
Perform = Callable[[WorkKind, str], Awaitable[object]]
"""Does a piece of work by its id, wherever it stands. Safe to call twice, and for what is done already."""


class Scheduler(Protocol):
    """Decides who does a piece of work, and when. Knows nothing of what it is: the log is the truth."""

    async def start(self, perform: Perform) -> None:
        """From now on, work is taken and performed here."""
        ...

    async def enqueue(self, work: WorkKind, ident: str) -> None:
        """To be performed by someone, soon. What waits already is not queued twice."""
        ...

    def position(self, ident: str) -> int | None:
        """How many wait before it here; None when it does not wait, or nobody can tell."""
        ...

    async def waiting(self) -> int:
        """How many pieces of work are enqueued and not begun."""
        ...

    async def sweep(self) -> int:
        """Forgets what workers that are gone had taken; how much that was. To be called now and then."""
        ...

    def leave(self, work: WorkKind, ident: str) -> None:
        """What is performed here now will not be done when it ends: `stop` gives it to others."""
        ...

    async def stop(self, grace_s: float) -> None:
        """Takes nothing new, waits that long for what is under way, then cancels it."""
        ...
