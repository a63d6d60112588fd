"""Keeping the store in order: checking it, deleting what is old or what a person wants gone, showing messages whole."""

from collections import deque
from collections.abc import Callable, Sequence

import msgspec

from glassloop.core import events as e
from glassloop.core.errors import StoreError
from glassloop.core.records import Json
from glassloop.store import auditing, job_table, session_table, turn_log
from glassloop.store.database import Database, Row
from glassloop.store.event_codec import to_events
from glassloop.store.records import Health, SessionMessage

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


def messages_with_traces(
    db: Database, session_id: str, trace: Callable[[Sequence[e.Durable]], Json] | None
) -> Sequence[SessionMessage]:
    """A session's messages; the answer of a turn shows the calls and the trace its events tell of."""
    return tuple(
        _traced(db, message, trace) if message.turn_id is not None and message.role == "assistant" else message
        for message in session_table.messages(db, session_id)
    )


def _traced(
    db: Database, message: SessionMessage, trace: Callable[[Sequence[e.Durable]], Json] | None
) -> SessionMessage:
    events = turn_log.read_events(db, message.turn_id or "", skip_unknown=True)
    calls = [msgspec.to_builtins(event.call) for event in events if isinstance(event, e.ToolCalled)]
    told = None if trace is None else msgspec.to_builtins(trace(events))
    return msgspec.structs.replace(message, tool_calls=calls, reasoning_trace=told)


def delete_user(db: Database, user_id: str) -> tuple[int, int]:
    """How many sessions that were, and how much else."""
    found = session_table.ids_of_user(db, user_id)
    for session_id in found:
        session_table.delete(db, session_id)
    return len(found), job_table.delete_of_user(db, user_id) + auditing.forget_user(db, user_id)


def purge_some(db: Database, before: float) -> Sequence[str]:
    found = session_table.ids_idle_since(db, before, PURGED_AT_ONCE)
    for session_id in found:
        session_table.delete(db, session_id)
    return found


def check(db: Database) -> Health:
    """Everything that is wrong, in words, and how much there is."""
    problems = [f"The database says: {text}." for text in db.integrity()]
    for turn_id, first, last, count in db.run(_GAPS, most=PROBLEMS_SHOWN):
        problems.append(f"Turn {turn_id!r} has {count} events numbered {first} to {last}: the log has a gap.")
    for (turn_id,) in db.run(_ORPHANS, most=PROBLEMS_SHOWN):
        problems.append(f"Turn {turn_id!r} has events and no row.")
    for (turn_id,) in db.run(_EMPTY, most=PROBLEMS_SHOWN):
        problems.append(f"Turn {turn_id!r} has a row and no events.")
    problems += _unreadable(db)
    problems += job_table.unreadable(db, PROBLEMS_SHOWN)
    tables = ("sessions", "turns", "events", "messages", "jobs")
    counts = {table: db.run(f"SELECT count(*) FROM {table}")[0][0] for table in tables}  # noqa: S608
    counts["events"] = int(db.run("SELECT coalesce(sum(last - seq + 1), 0) FROM events")[0][0])
    return Health(problems=tuple(problems), counts=counts)


def _unreadable(db: Database) -> Sequence[str]:
    found: list[str] = []
    turn, seq = "", 0
    while rows := [Row(*row) for row in db.run(_PAGE, turn=turn, seq=seq, most=READ_AT_ONCE)]:
        for row in rows:
            try:
                deque(to_events(row), maxlen=0)
            except StoreError as error:
                found.append(str(error))
                if len(found) >= PROBLEMS_SHOWN:
                    return found
        turn, seq = rows[-1].turn_id, rows[-1].seq
    return found
