"""Spending of users by day and month (UTC), in US dollars and tokens.

What a call may cost at worst is added before it is made, where the limits allow that, and corrected when it is over.
So several workers never spend the same money twice, and a process that dies has spent the worst.
"""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from glassloop.core.access import SpendLimits
from glassloop.core.records import Record
from glassloop.store.engine.database import SqlConnection, column_text
from glassloop.store.engine.engine import StoreEngine

_BEGIN = """INSERT INTO spending (user_id, period, dollars, tokens) VALUES (:user, :period, :dollars, :tokens)
 ON CONFLICT DO NOTHING"""
_READ = "SELECT dollars, tokens FROM spending WHERE user_id = :user AND period = :period"
_ADD = """UPDATE spending SET dollars = dollars + :dollars, tokens = tokens + :tokens
 WHERE user_id = :user AND period = :period"""
_BEFORE = """SELECT coalesce(sum(cost), 0), coalesce(sum(input_tokens), 0) + coalesce(sum(output_tokens), 0) FROM turns
 WHERE user_id = :user AND started_at >= :since"""
_OF_PERIOD = """SELECT user_id, dollars, tokens FROM spending WHERE period = :period
 UNION ALL
 SELECT user_id, coalesce(sum(cost), 0), coalesce(sum(input_tokens), 0) + coalesce(sum(output_tokens), 0) FROM turns
 WHERE started_at >= :since
 AND NOT EXISTS (SELECT 1 FROM spending WHERE spending.user_id = turns.user_id AND period = :period)
 GROUP BY user_id HAVING coalesce(sum(cost), 0) > 0 OR coalesce(sum(input_tokens), 0) > 0
 ORDER BY 2 DESC, 3 DESC, 1 LIMIT :most"""


class Spent(Record, frozen=True, kw_only=True):
    """What a user spent in a period; `resets_at` is when the next begins."""

    user_id: str
    period: str
    dollars: float
    tokens: int
    resets_at: float


class SpendPeriod(Record, frozen=True, kw_only=True):
    """A day or a month."""

    name: str
    begins_at: float
    resets_at: float


def day_of(at: float) -> SpendPeriod:
    begins = datetime.fromtimestamp(at, UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    ends = begins + timedelta(days=1)
    return SpendPeriod(name=f"{begins:%Y-%m-%d}", begins_at=begins.timestamp(), resets_at=ends.timestamp())


def month_of(at: float) -> SpendPeriod:
    begins = datetime.fromtimestamp(at, UTC).replace(day=1, hour=0, minute=0, second=0, microsecond=0)
    ends = (begins + timedelta(days=32)).replace(day=1)
    return SpendPeriod(name=f"{begins:%Y-%m}", begins_at=begins.timestamp(), resets_at=ends.timestamp())


class OverLimit(Record, frozen=True, kw_only=True):
    """Which limit a call would pass: its name in `SpendLimits`, how much that is, what is spent of it."""

    limit: str
    most: float
    spent: float
    resets_at: float


class SpendingTable:
    """What all users spent."""

    def __init__(self, engine: StoreEngine) -> None:
        self._engine = engine

    async def reserve(self, user: str, limits: SpendLimits, dollars: float, tokens: int) -> OverLimit | float:
        """Adds what a call may cost at worst, or says which limit forbids that. The time it was added, for `settle`."""
        now = self._engine.clock()
        return await self._engine.write(lambda db: _reserve(db, user, limits, dollars, tokens, now), locks=_lock(user))

    async def settle(self, user: str, at: float, dollars: float, tokens: int) -> None:
        """Adds the difference to what was reserved at that time, in the periods of that time."""

        def work(db: SqlConnection) -> None:
            for period in (day_of(at), month_of(at)):
                db.run(_ADD, user=column_text(user), period=period.name, dollars=dollars, tokens=tokens)

        await self._engine.write(work, locks=_lock(user))

    async def of_user(self, user: str) -> tuple[Spent, Spent]:
        """Today and this month."""
        now = self._engine.clock()

        def work(db: SqlConnection) -> tuple[Spent, Spent]:
            return _spent(db, user, day_of(now)), _spent(db, user, month_of(now))

        return await self._engine.read(work)

    async def of_everybody(self, limit: int = 1000) -> Sequence[tuple[Spent, Spent]]:
        """Today and this month, of those who spent most this month, with a limit or without."""
        now = self._engine.clock()

        def work(db: SqlConnection) -> Sequence[tuple[Spent, Spent]]:
            today = {each.user_id: each for each in _of_period(db, day_of(now), limit)}
            return [
                (today.get(month.user_id) or _spent(db, month.user_id, day_of(now)), month)
                for month in _of_period(db, month_of(now), limit)
            ]

        return await self._engine.read(work)

    async def prune(self, before: float) -> None:
        """Deletes what is of days before then; months go with their first day."""
        oldest = day_of(before).name
        await self._engine.write(lambda db: db.run("DELETE FROM spending WHERE period < :oldest", oldest=oldest))


def forget_spending(db: SqlConnection, user: str) -> int:
    """How many periods there were."""
    return len(db.run("DELETE FROM spending WHERE user_id = :user RETURNING period", user=column_text(user)))


def _reserve(
    db: SqlConnection, user: str, limits: SpendLimits, dollars: float, tokens: int, now: float
) -> OverLimit | float:
    periods = (day_of(now), month_of(now))
    for kind, period in zip(("day", "month"), periods, strict=True):
        spent = _spent(db, user, period)
        for unit, had, more in (("dollars", spent.dollars, dollars), ("tokens", spent.tokens, tokens)):
            most = getattr(limits, f"{unit}_per_{kind}")
            if most is not None and had + more > most:
                return OverLimit(limit=f"{unit}_per_{kind}", most=most, spent=had, resets_at=period.resets_at)
    for period in periods:
        begun = _spent(db, user, period)
        db.run(_BEGIN, user=column_text(user), period=period.name, dollars=begun.dollars, tokens=begun.tokens)
        db.run(_ADD, user=column_text(user), period=period.name, dollars=dollars, tokens=tokens)
    return now


def _spent(db: SqlConnection, user: str, period: SpendPeriod) -> Spent:
    """What was counted; before the first limit nothing is, and what finished turns cost is taken instead."""
    found = db.run(_READ, user=column_text(user), period=period.name)
    if not found:
        found = db.run(_BEFORE, user=column_text(user), since=period.begins_at)
    dollars, tokens = float(found[0][0]), int(found[0][1])
    return Spent(user_id=user, period=period.name, dollars=dollars, tokens=tokens, resets_at=period.resets_at)


def _of_period(db: SqlConnection, period: SpendPeriod, limit: int) -> Sequence[Spent]:
    return [
        Spent(user_id=user, period=period.name, dollars=float(dollars), tokens=int(tokens), resets_at=period.resets_at)
        for user, dollars, tokens in db.run(_OF_PERIOD, period=period.name, since=period.begins_at, most=limit)
    ]


def _lock(user: str) -> Sequence[str]:
    return (f"spending {user}",)
