"""A writer for small commits, on the caller's own thread, when nothing can make it wait.

Handing a commit to the writer and back costs two switches of thread, twice what the commit itself takes. So a small
write that needs no disk flush is tried here first. It never waits for a lock (another writer sends it to the queue),
never checkpoints (every so many commits go to the writer, which does), and after a slow commit, as on a busy or remote
disk, everything goes to the writer for twenty times as long as that took.
"""

import time

from glassloop.core.errors import GlassloopError
from glassloop.store.engine.database import EventRow, Work
from glassloop.store.engine.sqlite import SqliteDatabase

SLOW_S = 0.005
REST = 20
COMMITS = 256
FORGIVEN = 32
"""After so many quick commits a slow one is the first again."""

MAX_EVENTS = 16
MAX_BYTES = 64_000


class InlineWriter:
    """For one thread: the event loop's. Its connection is made elsewhere, as that takes time."""

    def __init__(self, db: SqliteDatabase) -> None:
        self._db = db
        self._left = COMMITS
        self._resting_until = 0.0
        self._quick_since_slow = FORGIVEN

    def takes(self, events: int) -> bool:
        """Whether it is worth making a batch of so many events for `attempt`."""
        if events > MAX_EVENTS or time.monotonic() < self._resting_until:
            return False
        if not self._left:
            self._left = COMMITS
            return False
        return True

    def attempt(self, append: Work[None], *, size: int, only: EventRow | None, epoch: int | None) -> bool:
        """Whether the batch of that size is stored; False leaves nothing behind. Raises what `append` refuses with.

        `only`: the row that is all of the batch, where no other table changes with it.
        """
        if size > MAX_BYTES:
            return False
        began = time.monotonic()
        self._left -= 1
        try:
            self._store(append, only, epoch)
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

    def _store(self, append: Work[None], only: EventRow | None, epoch: int | None) -> None:
        db = self._db
        if only is not None and db.insert_next(only, epoch):
            return
        # What did not fit is refused by `append`, in words.
        db.begin(sync=False)
        append(db)
        db.commit()
