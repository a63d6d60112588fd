"""What the general pack keeps of a user beside the log: it goes when they want it gone, and with its session."""

import asyncio
import time
from collections.abc import Sequence
from pathlib import Path

from glassloop.packs.general.database import Database
from glassloop.store.engine.paging import MAX_LISTED
from glassloop.store.store import Store

DAY_S = 86_400.0


async def forget_notes(home: Path, store: Store, user: str) -> int:
    """Deletes a user's notes and the to-dos of their sessions, which must still be there; how many there were."""
    sessions: list[str] = []
    while page := await store.sessions.list(MAX_LISTED, len(sessions), user_id=user):
        sessions += (session.id for session in page)
    return await asyncio.to_thread(Database(home).forget, user, sessions)


async def forget_old(home: Path, store: Store, days: float) -> int:
    """Deletes sessions that were not used for so long, with their to-dos; how many."""
    return await store.maintenance.purge(time.time() - days * DAY_S, lambda sessions: forget_todos(home, sessions))


async def forget_todos(home: Path, sessions: Sequence[str]) -> int:
    """Deletes the to-dos of these sessions; how many there were."""
    return await asyncio.to_thread(Database(home).forget, None, sessions)
