"""Jobs: long work that is no turn, with progress and a wish to cancel. The statements behind the job interface.

Functions over one connection inside one transaction. A job has no log: its row is all there is, and `version` tells
those who watch it that it changed.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from glassloop.core.errors import StoreError, UnknownName
from glassloop.store.claims import as_pairs, check_free
from glassloop.store.database import Database, column_text
from glassloop.store.errors import Superseded
from glassloop.store.listing import known, newest
from glassloop.store.records import JobEnding, JobRow, JobStatus

READ_AT_ONCE = 200

_COLUMNS = ", ".join(JobRow.__struct_fields__)
_JOB = f"SELECT {_COLUMNS} FROM jobs"  # noqa: S608
# SQLite uses an index over some of the rows only where a query repeats its condition word for word.
_ALIVE = "status IN ('queued', 'running')"
_OWN = "id = :job AND epoch = :epoch AND status = 'running'"


def add(db: Database, job_id: str, kind: str, user_id: str, params: str, at: float) -> JobRow:
    found = db.run(
        f"""INSERT INTO jobs (id, kind, user_id, status, params, message, worker, epoch, lease_until, claims, version,
 created_at) VALUES (:job, :kind, :user, 'queued', :params, '', '', 0, 0, 0, 1, :at) RETURNING {_COLUMNS}""",  # noqa: S608
        job=job_id,
        kind=column_text(kind),
        user=column_text(user_id),
        params=params,
        at=at,
    )
    return _job(found[0])


def get(db: Database, job_id: str) -> JobRow | None:
    found = db.run(f"{_JOB} WHERE id = :job", job=job_id)
    return _job(found[0]) if found else None


def listed(db: Database, limit: int, user_id: str | None, status: str | None) -> Sequence[JobRow]:
    """Newest first."""
    known(status, JobStatus, "status")
    return tuple(map(_job, newest(db, _JOB, "created_at", limit, user_id=user_id, status=status)))


def claim(db: Database, job_id: str, worker: str, *, now: float, lease_s: float, epoch: int | None) -> JobRow:
    """Takes a job, or takes it over. Needs the lock of `lock_to_claim`."""
    job = _must_exist(get(db, job_id), job_id)
    if job.status not in ("queued", "running"):
        raise StoreError(f"Job {job_id!r} is {job.status}: there is nothing left to claim.")
    check_free("Job", job.id, job.worker, job.epoch, job.lease_until, worker=worker, now=now, epoch=epoch)
    found = db.run(
        f"""UPDATE jobs SET status = 'running', epoch = epoch + 1, claims = claims + 1, version = version + 1,
 worker = :worker, lease_until = :until, started_at = coalesce(started_at, :now)
 WHERE id = :job RETURNING {_COLUMNS}""",  # noqa: S608
        worker=column_text(worker),
        until=now + lease_s,
        now=now,
        job=job_id,
    )
    return _job(found[0])


def lock_to_claim(job_id: str) -> Sequence[str]:
    return (f"job {job_id}",)


def renew(db: Database, worker: str, held: Mapping[str, int], until: float) -> Sequence[str]:
    """Moves the end of all these leases, and names those that are no longer the worker's."""
    renewed = db.run(
        f"""UPDATE jobs SET lease_until = :until WHERE (id, epoch) IN ({db.pairs}) AND worker = :worker
 AND status = 'running' RETURNING id""",  # noqa: S608
        until=until,
        worker=column_text(worker),
        pairs=as_pairs(held),
    )
    kept = {row[0] for row in renewed}
    return tuple(job_id for job_id in held if job_id not in kept)


def report(db: Database, job_id: str, epoch: int, message: str, fraction: float | None) -> None:
    found = db.run(
        f"UPDATE jobs SET message = :message, fraction = :fraction, version = version + 1 WHERE {_OWN} RETURNING id",  # noqa: S608
        message=column_text(message),
        fraction=fraction,
        job=job_id,
        epoch=epoch,
    )
    if not found:
        raise _lost(job_id, epoch)


def finish(
    db: Database, job_id: str, epoch: int, status: str, result: str | None, error: str | None, at: float
) -> None:
    """The end. Told twice by the same worker, as after a commit of unknown fate, it is one end."""
    known(status, JobEnding, "ending")
    found = db.run(
        f"""UPDATE jobs SET status = :status, result = :result, error = :error, finished_at = :at, lease_until = 0,
 version = version + 1 WHERE {_OWN} RETURNING id""",  # noqa: S608
        status=status,
        result=result,
        error=None if error is None else column_text(error),
        at=at,
        job=job_id,
        epoch=epoch,
    )
    if not found:
        job = get(db, job_id)
        if job is None or (job.epoch, job.status) != (epoch, status):
            raise _lost(job_id, epoch)


def request_cancel(db: Database, job_id: str, at: float) -> None:
    """Ends a job that nobody has taken yet; of one that runs its worker sees to it. What is over stays as it is."""
    found = db.run(
        f"""UPDATE jobs SET cancel_requested = 1, version = version + 1,
 finished_at = CASE WHEN status = 'queued' THEN :at ELSE finished_at END,
 status = CASE WHEN status = 'queued' THEN 'cancelled' ELSE status END
 WHERE id = :job AND {_ALIVE} AND cancel_requested = 0 RETURNING id""",  # noqa: S608
        at=at,
        job=job_id,
    )
    if not found:
        _must_exist(get(db, job_id), job_id)


def cancelled_of(db: Database, worker: str) -> Sequence[str]:
    found = db.run(
        f"SELECT id FROM jobs WHERE status = 'running' AND {_ALIVE} AND worker = :worker AND cancel_requested = 1",  # noqa: S608
        worker=column_text(worker),
    )
    return tuple(row[0] for row in found)


def unfinished(db: Database, before: float, limit: int) -> Sequence[JobRow]:
    """Jobs that nobody runs: those that wait, oldest first, then those whose worker is gone."""
    sql = f"{_JOB} WHERE {_ALIVE} AND lease_until < :before ORDER BY lease_until, created_at LIMIT :most"
    return tuple(map(_job, db.run(sql, before=before, most=limit)))


def delete_of_user(db: Database, user_id: str) -> int:
    return len(db.run("DELETE FROM jobs WHERE user_id = :user RETURNING id", user=column_text(user_id)))


def purge_some(db: Database, before: float, limit: int) -> int:
    """Deletes jobs that were over before then; how many."""
    ids = f"SELECT id FROM jobs WHERE created_at < :before AND finished_at < :before AND NOT {_ALIVE} LIMIT :most"  # noqa: S608
    return len(db.run(f"DELETE FROM jobs WHERE id IN ({ids}) RETURNING id", before=before, most=limit))  # noqa: S608


def unreadable(db: Database, most: int) -> Sequence[str]:
    """What is damaged, in words."""
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
