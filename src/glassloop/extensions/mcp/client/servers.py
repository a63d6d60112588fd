"""All MCP servers of a home folder and the folders one works in: the one thing the runtime holds of them.

Owns who there is and who may run. A server whose tools are known from before is not started until one of them is
called; the others are started side by side, and nobody waits for them longer than allowed.
"""

import asyncio
import math
import os
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from pathlib import Path
from time import monotonic

from glassloop.core.errors import ToolError, UnknownName, UsageError
from glassloop.extensions.mcp.client.config import ServerEntry, UnusableEntry, read_servers
from glassloop.extensions.mcp.client.definition import ServerStatus
from glassloop.extensions.mcp.client.server import ManagedServer, threads
from glassloop.extensions.mcp.client.server_records import KnownTools, ServerRecords
from glassloop.extensions.mcp.client.tool import alias_of
from glassloop.runtime.settings import trusted_folders
from glassloop.tools.suggestion import quote, suggest
from glassloop.tools.tool import Tool

TIMEOUT_S = 10.0
UNTIL_KNOWN = math.inf
"""Patience of whoever wants to know how servers stand: each has started or failed within the limits of its entry."""

_FileContents = tuple[Sequence[ServerEntry], Sequence[UnusableEntry], frozenset[str], dict[str, KnownTools]]
"""Entries that can be used and those that cannot, files that are trusted as they are, and what was seen of each."""


async def open_mcp(
    home: Path,
    folders: Sequence[Path] = (),
    *,
    environ: Mapping[str, str] | None = None,
    patience_s: float = TIMEOUT_S,
    clock: Callable[[], float] = monotonic,
) -> "McpServers":
    """The servers of these folders. Waits for those whose tools are not known yet, at most so long.

    `environ` is what the user's own file may refer to. Never raises for what a file or a server does: `status` tells.
    """
    servers = McpServers(home, folders, environ=environ, patience_s=patience_s, clock=clock)
    await servers.load()
    await servers.start(only_unknown=True)
    return servers


class McpServers:
    """What is connected, or could be. Close it before the event loop ends."""

    def __init__(
        self,
        home: Path,
        folders: Sequence[Path],
        *,
        environ: Mapping[str, str] | None = None,
        patience_s: float = TIMEOUT_S,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        self._home, self._folders = home, tuple(folders)
        self._environ = os.environ if environ is None else environ
        self._patience_s = patience_s
        self._clock = clock
        self._ledger = ServerRecords(home)
        self._trust = trusted_folders(home)
        self._servers: dict[str, ManagedServer] = {}
        self._unusable: list[UnusableEntry] = []
        self._starting: set[asyncio.Task[None]] = set()

    @property
    def tools(self) -> Sequence[Tool]:
        """Every tool that may be called now. Changes when servers come, go, or list other tools."""
        return [tool for server in self._servers.values() for tool in server.tools]

    def tools_of(self, files: Container[str]) -> Sequence[Tool]:
        """The same of those servers that these files name."""
        return [tool for server in self._servers.values() if server.entry.file in files for tool in server.tools]

    @property
    def status(self) -> Sequence[ServerStatus]:
        unusable = [
            ServerStatus(name=found.name, file=found.file, state="unusable", reason=found.reason)
            for found in self._unusable
        ]
        return [*(server.status for server in self._servers.values()), *unusable]

    def include(self, folders: Iterable[Path]) -> None:
        """More folders, from the next `load` on; those before them keep their names."""
        self._folders = tuple(dict.fromkeys((*self._folders, *folders)))

    async def refresh(self) -> None:
        """Reads the files anew and lists every server that may run, started where it does not."""
        await self.load()
        await self.start(only_unknown=False)

    async def accept(self, server: str, tool: str, *, digest: str | None = None) -> None:
        """A person takes a tool that changed or is new as it is now.

        `digest` is that of the status they saw: where it does not fit any more, nothing is approved.
        """
        found = self._servers.get(server)
        if found is None:
            raise UnknownName(f"There is no MCP server {quote(server)}. {suggest(server, self._servers)}")
        await found.accept(tool, digest)

    async def aclose(self) -> None:
        """Ends every server, side by side."""
        for task in self._starting:
            task.cancel()
        await asyncio.gather(*self._starting, return_exceptions=True)
        await asyncio.gather(*(server.close() for server in self._servers.values()))

    async def load(self) -> None:
        """Reads the files; servers whose entries stand as they stood run on."""
        entries, unusable, trusted, seen = await threads.run(self._read, {})
        before, self._servers, self._unusable = self._servers, {}, list(unusable)
        aliases: dict[str, str] = {}
        for entry in entries:
            if (taken := aliases.setdefault(alias_of(entry.name), entry.name)) != entry.name:
                reason = f"Its tools would have the same names as those of {taken!r}: rename it."
                self._unusable.append(UnusableEntry(name=entry.name, file=entry.file, reason=reason))
                continue
            self._servers[entry.name] = self._kept(entry, before, seen.get(entry.key), trusted)
        await asyncio.gather(*(server.close() for server in before.values() if server not in self._servers.values()))

    def _read(self) -> _FileContents:
        entries, unusable = read_servers(self._home, self._folders, self._environ)
        try:
            contents = {entry.file: entry.content for entry in entries if not entry.own}
            trusted = frozenset(file for file, content in contents.items() if self._trust.covers(Path(file), content))
            return entries, unusable, trusted, self._ledger.seen()
        except UsageError as error:
            # What was decided before is not known, so nothing is.
            refused = [UnusableEntry(name=entry.name, file=entry.file, reason=str(error)) for entry in entries]
            return [], [*unusable, *refused], frozenset(), {}

    def _kept(
        self, entry: ServerEntry, before: dict[str, ManagedServer], seen: KnownTools | None, trusted: frozenset[str]
    ) -> ManagedServer:
        allowed = entry.own or entry.file in trusted
        server = before.get(entry.name)
        # One that is trusted no longer ends with the object that held it.
        if server is None or server.entry != entry or (server.trusted and not allowed):
            return ManagedServer(entry, self._ledger, seen, trusted=allowed, clock=self._clock)
        server.trusted = allowed
        server.learn(seen)
        return server

    async def start(self, *, only_unknown: bool) -> None:
        """Starts and lists servers, side by side; those that take longer go on behind."""
        wanted = [server for server in self._servers.values() if server.startable]
        chosen = [server for server in wanted if not (only_unknown and server.known)]
        tasks = {asyncio.create_task(_start(server)) for server in chosen}
        self._starting |= tasks
        for task in tasks:
            task.add_done_callback(self._starting.discard)
        if tasks:
            await asyncio.wait(tasks, timeout=None if self._patience_s == UNTIL_KNOWN else self._patience_s)


async def _start(server: ManagedServer) -> None:
    try:
        await server.relist()
    except ToolError:
        # Its status says why.
        return
