"""Erasure: deletes what belongs to sessions or to a user, wherever it is kept.

The page, the API and the terminal all delete this way. What extensions keep is erased by them, before the store lets go
of the sessions they may ask about.
"""

import asyncio
import logging
import time
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from glassloop.core.errors import UnknownName
from glassloop.runtime.extensions import MaintenanceTask, RuntimeContext
from glassloop.runtime.tools.notes_file import NotesFile
from glassloop.runtime.uploads import Uploads
from glassloop.store.engine.paging import MAX_LISTED
from glassloop.store.records import Session
from glassloop.store.tables.governance.audit import BY_COMMAND, NOBODY
from glassloop.store.tables.sessions import SessionPlaces

if TYPE_CHECKING:
    from glassloop.runtime.durable.runtime import Runtime

DAY_S = 86_400.0
PURGE_S = 3600.0
TEMPORARY_S = DAY_S
TEMPORARY_AT_ONCE = 50
EVERY_LIST = SessionPlaces(temporary=None)
SPENDING_KEPT_S = 400 * DAY_S
_log = logging.getLogger(__name__)


class Erasure:
    """Deletes on behalf of an open runtime; what still runs is stopped first, in whichever process."""

    def __init__(self, runtime: "Runtime", context: RuntimeContext) -> None:
        self._runtime = runtime
        self._context = context
        self._store = context.store
        self._notes = NotesFile(context.settings.home_path)
        self._uploads = Uploads(context.settings)

    def maintenance(self) -> list[MaintenanceTask]:
        """What a process that keeps the store does again and again: its extensions' tasks, ending sessions that are
        idle, and the retention."""
        context = self._context
        tasks = [task for extension in context.settings.extensions for task in extension.maintenance(context)]
        tasks.append(MaintenanceTask(name="idle sessions", every_s=PURGE_S, run=self._complete_idle))
        tasks.append(MaintenanceTask(name="temporary sessions", every_s=PURGE_S, run=self.erase_temporary))
        if days := context.settings.retention_days:
            tasks.append(MaintenanceTask(name="retention", every_s=PURGE_S, run=lambda: self._purge(days)))
        if audit_days := context.settings.audit_days:
            run = partial(self._prune_audit, audit_days)
            tasks.append(MaintenanceTask(name="retention of the audit", every_s=PURGE_S, run=run))
        return tasks

    async def _complete_idle(self) -> None:
        await self._store.sessions.complete_idle(DAY_S)
        await self._store.spending.prune(time.time() - SPENDING_KEPT_S)

    async def erase_temporary(self) -> None:
        """Deletes temporary sessions that were not used for a day."""
        while old := await self._store.sessions.temporary_idle(TEMPORARY_S, TEMPORARY_AT_ONCE):
            await self.erase_sessions(old, by=NOBODY)

    async def _purge(self, days: float) -> None:
        if gone := await self.erase_idle(days):
            _log.info("deleted %d sessions older than the retention", gone)

    async def _prune_audit(self, days: float) -> None:
        if gone := await self._store.audit.prune(time.time() - days * DAY_S):
            _log.info("deleted %d entries of the audit older than its retention", gone)

    async def erase_sessions(self, sessions: Sequence[str], by: str) -> int:
        """Deletes these sessions with everything in them; how many there were."""
        gone = 0
        for session_id in sessions:
            await self._runtime.stop_session(session_id)
            await self._erase_parts(None, [session_id])
            gone += await self._store.sessions.delete(session_id)
            await self._store.audit.record("session_deleted", session_id, by=by)
        if self._runtime.past is not None:
            await self._runtime.past.forget(sessions)
        return gone

    async def erase_idle(self, days: float) -> int:
        """Deletes sessions that were not used for so long, and jobs that were over before; how many sessions."""

        async def erase_parts(sessions: Sequence[str]) -> None:
            await self._erase_parts(None, sessions)

        gone = await self._store.maintenance.purge(time.time() - days * DAY_S, erase_parts)
        if gone and self._runtime.past is not None:
            await self._runtime.past.forget_gone()
        return gone

    async def count(self, user: str) -> dict[str, int]:
        """How much of a user's there is, by kind; at most a thousand of each is counted."""
        knowledge = self._runtime.knowledge.base()
        keys = [key for key in await self._store.keys.list() if key.user_id == user]
        return {
            "sessions": len(await self._store.sessions.list(MAX_LISTED, user_id=user, listed=EVERY_LIST)),
            "jobs": len(await self._store.jobs.list(MAX_LISTED, user_id=user)),
            "schedules": len(await self._store.schedules.list(MAX_LISTED, user_id=user)),
            "uploads": len(await self._uploads.list(user)),
            "notes": await asyncio.to_thread(self._notes.count, user),
            "documents": sum(not each.shared for each in await knowledge.documents(user)),
            "collections": len(await self._store.collections.owned(user)),
            "keys": len(keys),
        }

    async def erase_user(self, user: str, *, by: str = BY_COMMAND) -> bool:
        """Deletes everything of a user: sessions, turns, events, jobs, schedules, notes, uploads, documents,
        collections, what extensions keep, and then keys and sign-ins. Whether there was anything."""
        gone = await self._erase_user(user, by)
        try:
            await self._store.users.remove(user, by=by)
            # What was begun with a key in the meantime; nothing comes after it.
            gone = await self._erase_user(user, by) or True
        except UnknownName:
            # Who has no key is known by something else: this machine, a proxy, the admin token.
            pass
        return gone

    async def _erase_user(self, user: str, by: str) -> bool:
        await self._stop(user)
        sessions: list[str] = []
        while page := await self._sessions_of(user, len(sessions)):
            sessions += (session.id for session in page)
        gone = await self._erase_parts(user, sessions)
        gone += await self._runtime.collections.forget(user)
        gone += await self._store.maintenance.delete_user(user, by=by)
        if self._runtime.past is not None:
            await self._runtime.past.forget_user(user)
        gone += await self._runtime.knowledge.base().forget(user)
        return await self._uploads.forget(user) or gone > 0

    async def _sessions_of(self, user: str, offset: int) -> Sequence[Session]:
        return await self._store.sessions.list(MAX_LISTED, offset, user_id=user, listed=EVERY_LIST)

    async def _erase_parts(self, user: str | None, sessions: Sequence[str]) -> int:
        """What is kept beside the log: notes, to-dos, and what extensions have."""
        gone = await asyncio.to_thread(self._notes.forget, user, sessions)
        erased = await self._context.settings.extensions.erase(self._context, user, sessions)
        return gone + sum(erased.values())

    async def _stop(self, user: str) -> None:
        for status in ("active", "paused"):
            for schedule in await self._store.schedules.list(MAX_LISTED, user, status):
                await self._runtime.schedules.cancel(schedule.id)
        for status in ("running", "paused"):
            for row in await self._store.turns.list(MAX_LISTED, user, status):
                await self._runtime.cancel(row.id)
        for state in ("queued", "running"):
            for job in await self._store.jobs.list(MAX_LISTED, user, state):
                await self._runtime.jobs.cancel(job.id)
