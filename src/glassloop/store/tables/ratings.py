"""Ratings of single steps of a turn."""

from collections.abc import Sequence

from glassloop.core.errors import UnknownName
from glassloop.core.records import Record
from glassloop.store.engine.database import SqlConnection, column_text
from glassloop.store.engine.engine import StoreEngine
from glassloop.store.engine.paging import check_literal
from glassloop.store.log.redaction import Redactor
from glassloop.store.records import Rating

MAX_RATINGS = 500


class StepRating(Record, frozen=True, kw_only=True):
    """A judgement of one step. `target` is its call's id, or the number of its event."""

    turn_id: str
    target: str
    rating: Rating
    note: str | None
    by_user: str
    at: float


_NAMES = StepRating.__struct_fields__
_RATINGS = f"SELECT {', '.join(_NAMES)} FROM step_ratings WHERE session_id = :session ORDER BY at, target LIMIT :most"  # noqa: S608
_RATE = """INSERT INTO step_ratings (turn_id, target, session_id, rating, note, by_user, at)
 VALUES (:turn, :target, :session, :rating, :note, :by, :at) ON CONFLICT (turn_id, target) DO UPDATE SET
 rating = excluded.rating, note = excluded.note, by_user = excluded.by_user, at = excluded.at"""


class RatingTable:
    """Ratings of all steps. Those of whole sessions are in the session's row."""

    def __init__(self, engine: StoreEngine, redactor: Redactor) -> None:
        self._engine = engine
        self._redactor = redactor

    async def rate_step(self, turn_id: str, target: str, rating: str, note: str | None, by: str) -> None:
        """Rated again, the last one counts."""
        check_literal(rating, Rating, "rating")
        clean = None if note is None else column_text(self._redactor.text(note))
        texts = {"target": column_text(target), "rating": rating, "note": clean, "by": column_text(by)}
        now = self._engine.clock()

        def work(db: SqlConnection) -> None:
            found = db.run("SELECT session_id FROM turns WHERE id = :turn", turn=turn_id)
            if not found:
                raise UnknownName(f"There is no turn {turn_id!r}.")
            db.run(_RATE, turn=turn_id, session=found[0][0], at=now, **texts)

        await self._engine.write(work)

    async def of_session(self, session_id: str) -> Sequence[StepRating]:
        """Of all turns of a session, oldest first."""
        rows = await self._engine.read(lambda db: db.run(_RATINGS, session=session_id, most=MAX_RATINGS))
        return tuple(StepRating(**dict(zip(_NAMES, row, strict=True))) for row in rows)
