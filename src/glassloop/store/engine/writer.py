"""The one thread that writes: what waits when it is free shares a commit.

A piece of work is a function over the connection that either writes all it has to or raises; the thread owns
transactions and tells each caller how its own piece ended. The event loop never waits for the database.
"""

import asyncio
import logging
import queue
import threading
from collections import deque
from collections.abc import Sequence
from typing import Any

from glassloop.core.errors import GlassloopError, StoreError
from glassloop.store.engine.database import Connect, Result, SqlConnection, Work

_log = logging.getLogger(__name__)

MAX_GROUPED = 512
MAX_WAITING = 10_000
CLOSED = "The store is closed: open it again."


class _Job:
    __slots__ = ("error", "locks", "loop", "result", "settled", "sync", "waiter", "whole", "work")

    def __init__(
        self, work: Work[Any], sync: bool, whole: bool, locks: Sequence[str], loop: asyncio.AbstractEventLoop
    ) -> None:
        self.work, self.sync, self.whole, self.locks, self.loop = work, sync, whole, locks, loop
        self.waiter: asyncio.Future[None] = loop.create_future()
        self.settled = False
        self.result: Any = None
        self.error: Exception | None = None


class WriterThread:
    """A thread with a connection and a queue."""

    def __init__(self, connect: Connect) -> None:
        self._connect = connect
        self._db: SqlConnection | None = None
        self._queue: queue.SimpleQueue[_Job | None] = queue.SimpleQueue()
        self._group: Sequence[_Job] = ()
        self._waiting = 0
        self._blocked: deque[asyncio.Future[None]] = deque()
        self._closed = False
        self._giving = threading.Lock()
        """Held while something is given to the thread: nothing is given to it after its last."""
        self._thread = threading.Thread(target=self._serve, name="glassloop-writer", daemon=True)
        self._thread.start()

    @property
    def busy(self) -> bool:
        """Whether something waits to be written or is being written."""
        return self._waiting > 0 or self._closed

    async def do(
        self, work: Work[Result], *, sync: bool = False, alone: bool = False, locks: Sequence[str] = ()
    ) -> Result:
        """The result of `work` once it is stored. `alone`: outside any transaction, as maintenance must be.
        `locks`: names of which it has no other transaction beside it, in any process.

        A caller that is cancelled still waits until its piece is stored or refused: what comes after a cancelled
        write may rely on the log having no gap.
        """
        loop = asyncio.get_running_loop()
        while self._waiting >= MAX_WAITING:
            place: asyncio.Future[None] = loop.create_future()
            self._blocked.append(place)
            await place
        job = _Job(work, sync, alone, locks, loop)
        with self._giving:
            if self._closed:
                raise StoreError(CLOSED)
            self._waiting += 1
            self._queue.put(job)
        try:
            await job.waiter
        except asyncio.CancelledError:
            while not job.settled:
                job.waiter = loop.create_future()
                try:
                    await job.waiter
                except asyncio.CancelledError:
                    continue
            raise
        if job.error is not None:
            raise job.error
        return job.result

    def close(self) -> None:
        """Finishes what was given to it; what comes later is refused. Blocks; for a thread that may."""
        self._end()
        self._thread.join()

    def _end(self) -> None:
        with self._giving:
            if not self._closed:
                self._closed = True
                self._queue.put(None)

    def _serve(self) -> None:
        try:
            self._serve_all()
        except Exception as error:
            _log.exception("the writer of the store ended")
            self._end()
            self._give_up(error)

    def _give_up(self, error: Exception) -> None:
        """Tells those who wait: nothing is given to the thread any more, and nobody else would."""
        left = list(self._group)
        while not self._queue.empty():
            left += filter(None, [self._queue.get()])
        for job in left:
            job.error = StoreError(f"The store ended unexpectedly ({type(error).__name__}: {error}): open it again.")
        self._tell(left)

    def _serve_all(self) -> None:
        job = self._queue.get()
        while job is not None:
            group, following = [job], None
            while not self._queue.empty() and len(group) < MAX_GROUPED:
                following = self._queue.get()
                if following is None or following.whole or job.whole:
                    break
                group.append(following)
                following = None
            self._group = group if following is None else [*group, following]
            if job.whole:
                self._maintain(job)
            else:
                self._store(group)
            self._group = [] if following is None else [following]
            self._tell(group)
            job = following if following is not None else self._next()
        if self._db is not None:
            self._db.close()

    def _next(self) -> _Job | None:
        return None if self._closed and self._queue.empty() else self._queue.get()

    def _open(self) -> SqlConnection:
        if self._db is None:
            self._db = self._connect()
        return self._db

    def _store(self, group: Sequence[_Job]) -> None:
        """One commit for all of them, and for each that cannot be part of it an error of its own."""
        try:
            db = self._begin(group)
            if not self._do_all(db, group):
                db.rollback()
                db = self._begin(group)
                self._do_each(db, group)
            db.commit()
        except Exception as error:
            away, shown = self._failed(error)
            if len(group) > 1 and not away:
                for job in group:
                    job.error = None
                    self._store([job])
            else:
                for job in group:
                    job.error = job.error or shown

    def _do_all(self, db: SqlConnection, group: Sequence[_Job]) -> bool:
        """False where one was refused, who may have written already: nothing of this transaction can be kept."""
        try:
            for job in group:
                job.result = job.work(db)
        except GlassloopError:
            return False
        return True

    def _do_each(self, db: SqlConnection, group: Sequence[_Job]) -> None:
        """With a way back before each, so that many who are refused cost no more than as many who are not."""
        for job in group:
            db.run("SAVEPOINT piece")
            try:
                job.result = job.work(db)
            except GlassloopError as error:
                job.error = error
                db.run("ROLLBACK TO SAVEPOINT piece")
            db.run("RELEASE SAVEPOINT piece")

    def _begin(self, group: Sequence[_Job]) -> SqlConnection:
        """A transaction with all the locks of the group, taken in one order everywhere, before any row's."""
        sync = any(job.sync for job in group)
        kept = self._db is not None
        db = self._open()
        try:
            db.begin(sync=sync)
        except Exception as error:
            if not kept or not db.is_lost(error):
                raise
            # The server was restarted since the last commit; of this one it has nothing yet.
            self._failed(error)
            db = self._open()
            db.begin(sync=sync)
        names = {name for job in group for name in job.locks}
        if names:
            db.lock(sorted(names))
        return db

    def _maintain(self, job: _Job) -> None:
        try:
            job.result = job.work(self._open())
        except Exception as error:
            job.error = self._failed(error)[1]

    def _failed(self, error: Exception) -> tuple[bool, Exception]:
        """Leaves the connection fit for use, or lets it go; whether the database is away, and what to tell."""
        db = self._db
        if db is None:
            return True, error
        db.rollback()
        away = db.is_away(error)
        shown = error if isinstance(error, GlassloopError) else db.explain(error)
        if away:
            db.close()
            self._db = None
        return away, shown or StoreError(f"The store failed unexpectedly ({type(error).__name__}: {error}).")

    def _tell(self, group: Sequence[_Job]) -> None:
        by_loop: dict[asyncio.AbstractEventLoop, list[_Job]] = {}
        for job in group:
            by_loop.setdefault(job.loop, []).append(job)
        for loop, jobs in by_loop.items():
            try:
                loop.call_soon_threadsafe(self._settle, jobs)
            except RuntimeError:
                # The loop is closed: nobody waits there any more.
                self._waiting -= len(jobs)

    def _settle(self, jobs: Sequence[_Job]) -> None:
        self._waiting -= len(jobs)
        for job in jobs:
            job.settled = True
            if not job.waiter.done():
                job.waiter.set_result(None)
        room = MAX_WAITING - self._waiting
        while self._blocked and room > 0:
            place = self._blocked.popleft()
            if not place.done():
                place.set_result(None)
                room -= 1
