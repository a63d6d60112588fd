"""Servers for the tests of the MCP client: real ones from npm, and one that misbehaves on demand."""

import json
import sys
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from node import find_node

from glassloop.extensions.mcp.client.servers import McpServers, open_mcp
from glassloop.tools.registry import ToolRegistry
from npm import install
from trusting import trust

ODD = Path(__file__).with_name("odd_server.py")
VERSION = "2026.8.31"
PACKAGES = [f"@modelcontextprotocol/server-everything@{VERSION}", f"@modelcontextprotocol/server-filesystem@{VERSION}"]


class Place:
    """A home folder, a working folder, and what the tests do with them."""

    def __init__(self, root: Path) -> None:
        self.home, self.folder, self.notes = root / "home", root / "folder", root / "notes"
        self.opened: list[McpServers] = []
        for path in (self.home, self.folder, self.notes):
            path.mkdir()

    def write(self, where: Path, **servers: Any) -> None:
        (where / ".mcp.json").write_text(json.dumps({"mcpServers": servers}))

    def odd(self, habit: str, **options: Any) -> dict[str, Any]:
        """An entry that runs the odd server."""
        entry = {"command": sys.executable, "args": ["-S", "-E", str(ODD), habit, str(self.notes)]}
        more = {name: options.pop(name) for name in ("env", "disabled", "cwd") if name in options}
        return {**entry, **more, **({"glassloop": options} if options else {})}

    def lists(self, name: str, *tools: dict[str, Any]) -> None:
        """What a server of the habit `listing` lists, or would list next."""
        whole = [{"inputSchema": {"type": "object"}, **tool} for tool in tools]
        (self.notes / name).write_text(json.dumps(whole))

    def lines(self, name: str) -> list[str]:
        path = self.notes / name
        return path.read_text().split("\n")[:-1] if path.exists() else []

    @property
    def pids(self) -> list[int]:
        return [int(line) for line in self.lines("pids")]

    @property
    def heard(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.lines("heard")]

    def trust(self) -> None:
        """The user trusts the working folder as it is now."""
        trust(self.folder, self.home)

    async def open(self, folders: Sequence[Path] = (), **options: Any) -> McpServers:
        servers = await open_mcp(self.home, folders, **{"environ": {}, "patience_s": 60, **options})
        self.opened.append(servers)
        return servers

    async def odd_tools(self, habit: str, **options: Any) -> ToolRegistry:
        """The tools of one odd server, called `odd`, without approvals unless said otherwise."""
        self.write(self.home, odd=self.odd(habit, **{"confirm": False, **options}))
        servers = await self.open()
        assert servers.status[0].reason == ""
        return ToolRegistry(servers.tools)


@pytest.fixture
async def place(tmp_path: Path) -> AsyncIterator[Place]:
    made = Place(tmp_path)
    yield made
    for servers in made.opened:
        await servers.aclose()


@pytest.fixture(scope="session")
def npm_servers() -> tuple[str, Path]:
    """Node, and the folder of the reference servers."""
    found = find_node()
    if found is None:
        pytest.skip("there is no npm here")
    node, npm = found
    return node, install(npm, "mcp_servers", PACKAGES) / "@modelcontextprotocol"
