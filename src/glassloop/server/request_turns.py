"""Turns that belong to a request: they stop when nobody has been listening for a while.

Native turns run on when a client leaves; the dialects of other clients know no way back to a turn, so theirs end. So
they do when the server stops: their clients are told to ask again, and what is asked twice must not be done twice.
"""

import asyncio
import logging
from collections import Counter
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from glassloop.core.errors import GlassloopError
from glassloop.runtime.durable.runtime import Runtime

_log = logging.getLogger(__name__)

TIMEOUT_S = 10.0


class RequestTurns:
    """The requests of this process and the turns they wait for. `closed`: the server stops, and their turns with it."""

    def __init__(self, runtime: Runtime, patience_s: float = TIMEOUT_S) -> None:
        self._runtime = runtime
        self._patience_s = patience_s
        self._listeners: Counter[str] = Counter()
        self._timers: dict[str, asyncio.TimerHandle] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self.closed = False

    def expect(self, turn_id: str) -> None:
        """A request has this turn: it is stopped after a while, unless somebody listens or it is `done` by then."""
        self._stop_timer(turn_id)
        if self.closed:
            self._end(turn_id)
        else:
            self._timers[turn_id] = asyncio.get_running_loop().call_later(self._patience_s, self._end, turn_id)

    def has(self, turn_id: str) -> bool:
        """Whether a request of this process has the turn, or had it a moment ago."""
        return turn_id in self._listeners or turn_id in self._timers

    @asynccontextmanager
    async def listening(self, turn_id: str) -> AsyncGenerator[None, None]:
        """While this is entered the turn's request waits for it."""
        self._stop_timer(turn_id)
        self._listeners[turn_id] += 1
        if self.closed:
            self._end(turn_id)
        try:
            yield
        finally:
            # Where it is `done` nobody is counted any more.
            if turn_id in self._listeners:
                self._listeners[turn_id] -= 1
                if not self._listeners[turn_id]:
                    del self._listeners[turn_id]
                    self.expect(turn_id)

    def done(self, turn_id: str) -> None:
        """The turn reached its end, or waits for people: nothing is left to stop."""
        self._stop_timer(turn_id)
        self._listeners.pop(turn_id, None)

    async def aclose(self) -> None:
        """Stops every turn that a request still has, or had a moment ago, and any that come from now on."""
        self.closed = True
        for turn_id in [*self._listeners, *self._timers]:
            self._stop_timer(turn_id)
            self._end(turn_id)
        await asyncio.gather(*self._tasks)

    def _stop_timer(self, turn_id: str) -> None:
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
