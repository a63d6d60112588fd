"""`Store`: the event log, claims, sessions, jobs, people and their keeping, on whatever database it was opened on.

The one class the runtime holds. It redacts, hands work to the writer or the readers, and owns no SQL.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Sequence
from pathlib import Path

from glassloop.core.errors import UsageError
from glassloop.store import exchange, job_table, keeping
from glassloop.store.auditing import Auditing
from glassloop.store.granting import Granting
from glassloop.store.jobs import Jobs
from glassloop.store.measuring import Measuring
from glassloop.store.people import People
from glassloop.store.records import Health
from glassloop.store.reviewing import Reviewing
from glassloop.store.searching import Searching
from glassloop.store.sessions import Sessions
from glassloop.store.turns import Turns

Forget = Callable[[Sequence[str]], Awaitable[object]]


class Store(Turns, Sessions, Searching, Reviewing, Measuring, Granting, Auditing, Jobs, People):
    """Opened by `open_store`; belongs to one event loop at a time. Close it with `aclose`, or use `async with`."""

    async def delete_user(self, user_id: str) -> int:
        """Everything of a user, with no trace left in the database; how many sessions that were."""
        sessions, more = await self._writer.do(lambda db: keeping.delete_user(db, user_id), sync=True)
        if sessions or more:
            await self._writer.do(lambda db: db.reclaim(), alone=True)
        return sessions

    async def purge(self, older_than: float, forget: Forget | None = None) -> int:
        """Deletes sessions last active before then (seconds since the epoch) with nothing under way; how many.
        Jobs that were over before then go with them, uncounted. `forget` is told the ids of those that are gone."""
        while await self._writer.do(lambda db: job_table.purge_some(db, older_than, keeping.PURGED_AT_ONCE)):
            pass
        total = 0
        while gone := await self._writer.do(lambda db: keeping.purge_some(db, older_than)):
            total += len(gone)
            if forget is not None:
                await forget(gone)
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
