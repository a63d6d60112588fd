"""One watcher's queue: bounded, in order, without a task of its own.

A slow reader loses transients, and gets a nudge in place of durable events that did not fit. When it has caught up,
what it lost of the open block comes in one piece, so that no text has a hole.
"""

import asyncio
from collections import deque
from collections.abc import Callable
from typing import Self

from glassloop.core.errors import UsageError
from glassloop.core.events import TRANSIENT, AnyEvent
from glassloop.core.ports import Nudge
from glassloop.runtime.bus.open_blocks import NOTHING, PIECES, BlockExtent, OpenBlocks

MAX_ITEMS = 1_000


class SubscriptionQueue:
    """A `Subscription`, which begins with the open block of its topic. `leave` takes it off the bus."""

    __slots__ = ("_blocks", "_ended", "_items", "_leave", "_limit", "_lost", "_timer", "_until", "_waiter", "topic")

    def __init__(
        self, topic: str, blocks: OpenBlocks, leave: Callable[["SubscriptionQueue"], None], limit: int = MAX_ITEMS
    ) -> None:
        self.topic = topic
        self._blocks = blocks
        self._leave = leave
        self._limit = limit
        self._items: deque[AnyEvent | Nudge] = deque(blocks.after(topic))
        self._waiter: asyncio.Future[None] | None = None
        self._lost: BlockExtent | None = None
        self._ended = False
        self._until = 0.0
        self._timer: asyncio.TimerHandle | None = None

    def put(self, event: AnyEvent) -> None:
        if self._lost is not None or len(self._items) >= self._limit:
            self._put_late(event)
            return
        self._items.append(event)
        if self._waiter is not None:
            self._wake()

    def nudge(self, number: int) -> None:
        """Nudges that nobody has read yet are one; 0, that nobody knows how far, outdoes any number."""
        items = self._items
        if items and isinstance(last := items[-1], Nudge):
            items[-1] = Nudge(self.topic, number and last.number and max(number, last.number))
        else:
            items.append(Nudge(self.topic, number))
        if self._waiter is not None:
            self._wake()

    def _put_late(self, event: AnyEvent) -> None:
        """Where the reader is behind, or was."""
        items, kind = self._items, type(event)
        if kind not in TRANSIENT:
            if len(items) >= self._limit:
                self.nudge(event.seq)
                return
            items.append(event)
        elif len(items) > self._limit // 2:
            # Only half empty counts as caught up: what is made good must not be more pieces than were lost.
            if self._lost is None:
                self._lost = self._blocks.have_before(event)
            return
        elif kind in PIECES:
            items.extend(self._blocks.after(self.topic, self._lost or NOTHING) or (event,))
            self._lost = None
        else:
            items.append(event)
        if self._waiter is not None:
            self._wake()

    def _wake(self) -> None:
        waiter, self._waiter = self._waiter, None
        if waiter is not None and not waiter.done():
            waiter.set_result(None)

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> AnyEvent | Nudge:
        while not self._items:
            if self._ended:
                raise StopAsyncIteration
            await self._come()
        found = self._items.popleft()
        if not self._items:
            self._make_good()
        return found

    def _make_good(self) -> None:
        """Puts in what was lost of the open block, once all before it was read: nothing else may come for long."""
        if self._lost is not None:
            lost, self._lost = self._lost, None
            self._items.extend(self._blocks.after(self.topic, lost))

    async def wait(self, seconds: float) -> bool:
        """Until something is `ready`, at most so long; whether anything can still come."""
        if not self._items and not self._ended:
            loop = asyncio.get_running_loop()
            self._until = loop.time() + seconds
            # One timer for many waits: most end long before their time, and the next one moves it on.
            if self._timer is None or self._timer.when() > self._until:
                self._set_timer(loop)
            await self._come()
        return bool(self._items) or not self._ended

    async def _come(self) -> None:
        if self._waiter is not None and not self._waiter.done():
            raise UsageError(f"The subscription to {self.topic!r} already has a reader: subscribe once per reader.")
        self._waiter = asyncio.get_running_loop().create_future()
        await self._waiter

    def _set_timer(self, loop: asyncio.AbstractEventLoop) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer = loop.call_at(self._until, self._time_over, loop)

    def _time_over(self, loop: asyncio.AbstractEventLoop) -> None:
        self._timer = None
        if self._waiter is None:
            return
        if loop.time() < self._until:
            self._set_timer(loop)
        else:
            self._wake()

    def ready(self) -> list[AnyEvent | Nudge]:
        """Everything that can be had without waiting."""
        items = list(self._items)
        self._items.clear()
        self._make_good()
        return items

    def end(self) -> None:
        """Nothing more comes; what is there may still be read."""
        self._ended = True
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        self._wake()

    def close(self) -> None:
        if not self._ended:
            self._leave(self)
        self._items.clear()
        self.end()
