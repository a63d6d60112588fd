"""Maintenance of the turns and jobs a process shares: renews leases, polls cancellations and messages, recovers turns
of lost workers, deletes what has expired.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence

from glassloop.core.errors import GlassloopError
from glassloop.core.ports import EventBus
from glassloop.core.scheduling import Scheduler
from glassloop.runtime.durable.jobs import Jobs
from glassloop.runtime.durable.turn_lease import now
from glassloop.runtime.durable.turn_runner import TurnRunner
from glassloop.runtime.durable.worker_identity import WorkerIdentity
from glassloop.runtime.extensions import MaintenanceTask
from glassloop.store.store import Store

_log = logging.getLogger(__name__)

RENEWALS = 3
"""How often a lease is renewed in its own length."""

SIGNAL_POLL_S = 0.5
RECONCILE_S = 5.0


class Maintenance:
    """Background tasks of a runtime; what fails is logged and tried again."""

    def __init__(
        self,
        runner: TurnRunner,
        jobs: Jobs,
        store: Store,
        bus: EventBus,
        scheduler: Scheduler,
        identity: WorkerIdentity,
        *,
        takes_over: bool,
        tasks: Sequence[MaintenanceTask] = (),
    ) -> None:
        self._runner = runner
        self._jobs = jobs
        self._store = store
        self._bus = bus
        self._scheduler = scheduler
        self._identity = identity
        self._takes_over = takes_over
        self._more = tuple(tasks)
        self._tasks: list[asyncio.Task[None]] = []

    def start(self) -> None:
        self._bus.listen(self._hear)
        duties: list[tuple[float, Callable[[], Awaitable[object]]]] = [(SIGNAL_POLL_S, self._poll_signals)]
        if self._identity.lease_s:
            duties.append((self._identity.lease_s / RENEWALS, self._renew))
        if self._takes_over:
            duties.append((min(RECONCILE_S, self._identity.lease_s or RECONCILE_S), self.reconcile))
        duties += [(task.every_s, task.run) for task in self._more]
        self._tasks = [asyncio.create_task(self._repeat(seconds, duty)) for seconds, duty in duties]

    async def stop(self) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        self._tasks = []

    async def reconcile(self) -> int:
        """Has everything taken up whose worker is gone; how many."""
        found = 0
        for row in await self._store.turns.unfinished():
            if row.id in self._runner.running or not self._runner.is_free(row):
                continue
            await self._scheduler.enqueue("turn", row.id)
            found += 1
        for job in await self._store.jobs.unfinished():
            if job.id in self._jobs.running or (job.worker and not self._is_left(job.worker, job.lease_until)):
                continue
            await self._scheduler.enqueue("job", job.id)
            found += 1
        await self._scheduler.sweep()
        return found

    def _is_left(self, worker: str, lease_until: float) -> bool:
        return worker == self._identity.name or self._identity.is_gone(worker, lease_until)

    async def _renew(self) -> None:
        # One that began while the database was away is not known there before it is stored.
        turns = {turn_id: running.epoch for turn_id, running in self._runner.running.items() if running.log.is_begun}
        asked_at = now()
        if turns:
            lost = await self._store.turns.renew_many(self._identity.name, turns, self._identity.lease_s)
            self._runner.renewed(turns.keys() - set(lost), asked_at)
            self._runner.stop_lost({turn_id: turns[turn_id] for turn_id in lost})
        jobs = {job_id: running.epoch for job_id, running in self._jobs.running.items()}
        if jobs:
            self._jobs.lose(await self._store.jobs.renew(self._identity.name, jobs, self._identity.lease_s))

    async def _poll_signals(self) -> None:
        """Cancels and messages of another process, where its signal could not reach us."""
        if self._runner.running:
            for found in await self._store.turns.signalled(self._identity.name):
                if found.cancelled:
                    self._hear("cancel", found.turn_id)
                self._runner.tell_messages(found.turn_id, found.messages_sent)
        if self._jobs.running:
            for job_id in await self._store.jobs.cancelled_of(self._identity.name):
                self._hear("cancel", job_id)

    def _hear(self, what: str, topic: str) -> None:
        if what == "message":
            self._runner.tell_messages(topic)
        if what != "cancel":
            return
        if (running := self._runner.running.get(topic)) is not None:
            running.stream.cancel()
        self._jobs.stop(topic)

    async def _repeat(self, seconds: float, duty: Callable[[], Awaitable[object]]) -> None:
        while True:
            try:
                await duty()
            except GlassloopError as error:
                _log.warning("%s", error)
            except Exception:
                _log.exception("a background duty failed; it is tried again")
            await asyncio.sleep(seconds)
