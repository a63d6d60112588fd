"""Finding a user's own sessions by the words in them: titles, questions, answers, messages.

Plain `LIKE`, the same on both databases: parts of words count, upper and lower case of ASCII do not matter (PostgreSQL
may know more letters). No ranking: newest first. Looks at the newest sessions only, so that one search stays short.
"""

from collections.abc import Sequence
from string import ascii_lowercase
from typing import Any

from glassloop.core.errors import UsageError
from glassloop.core.records import Record
from glassloop.store import session_table
from glassloop.store.access import Access
from glassloop.store.database import Database
from glassloop.store.records import Session
from glassloop.store.stored_form import plain

MOST_FOUND = 100
MOST_WORDS = 12
WORD_CHARS = 100
LOOKED_AT = 5_000
"""How many sessions one search looks at, the newest first."""
EXCERPT_CHARS = 240

_LIKE = "LIKE lower(:{name}) ESCAPE '!'"
_WORD = """(lower(s.title) {like}
 OR EXISTS (SELECT 1 FROM turns t WHERE t.session_id = s.id AND (lower(t.question) {like} OR lower(t.answer) {like}))
 OR EXISTS (SELECT 1 FROM messages m WHERE m.session_id = s.id AND lower(m.content) {like}))"""
_SESSIONS = """SELECT s.id FROM (SELECT id, title, started_at FROM sessions WHERE user_id = :user
 ORDER BY started_at DESC, id DESC LIMIT :looked) s WHERE {words} ORDER BY s.started_at DESC, s.id DESC LIMIT :most"""
_TEXTS = """SELECT text, turn_id FROM (
 SELECT t.question AS text, t.id AS turn_id, t.started_at AS at, 0 AS place FROM turns t
 WHERE t.session_id = :session AND ({question})
 UNION ALL SELECT t.answer, t.id, t.started_at, 1 FROM turns t WHERE t.session_id = :session AND ({answer})
 UNION ALL SELECT m.content, NULL, m.created_at, 2 FROM messages m WHERE m.session_id = :session AND ({content})
) texts ORDER BY at DESC, place DESC LIMIT 1"""


class Found(Record, frozen=True, kw_only=True):
    """A session that was found, and where: the newest text that has one of the words. `turn_id` when it is a turn's."""

    session: Session
    excerpt: str
    turn_id: str | None = None


class Searching(Access):
    """Search over sessions."""

    async def search_sessions(self, user_id: str, words: Sequence[str], limit: int = 20) -> Sequence[Found]:
        """The user's sessions in which every one of the words occurs somewhere, newest first."""
        if not 1 <= limit <= MOST_FOUND:
            raise UsageError(f"A search for {limit} sessions cannot be made: ask for 1 to {MOST_FOUND}.")
        wanted = [_storable(word) for word in words if word.strip()]
        if not 1 <= len(wanted) <= MOST_WORDS:
            raise UsageError(f"A search for {len(wanted)} words cannot be made: give 1 to {MOST_WORDS}.")
        if any(len(word) > WORD_CHARS for word in wanted):
            raise UsageError(f"A word to search for has at most {WORD_CHARS} characters: give a part of it.")
        return await self._read(lambda db: search(db, plain(user_id), wanted, limit))


def search(db: Database, user_id: str, words: Sequence[str], limit: int) -> Sequence[Found]:
    patterns = as_patterns(words)
    every = " AND ".join(map(has_word, patterns))
    rows = db.run(_SESSIONS.format(words=every), user=user_id, looked=LOOKED_AT, most=limit, **patterns)
    found = (session_table.get(db, row[0]) for row in rows)
    return tuple(_found(db, session, words, patterns) for session in found if session is not None)


def as_patterns(words: Sequence[str]) -> dict[str, str]:
    """What `LIKE` takes for each word, by the names of the values: these have no digits."""
    letters = zip(ascii_lowercase, map(_storable, words), strict=False)
    return {f"word_{letter}": f"%{_escaped(word)}%" for letter, word in letters}


def has_word(name: str) -> str:
    """The condition that the word of that name occurs somewhere in session `s`."""
    return _WORD.format(like=_LIKE.format(name=name))


def _found(db: Database, session: Session, words: Sequence[str], patterns: dict[str, str]) -> Found:
    def some(column: str) -> str:
        return " OR ".join(f"lower({column}) {_LIKE.format(name=name)}" for name in patterns)

    sql = _TEXTS.format(question=some("t.question"), answer=some("t.answer"), content=some("m.content"))
    rows: list[tuple[Any, ...]] = db.run(sql, session=session.id, **patterns)
    text, turn_id = rows[0] if rows else (session.title, None)
    return Found(session=session, excerpt=_excerpt(text, words), turn_id=turn_id)


def _excerpt(text: str, words: Sequence[str]) -> str:
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
    return plain(word.strip().encode("utf-8", "surrogatepass").decode("utf-8", "replace"))
