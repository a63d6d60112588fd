"""Links by which anybody may read a conversation up to one of its turns.

A link's token is 32 random bytes, and only its SHA-256 is stored. A session has one link at most; a new one ends the
old one. Links go with their session, and with their user, and may end by themselves at a time.
"""

import secrets
from collections.abc import AsyncGenerator, Sequence
from typing import Any

from glassloop.core.errors import UsageError
from glassloop.core.records import Record
from glassloop.store.engine.database import SqlConnection, column_text
from glassloop.store.engine.engine import StoreEngine
from glassloop.store.log import turn_tree
from glassloop.store.tables.keys import SECRET_BYTES, digest_of

TURNS_AT_ONCE = 16

_PUT = """INSERT INTO shares (session_id, user_id, digest, turn_id, at, expires_at)
 VALUES (:session, :user, :digest, :turn, :at, :expires)
 ON CONFLICT (session_id) DO UPDATE SET user_id = excluded.user_id, digest = excluded.digest,
 turn_id = excluded.turn_id, at = excluded.at, expires_at = excluded.expires_at"""
_WORKS = "(shares.expires_at IS NULL OR shares.expires_at > :now)"
_OF_SESSION = f"SELECT session_id, turn_id, at, expires_at FROM shares WHERE session_id = :session AND {_WORKS}"  # noqa: S608
_FIND = f"""SELECT shares.session_id, shares.turn_id, shares.at, shares.expires_at, sessions.title, sessions.assistant
 FROM shares JOIN sessions ON sessions.id = shares.session_id AND sessions.user_id = shares.user_id
 WHERE shares.digest = :digest AND {_WORKS}"""  # noqa: S608
_NEWEST = """SELECT id FROM turns WHERE session_id = :session AND on_path = 1 AND status NOT IN ('running', 'paused')
 ORDER BY started_at DESC, id DESC LIMIT 1"""
_PLACES = "SELECT id, previous_turn_id, on_path FROM turns WHERE session_id = :session ORDER BY started_at, id"
_TURN = "SELECT id, status, question, answer, started_at FROM turns WHERE id = :turn AND finished_at IS NOT NULL"


class Share(Record, frozen=True, kw_only=True):
    """A link that works. `turn_id` is the last turn that it shows; `at` is when it was made, `expires_at` when it ends
    by itself; null is never."""

    session_id: str
    turn_id: str
    at: float
    expires_at: float | None = None


class SharedSession(Share, frozen=True, kw_only=True):
    """What a link leads to."""

    title: str
    assistant: str


class SharedTurn(Record, frozen=True, kw_only=True):
    """A turn as whoever has the link sees it: without its steps."""

    id: str
    status: str
    question: str
    answer: str | None
    started_at: float


class ShareTable:
    """Links of all users."""

    def __init__(self, engine: StoreEngine) -> None:
        self._engine = engine

    async def create(self, session_id: str, user_id: str, lasts_s: float | None = None) -> tuple[str, Share]:
        """A new link's token, which is told here and never again, and what is stored of it. It shows the turns that
        are over by now. `lasts_s`: how long it works; default, until it is withdrawn."""
        token, now = secrets.token_urlsafe(SECRET_BYTES), self._engine.clock()

        def work(db: SqlConnection) -> Share:
            newest = db.run(_NEWEST, session=session_id)
            if not newest:
                raise UsageError("There is nothing to share yet: wait for the first answer.")
            expires = None if lasts_s is None else now + lasts_s
            share = Share(session_id=session_id, turn_id=newest[0][0], at=now, expires_at=expires)
            given = {"user": column_text(user_id), "digest": digest_of(token), "turn": share.turn_id}
            db.run(_PUT, session=session_id, at=now, expires=expires, **given)
            return share

        return token, await self._engine.write(work, sync=True)

    async def of_session(self, session_id: str) -> Share | None:
        now = self._engine.clock()
        rows = await self._engine.read(lambda db: db.run(_OF_SESSION, session=session_id, now=now))
        return Share(**dict(zip(Share.__struct_fields__, rows[0], strict=True))) if rows else None

    async def revoke(self, session_id: str) -> bool:
        """From now on the link leads nowhere; whether there was one."""
        return await self._engine.write(lambda db: delete_of_session(db, session_id), sync=True)

    async def find(self, token: str) -> SharedSession | None:
        now = self._engine.clock()
        rows = await self._engine.read(lambda db: db.run(_FIND, digest=digest_of(token), now=now))
        return SharedSession(**dict(zip(SharedSession.__struct_fields__, rows[0], strict=True))) if rows else None

    async def turn_pages(self, share: Share) -> AsyncGenerator[Sequence[SharedTurn], None]:
        """The turns that lead to the shared one, oldest first, some at a time."""
        path = await self._engine.read(lambda db: _path(db, share))
        for begin in range(0, len(path), TURNS_AT_ONCE):
            wanted = path[begin : begin + TURNS_AT_ONCE]
            yield await self._engine.read(lambda db, wanted=wanted: _turns(db, wanted))


def delete_of_session(db: SqlConnection, session_id: str) -> bool:
    return bool(db.run("DELETE FROM shares WHERE session_id = :session RETURNING session_id", session=session_id))


def _path(db: SqlConnection, share: Share) -> list[str]:
    places = [turn_tree.StoredPlace(*row) for row in db.run(_PLACES, session=share.session_id)]
    return turn_tree.path_to(share.turn_id, turn_tree.previous_turns(places))


def _turns(db: SqlConnection, wanted: Sequence[str]) -> Sequence[SharedTurn]:
    rows: list[Sequence[Any]] = [row for turn_id in wanted for row in db.run(_TURN, turn=turn_id)]
    return [SharedTurn(**dict(zip(SharedTurn.__struct_fields__, row, strict=True))) for row in rows]
