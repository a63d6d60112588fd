"""The short way of a small commit: on the caller's own thread, when nothing can make it wait.

Handing a commit to the writer and back costs two switches of thread, twice what the commit itself takes. So a small
write that needs no disk flush is tried here first. It never waits for a lock (another writer sends it to the queue),
never checkpoints (every so many commits go to the writer, which does), and after a slow commit, as on a busy or remote
disk, everything goes to the writer for twenty times as long as that took.
"""

import time
from collections.abc import Callable

from glassloop.core.errors import GlassloopError
from glassloop.store.database import Work
from glassloop.store.sqlite import SqliteDatabase
from glassloop.store.stored_form import Batch

SLOW_S = 0.005
REST = 20
COMMITS = 256
MOST_ROWS = 16
MOST_BYTES = 64_000


class QuickPath:
    """For one thread: the event loop's."""

    def __init__(self, connect: Callable[[], SqliteDatabase]) -> None:
        self._connect = connect
        self._db: SqliteDatabase | None = None
        self._left = COMMITS
        self._resting_until = 0.0

    def attempt(self, batch: Batch, epoch: int | None, append: Work[None]) -> bool:
        """Whether the batch is stored; False leaves nothing behind. Raises what `append` refuses with."""
        began = time.monotonic()
        if batch.size > MOST_BYTES or len(batch.rows) > MOST_ROWS or began < self._resting_until:
            return False
        if not self._left:
            self._left = COMMITS
            return False
        self._left -= 1
        try:
            if self._db is None:
                self._db = self._connect()
            stored = self._store(self._db, batch, epoch, append)
        except GlassloopError:
            self._roll_back()
            raise
        except Exception:
            # Locked, full or broken: the writer tries again, waits as long as it may, and says what is wrong.
            self._roll_back()
            return False
        took = time.monotonic() - began
        if took > SLOW_S:
            self._resting_until = began + REST * took
        return stored

    def close(self) -> None:
        if self._db is not None:
            self._db.close()
            self._db = None

    def _store(self, db: SqliteDatabase, batch: Batch, epoch: int | None, append: Work[None]) -> bool:
        if not batch.marks:
            return db.insert_next(batch.rows, epoch)
        db.begin(sync=False)
        append(db)
        db.commit()
        return True

    def _roll_back(self) -> None:
        if self._db is not None:
            self._db.rollback()
