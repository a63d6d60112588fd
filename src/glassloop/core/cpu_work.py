"""CPU-bound work of ours for a turn or a job: off the event loop, and marked where the turn is stored while it lasts.

A process that ends in the middle leaves the mark behind, and whoever takes the turn up knows what it was at. Small
input is worked on at once, without a mark: that costs less than a switch of thread. Servers have the rest done by a
process of its own (`CpuWorker`), everybody else by a thread.
"""

import asyncio
from collections.abc import Callable, Generator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Protocol, TypeVar, TypeVarTuple, Unpack

LARGE_CHARS = 4_000
"""Input from which on work is marked and done in a thread."""

Result = TypeVar("Result")
Args = TypeVarTuple("Args")


class CannotWork(Exception):
    """Of a `CpuWorker`: the work must be done here."""


class CpuWorker(Protocol):
    """Does work elsewhere, for one owner after the other."""

    async def run(self, owner: str, function: Callable[[Unpack[Args]], Result], *args: *Args) -> Result:
        """Raises `CannotWork` where it could not."""
        ...


class WorkMark(Protocol):
    """Of one turn or job. Pieces of work may overlap."""

    name: str
    """Which turn or job it is, for the log."""
    owner: str
    """Whose it is."""

    async def begin(self, work: str) -> None: ...

    async def end(self) -> None: ...

    def note_frozen(self) -> None:
        """Begins work without waiting for the store: called while the event loop stands still."""
        ...


current_mark: ContextVar[WorkMark | None] = ContextVar("current_mark", default=None)
"""That of the turn or job which this task works for."""


_worker: CpuWorker | None = None


@contextmanager
def doing_cpu_work(worker: CpuWorker) -> Generator[None]:
    """All large work of this process goes there meanwhile."""
    global _worker
    before, _worker = _worker, worker
    try:
        yield
    finally:
        _worker = before


async def run_cpu_bound(work: str, size: int, function: Callable[[Unpack[Args]], Result], *args: *Args) -> Result:
    """The result of `function`, which does `work` on input of that many characters."""
    if size < LARGE_CHARS:
        return function(*args)
    mark = current_mark.get()
    if mark is None:
        return await _elsewhere("", function, *args)
    await mark.begin(work)
    try:
        return await _elsewhere(mark.owner, function, *args)
    finally:
        await mark.end()


async def _elsewhere(owner: str, function: Callable[[Unpack[Args]], Result], *args: *Args) -> Result:
    if _worker is not None:
        try:
            return await _worker.run(owner, function, *args)
        except CannotWork:
            pass
    return await asyncio.to_thread(function, *args)
