"""The job interface: long work that is no turn, who does it, how far it is, how it ended."""

import math
from collections.abc import Mapping, Sequence

import msgspec

from glassloop.core.errors import UsageError
from glassloop.core.records import REDACTED, Json
from glassloop.store import job_table
from glassloop.store.access import Access
from glassloop.store.records import JobEnding, JobRow, JobStatus

MOST_BYTES = 1_000_000
MESSAGE_CHARS = 1_000
ERROR_CHARS = 10_000
MOST_SCANNED = 100_000


class Jobs(Access):
    """Jobs of all kinds. A job is taken with an epoch, like a turn; who has an older one is told `Superseded`."""

    async def add_job(self, kind: str, user_id: str, params: Mapping[str, Json]) -> JobRow:
        """A new job, queued."""
        job_id, now, text = self._ids(), self._clock(), self._json(dict(params), f"parameters of a job {kind!r}")
        if REDACTED in text:
            raise UsageError(
                f"The parameters of a job {kind!r} hold what looks like a secret, which is not stored: "
                "set it in the environment or in a file that the job reads."
            )
        return await self._writer.do(lambda db: job_table.add(db, job_id, kind, user_id, text, now))

    async def job(self, job_id: str) -> JobRow | None:
        return await self._read(lambda db: job_table.get(db, job_id))

    async def list_jobs(
        self, limit: int = 50, user_id: str | None = None, status: JobStatus | None = None
    ) -> Sequence[JobRow]:
        """Newest first."""
        return await self._read(lambda db: job_table.listed(db, limit, user_id, status))

    async def claim_job(self, job_id: str, worker: str, lease_s: float, epoch: int | None = None) -> JobRow:
        """Takes a job that nobody runs; the job with its new epoch. Raises `TurnHeld` while another worker's lease
        runs, and where `epoch` is given and no longer the job's."""
        now = self._clock()
        return await self._writer.do(
            lambda db: job_table.claim(db, job_id, worker, now=now, lease_s=lease_s, epoch=epoch),
            locks=job_table.lock_to_claim(job_id),
        )

    async def renew_jobs(self, worker: str, held: Mapping[str, int], lease_s: float) -> Sequence[str]:
        """Holds these jobs, by id with their epochs, for that long from now; the ids of those that are lost or over."""
        until, mine = self._clock() + lease_s, dict(held)
        return await self._writer.do(lambda db: job_table.renew(db, worker, mine, until)) if mine else ()

    async def report_job(self, job_id: str, epoch: int, message: str, fraction: float | None = None) -> None:
        """How far it is, in words and from 0 to 1; raises `Superseded` when it is over or no longer this epoch's."""
        text = self._short(message, MESSAGE_CHARS)
        part = None if fraction is None or math.isnan(fraction) else min(max(fraction, 0.0), 1.0)
        await self._writer.do(lambda db: job_table.report(db, job_id, epoch, text, part))

    async def finish_job(
        self, job_id: str, epoch: int, status: JobEnding, result: Json = None, error: str | None = None
    ) -> None:
        """The end, once; raises `Superseded` when it ended otherwise or is no longer this epoch's."""
        now, text = self._clock(), None if result is None else self._json(result, f"result of job {job_id!r}")
        why = None if error is None else self._short(error, ERROR_CHARS)
        await self._writer.do(lambda db: job_table.finish(db, job_id, epoch, status, text, why, now), sync=True)

    async def request_cancel_job(self, job_id: str) -> None:
        """A job nobody has taken is over at once; the worker of one that runs finds it in `cancelled_jobs_of`."""
        now = self._clock()
        await self._writer.do(lambda db: job_table.request_cancel(db, job_id, now))

    async def cancelled_jobs_of(self, worker: str) -> Sequence[str]:
        """What that worker runs and should stop."""
        return await self._read(lambda db: job_table.cancelled_of(db, worker))

    async def unfinished_jobs(self, before: float | None = None, limit: int = 1000) -> Sequence[JobRow]:
        """Queued jobs, and running ones whose lease ended before then (default: now), in this order."""
        moment = self._clock() if before is None else before
        return await self._read(lambda db: job_table.unfinished(db, moment, limit))

    def _short(self, text: str, most: int) -> str:
        return self._redactor.text(text[:MOST_SCANNED])[:most]

    def _json(self, value: Json, what: str) -> str:
        """As it is stored: bounded before it is looked through, which takes longer than writing it."""
        try:
            raw = msgspec.json.encode(value)
        except (TypeError, ValueError, RecursionError) as error:
            raise UsageError(f"The {what} cannot be written as JSON: {error}.") from error
        if len(raw) > MOST_BYTES:
            raise UsageError(
                f"The {what} would take {len(raw):,} bytes, and {MOST_BYTES:,} is the limit: "
                "keep it in a file and give the file's name."
            )
        return self._redactor.clean(raw).decode()
