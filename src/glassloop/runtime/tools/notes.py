"""`remember`, `recall` and `forget`: notes that a user asked to keep, as tools for any assistant.

Owns saving, ranking and forgetting of notes. Conversation memory is elsewhere: a note is kept because someone said so.
Keys and passwords are not kept: what the log shows as redacted must not lie readable beside it.
"""

import sqlite3
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from math import log
from pathlib import Path

import msgspec

from glassloop.core.errors import BadArguments
from glassloop.core.labels import Integrity, Labels
from glassloop.core.ports import Clock
from glassloop.core.records import Json, ToolResult
from glassloop.core.text_terms import content_words
from glassloop.runtime.tools.notes_file import NotesFile, context_key, next_number
from glassloop.store.log.redaction import Redactor
from glassloop.tools.result import to_result
from glassloop.tools.tool import Tool, ToolContext, tool

MAX_TEXT_CHARS = 2000
MAX_TOPIC_CHARS = 80
MAX_NOTES = 2000
MAX_RECALLED = 50
LEFT_OUT = "What looks like a key or a password was left out of the note: keep those in a safe place of their own."

Note = dict[str, str | int]
Row = tuple[int, str, str, float, Integrity]
_COLUMNS = "number, topic, text, at, integrity"


class Notes:
    """The notes of all users in one file; each sees only their own."""

    def __init__(self, database: NotesFile, clock: Clock, redact: Callable[[str], str]) -> None:
        self._database = database
        self._clock = clock
        self._redact = redact

    def remember(self, user: str, key: str, text: str, topic: str, integrity: Integrity = "trusted") -> Note:
        """Keep the text once: again for the same call, or the same words, gives the note that is there. A note that was
        kept on the word of strangers stays `untrusted`, until the user says the same."""
        text, topic = text.strip(), topic.strip()
        if not text:
            raise BadArguments("There is nothing to remember: give the fact as `text`.")
        if len(text) > MAX_TEXT_CHARS or len(topic) > MAX_TOPIC_CHARS:
            raise BadArguments(
                f"The note is too long ({len(text):,} characters): at most {MAX_TEXT_CHARS:,}, and {MAX_TOPIC_CHARS} "
                "for its topic. Shorten it or make several."
            )
        kept, topic = self._redact(text), self._redact(topic)
        number = self._database.apply(user, key, lambda db: self._save(db, user, kept, topic, integrity))
        # Effects keep numbers only: a note that was forgotten since must not live on in their record.
        note = self.find(user, number) or {"id": number, "text": kept, "forgotten": "since"}
        return note if kept == text else {**note, "left_out": LEFT_OUT}

    def recall(self, user: str, query: str, limit: int) -> tuple[list[Note], int]:
        """The notes that share most with the query, newest first among equals; and how many there are in all."""
        with self._database.reading() as connection:
            rows: list[Row] = connection.execute(
                f"SELECT {_COLUMNS} FROM notes WHERE owner = ? ORDER BY number DESC",  # noqa: S608
                (user,),
            ).fetchall()
        found = _ranked(rows, query) if query.strip() else rows
        return [_note(row) for row in found[: max(1, min(limit, MAX_RECALLED))]], len(rows)

    def find(self, user: str, number: int) -> Note | None:
        """The note itself, to show before it is forgotten."""
        with self._database.reading() as connection:
            row = connection.execute(
                f"SELECT {_COLUMNS} FROM notes WHERE owner = ? AND number = ?",  # noqa: S608
                (user, number),
            ).fetchone()
        return _note(row) if row else None

    def every(self, user: str, limit: int) -> list[Note]:
        """All notes of a user, newest first."""
        with self._database.reading() as connection:
            rows: list[Row] = connection.execute(
                f"SELECT {_COLUMNS} FROM notes WHERE owner = ? ORDER BY number DESC LIMIT ?",  # noqa: S608
                (user, limit),
            ).fetchall()
        return [_note(row) for row in rows]

    def change(self, user: str, number: int, text: str, topic: str) -> Note | None:
        """Give a note other words, the user's own; None where there is no such note."""
        words = self._redact(text.strip()), self._redact(topic.strip())

        def update(connection: sqlite3.Connection) -> int:
            sql = "UPDATE notes SET text = ?, topic = ?, integrity = 'trusted' WHERE owner = ? AND number = ?"
            return connection.execute(sql, (*words, user, number)).rowcount

        return self.find(user, number) if self._database.apply(user, "", update) else None

    def forget(self, user: str, key: str, number: int) -> int:
        """Delete a note for good and return its number."""

        def delete(connection: sqlite3.Connection) -> int:
            gone = connection.execute("DELETE FROM notes WHERE owner = ? AND number = ?", (user, number))
            if not gone.rowcount:
                raise no_note(number)
            return number

        return self._database.apply(user, key, delete)

    def _save(self, connection: sqlite3.Connection, user: str, text: str, topic: str, integrity: Integrity) -> int:
        same = connection.execute(
            "SELECT number FROM notes WHERE owner = ? AND text = ? AND topic = ?", (user, text, topic)
        ).fetchone()
        if same:
            if integrity == "trusted":
                connection.execute(
                    "UPDATE notes SET integrity = ? WHERE owner = ? AND number = ?", (integrity, user, same[0])
                )
            return int(same[0])
        (count,) = connection.execute("SELECT count(*) FROM notes WHERE owner = ?", (user,)).fetchone()
        if count >= MAX_NOTES:
            raise BadArguments(f"There are {count:,} notes already, which is the limit: forget some first.")
        number = next_number(connection, user, "note")
        connection.execute(
            "INSERT INTO notes (owner, number, topic, text, at, integrity) VALUES (?, ?, ?, ?, ?, ?)",
            (user, number, topic, text, self._clock(), integrity),
        )
        return number


def no_note(number: int) -> BadArguments:
    return BadArguments(f"There is no note {number}: use recall to see the notes and their ids.")


def _note(row: Row) -> Note:
    number, topic, text, at, integrity = row
    saved = datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%d %H:%M UTC")
    return {"id": number, "text": text, **({"topic": topic} if topic else {}), "saved": saved, **mark(integrity)}


def mark(integrity: Integrity) -> dict[str, str]:
    """What is told of a kept thing that strangers may have had kept."""
    return {} if integrity == "trusted" else {"integrity": integrity}


def labelled(data: dict[str, Json], kept: Iterable[Mapping[str, object]]) -> ToolResult:
    """What a tool tells of kept things: no more trusted than the least of them."""
    integrity = "untrusted" if any("integrity" in each for each in kept) else "trusted"
    return msgspec.structs.replace(to_result(data), labels=Labels(integrity=integrity, confidentiality="user"))


def _ranked(rows: list[Row], query: str) -> list[Row]:
    """By the rarity of the words shared; the sort is stable, so the newest first order breaks ties."""
    words = set(content_words(query))
    notes = [(row, words & set(content_words(f"{row[1]} {row[2]}"))) for row in rows]
    common = Counter(word for _, shared in notes for word in shared)
    scored = [(sum(log(1 + len(rows) / common[word]) for word in sorted(shared)), row) for row, shared in notes]
    return [row for score, row in sorted(scored, key=lambda pair: -pair[0]) if score > 0]


_REMEMBERED = {"en": ("I will remember: {remembered.text}",), "zh": ("已记住：{remembered.text}",)}
_RECALLED = {"en": ("- {notes[].text}", "{message}"), "zh": ("- {notes[].text}", "{message}")}
_FORGOTTEN = {"en": ("Note {forgotten} is deleted.",), "zh": ("笔记 {forgotten} 已删除。",)}


def make_tools(home: Path, clock: Clock = time.time, redact: Callable[[str], str] | None = None) -> Sequence[Tool]:
    """The three tools, over `notes.db` in the home folder; nothing is written before it is needed."""
    notes = Notes(NotesFile(home), clock, redact or Redactor().text)

    def preview_forget(note_id: int, context: ToolContext) -> dict[str, Json]:
        note = notes.find(context.user, note_id)
        if note is None:
            raise no_note(note_id)
        return {"forget": dict(note)}

    @tool(effect="write", idempotent=True, integrity="trusted", sentences=_REMEMBERED)
    def remember(text: str, context: ToolContext, topic: str = "") -> ToolResult:
        """Save a note or fact the user wants kept for later.

        Args:
            text: The fact to keep, as one full sentence.
            topic: A word to file it under.
        """
        if context.temporary:
            raise BadArguments("This is a temporary chat, in which nothing is remembered: tell the user so.")
        note = notes.remember(context.user, context_key(context), text, topic, context.labels.integrity)
        return labelled({"remembered": dict(note)}, [note])

    @tool(effect="read", volatile=True, integrity="trusted", sentences=_RECALLED)
    def recall(context: ToolContext, query: str = "", limit: int = 5) -> ToolResult:
        """Recall notes you remember about the user.

        Args:
            query: Words to look for; empty for the latest.
            limit: How many at most.
        """
        found, known = notes.recall(context.user, query, limit)
        if not found:
            about = f" about {query[:100]!r}" if known and query.strip() else ""
            return labelled({"notes": [], "known": known, "message": f"Nothing is known{about}."}, [])
        return labelled({"notes": [dict(note) for note in found], "known": known}, found)

    @tool(
        effect="write",
        idempotent=True,
        confirm=True,
        integrity="trusted",
        preview=preview_forget,
        sentences=_FORGOTTEN,
    )
    def forget(note_id: int, context: ToolContext) -> dict[str, Json]:
        """Delete a note by its id.

        Args:
            note_id: The note's id, as recall gives it.
        """
        return {"forgotten": notes.forget(context.user, context_key(context), note_id)}

    return remember, recall, forget
