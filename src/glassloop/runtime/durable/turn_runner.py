"""Turn runner: claims turns, continues them from their log, publishes their events, holds their leases.

Callers of `run` need not know where a turn stands; turns that are done, run by others or unknown are left alone. When
the task is cancelled the turn stays as its log has it: only a person's cancel ends it.
"""

import asyncio
import logging
from collections import OrderedDict
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Any

import msgspec

from glassloop.core import events as e
from glassloop.core.cpu_work import current_mark
from glassloop.core.errors import (
    ErrorType,
    GlassloopError,
    StoreAway,
    StoreError,
    TurnLost,
    UsageError,
    error_type_of,
)
from glassloop.core.loop.turn import Turn
from glassloop.core.ports import Clock, EventBus
from glassloop.runtime.assistants.agents import Agents
from glassloop.runtime.assistants.turn_stream import TurnStream
from glassloop.runtime.attachments.blobs import BlobCache, SessionBlobs
from glassloop.runtime.durable.approvals import MAY_HOLD, grants_of, note_held
from glassloop.runtime.durable.dead_letters import StoredMark, must_set_aside, set_aside
from glassloop.runtime.durable.leased_log import Begin, LeasedLog
from glassloop.runtime.durable.observers import ObserverGroup
from glassloop.runtime.durable.turn_end import end_turn, gave_up
from glassloop.runtime.durable.turn_lease import ClaimedTurn, TurnLease, now
from glassloop.runtime.durable.worker_identity import WorkerIdentity
from glassloop.runtime.governance.access_control import AccessControl
from glassloop.store.engine.database import Work
from glassloop.store.errors import DamagedEvent
from glassloop.store.log.leases import IntakeLimits
from glassloop.store.records import TurnRow
from glassloop.store.store import Store

_log = logging.getLogger(__name__)

TRIES, PAUSE_S = 3, 0.5
MAX_DEPS = 10_000
"""Objects that this process gave its turns, held until each is over."""
MAX_CLAIMS = 3
"""Claims by workers that cannot run the turn, before it fails."""


class RunningTurn(msgspec.Struct, frozen=True):
    """A turn that runs here."""

    stream: TurnStream
    turn: Turn
    epoch: int
    lease: TurnLease
    log: LeasedLog
    task: "asyncio.Task[object] | None"


class TurnRunner:
    """The turns of this process."""

    def __init__(
        self,
        store: Store,
        bus: EventBus,
        agents: Agents,
        identity: WorkerIdentity,
        clock: Clock,
        observers: ObserverGroup,
        access: AccessControl,
        *,
        limits: IntakeLimits,
        runs_own: bool = True,
        retries_elsewhere: bool = True,
    ) -> None:
        self._store = store
        self._bus = bus
        self._agents = agents
        self._identity = identity
        self._clock = clock
        self._limits = limits
        self._runs_own = runs_own
        self._retries_elsewhere = retries_elsewhere
        self._observers, self._access = observers, access
        self._blobs = BlobCache()
        self._claimed: dict[str, ClaimedTurn] = {}
        self._opening: dict[str, ClaimedTurn] = {}
        self._starting: dict[str, asyncio.Event] = {}
        self._logs: set[LeasedLog] = set()
        self.running: dict[str, RunningTurn] = {}
        self._deps: OrderedDict[str, Any] = OrderedDict()

    def keep_deps(self, turn_id: str, deps: object) -> None:
        """Holds what this process gives a turn, until it is over; where too many wait, the oldest are let go."""
        if not self._runs_own:
            raise UsageError("Any worker may run this turn: give the agent a deps_factory, which makes deps in each.")
        self._deps[turn_id] = deps
        if len(self._deps) > MAX_DEPS:
            self._deps.popitem(last=False)

    async def begin(
        self,
        events: Sequence[e.Durable],
        *,
        supersedes: bool = False,
        blobs: Mapping[str, bytes] | None = None,
        claim: Work[None] | None = None,
    ) -> Sequence[str]:
        """Stores the first events of a turn and publishes them; which turns it supersedes. Nothing runs yet.

        A turn that will run here is claimed with it. Where the database stays away, it begins in memory; not one that
        has something to `claim` in the same transaction.
        """
        own = self._identity if self._runs_own else None
        begin = partial(
            self._store.turns.begin,
            worker=own.name if own else "",
            lease_s=own.lease_s if own else 0.0,
            supersedes=supersedes,
            session_rate=self._limits.session_rate,
            user_turns=self._limits.user_turns,
            blobs=blobs,
            claim=claim,
        )
        superseded: Sequence[str] = ()
        store_first: Begin | None = partial(begin, again=True)
        asked_at = now()
        for attempt in range(TRIES + 1):
            try:
                superseded, store_first = await begin(events, again=attempt > 0), None
                break
            except StoreAway as error:
                _log.warning("a turn is not stored, try %d: %s", attempt + 1, error)
                if claim is not None or (attempt == TRIES and own is None):
                    raise
            if attempt < TRIES:
                await asyncio.sleep(PAUSE_S)
                asked_at = now()
        if own is not None:
            unsaved = {} if store_first is None else blobs or {}
            self._claimed[events[0].turn_id] = ClaimedTurn(events, asked_at, store_first=store_first, blobs=unsaved)
        for event in events:
            self._bus.publish(self._store.turns.as_stored(event))
        return superseded

    async def run(self, turn_id: str, *, cancel: bool = False) -> bool:
        """Runs a turn on to its end or its next pause; whether it was ours to run. `cancel`: ends it."""
        # Started by one at a time: a second claim of this worker's would succeed, and leave the first run behind.
        while (other := self._starting.get(turn_id)) is not None:
            await other.wait()
        if turn_id in self.running:
            return False
        running: RunningTurn | None = None
        started = self._starting[turn_id] = asyncio.Event()
        try:
            claimed = self._claimed.pop(turn_id, None) or await self._claim(turn_id, cancel=cancel)
            if claimed is not None:
                running = await self._start(turn_id, claimed, cancel=cancel or claimed.cancel)
        finally:
            del self._starting[turn_id]
            started.set()
        if running is not None:
            await self._drive(running)
        return claimed is not None

    def unsaved_events(self, turn_id: str) -> Sequence[e.Durable]:
        """All events of a turn that runs here while some of them are only in memory; else none."""
        running = self.running.get(turn_id)
        if running is not None:
            return running.turn.log if running.log.is_behind else ()
        claimed = self._claimed.get(turn_id) or self._opening.get(turn_id)
        return claimed.events if claimed is not None and claimed.store_first is not None else ()

    def stop_after_phase(self) -> None:
        """Lets every turn end its phase and stay as it is."""
        for running in self.running.values():
            running.turn.stop_after_phase()

    def cancel_all(self) -> None:
        """Stops every turn where it is."""
        for running in self.running.values():
            if running.task is not None:
                running.task.cancel()

    def stop_lost(self, turns: Mapping[str, int]) -> None:
        """Stops turns, given by id and epoch, that another worker has taken over; nothing is written."""
        for turn_id, epoch in turns.items():
            running = self.running.get(turn_id)
            # One that has ended is not lost: it is its own end that the store tells of, on its way to be shown.
            if running is None or running.epoch != epoch or running.turn.state.status != "running":
                continue
            if running.task is not None:
                _log.warning("turn %s is another worker's by now", turn_id)
                running.lease.until = 0.0
                running.task.cancel()

    def tell_messages(self, turn_id: str, sent: int | None = None) -> None:
        """Lets a turn that runs here look for messages, unless it has taken in as many as were sent."""
        running = self.running.get(turn_id)
        if running is not None and (sent is None or sent > running.turn.state.received):
            running.turn.has_messages = True

    def renewed(self, turn_ids: Iterable[str], asked_at: float) -> None:
        """Their leases count from when we asked."""
        for turn_id in turn_ids:
            if (running := self.running.get(turn_id)) is not None:
                running.lease.until = asked_at + running.lease.seconds

    async def aclose(self, wait_s: float) -> None:
        """Waits for what is still kept in memory to be stored."""
        await asyncio.gather(*(log.aclose(wait_s) for log in self._logs))

    def is_free(self, row: TurnRow) -> bool:
        """Whether this worker may take the turn: nobody else runs it, and it is not over."""
        if row.status == "paused" or not row.worker or row.worker == self._identity.name:
            return row.status in ("running", "paused")
        return row.status == "running" and self._identity.is_gone(row.worker, row.lease_until)

    async def _claim(self, turn_id: str, *, cancel: bool) -> ClaimedTurn | None:
        """Takes a turn that nobody runs; None where there is none to take, or it cannot be run here."""
        row = await self._store.turns.get(turn_id)
        if row is None or not self.is_free(row):
            return None
        if row.status == "paused" and not (cancel or row.cancel_requested):
            return None
        asked_at = now()
        try:
            epoch = await self._store.turns.claim(turn_id, self._identity.name, self._identity.lease_s, epoch=row.epoch)
            row = await self._store.turns.get(turn_id) or row
        except StoreAway:
            raise
        except StoreError as error:
            _log.info("turn %s is left alone: %s", turn_id, error)
            return None
        if must_set_aside(row) and not (cancel or row.cancel_requested):
            await self._fail(row, epoch, await set_aside(self._store, row))
            return None
        try:
            # What is only ended needs no secrets, and must end also where they cannot be had.
            ends = cancel or row.cancel_requested
            events = await (self._store.turns.read(turn_id) if ends else self._store.turns.read_unredacted(turn_id))
        except StoreAway:
            raise
        except StoreError as error:
            await self._refuse(turn_id, epoch, error, final=isinstance(error, DamagedEvent))
            return None
        return ClaimedTurn(
            events,
            asked_at,
            epoch=epoch,
            cancel=row.cancel_requested,
            messages_sent=row.messages_sent,
        )

    async def _start(self, turn_id: str, claimed: ClaimedTurn, *, cancel: bool) -> RunningTurn | None:
        """Makes it one of those that run here; None where it cannot be run."""
        lease, epoch = TurnLease(self._identity.lease_s, claimed.asked_at), claimed.epoch
        log = LeasedLog(
            self._store,
            turn_id,
            epoch,
            delayed=partial(self._tell_delay, turn_id),
            hold=partial(self._renew_if_lapsed, turn_id, epoch, lease),
            begin=claimed.store_first,
        )
        self._opening[turn_id] = claimed
        try:
            turn = await self._open(claimed, log, lease)
        except Exception as error:
            await self._refuse(turn_id, epoch, error, cancel=cancel)
            return None
        finally:
            self._opening.pop(turn_id, None)
        stream = TurnStream(turn)
        running = self.running[turn_id] = RunningTurn(stream, turn, epoch, lease, log, asyncio.current_task())
        self._logs.add(log)
        self.tell_messages(turn_id, claimed.messages_sent)
        self._observers.begin(claimed.events, turn.ports.tools.specs)
        if claimed.store_first is not None:
            log.keep(claimed.events)
            self._tell_delay(turn_id, "The turn could not be stored when it started.")
        if cancel:
            if turn.state.status == "paused":
                turn.record(e.TurnResumed(**turn.stamp(), worker=self._identity.name))
            stream.cancel()
        return running

    async def _drive(self, running: RunningTurn) -> None:
        turn, epoch = running.turn, running.epoch
        turn_id = turn.state.turn_id
        owner = "" if turn.state.started is None else turn.state.started.user
        marked = current_mark.set(StoredMark("turn", turn_id, owner, epoch, self._store.turns.mark))
        try:
            async for event in running.stream:
                self._publish(self._store.turns.as_stored(event))  # pyright: ignore[reportArgumentType]
                if type(event) in MAY_HOLD:
                    await note_held(self._store, turn.state.started, event)
        except TurnLost as error:
            _log.warning("turn %s was left: %s", turn_id, error)
        finally:
            current_mark.reset(marked)
            self._observers.end(turn_id)
            await self._settle(running)

    async def _open(self, claimed: ClaimedTurn, log: LeasedLog, lease: TurnLease) -> Turn:
        events = claimed.events
        started = events[0]
        if not isinstance(started, e.TurnStarted):
            raise UsageError(f"Turn {started.turn_id!r} does not begin with 'turn_started': look at the database.")
        agent = await self._agents.for_turn(started)
        blobs = SessionBlobs(started.session_id, self._blobs, self._store.blobs, claimed.blobs)
        turn = agent.turn(
            events,
            store=log,
            holds=lease.holds,
            granted=grants_of(self._store),
            deps=self._deps.get(started.turn_id),
            inbox=self._store.turn_messages,
            blobs=blobs,
            bounds=await self._access.bounds(started),
        )
        turn.survives_cancel = True
        return turn

    async def _settle(self, running: RunningTurn) -> None:
        """Waits until all of the turn is stored; one that is unfinished is then free for any worker."""
        turn_id = running.turn.state.turn_id
        closing = asyncio.ensure_future(running.log.aclose()) if running.log.is_behind else None
        try:
            if closing is None:
                self._logs.discard(running.log)
            else:
                closing.add_done_callback(lambda _: self._logs.discard(running.log))
                if running.task is None or not running.task.cancelling():
                    await asyncio.shield(closing)
        finally:
            # Another run of the same turn, which claimed it after this one, has its own place there.
            if self.running.get(turn_id) is running:
                del self.running[turn_id]
        if running.turn.state.status not in ("running", "paused"):
            self._deps.pop(turn_id, None)
        if running.turn.state.status == "running":
            try:
                await self._store.turns.release(turn_id, running.epoch)
            except StoreError as error:
                _log.info("turn %s was not released: %s", turn_id, error)

    async def _renew_if_lapsed(self, turn_id: str, epoch: int, lease: TurnLease) -> None:
        """Before an effect is begun: takes the lease anew where it is over and nobody else has taken it."""
        if not lease.holds():
            asked_at = now()
            await self._store.turns.renew(turn_id, epoch, lease.seconds)
            lease.until = asked_at + lease.seconds

    async def _refuse(
        self, turn_id: str, epoch: int, error: Exception, *, cancel: bool = False, final: bool = False
    ) -> None:
        """Another worker may know the assistant, or the kind of event: the claims are counted.

        Where nobody here takes turns up again, or nobody can (`final`), it fails at once: whoever asked is waiting. To
        cancel it, nobody has to be able to run it.
        """
        known = isinstance(error, GlassloopError)
        _log.warning("turn %s cannot be run here: %s", turn_id, error, exc_info=None if known else error)
        row = await self._store.turns.get(turn_id)
        if row is None:
            return
        claims, retries = row.claims_without_progress + 1, self._retries_elsewhere and not final
        if retries and not cancel and claims < MAX_CLAIMS:
            await self._store.turns.refuse(turn_id, epoch)
            return
        why = f"{gave_up(claims)} The last said: {error}" if retries else str(error)
        await self._fail(row, epoch, None if cancel else why, error_type_of(error))

    async def _fail(self, row: TurnRow, epoch: int, why: str | None, error_type: ErrorType = "system_error") -> None:
        """Ends a turn that does not run; None: as cancelled."""
        self._publish(await end_turn(self._store, row, epoch, self._clock(), why, error_type))

    def _publish(self, event: e.AnyEvent) -> None:
        self._bus.publish(event)
        self._observers.see(event)

    def _tell_delay(self, turn_id: str, why: str) -> None:
        running = self.running.get(turn_id)
        seq = running.turn.state.seq if running else 0
        self._publish(e.LogDelayed(turn_id=turn_id, seq=seq, at=self._clock(), reason=why))
