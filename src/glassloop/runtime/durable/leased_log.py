"""Leased log: the log of one turn while this worker owns it. Every append carries its epoch and survives an outage.

Three tries half a second apart; then a turn that only reads goes on in memory, says so, and is stored when the database
is back. The intent of an effect is never kept in memory: it waits a while, then the effect is refused.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence

from glassloop.core.errors import GlassloopError, StoreAway, StoreError, TurnLost
from glassloop.core.events import Durable
from glassloop.store.store import Store

_log = logging.getLogger(__name__)

TRIES = 3
PAUSE_S = 0.5
EFFECT_WAIT_S = 10.0
RETRY_S = 1.0
MAX_EVENTS = 5_000
"""Events kept in memory while the database is away; a turn with more fails."""


Begin = Callable[[Sequence[Durable]], Awaitable[object]]


class LeasedLog:
    """Fills `EventStore` for a turn. `delayed` is called once for each time the database goes away, `hold` before the
    intent of an effect is stored: it raises `TurnLost` where the turn is not ours any more.

    `begin` stores the first events of the turn where that failed when it started; None once they are stored.
    """

    def __init__(
        self,
        store: Store,
        turn_id: str,
        epoch: int,
        *,
        delayed: Callable[[str], None],
        hold: Callable[[], Awaitable[None]],
        begin: Begin | None = None,
    ) -> None:
        self._store = store
        self._turn_id = turn_id
        self._epoch = epoch
        self._delayed = delayed
        self._hold = hold
        self._begin = begin
        self._kept: list[Durable] = []
        self._unsure = begin is not None
        self._lost: TurnLost | None = None
        self._flushing: asyncio.Task[None] | None = None

    @property
    def is_behind(self) -> bool:
        """Whether events are kept in memory only."""
        return bool(self._kept)

    @property
    def is_begun(self) -> bool:
        """Whether the store knows of the turn at all."""
        return self._begin is None

    def append_now(self, turn_id: str, events: Sequence[Durable]) -> bool:
        if self._kept or self._unsure or self._lost is not None:
            return False
        return self._store.turns.append_now(turn_id, events, epoch=self._epoch)

    async def append(self, turn_id: str, events: Sequence[Durable], *, sync: bool = False) -> None:  # noqa: ARG002
        if self._lost is not None:
            raise self._lost
        if self._kept and sync and not await self._caught_up():
            raise StoreAway("The database is unavailable: effects wait for it.")
        if self._kept:
            self._keep(events)
            return
        try:
            await self._persist(events, sync)
        except StoreAway as error:
            if sync:
                raise
            self.keep(events)
            self._delayed(str(error))

    def keep(self, events: Sequence[Durable]) -> None:
        """Events that are already known not to be stored: kept, and stored when that works."""
        self._keep(events)
        self._flushing = asyncio.create_task(self._flush())

    async def aclose(self, wait_s: float | None = None) -> None:
        """Waits until everything is stored; at most so long, then says what is lost."""
        flushing = self._flushing
        if flushing is None:
            return
        await asyncio.wait([flushing], timeout=wait_s)
        if not flushing.done():
            flushing.cancel()
            await asyncio.wait([flushing])
        if self._kept:
            _log.error(
                "the last %d events of turn %s are lost: the database stayed away", len(self._kept), self._turn_id
            )
            self._kept = []

    async def _persist(self, events: Sequence[Durable], sync: bool) -> None:
        """Tries, and tries again; an effect's intent for longer. Raises the last error."""
        loop = asyncio.get_running_loop()
        until = loop.time() + (EFFECT_WAIT_S if sync else 0.0)
        tries = 0
        while True:
            try:
                if sync:
                    await self._hold()
                await self._store_rest(events, sync)
            except TurnLost as error:
                self._lost = error
                raise
            except StoreAway as error:
                self._unsure = True
                tries += 1
                if tries > TRIES and loop.time() >= until:
                    raise
                _log.warning("turn %s is not stored, try %d: %s", self._turn_id, tries, error)
                await asyncio.sleep(PAUSE_S)
            else:
                self._unsure = False
                return

    async def _store_rest(self, events: Sequence[Durable], sync: bool, *, leave_messages: bool = False) -> None:
        """Stores those of the events that are not stored yet: a failed try may have stored some after all."""
        rest = events
        if self._unsure:
            stored = await self._store.turns.read(self._turn_id, events[0].seq - 1)
            ours = all((s.seq, s.at, type(s)) == (m.seq, m.at, type(m)) for s, m in zip(stored, events, strict=False))
            if len(stored) > len(events) or not ours:
                raise TurnLost(f"Turn {self._turn_id!r} has events from another worker, which is running it.")
            rest = events[len(stored) :]
        if rest and rest[0].seq == 1 and self._begin is not None:
            await self._begin(rest)
            self._begin = None
        elif rest:
            self._begin = None
            await self._store.turns.append(
                self._turn_id, tuple(rest), sync=sync, epoch=self._epoch, leave_messages=leave_messages
            )

    def _keep(self, events: Sequence[Durable]) -> None:
        if len(self._kept) + len(events) > MAX_EVENTS:
            raise StoreError(
                f"The database is still unavailable and turn {self._turn_id!r} is too long to continue in memory."
            )
        self._kept += events

    async def _caught_up(self) -> bool:
        if self._flushing is not None:
            await asyncio.wait([self._flushing], timeout=EFFECT_WAIT_S)
        if self._lost is not None:
            raise self._lost
        return not self._kept

    async def _flush(self) -> None:
        """Stores what is kept as soon as that works."""
        while self._kept:
            await asyncio.sleep(RETRY_S)
            batch = tuple(self._kept)
            try:
                # What was shown already cannot be taken back for a message that came too late.
                await self._store_rest(batch, sync=False, leave_messages=True)
            except TurnLost as error:
                _log.warning("turn %s went on elsewhere while the database was away: %s", self._turn_id, error)
                self._lost = error
                self._kept = []
                return
            except StoreAway:
                continue
            except GlassloopError as error:
                _log.error("%d events of turn %s cannot be stored: %s", len(batch), self._turn_id, error)
                self._lost = TurnLost(str(error))
                self._kept = []
                return
            del self._kept[: len(batch)]
        self._unsure = False
