"""Which turn or session is meant: by its id, or `last`, the newest that was not asked by an evaluation."""

from glassloop.core.errors import UnknownName
from glassloop.store.records import EVAL_USER, Session, TurnRow
from glassloop.store.store import Store

LAST = "last"
_LOOKED_AT = 1_000


async def find_turn(store: Store, given: str) -> TurnRow:
    """The turn; raises where there is none."""
    if given != LAST:
        found = await store.turns.get(given)
    else:
        newest = await store.turns.list(_LOOKED_AT)
        found = next((turn for turn in newest if turn.user_id != EVAL_USER), None)
    if found is None:
        raise UnknownName(f"There is no turn {given!r}: `glassloop sessions list` shows the conversations there are.")
    return found


async def find_session(store: Store, given: str, user: str | None) -> Session:
    """The session, if it is this user's; None is any user's."""
    if given == LAST:
        found = next(iter(await store.sessions.list(1, 0, user, evals=False)), None)
    else:
        found = await (store.sessions.get(given) if user is None else store.sessions.get_owned(given, user))
    if found is None:
        raise UnknownName(f"There is no session {given!r}: `glassloop sessions list` shows those there are.")
    return found
