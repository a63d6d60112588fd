"""`KeptStore`: what changes of files replaced, so that they can be taken back, in `code/kept` of the home folder.

A change is recorded with the contents before and after it, on the disk, before the file itself is written: whatever
ends the process in between, the change is known. Contents lie in files named by their sha256, changes in a small
database. The oldest go first, by age and by size. Blocks.
"""

import hashlib
import os
import sqlite3
import threading
import time
from collections.abc import Generator, Iterable, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path

import msgspec

from glassloop.core.errors import ToolUnavailable
from glassloop.core.ports import Clock
from glassloop.extensions.code.files.diff import ChangeType
from glassloop.own_folder import make_own, make_own_file
from glassloop.whole_file import write_whole

KEEP_DAYS = 30
KEEP_BYTES = 500_000_000
MAX_FILE_BYTES = 50_000_000
"""Of one content."""
BUSY_S = 10.0
PRUNE_EVERY_S = 600.0
MAX_LISTED = 10_000
SESSIONS_AT_ONCE = 500
UNDO_COMMAND = "/undo"
"""What takes back what a turn changed, as answers name it."""

_SCHEMA = """
CREATE TABLE IF NOT EXISTS changes (
    id INTEGER PRIMARY KEY, at REAL NOT NULL, owner TEXT NOT NULL, session_id TEXT NOT NULL, turn_id TEXT NOT NULL,
    call_id TEXT NOT NULL, root TEXT NOT NULL, path TEXT NOT NULL, change TEXT NOT NULL, undoes TEXT NOT NULL,
    before_sha256 TEXT, after_sha256 TEXT
);
CREATE INDEX IF NOT EXISTS changes_of_turn ON changes (owner, turn_id, id);
CREATE INDEX IF NOT EXISTS changes_of_session ON changes (owner, session_id, id);
CREATE TABLE IF NOT EXISTS conflicts (
    at REAL NOT NULL, owner TEXT NOT NULL, session_id TEXT NOT NULL, undo_id TEXT NOT NULL, turn_id TEXT NOT NULL,
    path TEXT NOT NULL, why TEXT NOT NULL
);
CREATE INDEX IF NOT EXISTS conflicts_of_session ON conflicts (owner, session_id);
CREATE TABLE IF NOT EXISTS contents (sha256 TEXT PRIMARY KEY, size INTEGER NOT NULL) WITHOUT ROWID;
"""
_VERSION = 2
_TABLES = ("changes", "conflicts")
"""Those with an owner, a session and a time."""


class FileVersion(msgspec.Struct, frozen=True, kw_only=True):
    """A file as it was before or after a change."""

    sha256: str
    size: int
    mode: int

    @classmethod
    def of(cls, content: bytes, mode: int) -> "FileVersion":
        return cls(sha256=sha256_of(content), size=len(content), mode=mode)


class FileChange(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What a call did to one file: `data.change` of its result. Paths are from the workspace, without links."""

    path: str
    change_type: ChangeType
    before: FileVersion | None
    after: FileVersion | None
    source: str | None = None
    """Of a move: where it was."""


class ChangeOrigin(msgspec.Struct, frozen=True, kw_only=True):
    """Whose change it is, in which call, beneath which folder. `undoes`: the turn that it takes back."""

    user: str
    session_id: str
    turn_id: str
    call_id: str
    root: str
    undoes: str = ""


class KeptChange(msgspec.Struct, frozen=True, kw_only=True):
    """A change as it was recorded. Whether the file was written after that tells the file."""

    id: int
    at: float
    origin: ChangeOrigin
    change: FileChange


class UndoConflict(msgspec.Struct, frozen=True, kw_only=True):
    """A file that the undo `undo_id` of a turn left alone. `why` says it in a sentence."""

    at: float
    undo_id: str
    turn_id: str
    path: str
    why: str


def sha256_of(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


class KeptStore:
    """For any thread and several processes."""

    def __init__(
        self, home: Path, *, days: float = KEEP_DAYS, max_bytes: int = KEEP_BYTES, clock: Clock = time.time
    ) -> None:
        self._folder = home / "code" / "kept"
        self._days, self._max_bytes, self._clock = days, max_bytes, clock
        self._lock = threading.Lock()
        self._pruned = 0.0
        self._added = 0

    def record(self, origin: ChangeOrigin, changes: Sequence[FileChange], contents: Iterable[bytes]) -> None:
        """Keeps the changes with their contents, on the disk when it returns. Call it before the files are written."""
        now = self._clock()
        with self._writing() as database:
            for content in contents:
                self._keep(database, content)
            database.executemany(
                "INSERT INTO changes (at, owner, session_id, turn_id, call_id, root, path, change, undoes, "
                "before_sha256, after_sha256) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                [_row(now, origin, change) for change in changes],
            )
        if self._added > self._max_bytes // 20 or now - self._pruned > PRUNE_EVERY_S:
            self.prune()

    def record_conflicts(self, origin: ChangeOrigin, files: Sequence[tuple[str, str]]) -> None:
        """Keeps which files an undo left alone, and why."""
        told = (self._clock(), origin.user, origin.session_id, origin.turn_id, origin.undoes)
        with self._writing() as database:
            database.executemany(
                "INSERT INTO conflicts VALUES (?, ?, ?, ?, ?, ?, ?)", [(*told, *each) for each in files]
            )

    def conflicts(self, user: str, session_id: str) -> list[UndoConflict]:
        """The newest of a session, in the order they were met."""
        if not (self._folder / "changes.db").exists():
            return []
        with self._open() as database:
            rows = database.execute(
                "SELECT at, undo_id, turn_id, path, why FROM conflicts WHERE owner = ? AND session_id = ? "
                "ORDER BY rowid DESC LIMIT ?",
                (user, session_id, MAX_LISTED),
            ).fetchall()
        names = UndoConflict.__struct_fields__
        return [UndoConflict(**dict(zip(names, row, strict=True))) for row in reversed(rows)]

    def content(self, sha256: str) -> bytes | None:
        """What a version held; None where it is not kept any more, or is not what it was."""
        try:
            content = self._path(sha256).read_bytes()
        except OSError:
            return None
        return content if sha256_of(content) == sha256 else None

    def of_turn(self, user: str, turn_id: str) -> list[KeptChange]:
        """In the order they were made."""
        return self._select("owner = ? AND turn_id = ? ORDER BY id LIMIT ?", (user, turn_id, MAX_LISTED))

    def of_session(self, user: str, session_id: str) -> list[KeptChange]:
        """The newest of a session, in the order they were made."""
        found = self._select("owner = ? AND session_id = ? ORDER BY id DESC LIMIT ?", (user, session_id, MAX_LISTED))
        return found[::-1]

    def of_root(self, user: str, root: str) -> list[KeptChange]:
        """The newest beneath a folder, of all sessions, in the order they were made."""
        found = self._select("owner = ? AND root = ? ORDER BY id DESC LIMIT ?", (user, root, MAX_LISTED))
        return found[::-1]

    def prune(self) -> None:
        """Forgets what is too old, and the oldest where it is too much."""
        self._pruned, self._added = self._clock(), 0
        with self._writing() as database:
            for table in _TABLES:
                database.execute(f"DELETE FROM {table} WHERE at < ?", (self._pruned - self._days * 86_400,))  # noqa: S608
            self._drop_unused(database)
            (total,) = database.execute("SELECT coalesce(sum(size), 0) FROM contents").fetchone()
            while total > self._max_bytes:
                gone = database.execute("DELETE FROM changes WHERE id IN (SELECT id FROM changes ORDER BY id LIMIT 50)")
                if not gone.rowcount:
                    break
                self._drop_unused(database)
                (total,) = database.execute("SELECT coalesce(sum(size), 0) FROM contents").fetchone()

    def forget(self, user: str | None, sessions: Sequence[str]) -> int:
        """Removes the changes of these sessions and, where a user is named, all of the user's; how many. Contents that
        no other change needs go with them."""
        if not (self._folder / "changes.db").exists():
            return 0
        with self._writing() as database:
            _forget(database, "conflicts", user, sessions)
            gone = _forget(database, "changes", user, sessions)
            if gone:
                self._drop_unused(database)
        return gone

    def _keep(self, database: sqlite3.Connection, content: bytes) -> None:
        sha256 = sha256_of(content)
        path = self._path(sha256)
        known = database.execute("SELECT 1 FROM contents WHERE sha256 = ?", (sha256,)).fetchone()
        if known is None or not path.exists():
            make_own(path.parent)
            write_whole(path, content)
            _sync(path.parent)
            self._added += len(content)
        database.execute(
            "INSERT INTO contents (sha256, size) VALUES (?, ?) ON CONFLICT (sha256) DO NOTHING", (sha256, len(content))
        )

    def _drop_unused(self, database: sqlite3.Connection) -> None:
        unused = database.execute(
            "SELECT sha256 FROM contents WHERE sha256 NOT IN (SELECT before_sha256 FROM changes WHERE before_sha256 "
            "IS NOT NULL UNION SELECT after_sha256 FROM changes WHERE after_sha256 IS NOT NULL)"
        ).fetchall()
        for (sha256,) in unused:
            with suppress(OSError):
                self._path(sha256).unlink()
        database.executemany("DELETE FROM contents WHERE sha256 = ?", unused)

    def _path(self, sha256: str) -> Path:
        return self._folder / sha256[:2] / sha256

    def _select(self, where: str, values: tuple[object, ...]) -> list[KeptChange]:
        if not (self._folder / "changes.db").exists():
            return []
        columns = "id, at, owner, session_id, turn_id, call_id, root, undoes, change"
        with self._open() as database:
            rows = database.execute(f"SELECT {columns} FROM changes WHERE {where}", values).fetchall()  # noqa: S608
        return [_change(row) for row in rows]

    @contextmanager
    def _writing(self) -> Generator[sqlite3.Connection]:
        with self._lock, self._open() as database:
            database.execute("BEGIN IMMEDIATE")
            try:
                yield database
            except BaseException:
                database.execute("ROLLBACK")
                raise
            database.execute("COMMIT")

    @contextmanager
    def _open(self) -> Generator[sqlite3.Connection]:
        path = self._folder / "changes.db"
        try:
            if not path.exists():
                make_own(self._folder)
                make_own_file(path)
            with closing(sqlite3.connect(path, timeout=BUSY_S, isolation_level=None)) as database:
                database.execute("PRAGMA synchronous = FULL")
                if database.execute("PRAGMA user_version").fetchone()[0] < _VERSION:
                    database.executescript(f"BEGIN IMMEDIATE; {_SCHEMA} PRAGMA user_version = {_VERSION}; COMMIT;")
                yield database
        except sqlite3.Error as error:
            raise ToolUnavailable(f"What changes replace cannot be kept for now ({error}): try again.") from error


def _forget(database: sqlite3.Connection, table: str, user: str | None, sessions: Sequence[str]) -> int:
    """Deletes the rows of a user and of sessions; how many."""
    gone = 0
    if user is not None:
        gone = database.execute(f"DELETE FROM {table} WHERE owner = ?", (user,)).rowcount  # noqa: S608
    for first in range(0, len(sessions), SESSIONS_AT_ONCE):
        some = sessions[first : first + SESSIONS_AT_ONCE]
        marks = ", ".join("?" * len(some))
        gone += database.execute(f"DELETE FROM {table} WHERE session_id IN ({marks})", some).rowcount  # noqa: S608
    return gone


def _row(now: float, origin: ChangeOrigin, change: FileChange) -> tuple[object, ...]:
    before, after = (None if each is None else each.sha256 for each in (change.before, change.after))
    return (
        *(now, origin.user, origin.session_id, origin.turn_id, origin.call_id, origin.root, change.path),
        *(msgspec.json.encode(change).decode(), origin.undoes, before, after),
    )


def _change(row: tuple[int, float, str, str, str, str, str, str, str]) -> KeptChange:
    number, at, user, session_id, turn_id, call_id, root, undoes, change = row
    origin = ChangeOrigin(user=user, session_id=session_id, turn_id=turn_id, call_id=call_id, root=root, undoes=undoes)
    return KeptChange(id=number, at=at, origin=origin, change=msgspec.json.decode(change, type=FileChange))


def _sync(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
