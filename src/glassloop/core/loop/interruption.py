"""Interruption of waiting work from outside: at once, after the current phase, or together with its driver.

Works as `asyncio.timeout` does: the task that waits for a model or a tool is cancelled, and the cancellation is
absorbed where it arrives. What happens to the work then is decided by the loop.
"""

import asyncio
from collections.abc import Coroutine
from typing import Any, Self, TypeVar

from glassloop.core.events import EndReason

T = TypeVar("T")


class Interrupted(Exception):
    """The turn was stopped, by a person or by a limit, while it waited for something."""


class InterruptibleWork:
    """What waits between `enter` and `leave` can be interrupted; nothing else is.

    When the task that drives it is cancelled, the turn ends as cancelled; unless it `survives_cancel`: then it stays
    as its log has it, for someone else to go on with.
    """

    def __init__(self) -> None:
        self.interrupted: EndReason | None = None
        self.leaving = False
        self.survives_cancel = False
        self.children: dict[str, Self] = {}
        """What runs inside it, by the calls that it answers."""
        self._task: asyncio.Task[object] | None = None
        self._cancelling = False

    def stop_after_phase(self) -> None:
        """Ends the run after the phase under way, the turn unfinished: someone else goes on with it."""
        self.leaving = True
        for child in self.children.values():
            child.stop_after_phase()

    def interrupt(self, reason: EndReason) -> None:
        """Stops what is under way, at once: `cancelled` ends the turn, a spent limit lets it answer.

        A commit is never interrupted; what comes after it is not begun.
        """
        if self.interrupted is None or reason == "cancelled":
            self.interrupted = reason
            # One who calls from inside the awaited work must not be cancelled: it sees the flag when it returns.
            if self._task is not None and not self._cancelling and self._task is not asyncio.current_task():
                self._cancelling = self._task.cancel()

    def enter(self) -> "asyncio.Task[object] | None":
        """What follows may be interrupted; raises where that has happened already. Gives what `leave` takes."""
        if self.interrupted is not None:
            raise Interrupted
        before, self._task = self._task, asyncio.current_task()
        return before

    def leave(self, before: "asyncio.Task[object] | None") -> None:
        """What follows may no longer be interrupted. A generator calls `leave(None)` before each `yield` and `enter`
        after it: while it is suspended the task belongs to the consumer, which must not be cancelled for the turn."""
        self._task = before
        if self._cancelling and before is None:
            self._take_back()

    def raise_if_stopped(self) -> None:
        """Raises `Interrupted` where an interrupt came meanwhile."""
        if self.interrupted is not None:
            raise Interrupted

    def raise_if_interrupted(self, error: BaseException) -> None:
        """Raises `Interrupted` where our own interrupt is behind this error; returns where it is somebody else's."""
        if self._cancelling and not isinstance(error, GeneratorExit):
            others = self._take_back()
            if not (others and isinstance(error, asyncio.CancelledError)):
                raise Interrupted from None

    async def guarded(self, work: Coroutine[Any, Any, T] | asyncio.Future[T]) -> T:
        """Awaits the work, such that it can be interrupted."""
        try:
            before = self.enter()
        except Interrupted:
            if not isinstance(work, asyncio.Future):
                work.close()
            raise
        try:
            return await work
        except BaseException as error:
            self.raise_if_interrupted(error)
            raise
        finally:
            self.leave(before)

    def _take_back(self) -> int:
        """Takes our cancellation back; how many of others are left."""
        self._cancelling = False
        task = asyncio.current_task()
        return task.uncancel() if task is not None else 0
