"""Jobs: long work that is not a turn, with progress and cancel, run by the same scheduler.

A kind of job is a function of a context and its parameters. One that is `resumable` is begun again by another worker
when its own is lost; others end as failed then, and say so.
"""

import asyncio
import logging
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager

import msgspec

from glassloop.core.cpu_work import current_mark
from glassloop.core.errors import (
    GlassloopError,
    StoreAway,
    StoreError,
    TooManyTurns,
    TurnLost,
    UnknownName,
    UsageError,
    text_for_users,
)
from glassloop.core.fair_queue import FairQueue
from glassloop.core.ports import EventBus
from glassloop.core.records import Json
from glassloop.core.scheduling import Scheduler
from glassloop.runtime.durable.dead_letters import StoredMark, must_set_aside, set_aside
from glassloop.runtime.durable.turn_lease import now
from glassloop.runtime.durable.worker_identity import WorkerIdentity
from glassloop.store.records import JobEnding, JobRow
from glassloop.store.store import Store

_log = logging.getLogger(__name__)

REPORT_S = 0.5
"""Progress is stored at most this often."""

POLL_S = 2.0
MAX_WAIT_S = 3_600.0
"""For another process that writes the same."""
MAX_WAITING = 10_000
MAX_CLAIMS = 20
"""However far it gets each time."""
OVER = ("completed", "failed", "cancelled")


def _too_many_wait() -> TooManyTurns:
    return TooManyTurns(f"{MAX_WAITING:,} jobs are already waiting: try again later.", retry_after=60.0)


class JobContext:
    """What a job may know and say."""

    def __init__(self, job_id: str, user: str) -> None:
        self.job_id = job_id
        self.user = user
        self.message = ""
        self.fraction: float | None = None
        self.changed = asyncio.Event()

    def progress(self, message: str, fraction: float | None = None) -> None:
        """How far the work is; as often as it likes, on the event loop."""
        self.message = str(message)[:500]
        self.fraction = None if fraction is None else min(1.0, max(0.0, float(fraction)))
        self.changed.set()


class JobKind(msgspec.Struct, frozen=True, kw_only=True):
    """A kind of job by its name."""

    name: str
    run: Callable[[JobContext, dict[str, Json]], Awaitable[Json]]
    resumable: bool = False
    one_at_a_time: str = ""
    """What only one job writes at a time: others of a process wait for it, users in turn."""


class RunningJob(msgspec.Struct):
    """A job that runs here."""

    epoch: int
    task: "asyncio.Task[Json]"
    cancelled: bool = False
    lost: bool = False


class Jobs:
    """The jobs of this process, and the way to all others."""

    def __init__(
        self,
        store: Store,
        bus: EventBus,
        scheduler: Scheduler,
        identity: WorkerIdentity,
        kinds: Sequence[JobKind],
        *,
        user_jobs: int | None = None,
        poll_s: float = POLL_S,
    ) -> None:
        self._store = store
        self._bus = bus
        self._scheduler = scheduler
        self._identity = identity
        self.kinds: Mapping[str, JobKind] = {kind.name: kind for kind in kinds}
        self.running: dict[str, RunningJob] = {}
        self._user_jobs = user_jobs
        self.poll_s = poll_s
        self._queues: dict[str, FairQueue] = {}

    async def submit(
        self, kind: str, params: Mapping[str, Json] | None = None, *, user: str = "anonymous", limited: bool = True
    ) -> JobRow:
        """Has a job done, by whichever worker takes it. Raises `TooManyTurns` where the user has as many as they may,
        unless it is not `limited`, as one that another job begins."""
        if kind not in self.kinds:
            raise UnknownName(f"There is no kind of job {kind!r}: choose from {', '.join(sorted(self.kinds))}.")
        row = await self._store.jobs.enqueue(kind, user, dict(params or {}), self._user_jobs if limited else None)
        await self._scheduler.enqueue("job", row.id)
        return row

    async def get(self, job_id: str, user: str | None = None) -> JobRow:
        """The job, if it is this user's; None is any user's."""
        row = await self._store.jobs.get(job_id)
        if row is None or (user is not None and row.user_id != user):
            raise UnknownName(f"There is no job {job_id!r}.")
        return row

    async def watch(self, job_id: str) -> AsyncGenerator[JobRow, None]:
        """The job as it stands, again whenever that changes, to its end."""
        subscription = self._bus.subscribe(job_id)
        try:
            version = -1
            while True:
                row = await self.get(job_id)
                if row.version > version:
                    version = row.version
                    yield row
                if row.status in OVER:
                    return
                try:
                    async with asyncio.timeout(min(self._bus.poll_s or self.poll_s, self.poll_s)):
                        if await anext(subscription, None) is None:
                            return
                except TimeoutError:
                    continue
        finally:
            subscription.close()

    async def cancel(self, job_id: str, user: str | None = None) -> bool:
        """Stops a job wherever it runs; whether there was anything to stop."""
        row = await self.get(job_id, user)
        if row.status in OVER:
            return False
        await self._store.jobs.request_cancel(job_id)
        self._bus.signal("cancel", job_id)
        if job_id not in self.running:
            await self.run(job_id)
        return True

    def stop(self, job_id: str) -> None:
        """Cancels a job that runs here."""
        if (running := self.running.get(job_id)) is not None:
            running.cancelled = True
            running.task.cancel()

    def lose(self, job_ids: Sequence[str]) -> None:
        """Stops jobs that are another worker's by now."""
        for job_id in job_ids:
            if (running := self.running.get(job_id)) is not None:
                running.lost = True
                running.task.cancel()

    async def run(self, job_id: str) -> None:
        """Does a job to its end, if it is free."""
        row = await self._store.jobs.get(job_id)
        if row is None or row.status in OVER or job_id in self.running:
            return
        if row.worker and row.worker != self._identity.name and not self._identity.is_gone(row.worker, row.lease_until):
            return
        try:
            claimed = await self._store.jobs.claim(job_id, self._identity.name, self._identity.lease_s, epoch=row.epoch)
        except StoreError as error:
            _log.info("job %s is not taken: %s", job_id, error)
            return
        kind = self.kinds.get(row.kind)
        if row.cancel_requested:
            await self._finish(claimed, "cancelled")
        elif kind is None:
            await self._finish(claimed, "failed", error=f"This worker does not know jobs of kind {row.kind!r}.")
        elif claimed.claims > 1 and not kind.resumable:
            await self._finish(claimed, "failed", error="Its worker was lost: restart the job.")
        elif must_set_aside(claimed) or claimed.claims > MAX_CLAIMS:
            await self._finish(claimed, "failed", error=await set_aside(self._store, claimed))
        else:
            await self._work(claimed, kind)

    async def _work(self, row: JobRow, kind: JobKind) -> None:
        context = JobContext(row.id, row.user_id)
        task = asyncio.ensure_future(self._run_marked(row, kind, context))
        running = self.running[row.id] = RunningJob(row.epoch, task)
        reporting = asyncio.create_task(self._report(row, context))
        self._bus.nudge(row.id, row.version)
        try:
            result = await task
        except asyncio.CancelledError:
            if running.cancelled:
                await self._finish(row, "cancelled")
                return
            task.cancel()
            await asyncio.wait([task])
            if not running.lost and kind.resumable:
                await self._store.jobs.renew(self._identity.name, {row.id: row.epoch}, 0.0)
            elif not running.lost:
                await self._finish(row, "failed", error="Stopped with its worker: restart the job.")
            raise
        except GlassloopError as error:
            await self._finish(row, "failed", error=text_for_users(error))
        except Exception as error:
            _log.exception("job %s (%s) failed", row.id, row.kind)
            await self._finish(row, "failed", error=f"Internal error ({type(error).__name__}).")
        else:
            await self._finish(row, "completed", result=result)
        finally:
            reporting.cancel()
            await asyncio.wait([reporting])
            del self.running[row.id]

    async def _run_marked(self, row: JobRow, kind: JobKind, context: JobContext) -> Json:
        mark = StoredMark("job", row.id, row.user_id or "", row.epoch, self._store.jobs.mark)
        current_mark.set(mark)
        until = now() + MAX_WAIT_S
        while True:
            async with self._place(row, kind, context):
                await mark.begin(kind.name)
                try:
                    return await kind.run(context, row.params)
                except StoreAway as error:
                    # Another process writes the same, or the database is away: neither is this job's failure.
                    if not kind.resumable or now() > until:
                        raise
                    context.progress(f"Waits: {error}", context.fraction)
                finally:
                    await mark.end()
            await asyncio.sleep(self.poll_s)

    @asynccontextmanager
    async def _place(self, row: JobRow, kind: JobKind, context: JobContext) -> AsyncGenerator[None, None]:
        """While it is this job's turn with what it writes."""
        if not kind.one_at_a_time:
            yield
            return
        queue = self._queues.get(kind.one_at_a_time)
        if queue is None:
            queue = self._queues[kind.one_at_a_time] = FairQueue(MAX_WAITING, _too_many_wait)
        ticket = queue.join(row.user_id)
        try:
            async for place in ticket.places():
                context.progress(f"Waiting for {place} other job{'s' if place > 1 else ''}", context.fraction)
            yield
        finally:
            ticket.leave()

    async def _report(self, row: JobRow, context: JobContext) -> None:
        while True:
            await context.changed.wait()
            context.changed.clear()
            try:
                await self._store.jobs.report(row.id, row.epoch, context.message, context.fraction)
            except TurnLost:
                self.lose([row.id])
                return
            except StoreError as error:
                _log.warning("progress of job %s is not stored: %s", row.id, error)
            self._bus.nudge(row.id)
            await asyncio.sleep(REPORT_S)

    async def _finish(self, row: JobRow, status: JobEnding, *, result: Json = None, error: str | None = None) -> None:
        try:
            await self._store.jobs.finish(row.id, row.epoch, status, result, error)
        except UsageError as unfit:
            await self._store.jobs.finish(row.id, row.epoch, "failed", None, f"Its result cannot be stored: {unfit}")
        except TurnLost as lost:
            _log.warning("job %s went on elsewhere: %s", row.id, lost)
        self._bus.nudge(row.id)
