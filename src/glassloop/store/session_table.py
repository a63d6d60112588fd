"""Sessions and their messages: the statements behind the session interface.

Functions over one connection inside one transaction. The messages of a turn hold no text of their own: it stands in
the turn's row.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from glassloop.core.errors import UnknownName
from glassloop.core.records import Json
from glassloop.store.database import Database, column_json, column_text
from glassloop.store.listing import known, newest
from glassloop.store.records import EVAL_USER, Channel, Rating, Role, Session, SessionMessage, SessionStatus, to_iso

_SESSION = f"SELECT {', '.join(Session.__struct_fields__)} FROM sessions"  # noqa: S608
_MESSAGES = """SELECT m.id, m.role, coalesce(m.content, CASE WHEN m.role = 'user' THEN t.question
 ELSE coalesce(t.answer, t.error) END, ''), m.reasoning_trace, m.tool_calls, m.tokens_prompt, m.tokens_completion,
 m.latency_ms, m.created_at, m.turn_id FROM messages m LEFT JOIN turns t ON t.id = m.turn_id
 WHERE m.session_id = :session ORDER BY m.id"""


def create(db: Database, session_id: str, user_id: str, channel: str, metadata: Mapping[str, Json], at: float) -> None:
    known(channel, Channel, "channel")
    db.run(
        """INSERT INTO sessions (id, user_id, channel, started_at, last_active, message_count, status, metadata, title,
 assistant) VALUES (:id, :user, :channel, :at, :at, 0, 'active', :metadata, '', '') RETURNING id""",
        id=session_id,
        user=column_text(user_id),
        channel=channel,
        at=at,
        metadata=column_json(dict(metadata)),
    )


def get(db: Database, session_id: str) -> Session | None:
    found = db.run(f"{_SESSION} WHERE id = :session", session=session_id)
    return as_session(found[0]) if found else None


def listed(
    db: Database, limit: int, offset: int, user_id: str | None, status: str | None, *, evals: bool = True
) -> Sequence[Session]:
    """Newest first."""
    known(status, SessionStatus, "status")
    only = "" if evals or user_id is not None else f"user_id <> '{EVAL_USER}'"
    rows = newest(db, _SESSION, "started_at", limit, offset, only=only, user_id=user_id, status=status)
    return tuple(map(as_session, rows))


def add_message(
    db: Database,
    session_id: str,
    role: str,
    content: str,
    reasoning_trace: Json,
    tool_calls: Json,
    metrics: Mapping[str, Json],
    at: float,
) -> int:
    known(role, Role, "role")
    touch = """UPDATE sessions SET message_count = message_count + 1, last_active = :at WHERE id = :session
 RETURNING id"""
    _must_exist(db.run(touch, at=at, session=session_id), session_id)
    found = db.run(
        """INSERT INTO messages (session_id, role, content, reasoning_trace, tool_calls, tokens_prompt,
 tokens_completion, latency_ms, created_at)
 VALUES (:session, :role, :content, :trace, :calls, :read, :written, :latency, :at) RETURNING id""",
        session=session_id,
        role=role,
        content=column_text(content),
        trace=column_json(reasoning_trace),
        calls=column_json(tool_calls),
        read=metrics.get("tokens_prompt"),
        written=metrics.get("tokens_completion"),
        latency=metrics.get("latency_ms"),
        at=at,
    )
    return found[0][0]


def messages(db: Database, session_id: str) -> Sequence[SessionMessage]:
    """Oldest first."""
    return tuple(map(_message, db.run(_MESSAGES, session=session_id)))


def set_status(db: Database, session_id: str, status: str, at: float) -> None:
    known(status, SessionStatus, "status")
    sql = "UPDATE sessions SET status = :status, ended_at = :ended WHERE id = :session RETURNING id"
    _must_exist(db.run(sql, status=status, ended=at if status == "completed" else None, session=session_id), session_id)


def rate(db: Database, session_id: str, rating: str, note: str | None) -> None:
    known(rating, Rating, "rating")
    sql = "UPDATE sessions SET rating = :rating, rating_note = :note WHERE id = :session RETURNING id"
    note = None if note is None else column_text(note)
    _must_exist(db.run(sql, rating=rating, note=note, session=session_id), session_id)


def rename(db: Database, session_id: str, title: str) -> None:
    found = db.run(
        "UPDATE sessions SET title = :title WHERE id = :id RETURNING id", title=column_text(title), id=session_id
    )
    _must_exist(found, session_id)


def retitle(db: Database, session_id: str, old: str, title: str) -> bool:
    sql = "UPDATE sessions SET title = :title WHERE id = :id AND title = :old RETURNING id"
    return bool(db.run(sql, title=column_text(title), id=session_id, old=old))


def summarize(db: Database, session_id: str, summary: str, turn_id: str) -> None:
    sql = "UPDATE sessions SET summary = :summary, summary_turn_id = :turn WHERE id = :session RETURNING id"
    _must_exist(db.run(sql, summary=column_text(summary), turn=turn_id, session=session_id), session_id)


def forget(db: Database, session_id: str, at: float) -> None:
    found = db.run("UPDATE sessions SET forgotten_at = :at WHERE id = :session RETURNING id", at=at, session=session_id)
    _must_exist(found, session_id)


def delete(db: Database, session_id: str) -> bool:
    """Everything of a session; whether there was one."""
    of_session = "(SELECT id FROM turns WHERE session_id = :session)"
    db.run(f"DELETE FROM events WHERE turn_id IN {of_session}", session=session_id)  # noqa: S608
    db.run(f"DELETE FROM encrypted_events WHERE turn_id IN {of_session}", session=session_id)  # noqa: S608
    db.run("DELETE FROM messages WHERE session_id = :session", session=session_id)
    db.run("DELETE FROM step_ratings WHERE session_id = :session", session=session_id)
    db.run("DELETE FROM grants WHERE session_id = :session", session=session_id)
    db.run("DELETE FROM turns WHERE session_id = :session", session=session_id)
    return bool(db.run("DELETE FROM sessions WHERE id = :session RETURNING id", session=session_id))


def ids_of_user(db: Database, user_id: str) -> Sequence[str]:
    return tuple(row[0] for row in db.run("SELECT id FROM sessions WHERE user_id = :user", user=user_id))


def ids_idle_since(db: Database, before: float, limit: int) -> Sequence[str]:
    """Sessions without activity since then and with nothing under way."""
    sql = """SELECT id FROM sessions WHERE started_at < :before AND last_active < :before AND NOT EXISTS (SELECT 1
 FROM turns WHERE turns.session_id = sessions.id AND turns.status IN ('running', 'paused')) LIMIT :most"""
    return tuple(row[0] for row in db.run(sql, before=before, most=limit))


def _must_exist(found: Sequence[object], session_id: str) -> None:
    if not found:
        raise UnknownName(f"There is no session {session_id!r}.")


def as_session(row: Sequence[Any]) -> Session:
    fields = dict(zip(Session.__struct_fields__, row, strict=True))
    for name in ("started_at", "ended_at", "last_active", "forgotten_at"):
        fields[name] = None if fields[name] is None else to_iso(fields[name])
    fields["metadata"] = msgspec.json.decode(fields["metadata"])
    return Session(**fields)


def _message(row: Sequence[Any]) -> SessionMessage:
    fields = dict(zip(SessionMessage.__struct_fields__, row, strict=True))
    for name in ("reasoning_trace", "tool_calls"):
        fields[name] = None if fields[name] is None else msgspec.json.decode(fields[name])
    fields["created_at"] = to_iso(fields["created_at"])
    return SessionMessage(**fields)
