"""Tree of a session's turns: which turn each follows, and which of them lead to the newest.

Turns that follow the same one are versions of each other. Most sessions are a line, and cost nothing here.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple, Protocol

from glassloop.core import events as e
from glassloop.core.errors import UsageError
from glassloop.store.engine.database import SqlConnection
from glassloop.store.records import TurnRow

_NEWEST = "SELECT id FROM turns WHERE session_id = :session AND id <> :turn ORDER BY started_at DESC, id DESC LIMIT 1"
_PLACES = """SELECT id, previous_turn_id, on_path FROM turns WHERE session_id = :session AND id <> :turn
 ORDER BY started_at, id"""


class PlacedTurn(Protocol):
    """A turn as far as its place matters."""

    @property
    def id(self) -> str: ...

    @property
    def previous_turn_id(self) -> str | None: ...


class StoredPlace(NamedTuple):
    """A turn's place as its row has it."""

    id: str
    previous_turn_id: str | None
    on_path: int


def previous_turns(turns: Iterable[PlacedTurn]) -> dict[str, str]:
    """The turn that each of a session's turns follows, empty for those that begin the conversation. They are given in
    the order in which they started."""
    found, before = dict[str, str](), ""
    for turn in turns:
        found[turn.id] = before if turn.previous_turn_id is None else turn.previous_turn_id
        before = turn.id
    return found


def path_to(turn_id: str, previous: Mapping[str, str]) -> list[str]:
    """The turns that lead to that one, and it itself, oldest first. Times of imported turns may say that two of them
    follow each other: it ends where it would begin again."""
    path = dict[str, None]()
    while turn_id in previous and turn_id not in path:
        path[turn_id] = None
        turn_id = previous[turn_id]
    return list(path)[::-1]


def turns_before(rows: Sequence[TurnRow], turn_id: str) -> Sequence[TurnRow]:
    """Of all turns of a session, those that lead to that one."""
    return [row for row in turns_up_to(rows, turn_id) if row.id != turn_id]


def turns_up_to(rows: Sequence[TurnRow], turn_id: str | None) -> Sequence[TurnRow]:
    """Of all turns of a session, those that lead to that one, and it itself; of None to the newest, of an empty id
    none."""
    if turn_id is None:
        return [row for row in rows if row.on_path]
    path = set(path_to(turn_id, previous_turns(rows)))
    return [row for row in rows if row.id in path]


def place_turn(db: SqlConnection, event: e.TurnStarted) -> None:
    """Notes which turns lead to a new one. What came after the turn that it follows is off the path from now on; raises
    `UsageError` where its session has no such turn."""
    session, wanted = event.session_id, event.previous_turn_id
    newest = db.run(_NEWEST, session=session, turn=event.turn_id)
    if wanted is None or wanted == (newest[0][0] if newest else ""):
        return
    places = [StoredPlace(*row) for row in db.run(_PLACES, session=session, turn=event.turn_id)]
    previous = previous_turns(places)
    if wanted and wanted not in previous:
        raise UsageError(f"Session {session!r} has no turn {wanted!r} to follow: name one of its turns.")
    path = set(path_to(wanted, previous))
    for place in places:
        if bool(place.on_path) != (place.id in path):
            db.run("UPDATE turns SET on_path = :on WHERE id = :turn", on=int(place.id in path), turn=place.id)
    db.run("UPDATE sessions SET branches = branches + 1 WHERE id = :session", session=session)
