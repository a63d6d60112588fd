"""Reviewing: everybody's sessions by what a reviewer looks for, ratings of single steps, and figures over time.

Lists are newest first and bounded. Text is looked for in the newest sessions only, as in a search.
"""

from collections.abc import Sequence
from typing import Any, Literal

from glassloop.core.errors import UnknownName
from glassloop.core.records import Record
from glassloop.store import session_table
from glassloop.store.access import Access
from glassloop.store.database import Database, column_text
from glassloop.store.listing import check_page, known
from glassloop.store.records import EVAL_USER, Rating, Session
from glassloop.store.searching import LOOKED_AT, MOST_WORDS, as_patterns, has_word

ReviewStatus = Literal["active", "completed", "awaiting_approval", "running", "failed", "cancelled"]
MOST_TARGETS = 500

_LINE = f"""SELECT {", ".join(f"s.{name}" for name in Session.__struct_fields__)},
 (SELECT count(*) FROM turns t WHERE t.session_id = s.id),
 (SELECT sum(coalesce(t.input_tokens, 0) + coalesce(t.output_tokens, 0)) FROM turns t WHERE t.session_id = s.id),
 (SELECT sum(t.cost) FROM turns t WHERE t.session_id = s.id),
 (SELECT count(*) FROM turns t WHERE t.session_id = s.id AND t.status = 'failed'),
 (SELECT t.status FROM turns t WHERE t.session_id = s.id ORDER BY t.started_at DESC LIMIT 1) FROM sessions s"""  # noqa: S608


class SessionLine(Session, frozen=True, kw_only=True):
    """A session in a list for review: with how many turns it has, how many of them failed, what they took, and how the
    last one stands."""

    turns: int
    failed: int
    tokens: int
    cost: float | None
    last_status: str | None


class Filters(Record, frozen=True, kw_only=True):
    """What a reviewer looks for; None does not matter. `since` and `until` are seconds since the epoch. Sessions of
    `glassloop eval` are found by their user only."""

    user_id: str | None = None
    assistant: str | None = None
    status: ReviewStatus | None = None
    rating: Rating | Literal["none"] | None = None
    words: tuple[str, ...] = ()
    since: float | None = None
    until: float | None = None


class StepRating(Record, frozen=True, kw_only=True):
    """What somebody thinks of one step. `target` is its call's id, or the number of its event."""

    turn_id: str
    target: str
    rating: Rating
    note: str | None
    by_user: str
    at: float


class Reviewing(Access):
    """What reviewers ask for."""

    async def review_sessions(self, wanted: Filters, limit: int = 50, offset: int = 0) -> Sequence[SessionLine]:
        """Newest first."""
        return await self._read(lambda db: listed(db, wanted, limit, offset))

    async def rate_step(self, turn_id: str, target: str, rating: str, note: str | None, by: str) -> None:
        """Rated again, the last one counts."""
        clean, now = None if note is None else self._redactor.text(note), self._clock()
        await self._writer.do(lambda db: rate_step(db, turn_id, target, rating, clean, by, now))

    async def step_ratings(self, session_id: str) -> Sequence[StepRating]:
        """Of all turns of a session."""
        return await self._read(lambda db: ratings_of(db, session_id))


def listed(db: Database, wanted: Filters, limit: int, offset: int) -> Sequence[SessionLine]:
    check_page(limit, offset)
    conditions, values = _conditions(wanted)
    order = "ORDER BY s.started_at DESC, s.id DESC"
    where = f"WHERE {' AND '.join(conditions)}" if conditions else ""
    patterns = as_patterns([word for word in wanted.words if word.strip()][:MOST_WORDS])
    # First which ones, from an index alone where that is possible; then what there is to tell about those.
    page = f"SELECT s.id FROM sessions s {where} {order} LIMIT :most OFFSET :skipped"  # noqa: S608
    if patterns:
        inner = f"SELECT s.id, s.title, s.started_at FROM sessions s {where} {order} LIMIT :looked"  # noqa: S608
        found = " AND ".join(map(has_word, patterns))
        page = f"SELECT s.id FROM ({inner}) s WHERE {found} {order} LIMIT :most OFFSET :skipped"  # noqa: S608
        values["looked"] = LOOKED_AT
    rows = db.run(f"{_LINE} WHERE s.id IN ({page}) {order}", most=limit, skipped=offset, **values, **patterns)
    return tuple(map(_line, rows))


def _conditions(wanted: Filters) -> tuple[list[str], dict[str, object]]:
    found: list[str] = []
    values: dict[str, object] = {}
    for name in ("user_id", "assistant"):
        if (value := getattr(wanted, name)) is not None:
            found.append(f"s.{name} = :{name}")
            values[name] = column_text(value)
    if wanted.user_id is None:
        found.append(f"s.user_id <> '{EVAL_USER}'")
    known(wanted.status, ReviewStatus, "status")
    if wanted.status in ("running", "failed", "cancelled"):
        # Each by an index of its own; as a value, the status would match none of them.
        found.append(f"s.id IN (SELECT session_id FROM turns WHERE status = '{wanted.status}')")  # noqa: S608
    elif wanted.status == "awaiting_approval":
        found.append("s.status = 'awaiting_approval'")
    elif wanted.status is not None:
        found.append("s.status = :status")
        values["status"] = wanted.status
    if wanted.rating == "none":
        found.append("s.rating IS NULL")
    elif wanted.rating is not None:
        known(wanted.rating, Rating, "rating")
        found.append(f"s.rating = '{wanted.rating}'")
    for name, sign in (("since", ">="), ("until", "<")):
        if (moment := getattr(wanted, name)) is not None:
            found.append(f"s.started_at {sign} :{name}")
            values[name] = moment
    return found, values


def _line(row: Sequence[Any]) -> SessionLine:
    session = session_table.as_session(row[:-5])
    turns, tokens, cost, failed, last = row[-5:]
    fields = {name: getattr(session, name) for name in Session.__struct_fields__}
    return SessionLine(**fields, turns=turns, failed=failed, tokens=int(tokens or 0), cost=cost, last_status=last)


def rate_step(db: Database, turn_id: str, target: str, rating: str, note: str | None, by: str, at: float) -> None:
    known(rating, Rating, "rating")
    found = db.run("SELECT session_id FROM turns WHERE id = :turn", turn=turn_id)
    if not found:
        raise UnknownName(f"There is no turn {turn_id!r}.")
    db.run(
        """INSERT INTO step_ratings (turn_id, target, session_id, rating, note, by_user, at)
 VALUES (:turn, :target, :session, :rating, :note, :by, :at) ON CONFLICT (turn_id, target) DO UPDATE SET
 rating = excluded.rating, note = excluded.note, by_user = excluded.by_user, at = excluded.at""",
        turn=turn_id,
        target=column_text(target),
        session=found[0][0],
        rating=rating,
        note=None if note is None else column_text(note),
        by=column_text(by),
        at=at,
    )


def ratings_of(db: Database, session_id: str) -> Sequence[StepRating]:
    """Oldest first."""
    names = StepRating.__struct_fields__
    sql = f"SELECT {', '.join(names)} FROM step_ratings WHERE session_id = :session ORDER BY at, target LIMIT :most"  # noqa: S608
    rows = db.run(sql, session=session_id, most=MOST_TARGETS)
    return tuple(StepRating(**dict(zip(names, row, strict=True))) for row in rows)
