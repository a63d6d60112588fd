"""Search in sessions: a user's own by exact words, and everybody's by what a reviewer looks for.

Plain `LIKE`, the same on both databases: parts of words count, upper and lower case of ASCII do not matter (PostgreSQL
may know more letters). Looks at the newest sessions only, so that one search stays short. What is found beyond that,
and in which order, is the business of whoever searches past conversations.
"""

from collections.abc import Sequence
from string import ascii_lowercase
from typing import Any, Literal

from glassloop.core.errors import UsageError
from glassloop.core.records import Record
from glassloop.store.engine.database import SqlConnection, column_text
from glassloop.store.engine.engine import StoreEngine
from glassloop.store.engine.paging import check_literal, check_page
from glassloop.store.records import EVAL_USER, Rating, Session
from glassloop.store.tables import sessions

ReviewStatus = Literal["active", "completed", "awaiting_approval", "running", "failed", "cancelled"]
MAX_FOUND = 100
MAX_WORDS = 12
MAX_WORD_CHARS = 100
MAX_SEARCHED = 5_000
"""The sessions that one search looks at, the newest first."""
EXCERPT_CHARS = 240

_LIKE = "LIKE lower(:{name}) ESCAPE '!'"
_WORD = """({titled}lower(s.title) {like}
 OR EXISTS (SELECT 1 FROM turns t WHERE t.session_id = s.id{told} AND (lower(t.question) {like}
 OR lower(t.answer) {like}))
 OR EXISTS (SELECT 1 FROM messages m WHERE m.session_id = s.id{said} AND lower(m.content) {like}))"""
_TITLED = "s.forgotten_at IS NULL AND "
_TOLD = " AND t.finished_at IS NOT NULL AND t.on_path = 1 AND t.started_at > coalesce(s.forgotten_at, 0)"
"""Turns that are over, and that memory still tells of: not those that were replaced."""
_SAID = " AND m.turn_id IS NULL AND m.created_at > coalesce(s.forgotten_at, 0)"
"""Messages that are no turn's: what a turn said, its row has."""
_SESSIONS = """SELECT s.id FROM (SELECT id, title, started_at, forgotten_at FROM sessions WHERE user_id = :user
 AND temporary = 0 ORDER BY started_at DESC, id DESC LIMIT :looked) s WHERE {words}
 ORDER BY s.started_at DESC, s.id DESC LIMIT :most"""
_TEXTS = f"""SELECT turn_id, question, answer, {{has}} FROM (
 SELECT t.id AS turn_id, t.question, coalesce(t.answer, '') AS answer, t.started_at AS at
 FROM turns t JOIN sessions s ON s.id = t.session_id WHERE s.id = :session{_TOLD}
 UNION ALL SELECT NULL, coalesce(m.content, ''), '', m.created_at
 FROM messages m JOIN sessions s ON s.id = m.session_id WHERE s.id = :session{_SAID}
 UNION ALL SELECT NULL, s.title, '', 0 FROM sessions s WHERE {_TITLED}s.id = :session
) texts ORDER BY {{has}} DESC, at DESC LIMIT 1"""  # noqa: S608

_LINE = f"""SELECT {", ".join(f"s.{name}" for name in Session.__struct_fields__)},
 (SELECT count(*) FROM turns t WHERE t.session_id = s.id),
 (SELECT sum(coalesce(t.input_tokens, 0) + coalesce(t.output_tokens, 0)) FROM turns t WHERE t.session_id = s.id),
 (SELECT sum(t.cost) FROM turns t WHERE t.session_id = s.id),
 (SELECT count(*) FROM turns t WHERE t.session_id = s.id AND t.status = 'failed'),
 (SELECT t.status FROM turns t WHERE t.session_id = s.id ORDER BY t.started_at DESC LIMIT 1) FROM sessions s"""  # noqa: S608


class SearchHit(Record, frozen=True, kw_only=True):
    """A session that has all the words, and the text in it with most of them: `share` of them, around the first.
    `turn_id` when it is a turn's."""

    session: Session
    excerpt: str
    share: float
    turn_id: str | None = None


class ReviewedSession(Session, frozen=True, kw_only=True):
    """A session in a list for review: with how many turns it has, how many of them failed, what they took, and how the
    last one stands."""

    turns: int
    failed: int
    tokens: int
    cost: float | None
    last_status: str | None


class SessionFilters(Record, frozen=True, kw_only=True):
    """What a reviewer looks for; None does not matter. `since` and `until` are seconds since the epoch. Sessions of
    `glassloop eval` are found by their user only."""

    user_id: str | None = None
    assistant: str | None = None
    status: ReviewStatus | None = None
    rating: Rating | Literal["none"] | None = None
    words: tuple[str, ...] = ()
    since: float | None = None
    until: float | None = None


class SessionSearch:
    """Searches in the newest sessions only, so that one search stays short."""

    def __init__(self, engine: StoreEngine) -> None:
        self._engine = engine

    async def find_words(self, user_id: str, words: Sequence[str], limit: int = 20) -> Sequence[SearchHit]:
        """The user's sessions in which every one of the words occurs somewhere, newest first. Words beyond
        `MAX_WORDS`, and what is longer than `MAX_WORD_CHARS`, are left out."""
        if not 1 <= limit <= MAX_FOUND:
            raise UsageError(f"Cannot search for {limit} sessions: ask for 1 to {MAX_FOUND}.")
        wanted = [_storable(word)[:MAX_WORD_CHARS] for word in words if word.strip()][:MAX_WORDS]
        return await self._engine.read(lambda db: _search(db, column_text(user_id), wanted, limit)) if wanted else ()

    async def review(self, wanted: SessionFilters, limit: int = 50, offset: int = 0) -> Sequence[ReviewedSession]:
        """Everybody's sessions, newest first."""
        return await self._engine.read(lambda db: _reviewed(db, wanted, limit, offset))


def _search(db: SqlConnection, user_id: str, words: Sequence[str], limit: int) -> Sequence[SearchHit]:
    patterns = _patterns(words)
    every = " AND ".join(_has_word(name, _TITLED, _TOLD, _SAID) for name in patterns)
    rows = db.run(_SESSIONS.format(words=every), user=user_id, looked=MAX_SEARCHED, most=limit, **patterns)
    found = (sessions.get(db, row[0]) for row in rows)
    return tuple(_found(db, session, words, patterns) for session in found if session is not None)


def _patterns(words: Sequence[str]) -> dict[str, str]:
    """What `LIKE` takes for each word, by the names of the values: these have no digits."""
    letters = zip(ascii_lowercase, map(_storable, words), strict=False)
    return {f"word_{letter}": f"%{_escaped(word)}%" for letter, word in letters}


def _has_word(name: str, titled: str = "", told: str = "", said: str = "") -> str:
    """The condition that the word of that name occurs somewhere in session `s`: in a title, turn or message that
    meets these conditions."""
    return _WORD.format(like=_LIKE.format(name=name), titled=titled, told=told, said=said)


def _found(db: SqlConnection, session: Session, words: Sequence[str], patterns: dict[str, str]) -> SearchHit:
    has = " + ".join(
        f"CASE WHEN lower(question) {like} OR lower(answer) {like} THEN 1 ELSE 0 END"
        for like in (_LIKE.format(name=name) for name in patterns)
    )
    (row,) = db.run(_TEXTS.format(has=f"({has})"), session=session.id, **patterns)
    turn_id, question, answer, count = row
    text = "\n".join(part for part in (question, answer) if any(word.lower() in part.lower() for word in words))
    return SearchHit(session=session, excerpt=excerpt_of(text, words), share=count / len(words), turn_id=turn_id)


def excerpt_of(text: str, words: Sequence[str]) -> str:
    """What stands around the first word that is found, on one line."""
    lowered = text.lower()
    places = [place for word in words if (place := lowered.find(word.lower())) >= 0]
    start = max(0, min(places, default=0) - EXCERPT_CHARS // 4)
    shown = " ".join(text[start : start + EXCERPT_CHARS].split())
    return f"{'…' if start else ''}{shown}{'…' if start + EXCERPT_CHARS < len(text) else ''}"


def _escaped(word: str) -> str:
    return word.replace("!", "!!").replace("%", "!%").replace("_", "!_")


def _storable(word: str) -> str:
    """The word as it could stand in the database: half characters and NUL never do."""
    return column_text(word.strip().encode("utf-8", "surrogatepass").decode("utf-8", "replace"))


def _reviewed(db: SqlConnection, wanted: SessionFilters, limit: int, offset: int) -> Sequence[ReviewedSession]:
    check_page(limit, offset)
    conditions, values = _conditions(wanted)
    order = "ORDER BY s.started_at DESC, s.id DESC"
    where = f"WHERE {' AND '.join(conditions)}" if conditions else ""
    patterns = _patterns([word for word in wanted.words if word.strip()][:MAX_WORDS])
    # First which ones, from an index alone where that is possible; then what there is to tell about those.
    page = f"SELECT s.id FROM sessions s {where} {order} LIMIT :most OFFSET :skipped"  # noqa: S608
    if patterns:
        inner = f"SELECT s.id, s.title, s.started_at FROM sessions s {where} {order} LIMIT :looked"  # noqa: S608
        found = " AND ".join(map(_has_word, patterns))
        page = f"SELECT s.id FROM ({inner}) s WHERE {found} {order} LIMIT :most OFFSET :skipped"  # noqa: S608
        values["looked"] = MAX_SEARCHED
    rows = db.run(f"{_LINE} WHERE s.id IN ({page}) {order}", most=limit, skipped=offset, **values, **patterns)
    return tuple(map(_line, rows))


def _conditions(wanted: SessionFilters) -> tuple[list[str], dict[str, object]]:
    found: list[str] = []
    values: dict[str, object] = {}
    for name in ("user_id", "assistant"):
        if (value := getattr(wanted, name)) is not None:
            found.append(f"s.{name} = :{name}")
            values[name] = column_text(value)
    if wanted.user_id is None:
        found.append(f"s.user_id <> '{EVAL_USER}'")
    check_literal(wanted.status, ReviewStatus, "status")
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
        check_literal(wanted.rating, Rating, "rating")
        found.append(f"s.rating = '{wanted.rating}'")
    for name, sign in (("since", ">="), ("until", "<")):
        if (moment := getattr(wanted, name)) is not None:
            found.append(f"s.started_at {sign} :{name}")
            values[name] = moment
    return found, values


def _line(row: Sequence[Any]) -> ReviewedSession:
    session = sessions.as_session(row[:-5])
    turns, tokens, cost, failed, last = row[-5:]
    fields = {name: getattr(session, name) for name in Session.__struct_fields__}
    return ReviewedSession(**fields, turns=turns, failed=failed, tokens=int(tokens or 0), cost=cost, last_status=last)
