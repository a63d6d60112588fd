"""The short way of a small commit: on the caller's own thread, when nothing can make it wait.

Handing a commit to the writer and back costs two switches of thread, twice what the commit itself takes. So a small
write that needs no disk flush is tried here first. It never waits for a lock (another writer sends it to the queue),
never checkpoints (every so many commits go to the writer, which does), and after a slow commit, as on a busy or remote
disk, everything goes to the writer for twenty times as long as that took.
"""

import time

from glassloop.core.errors import GlassloopError
from glassloop.store.database import Work
from glassloop.store.event_codec import Batch
from glassloop.store.sqlite import SqliteDatabase

SLOW_S = 0.005
REST = 20
COMMITS = 256
FORGIVEN = 32
"""After so many quick commits a slow one is the first again."""

MOST_EVENTS = 16
MOST_BYTES = 64_000


class QuickPath:
    """For one thread: the event loop's. Its connection is made elsewhere, as that takes time."""

    def __init__(self, db: SqliteDatabase) -> None:
        self._db = db
        self._left = COMMITS
        self._resting_until = 0.0
        self._quick_since_slow = FORGIVEN

    def takes(self, events: int) -> bool:
        """Whether it is worth making a batch of so many events for `attempt`."""
        if events > MOST_EVENTS or time.monotonic() < self._resting_until:
            return False
        if not self._left:
            self._left = COMMITS
            return False
        return True

    def attempt(self, batch: Batch, epoch: int | None, append: Work[None]) -> bool:
        """Whether the batch is stored; False leaves nothing behind. Raises what `append` refuses with."""
        if batch.size > MOST_BYTES:
            return False
        began = time.monotonic()
        self._left -= 1
        try:
            self._store(batch, epoch, append)
        except GlassloopError:
            self._db.rollback()
            raise
        except Exception:
            # Locked, full or broken: the writer tries again, waits as long as it may, and says what is wrong.
            self._db.rollback()
            return False
        took = time.monotonic() - began
        if took > SLOW_S:
            # One slow commit is a hiccup of the machine, a second one soon after it a slow disk.
            if self._quick_since_slow < FORGIVEN:
                self._resting_until = began + REST * took
            self._quick_since_slow = 0
        else:
            self._quick_since_slow += 1
        return True

    def close(self) -> None:
        self._db.close()

    def _store(self, batch: Batch, epoch: int | None, append: Work[None]) -> None:
        db = self._db
        if not batch.projected and len(batch.rows) == 1 and db.insert_next(batch.rows[0], epoch):
            return
        # What did not fit is refused by `append`, in words.
        db.begin(sync=False)
        append(db)
        db.commit()
