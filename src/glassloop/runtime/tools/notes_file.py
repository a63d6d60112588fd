"""The SQLite file of notes and to-dos: one short-lived connection a transaction, and effects that happen once.

Owns the file, its schema and the record of effects already applied. What the rows mean is `notes` and `todos`.
Meant for threads: nothing here may be called on the event loop.
"""

import sqlite3
import threading
import weakref
from collections.abc import Callable, Generator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TypeVar

import msgspec

from glassloop.core.errors import ToolError, ToolUnavailable
from glassloop.core.records import Json
from glassloop.own_folder import make_own
from glassloop.tools.tool import ToolContext

FILE_NAME = "notes.db"
VERSION = 2
BUSY_SECONDS = 5.0
KEPT_EFFECTS = 10_000

Result = TypeVar("Result", bound=Json)

_SCHEMA = """
CREATE TABLE IF NOT EXISTS notes (
    owner TEXT NOT NULL, number INTEGER NOT NULL, topic TEXT NOT NULL, text TEXT NOT NULL, at REAL NOT NULL,
    integrity TEXT NOT NULL DEFAULT 'untrusted',
    PRIMARY KEY (owner, number)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS todos (
    owner TEXT NOT NULL, number INTEGER NOT NULL, text TEXT NOT NULL, done INTEGER NOT NULL,
    integrity TEXT NOT NULL DEFAULT 'untrusted',
    PRIMARY KEY (owner, number)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS counters (
    owner TEXT NOT NULL, kind TEXT NOT NULL, last INTEGER NOT NULL, PRIMARY KEY (owner, kind)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS effects (
    id INTEGER PRIMARY KEY, owner TEXT NOT NULL, key TEXT NOT NULL, result TEXT NOT NULL, UNIQUE (owner, key)
);
"""

_FIRST_LABELS = """
ALTER TABLE notes ADD COLUMN integrity TEXT NOT NULL DEFAULT 'untrusted';
ALTER TABLE todos ADD COLUMN integrity TEXT NOT NULL DEFAULT 'untrusted'
"""
"""What is older than labels was written by nobody knows whose wish."""


class NotesFile:
    """Transactions on one file, made with its folder on first use and readable by its owner only."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / FILE_NAME
        self._opening = threading.Lock()
        self._idle: sqlite3.Connection | None = None

    @contextmanager
    def reading(self) -> Generator[sqlite3.Connection]:
        """A connection to read with; one consistent state for its whole life."""
        with self._connection() as connection:
            connection.execute("BEGIN")
            yield connection
            connection.execute("COMMIT")

    def apply(self, owner: str, key: str, effect: Callable[[sqlite3.Connection], Result]) -> Result:
        """Run the effect in one transaction; a key seen before returns its first result and changes nothing.

        An empty key is never seen before.
        """
        with self._connection() as connection:
            connection.execute("BEGIN IMMEDIATE")
            try:
                before = connection.execute("SELECT result FROM effects WHERE owner = ? AND key = ?", (owner, key))
                if row := before.fetchone():
                    return msgspec.json.decode(row[0])
                result = effect(connection)
                self._record(connection, owner, key, result)
                connection.execute("COMMIT")
                return result
            finally:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")

    def count(self, user: str) -> int:
        """How many notes someone has."""
        if not self._path.exists():
            return 0
        with self.reading() as connection:
            return int(connection.execute("SELECT count(*) FROM notes WHERE owner = ?", (user,)).fetchone()[0])

    def forget(self, user: str | None, sessions: Sequence[str] = ()) -> int:
        """Deletes someone's notes, or nobody's, and the to-dos of these sessions, such that the files hold nothing of
        them; how many there were."""
        if not self._path.exists():
            return 0
        with self._connection() as connection:
            connection.execute("PRAGMA secure_delete = ON")
            connection.execute("BEGIN IMMEDIATE")
            try:
                users = [] if user is None else [(user,)]
                owners = [(session,) for session in sessions]
                gone = connection.executemany("DELETE FROM notes WHERE owner = ?", users).rowcount if users else 0
                gone += connection.executemany("DELETE FROM todos WHERE owner = ?", owners).rowcount if owners else 0
                for table in ("counters", "effects"):
                    connection.executemany(f"DELETE FROM {table} WHERE owner = ?", [*users, *owners])  # noqa: S608
                connection.execute("COMMIT")
            finally:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
            # The log beside the file still has the pages as they were.
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
            return gone

    def _record(self, connection: sqlite3.Connection, owner: str, key: str, result: Json) -> None:
        if not key:
            return
        written = connection.execute(
            "INSERT INTO effects (owner, key, result) VALUES (?, ?, ?)",
            (owner, key, msgspec.json.encode(result).decode()),
        )
        connection.execute("DELETE FROM effects WHERE id <= ?", ((written.lastrowid or 0) - KEPT_EFFECTS,))

    @contextmanager
    def _connection(self) -> Generator[sqlite3.Connection]:
        try:
            self._hold_open()
            with closing(sqlite3.connect(self._path, timeout=BUSY_SECONDS, isolation_level=None)) as connection:
                _prepare(connection)
                yield connection
        except sqlite3.OperationalError as error:
            raise ToolUnavailable(f"The file {FILE_NAME!r} cannot be used now ({error}): try again later.") from error
        except (sqlite3.DatabaseError, OSError) as error:
            raise ToolError(f"The file {FILE_NAME!r} cannot be read ({error}): move it away to start over.") from error

    def _hold_open(self) -> None:
        """Make the file, and keep an idle connection: closing the last one would write the whole log back each time."""
        with self._opening:
            if self._idle is not None and self._path.exists():
                return
            make_own(self._path.parent)
            self._path.touch(mode=0o600)
            idle = sqlite3.connect(self._path, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False)
            try:
                _prepare(idle)
                # Only a connection that has read counts as one that is open.
                idle.execute("SELECT count(*) FROM notes").fetchone()
            except BaseException:
                idle.close()
                raise
            weakref.finalize(self, idle.close)
            self._idle = idle


def next_number(connection: sqlite3.Connection, owner: str, kind: str) -> int:
    """The owner's next number of this kind. Never one that was used, so that an old number cannot hit a new row."""
    row = connection.execute(
        "INSERT INTO counters (owner, kind, last) VALUES (?, ?, 1) "
        "ON CONFLICT (owner, kind) DO UPDATE SET last = last + 1 RETURNING last",
        (owner, kind),
    ).fetchone()
    return int(row[0])


def context_key(context: ToolContext) -> str:
    """Empty for a call made by hand, which is nobody's repetition."""
    return context.idempotency_key if context.call_id else ""


def _prepare(connection: sqlite3.Connection) -> None:
    """The schema, if it is not there yet; a newer one than ours is left alone."""
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    if version > VERSION:
        raise ToolError(f"The file {FILE_NAME!r} was written by a newer version ({version}): update glassloop.")
    if version < VERSION:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("BEGIN IMMEDIATE")
        # Another process may have been first.
        (version,) = connection.execute("PRAGMA user_version").fetchone()
        for statement in () if version >= VERSION else (_FIRST_LABELS if version else _SCHEMA).split(";"):
            connection.execute(statement)
        connection.execute(f"PRAGMA user_version = {VERSION}")
        connection.execute("COMMIT")
