"""Pages of what was said in a session, each turn with its events; what messages show of them is others' business.

Turns that another version replaced are left out.
"""

from collections.abc import Sequence
from typing import NamedTuple

from glassloop.core import events as e
from glassloop.core.errors import UnknownName
from glassloop.store.engine.database import SqlConnection
from glassloop.store.engine.engine import StoreEngine
from glassloop.store.log import turn_log
from glassloop.store.records import Role, to_iso

MAX_PAGE = 200

_ROWS = """SELECT m.id, m.role, coalesce(m.content, ''), m.created_at, m.turn_id FROM messages m
 LEFT JOIN turns t ON t.id = m.turn_id WHERE m.session_id = :session AND m.id < :before
 AND (m.turn_id IS NULL OR (m.role = 'user' AND t.on_path = 1))
 ORDER BY m.id DESC LIMIT :most"""
_OF_TURN = "SELECT min(id) FROM messages WHERE session_id = :session AND turn_id = :turn AND role = 'user'"
_LAST = 2**62


class SaidTurn(NamedTuple):
    """A turn, by its events."""

    events: tuple[e.Durable, ...]


class SaidAlone(NamedTuple):
    """A message that belongs to no turn."""

    id: int
    role: Role
    content: str
    created_at: str


class MessagePages:
    """Sessions in pieces, from the end."""

    def __init__(self, engine: StoreEngine) -> None:
        self._engine = engine

    async def before(
        self, session_id: str, most: int, *, turn_id: str | None = None, number: int | None = None
    ) -> Sequence[SaidTurn | SaidAlone]:
        """What holds the newest `most` messages of a session, up to that turn or before that message; oldest first."""
        return await self._engine.read(lambda db: _page(db, session_id, min(most, MAX_PAGE), turn_id, number))


def _page(
    db: SqlConnection, session_id: str, most: int, turn_id: str | None, number: int | None
) -> Sequence[SaidTurn | SaidAlone]:
    before = _LAST if number is None else number
    if turn_id is not None:
        found = db.run(_OF_TURN, session=session_id, turn=turn_id)[0][0]
        if found is None:
            raise UnknownName(f"There is no message of turn {turn_id!r} in this conversation: omit `before`.")
        before = found + 1
    page: list[SaidTurn | SaidAlone] = []
    # The newest turn may have no answer yet, and of that one only the question may be wanted.
    left = most + 2
    for ident, role, content, at, turn in db.run(_ROWS, session=session_id, before=before, most=left):
        if turn is None:
            page.append(SaidAlone(ident, role, content, to_iso(at)))
            left -= 1
        else:
            page.append(SaidTurn(turn_log.read_events(db, turn, skip_unknown=True)))
            left -= 2
        if left <= 0:
            break
    return page[::-1]
