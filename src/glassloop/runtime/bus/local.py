"""The bus of one process: events go to those who watch their turn as they are, without a copy and without a task."""

import asyncio

from glassloop.core import events as e
from glassloop.core.ports import Hear, Subscription
from glassloop.runtime.bus.open_blocks import PIECES, OpenBlocks
from glassloop.runtime.bus.subscription import SubscriptionQueue


class LocalBus:
    """An `EventBus` whose watchers are all here. `poll_s` says how often they look for what other processes stored."""

    def __init__(self, poll_s: float | None = None) -> None:
        self.poll_s = poll_s
        self._queues: dict[str, dict[SubscriptionQueue, None]] = {}
        self._hears: list[Hear] = []
        self._blocks = OpenBlocks()
        self._closed = False

    def publish(self, event: e.AnyEvent) -> None:
        kind = type(event)
        if kind in PIECES:
            self._blocks.keep(event)  # pyright: ignore[reportArgumentType]
        elif kind not in e.TRANSIENT:
            self._blocks.close(event.turn_id, event.seq)
        elif isinstance(event, e.ModelRetried):
            self._blocks.void(event.turn_id, event.block)
        for queue in self._queues.get(event.turn_id, ()):
            queue.put(event)

    def nudge(self, topic: str, number: int = 0) -> None:
        for queue in self._queues.get(topic, ()):
            queue.nudge(number)

    def signal(self, what: str, topic: str) -> None:
        loop = asyncio.get_running_loop()
        for hear in self._hears:
            loop.call_soon(hear, what, topic)

    def listen(self, hear: Hear) -> None:
        self._hears.append(hear)

    def subscribe(self, topic: str) -> Subscription:
        queue = SubscriptionQueue(topic, self._blocks, self._unsubscribe)
        if self._closed:
            queue.end()
        else:
            self._queues.setdefault(topic, {})[queue] = None
        return queue

    async def aclose(self) -> None:
        """Those who watch read what they have, and then their iteration ends."""
        self._closed = True
        for queues in self._queues.values():
            for queue in queues:
                queue.end()
        self._queues.clear()

    def _unsubscribe(self, queue: SubscriptionQueue) -> None:
        queues = self._queues.get(queue.topic, {})
        queues.pop(queue, None)
        if not queues:
            self._queues.pop(queue.topic, None)
