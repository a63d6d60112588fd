"""MCP: tools of other people's servers for our assistants, and our assistants for other people's programs."""

from collections.abc import Sequence

from glassloop.runtime.extensions import Extension, Toolset
from glassloop.runtime.settings import Settings


class McpExtension(Extension):
    name = "mcp"

    def toolsets(self, settings: Settings, *, patient: bool = False) -> Sequence[Toolset]:
        from glassloop.extensions.mcp.toolset import ToolServers

        return (ToolServers(settings, patient=patient),)
