"""A few threads that read, each on a connection of its own, so that no reader waits for a writer."""

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor

from glassloop.core.errors import GlassloopError, StoreError
from glassloop.store.database import Connect, Database, Result, Work

THREADS = 4


class Readers:
    """Runs reading work off the event loop, each piece on one moment of the database."""

    def __init__(self, connect: Connect, threads: int = THREADS) -> None:
        self._connect = connect
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix="glassloop-reader")
        self._own = threading.local()
        self._open: set[Database] = set()
        self._closed = False

    async def do(self, work: Work[Result]) -> Result:
        if self._closed:
            raise StoreError("The store is closed: open it again.")
        return await asyncio.get_running_loop().run_in_executor(self._pool, self._read, work)

    def close(self) -> None:
        """Waits for reads under way. Blocks; for a thread that may."""
        self._closed = True
        self._pool.shutdown()
        for db in self._open:
            db.close()

    def _read(self, work: Work[Result]) -> Result:
        db: Database | None = getattr(self._own, "db", None)
        if db is None:
            db = self._own.db = self._connect()
            self._open.add(db)
        try:
            db.begin_read()
            result = work(db)
            db.commit()
        except Exception as error:
            db.rollback()
            if db.is_away(error):
                self._own.db = None
                self._open.discard(db)
                db.close()
            if isinstance(error, GlassloopError):
                raise
            raise db.explain(error) or error from error
        return result
