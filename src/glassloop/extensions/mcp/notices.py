"""Messages about MCP servers whose tools an assistant does not get, each with what to do about it."""

import os
import shlex
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from glassloop.extensions.mcp.client.status import ServerStatus
    from glassloop.extensions.mcp.toolset import ToolServers

MAX_TOLD = 4
_STATES = {"unusable": "cannot be used", "failed": "does not run", "starting": "still starts"}


def unused_servers(servers: "ToolServers", assistant: str) -> str:
    """One line about what is not used; empty where all is."""
    parts: list[str] = []
    listed = False
    for status in servers.status_for(assistant):
        command = approval_command(servers, assistant, status)
        if status.state == "unapproved":
            parts.append(f"{status.name!r} is not approved (`{command}` shows it and asks)")
        elif status.state in _STATES:
            listed = True
            parts.append(f"{status.name or status.file!r} {_STATES[status.state]}")
        changed = [tool.tool for tool in status.tools if tool.state == "withheld"]
        parts += [f"{tool!r} of {status.name!r} has changed (`{command} {shlex.quote(tool)}`)" for tool in changed]
    if not parts:
        return ""
    more = f"; and {len(parts) - MAX_TOLD} more" if len(parts) > MAX_TOLD else ""
    why = " `glassloop servers list` tells more." if listed or more else ""
    return f"MCP servers not used: {'; '.join(parts[:MAX_TOLD])}{more}.{why}"


def approval_command(servers: "ToolServers", assistant: str | None, status: "ServerStatus") -> str:
    """The command that approves this server; one of an assistant that no name leads to needs its folder."""
    by_folder = assistant is not None and os.sep in assistant and servers.is_own_of(assistant, status)
    return f"glassloop servers approve {shlex.quote(status.name)}" + (
        f" -a {shlex.quote(assistant)}" if by_folder and assistant else ""
    )
