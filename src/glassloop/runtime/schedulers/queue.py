"""WorkKind over any number of processes: a queue of Procrastinate's, in the store's own PostgreSQL.

The queue only spreads the work. It repeats nothing and judges nothing: a job that is taken and lost with its worker is
forgotten, and what the log says is not done is enqueued again by whoever looks there.
"""

import logging

import msgspec
from procrastinate.exceptions import AlreadyEnqueued, ConnectorException
from procrastinate.jobs import Job, Status
from procrastinate.manager import JobManager

from glassloop.core.errors import StoreAway, StoreError, UsageError
from glassloop.core.scheduling import Perform, WorkKind
from glassloop.runtime.schedulers.connection import QueueConnector, explain
from glassloop.runtime.schedulers.worker import QUEUES, STALLED_S, JobArguments, QueueWorker, WorkerIntervals, take_off

_log = logging.getLogger(__name__)

TASK = "glassloop.perform"


class QueueScheduler:
    """Enqueues from any process; performs, up to `concurrency` at once, in those that `start` it."""

    def __init__(self, url: str, concurrency: int = 50, pace: WorkerIntervals | None = None) -> None:
        self._url = url
        self._concurrency = concurrency
        self._pace = pace or WorkerIntervals()
        self._connector = QueueConnector(url)
        self._jobs = JobManager(self._connector)
        self._worker: QueueWorker | None = None
        self._stopped = False

    async def start(self, perform: Perform) -> None:
        if self._worker is not None:
            raise UsageError("This scheduler has already started: create another one.")
        self._worker = QueueWorker(self._url, self._concurrency, perform, self._give_back, self._pace)

    async def enqueue(self, work: WorkKind, ident: str) -> None:
        if self._stopped:
            raise StoreAway(f"{work} {ident!r} was not queued because the scheduler has stopped: use another process.")
        job = Job(
            queue=QUEUES[work],
            lock=None,
            queueing_lock=f"{work}:{ident}",
            task_name=TASK,
            task_kwargs=msgspec.structs.asdict(JobArguments(work, ident)),
        )
        try:
            await self._jobs.defer_job_async(job)
        except AlreadyEnqueued:
            pass
        except ConnectorException as error:
            raise explain(self._url, error) from error

    def position(self, ident: str) -> int | None:  # noqa: ARG002
        """Nobody can tell: other workers take from the same queue."""
        return None

    async def waiting(self) -> int:
        """Of all processes together."""
        try:
            queues = await self._jobs.list_queues_async(task=TASK, status=Status.TODO.value)
        except ConnectorException as error:
            raise explain(self._url, error) from error
        return sum(queue["todo"] for queue in queues)

    async def sweep(self) -> int:
        """Forgets the jobs of workers that are gone, and says how many. To be called now and then, by any process."""
        try:
            await self._jobs.prune_stalled_workers(STALLED_S)
            stalled = await self._jobs.get_stalled_jobs(task_name=TASK, seconds_since_heartbeat=STALLED_S)
            return sum([await take_off(self._jobs, job.id) for job in stalled if job.id is not None])
        except ConnectorException as error:
            raise explain(self._url, error) from error

    def leave(self, work: WorkKind, ident: str) -> None:
        if self._worker is not None:
            self._worker.leave(work, ident)

    async def stop(self, grace_s: float) -> None:
        """What is not done by then waits in the queue for another worker."""
        if not self._stopped:
            if self._worker is not None:
                await self._worker.stop(grace_s)
            self._stopped = True
            await self._connector.close_async()

    async def _give_back(self, work: WorkKind, ident: str) -> None:
        try:
            await self.enqueue(work, ident)
        except StoreError as error:
            _log.warning("%s %r was not given back, only the log knows of it: %s", work, ident, error)
