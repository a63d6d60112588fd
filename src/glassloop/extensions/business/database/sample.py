"""The file in the home folder: the sample company, made at first use, or what was imported in its place.

Owns when the file is made and made anew. Meetings that people scheduled move into the new file.
"""

import sqlite3
import threading
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from glassloop.core.errors import ToolError
from glassloop.core.ports import Clock
from glassloop.extensions.business.company.generator import VERSION, Tell, make_company
from glassloop.extensions.business.database.tables import PREFIX
from glassloop.extensions.business.database.writer import Sink, write_sqlite
from glassloop.own_folder import make_own

FILE_NAME = "business.db"
IMPORTED = 1_000_000
"""The stamp of a file with a company's own data, which is never made anew."""
SCHEDULED = "MTG-"
"""What the id of a meeting begins with that was scheduled here."""


class SampleFile:
    """Makes sure that there is a file."""

    def __init__(self, home: Path, clock: Clock) -> None:
        self.path = home / FILE_NAME
        self._clock = clock
        self._making = threading.Lock()

    def ensure(self, tell: Tell) -> Path:
        """The file's path; makes it first where there is none, or an older one than ours."""
        if self._stamp() >= VERSION:
            return self.path
        with self._making:
            if self._stamp() < VERSION:
                self._make(tell)
        return self.path

    @property
    def stamp(self) -> str:
        """Changes when the company is made anew; empty for a company's own data, and before there is a file."""
        if not 0 < self._stamp() < IMPORTED:
            return ""
        seen = self.path.stat()
        return f"{seen.st_ino}:{seen.st_mtime_ns}"

    def _stamp(self) -> int:
        try:
            return read_stamp(self.path)
        except sqlite3.Error as error:
            raise ToolError(
                f"The file {FILE_NAME!r} in the home folder cannot be read ({error}): move it away to start over."
            ) from error

    def _make(self, tell: Tell) -> None:
        today = datetime.fromtimestamp(self._clock(), UTC).date()
        kept = scheduled_in(self.path)

        def fill(sink: Sink) -> None:
            make_company(sink, today=today, tell=tell)
            for name, row in kept:
                sink(name, row)

        try:
            make_own(self.path.parent)
            write_sqlite(self.path, fill, VERSION, unless=lambda: self._stamp() >= VERSION)
        except OSError as error:
            raise ToolError(f"The sample company could not be written: {error.strerror}. Free the disk.") from error


def read_stamp(path: Path) -> int:
    """The version that a file was written with; 0 where there is none."""
    if not path.exists():
        return 0
    with closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)) as connection:
        return int(connection.execute("PRAGMA user_version").fetchone()[0])


def scheduled_in(path: Path) -> list[tuple[str, tuple[Any, ...]]]:
    """The meetings in an older file, as rows for a new one."""
    if not path.exists():
        return []
    found: list[tuple[str, tuple[Any, ...]]] = []
    with closing(sqlite3.connect(path)) as connection:
        tables = {name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
        if not tables:
            return []
        if not tables >= {f"{PREFIX}calendar", f"{PREFIX}attendees"}:
            raise ToolError(
                f"The file {FILE_NAME!r} in the home folder is not business data: move it away to start over."
            )
        for name in ("calendar", "attendees"):
            query = f"SELECT * FROM {PREFIX}{name} WHERE event_id LIKE ?"  # noqa: S608
            found += [(name, row) for row in connection.execute(query, (f"{SCHEDULED}%",))]
    return found


def progress(report: Callable[[str, float | None], None]) -> Tell:
    """Tells a call how far the sample company is."""
    return lambda stage, done: report(f"Making the sample company: {stage}", done)
