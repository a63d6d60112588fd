"""Tools of servers as tools of ours, and their names: `server__tool`, each standing for one tool only.

What a tool does is unknown, so it is an effect and asks first, unless the user knows better; what it says of itself
counts only where the user says so. A name that had to be changed ends in a digest of the original: it depends on
nothing but the original, and a server cannot take the name of another's tool by choosing its own well. An alias never
holds `__`: what comes before the first one is the server.
"""

import hashlib
import re
from collections.abc import Awaitable, Callable
from typing import Any

from glassloop.core.errors import ToolError, ToolUnavailable
from glassloop.core.messages import Effect, Reach
from glassloop.core.records import Json, ToolResult
from glassloop.extensions.mcp.client.config import HttpLaunch, ServerEntry, ServerOptions
from glassloop.extensions.mcp.client.definition import ToolDefinition
from glassloop.extensions.mcp.client.schema import ArgumentChecker
from glassloop.extensions.mcp.client.untrusted_text import line
from glassloop.tools.context import ToolContext
from glassloop.tools.result import failure
from glassloop.tools.tool import Tool
from glassloop.tools.tool_checks import DEFAULT_RETRIES

MAX_CHARS = 64
_ALIAS_CHARS = 24
_UNFIT = re.compile(r"[^A-Za-z0-9_-]+")
_RUNS = re.compile(r"_{2,}")


def alias_of(server: str) -> str:
    """A server's part of its tools' names."""
    fit = _RUNS.sub("_", _UNFIT.sub("_", server)).strip("_")
    if not fit[:1].isalpha():
        fit = f"mcp_{fit}"
    return server if fit == server and len(fit) <= _ALIAS_CHARS else _marked(fit, server, _ALIAS_CHARS)


def tool_name(alias: str, tool: str) -> str:
    """The name a tool of that server is offered by."""
    fit, most = _UNFIT.sub("_", tool), MAX_CHARS - len(alias) - 2
    return f"{alias}__{tool if fit == tool and 0 < len(tool) <= most else _marked(fit, tool, most)}"


def _marked(fit: str, original: str, most: int) -> str:
    digest = hashlib.sha256(original.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    return f"{fit[: most - 9].rstrip('_-')}_{digest}"


_SLACK_S = 5.0
LATE = ServerOptions()
"""For tools that came after the first listing, until a person accepts them: each call is an effect that asks."""


class AnswerLost(ToolError):
    """A call was sent and no answer came: what became of it is not known."""


CallTool = Callable[[ToolDefinition, dict[str, Json], ToolContext], Awaitable[ToolResult]]
"""Calls a tool of a server. Raises `ToolUnavailable` where nothing was sent, `AnswerLost` where no answer came."""


class McpTool(Tool):
    """One tool of one server, as the server described it when this was made."""

    # Somebody else's data may change at any time.
    volatile = True

    def __init__(self, entry: ServerEntry, definition: ToolDefinition, call: CallTool, *, late: bool = False) -> None:
        options = LATE if late else entry.options
        self.definition = definition
        self.server = entry.name
        self.name = tool_name(alias_of(entry.name), definition.name)
        self.description = _description(entry, definition)
        self.effect = effect_of(options, definition)
        # What is sent to a server elsewhere leaves this machine, whatever the call does there.
        elsewhere: Reach | None = "outside" if isinstance(entry.launch, HttpLaunch) else None
        said: Reach | None = options.reaches.get(definition.name)
        self.reaches: Reach | None = said or elsewhere
        self.idempotent = options.trust_hints and definition.idempotent
        # An answer that was lost, and a server that is away, are worth another try where that does no harm.
        self.retries = DEFAULT_RETRIES if self.idempotent or self.effect == "read" else 0
        self.confirm = self.effect != "read" and confirms(options, definition.name)
        # Starting and calling have limits of their own, with words of their own; this one is only behind them.
        self.timeout_s = entry.options.timeout_s + 2 * entry.options.start_s + _SLACK_S
        self._schema = definition.parameters
        self.validate = ArgumentChecker(definition.parameters)
        self._call = call

    async def execute(self, input: dict[str, Json], context: ToolContext, /) -> ToolResult:  # noqa: A002
        try:
            return await self._call(self.definition, input, context)
        except AnswerLost as error:
            if self.effect == "read" or self.idempotent:
                raise ToolUnavailable(str(error)) from error
            return failure(str(error), cause="in_doubt")

    async def preview(self, input: Any, context: ToolContext, /) -> Json:  # noqa: A002, ARG002
        return {"server": self.server, "tool": self.definition.name}


def effect_of(options: ServerOptions, definition: ToolDefinition) -> Effect:
    """The user's word first, then, where it is believed, the server's."""
    hinted: Effect = "read" if options.trust_hints and definition.read_only else "external"
    return options.effects.get(definition.name, hinted)


def confirms(options: ServerOptions, tool: str) -> bool:
    return options.confirm if isinstance(options.confirm, bool) else options.confirm.get(tool, True)


def _description(entry: ServerEntry, definition: ToolDefinition) -> str:
    said = definition.description or "It says nothing of what it does."
    return f"[{line(definition.name, 60)} of the MCP server {line(entry.name, 60)!r}] {said}"
