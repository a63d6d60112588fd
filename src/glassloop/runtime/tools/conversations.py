"""`search_past_conversations`: a tool for any assistant, named in its file as `glassloop.runtime.tools.conversations`.

Owns the wording a model reads and the shape of the result. Whose conversations are searched, the call says; the search
itself is the runtime's, which offers it as `past`.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final, Protocol
from urllib.parse import quote

import msgspec

from glassloop.core.errors import BadArguments, StoreAway, StoreError, ToolError, ToolUnavailable, UsageError
from glassloop.core.records import Json, Record, ToolResult
from glassloop.memory.search_text import MAX_QUERY, SEARCH
from glassloop.memory.working_memory import cut
from glassloop.tools.tool import Tool, ToolContext, tool

PASSAGE_CHARS: Final = 2_000
"""Of one conversation; the link leads to all of it."""


class PastSearch(Protocol):
    """The conversations of all users, each found by their own only."""

    async def search(self, query: str, *, user: str, session_id: str) -> Sequence[Any]: ...

    async def sourced(self, found: Sequence[Any]) -> tuple[str, ...]:
        """The figures in it that had a source: an answer is no source for what it made up."""
        ...


def make_tools(home: Path, past: PastSearch | None = None) -> Sequence[Tool]:  # noqa: ARG001
    """The one tool. Without `past` nothing is kept, and it says so."""

    @tool(effect="read", volatile=True, name=SEARCH)
    async def search_past_conversations(query: str, context: ToolContext) -> dict[str, Json] | ToolResult:
        """Search past conversations: what we said or the user asked earlier, and earlier steps of this one.

        Args:
            query: What to look for: the words or the meaning, such as "budget for the Berlin trip".
        """
        if not query.strip() or len(query) > MAX_QUERY:
            raise BadArguments(f"The query has {len(query):,} characters: give 1 to {MAX_QUERY:,}.")
        if past is None:
            return {"conversations": [], "message": "Conversations are not kept here, so there are none to search."}
        try:
            found = await past.search(query, user=context.user, session_id=context.session_id)
            sourced = await past.sourced(found)
        except StoreAway as error:
            raise ToolUnavailable(str(error)) from error
        except (StoreError, UsageError) as error:
            raise ToolError(str(error)) from error
        if not found:
            return {"conversations": [], "message": f"No earlier conversation is about {query[:100]!r}."}
        told: Json = {"conversations": [_told(each) for each in found]}
        return ToolResult(success=True, output=msgspec.json.encode(told).decode(), data=told, sourced=sourced)

    return (search_past_conversations,)


def _told(found: Record) -> dict[str, Json]:
    """Without fields that say nothing. `link` is the conversation on the page of the server."""
    told: dict[str, Json] = msgspec.to_builtins(found)
    session, question = str(told.pop("session_id")), str(told["question"])
    # A passage from the beginning of a turn has the question in it, which is told already.
    told["passage"] = cut(str(told["passage"]).removeprefix(question).lstrip(), PASSAGE_CHARS)
    kept = {name: value for name, value in told.items() if value not in (None, "", (), [])}
    return {"conversation_id": session, "link": f"/#/s/{quote(session, safe='')}", **kept}
