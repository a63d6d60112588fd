"""Engine of a store: one writer, several readers, and the inline writer for small commits.

Shared by all parts of a store. Owns no SQL.
"""

import time
import uuid
from collections.abc import Callable, Sequence
from typing import Literal

from glassloop.core.ports import Clock, Ids
from glassloop.store.engine.connect import open_database
from glassloop.store.engine.database import Result, Work
from glassloop.store.engine.inline_writer import InlineWriter
from glassloop.store.engine.migrate import MigrationBranch
from glassloop.store.engine.readers import ReaderPool
from glassloop.store.engine.writer import WriterThread

Operation = Literal["read", "append"]
Timed = Callable[[Operation, float], None]
"""Is told what was done, and for how many seconds somebody waited for it."""


class StoreEngine:
    """Belongs to one event loop at a time. Opening and closing block: a thread does both."""

    def __init__(self, url: str, clock: Clock, ids: Ids | None, branches: Sequence[MigrationBranch] = ()) -> None:
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
