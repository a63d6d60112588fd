"""A few threads that read, each on a connection of its own, so that no reader waits for a writer."""

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor

from glassloop.core.errors import GlassloopError, StoreError
from glassloop.store.engine.database import Connect, Result, SqlConnection, Work
from glassloop.store.engine.writer import CLOSED

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
