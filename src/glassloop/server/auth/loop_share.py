"""Each user's share of the event loop: the CPU time that their requests take there, and waits for those over it.

A request waits before it begins, after each piece of its body and before each piece of its answer, where a slow client
might hold it up as well; never in between, where it may hold what others need. While nobody else sends requests, nobody
waits. Work of turns has limits of its own and is not counted.
"""

import asyncio
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Coroutine, Generator
from types import coroutine
from typing import Any

from starlette.types import Message, Receive, Scope, Send

SHARE = 0.1
"""Of the loop's time, for one user in the long run while others are there."""
BURST_S = 0.25
"""That may be taken at once, after a while without requests."""
MAX_OWED_S = 1.0
"""Counted at most: whoever took more waits no longer for it."""
BUSY_S = 0.05
"""Whoever took more than this lately does one piece of work at a time, with room for others after each."""
PIECE_S = 0.002
"""How long a piece that begins is taken to last."""
SENT_S_A_BYTE = 0.002 / 65_536
"""What it takes to make and send a large answer."""
ROOM = 3.0
"""After a piece, that many times its length before the next."""
MAX_WAIT_S = 5.0
MAX_WAITING = 10
"""Requests of one user that have not begun; each holds a connection."""
_PRESENT_S = 1.0
"""For so long after a request somebody counts as there."""
_MAX_NAMES = 10_000
_ROUNDING_S = 1e-6


class LoopShare:
    """What each name took of the loop's time. A full table forgets whom it heard of longest ago."""

    def __init__(
        self,
        share: float = SHARE,
        burst_s: float = BURST_S,
        max_wait_s: float = MAX_WAIT_S,
        clock: Callable[[], float] = time.monotonic,
        cpu_clock: Callable[[], float] = time.thread_time,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._share = share
        self._burst_s = burst_s
        self._max_wait_s = max_wait_s
        self._clock = clock
        self._cpu_clock = cpu_clock
        self._sleep = sleep
        # Seconds that each name took and when they were counted last; they are forgiven at the rate of the share.
        self._owed: OrderedDict[str, tuple[float, float]] = OrderedDict()
        self._next_at: dict[str, float] = {}
        self._waiting: dict[str, int] = {}

    def charge(self, name: str, seconds: float) -> None:
        now, owed = self._clock(), min(self._owed_now(name) + seconds, MAX_OWED_S)
        self._owed[name] = owed, now
        self._owed.move_to_end(name)
        if len(self._owed) > _MAX_NAMES:
            gone, _ = self._owed.popitem(last=False)
            self._next_at.pop(gone, None)
        if owed > BUSY_S:
            self._next_at[name] = max(self._next_at.get(name, 0.0), now + seconds * ROOM)

    def wait_s(self, name: str) -> float:
        """How long the next piece of this one's work should wait."""
        owed = self._owed_now(name)
        if owed <= BUSY_S or not self._others_are_there(name):
            return 0.0
        over = (owed - self._burst_s) / self._share
        wait = max(over, self._next_at.get(name, 0.0) - self._clock())
        return wait if wait > _ROUNDING_S else 0.0

    async def pause(self, name: str) -> bool:
        """Waits for as long as this one is over its share. False where that is longer than anybody waits."""
        left = self._max_wait_s
        while (wait := self.wait_s(name)) > 0.0:
            if left <= 0.0:
                return False
            # Looked at again soon: the others may be gone by then.
            step = min(wait, left, _PRESENT_S)
            await self._sleep(step)
            left -= step
        if self._owed_now(name) > BUSY_S:
            # Of several that waited, the next begins after this one.
            self._next_at[name] = self._clock() + PIECE_S * ROOM
        return True

    async def admit(self, name: str) -> bool:
        """The same before a request begins. False also where too many of this one's wait."""
        waiting = self._waiting.get(name, 0)
        if waiting >= MAX_WAITING:
            return False
        self._waiting[name] = waiting + 1
        try:
            return await self.pause(name)
        finally:
            self._waiting[name] -= 1
            if not self._waiting[name]:
                del self._waiting[name]

    @coroutine
    def metered(self, name: str, work: Coroutine[Any, Any, None]) -> Generator[Any, Any, None]:
        """The work, with the CPU time of each of its steps counted. What it starts as tasks of their own is not."""
        resume: Callable[[Any], Any] = work.send
        given: Any = None
        while True:
            began = self._cpu_clock()
            try:
                waits_for = resume(given)
            except StopIteration:
                return
            finally:
                self.charge(name, self._cpu_clock() - began)
            try:
                given = yield waits_for
                resume = work.send
            except GeneratorExit:
                work.close()
                raise
            except BaseException as error:
                given, resume = error, work.throw

    def paced(self, name: str, scope: Scope, receive: Receive, send: Send) -> tuple[Receive, Send]:
        """The two of a request, waiting at each piece of its body and its answer."""
        if scope["type"] != "http":
            return receive, send

        async def received() -> Message:
            message = await receive()
            if message.get("body"):
                await self.pause(name)
            return message

        async def sent(message: Message) -> None:
            if body := message.get("body"):
                await self.pause(name)
                # Answers that are streamed are made in tasks of their own: counted by their size.
                self.charge(name, len(body) * SENT_S_A_BYTE)
            await send(message)

        return received, sent

    def _owed_now(self, name: str) -> float:
        owed, at = self._owed.get(name, (0.0, 0.0))
        return max(0.0, owed - (self._clock() - at) * self._share)

    def _others_are_there(self, name: str) -> bool:
        latest = next((at for each, (_, at) in reversed(self._owed.items()) if each != name), None)
        return latest is not None and self._clock() - latest < _PRESENT_S
