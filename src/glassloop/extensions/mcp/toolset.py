"""The MCP servers of a runtime: whose tools go to which assistant, and when the files are looked at.

Servers of the home and of the working folder are for every assistant, those of an assistant's folder for that one. The
files are looked at when an assistant is first asked. Where there is none, nothing is loaded; where there is one, every
turn sees what was changed, trusted or approved before it started, in whichever process.
"""

import asyncio
import logging
import os
import shlex
from collections.abc import Coroutine, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from glassloop.core.errors import UnknownName, UsageError
from glassloop.extensions.mcp.client import FILE, SEEN
from glassloop.runtime.assistants.assistant_files import list_assistants, open_assistant
from glassloop.runtime.settings import Settings, trusted_folders
from glassloop.tools.tool import Tool

if TYPE_CHECKING:
    from glassloop.extensions.mcp.client.definition import ServerStatus
    from glassloop.extensions.mcp.client.servers import McpServers

_log = logging.getLogger(__name__)

_MAX_PLACES = 256

Stamp = tuple[int, int, int] | None
"""By which a file is seen to be another than before; None where there is none."""


class DiskSnapshot(msgspec.Struct, frozen=True):
    """What lies on disk: folders of assistants by what they were asked by, the stamps of all files that matter, and
    those of somebody else's that the user trusts."""

    places: Mapping[str, Path]
    stamps: Mapping[Path, Stamp]
    trusted: frozenset[Path] = frozenset()


class ToolServers:
    """Opened when they are first needed. `patience_s` is how long a turn may wait for servers whose tools are unknown;
    `patient`: nobody goes on before each has started or failed.

    Close it before the event loop ends, after the turns.
    """

    def __init__(
        self,
        settings: Settings,
        folder: Path | None = None,
        *,
        patience_s: float | None = None,
        patient: bool = False,
    ) -> None:
        self._settings = settings
        self._home = settings.home_path.resolve()
        self._folder = (folder or Path.cwd()).resolve()
        self._patience_s = patience_s
        self._patient = patient
        self._places: dict[str, Path] = {}
        self._stamps: dict[Path, Stamp] = {}
        self._trusted: frozenset[Path] = frozenset()
        self._trust = trusted_folders(self._home, settings.extensions)
        self._servers: McpServers | None = None
        self._changing = asyncio.Lock()
        self._awaited: asyncio.Task[None] | None = None
        self._behind: set[asyncio.Task[None]] = set()
        self._closed = False

    def begin(self) -> None:
        """Opens them while nobody waits yet, for a process that will run turns for long."""
        self._keep(self._look([]))

    @property
    def waiting_for(self) -> str:
        """Servers whose tools nobody knows yet."""
        if self._awaited is None or self._awaited.done():
            return ""
        from glassloop.extensions.mcp.client.servers import TIMEOUT_S

        return f"MCP servers start for the first time: this waits for them, at most {TIMEOUT_S:g} s."

    async def tools_for(self, assistant: str) -> Sequence[Tool]:
        """The tools of servers that this assistant may call now."""
        # Where there were no files there is nothing to look at again: no turn pays for what is not used.
        if self._servers is not None or assistant not in self._places:
            await self._look([assistant])
        return [] if self._servers is None else self._servers.tools_of(self._files_of(assistant))

    def status_for(self, assistant: str) -> "Sequence[ServerStatus]":
        """How the servers stand that this assistant may use, as of its last `tools_for`."""
        files = self._files_of(assistant)
        return [] if self._servers is None else [found for found in self._servers.status if found.file in files]

    def sources_for(self, assistant: str) -> Mapping[str, str]:
        return {tool.name: status.name for status in self.status_for(assistant) for tool in status.tools}

    def notices_for(self, assistant: str) -> Sequence[str]:
        from glassloop.extensions.mcp.toolset import unused_servers

        found = unused_servers(self, assistant)
        return [found] if found else []

    def is_of_folder(self, status: "ServerStatus") -> bool:
        """Whether its file is a part of the working folder."""
        return self._folder in Path(status.file).parents[:3]

    def is_own_of(self, assistant: str, status: "ServerStatus") -> bool:
        """Whether the server is there for this assistant only."""
        return status.file not in (str(self._home / FILE), str(self._folder / FILE)) and (
            status.file in self._files_of(assistant)
        )

    async def listing(self, assistant: str | None = None, *, refresh: bool = False) -> "Sequence[ServerStatus]":
        """How all servers stand: those for everybody and those of every assistant, the named one's first.

        `refresh` starts and lists every server that may run, so that what is told is not from before.
        """
        assistants = [] if assistant is None else [assistant]
        others = await asyncio.to_thread(list_assistants, self._settings, self._folder)
        await self._look([*assistants, *(other.folder for other in others)])
        if self._servers is not None and refresh:
            await self._servers.start(only_unknown=False)
        return [] if self._servers is None else self._servers.status

    async def accept(self, server: str, tool: str, *, digest: str) -> "ServerStatus":
        """A person takes a tool that changed or is new, as `listing` showed it; how its server stands then.

        Raises `UnknownName` for what is not there and `ApprovalMismatch` for what is not as it was shown any more.
        """
        await self.listing()
        if self._servers is None:
            raise UnknownName(f"There is no MCP server {server!r}, as there is no {FILE}.")
        await self._servers.accept(server, tool, digest=digest)
        for found in self._servers.status:
            if found.name == server:
                return found
        raise UnknownName(f"The MCP server {server!r} is not in its file any more.")

    async def aclose(self) -> None:
        self._closed = True
        # What is being taken up is taken up whole, so that nothing that runs is forgotten.
        async with self._changing:
            for task in self._behind:
                task.cancel()
        await asyncio.gather(*self._behind, return_exceptions=True)
        if self._servers is not None:
            await self._servers.aclose()

    async def _look(self, assistants: Sequence[str]) -> None:
        """Sees what is on disk, and takes up what is new there; waits for servers that were never listed."""
        known = {name: self._places[name] for name in assistants if name in self._places}
        look = await asyncio.to_thread(self._see, assistants, known)
        self._places = dict([*self._places.items(), *look.places.items()][-_MAX_PLACES:])
        if self._changed(look):
            # Not stopped with whoever happened to come first, and no reason for a turn to fail.
            await asyncio.wait({self._keep(self._take(look))})
        if self._awaited is not None and not self._awaited.done():
            await asyncio.wait({self._awaited})

    def _see(self, assistants: Iterable[str], known: Mapping[str, Path]) -> DiskSnapshot:
        """In a thread: files are read."""
        places = {name: known.get(name) or self._place_of(name) for name in assistants}
        folders = dict.fromkeys((self._home, self._folder, *places.values()))
        paths = [self._home / SEEN, *(folder / FILE for folder in folders)]
        stamps = {path: _stamp(path) for path in paths}
        foreign = [path for path in paths[2:] if stamps[path] is not None]
        return DiskSnapshot(places, stamps, frozenset(path for path in foreign if self._is_trusted(path)))

    def _is_trusted(self, path: Path) -> bool:
        try:
            return self._trust.covers(path)
        except UsageError:
            # Its status tells what cannot be read.
            return False

    def _place_of(self, assistant: str) -> Path:
        try:
            return Path(open_assistant(assistant, self._settings, self._folder).folder).resolve()
        except UsageError:
            # Agents that a program makes itself need not have a profile.
            return self._folder

    def _changed(self, look: DiskSnapshot) -> set[Path]:
        moved = {path for path, stamp in look.stamps.items() if self._stamps.get(path) != stamp}
        # Of others only what was looked at now.
        return moved | {path for path in look.stamps if (path in look.trusted) != (path in self._trusted)}

    async def _take(self, look: DiskSnapshot) -> None:
        async with self._changing:
            changed, files = self._changed(look), [path for path in look.stamps if path.name == FILE]
            there = [path.parent for path in files if look.stamps[path] is not None]
            if self._closed or not changed or (self._servers is None and not there):
                return
            servers = self._servers = self._servers or self._made()
            servers.include(there)
            await servers.load()
            # As they were before they were read: what changed meanwhile is seen by the next look.
            self._stamps |= look.stamps
            self._trusted = self._trusted.difference(look.stamps) | look.trusted
            if changed.difference([self._home / SEEN]):
                starting = self._keep(servers.start(only_unknown=True))
                if changed.intersection(files):
                    self._awaited = starting

    def _made(self) -> "McpServers":
        from glassloop.extensions.mcp.client.servers import TIMEOUT_S, UNTIL_KNOWN, McpServers

        patience_s = UNTIL_KNOWN if self._patient else self._patience_s or TIMEOUT_S
        return McpServers(self._home, [self._folder], patience_s=patience_s)

    def _keep(self, work: Coroutine[Any, Any, None]) -> "asyncio.Task[None]":
        task = asyncio.create_task(work)
        self._behind.add(task)
        task.add_done_callback(self._over)
        return task

    def _over(self, task: "asyncio.Task[None]") -> None:
        self._behind.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            _log.warning("MCP servers could not be looked at: %s", error, exc_info=error)

    def _files_of(self, assistant: str) -> frozenset[str]:
        return frozenset(
            str(folder / FILE) for folder in (self._home, self._folder, self._places.get(assistant, self._home))
        )


def _stamp(path: Path) -> Stamp:
    try:
        found = path.stat()
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError:
        # It is there in some way: whoever reads it tells what is wrong.
        return (0, 0, 0)
    return (found.st_mtime_ns, found.st_size, found.st_ino)


MAX_TOLD = 4
_STATES = {"unusable": "cannot be used", "failed": "does not run", "starting": "still starts"}


def unused_servers(servers: "ToolServers", assistant: str) -> str:
    """One line about what is not used; empty where all is."""
    parts: list[str] = []
    listed = False
    for status in servers.status_for(assistant):
        command = approval_command(servers, assistant, status)
        if status.state == "untrusted":
            # That the working folder is not trusted is told with its settings.
            if not servers.is_of_folder(status):
                parts.append(f"{status.name!r} is of a folder that is not trusted (`{command}` shows it and asks)")
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
    """The command that lets this server run, or that begins the approval of its tools; one of an assistant that no name
    leads to needs its folder."""
    if status.state == "untrusted":
        return f"glassloop trust {'.' if servers.is_of_folder(status) else shlex.quote(str(Path(status.file).parent))}"
    by_folder = assistant is not None and os.sep in assistant and servers.is_own_of(assistant, status)
    return f"glassloop servers approve {shlex.quote(status.name)}" + (
        f" -a {shlex.quote(assistant)}" if by_folder and assistant else ""
    )
