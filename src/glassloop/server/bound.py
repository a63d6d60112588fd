"""Turns that belong to a request: they stop when nobody has been listening for a while.

Native turns run on when a client leaves; the dialects of other clients know no way back to a turn, so theirs end.
"""

import asyncio
import logging
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from glassloop.core.errors import GlassloopError
from glassloop.runtime.runtime import Runtime

_log = logging.getLogger(__name__)

PATIENCE_S = 10.0


class Bound:
    """The requests of this process and the turns they wait for."""

    def __init__(self, runtime: Runtime, patience_s: float = PATIENCE_S) -> None:
        self._runtime = runtime
        self._patience_s = patience_s
        self._listeners: dict[str, int] = {}
        self._timers: dict[str, asyncio.TimerHandle] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    @asynccontextmanager
    async def listening(self, turn_id: str) -> AsyncGenerator[None, None]:
        """While this is entered somebody waits for the turn; left before its end, it is cancelled after a while."""
        self._listeners[turn_id] = self._listeners.get(turn_id, 0) + 1
        if (timer := self._timers.pop(turn_id, None)) is not None:
            timer.cancel()
        try:
            yield
        finally:
            left = self._listeners.pop(turn_id) - 1
            if left:
                self._listeners[turn_id] = left
            else:
                loop = asyncio.get_running_loop()
                self._timers[turn_id] = loop.call_later(self._patience_s, self._end, turn_id)

    def done(self, turn_id: str) -> None:
        """The turn reached its end, or waits for people: nothing is left to stop."""
        if (timer := self._timers.pop(turn_id, None)) is not None:
            timer.cancel()

    def _end(self, turn_id: str) -> None:
        self._timers.pop(turn_id, None)
        task = asyncio.ensure_future(self._cancel(turn_id))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _cancel(self, turn_id: str) -> None:
        try:
            row = await self._runtime.turn(turn_id)
            if row.status == "running":
                await self._runtime.cancel(turn_id)
        except GlassloopError as error:
            _log.warning("turn %s, which nobody waits for, was not stopped: %s", turn_id, error)
