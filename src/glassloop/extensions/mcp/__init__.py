"""MCP: tools of other people's servers for our assistants, and our assistants for other people's programs."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from glassloop.extensions.mcp.client import FILE
from glassloop.runtime.extensions import Extension
from glassloop.runtime.settings import Settings
from glassloop.runtime.trust.kinds import profiles_in
from glassloop.runtime.trust.survey import FolderKind

if TYPE_CHECKING:
    import typer
    from fastapi import APIRouter

    from glassloop.runtime.toolsets import Toolset


class McpExtension(Extension):
    name = "mcp"

    def routers(self) -> "Sequence[APIRouter]":
        from glassloop.extensions.mcp.routes import router

        return (router,)

    def commands(self) -> "Mapping[str, typer.Typer]":
        from glassloop.extensions.mcp.commands import commands

        return {"": commands}

    def folder_kinds(self) -> Sequence[FolderKind]:
        return (FolderKind(name="MCP server", find=_server_files, describe=_describe),)

    def toolsets(self, settings: Settings, *, patient: bool = False) -> "Sequence[Toolset]":
        from glassloop.extensions.mcp.toolset import ToolServers

        return (ToolServers(settings, patient=patient),)


def _server_files(folder: Path) -> Iterator[Path]:
    yield folder / FILE
    yield from (profile.parent / FILE for profile in profiles_in(folder))


def _describe(path: Path, raw: bytes) -> tuple[Sequence[str], Sequence[str], Sequence[str]]:
    from glassloop.extensions.mcp.client.config import describe_file

    return describe_file(path, raw)
