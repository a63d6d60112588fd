"""Turns of all sessions: their events, their rows, and their leases."""

import asyncio
import time
from collections import OrderedDict
from collections.abc import AsyncGenerator, Mapping, Sequence

import msgspec

from glassloop.core import events as e
from glassloop.core.cpu_work import LARGE_CHARS, run_cpu_bound
from glassloop.core.errors import UsageError
from glassloop.core.records import Json
from glassloop.store.engine.database import SqlConnection, Work
from glassloop.store.engine.encryption import Cipher
from glassloop.store.engine.engine import StoreEngine
from glassloop.store.log import leases, turn_log
from glassloop.store.log.blobs import add_blobs
from glassloop.store.log.event_codec import EventBatch, to_batch, to_small_batch
from glassloop.store.log.leases import IntakeLimits, TurnSignal
from glassloop.store.log.redaction import Redactor, secrets_between
from glassloop.store.records import TurnRow, TurnStatus

MAX_REDACTED = 1_000
"""Redacted events, and redactors of turns, that are kept in memory."""


class Turns:
    """The event log, one turn at a time. Fills the port `EventStore`."""

    def __init__(
        self, engine: StoreEngine, redactor: Redactor, cipher: Cipher, trace: turn_log.TraceOf | None = None
    ) -> None:
        self._engine = engine
        self._trace = trace
        self._redactor = redactor
        self._cipher = cipher
        self._redacted: OrderedDict[tuple[str, int], e.Durable] = OrderedDict()
        self._redactors: OrderedDict[str, Redactor] = OrderedDict()

    def append_now(self, turn_id: str, events: Sequence[e.Durable], epoch: int | None = None) -> bool:
        """Stores the events if that can be done without waiting; False leaves nothing behind: `append` them then.

        Raises what `append` refuses with. What waits in the writer comes first, so the order is that of the calls.
        """
        if not events:
            return True
        inline = self._engine.inline
        if inline is None or not inline.takes(len(events)):
            return False
        began = time.perf_counter()
        batch = self._small_batch(turn_id, events)
        if batch is None or batch.originals:
            return False
        only = batch.rows[0] if len(batch.rows) == 1 and not batch.projected else None
        work: Work[None] = lambda db: turn_log.append(  # noqa: E731
            db, batch, epoch, certain=batch.rows[0].kind == "turn_started"
        )
        stored = inline.attempt(work, size=batch.size, only=only, epoch=epoch)
        if stored:
            self._forget_finished(batch)
            self._engine.tell("append", began)
        return stored

    async def append(
        self,
        turn_id: str,
        events: Sequence[e.Durable],
        *,
        sync: bool = False,
        epoch: int | None = None,
        again: bool = False,
        leave_messages: bool = False,
    ) -> None:
        """Returns when the events are stored, in one commit; raises `Superseded` when the turn has another owner, and
        `MessagesWaiting` where it would end before it has taken in a message, unless that is to be left.

        `again`: this batch was tried before and its fate is not known; where it is stored already, that is success.
        """
        if events:
            began = time.perf_counter()
            batch = await self._redacted_batch(turn_id, events)

            def work(db: SqlConnection) -> None:
                encrypted = self._encrypted(batch)
                turn_log.append(db, encrypted, epoch, again=again, leave_messages=leave_messages)
                turn_log.trace_message(db, batch, self._trace)

            await self._engine.write(work, sync=sync)
            self._forget_finished(batch)
            self._engine.tell("append", began)

    async def read(self, turn_id: str, after: int = 0, *, skip_unknown: bool = False) -> Sequence[e.Durable]:
        """The events after that one. An unknown kind is refused, as running on without it would be guessing;
        `skip_unknown` is for those who only look."""
        return await self._engine.read(lambda db: turn_log.read_events(db, turn_id, after, skip_unknown=skip_unknown))

    async def pages(
        self, turn_id: str, after: int = 0, *, skip_unknown: bool = False
    ) -> AsyncGenerator[Sequence[e.Durable], None]:
        """The same in pieces: never all of a long turn at once."""
        more = True
        while more:
            events, after, more = await self.page(turn_id, after, skip_unknown=skip_unknown)
            if events:
                yield events

    async def page(self, turn_id: str, after: int = 0, *, skip_unknown: bool = False) -> turn_log.EventPage:
        """The first of these pieces."""
        return await self._engine.read(lambda db: turn_log.read_page(db, turn_id, after, skip_unknown=skip_unknown))

    async def read_sound(self, turn_id: str) -> Sequence[e.Durable]:
        """As far as they can be read: those before the first that is damaged."""
        return await self._engine.read(lambda db: turn_log.readable_events(db, turn_id))

    async def last_seq(self, turn_id: str) -> int:
        """The number of the turn's last event, readable or not."""
        return await self._engine.read(lambda db: turn_log.last_seq(db, turn_id))

    async def first(self, turn_id: str) -> e.TurnStarted | None:
        """How the turn began, without reading the rest."""
        return await self._engine.read(lambda db: turn_log.first_event(db, turn_id))

    async def first_of_many(self, turn_ids: Sequence[str]) -> Sequence[e.TurnStarted | None]:
        """How each of these turns began, in one read."""
        return await self._engine.read(lambda db: [turn_log.first_event(db, turn_id) for turn_id in turn_ids])

    async def read_unredacted(self, turn_id: str) -> Sequence[e.Durable]:
        """All events, with the real values of what is redacted in the log: for whoever runs the turn on, never to be
        shown. Raises `WrongKey` where they were encrypted with another key. A finished turn has none any more."""
        events, stored = await self._engine.read(lambda db: turn_log.read_unredacted(db, turn_id, self._cipher))
        changed = [(real, kept) for real, kept in zip(events, stored, strict=True) if real is not kept]
        if changed:
            self._learn(turn_id, *zip(*changed, strict=True))
        return events

    def redacted(self, value: Json) -> Json:
        """A JSON value as it would be stored."""
        return self._redactor.value(value)

    def redactor_of(self, turn_id: str) -> Redactor | None:
        """What takes the secrets out that this turn is known to hold; None where it is not known to hold any."""
        return self._redactors.get(turn_id)

    def as_stored(self, event: e.Durable) -> e.Durable:
        """The event as the log has it: without what was taken out when it was appended a moment ago."""
        return self._redacted.get((event.turn_id, event.seq), event) if self._redacted else event

    async def _redacted_batch(self, turn_id: str, events: Sequence[e.Durable]) -> EventBatch:
        """A large piece is looked through elsewhere."""
        small = self._small_batch(turn_id, events)
        if small is not None:
            return small
        redactor = self._redactors.get(turn_id, self._redactor)
        batch = await run_cpu_bound("redaction", LARGE_CHARS, to_batch, turn_id, events, redactor)
        if batch.originals:
            learned = await asyncio.to_thread(self._learn_from, events, batch)
            if learned is not redactor:
                batch = await run_cpu_bound("redaction", LARGE_CHARS, to_batch, turn_id, events, learned)
        return self._noted(batch)

    def _small_batch(self, turn_id: str, events: Sequence[e.Durable]) -> EventBatch | None:
        redactor = self._redactors.get(turn_id, self._redactor)
        batch = to_small_batch(turn_id, events, redactor)
        if batch is None:
            return None
        if batch.originals and (learned := self._learn_from(events, batch)) is not redactor:
            batch = to_batch(turn_id, events, learned)
        return self._noted(batch)

    def _noted(self, batch: EventBatch) -> EventBatch:
        for stored in batch.redacted:
            self._redacted[batch.turn_id, stored.seq] = stored
            if len(self._redacted) > MAX_REDACTED:
                self._redacted.popitem(last=False)
        return batch

    def _learn_from(self, events: Sequence[e.Durable], batch: EventBatch) -> Redactor:
        """What takes out of the batch also what it taught us to be secret."""
        lines = dict(batch.originals)
        return self._learn(batch.turn_id, [event for event in events if event.seq in lines], batch.redacted)

    def _learn(self, turn_id: str, originals: Sequence[e.Durable], cleaned: Sequence[e.Durable]) -> Redactor:
        """What was taken out of these events is from now on taken out of the turn's others, under whatever name."""
        known = self._redactors.get(turn_id, self._redactor)
        found = secrets_between(msgspec.to_builtins(originals), msgspec.to_builtins(cleaned))
        redactor = known.knowing(found)
        if redactor is not known:
            self._redactors[turn_id] = redactor
            if len(self._redactors) > MAX_REDACTED:
                self._redactors.popitem(last=False)
        return redactor

    def _forget_finished(self, batch: EventBatch) -> None:
        """Only once the end is stored: until then the batch may be made again, and must lose the same secrets."""
        if batch.projected and isinstance(batch.projected[-1], e.TurnFinished):
            self._redactors.pop(batch.turn_id, None)

    def _encrypted(self, batch: EventBatch) -> EventBatch:
        """The batch with what redaction took out of it. Called in the writer's thread: the key may be in a file."""
        if not batch.originals:
            return batch
        turn_id, encrypt = batch.turn_id, self._cipher.encrypt
        kept = [(seq, encrypt(line, turn_log.place(turn_id, seq))) for seq, line in batch.originals]
        return batch._replace(encrypted=kept)

    async def ids(self, session_id: str) -> Sequence[str]:
        """The session's turns, oldest first."""
        return await self._engine.read(lambda db: turn_log.turn_ids(db, session_id))

    async def get(self, turn_id: str) -> TurnRow | None:
        return await self._engine.read(lambda db: turn_log.get_turn(db, turn_id))

    async def of_session(
        self, session_id: str, after: str | None = None, since: float = 0.0, *, path_only: bool = False
    ) -> Sequence[TurnRow]:
        """The session's turns as rows, oldest first: those after that turn, where there is one, that started after
        `since`. `path_only`: those that lead to the newest, without versions that were replaced."""
        return await self._engine.read(lambda db: turn_log.turns_of(db, session_id, after, since, path_only=path_only))

    async def session_pages(
        self, session_id: str, size: int = 16, *, path_only: bool = False
    ) -> AsyncGenerator[Sequence[TurnRow], None]:
        """All of the session's turns, oldest first, in pieces; or those that lead to the newest."""
        after: str | None = None
        while page := await self._engine.read(
            lambda db, after=after: turn_log.turns_of(db, session_id, after, 0.0, size, path_only=path_only)
        ):
            yield page
            after = page[-1].id

    async def list(
        self, limit: int = 50, user_id: str | None = None, status: TurnStatus | None = None
    ) -> Sequence[TurnRow]:
        """Of all sessions, newest first."""
        return await self._engine.read(lambda db: turn_log.listed(db, limit, user_id, status))

    async def begin(
        self,
        events: Sequence[e.Durable],
        *,
        worker: str = "",
        lease_s: float = 0.0,
        supersedes: bool = False,
        sync: bool = False,
        session_rate: int | None = None,
        user_turns: int | None = None,
        again: bool = False,
        blobs: Mapping[str, bytes] | None = None,
        claim: Work[None] | None = None,
    ) -> Sequence[str]:
        """Stores a turn's first events with the bytes of their attachments, by digest; raises `SessionBusy` while
        another turn of its session runs or waits.

        Its owner appends with epoch 0 until someone claims it. With `supersedes` older turns stay as they are, and
        their ids are returned: cancelling them is the caller's. Raises `TooManyTurns` where `session_rate` turns of
        the session started within a minute, or `user_turns` of the user run. `again` is as in `append`. `claim` is
        done first, in the same transaction: where it raises, no turn begins.
        """
        if not events:
            raise UsageError("A turn begins with 'turn_started': give at least that event.")
        batch = await self._redacted_batch(events[0].turn_id, events)
        limits = IntakeLimits(session_rate, user_turns)
        until = self._engine.clock() + lease_s if lease_s else 0.0
        now = self._engine.clock()

        def work(db: SqlConnection) -> Sequence[str]:
            if claim is not None:
                claim(db)
            superseded = leases.begin(
                db,
                self._encrypted(batch),
                worker=worker,
                lease_until=until,
                supersedes=supersedes,
                limits=limits,
                again=again,
            )
            if blobs:
                add_blobs(db, leases.session_of(batch), blobs, now)
            return superseded

        return await self._engine.write(work, sync=sync, locks=leases.locks_to_begin(batch, limits))

    async def claim(self, turn_id: str, worker: str, lease_s: float, *, epoch: int | None = None) -> int:
        """Takes a turn over and returns its new epoch; raises `TurnHeld` while another worker's lease runs, and where
        `epoch` is given and no longer the turn's."""
        now = self._engine.clock()
        return await self._engine.write(
            lambda db: leases.claim(db, turn_id, worker, now=now, lease_s=lease_s, epoch=epoch),
            sync=True,
            locks=leases.lock_to_claim(turn_id),
        )

    async def renew(self, turn_id: str, epoch: int, lease_s: float) -> None:
        """Holds the turn for that long from now; raises `Superseded` when it is no longer this epoch's."""
        until = self._engine.clock() + lease_s
        await self._engine.write(lambda db: leases.set_lease(db, turn_id, epoch, until))

    async def renew_many(self, worker: str, held: Mapping[str, int], lease_s: float) -> Sequence[str]:
        """Holds these turns, by id with their epochs, for that long from now; the ids of those that are finished or
        another's. A turn that waits for people is neither, and gets no lease."""
        until, mine = self._engine.clock() + lease_s, dict(held)
        return await self._engine.write(lambda db: leases.renew(db, worker, mine, until)) if mine else ()

    async def release(self, turn_id: str, epoch: int) -> None:
        """Gives the turn up: the next claim succeeds at once."""
        await self._engine.write(lambda db: leases.set_lease(db, turn_id, epoch, 0.0))

    async def refuse(self, turn_id: str, epoch: int) -> None:
        """Gives the turn up as one that cannot be run here; such claims are counted until the turn gets further."""
        await self._engine.write(lambda db: leases.refuse(db, turn_id, epoch))

    async def mark(self, turn_id: str, epoch: int, cpu_work: str | None) -> None:
        """Notes that CPU-bound work begins, by its name, or has ended: where the process ends in between, the next
        claim counts it in `deaths`."""
        await self._engine.write(lambda db: leases.mark(db, turn_id, epoch, cpu_work))

    async def request_cancel(self, turn_id: str) -> None:
        """Notes that the turn is no longer wanted: its worker finds it in `signalled`. What is over stays so."""
        await self._engine.write(lambda db: leases.request_cancel(db, turn_id))

    async def signalled(self, worker: str) -> Sequence[TurnSignal]:
        """What that worker runs and should stop, or take in messages of."""
        return await self._engine.read(lambda db: leases.signalled(db, worker))

    async def unfinished(self, before: float | None = None, limit: int = 1000) -> Sequence[TurnRow]:
        """Turns whose lease ended before then (default: now), and that run or are no longer wanted; the longest
        abandoned first."""
        moment = self._engine.clock() if before is None else before
        return await self._engine.read(lambda db: leases.unfinished(db, moment, limit))
