"""Maintenance of a store: checking it, backing it up, deleting what is old and what belongs to a user."""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path

from glassloop.core.errors import StoreError, UsageError
from glassloop.store.engine.database import EventRow, SqlConnection
from glassloop.store.engine.engine import StoreEngine
from glassloop.store.log.event_codec import to_events
from glassloop.store.records import HealthReport
from glassloop.store.tables import collections, dead_letters, inbox, jobs, schedules, sessions, users
from glassloop.store.tables.governance import access, audit, operations, spend

Forget = Callable[[Sequence[str]], Awaitable[object]]

PURGED_AT_ONCE = 100
PROBLEMS_SHOWN = 20
READ_AT_ONCE = 2000

_GAPS = """SELECT turn_id, min(seq), max(last), sum(last - seq + 1) FROM events GROUP BY turn_id
 HAVING min(seq) <> 1 OR max(last) <> sum(last - seq + 1) LIMIT :most"""
_ORPHANS = """SELECT DISTINCT turn_id FROM events WHERE NOT EXISTS (SELECT 1 FROM turns WHERE turns.id = events.turn_id)
 LIMIT :most"""
_EMPTY = """SELECT id FROM turns WHERE NOT EXISTS (SELECT 1 FROM events WHERE events.turn_id = turns.id) LIMIT :most"""
_PAGE = """SELECT turn_id, seq, last, at, kind, body FROM events
 WHERE turn_id > :turn OR (turn_id = :turn AND seq > :seq) ORDER BY turn_id, seq LIMIT :most"""


class StoreMaintenance:
    """Work on the whole database."""

    def __init__(self, engine: StoreEngine) -> None:
        self._engine = engine

    async def delete_user(self, user_id: str, *, by: str = audit.BY_COMMAND) -> int:
        """Everything of a user, with no trace left in the database; how many sessions that were. The audit keeps
        what they did, without their name. Who deletes themselves keeps what the operator decided for them and what
        they spent: they may be let in again, and would have shed their limits."""
        now = self._engine.clock()
        found, more = await self._engine.write(
            lambda db: _delete_user(db, user_id, now, by), sync=True, locks=audit.AUDIT_LOCK
        )
        if found or more:
            await self._engine.write(lambda db: db.reclaim(), alone=True)
        return found

    async def purge(self, older_than: float, forget: Forget | None = None) -> int:
        """Deletes sessions last active before then (seconds since the epoch) with nothing under way; how many.
        Jobs and schedules that were over before then go with them, uncounted. `forget` is told the ids of those that
        are gone."""
        while await self._engine.write(lambda db: jobs.purge_some(db, older_than, PURGED_AT_ONCE)):
            pass
        while await self._engine.write(lambda db: schedules.purge_some(db, older_than, PURGED_AT_ONCE)):
            pass
        total = 0
        while gone := await self._engine.write(lambda db: _purge_sessions(db, older_than)):
            total += len(gone)
            if forget is not None:
                await forget(gone)
        return total

    async def check(self) -> HealthReport:
        """Looks for damage, gaps and events that cannot be read. Reads everything."""
        return await self._engine.read(_check)

    async def backup(self, path: str) -> None:
        """A copy of one moment, while turns go on. SQLite only; refuses to overwrite."""
        if await asyncio.to_thread(Path(path).exists):
            raise UsageError(f"The file {path!r} already exists: choose another path.")
        await self._engine.read(lambda db: db.backup(path))


def _delete_user(db: SqlConnection, user_id: str, now: float, by: str) -> tuple[int, int]:
    """How many sessions that were, and how much else."""
    found = sessions.ids_of_user(db, user_id)
    for session_id in found:
        sessions.delete(db, session_id)
    more = jobs.delete_of_user(db, user_id) + schedules.delete_of_user(db, user_id)
    more += collections.delete_of_user(db, user_id)
    more += dead_letters.delete_of_user(db, user_id)
    more += operations.delete_of_user(db, user_id)
    more += users.forget_display_name(db, user_id) + inbox.forget_address(db, user_id)
    if by != user_id:
        more += spend.forget_spending(db, user_id)
        more += access.forget_groups(db, user_id) + access.forget_rule(db, user_id)
    return len(found), more + audit.erase_user(db, now, user_id, by)


def _purge_sessions(db: SqlConnection, before: float) -> Sequence[str]:
    found = sessions.ids_idle_since(db, before, PURGED_AT_ONCE)
    for session_id in found:
        sessions.delete(db, session_id)
    return found


def _check(db: SqlConnection) -> HealthReport:
    """Everything that is wrong, in words, and how much there is."""
    problems = [f"The database says: {text}." for text in db.integrity()]
    for turn_id, first, last, count in db.run(_GAPS, most=PROBLEMS_SHOWN):
        problems.append(f"Turn {turn_id!r} has {count} events numbered {first} to {last}: the log has a gap.")
    for (turn_id,) in db.run(_ORPHANS, most=PROBLEMS_SHOWN):
        problems.append(f"Turn {turn_id!r} has events and no row.")
    for (turn_id,) in db.run(_EMPTY, most=PROBLEMS_SHOWN):
        problems.append(f"Turn {turn_id!r} has a row and no events.")
    problems += _unreadable(db)
    problems += jobs.unreadable(db, PROBLEMS_SHOWN)
    tables = ("sessions", "turns", "events", "messages", "jobs", "schedules")
    counts = {table: db.run(f"SELECT count(*) FROM {table}")[0][0] for table in tables}  # noqa: S608
    counts["events"] = int(db.run("SELECT coalesce(sum(last - seq + 1), 0) FROM events")[0][0])
    return HealthReport(problems=tuple(problems), counts=counts)


def _unreadable(db: SqlConnection) -> Sequence[str]:
    found: list[str] = []
    turn, seq = "", 0
    while rows := [EventRow(*row) for row in db.run(_PAGE, turn=turn, seq=seq, most=READ_AT_ONCE)]:
        for row in rows:
            try:
                deque(to_events(row), maxlen=0)
            except StoreError as error:
                found.append(str(error))
                if len(found) >= PROBLEMS_SHOWN:
                    return found
        turn, seq = rows[-1].turn_id, rows[-1].seq
    return found
