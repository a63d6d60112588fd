"""Exact words in a user's own sessions: titles, questions, answers, messages.

Plain `LIKE`, the same on both databases: parts of words count, upper and lower case of ASCII do not matter (PostgreSQL
may know more letters). Looks at the newest sessions only, so that one search stays short. What is found beyond that,
and in which order, is the business of whoever searches past conversations.
"""

from collections.abc import Sequence
from string import ascii_lowercase

from glassloop.core.errors import UsageError
from glassloop.core.records import Record
from glassloop.store import session_table
from glassloop.store.access import Access
from glassloop.store.database import Database, column_text
from glassloop.store.records import Session

MOST_FOUND = 100
MOST_WORDS = 12
WORD_CHARS = 100
LOOKED_AT = 5_000
"""How many sessions one search looks at, the newest first."""
EXCERPT_CHARS = 240

_LIKE = "LIKE lower(:{name}) ESCAPE '!'"
_WORD = """({titled}lower(s.title) {like}
 OR EXISTS (SELECT 1 FROM turns t WHERE t.session_id = s.id{told} AND (lower(t.question) {like}
 OR lower(t.answer) {like}))
 OR EXISTS (SELECT 1 FROM messages m WHERE m.session_id = s.id{said} AND lower(m.content) {like}))"""
_TITLED = "s.forgotten_at IS NULL AND "
_TOLD = " AND t.finished_at IS NOT NULL AND t.started_at > coalesce(s.forgotten_at, 0)"
"""Turns that are over, and that memory still tells of."""
_SAID = " AND m.turn_id IS NULL AND m.created_at > coalesce(s.forgotten_at, 0)"
"""Messages that are no turn's: what a turn said, its row has."""
_SESSIONS = """SELECT s.id FROM (SELECT id, title, started_at, forgotten_at FROM sessions WHERE user_id = :user
 ORDER BY started_at DESC, id DESC LIMIT :looked) s WHERE {words} ORDER BY s.started_at DESC, s.id DESC LIMIT :most"""
_TEXTS = f"""SELECT turn_id, question, answer, {{has}} FROM (
 SELECT t.id AS turn_id, t.question, coalesce(t.answer, '') AS answer, t.started_at AS at
 FROM turns t JOIN sessions s ON s.id = t.session_id WHERE s.id = :session{_TOLD}
 UNION ALL SELECT NULL, coalesce(m.content, ''), '', m.created_at
 FROM messages m JOIN sessions s ON s.id = m.session_id WHERE s.id = :session{_SAID}
 UNION ALL SELECT NULL, s.title, '', 0 FROM sessions s WHERE {_TITLED}s.id = :session
) texts ORDER BY {{has}} DESC, at DESC LIMIT 1"""  # noqa: S608


class Found(Record, frozen=True, kw_only=True):
    """A session that has all the words, and the text in it with most of them: `share` of them, around the first.
    `turn_id` when it is a turn's."""

    session: Session
    excerpt: str
    share: float
    turn_id: str | None = None


class Searching(Access):
    """Exact words."""

    async def find_words(self, user_id: str, words: Sequence[str], limit: int = 20) -> Sequence[Found]:
        """The user's sessions in which every one of the words occurs somewhere, newest first. Of more words, and of
        longer ones, only so much is looked for as there is room."""
        if not 1 <= limit <= MOST_FOUND:
            raise UsageError(f"A search for {limit} sessions cannot be made: ask for 1 to {MOST_FOUND}.")
        wanted = [_storable(word)[:WORD_CHARS] for word in words if word.strip()][:MOST_WORDS]
        return await self._read(lambda db: search(db, column_text(user_id), wanted, limit)) if wanted else ()


def search(db: Database, user_id: str, words: Sequence[str], limit: int) -> Sequence[Found]:
    patterns = as_patterns(words)
    every = " AND ".join(has_word(name, _TITLED, _TOLD, _SAID) for name in patterns)
    rows = db.run(_SESSIONS.format(words=every), user=user_id, looked=LOOKED_AT, most=limit, **patterns)
    found = (session_table.get(db, row[0]) for row in rows)
    return tuple(_found(db, session, words, patterns) for session in found if session is not None)


def as_patterns(words: Sequence[str]) -> dict[str, str]:
    """What `LIKE` takes for each word, by the names of the values: these have no digits."""
    letters = zip(ascii_lowercase, map(_storable, words), strict=False)
    return {f"word_{letter}": f"%{_escaped(word)}%" for letter, word in letters}


def has_word(name: str, titled: str = "", told: str = "", said: str = "") -> str:
    """The condition that the word of that name occurs somewhere in session `s`: in a title, turn or message that
    meets these conditions."""
    return _WORD.format(like=_LIKE.format(name=name), titled=titled, told=told, said=said)


def _found(db: Database, session: Session, words: Sequence[str], patterns: dict[str, str]) -> Found:
    has = " + ".join(
        f"CASE WHEN lower(question) {like} OR lower(answer) {like} THEN 1 ELSE 0 END"
        for like in (_LIKE.format(name=name) for name in patterns)
    )
    (row,) = db.run(_TEXTS.format(has=f"({has})"), session=session.id, **patterns)
    turn_id, question, answer, count = row
    text = "\n".join(part for part in (question, answer) if any(word.lower() in part.lower() for word in words))
    return Found(session=session, excerpt=_excerpt(text, words), share=count / len(words), turn_id=turn_id)


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
    return column_text(word.strip().encode("utf-8", "surrogatepass").decode("utf-8", "replace"))
