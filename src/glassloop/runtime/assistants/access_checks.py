"""Checks of what a client may choose: an assistant by name, and a session of their user. A path is for the terminal
only.
"""

import asyncio

from glassloop.core.errors import UnknownName
from glassloop.models.provider_kit.effort import Effort
from glassloop.runtime.assistants.agents import AgentKey, Agents
from glassloop.runtime.assistants.assistant_files import find_assistant, is_path
from glassloop.runtime.settings import Settings
from glassloop.store.store import Store


async def resolve_assistant(
    agents: Agents, settings: Settings, assistant: str, model: str | None = None, effort: Effort | None = None
) -> AgentKey:
    """Raises `UnknownName` where there is none of that name, `UsageError` where it cannot be used."""
    wanted = AgentKey(assistant, model, effort=effort)
    # One that is there already may have been asked for by its path, by a person.
    if is_path(assistant) or not agents.knows(wanted):
        await asyncio.to_thread(find_assistant, assistant, settings)
    return wanted


async def require_own_session(store: Store, session_id: str | None, user: str) -> None:
    """A session that somebody else has is none; one that nobody has is made with the turn."""
    session = None if session_id is None else await store.sessions.get(session_id)
    if session is not None and session.user_id != user:
        raise UnknownName(f"There is no session {session_id!r}: omit it to start a new one.")
