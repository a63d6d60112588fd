"""Engine of a store: one writer, several readers, and the inline writer for small commits. Owns no SQL.

Handing a commit to the writer and back costs two switches of thread, twice what the commit itself takes. So a small
write that needs no disk flush is tried on the caller's own thread first. It never waits for a lock (another writer
sends it to the queue), never checkpoints (every so many commits go to the writer, which does), and after a slow commit,
as on a busy or remote disk, everything goes to the writer for twenty times as long as that took.
"""

import asyncio
import threading
import time
import uuid
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Literal

from glassloop.core.errors import GlassloopError, StoreError
from glassloop.core.ports import Clock, Ids
from glassloop.store.engine.connect import open_database
from glassloop.store.engine.database import Connect, EventRow, Result, SqlConnection, Work
from glassloop.store.engine.migrate import MigrationBranch
from glassloop.store.engine.sqlite import SqliteDatabase
from glassloop.store.engine.writer import CLOSED, WriterThread

THREADS = 4


class ReaderPool:
    """Runs reading work off the event loop, each piece on one moment of the database."""

    def __init__(self, connect: Connect, threads: int = THREADS) -> None:
        self._connect = connect
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix="glassloop-reader")
        self._own = threading.local()
        self._open: set[SqlConnection] = set()

    async def do(self, work: Work[Result]) -> Result:
        """The result of `work`, which only reads: where its connection turns out to be gone, it is done once more."""
        try:
            reading = asyncio.get_running_loop().run_in_executor(self._pool, self._read, work, True)
        except RuntimeError as error:
            # The pool takes nothing more.
            raise StoreError(CLOSED) from error
        return await reading

    def close(self) -> None:
        """Waits for reads under way. Blocks; for a thread that may."""
        self._pool.shutdown()
        for db in self._open:
            db.close()

    def _read(self, work: Work[Result], may_repeat: bool) -> Result:
        db = self._connection()
        try:
            db.begin_read()
            result = work(db)
            db.commit()
        except Exception as error:
            db.rollback()
            lost = db.is_lost(error)
            if lost or db.is_away(error):
                self._let_go(db)
            if lost and may_repeat:
                return self._read(work, False)
            if isinstance(error, GlassloopError):
                raise
            raise db.explain(error) or error from error
        return result

    def _connection(self) -> SqlConnection:
        db: SqlConnection | None = getattr(self._own, "db", None)
        if db is None:
            db = self._own.db = self._connect()
            self._open.add(db)
        return db

    def _let_go(self, db: SqlConnection) -> None:
        self._own.db = None
        self._open.discard(db)
        db.close()


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


Operation = Literal["read", "append"]
Timed = Callable[[Operation, float], None]
"""Is told what was done, and for how many seconds somebody waited for it."""


class StoreEngine:
    """Belongs to one event loop at a time. Opening and closing block: a thread does both."""

    def __init__(self, url: str, clock: Clock, ids: Ids | None, branches: Sequence[MigrationBranch] = ()) -> None:
        self.url = url
        opened = open_database(url, branches)
        self.clock = clock
        self.new_id = ids or _new_id
        self.timed: Timed | None = None
        self._writer = WriterThread(opened.connect)
        self._readers = ReaderPool(opened.connect) if opened.shared else None
        self._inline = InlineWriter(opened.inline()) if opened.inline else None

    @property
    def inline(self) -> InlineWriter | None:
        """Stores on the caller's own thread; None where it cannot, or where earlier work waits to be written."""
        return None if self._writer.busy else self._inline

    async def read(self, work: Work[Result]) -> Result:
        """The result of `work`, which only reads, at one moment of the database."""
        began = time.perf_counter()
        found = await (self._writer if self._readers is None else self._readers).do(work)
        self.tell("read", began)
        return found

    async def write(
        self, work: Work[Result], *, sync: bool = False, alone: bool = False, locks: Sequence[str] = ()
    ) -> Result:
        """The result of `work` once it is stored; see `WriterThread.do`."""
        return await self._writer.do(work, sync=sync, alone=alone, locks=locks)

    def tell(self, what: Operation, began: float) -> None:
        if self.timed is not None:
            self.timed(what, time.perf_counter() - began)

    def close(self) -> None:
        """Stores what was given, then closes. Closing twice is fine."""
        if self._inline is not None:
            self._inline.close()
        if self._readers is not None:
            self._readers.close()
        self._writer.close()


def _new_id() -> str:
    return str(uuid.uuid4())
