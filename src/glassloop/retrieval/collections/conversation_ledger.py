"""Ledger of the sessions and turns in the index of conversations, so that one look tells what is new; here in SQLite.

Only ids and hashes. A session is written down before anything of it goes into the index, so that a removal always finds
it. Blocks; to be called in a thread.
"""

import sqlite3
import threading
from collections.abc import Generator, Iterable, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol

import msgspec

from glassloop.own_folder import make_own, make_own_file

_SCHEMA = (
    "CREATE TABLE IF NOT EXISTS sessions (id TEXT PRIMARY KEY, owner TEXT NOT NULL, mark TEXT NOT NULL) WITHOUT ROWID",
    "CREATE TABLE IF NOT EXISTS turns (session TEXT, id TEXT, ended INTEGER, PRIMARY KEY (session, id)) WITHOUT ROWID",
    "CREATE INDEX IF NOT EXISTS sessions_of_owner ON sessions (owner)",
)


class IndexedSession(msgspec.Struct, frozen=True, gc=False):
    """A session of which something is in the index, or was about to be. `mark`: as of when all of it is."""

    id: str
    owner: str
    mark: str


class ConversationLedger(Protocol):
    """Blocks; each call is one transaction."""

    faults: tuple[type[Exception], ...]
    """What it raises when the disk or the database refuses."""

    def sessions(self, ids: Sequence[str] | None = None, owner: str | None = None) -> dict[str, IndexedSession]: ...

    def ended(self, session: str) -> set[str]: ...

    def begin(self, sessions: Iterable[str], owner: str) -> None: ...

    def add(self, turns: Iterable[tuple[str, str, bool]]) -> None: ...

    def mark(self, marks: Iterable[tuple[str, str]]) -> None: ...

    def remove(self, sessions: Sequence[str]) -> None: ...

    def clear(self) -> None: ...

    def close(self) -> None: ...


class FileLedger:
    """In one file, which is made when it is first needed."""

    faults: tuple[type[Exception], ...] = (sqlite3.Error, OSError)

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = threading.Lock()
        self._connection: sqlite3.Connection | None = None

    def sessions(self, ids: Sequence[str] | None = None, owner: str | None = None) -> dict[str, IndexedSession]:
        """Of these, of this owner, or all."""
        where, values = "", ()
        if ids is not None:
            where, values = f"WHERE id IN ({','.join('?' * len(ids))})", tuple(ids)
        elif owner is not None:
            where, values = "WHERE owner = ?", (owner,)
        with self._use("BEGIN") as connection:
            rows = connection.execute(f"SELECT id, owner, mark FROM sessions {where}", values)  # noqa: S608
            return {row[0]: IndexedSession(*row) for row in rows}

    def ended(self, session: str) -> set[str]:
        """The turns of a session that are in the index whole."""
        with self._use() as connection:
            return {
                row[0] for row in connection.execute("SELECT id FROM turns WHERE session = ? AND ended", (session,))
            }

    def begin(self, sessions: Iterable[str], owner: str) -> None:
        """Something of these is about to go in."""
        with self._use() as connection:
            connection.executemany(
                "INSERT OR IGNORE INTO sessions VALUES (?, ?, '')", [(id_, owner) for id_ in sessions]
            )

    def add(self, turns: Iterable[tuple[str, str, bool]]) -> None:
        """Turns that went in, by session and id; whether they had ended."""
        with self._use() as connection:
            connection.executemany("INSERT OR REPLACE INTO turns VALUES (?, ?, ?)", list(turns))

    def mark(self, marks: Iterable[tuple[str, str]]) -> None:
        """All that there was of these sessions is in."""
        with self._use() as connection:
            connection.executemany("UPDATE sessions SET mark = ?2 WHERE id = ?1", list(marks))

    def remove(self, sessions: Sequence[str]) -> None:
        with self._use() as connection:
            for table, column in (("turns", "session"), ("sessions", "id")):
                sql = f"DELETE FROM {table} WHERE {column} = ?"  # noqa: S608
                connection.executemany(sql, [(session,) for session in sessions])

    def clear(self) -> None:
        """Works on a broken file as well: all that is in it can be found out again."""
        try:
            with self._use() as connection:
                connection.execute("DELETE FROM turns")
                connection.execute("DELETE FROM sessions")
        except sqlite3.DatabaseError:
            self.close()
            self._path.unlink(missing_ok=True)

    def close(self) -> None:
        with self._lock:
            if self._connection is not None:
                self._connection.close()
                self._connection = None

    @contextmanager
    def _use(self, begin: str = "BEGIN IMMEDIATE") -> Generator[sqlite3.Connection]:
        """In one transaction."""
        with self._lock:
            if self._connection is None:
                self._connection = self._open()
            connection = self._connection
            connection.execute(begin)
            try:
                yield connection
            except BaseException:
                connection.execute("ROLLBACK")
                raise
            connection.execute("COMMIT")

    def _open(self) -> sqlite3.Connection:
        make_own(self._path.parent)
        make_own_file(self._path)
        connection = sqlite3.connect(self._path, timeout=10, isolation_level=None, check_same_thread=False)
        try:
            connection.execute("PRAGMA secure_delete = ON")
            connection.execute("PRAGMA synchronous = NORMAL")
            for statement in _SCHEMA:
                connection.execute(statement)
        except BaseException:
            connection.close()
            raise
        return connection
