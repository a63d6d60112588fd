"""Records of MCP servers over runs: the entries a person approved, and their tools as first seen.

Two small files in the home folder, readable by their owner only. Several processes may write them: each change is made
under a lock, on what the file says then. A file that cannot be read is never taken for an empty one. Blocking: call it
in a thread. `server` decides what follows from an approval.
"""

import logging
import os
import time
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

import msgspec

from glassloop.core.errors import ApprovalMismatch, UsageError
from glassloop.extensions.mcp.client import APPROVED, SEEN
from glassloop.extensions.mcp.client.config import ServerEntry, ServerOptions
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


class ApprovedEntry(msgspec.Struct, frozen=True, kw_only=True):
    """An entry that a person let run; its digest is the key."""

    name: str
    file: str
    at: float


class KnownTool(msgspec.Struct, frozen=True, kw_only=True):
    """A tool as it was accepted, if it was, and as the server describes it now where that differs."""

    accepted: ToolDefinition | None
    pending: ToolDefinition | None = None


class KnownTools(msgspec.Struct, frozen=True, kw_only=True):
    """A server's tools. `entry` is the entry they were listed by, `listed` those of the last listing, in its order.
    `full`: some of it were refused since no more are remembered."""

    entry: str = ""
    tools: dict[str, KnownTool] = {}
    listed: tuple[str, ...] = ()
    refused: dict[str, str] = {}
    notes: tuple[str, ...] = ()
    full: bool = False


class _ApprovedFile(msgspec.Struct, kw_only=True):
    servers: dict[str, ApprovedEntry] = {}


class _SeenFile(msgspec.Struct, kw_only=True):
    servers: dict[str, KnownTools] = {}


make_ready(_ApprovedFile, _SeenFile)


F = TypeVar("F", _ApprovedFile, _SeenFile)


class ServerRecords:
    """The two files of one home folder."""

    def __init__(self, home: Path) -> None:
        self._home = home

    def approved(self) -> frozenset[str]:
        """The digests of approved entries."""
        return frozenset(self._read(APPROVED, _ApprovedFile).servers)

    def approve(self, entry: ServerEntry) -> None:
        def change(held: _ApprovedFile) -> None:
            held.servers[entry.digest] = ApprovedEntry(name=entry.name, file=entry.file, at=time.time())

        self._change(APPROVED, _ApprovedFile, change)

    def seen(self) -> dict[str, KnownTools]:
        """What was seen of each server, by the entries' keys."""
        return self._read(SEEN, _SeenFile).servers

    def compare(self, entry: ServerEntry, listing: ToolListing) -> KnownTools:
        """The listing beside what was seen before: new tools are accepted, changed ones wait for a person.

        A new one waits too where the server was listed before and the user's options name it: what they say was said of
        no form that anybody has seen.
        """
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

        self._change(SEEN, _SeenFile, change)
        return made

    def accept(self, entry: ServerEntry, tool: str, digest: str) -> KnownTools:
        """Takes a changed tool as it is now; `digest` is what the person saw."""
        made = KnownTools()

        def change(held: _SeenFile) -> None:
            nonlocal made
            seen = held.servers.get(entry.key, KnownTools())
            known = seen.tools.get(tool)
            if known is None or known.pending is None or known.pending.digest != digest:
                raise ApprovalMismatch(
                    f"The tool {tool!r} of {entry.name!r} is not what was shown any more: list it again, then decide."
                )
            tools = {**seen.tools, tool: KnownTool(accepted=known.pending)}
            made = held.servers[entry.key] = msgspec.structs.replace(seen, tools=tools)

        self._change(SEEN, _SeenFile, change)
        return made

    def _read(self, name: str, kind: type[F]) -> F:
        path = self._home / name
        try:
            if path.stat().st_size > _MAX_BYTES:
                raise UsageError(f"{path} is larger than {_MAX_BYTES:,} bytes: delete it to begin anew.")
            return msgspec.json.decode(path.read_bytes(), type=kind)
        except FileNotFoundError:
            return kind()
        except (OSError, msgspec.MsgspecError) as error:
            raise UsageError(
                f"{path} cannot be read ({error}): mend it, or delete it to approve every server and tool anew."
            ) from error

    def _change(self, name: str, kind: type[F], change: Callable[[F], None]) -> None:
        try:
            make_own(self._home)
            with self._lock():
                held = self._read(name, kind)
                before = msgspec.json.encode(held)
                change(held)
                # A file that is written is read again by every turn of every process.
                if (now := msgspec.json.encode(held)) != before:
                    write_whole(self._home / name, msgspec.json.format(now, indent=1))
        except OSError as error:
            raise UsageError(
                f"{self._home / name} cannot be written ({error.strerror or error}): make the home folder writable."
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
        self._held: dict[str, _ApprovedFile | _SeenFile] = {}

    def _read(self, name: str, kind: type[F]) -> F:
        held = self._held.setdefault(name, kind())
        return held if isinstance(held, kind) else kind()

    def _change(self, name: str, kind: type[F], change: Callable[[F], None]) -> None:
        change(self._read(name, kind))


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
                "remembered: to begin anew, give the server another name in its file."
            )
            continue
        waits = known is None and before is not None and _is_named(entry.options, tool.name)
        tools[tool.name] = KnownTool(accepted=None, pending=tool) if waits else _compared(known, tool)
        listed.append(tool.name)
    full = len(refused) > len(listing.refused)
    notes = (*listing.notes, "It has listed too many different tools: new ones are refused.") if full else listing.notes
    return KnownTools(entry=entry.digest, tools=tools, listed=tuple(listed), refused=refused, notes=notes, full=full)


class _Space:
    """How much more can be remembered of a server."""

    def __init__(self, known: Mapping[str, KnownTool]) -> None:
        self._count = len(known)
        self._bytes = sum(len(msgspec.json.encode(each.accepted or each.pending)) for each in known.values())

    def take(self, tool: ToolDefinition) -> bool:
        size = len(msgspec.json.encode(tool))
        if self._count >= MAX_KNOWN or self._bytes + size > KNOWN_BYTES:
            return False
        self._count, self._bytes = self._count + 1, self._bytes + size
        return True


def _is_named(options: ServerOptions, tool: str) -> bool:
    """Whether the user's options say of this tool that it may do more than others."""
    return tool in options.effects or (isinstance(options.confirm, dict) and tool in options.confirm)


def _compared(before: KnownTool | None, now: ToolDefinition) -> KnownTool:
    """What was accepted stays accepted in today's form; anything else waits."""
    if before is None or (before.accepted is not None and before.accepted.digest == now.digest):
        return KnownTool(accepted=now)
    return KnownTool(accepted=before.accepted, pending=now)
