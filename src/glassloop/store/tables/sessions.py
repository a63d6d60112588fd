"""Sessions and their messages.

What was said in a turn stands in the turn's row, and what it did in its log; its messages hold the same where people
query them, on PostgreSQL.
Functions over a connection run inside one transaction; other tables use them too.
"""

from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from typing import Any

import msgspec

from glassloop.core import events as e
from glassloop.core.errors import StoreError, UnknownName, UsageError
from glassloop.core.records import Json, Record
from glassloop.store.engine.database import SqlConnection, column_json, column_text
from glassloop.store.engine.engine import StoreEngine
from glassloop.store.engine.paging import check_literal, newest
from glassloop.store.log import turn_log
from glassloop.store.log.redaction import Redactor
from glassloop.store.records import EVAL_USER, Channel, Rating, Role, Session, SessionMessage, SessionStatus, to_iso
from glassloop.store.tables import dead_letters, shares

PAGE = 16
"""Messages that are read at once."""
MAX_RUNNING = 1000
"""Running sessions that are told at once."""
IDLE_LOOK_S = 30 * 86_400.0
"""How far back idle sessions are looked for: those begun earlier were looked at many times."""

_SESSION = f"SELECT {', '.join(Session.__struct_fields__)} FROM sessions"  # noqa: S608
_MESSAGES = """SELECT m.id, m.role, coalesce(m.content, CASE WHEN m.role = 'user' THEN t.question
 ELSE coalesce(t.answer, t.error) END, ''), CAST(m.reasoning_trace AS TEXT), CAST(m.tool_calls AS TEXT),
 m.tokens_prompt, m.tokens_completion, m.latency_ms, m.created_at, m.turn_id, 1 - coalesce(t.on_path, 1) FROM messages m
 LEFT JOIN turns t ON t.id = m.turn_id WHERE m.session_id = :session AND m.id > :after{only}
 ORDER BY m.id LIMIT :most"""
_RUNNING = """SELECT session_id, max(started_at) AS at FROM turns WHERE user_id = :user AND status = 'running'
 GROUP BY session_id ORDER BY at DESC LIMIT :most"""
_ON_PATH = " AND (t.on_path IS NULL OR t.on_path = 1)"


_FOLDERS = """SELECT folder, count(*) FROM sessions WHERE user_id = :user AND folder <> '' AND archived = 0
 GROUP BY folder ORDER BY lower(folder), folder LIMIT :most"""
MAX_FOLDER_CHARS = 80
MAX_FOLDERS = 200


class SessionFolder(Record, frozen=True, kw_only=True):
    """A folder of a user's conversations; it is there as long as one is in it."""

    name: str
    sessions: int


class SessionPlaces(Record, frozen=True, kw_only=True):
    """Which sessions are listed; None does not matter. An empty folder is none."""

    pinned: bool | None = None
    archived: bool | None = None
    folder: str | None = None
    temporary: bool | None = False

    @property
    def columns(self) -> dict[str, str | int | None]:
        flags = {"pinned": self.pinned, "archived": self.archived, "temporary": self.temporary}
        return {
            "folder": None if self.folder is None else column_text(self.folder),
            **{name: None if value is None else int(value) for name, value in flags.items()},
        }


class SessionTable:
    """Sessions of all users. `trace` turns a turn's events into the `reasoning_trace` of its message."""

    def __init__(
        self, engine: StoreEngine, redactor: Redactor, trace: Callable[[Sequence[e.Durable]], Json] | None
    ) -> None:
        self._engine = engine
        self._redactor = redactor
        self._trace = trace

    async def create(
        self,
        user_id: str,
        channel: str = "api",
        metadata: Mapping[str, Json] | None = None,
        *,
        title: str = "",
        temporary: bool = False,
    ) -> Session:
        session_id, now = self._engine.new_id(), self._engine.clock()
        called = self._text(title)
        clean = self._redactor.value(msgspec.to_builtins(metadata or {}))

        def work(db: SqlConnection) -> Session | None:
            create(db, session_id, user_id, channel, clean, now, title=called)
            if temporary:
                db.run("UPDATE sessions SET temporary = 1 WHERE id = :id", id=session_id)
            return get(db, session_id)

        session = await self._engine.write(work)
        if session is None:
            raise StoreError(f"Session {session_id!r} was not stored: check the database.")
        return session

    async def get(self, session_id: str) -> Session | None:
        return await self._engine.read(lambda db: get(db, session_id))

    async def get_owned(self, session_id: str, user_id: str) -> Session | None:
        """The session if it is this user's; None where it is another's, or nobody's."""
        session = await self.get(session_id)
        return session if session is not None and session.user_id == column_text(user_id) else None

    async def list(
        self,
        limit: int = 50,
        offset: int = 0,
        user_id: str | None = None,
        status: str | None = None,
        *,
        evals: bool = True,
        listed: SessionPlaces = SessionPlaces(),  # noqa: B008
    ) -> Sequence[Session]:
        """Newest first. Without `evals` those of `glassloop eval` are left out, unless that user's are asked for.
        `listed`: which of them; temporary ones only where they are asked for."""
        check_literal(status, SessionStatus, "status")
        only = "" if evals or user_id is not None else f"user_id <> '{EVAL_USER}'"
        wanted = {"user_id": user_id, "status": status, **listed.columns}
        return await self._engine.read(
            lambda db: tuple(map(as_session, newest(db, _SESSION, "started_at", limit, offset, only=only, **wanted)))
        )

    async def running(self, user_id: str) -> Sequence[str]:
        """The user's sessions with a turn that runs, the newest first, as many as a list shows."""
        rows = await self._engine.read(lambda db: db.run(_RUNNING, user=user_id, most=MAX_RUNNING))
        return [session for session, _ in rows]

    async def update_status(self, session_id: str, status: str) -> None:
        check_literal(status, SessionStatus, "status")
        ended = self._engine.clock() if status == "completed" else None
        await self._update(session_id, status=status, ended_at=ended)

    async def complete_idle(self, idle_s: float) -> int:
        """Sessions without activity for so long, and with nothing under way, are over; how many of the newest that
        were not yet."""
        before = self._engine.clock() - idle_s
        sql = """UPDATE sessions SET status = 'completed', ended_at = last_active WHERE status = 'active'
 AND started_at > :since AND started_at < :before AND last_active < :before AND NOT EXISTS (SELECT 1 FROM turns
 WHERE turns.session_id = sessions.id AND turns.status IN ('running', 'paused')) RETURNING id"""
        since = before - IDLE_LOOK_S
        return len(await self._engine.write(lambda db: db.run(sql, since=since, before=before)))

    async def add_rating(self, session_id: str, rating: str, note: str | None = None) -> None:
        check_literal(rating, Rating, "rating")
        await self._update(session_id, rating=rating, rating_note=None if note is None else self._text(note))

    async def rename(self, session_id: str, title: str) -> None:
        await self._update(session_id, title=self._text(title))

    async def retitle(self, session_id: str, old: str, title: str) -> bool:
        """Another title, unless somebody gave one meanwhile; whether it has it now."""
        clean = self._text(title)
        sql = "UPDATE sessions SET title = :title WHERE id = :id AND title = :old RETURNING id"
        return bool(await self._engine.write(lambda db: db.run(sql, title=clean, id=session_id, old=old)))

    async def place(
        self, session_id: str, *, pinned: bool | None = None, archived: bool | None = None, folder: str | None = None
    ) -> None:
        """Says where a session is listed; None leaves that as it is. Whoever archives it unpins it."""
        flags: dict[str, object] = {"archived": archived, "pinned": False if archived else pinned}
        changes = {name: int(bool(value)) for name, value in flags.items() if value is not None}
        named = {} if folder is None else {"folder": column_text(check_folder(folder))}
        if changes or named:
            await self._update(session_id, **changes, **named)

    async def folders(self, user_id: str) -> Sequence[SessionFolder]:
        """The user's folders by name, with how many sessions each has that are not archived."""
        rows = await self._engine.read(lambda db: db.run(_FOLDERS, user=column_text(user_id), most=MAX_FOLDERS))
        return tuple(SessionFolder(name=name, sessions=number) for name, number in rows)

    async def rename_folder(self, user_id: str, name: str, new: str) -> int:
        """Gives a folder another name, empty to take its sessions out of it; how many sessions that were. Where there
        is one of that name the two become one."""
        given = {"user": column_text(user_id), "name": column_text(name), "new": column_text(check_folder(new))}
        sql = "UPDATE sessions SET folder = :new WHERE user_id = :user AND folder = :name RETURNING id"
        return len(await self._engine.write(lambda db: db.run(sql, **given))) if name else 0

    async def temporary_idle(self, idle_s: float, limit: int) -> Sequence[str]:
        """The ids of temporary sessions that were not used for so long."""
        before = self._engine.clock() - idle_s
        sql = "SELECT id FROM sessions WHERE temporary = 1 AND last_active < :before LIMIT :most"
        rows = await self._engine.read(lambda db: db.run(sql, before=before, most=limit))
        return tuple(row[0] for row in rows)

    async def save_summary(self, session_id: str, summary: str, turn_id: str) -> None:
        """A summary of the turns up to that one."""
        await self._update(session_id, summary=self._text(summary), summary_turn_id=turn_id)

    async def forget(self, session_id: str) -> None:
        """From now on memory tells nothing of the turns so far; they stay in the log."""
        await self._update(session_id, forgotten_at=self._engine.clock())

    async def add_message(
        self,
        session_id: str,
        role: str,
        content: str,
        reasoning_trace: Json = None,
        tool_calls: Json = None,
        metrics: Mapping[str, Json] | None = None,
    ) -> int:
        """A message that belongs to no turn; its id. `metrics`: `tokens_prompt`, `tokens_completion`, `latency_ms`."""
        clean = self._redactor.value
        trace, calls = clean(msgspec.to_builtins(reasoning_trace)), clean(msgspec.to_builtins(tool_calls))
        text, figures, now = self._redactor.text(content), dict(metrics or {}), self._engine.clock()
        return await self._engine.write(lambda db: add_message(db, session_id, role, text, trace, calls, figures, now))

    async def messages(self, session_id: str) -> Sequence[SessionMessage]:
        """Oldest first; the answer of a turn with the turn's calls and trace. Without turns that were replaced."""
        return [message async for page in self.message_pages(session_id) for message in page]

    async def message_pages(
        self, session_id: str, size: int = PAGE, *, path_only: bool = True
    ) -> AsyncGenerator[Sequence[SessionMessage], None]:
        """The same in pieces: never all of a long session at once. Without `path_only` those of all turns."""
        after = 0

        def read(db: SqlConnection, after: int) -> Sequence[SessionMessage]:
            return tuple(self._traced(db, each) for each in messages(db, session_id, after, size, path_only=path_only))

        while page := await self._engine.read(lambda db, after=after: read(db, after)):
            yield page
            after = page[-1].id

    async def delete(self, session_id: str) -> bool:
        """Everything of a session; whether there was one."""
        return await self._engine.write(lambda db: delete(db, session_id))

    def _text(self, text: str) -> str:
        return column_text(self._redactor.text(text))

    async def _update(self, session_id: str, **values: object) -> None:
        changes = ", ".join(f"{name} = :{name}" for name in values)
        sql = f"UPDATE sessions SET {changes} WHERE id = :session RETURNING id"  # noqa: S608
        await self._engine.write(lambda db: _must_exist(db.run(sql, session=session_id, **values), session_id))

    def _traced(self, db: SqlConnection, message: SessionMessage) -> SessionMessage:
        if message.turn_id is None or message.role != "assistant":
            return message
        events = turn_log.read_events(db, message.turn_id, skip_unknown=True)
        trace = None if self._trace is None else msgspec.to_builtins(self._trace(events))
        return msgspec.structs.replace(message, tool_calls=turn_log.calls_of(events), reasoning_trace=trace)


def create(
    db: SqlConnection,
    session_id: str,
    user_id: str,
    channel: str,
    metadata: Mapping[str, Json],
    at: float,
    *,
    title: str = "",
) -> None:
    check_literal(channel, Channel, "channel")
    db.run(
        """INSERT INTO sessions (id, user_id, channel, started_at, last_active, message_count, status, metadata, title,
 assistant) VALUES (:id, :user, :channel, :at, :at, 0, 'active', :metadata, :title, '') RETURNING id""",
        id=session_id,
        user=column_text(user_id),
        channel=channel,
        at=at,
        metadata=column_json(dict(metadata)),
        title=title,
    )


def get(db: SqlConnection, session_id: str) -> Session | None:
    found = db.run(f"{_SESSION} WHERE id = :session", session=session_id)
    return as_session(found[0]) if found else None


def add_message(
    db: SqlConnection,
    session_id: str,
    role: str,
    content: str,
    reasoning_trace: Json,
    tool_calls: Json,
    metrics: Mapping[str, Json],
    at: float,
) -> int:
    check_literal(role, Role, "role")
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


def messages(
    db: SqlConnection, session_id: str, after: int = 0, most: int = 2**31, *, path_only: bool = False
) -> Sequence[SessionMessage]:
    """Oldest first, those after that one; of all turns, or of those that lead to the newest."""
    sql = _MESSAGES.format(only=_ON_PATH if path_only else "")
    return tuple(map(_message, db.run(sql, session=session_id, after=after, most=most)))


def delete(db: SqlConnection, session_id: str) -> bool:
    """Everything of a session; whether there was one."""
    of_session = "(SELECT id FROM turns WHERE session_id = :session)"
    db.run(f"DELETE FROM events WHERE turn_id IN {of_session}", session=session_id)  # noqa: S608
    db.run(f"DELETE FROM encrypted_events WHERE turn_id IN {of_session}", session=session_id)  # noqa: S608
    db.run(f"DELETE FROM turn_messages WHERE turn_id IN {of_session}", session=session_id)  # noqa: S608
    dead_letters.delete_of_session(db, session_id)
    db.run("DELETE FROM messages WHERE session_id = :session", session=session_id)
    db.run("DELETE FROM step_ratings WHERE session_id = :session", session=session_id)
    db.run("DELETE FROM grants WHERE session_id = :session", session=session_id)
    shares.delete_of_session(db, session_id)
    db.run("DELETE FROM session_workspaces WHERE session_id = :session", session=session_id)
    db.run("DELETE FROM blobs WHERE session_id = :session", session=session_id)
    db.run("DELETE FROM turns WHERE session_id = :session", session=session_id)
    return bool(db.run("DELETE FROM sessions WHERE id = :session RETURNING id", session=session_id))


def ids_of_user(db: SqlConnection, user_id: str) -> Sequence[str]:
    return tuple(row[0] for row in db.run("SELECT id FROM sessions WHERE user_id = :user", user=user_id))


def ids_idle_since(db: SqlConnection, before: float, limit: int) -> Sequence[str]:
    """Sessions without activity since then and with nothing under way."""
    sql = """SELECT id FROM sessions WHERE started_at < :before AND last_active < :before AND NOT EXISTS (SELECT 1
 FROM turns WHERE turns.session_id = sessions.id AND turns.status IN ('running', 'paused')) LIMIT :most"""
    return tuple(row[0] for row in db.run(sql, before=before, most=limit))


def check_folder(name: str) -> str:
    """The name of a folder on one line; empty is none."""
    clean = " ".join(name.split())
    if len(clean) > MAX_FOLDER_CHARS:
        raise UsageError(f"The folder's name has {len(clean)} characters: {MAX_FOLDER_CHARS} is the limit.")
    return clean


def _must_exist(found: Sequence[object], session_id: str) -> None:
    if not found:
        raise UnknownName(f"There is no session {session_id!r}.")


def as_session(row: Sequence[Any]) -> Session:
    fields = dict(zip(Session.__struct_fields__, row, strict=True))
    for name in ("started_at", "ended_at", "last_active", "forgotten_at"):
        fields[name] = None if fields[name] is None else to_iso(fields[name])
    for name in ("pinned", "archived", "temporary"):
        fields[name] = bool(fields[name])
    fields["metadata"] = msgspec.json.decode(fields["metadata"])
    return Session(**fields)


def _message(row: Sequence[Any]) -> SessionMessage:
    fields = dict(zip(SessionMessage.__struct_fields__, row, strict=True))
    for name in ("reasoning_trace", "tool_calls"):
        fields[name] = None if fields[name] is None else msgspec.json.decode(fields[name])
    fields["created_at"], fields["replaced"] = to_iso(fields["created_at"]), bool(fields["replaced"])
    return SessionMessage(**fields)
