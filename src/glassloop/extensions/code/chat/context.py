"""Facts that the model is told of a session's folder with each question: what was touched, and its guidance.

All of it may be a stranger's words, and counts as that.
"""

import asyncio
import os

from glassloop.core.errors import UsageError
from glassloop.core.records import Json
from glassloop.extensions.code.chat.memory import MemoryManager
from glassloop.root_folder import RootFolder
from glassloop.runtime.extensions import RuntimeContext

GUIDANCE = "AGENTS.md"
MAX_GUIDANCE_CHARS = 8_000


async def context_for(context: RuntimeContext, user: str, session_id: str) -> dict[str, Json]:
    """The context of a question; empty where the session has no folder."""
    if context.workspaces is None:
        return {}
    try:
        workspace = await context.workspaces.of(user, session_id)
    except UsageError:
        return {}
    memory = await MemoryManager(context.store, context.workspaces, user).get(session_id)
    told: dict[str, Json] = {"workspace": workspace.name}
    if memory is not None and memory.files:
        told["recently_touched_files"] = [each.path for each in memory.files]
    guidance = await asyncio.to_thread(_guidance, workspace.open())
    if guidance:
        told["guidance_of_the_folder"] = {"file": GUIDANCE, "text": guidance}
    return told


def _guidance(root: RootFolder) -> str:
    """The folder's own guidance, shortened; empty where there is none that can be read."""
    with root:
        try:
            opened = root.open_file(GUIDANCE, links=False)
        except (OSError, ValueError):
            return ""
        with os.fdopen(opened.descriptor, "rb") as file:
            text = file.read(MAX_GUIDANCE_CHARS * 4 + 1).decode("utf-8", "replace")
    return text if len(text) <= MAX_GUIDANCE_CHARS else f"{text[:MAX_GUIDANCE_CHARS]}\n[shortened]"
