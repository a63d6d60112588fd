"""Notice about MCP servers whose tools an assistant does not get, and what to do about it. Draws nothing."""

import os
import shlex
from typing import TYPE_CHECKING

from glassloop.cli.ui.sanitizing import one_line
from glassloop.cli.ui.stdio import complain

if TYPE_CHECKING:
    from glassloop.extensions.mcp.client.status import ServerStatus
    from glassloop.extensions.mcp.toolset import ToolServers
    from glassloop.runtime.agents import Wanted
    from glassloop.runtime.runtime import Runtime

_MAX_NAMED = 4
_WAIT_NOTICE_S = 1.0
_STATES = {"unusable": "cannot be used", "failed": "does not run", "starting": "still starts"}


async def get_ready(runtime: "Runtime", wanted: "Wanted") -> None:
    """Makes the agent before the first turn, says what one waits for where that takes long, and what is not used."""
    import asyncio

    later = asyncio.get_running_loop().call_later(_WAIT_NOTICE_S, _notice_wait, runtime.servers)
    try:
        await runtime.agents.obtain(wanted)
    finally:
        later.cancel()
    notice_unused(runtime.servers, wanted.assistant)


def _notice_wait(servers: "ToolServers") -> None:
    if servers.opening:
        from glassloop.extensions.mcp.client.servers import PATIENCE_S

        complain(f"MCP servers start for the first time: this waits for them, at most {PATIENCE_S:g} s.")


def notice_unused(servers: "ToolServers", assistant: str) -> None:
    """Says on standard error what is not used, if anything."""
    parts: list[str] = []
    listed = False
    for status in servers.status_for(assistant):
        command = approving(servers, assistant, status)
        if status.state == "unapproved":
            parts.append(f"{status.name!r} is not approved (`{command}` shows it and asks)")
        elif status.state in _STATES:
            listed = True
            parts.append(f"{status.name or status.file!r} {_STATES[status.state]}")
        changed = [tool.tool for tool in status.tools if tool.state == "withheld"]
        parts += [f"{tool!r} of {status.name!r} has changed (`{command} {shlex.quote(tool)}`)" for tool in changed]
    if not parts:
        return
    more = f"; and {len(parts) - _MAX_NAMED} more" if len(parts) > _MAX_NAMED else ""
    why = " `glassloop servers list` tells more." if listed or more else ""
    complain(one_line(f"MCP servers not used: {'; '.join(parts[:_MAX_NAMED])}{more}.{why}", 2_000))


def approving(servers: "ToolServers", assistant: str | None, status: "ServerStatus") -> str:
    """The command that approves this server; one of an assistant that no name leads to needs its folder."""
    by_folder = assistant is not None and os.sep in assistant and servers.is_own_of(assistant, status)
    return f"glassloop servers approve {shlex.quote(status.name)}" + (
        f" -a {shlex.quote(assistant)}" if by_folder and assistant else ""
    )
