"""Jobs: long work that is no turn, with progress and cancellation.

A job has no log: its row is all there is, and `version` tells those who watch it that it changed. It is claimed with an
epoch, like a turn.
"""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from glassloop.core.errors import StoreError, TooManyTurns, UnknownName, UsageError
from glassloop.core.records import REDACTED, Json
from glassloop.store.engine.database import SqlConnection, column_text
from glassloop.store.engine.engine import StoreEngine
from glassloop.store.engine.paging import check_literal, newest
from glassloop.store.errors import Superseded
from glassloop.store.log.leases import as_pairs, check_free
from glassloop.store.log.redaction import Redactor
from glassloop.store.records import ANONYMOUS, JobEnding, JobRow, JobStatus

MAX_BYTES = 1_000_000
MAX_MESSAGE_CHARS = 1_000
MAX_ERROR_CHARS = 10_000
MAX_SCANNED = 100_000
READ_AT_ONCE = 200

_COLUMNS = ", ".join(JobRow.__struct_fields__)
_JOB = f"SELECT {_COLUMNS} FROM jobs"  # noqa: S608
# SQLite uses an index over some of the rows only where a query repeats its condition word for word.
_ALIVE = "status IN ('queued', 'running')"
_OWN = "id = :job AND epoch = :epoch AND status = 'running'"
_ADD = f"""INSERT INTO jobs (id, kind, user_id, status, params, message, worker, epoch, lease_until, claims, version,
 created_at) VALUES (:job, :kind, :user, 'queued', :params, '', '', 0, 0, 0, 1, :at) RETURNING {_COLUMNS}"""  # noqa: S608
# One that got further since its process ended the last time ended with it by chance.
_FURTHER = "(died_fraction IS NULL OR coalesce(fraction, 0) > died_fraction)"
_CLAIM = f"""UPDATE jobs SET status = 'running', epoch = epoch + 1, claims = claims + 1, version = version + 1,
 deaths = CASE WHEN cpu_work IS NULL THEN deaths WHEN {_FURTHER} THEN 1 ELSE deaths + 1 END,
 died_fraction = CASE WHEN cpu_work IS NULL THEN died_fraction ELSE coalesce(fraction, 0) END,
 died_in = coalesce(cpu_work, died_in), cpu_work = NULL,
 worker = :worker, lease_until = :until, started_at = coalesce(started_at, :now)
 WHERE id = :job RETURNING {_COLUMNS}"""  # noqa: S608
_REPORT = f"UPDATE jobs SET message = :message, fraction = :fraction, version = version + 1 WHERE {_OWN} RETURNING id"  # noqa: S608
_MARK = f"UPDATE jobs SET cpu_work = :work WHERE {_OWN}"  # noqa: S608
_FINISH = f"""UPDATE jobs SET status = :status, result = :result, error = :error, finished_at = :at, lease_until = 0,
 version = version + 1 WHERE {_OWN} RETURNING id"""  # noqa: S608
_CANCEL = f"""UPDATE jobs SET cancel_requested = 1, version = version + 1,
 finished_at = CASE WHEN status = 'queued' THEN :at ELSE finished_at END,
 status = CASE WHEN status = 'queued' THEN 'cancelled' ELSE status END
 WHERE id = :job AND {_ALIVE} AND cancel_requested = 0 RETURNING id"""  # noqa: S608
_CANCELLED = f"SELECT id FROM jobs WHERE status = 'running' AND {_ALIVE} AND worker = :worker AND cancel_requested = 1"  # noqa: S608
_ALIVE_OF_USER = f"SELECT count(*) FROM jobs WHERE user_id = :user AND {_ALIVE}"  # noqa: S608
_UNFINISHED = f"{_JOB} WHERE {_ALIVE} AND lease_until < :before ORDER BY lease_until, created_at LIMIT :most"


class JobTable:
    """Jobs of all kinds. A worker with an older epoch is refused with `Superseded`."""

    def __init__(self, engine: StoreEngine, redactor: Redactor) -> None:
        self._engine = engine
        self._redactor = redactor

    async def enqueue(
        self, kind: str, user_id: str, params: Mapping[str, Json], user_jobs: int | None = None
    ) -> JobRow:
        """A new job, queued. Raises `TooManyTurns` where a named user has `user_jobs` that are not over."""
        text = self._json(dict(params), f"parameters of a job {kind!r}")
        if REDACTED in text:
            raise UsageError(
                f"The parameters of a job {kind!r} hold what looks like a secret, which is not stored: "
                "set it in the environment or in a file that the job reads."
            )
        names = {"job": self._engine.new_id(), "kind": column_text(kind), "user": column_text(user_id)}
        now = self._engine.clock()
        counts = user_jobs is not None and user_id != ANONYMOUS

        def work(db: SqlConnection) -> JobRow:
            alive = db.run(_ALIVE_OF_USER, user=names["user"])[0][0] if counts else 0
            if user_jobs is not None and alive >= user_jobs:
                raise TooManyTurns(
                    f"User {user_id!r} has {alive} jobs that are not over, and {user_jobs} is the limit: wait until "
                    "one ends, or cancel one.",
                    retry_after=5.0,
                )
            return _job(db.run(_ADD, **names, params=text, at=now)[0])

        return await self._engine.write(work, locks=(f"jobs of {names['user']}",) if counts else ())

    async def get(self, job_id: str) -> JobRow | None:
        return await self._engine.read(lambda db: _get(db, job_id))

    async def list(
        self, limit: int = 50, user_id: str | None = None, status: JobStatus | None = None, *, kind: str | None = None
    ) -> Sequence[JobRow]:
        """Newest first; of one user, one status, one kind where they are given."""
        check_literal(status, JobStatus, "status")
        return await self._engine.read(
            lambda db: tuple(
                map(_job, newest(db, _JOB, "created_at", limit, user_id=user_id, status=status, kind=kind))
            )
        )

    async def claim(self, job_id: str, worker: str, lease_s: float, epoch: int | None = None) -> JobRow:
        """Takes a job that nobody runs; the job with its new epoch. Raises `TurnHeld` while another worker's lease
        runs, and where `epoch` is given and no longer the job's."""
        now = self._engine.clock()

        def work(db: SqlConnection) -> JobRow:
            job = _must_exist(_get(db, job_id), job_id)
            if job.status not in ("queued", "running"):
                raise StoreError(f"Job {job_id!r} is {job.status}, so there is nothing to claim.")
            check_free("Job", job.id, job.worker, job.epoch, job.lease_until, worker=worker, now=now, epoch=epoch)
            return _job(db.run(_CLAIM, worker=column_text(worker), until=now + lease_s, now=now, job=job_id)[0])

        return await self._engine.write(work, locks=(f"job {job_id}",))

    async def renew(self, worker: str, held: Mapping[str, int], lease_s: float) -> Sequence[str]:
        """Holds these jobs, by id with their epochs, for that long from now; the ids of those that are lost or over."""
        if not held:
            return ()
        until, pairs = self._engine.clock() + lease_s, as_pairs(held)

        def work(db: SqlConnection) -> set[str]:
            sql = f"""UPDATE jobs SET lease_until = :until WHERE (id, epoch) IN ({db.pairs}) AND worker = :worker
 AND status = 'running' RETURNING id"""  # noqa: S608
            return {row[0] for row in db.run(sql, until=until, worker=column_text(worker), pairs=pairs)}

        renewed = await self._engine.write(work)
        return tuple(job_id for job_id in held if job_id not in renewed)

    async def report(self, job_id: str, epoch: int, message: str, fraction: float | None = None) -> None:
        """How far it is, in words and from 0 to 1; raises `Superseded` when it is over or no longer this epoch's."""
        text = self._short(message, MAX_MESSAGE_CHARS)
        part = None if fraction is None or math.isnan(fraction) else min(max(fraction, 0.0), 1.0)

        def work(db: SqlConnection) -> None:
            if not db.run(_REPORT, message=text, fraction=part, job=job_id, epoch=epoch):
                raise _lost(job_id, epoch)

        await self._engine.write(work)

    async def mark(self, job_id: str, epoch: int, cpu_work: str | None) -> None:
        """As of turns: notes that CPU-bound work begins, or has ended."""
        await self._engine.write(lambda db: db.run(_MARK, work=cpu_work, job=job_id, epoch=epoch))

    async def finish(
        self, job_id: str, epoch: int, status: JobEnding, result: Json = None, error: str | None = None
    ) -> None:
        """The end, once; raises `Superseded` when it ended otherwise or is no longer this epoch's.

        Told twice by the same worker, as after a commit of unknown fate, it is one end.
        """
        check_literal(status, JobEnding, "ending")
        now, text = self._engine.clock(), None if result is None else self._json(result, f"result of job {job_id!r}")
        why = None if error is None else self._short(error, MAX_ERROR_CHARS)

        def work(db: SqlConnection) -> None:
            if db.run(_FINISH, status=status, result=text, error=why, at=now, job=job_id, epoch=epoch):
                return
            job = _get(db, job_id)
            if job is None or (job.epoch, job.status) != (epoch, status):
                raise _lost(job_id, epoch)

        await self._engine.write(work, sync=True)

    async def request_cancel(self, job_id: str) -> None:
        """A job nobody has taken is over at once; the worker of one that runs finds it in `cancelled_of`. A job that is
        over stays as it is."""
        now = self._engine.clock()

        def work(db: SqlConnection) -> None:
            if not db.run(_CANCEL, at=now, job=job_id):
                _must_exist(_get(db, job_id), job_id)

        await self._engine.write(work)

    async def cancelled_of(self, worker: str) -> Sequence[str]:
        """The jobs that this worker runs and should stop."""
        found = await self._engine.read(lambda db: db.run(_CANCELLED, worker=column_text(worker)))
        return tuple(row[0] for row in found)

    async def unfinished(self, before: float | None = None, limit: int = 1000) -> Sequence[JobRow]:
        """Queued jobs, oldest first, then running ones whose lease ended before then (default: now)."""
        moment = self._engine.clock() if before is None else before
        return await self._engine.read(lambda db: tuple(map(_job, db.run(_UNFINISHED, before=moment, most=limit))))

    def _short(self, text: str, most: int) -> str:
        return column_text(self._redactor.text(text[:MAX_SCANNED])[:most])

    def _json(self, value: Json, what: str) -> str:
        """As it is stored: bounded before it is looked through, which takes longer than writing it."""
        try:
            raw = msgspec.json.encode(value)
        except (TypeError, ValueError, RecursionError) as error:
            raise UsageError(f"The {what} cannot be written as JSON: {error}.") from error
        if len(raw) > MAX_BYTES:
            raise UsageError(
                f"The {what} would take {len(raw):,} bytes, and {MAX_BYTES:,} is the limit: "
                "keep it in a file and give the file's name."
            )
        return self._redactor.clean(raw).decode()


def _get(db: SqlConnection, job_id: str) -> JobRow | None:
    found = db.run(f"{_JOB} WHERE id = :job", job=job_id)
    return _job(found[0]) if found else None


def delete_of_user(db: SqlConnection, user_id: str) -> int:
    return len(db.run("DELETE FROM jobs WHERE user_id = :user RETURNING id", user=column_text(user_id)))


def purge_some(db: SqlConnection, before: float, limit: int) -> int:
    """Deletes jobs that were over before then; how many."""
    ids = f"SELECT id FROM jobs WHERE created_at < :before AND finished_at < :before AND NOT {_ALIVE} LIMIT :most"  # noqa: S608
    return len(db.run(f"DELETE FROM jobs WHERE id IN ({ids}) RETURNING id", before=before, most=limit))  # noqa: S608


def unreadable(db: SqlConnection, most: int) -> Sequence[str]:
    """Damaged jobs, in words."""
    found: list[str] = []
    last = ""
    while rows := db.run(f"{_JOB} WHERE id > :last ORDER BY id LIMIT :page", last=last, page=READ_AT_ONCE):
        for row in rows:
            try:
                _job(row)
            except StoreError as error:
                found.append(str(error))
                if len(found) >= most:
                    return found
        last = rows[-1][0]
    return found


def _job(row: Sequence[Any]) -> JobRow:
    fields = dict(zip(JobRow.__struct_fields__, row, strict=True))
    try:
        fields["params"] = msgspec.json.decode(fields["params"], type=dict[str, Any])
        fields["result"] = None if fields["result"] is None else msgspec.json.decode(fields["result"])
    except (msgspec.MsgspecError, UnicodeError) as error:
        raise StoreError(f"Job {fields['id']!r} is damaged ({error}).") from error
    fields["cancel_requested"] = bool(fields["cancel_requested"])
    return JobRow(**fields)


def _must_exist(job: JobRow | None, job_id: str) -> JobRow:
    if job is None:
        raise UnknownName(f"There is no job {job_id!r}.")
    return job


def _lost(job_id: str, epoch: int) -> Superseded:
    return Superseded(f"Job {job_id!r} is over, gone or no longer of epoch {epoch}: another worker runs it, stop.")
