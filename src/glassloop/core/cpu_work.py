"""CPU-bound work of ours for a turn or a job: off the event loop, and marked where the turn is stored while it lasts.

A process that ends in the middle leaves the mark behind, and whoever takes the turn up knows what it was at. Small
input is worked on at once, without a mark: that costs less than a switch of thread.
"""

import asyncio
from collections.abc import Callable
from contextvars import ContextVar
from typing import Protocol, TypeVar

LARGE_CHARS = 4_000
"""Input from which on work is marked and done in a thread."""

Result = TypeVar("Result")


class WorkMark(Protocol):
    """Of one turn or job. Pieces of work may overlap."""

    name: str
    """Which turn or job it is, for the log."""

    async def begin(self, work: str) -> None: ...

    async def end(self) -> None: ...

    def note_frozen(self) -> None:
        """Begins work without waiting for the store: called while the event loop stands still."""
        ...


current_mark: ContextVar[WorkMark | None] = ContextVar("current_mark", default=None)
"""That of the turn or job which this task works for."""


async def run_cpu_bound(work: str, size: int, function: Callable[[], Result]) -> Result:
    """The result of `function`, which does `work` on input of that many characters."""
    if size < LARGE_CHARS:
        return function()
    mark = current_mark.get()
    if mark is None:
        return await asyncio.to_thread(function)
    await mark.begin(work)
    try:
        return await asyncio.to_thread(function)
    finally:
        await mark.end()
