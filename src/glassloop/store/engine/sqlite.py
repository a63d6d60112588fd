"""SQLite: a file that one process or several share, in WAL mode.

Owns how a file is looked at before it is touched, how connections are set up, and what the driver's errors mean.
The file is readable by its owner only; what is deleted is overwritten.
"""

import errno
import os
import sqlite3
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

from glassloop.core.errors import StoreAway, StoreError, UsageError
from glassloop.own_folder import make_own, make_own_file
from glassloop.store.engine.database import EventRow
from glassloop.store.engine.migrate import VERSION_TABLE
from glassloop.store.engine.urls import MEMORY

APPLICATION_ID = 0x474C4F50
OPTIONS = ("busy_timeout", "max_page_count")
BUSY_MS = 5000
CHECKPOINT_PAGES = 4000

_ANY_EPOCH = 2**31 - 1

_MAGIC = b"SQLite format 3\x00"
_INSERT = "INSERT INTO events (turn_id, seq, last, at, kind, body) VALUES (?, ?, ?, ?, ?, ?)"
_INSERT_NEXT = """INSERT INTO events (turn_id, seq, last, at, kind, body) SELECT ?, ?, ?, ?, ?, ?
 WHERE (SELECT last FROM events WHERE turn_id = ? ORDER BY seq DESC LIMIT 1) = ?
 AND EXISTS (SELECT 1 FROM turns WHERE id = ? AND epoch <= ? AND status IN ('running', 'paused'))"""
_AWAY = frozenset({
    sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_PROTOCOL, sqlite3.SQLITE_CANTOPEN,
    sqlite3.SQLITE_IOERR, sqlite3.SQLITE_READONLY,
})  # fmt: skip
_PASSING = _AWAY | {sqlite3.SQLITE_FULL}
_PASSING_FOR_FILES = frozenset({
    errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EROFS, errno.EMFILE, errno.ENFILE, errno.ESTALE,
})  # fmt: skip
_MEANINGS = {
    sqlite3.SQLITE_FULL: "has no room left: free some disk space and try again",
    sqlite3.SQLITE_IOERR: "could not be read or written: look at the disk",
    sqlite3.SQLITE_BUSY: "is locked by another process: try again, or end that process",
    sqlite3.SQLITE_LOCKED: "is locked by another process: try again, or end that process",
    sqlite3.SQLITE_PROTOCOL: "is locked by another process: try again, or end that process",
    sqlite3.SQLITE_CORRUPT: "is damaged: restore a backup, or move it away to start over",
    sqlite3.SQLITE_NOTADB: "is not a SQLite database: give another path",
    sqlite3.SQLITE_READONLY: "is read-only: make it writable, or give another path",
    sqlite3.SQLITE_CANTOPEN: "cannot be opened: look at the folder and its permissions",
}


class SqliteDatabase:
    """One connection to the file."""

    queryable = False
    pairs = "SELECT json_extract(value, '$[0]'), json_extract(value, '$[1]') FROM json_each(:pairs)"

    def __init__(self, path: str, options: Mapping[str, int], *, inline: bool = False) -> None:
        self._path = path
        self._synced = False
        try:
            self._connection = sqlite3.connect(
                path, isolation_level=None, check_same_thread=False, cached_statements=256, timeout=BUSY_MS / 1000
            )
            for pragma in (
                "synchronous=NORMAL",
                "secure_delete=ON",
                "temp_store=MEMORY",
                f"wal_autocheckpoint={0 if inline else CHECKPOINT_PAGES}",
                f"journal_size_limit={CHECKPOINT_PAGES * 4096}",
                f"max_page_count={options.get('max_page_count', 0xFFFFFFFE)}",
                # Last: those above read the file, and wait for a process that is just closing it.
                f"busy_timeout={options.get('busy_timeout', BUSY_MS)}",
            ):
                self._connection.execute(f"PRAGMA {pragma}")
        except sqlite3.Error as error:
            raise explain(path, error) from error

    @property
    def connection(self) -> sqlite3.Connection:
        return self._connection

    def run(self, sql: str, **values: object) -> list[tuple[Any, ...]]:
        return self._connection.execute(sql, values).fetchall()

    def insert_events(self, rows: Sequence[EventRow]) -> None:
        self._connection.executemany(_INSERT, rows)

    def insert_next(self, row: EventRow, epoch: int | None) -> bool:
        where = (row.turn_id, row.seq - 1, row.turn_id, _ANY_EPOCH if epoch is None else epoch)
        return self._connection.execute(_INSERT_NEXT, row + where).rowcount == 1

    def lock(self, names: Sequence[str]) -> None:
        """A transaction that writes is the only one anyway."""

    def begin(self, *, sync: bool) -> None:
        if sync != self._synced:
            self._connection.execute(f"PRAGMA synchronous={'FULL' if sync else 'NORMAL'}")
            self._synced = sync
        self._connection.execute("BEGIN IMMEDIATE")

    def begin_read(self) -> None:
        self._connection.execute("BEGIN")

    def commit(self) -> None:
        self._connection.execute("COMMIT")

    def rollback(self) -> None:
        if self._connection.in_transaction:
            try:
                self._connection.execute("ROLLBACK")
            except sqlite3.Error:
                # Closing ends the transaction too; the next statement will say what is wrong.
                pass

    def reclaim(self) -> None:
        self._connection.execute("VACUUM")
        self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()

    def integrity(self) -> Sequence[str]:
        found = [str(row[0]) for row in self._connection.execute("PRAGMA integrity_check(20)")]
        return () if found == ["ok"] else found

    def backup(self, path: str) -> None:
        """A copy of one moment, made while others go on writing."""
        partial = f"{path}.partial"
        try:
            _make_private(partial)
            target = sqlite3.connect(partial, isolation_level=None)
            try:
                self._connection.backup(target)
                target.execute("PRAGMA journal_mode=DELETE").fetchall()
            finally:
                target.close()
            os.link(partial, path)
        except sqlite3.Error as error:
            raise explain(path, error) from error
        except OSError as error:
            raise _explain_file(path, "cannot be written", error) from error
        finally:
            Path(partial).unlink(missing_ok=True)

    def explain(self, error: Exception) -> StoreError | None:
        return explain(self._path, error) if isinstance(error, sqlite3.Error) else None

    def is_away(self, error: Exception) -> bool:
        return _code(error) in _AWAY and self._path != MEMORY

    def is_lost(self, error: Exception) -> bool:  # noqa: ARG002
        """A file does not hang up."""
        return False

    def close(self) -> None:
        try:
            self._connection.close()
        except sqlite3.Error:
            # Nothing was promised that a failing close could take back.
            pass


def look_at(path: str) -> bool:
    """Whether there is a database of ours already; raises `StoreError` for anything else. Only reads."""
    file = Path(path)
    if path == MEMORY or not file.exists():
        return False
    if not file.is_file():
        raise UsageError(f"The store {path!r} is not a file: give the path of a file.")
    try:
        with file.open("rb") as opened:
            header = opened.read(100)
    except OSError as error:
        raise _explain_file(path, "cannot be read", error) from error
    if not header:
        return False
    if not header.startswith(_MAGIC) or len(header) < 100:
        raise StoreError(f"The store {path!r} {_MEANINGS[sqlite3.SQLITE_NOTADB]}.")
    log = Path(f"{path}-wal")
    size = int.from_bytes(header[16:18], "big")
    expected = (65536 if size == 1 else size) * int.from_bytes(header[28:32], "big")
    if file.stat().st_size < expected and not (log.exists() and log.stat().st_size):
        raise StoreError(f"The store {path!r} is cut off ({file.stat().st_size:,} of {expected:,} bytes): "
                         "restore a backup, or move it away to start over.")  # fmt: skip
    return True


def versions_of(path: str) -> Sequence[str]:
    """The versions of a database; none for one that is empty. Raises `StoreError` for one that is not ours."""
    try:
        connection = sqlite3.connect(f"file:{quote(path)}?mode=rw", uri=True, isolation_level=None)
        try:
            connection.execute(f"PRAGMA busy_timeout={BUSY_MS}")
            application = connection.execute("PRAGMA application_id").fetchone()[0]
            tables = {row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
            if not tables and application in (0, APPLICATION_ID):
                return ()
            if application != APPLICATION_ID or VERSION_TABLE not in tables:
                raise StoreError(f"The database {path!r} is not one of Glassloop's: give another path.")
            found = connection.execute(f"SELECT version_num FROM {VERSION_TABLE}").fetchall()  # noqa: S608
            return tuple(str(row[0]) for row in found)
        finally:
            connection.close()
    except sqlite3.Error as error:
        raise explain(path, error) from error


def prepare(path: str) -> None:
    """Makes the file, private, where there is none, and turns on WAL, which stays on."""
    try:
        make_own(Path(path).parent)
        _make_private(path)
    except OSError as error:
        raise _explain_file(path, "cannot be made", error) from error
    connection = sqlite3.connect(path, isolation_level=None, timeout=BUSY_MS / 1000)
    try:
        connection.execute("PRAGMA journal_mode=WAL").fetchall()
    except sqlite3.Error as error:
        raise explain(path, error) from error
    finally:
        connection.close()


def explain(path: str, error: Exception) -> StoreError:
    code = _code(error)
    meaning = _MEANINGS.get(code, f"refused ({error})")
    kind = StoreAway if code in _PASSING else StoreError
    known = _MEANINGS.get(code, "refused: tell the operator of this server")
    return kind(f"The store {path!r} {meaning}.", shown=f"The database {known}.")


def _explain_file(path: str, what: str, error: OSError) -> StoreError:
    kind = StoreAway if error.errno in _PASSING_FOR_FILES else StoreError
    return kind(f"The store {path!r} {what}: {error.strerror or error}.")


def _code(error: Exception) -> int:
    return getattr(error, "sqlite_errorcode", 0) & 0xFF


def _make_private(path: str) -> None:
    make_own_file(Path(path))
