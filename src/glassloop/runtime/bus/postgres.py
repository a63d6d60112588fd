"""The bus of several processes on one PostgreSQL, over LISTEN/NOTIFY.

Durable events travel as nudges, gathered; transients only where somebody elsewhere says that they watch the turn, and
they may be lost: what leaves a gap is held back until the missing part was asked for and came. Who watches says so at
once and then every ten seconds, with what they have of the open block; who writes that block sends what they lack.
Nothing here waits for the database or fails with it. After a time without it, every watcher is told to look.
"""

import asyncio
import uuid
from contextlib import aclosing
from typing import Self

import psycopg

from glassloop.core import events as e
from glassloop.core.ports import Subscription
from glassloop.runtime.bus import pg_connection as line
from glassloop.runtime.bus.local import LocalBus
from glassloop.runtime.bus.notify_payloads import (
    Entry,
    GapNotice,
    SignalNotice,
    StoredNotice,
    WatchNotice,
    WrittenNotice,
    read_payload,
)
from glassloop.runtime.bus.open_blocks import BlockExtent, Piece
from glassloop.runtime.bus.outbox import MAX_TOPICS, Outbox
from glassloop.runtime.bus.subscription import SubscriptionQueue
from glassloop.store.engine.postgres import explain, without_password

GATHER_S = 0.04
WATCH_S = 10.0
WATCHES_MISSED = 3
ASK_S = 1.0
LAST_WORDS_S = 1.0
MAX_HEARD = 10_000


class PostgresBus(LocalBus):
    """An `EventBus` whose watchers may be in any process of the same schema. Made by `open`."""

    def __init__(
        self, url: str, channel: str, listening: line.Connection, notifying: line.Connection, watch_s: float
    ) -> None:
        super().__init__()
        self._name = uuid.uuid4().hex
        self._channel = channel
        self._watch_s = watch_s
        self._outbox = Outbox(self._name)
        self._loop = asyncio.get_running_loop()
        self._wake = asyncio.Event()
        self._gathering: asyncio.TimerHandle | None = None
        self._sent_at = 0.0
        self._connected = True
        self._deaf = False
        self._elsewhere: dict[str, float] = {}
        self._asked: dict[str, BlockExtent] = {}
        self._gaps: dict[str, bool] = {}
        self._heard: dict[str, None] = {}
        self._timer = self._loop.call_later(watch_s, self._keep_watching)
        self._listener = asyncio.create_task(line.stay_connected(url, listening, self._listen))
        self._notifier = asyncio.create_task(line.stay_connected(url, notifying, self._notify))

    @classmethod
    async def open(cls, url: str, *, watch_s: float = WATCH_S) -> Self:
        """Hears everything from here on. Raises `StoreError` where the database cannot be reached."""
        listening: line.Connection | None = None
        try:
            listening = await line.connect(url)
            channel = await line.channel_of(listening)
            await line.listen(listening, channel)
            return cls(url, channel, listening, await line.connect(url), watch_s)
        except BaseException as error:
            if listening is not None:
                await listening.close()
            if isinstance(error, psycopg.Error):
                raise explain(without_password(url), error) from error
            raise

    def publish(self, event: e.AnyEvent) -> None:
        super().publish(event)
        if type(event) not in e.TRANSIENT:
            self._tell_stored(event.turn_id, event.seq)
        elif event.turn_id in self._elsewhere and self._connected:
            self._outbox.transient(event)  # pyright: ignore[reportArgumentType]
            self._stir()

    def nudge(self, topic: str, number: int = 0) -> None:
        super().nudge(topic, number)
        self._tell_stored(topic, number)

    def signal(self, what: str, topic: str) -> None:
        super().signal(what, topic)
        self._outbox.signal(what, topic)
        self._wake.set()

    def subscribe(self, topic: str) -> Subscription:
        is_first = topic not in self._queues
        queue = super().subscribe(topic)
        if is_first and not self._closed:
            self._ask(topic)
        return queue

    async def aclose(self) -> None:
        """Says what is still to be said, if that takes no longer than a second."""
        if self._closed:
            return
        await super().aclose()
        self._timer.cancel()
        self._wake.set()
        if self._connected:
            await asyncio.wait([self._notifier], timeout=LAST_WORDS_S)
        tasks = (self._listener, self._notifier)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        if self._gathering is not None:
            self._gathering.cancel()

    def _unsubscribe(self, queue: SubscriptionQueue) -> None:
        super()._unsubscribe(queue)
        if queue.topic not in self._queues:
            self._blocks.forget_foreign(queue.topic)
            self._gaps.pop(queue.topic, None)

    # To others

    def _tell_stored(self, topic: str, number: int) -> None:
        if self._connected:
            self._outbox.nudge(topic, number)
            self._stir()

    def _stir(self) -> None:
        """At once where nothing was sent for a while, otherwise with what else comes until then."""
        if self._gathering is not None or self._wake.is_set():
            return
        wait = self._sent_at + GATHER_S - self._loop.time()
        if wait <= 0:
            self._wake.set()
        else:
            self._gathering = self._loop.call_later(wait, self._wake.set)

    async def _notify(self, connection: line.Connection) -> None:
        if not self._connected:
            self._connected = True
            self._speak_up()
        try:
            while True:
                await self._wake.wait()
                self._wake.clear()
                if self._gathering is not None:
                    self._gathering.cancel()
                    self._gathering = None
                self._answer()
                if payloads := self._outbox.take():
                    self._sent_at = self._loop.time()
                    await line.notify(connection, self._channel, payloads)
                    self._outbox.sent()
                if self._closed and not self._wake.is_set():
                    return
        except BaseException:
            self._connected = False
            self._outbox.miss()
            raise

    def _answer(self) -> None:
        """To those who lack something of a block that is written here."""
        for topic, have in self._asked.items():
            if lacking := self._blocks.after(topic, have):
                self._outbox.answer(topic, lacking, self._blocks.have(topic))
        self._asked.clear()

    def _ask(self, topic: str) -> None:
        """For what is missing here, at most once a second."""
        if topic in self._gaps:
            self._gaps[topic] = True
            return
        self._gaps[topic] = False
        self._loop.call_later(ASK_S, self._ask_again, topic)
        self._watch(topic)

    def _ask_again(self, topic: str) -> None:
        if self._gaps.pop(topic, False) and topic in self._queues:
            self._ask(topic)

    def _watch(self, topic: str) -> None:
        if self._connected:
            self._outbox.watch(topic, self._blocks.have(topic))
            self._stir()

    def _speak_up(self) -> None:
        """Says again what others may not have heard."""
        for topic in self._queues:
            self._watch(topic)
        self._outbox.repeat_signals()
        self._wake.set()

    def _keep_watching(self) -> None:
        now = self._loop.time()
        self._elsewhere = {topic: until for topic, until in self._elsewhere.items() if until > now}
        self._speak_up()
        self._timer = self._loop.call_later(self._watch_s, self._keep_watching)

    # From others

    async def _listen(self, connection: line.Connection) -> None:
        try:
            if self._deaf:
                await line.listen(connection, self._channel)
                self._look_all()
                self._speak_up()
            async with aclosing(connection.notifies()) as notifications:
                async for notification in notifications:
                    for entry in read_payload(notification.payload, self._name):
                        self._hear(entry)
        finally:
            self._deaf = True

    def _hear(self, entry: Entry) -> None:
        match entry:
            case StoredNotice():
                if entry.topic in self._queues:
                    self._blocks.close(entry.topic, entry.number)
                    super().nudge(entry.topic, entry.number)
            case SignalNotice():
                self._relay_signal(entry)
            case WatchNotice():
                self._note_watcher(entry.topic, entry.have)
            case WrittenNotice():
                if entry.topic in self._queues and self._blocks.lacks(entry.topic, entry.have):
                    self._ask(entry.topic)
            case GapNotice():
                self._look_all()
            case e.TextDelta() | e.ThoughtDelta() | e.ArgumentsDelta():
                self._relay_piece(entry)
            case _:
                if entry.turn_id in self._queues:
                    super().publish(entry)

    def _relay_signal(self, signal: SignalNotice) -> None:
        if signal.ident in self._heard:
            return
        self._heard[signal.ident] = None
        if len(self._heard) > MAX_HEARD:
            del self._heard[next(iter(self._heard))]
        super().signal(signal.what, signal.topic)

    def _relay_piece(self, piece: Piece) -> None:
        topic = piece.turn_id
        if topic not in self._queues:
            return
        part = self._blocks.novel(piece)
        if part == "gap":
            self._ask(topic)
        elif part is not None:
            if topic in self._gaps:
                self._gaps[topic] = False
            self._blocks.keep(part, foreign=True)
            for queue in self._queues[topic]:
                queue.put(part)

    def _note_watcher(self, topic: str, have: BlockExtent) -> None:
        self._elsewhere.pop(topic, None)
        self._elsewhere[topic] = self._loop.time() + WATCHES_MISSED * self._watch_s
        if len(self._elsewhere) > MAX_TOPICS:
            del self._elsewhere[next(iter(self._elsewhere))]
        if self._blocks.is_ours(topic):
            self._asked[topic] = BlockExtent(*map(min, have, self._asked.get(topic, have)))
            self._stir()

    def _look_all(self) -> None:
        """Something may have been missed: whoever watches looks into the store."""
        for topic in self._queues:
            self._blocks.forget_foreign(topic)
            super().nudge(topic)
