"""Deletion of a user's notes and to-dos: when they want them gone, and with their sessions."""

import asyncio
import time
from collections.abc import Sequence
from pathlib import Path

from glassloop.runtime.tools.notes_file import NotesFile
from glassloop.store.listing import MOST_LISTED
from glassloop.store.store import Store

DAY_S = 86_400.0


async def forget_notes(home: Path, store: Store, user: str) -> int:
    """Deletes a user's notes and the to-dos of their sessions, which must still be there; how many there were."""
    sessions: list[str] = []
    while page := await store.list_sessions(MOST_LISTED, len(sessions), user_id=user):
        sessions += (session.id for session in page)
    return await asyncio.to_thread(NotesFile(home).forget, user, sessions)


async def forget_old(home: Path, store: Store, days: float) -> int:
    """Deletes sessions that were not used for so long, with their to-dos; how many."""
    return await store.purge(time.time() - days * DAY_S, lambda sessions: forget_todos(home, sessions))


async def forget_todos(home: Path, sessions: Sequence[str]) -> int:
    """Deletes the to-dos of these sessions; how many there were."""
    return await asyncio.to_thread(NotesFile(home).forget, None, sessions)
