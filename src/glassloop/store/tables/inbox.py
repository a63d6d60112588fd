"""The inbox of a user: turns that wait for a decision, results of turns that nobody watched, and schedules that stopped
by themselves. Nothing is copied: an entry is a mark in the row it is about.
"""

from collections.abc import Sequence

from glassloop.store.engine.database import SqlConnection, column_text
from glassloop.store.engine.engine import StoreEngine
from glassloop.store.engine.paging import check_page, newest
from glassloop.store.log import turn_log
from glassloop.store.records import InboxRow
from glassloop.store.tables.schedules import SCHEDULE, as_schedule

# SQLite uses an index over some of the rows only where a query repeats its condition word for word.
_WAITING = "user_id = :user AND status = 'paused' AND status IN ('running', 'paused')"
_UNSEEN = "user_id = :user AND unseen = 1 AND status IN ('completed', 'failed')"
_COUNTS = (
    *(f"SELECT count(*) FROM turns WHERE {where}" for where in (_WAITING, _UNSEEN)),  # noqa: S608
    "SELECT count(*) FROM schedules WHERE user_id = :user AND unseen = 1",
)
_SEEN = "UPDATE turns SET unseen = 0 WHERE user_id = :user AND unseen = 1 AND status NOT IN ('running', 'paused')"


class InboxTable:
    """The inboxes of all users."""

    def __init__(self, engine: StoreEngine) -> None:
        self._engine = engine

    async def read(self, user_id: str, limit: int = 50) -> InboxRow:
        """What waits for the user, all of it at one moment."""
        check_page(limit, 0)
        user = column_text(user_id)

        def work(db: SqlConnection) -> InboxRow:
            order = "ORDER BY started_at DESC LIMIT :most"
            waiting = turn_log.turns_where(db, f"{_WAITING} {order}", user=user, most=limit)
            unseen = turn_log.turns_where(db, f"{_UNSEEN} {order}", user=user, most=limit - len(waiting))
            stopped = newest(db, SCHEDULE, "created_at", limit, only="unseen = 1", user_id=user)
            return InboxRow(
                count=sum(db.run(sql, user=user)[0][0] for sql in _COUNTS),
                turns=(*waiting, *unseen),
                schedules=tuple(map(as_schedule, stopped)),
            )

        return await self._engine.read(work)

    async def mark_seen(self, user_id: str, ids: Sequence[str] | None = None) -> int:
        """Takes these turns and schedules, or all, out of the user's inbox; how many. A turn that waits stays there
        until it is decided, and one that runs comes back with its result."""
        user = column_text(user_id)
        schedules = "UPDATE schedules SET unseen = 0, version = version + 1 WHERE user_id = :user AND unseen = 1"

        def work(db: SqlConnection) -> int:
            if ids is None:
                return sum(len(db.run(f"{sql} RETURNING id", user=user)) for sql in (_SEEN, schedules))
            return sum(
                len(db.run(f"{sql} AND id = :id RETURNING id", user=user, id=column_text(each)))
                for each in ids
                for sql in (_SEEN, schedules)
            )

        return await self._engine.write(work)
