"""The tools of an assistant: its own, and those it gets from MCP servers."""

import asyncio
from collections.abc import Sequence

import msgspec

from glassloop.cli.folder_settings import load_settings
from glassloop.cli.listing import show_tools
from glassloop.cli.running import where
from glassloop.cli.server_notice import tell_unused
from glassloop.cli.tell import tell
from glassloop.extensions.mcp.toolset import ToolServers
from glassloop.runtime.assistants import load_tools, open_assistant
from glassloop.runtime.settings import Settings
from glassloop.tools.tool import Tool


def list_tools(assistant: str, *, as_json: bool) -> None:
    """Each tool with what it takes and does; `server` is whose it is, empty for the assistant's own."""
    settings = load_settings()
    own = load_tools(open_assistant(assistant, settings), settings.home_path, settings.offered)
    others = [tool for tool in asyncio.run(_of_servers(settings, where(assistant))) if tool.name not in own]
    specs = {**own.specs, **{tool.name: tool.spec for tool in others}}
    servers = {tool.name: str(getattr(tool, "server", "")) for tool in others}
    told = [{**msgspec.to_builtins(spec), "server": servers.get(name, "")} for name, spec in specs.items()]
    tell(told, as_json, lambda look: show_tools(specs, look, servers))


async def _of_servers(settings: Settings, assistant: str) -> Sequence[Tool]:
    servers = ToolServers(settings, patient=True)
    try:
        found = await servers.tools_for(assistant)
        tell_unused(servers, assistant)
        return found
    finally:
        await servers.aclose()
