"""MCP: tools of other people's servers for our assistants, and our assistants for other people's programs."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from glassloop.runtime.extensions import Extension, Toolset
from glassloop.runtime.settings import Settings

if TYPE_CHECKING:
    import typer
    from fastapi import APIRouter


class McpExtension(Extension):
    name = "mcp"

    def routers(self) -> "Sequence[APIRouter]":
        from glassloop.extensions.mcp.routes import router

        return (router,)

    def commands(self) -> "Mapping[str, typer.Typer]":
        from glassloop.extensions.mcp.commands import commands

        return {"": commands}

    def toolsets(self, settings: Settings, *, patient: bool = False) -> Sequence[Toolset]:
        from glassloop.extensions.mcp.toolset import ToolServers

        return (ToolServers(settings, patient=patient),)
