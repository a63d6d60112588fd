"""Turn feed: follows a turn from anywhere, first what the log has, then what happens, without a gap and without a
repeat.
"""

import asyncio
from collections.abc import AsyncGenerator, Callable, Sequence

from glassloop.core import events as e
from glassloop.core.errors import StoreAway
from glassloop.core.ports import Clock, EventBus, Nudge, Subscription
from glassloop.core.scheduling import Scheduler
from glassloop.store.store import Store

POLL_S = 5.0
"""A watcher looks into the store this often in any case: a wake-up may be lost."""

QUIET_POLL_DIVISOR = 8
"""Where nothing wakes a watcher, it polls at this fraction of the time for which nothing has happened."""

BEHIND, MAX_GATHER_S = 3, 0.2
"""Under load, transients are batched for `BEHIND` times their delay, at most `MAX_GATHER_S`."""

_DELAYED = "The log is delayed: the following events are not stored yet."


class TurnFeed:
    """One look at one turn, as batches of what came together. `after` is the last event that is known already."""

    def __init__(
        self,
        turn_id: str,
        after: int,
        *,
        through_pauses: bool,
        gather_s: float,
        store: Store,
        bus: EventBus,
        unsaved_events: Callable[[str], Sequence[e.Durable]],
        is_here: Callable[[str], bool],
    ) -> None:
        self._turn_id = turn_id
        self._seen = after
        self._through_pauses = through_pauses
        self._gather_s = gather_s
        self._store = store
        self._bus = bus
        self._kept = unsaved_events
        self._is_here = is_here
        self._over = False
        self._more = True
        self._left: list[e.AnyEvent | Nudge] = []
        self._place: int | None = None

    async def batches(self, scheduler: Scheduler, clock: Clock) -> AsyncGenerator[Sequence[e.AnyEvent], None]:
        """To the turn's end, or to a pause; an empty batch says that nothing happened for a while."""
        subscription = self._bus.subscribe(self._turn_id)
        try:
            stored: Sequence[e.AnyEvent] = ()
            while self._more:
                if page := await self._begin():
                    stored = page
                    yield page
            if self._over:
                return
            if await self._has_ended(stored):
                # Between the two looks it may have.
                self._more = True
                while self._more:
                    if rest := await self._read():
                        yield rest
                return
            now = asyncio.get_running_loop().time
            flushed, told, changed = 0.0, now(), now()
            while not self._over:
                if not (self._more or self._left or await subscription.wait(self._look_in(now() - changed))):
                    return
                items = [] if self._more else self._left or list(subscription.ready())
                if heard := bool(items):
                    flushed = await self._gather(items, subscription, flushed, clock)
                batch = await (self._sort(items) if heard else self._read())
                if batch:
                    changed = now()
                elif not heard and (place := scheduler.position(self._turn_id)) not in (None, self._place):
                    self._place = place
                    batch = [e.QueueProgressed(turn_id=self._turn_id, seq=self._seen, at=clock(), position=place)]
                if batch:
                    yield batch
                    told = now()
                elif now() - told >= POLL_S:
                    gone = await self._is_gone()
                    yield await self._read() if gone else ()
                    if gone and not self._more:
                        return
                    told = now()
        finally:
            subscription.close()

    def _look_in(self, quiet_s: float) -> float:
        """Seconds until the next look. What runs here tells us itself; what runs elsewhere, and stands still, is looked
        for the less often the longer it does."""
        poll_s = self._bus.poll_s
        if poll_s is None or self._is_here(self._turn_id):
            return POLL_S
        return min(max(poll_s, quiet_s / QUIET_POLL_DIVISOR), POLL_S)

    async def _gather(
        self, items: "list[e.AnyEvent | Nudge]", subscription: Subscription, flushed: float, clock: Clock
    ) -> float:
        """Lets transients that follow others closely wait for more of them: longer where everything is late anyway,
        as few writes are what helps then."""
        now = asyncio.get_running_loop().time()
        first = items[0]
        if self._gather_s and not isinstance(first, Nudge) and all(type(item) in e.TRANSIENT for item in items):
            # Nothing is known of other machines' clocks, and an open block tells when it began.
            late = clock() - first.at if flushed and self._is_here(self._turn_id) else 0.0
            left = max(flushed + self._gather_s - now, min(BEHIND * late, MAX_GATHER_S) - self._gather_s)
            if left > 0:
                await asyncio.sleep(left)
                items += subscription.ready()
                now += left
        return now

    async def _sort(self, items: "Sequence[e.AnyEvent | Nudge]") -> "list[e.AnyEvent]":
        """What of this is new, in order; what was missed comes from the store."""
        batch: list[e.AnyEvent] = []
        self._left = []
        for number, item in enumerate(items):
            if isinstance(item, Nudge):
                if not item.number or item.number > self._seen:
                    batch += await self._read()
            elif type(item) in e.TRANSIENT:
                if item.seq >= self._seen:
                    batch.append(item)
            elif item.seq == self._seen + 1:
                self._take((item,))
                batch.append(item)
            elif item.seq > self._seen:
                batch += await self._read()
            if self._over:
                break
            if self._more:
                self._left = list(items[number:])
                break
        return batch

    async def _begin(self) -> Sequence[e.AnyEvent]:
        """A page of what there is so far. A database that is away matters where nothing of the turn is kept here."""
        try:
            found = await self._page()
        except StoreAway:
            if not self._kept(self._turn_id):
                raise
            found = ()
        if found:
            self._take(found)
        return found if found or self._more else self._read_here()

    async def _read(self) -> Sequence[e.AnyEvent]:
        """A page of what was not seen yet."""
        try:
            found = await self._page()
        except StoreAway:
            # What runs here still tells us directly; the rest is read when the database is back.
            found = ()
        for count, event in enumerate(found, 1):
            self._take((event,))
            if self._over:
                self._more = False
                return found[:count]
        return found if found or self._more else self._read_here()

    async def _page(self) -> Sequence[e.Durable]:
        self._more = False
        page = await self._store.turns.page(self._turn_id, self._seen, skip_unknown=True)
        self._more = page.more
        if page.more and not page.events:
            self._seen = page.last
        return page.events

    def _read_here(self) -> Sequence[e.AnyEvent]:
        """What is unsaved_events in this process until it can be stored, and a word about that."""
        found = [event for event in self._kept(self._turn_id) if event.seq > self._seen]
        if not found:
            return ()
        told = e.LogDelayed(turn_id=self._turn_id, seq=self._seen, at=found[0].at, reason=_DELAYED)
        self._take(found)
        return (told, *found)

    def _take(self, events: Sequence[e.AnyEvent]) -> None:
        last = events[-1]
        self._seen = last.seq
        self._over = isinstance(last, e.TurnFinished) or (isinstance(last, e.TurnWaiting) and not self._through_pauses)

    async def _has_ended(self, stored: Sequence[e.AnyEvent]) -> bool:
        """Where the events read do not tell: all were known, or a decision was the last."""
        if (stored and not isinstance(stored[-1], e.ApprovalDecided | e.QuestionAnswered)) or self._kept(self._turn_id):
            return False
        row = await self._store.turns.get(self._turn_id)
        return row is None or row.status not in (("running", "paused") if self._through_pauses else ("running",))

    async def _is_gone(self) -> bool:
        """Whether nothing can come any more: the turn was deleted, or is known to its end already."""
        try:
            return await self._has_ended(())
        except StoreAway:
            return False
