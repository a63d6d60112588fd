"""The inbox of a user: turns that wait for a decision, results of turns that nobody watched, and schedules that stopped
by themselves. Nothing is copied: an entry is a mark in the row it is about. Beside it, the address at which a user is
notified of it.
"""

from collections.abc import Sequence
from typing import Literal

from glassloop.core.records import Record
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

_ADDRESS = """SELECT user_id, url, format, details, page, seen_at, problem FROM notification_addresses
 WHERE user_id = :user"""
_PUT_ADDRESS = """INSERT INTO notification_addresses (user_id, url, format, details, page, seen_at, problem)
 VALUES (:user, :url, :format, :details, :page, :at, '') ON CONFLICT (user_id) DO UPDATE SET url = excluded.url,
 format = excluded.format, details = excluded.details, page = excluded.page, problem = ''"""

NotificationFormat = Literal["ntfy", "json"]


class NotificationAddress(Record, frozen=True, kw_only=True):
    """Where a user is notified. `details`: with the beginning of what was said; `page`: the address of the page that
    links lead to; `seen_at`: when a page of the user was last in view; `problem`: why the last one was not taken."""

    user_id: str
    url: str
    format: NotificationFormat
    details: bool
    page: str
    seen_at: float
    problem: str = ""


class NotificationTable:
    """The addresses of all users."""

    def __init__(self, engine: StoreEngine) -> None:
        self._engine = engine

    async def of_user(self, user: str) -> NotificationAddress | None:
        rows = await self._engine.read(lambda db: db.run(_ADDRESS, user=column_text(user)))
        if not rows:
            return None
        user_id, url, form, details, *rest = rows[0]
        page, seen_at, problem = rest
        return NotificationAddress(
            user_id=user_id, url=url, format=form, details=bool(details), page=page, seen_at=seen_at, problem=problem
        )

    async def set(self, user: str, url: str, form: NotificationFormat, *, details: bool, page: str) -> None:
        """In place of the one there is. Whoever sets it has a page in view."""
        given = {"user": column_text(user), "url": column_text(url), "format": form, "page": column_text(page)}
        now = self._engine.clock()
        await self._engine.write(lambda db: db.run(_PUT_ADDRESS, details=int(details), at=now, **given))

    async def remove(self, user: str) -> bool:
        """Whether there was one."""
        return await self._engine.write(lambda db: forget_address(db, user) > 0)

    async def mark_seen(self, user: str, at: float) -> None:
        """A page of the user is in view."""
        sql = "UPDATE notification_addresses SET seen_at = :at WHERE user_id = :user"
        if await self.of_user(user) is not None:
            await self._engine.write(lambda db: db.run(sql, user=column_text(user), at=at))

    async def set_problem(self, user: str, problem: str) -> None:
        sql = "UPDATE notification_addresses SET problem = :problem WHERE user_id = :user"
        await self._engine.write(lambda db: db.run(sql, user=column_text(user), problem=column_text(problem)))


def forget_address(db: SqlConnection, user: str) -> int:
    """How many there were."""
    sql = "DELETE FROM notification_addresses WHERE user_id = :user RETURNING user_id"
    return len(db.run(sql, user=column_text(user)))


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
