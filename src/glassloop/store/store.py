"""`Store`: the event log, claims, sessions and their keeping, on whatever database it was opened on.

The one class the runtime holds. It redacts, hands work to the writer or the readers, and owns no SQL.
"""

import asyncio
import uuid
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

import msgspec

from glassloop.core import events as e
from glassloop.core.errors import StoreError, UsageError
from glassloop.core.ports import Clock, Ids
from glassloop.core.records import Json
from glassloop.store import exchange, keeping, session_table, turn_log
from glassloop.store.database import Database, Result, Work
from glassloop.store.opening import open_database
from glassloop.store.quick import QuickPath
from glassloop.store.readers import Readers
from glassloop.store.records import Health, Session, SessionMessage, TurnRow
from glassloop.store.redaction import Redactor
from glassloop.store.stored_form import KINDS, from_row, to_batch
from glassloop.store.writer import Writer

TraceOf = Callable[[Sequence[e.Durable]], Json]
"""What a turn's message shows as its `reasoning_trace`."""

_KNOWN = frozenset(KINDS.values())


class Store:
    """Opened by `open_store`; belongs to one event loop at a time. Close it with `aclose`, or use `async with`."""

    def __init__(
        self,
        writer: Writer,
        readers: Readers | None,
        quick: QuickPath | None,
        redactor: Redactor,
        clock: Clock,
        ids: Ids,
        trace: TraceOf | None,
    ) -> None:
        self._writer = writer
        self._quick = quick
        self._readers = readers
        self._redactor = redactor
        self._clock = clock
        self._ids = ids
        self._trace = trace

    @classmethod
    def open(
        cls,
        url: str,
        *,
        secrets: Iterable[str],
        clock: Clock,
        ids: Ids | None,
        trace: TraceOf | None,
    ) -> "Store":
        """Blocks; `open_store` does it in a thread."""
        opened = open_database(url)
        readers = Readers(opened.connect) if opened.shared else None
        quick = QuickPath(opened.quick) if opened.quick else None
        return cls(Writer(opened.connect), readers, quick, Redactor(secrets), clock, ids or _new_id, trace)

    async def append(
        self,
        turn_id: str,
        events: Sequence[e.Durable],
        *,
        sync: bool = False,
        epoch: int | None = None,
        again: bool = False,
    ) -> None:
        """Returns when the events are stored, in one commit; raises `Superseded` when the turn has another owner.

        `again`: this batch was tried before and its fate is not known; where it is stored already, that is success.
        """
        if events:
            batch = to_batch(turn_id, events, self._redactor)
            work: Work[None] = lambda db: turn_log.append(db, batch, epoch, again=again)  # noqa: E731
            quick = self._quick
            if sync or quick is None or self._writer.busy or not quick.attempt(batch, epoch, work):
                await self._writer.do(work, sync=sync)

    async def read(self, turn_id: str, after: int = 0, *, skip_unknown: bool = False) -> Sequence[e.Durable]:
        """The events after that one. An unknown kind is refused, as running on without it would be guessing;
        `skip_unknown` is for those who only look."""
        rows = await self._read(lambda db: turn_log.read_rows(db, turn_id, after))
        return tuple(from_row(row) for row in rows if not skip_unknown or row.kind in _KNOWN)

    async def turns(self, session_id: str) -> Sequence[str]:
        """The session's turns, oldest first."""
        return await self._read(lambda db: turn_log.turn_ids(db, session_id))

    async def turn(self, turn_id: str) -> TurnRow | None:
        return await self._read(lambda db: turn_log.get_turn(db, turn_id))

    async def turn_rows(self, session_id: str) -> Sequence[TurnRow]:
        """The session's turns as rows, oldest first."""
        return await self._read(lambda db: turn_log.turns_of(db, session_id))

    async def begin_turn(
        self,
        events: Sequence[e.Durable],
        *,
        worker: str = "",
        lease_s: float = 0.0,
        supersedes: bool = False,
        sync: bool = False,
    ) -> None:
        """Stores a turn's first events; raises `SessionBusy` while another turn of its session runs or waits.

        Its owner appends with epoch 0 until someone claims it. With `supersedes` the older turn stays as it is:
        cancelling it is the caller's.
        """
        if not events:
            raise UsageError("A turn begins with 'turn_started': give at least that event.")
        batch = to_batch(events[0].turn_id, events, self._redactor)
        until = self._clock() + lease_s if lease_s else 0.0
        work: Work[None] = lambda db: turn_log.begin(  # noqa: E731
            db, batch, worker=worker, lease_until=until, supersedes=supersedes
        )
        await self._writer.do(work, sync=sync)

    async def claim(self, turn_id: str, worker: str, lease_s: float) -> int:
        """Takes a turn over and returns its new epoch; raises `TurnHeld` while another worker's lease runs."""
        now = self._clock()
        return await self._writer.do(
            lambda db: turn_log.claim(db, turn_id, worker, now=now, lease_s=lease_s), sync=True
        )

    async def renew(self, turn_id: str, epoch: int, lease_s: float) -> None:
        """Holds the turn for that long from now; raises `Superseded` when it is no longer this epoch's."""
        until = self._clock() + lease_s
        await self._writer.do(lambda db: turn_log.set_lease(db, turn_id, epoch, until))

    async def release(self, turn_id: str, epoch: int) -> None:
        """Gives the turn up: the next claim succeeds at once."""
        await self._writer.do(lambda db: turn_log.set_lease(db, turn_id, epoch, 0.0))

    async def unfinished(self, before: float | None = None, limit: int = 1000) -> Sequence[TurnRow]:
        """Running turns whose lease ended before then (default: now), the longest abandoned first."""
        moment = self._clock() if before is None else before
        return await self._read(lambda db: turn_log.unfinished(db, moment, limit))

    async def create_session(
        self, user_id: str, channel: str = "api", metadata: Mapping[str, Json] | None = None
    ) -> Session:
        session_id, now = self._ids(), self._clock()
        clean = self._redactor.value(msgspec.to_builtins(metadata or {}))

        def work(db: Database) -> Session | None:
            session_table.create(db, session_id, user_id, channel, clean, now)
            return session_table.get(db, session_id)

        session = await self._writer.do(work)
        if session is None:
            raise StoreError(f"Session {session_id!r} was not stored: look at the database.")
        return session

    async def get_session(self, session_id: str) -> Session | None:
        return await self._read(lambda db: session_table.get(db, session_id))

    async def list_sessions(
        self, limit: int = 50, offset: int = 0, user_id: str | None = None, status: str | None = None
    ) -> Sequence[Session]:
        """Newest first."""
        return await self._read(lambda db: session_table.listed(db, limit, offset, user_id, status))

    async def update_session_status(self, session_id: str, status: str) -> None:
        now = self._clock()
        await self._writer.do(lambda db: session_table.set_status(db, session_id, status, now))

    async def add_rating(self, session_id: str, rating: str, note: str | None = None) -> None:
        clean = None if note is None else self._redactor.text(note)
        await self._writer.do(lambda db: session_table.rate(db, session_id, rating, clean))

    async def save_summary(self, session_id: str, summary: str, turn_id: str) -> None:
        """What the turns up to that one come down to."""
        clean = self._redactor.text(summary)
        await self._writer.do(lambda db: session_table.summarize(db, session_id, clean, turn_id))

    async def add_message(
        self,
        session_id: str,
        role: str,
        content: str,
        reasoning_trace: Json = None,
        tool_calls: Json = None,
        metrics: Mapping[str, Json] | None = None,
    ) -> int:
        """A message that belongs to no turn; its id. `metrics`: `tokens_prompt`, `tokens_completion`, `latency_ms`."""
        clean = self._redactor.value
        trace, calls = clean(msgspec.to_builtins(reasoning_trace)), clean(msgspec.to_builtins(tool_calls))
        text, figures, now = self._redactor.text(content), dict(metrics or {}), self._clock()
        return await self._writer.do(
            lambda db: session_table.add_message(db, session_id, role, text, trace, calls, figures, now)
        )

    async def messages(self, session_id: str) -> Sequence[SessionMessage]:
        """Oldest first; the answer of a turn with the turn's calls and trace."""
        trace = self._trace
        return await self._read(lambda db: keeping.messages_with_traces(db, session_id, trace))

    async def delete_session(self, session_id: str) -> bool:
        """Everything of a session; whether there was one."""
        return await self._writer.do(lambda db: session_table.delete(db, session_id))

    async def delete_user(self, user_id: str) -> int:
        """Everything of a user, with no trace left in the database; how many sessions that were."""
        gone = await self._writer.do(lambda db: keeping.delete_user(db, user_id), sync=True)
        if gone:
            await self._writer.do(lambda db: db.reclaim(), alone=True)
        return gone

    async def purge(self, older_than: float) -> int:
        """Deletes sessions last active before then (seconds since the epoch) with nothing under way; how many."""
        total = 0
        while gone := await self._writer.do(lambda db: keeping.purge_some(db, older_than)):
            total += gone
        return total

    async def export_session(self, session_id: str) -> Sequence[bytes]:
        """The session as JSON lines, without newlines."""
        return await self._read(lambda db: exchange.write(db, session_id))

    async def import_session(self, lines: Iterable[bytes | str], *, user_id: str | None = None) -> str:
        """Stores an exported session, all or nothing; its id. `user_id`: as another user's."""
        imported = await asyncio.to_thread(exchange.read, lines, self._redactor, user_id)
        return await self._writer.do(lambda db: exchange.store(db, imported), sync=True)

    async def check(self) -> Health:
        """Looks for damage, gaps and events that cannot be read. Reads everything."""
        return await self._read(keeping.check)

    async def backup(self, path: str) -> None:
        """A copy of one moment, while turns go on. SQLite only; refuses to overwrite."""
        if await asyncio.to_thread(Path(path).exists):
            raise UsageError(f"The backup {path!r} would overwrite a file: give a new path.")
        await self._read(lambda db: db.backup(path))

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
        if self._readers is None:
            return await self._writer.do(work)
        return await self._readers.do(work)


def _new_id() -> str:
    return str(uuid.uuid4())
