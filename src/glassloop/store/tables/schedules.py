"""Schedules and what became of their due times.

Every change is made on the schedule as it was read, or refused with `ScheduleChanged`: of all workers that find a due
time, one deals with it. `changing` does so inside the transaction that begins the turn, so that a due time is never
taken without its turn being stored, nor the other way round.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import msgspec

from glassloop.core.errors import StoreError, UnknownName, UsageError
from glassloop.core.records import Json
from glassloop.store.engine.database import SqlConnection, Work, column_text
from glassloop.store.engine.engine import StoreEngine
from glassloop.store.engine.paging import check_literal, newest
from glassloop.store.errors import ScheduleChanged
from glassloop.store.log.redaction import Redactor
from glassloop.store.records import ScheduleRow, ScheduleRun, ScheduleStatus

KEPT_RUNS = 200
"""Runs of one schedule; of more the oldest are forgotten."""

MAX_NOTE_CHARS = 1_000

_NAMES = ScheduleRow.__struct_fields__
SCHEDULE = f"SELECT {', '.join(_NAMES)} FROM schedules"  # noqa: S608
_ADD = f"INSERT INTO schedules ({', '.join(_NAMES)}) VALUES ({', '.join(f':{name}' for name in _NAMES)})"  # noqa: S608
_LIVE = "SELECT count(*) FROM schedules WHERE user_id = :user AND status <> 'ended'"
_DUE = f"{SCHEDULE} WHERE status = 'active' AND wake_at <= :now ORDER BY wake_at LIMIT :most"
_AHEAD = f"{SCHEDULE} WHERE status = 'active' AND due_at > :now ORDER BY due_at LIMIT :most"
_OVER = f"""SELECT {", ".join(f"schedules.{name}" for name in _NAMES)}, turns.status, turns.error FROM schedules
 LEFT JOIN turns ON turns.id = schedules.turn_id WHERE schedules.is_open = 1
 AND (turns.status IS NULL OR turns.status NOT IN ('running', 'paused')) LIMIT :most"""  # noqa: S608
_RUN_NAMES = ScheduleRun.__struct_fields__
_RUNS = f"""SELECT {", ".join(_RUN_NAMES)} FROM schedule_runs WHERE schedule_id = :schedule AND due_at > :after
 ORDER BY due_at DESC, attempt DESC LIMIT :most"""  # noqa: S608
_ADD_RUN = f"""INSERT INTO schedule_runs ({", ".join(_RUN_NAMES)}) VALUES ({", ".join(f":{n}" for n in _RUN_NAMES)})
 ON CONFLICT (schedule_id, due_at, attempt) DO NOTHING RETURNING due_at"""  # noqa: S608
_TRIM = """DELETE FROM schedule_runs WHERE schedule_id = :schedule AND due_at < (SELECT due_at FROM schedule_runs
 WHERE schedule_id = :schedule ORDER BY due_at DESC LIMIT 1 OFFSET :kept)"""


class EndedRun(NamedTuple):
    """A schedule whose last run is over, and how; the status is None where the turn was deleted."""

    schedule: ScheduleRow
    status: str | None
    error: str | None


class ScheduleTable:
    """Schedules of all users."""

    def __init__(self, engine: StoreEngine, redactor: Redactor) -> None:
        self._engine = engine
        self._redactor = redactor

    async def add(self, row: ScheduleRow, most: int | None = None) -> None:
        """Stores a new one; raises `UsageError` where its user has `most` that are not ended."""
        for text in filter(None, (row.question, row.until)):
            if self._redactor.text(text) != text:
                raise UsageError(
                    "The question or condition of a schedule holds what looks like a secret, which is not stored: "
                    "set it where the assistant's tools read it."
                )

        def work(db: SqlConnection) -> None:
            live = db.run(_LIVE, user=column_text(row.user_id))[0][0]
            if most is not None and live >= most:
                raise UsageError(f"User {row.user_id!r} has {live} schedules; the limit is {most}: cancel one first.")
            db.run(_ADD, **_columns(row))

        await self._engine.write(work, sync=True, locks=(column_text(f"user {row.user_id}"),))

    async def get(self, schedule_id: str) -> ScheduleRow | None:
        found = await self._engine.read(lambda db: db.run(f"{SCHEDULE} WHERE id = :id", id=schedule_id))
        return as_schedule(found[0]) if found else None

    async def list(
        self, limit: int = 50, user_id: str | None = None, status: ScheduleStatus | None = None
    ) -> Sequence[ScheduleRow]:
        """Newest first."""
        check_literal(status, ScheduleStatus, "status")
        rows = await self._engine.read(
            lambda db: newest(db, SCHEDULE, "created_at", limit, user_id=user_id, status=status)
        )
        return tuple(map(as_schedule, rows))

    async def due(self, now: float, limit: int) -> Sequence[ScheduleRow]:
        """Active ones that are to be looked at by then, the longest waiting first."""
        return tuple(map(as_schedule, await self._engine.read(lambda db: db.run(_DUE, now=now, most=limit))))

    async def ahead(self, now: float, limit: int) -> Sequence[ScheduleRow]:
        """Active ones whose last run was due later than now: the clock went back."""
        return tuple(map(as_schedule, await self._engine.read(lambda db: db.run(_AHEAD, now=now, most=limit))))

    async def over(self, limit: int) -> Sequence[EndedRun]:
        """Those whose last run came to its end, which is not noted yet."""
        rows = await self._engine.read(lambda db: db.run(_OVER, most=limit))
        return [EndedRun(as_schedule(row[:-2]), row[-2], row[-1]) for row in rows]

    async def runs(self, schedule_id: str, limit: int = 50, after: float = 0.0) -> Sequence[ScheduleRun]:
        """What became of its due times after then, the latest first."""
        rows = await self._engine.read(
            lambda db: db.run(_RUNS, schedule=schedule_id, after=after, most=min(limit, 2 * KEPT_RUNS))
        )
        return tuple(ScheduleRun(**dict(zip(_RUN_NAMES, row, strict=True))) for row in rows)

    async def change(self, row: ScheduleRow, run: ScheduleRun | None = None, **changes: Json) -> ScheduleRow:
        """The schedule with these fields changed; with `run` also what became of a due time. Raises
        `ScheduleChanged` where it is not as it was read, or where that due time was dealt with before."""
        await self._engine.write(self.changing(row, run, **changes), sync=True)
        return msgspec.structs.replace(row, **changes, version=row.version + 1)

    def changing(self, row: ScheduleRow, run: ScheduleRun | None = None, **changes: Json) -> Work[None]:
        """The same as a part of another transaction."""
        changed = msgspec.structs.replace(row, **changes, version=row.version + 1)
        if "note" in changes:
            changed = msgspec.structs.replace(changed, note=self._redactor.text(changed.note)[:MAX_NOTE_CHARS])
        values = {name: value for name, value in _columns(changed).items() if name in changes}
        sets = ", ".join(f"{name} = :{name}" for name in (*values, "version"))
        sql = f"UPDATE schedules SET {sets} WHERE id = :id AND version = :read RETURNING id"  # noqa: S608

        def work(db: SqlConnection) -> None:
            if not db.run(sql, **values, version=changed.version, id=row.id, read=row.version):
                raise ScheduleChanged(f"Schedule {row.id!r} has changed in the meantime: check it and try again.")
            if run is not None:
                _add_run(db, run, self._redactor)

        return work


def _add_run(db: SqlConnection, run: ScheduleRun, redactor: Redactor) -> None:
    values = msgspec.structs.asdict(run)
    values["note"] = column_text(redactor.text(run.note)[:MAX_NOTE_CHARS])
    if not db.run(_ADD_RUN, **values):
        raise ScheduleChanged(
            f"Schedule {run.schedule_id!r} already had a run for {run.due_at}: check it and try again."
        )
    db.run(_TRIM, schedule=run.schedule_id, kept=KEPT_RUNS)


def delete_of_user(db: SqlConnection, user_id: str) -> int:
    """Deletes the schedules of a user with their runs; how many schedules."""
    of_user = "(SELECT id FROM schedules WHERE user_id = :user)"
    db.run(f"DELETE FROM schedule_runs WHERE schedule_id IN {of_user}", user=column_text(user_id))  # noqa: S608
    return len(db.run("DELETE FROM schedules WHERE user_id = :user RETURNING id", user=column_text(user_id)))


def purge_some(db: SqlConnection, before: float, limit: int) -> int:
    """Deletes schedules that ended and whose last run was due before then; how many."""
    sql = """DELETE FROM schedules WHERE id IN (SELECT id FROM schedules WHERE status = 'ended' AND is_open = 0
 AND coalesce(due_at, created_at) < :before LIMIT :most) RETURNING id"""
    gone = db.run(sql, before=before, most=limit)
    for (schedule_id,) in gone:
        db.run("DELETE FROM schedule_runs WHERE schedule_id = :id", id=schedule_id)
    return len(gone)


def _columns(row: ScheduleRow) -> dict[str, object]:
    values: dict[str, Any] = msgspec.structs.asdict(row)
    values["wanted"] = msgspec.json.encode(row.wanted).decode()
    given = ((name, column_text(value) if isinstance(value, str) else value) for name, value in values.items())
    return {name: int(value) if isinstance(value, bool) else value for name, value in given}


def as_schedule(row: Sequence[Any]) -> ScheduleRow:
    fields: dict[str, Any] = dict(zip(_NAMES, row, strict=True))
    try:
        fields["wanted"] = msgspec.json.decode(fields["wanted"], type=dict[str, Any])
    except (msgspec.MsgspecError, UnicodeError) as error:
        raise StoreError(f"Schedule {fields['id']!r} is damaged ({error}).") from error
    fields["is_open"], fields["unseen"] = bool(fields["is_open"]), bool(fields["unseen"])
    return ScheduleRow(**fields)


def must_exist(row: ScheduleRow | None, schedule_id: str, user: str | None) -> ScheduleRow:
    """The schedule, if there is one and it is this user's; None is any user's."""
    if row is None or (user is not None and row.user_id != user):
        raise UnknownName(f"There is no schedule {schedule_id!r}.")
    return row
