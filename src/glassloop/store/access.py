"""What every part of the store works with: the writer, the readers, the redactor, the clock.

Owns how a store is opened and closed, and the way of a piece of work to the database. Owns no SQL.
"""

import asyncio
import time
import uuid
from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from types import TracebackType
from typing import Literal, Self

from glassloop.core import events as e
from glassloop.core.ports import Clock, Ids
from glassloop.core.records import Json
from glassloop.store.database import Result, Work
from glassloop.store.encryption import Cipher
from glassloop.store.migrate import MigrationBranch
from glassloop.store.opening import open_database
from glassloop.store.quick import QuickPath
from glassloop.store.readers import Readers
from glassloop.store.redaction import Redactor
from glassloop.store.writer import Writer

TraceOf = Callable[[Sequence[e.Durable]], Json]
"""What a turn's message shows as its `reasoning_trace`."""

Timed = Callable[[Literal["read", "append"], float], None]
"""Hears what was done, and for how many seconds somebody waited for it."""


class Access:
    """The base of the store's parts; belongs to one event loop at a time."""

    def __init__(
        self,
        writer: Writer,
        readers: Readers | None,
        quick: QuickPath | None,
        redactor: Redactor,
        clock: Clock,
        ids: Ids,
        trace: TraceOf | None,
        cipher: Cipher,
    ) -> None:
        self._writer = writer
        self._quick = quick
        self._readers = readers
        self._redactor = redactor
        self._clock = clock
        self._ids = ids
        self._trace = trace
        self._cipher = cipher
        self.timed: Timed | None = None
        self._cleaned: OrderedDict[tuple[str, int], e.Durable] = OrderedDict()
        self._redactors: OrderedDict[str, Redactor] = OrderedDict()

    @classmethod
    def open(
        cls,
        url: str,
        *,
        secrets: Iterable[str],
        clock: Clock,
        ids: Ids | None,
        trace: TraceOf | None,
        cipher: Cipher | None,
        branches: Sequence[MigrationBranch] = (),
    ) -> Self:
        """Blocks; `open_store` does it in a thread."""
        opened = open_database(url, branches)
        readers = Readers(opened.connect) if opened.shared else None
        quick = QuickPath(opened.quick()) if opened.quick else None
        writer, redactor = Writer(opened.connect), Redactor(secrets)
        cipher = cipher or Cipher.for_this_process()
        return cls(writer, readers, quick, redactor, clock, ids or _new_id, trace, cipher)

    async def aclose(self) -> None:
        """Stores what was given, then closes. Closing twice is fine."""
        await asyncio.to_thread(self._close)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()

    def _close(self) -> None:
        if self._quick is not None:
            self._quick.close()
        if self._readers is not None:
            self._readers.close()
        self._writer.close()

    async def _read(self, work: Work[Result]) -> Result:
        began = time.perf_counter()
        found = await (self._writer if self._readers is None else self._readers).do(work)
        self._tell("read", began)
        return found

    def _tell(self, what: Literal["read", "append"], began: float) -> None:
        if self.timed is not None:
            self.timed(what, time.perf_counter() - began)


def _new_id() -> str:
    return str(uuid.uuid4())
