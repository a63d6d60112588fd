"""One worker on the queue: listens, fetches jobs, performs them, takes them off, and says that it is alive.

Procrastinate's own worker is not used. It forgets a notification that comes while it fetches, until it next polls;
without periodic tasks it does not see that its listener or its heartbeat broke; and when it ends it cancels what it
performs. Here that goes on beside a server that is away, and the worker begins again.
"""

import asyncio
import logging
from collections import deque
from collections.abc import Awaitable, Callable
from contextlib import suppress

import msgspec
from procrastinate.exceptions import ConnectorException
from procrastinate.jobs import Job, Notification, Status
from procrastinate.manager import JobManager
from psycopg.errors import RaiseException

from glassloop.core.errors import StoreAway
from glassloop.core.scheduling import Perform, WorkKind
from glassloop.runtime.schedulers.connection import QueueConnector, explain
from glassloop.runtime.schedulers.running_work import CANCELLED_S, Piece, RunningWork

_log = logging.getLogger(__name__)

QUEUES = {"turn": "turns", "job": "jobs"}
STALLED_S = 30.0
"""Without a heartbeat for so long a worker is taken to be gone."""
MAX_PAUSE_S = 10.0

GiveBack = Callable[[WorkKind, str], Awaitable[None]]
"""Puts a piece into the queue again, for another worker. Never fails."""


class WorkerIntervals(msgspec.Struct, frozen=True, kw_only=True):
    """How often a worker looks by itself and says that it is alive, how soon it begins again after trouble, and how
    long it waits for what it cancelled."""

    poll_s: float = 5.0
    heartbeat_s: float = 10.0
    least_pause_s: float = 0.5
    cancelled_s: float = CANCELLED_S


class JobArguments(msgspec.Struct, frozen=True):
    """What a job carries."""

    work: WorkKind
    ident: str


class QueueWorker:
    """Works from when it is made until `stop`."""

    def __init__(
        self, url: str, concurrency: int, perform: Perform, give_back: GiveBack, pace: WorkerIntervals
    ) -> None:
        self._url = url
        self._concurrency = concurrency
        self._pace = pace
        self._give_back = give_back
        self._connector = QueueConnector(url)
        self._jobs = JobManager(self._connector)
        self._running_work = RunningWork(perform, self._ended, pace.cancelled_s)
        self._rows: dict[Piece, int] = {}
        self._finished: deque[int] = deque()
        self._news = asyncio.Event()
        self._stopping = False
        self._over = asyncio.Event()
        self._task = asyncio.create_task(self._supervise(), name="queue worker")

    def leave(self, work: WorkKind, ident: str) -> None:
        """What will not be done when it ends is given back by `stop`."""
        self._running_work.leave((work, ident))

    async def stop(self, grace_s: float) -> None:
        """What does not end in time is cancelled, and given back."""
        self._stopping = True
        for work, ident in await self._running_work.stop_starting(grace_s):
            await self._give_back(work, ident)
        self._over.set()
        self._news.set()
        await asyncio.wait({self._task})
        await self._connector.close_async()

    async def _supervise(self) -> None:
        clock = asyncio.get_running_loop().time
        pause = self._pace.least_pause_s
        while not self._over.is_set():
            began = clock()
            try:
                await self._work()
            except Exception as error:
                if clock() - began > MAX_PAUSE_S:
                    pause = self._pace.least_pause_s
                why = explain(self._url, error)
                known = isinstance(why, StoreAway)
                _log.warning("the queue's worker begins again in %g s: %s", pause, why, exc_info=not known)
                with suppress(TimeoutError):
                    await asyncio.wait_for(self._over.wait(), pause)
                pause = min(2 * pause, MAX_PAUSE_S)

    async def _work(self) -> None:
        """Until all is over, or something breaks."""
        await self._jobs.prune_stalled_workers(STALLED_S)
        number = await self._jobs.register_worker()
        listening = asyncio.create_task(self._listen(), name="queue listener")
        listening.add_done_callback(lambda _: self._news.set())
        clock = asyncio.get_running_loop().time
        beaten = clock()
        try:
            while self._finished or not self._over.is_set():
                # Before anything is looked at: what comes from here on is looked at in the next round.
                self._news.clear()
                if listening.done():
                    listening.result()
                if clock() - beaten >= self._pace.heartbeat_s:
                    await self._jobs.update_heartbeat(number)
                    beaten = clock()
                fetched = await self._fetch(number)
                if self._finished:
                    await take_off(self._jobs, self._finished[0])
                    self._finished.popleft()
                elif not fetched:
                    with suppress(TimeoutError):
                        await asyncio.wait_for(self._news.wait(), self._pace.poll_s)
        finally:
            listening.cancel()
            await asyncio.gather(listening, return_exceptions=True)
            with suppress(ConnectorException):
                await self._jobs.unregister_worker(number)

    async def _listen(self) -> None:
        async def hear(*, channel: str, notification: Notification) -> None:  # noqa: ARG001
            self._news.set()

        await self._jobs.listen_for_jobs(on_notification=hear, queues=QUEUES.values())

    async def _fetch(self, number: int) -> bool:
        if self._stopping or len(self._running_work) >= self._concurrency:
            return False
        job = await self._jobs.fetch_job(list(QUEUES.values()), number)
        if job is None or job.id is None:
            return False
        piece = _piece_of(job)
        if piece is None:
            _log.warning("job %s is no work of ours, and is dropped: %.200r", job.id, job.task_kwargs)
        elif self._stopping:
            await self._give_back(*piece)
        elif not self._running_work.wake(piece):
            self._rows[piece] = job.id
            self._running_work.begin(piece)
            return True
        self._finished.append(job.id)
        return True

    def _ended(self, piece: Piece, woken: bool) -> None:
        if woken:
            self._running_work.begin(piece)
        else:
            self._finished.append(self._rows.pop(piece))
            self._news.set()


async def take_off(jobs: JobManager, job_id: int) -> bool:
    """Takes a job off the queue; False where it is there no more."""
    try:
        await jobs.finish_job_by_id_async(job_id, Status.SUCCEEDED, delete_job=True)
    except ConnectorException as error:
        if isinstance(error.__cause__, RaiseException):
            return False
        raise
    return True


def _piece_of(job: Job) -> Piece | None:
    try:
        arguments = msgspec.convert(job.task_kwargs, JobArguments)
    except msgspec.ValidationError:
        return None
    return arguments.work, arguments.ident
