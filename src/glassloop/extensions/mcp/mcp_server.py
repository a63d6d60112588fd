"""`McpServer`: an MCP server that a program names among the tools of an agent."""

import asyncio
import os
from collections.abc import Mapping, Sequence
from pathlib import PurePosixPath
from typing import Any
from urllib.parse import urlsplit

import msgspec

from glassloop.core.errors import UsageError
from glassloop.core.messages import Effect
from glassloop.extensions.mcp.client.config import HttpLaunch, ServerOptions, StdioLaunch, entry_in_code
from glassloop.extensions.mcp.client.server import ManagedServer
from glassloop.extensions.mcp.client.server_records import MemoryRecords
from glassloop.tools.tool import Tool

_RUNNERS = frozenset({"npx", "uvx", "bunx", "node", "deno", "run", "python", "python3", "uv", "docker"})

_SCRIPTS = frozenset({".py", ".js", ".mjs", ".cjs", ".ts"})


class McpServer:
    """Tools of an MCP server, for `Agent(tools=[McpServer("npx", "-y", "some-server")])`.

    A program with its arguments, or `url` with `headers` for one that is reached over HTTP (streamable). It is started
    when the agent first needs its tools and closed with the agent. Its tools are called `name__tool`; `name` is made
    from the program or the address where it is not given. As for servers of `.mcp.json`, each tool counts as an effect
    and asks a person first, unless `effects`, `confirm` or `trust_hints` say otherwise. `tools`: only these are
    offered. `env`, `cwd`: of the program. `timeout_s`: for a call; `start_s`: for the start; `max_bytes`: of a message.
    """

    def __init__(
        self,
        *command: str,
        url: str | None = None,
        headers: Mapping[str, str] | None = None,
        env: Mapping[str, str] | None = None,
        cwd: str | os.PathLike[str] | None = None,
        name: str | None = None,
        tools: Sequence[str] | None = None,
        effects: Mapping[str, Effect] | None = None,
        confirm: bool | Mapping[str, bool] = True,
        trust_hints: bool = False,
        timeout_s: float = 30.0,
        start_s: float = 20.0,
        max_bytes: int = 1_000_000,
    ) -> None:
        if bool(command) == (url is not None):
            raise UsageError("An MCP server is a program or an address: McpServer('npx', …) or McpServer(url='…').")
        if url is None and headers is not None:
            raise UsageError("Headers are for an MCP server with a url: give a program its values with env.")
        launch = _launch(command, url, headers, env, cwd)
        options: dict[str, Any] = {
            "effects": dict(effects or {}),
            "confirm": confirm if isinstance(confirm, bool) else dict(confirm),
            "tools": None if tools is None else tuple(tools),
            "trust_hints": trust_hints,
            "timeout_s": timeout_s,
            "start_s": start_s,
            "max_bytes": max_bytes,
        }
        self._entry = entry_in_code(name or _name_of(command, url), launch, _converted(options, ServerOptions))
        self._servers: dict[asyncio.AbstractEventLoop, ManagedServer] = {}

    def __repr__(self) -> str:
        return f"<McpServer {self.name!r}>"

    @property
    def name(self) -> str:
        """What stands before the names of its tools."""
        return self._entry.name

    def begin(self) -> None:
        """Nothing: it is started when its tools are first needed."""

    async def tools_for(self, assistant: str) -> Sequence[Tool]:  # noqa: ARG002
        """Its tools. Raises `ToolUnavailable` where it cannot be started."""
        server = self._server()
        if not server.known:
            await server.relist()
        return server.tools

    def sources_for(self, assistant: str) -> Mapping[str, str]:  # noqa: ARG002
        """The server's name, by tool."""
        found = self._servers.get(asyncio.get_running_loop())
        return {tool.name: self.name for tool in found.tools} if found is not None else {}

    def notices_for(self, assistant: str) -> Sequence[str]:  # noqa: ARG002
        """Nothing: what goes wrong is raised."""
        return ()

    @property
    def waiting_for(self) -> str:
        """Nobody: a server in code was approved by who wrote the code."""
        return ""

    async def aclose(self) -> None:
        """Ends it, on whichever event loop it was started. Used again, it is started again."""
        servers, self._servers = self._servers, {}
        here = asyncio.get_running_loop()
        for loop, server in servers.items():
            if loop is here:
                await server.close()
            elif loop.is_running():
                await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(server.close(), loop))

    def _server(self) -> ManagedServer:
        """The one of this event loop: what was started on another cannot be asked from here."""
        loop = asyncio.get_running_loop()
        for other in [each for each in self._servers if each.is_closed()]:
            # Its program ended with the event loop that held its pipes.
            del self._servers[other]
        if loop not in self._servers:
            self._servers[loop] = ManagedServer(self._entry, MemoryRecords(), None, trusted=True)
        return self._servers[loop]


def _launch(
    command: Sequence[str],
    url: str | None,
    headers: Mapping[str, str] | None,
    env: Mapping[str, str] | None,
    cwd: str | os.PathLike[str] | None,
) -> StdioLaunch | HttpLaunch:
    if url is not None:
        return _converted({"url": url, "headers": dict(headers or {})}, HttpLaunch)
    program = {"command": command[0], "args": list(command[1:]), "env": dict(env or {})}
    return _converted({**program, "cwd": None if cwd is None else os.fspath(cwd)}, StdioLaunch)


def _converted(given: dict[str, Any], kind: type[Any]) -> Any:
    try:
        return msgspec.convert(given, kind)
    except msgspec.ValidationError as error:
        raise UsageError(f"The MCP server cannot be used: {error}.") from None


def _name_of(command: Sequence[str], url: str | None) -> str:
    """A short name for people: that of the package or the script, or of the host."""
    if url is not None:
        return urlsplit(url).hostname or "mcp"
    words = [word for word in command if not word.startswith("-")]
    chosen = next((word for word in words if PurePosixPath(word).name not in _RUNNERS), words[0] if words else "mcp")
    last = chosen.rstrip("/").rsplit("/", 1)[-1]
    path = PurePosixPath(last.partition("@")[0] or last)
    return (path.stem if path.suffix in _SCRIPTS else path.name)[:64] or "mcp"
