"""Records of MCP servers over runs: their tools as first seen, and those that a person accepted.

A small file in the home folder, readable by its owner only. Several processes may write it: each change is made under a
lock, on what the file says then. One that cannot be read is never taken for an empty one. Blocking: call it in a
thread. Which servers may run is decided by trust in their folders.
"""

import logging
import os
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from pathlib import Path

import msgspec

from glassloop.core.errors import ApprovalMismatch, UsageError
from glassloop.extensions.mcp.client import SEEN
from glassloop.extensions.mcp.client.config import ServerEntry
from glassloop.extensions.mcp.client.definition import LISTING_BYTES, MAX_TOOLS, ToolDefinition, ToolListing
from glassloop.file_lock import take_lock
from glassloop.own_folder import make_own
from glassloop.ready_types import make_ready
from glassloop.whole_file import write_whole

_log = logging.getLogger(__name__)

MAX_SERVERS = 1_000
MAX_KNOWN = 2 * MAX_TOOLS
KNOWN_BYTES = 2 * LISTING_BYTES
"""Bounds of what is remembered: servers, tools of one, bytes of those. Nothing accepted is forgotten for others, or a
server could have a tool forgotten and bring it back changed: what is new beyond them is refused."""

_MAX_BYTES = 64_000_000


class KnownTool(msgspec.Struct, frozen=True, kw_only=True):
    """A tool as it was accepted, and as the server describes it now where that differs. `late`: it came after the first
    listing, and no person has accepted it yet."""

    accepted: ToolDefinition
    pending: ToolDefinition | None = None
    late: bool = False


class KnownTools(msgspec.Struct, frozen=True, kw_only=True):
    """A server's tools. `entry` is the entry they were listed by, `listed` those of the last listing, in its order.
    `full`: some of it were refused since no more are remembered."""

    entry: str = ""
    tools: dict[str, KnownTool] = {}
    listed: tuple[str, ...] = ()
    refused: dict[str, str] = {}
    notes: tuple[str, ...] = ()
    full: bool = False


class _SeenFile(msgspec.Struct, kw_only=True):
    servers: dict[str, KnownTools] = {}


make_ready(_SeenFile)


class ServerRecords:
    """The file of one home folder."""

    def __init__(self, home: Path) -> None:
        self._home = home

    def seen(self) -> dict[str, KnownTools]:
        """What was seen of each server, by the entries' keys."""
        return self._read().servers

    def compare(self, entry: ServerEntry, listing: ToolListing) -> KnownTools:
        """The listing beside what was seen before: changed tools wait for a person, and those that come after the first
        listing are `late`, whatever the user's options say of their names: that was said of no form that anybody has
        seen."""
        made = KnownTools()

        def change(held: _SeenFile) -> None:
            nonlocal made
            before = held.servers.get(entry.key)
            if before is None and len(held.servers) >= MAX_SERVERS:
                raise UsageError(
                    f"{self._home / SEEN} remembers the tools of {MAX_SERVERS:,} servers: take those out of it that "
                    "you do not use any more."
                )
            made = _seen(entry, listing, before)
            if made.full and not (before and before.full):
                _log.warning("MCP server %r: %s", entry.name, made.notes[-1])
            held.servers[entry.key] = made

        self._change(change)
        return made

    def accept(self, entry: ServerEntry, tool: str, digest: str) -> KnownTools:
        """Takes a changed or late tool as it is now; `digest` is what the person saw."""
        made = KnownTools()

        def change(held: _SeenFile) -> None:
            nonlocal made
            seen = held.servers.get(entry.key, KnownTools())
            known = seen.tools.get(tool)
            shown = None if known is None else known.pending or known.accepted
            if shown is None or shown.digest != digest:
                raise ApprovalMismatch(
                    f"The tool {tool!r} of {entry.name!r} is not what was shown any more: list it again, then decide."
                )
            tools = {**seen.tools, tool: KnownTool(accepted=shown)}
            made = held.servers[entry.key] = msgspec.structs.replace(seen, tools=tools)

        self._change(change)
        return made

    def _read(self) -> _SeenFile:
        path = self._home / SEEN
        try:
            if path.stat().st_size > _MAX_BYTES:
                raise UsageError(f"{path} is larger than {_MAX_BYTES:,} bytes: delete it to start over.")
            return msgspec.json.decode(path.read_bytes(), type=_SeenFile)
        except FileNotFoundError:
            return _SeenFile()
        except (OSError, msgspec.MsgspecError) as error:
            raise UsageError(
                f"{path} cannot be read ({error}): repair it, or delete it to accept every tool again."
            ) from error

    def _change(self, change: Callable[[_SeenFile], None]) -> None:
        try:
            make_own(self._home)
            with self._lock():
                held = self._read()
                before = msgspec.json.encode(held)
                change(held)
                # A file that is written is read again by every turn of every process.
                if (now := msgspec.json.encode(held)) != before:
                    write_whole(self._home / SEEN, msgspec.json.format(now, indent=1))
        except OSError as error:
            raise UsageError(
                f"{self._home / SEEN} cannot be written ({error.strerror or error}): make the home folder writable."
            ) from error

    @contextmanager
    def _lock(self) -> Generator[None, None, None]:
        file = os.open(self._home / "mcp.lock", os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
        try:
            take_lock(file, wait=True)
            yield
        finally:
            os.close(file)


class MemoryRecords(ServerRecords):
    """Of servers that a program names itself: a tool that changes while it runs waits, a new process begins anew."""

    def __init__(self) -> None:
        super().__init__(Path())
        self._held = _SeenFile()

    def _read(self) -> _SeenFile:
        return self._held

    def _change(self, change: Callable[[_SeenFile], None]) -> None:
        change(self._held)


def _seen(entry: ServerEntry, listing: ToolListing, before: KnownTools | None) -> KnownTools:
    """What is known of a server after a listing. Tools that went away stay known: one that comes back changed is not
    new."""
    tools, listed, refused = dict(before.tools if before else {}), list[str](), dict(listing.refused)
    space = _Space(tools)
    for tool in listing.tools:
        known = tools.get(tool.name)
        if known is None and not space.take(tool):
            refused[tool.name] = (
                f"It is new, and of this server no more than {MAX_KNOWN} tools or {KNOWN_BYTES:,} bytes of them are "
                "remembered: to start over, give the server another name in its file."
            )
            continue
        tools[tool.name] = _compared(known, tool, late=before is not None)
        listed.append(tool.name)
    full = len(refused) > len(listing.refused)
    notes = (*listing.notes, "It has listed too many different tools: new ones are refused.") if full else listing.notes
    return KnownTools(entry=entry.digest, tools=tools, listed=tuple(listed), refused=refused, notes=notes, full=full)


class _Space:
    """How much more can be remembered of a server."""

    def __init__(self, known: Mapping[str, KnownTool]) -> None:
        self._count = len(known)
        self._bytes = sum(len(msgspec.json.encode(each.accepted)) for each in known.values())

    def take(self, tool: ToolDefinition) -> bool:
        size = len(msgspec.json.encode(tool))
        if self._count >= MAX_KNOWN or self._bytes + size > KNOWN_BYTES:
            return False
        self._count, self._bytes = self._count + 1, self._bytes + size
        return True


def _compared(before: KnownTool | None, now: ToolDefinition, *, late: bool) -> KnownTool:
    """What was accepted stays so in today's form, and what nobody accepted yet may change; anything else waits."""
    if before is None or before.late:
        return KnownTool(accepted=now, late=late)
    if before.accepted.digest == now.digest:
        return KnownTool(accepted=now)
    return KnownTool(accepted=before.accepted, pending=now)
