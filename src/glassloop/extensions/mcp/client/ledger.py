"""What is remembered of servers over runs: which entries a person approved, and how their tools looked when first seen.

Two small files in the home folder, for nobody else's eyes. Several processes may write them: each change is made under
a lock, on what the file says then. A file that cannot be read is never taken for an empty one. Blocking: call it in a
thread. What follows from an approval is the server's.
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
from glassloop.extensions.mcp.client.config import Entry, Options
from glassloop.extensions.mcp.client.definition import LISTING_BYTES, MOST_TOOLS, Definition, Listing
from glassloop.file_lock import take_lock
from glassloop.own_folder import make_own
from glassloop.ready_types import make_ready
from glassloop.whole_file import write_whole

_log = logging.getLogger(__name__)

MOST_SERVERS = 1_000
MOST_KNOWN = 2 * MOST_TOOLS
KNOWN_BYTES = 2 * LISTING_BYTES
"""Bounds of what is remembered: servers, tools of one, bytes of those. Nothing accepted is forgotten to make room, or a
server could have a tool forgotten and bring it back changed: what is new beyond them is refused."""

_MOST_BYTES = 64_000_000


class Approved(msgspec.Struct, frozen=True, kw_only=True):
    """An entry that a person let run; its digest is the key."""

    name: str
    file: str
    at: float


class Known(msgspec.Struct, frozen=True, kw_only=True):
    """A tool as it was accepted, if it was, and as the server describes it now where that differs."""

    accepted: Definition | None
    pending: Definition | None = None


class Seen(msgspec.Struct, frozen=True, kw_only=True):
    """A server's tools. `entry` is the entry they were listed by, `listed` those of the last listing, in its order.
    `full`: some of it were refused since no more are remembered."""

    entry: str = ""
    tools: dict[str, Known] = {}
    listed: tuple[str, ...] = ()
    refused: dict[str, str] = {}
    notes: tuple[str, ...] = ()
    full: bool = False


class _ApprovedFile(msgspec.Struct, kw_only=True):
    servers: dict[str, Approved] = {}


class _SeenFile(msgspec.Struct, kw_only=True):
    servers: dict[str, Seen] = {}


make_ready(_ApprovedFile, _SeenFile)


F = TypeVar("F", _ApprovedFile, _SeenFile)


class Ledger:
    """The two files of one home folder."""

    def __init__(self, home: Path) -> None:
        self._home = home

    def approved(self) -> frozenset[str]:
        """The digests of approved entries."""
        return frozenset(self._read(APPROVED, _ApprovedFile).servers)

    def approve(self, entry: Entry) -> None:
        def change(held: _ApprovedFile) -> None:
            held.servers[entry.digest] = Approved(name=entry.name, file=entry.file, at=time.time())

        self._change(APPROVED, _ApprovedFile, change)

    def seen(self) -> dict[str, Seen]:
        """What was seen of each server, by the entries' keys."""
        return self._read(SEEN, _SeenFile).servers

    def compare(self, entry: Entry, listing: Listing) -> Seen:
        """The listing beside what was seen before: new tools are accepted, changed ones wait for a person.

        A new one waits too where the server was listed before and the user's options name it: what they say was said of
        no form that anybody has seen.
        """
        made = Seen()

        def change(held: _SeenFile) -> None:
            nonlocal made
            before = held.servers.get(entry.key)
            if before is None and len(held.servers) >= MOST_SERVERS:
                raise UsageError(
                    f"{self._home / SEEN} remembers the tools of {MOST_SERVERS:,} servers: take those out of it that "
                    "you do not use any more."
                )
            made = _seen(entry, listing, before)
            if made.full and not (before and before.full):
                _log.warning("MCP server %r: %s", entry.name, made.notes[-1])
            held.servers[entry.key] = made

        self._change(SEEN, _SeenFile, change)
        return made

    def accept(self, entry: Entry, tool: str, digest: str) -> Seen:
        """Takes a changed tool as it is now; `digest` is what the person saw."""
        made = Seen()

        def change(held: _SeenFile) -> None:
            nonlocal made
            seen = held.servers.get(entry.key, Seen())
            known = seen.tools.get(tool)
            if known is None or known.pending is None or known.pending.digest != digest:
                raise ApprovalMismatch(
                    f"The tool {tool!r} of {entry.name!r} is not what was shown any more: list it again, then decide."
                )
            tools = {**seen.tools, tool: Known(accepted=known.pending)}
            made = held.servers[entry.key] = msgspec.structs.replace(seen, tools=tools)

        self._change(SEEN, _SeenFile, change)
        return made

    def _read(self, name: str, kind: type[F]) -> F:
        path = self._home / name
        try:
            if path.stat().st_size > _MOST_BYTES:
                raise UsageError(f"{path} is larger than {_MOST_BYTES:,} bytes: delete it to begin anew.")
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


def _seen(entry: Entry, listing: Listing, before: Seen | None) -> Seen:
    """What is known of a server after a listing. Tools that went away stay known: one that comes back changed is not
    new."""
    tools, listed, refused = dict(before.tools if before else {}), list[str](), dict(listing.refused)
    room = _Room(tools)
    for tool in listing.tools:
        known = tools.get(tool.name)
        if known is None and not room.take(tool):
            refused[tool.name] = (
                f"It is new, and of this server no more than {MOST_KNOWN} tools or {KNOWN_BYTES:,} bytes of them are "
                "remembered: to begin anew, give the server another name in its file."
            )
            continue
        waits = known is None and before is not None and _is_named(entry.options, tool.name)
        tools[tool.name] = Known(accepted=None, pending=tool) if waits else _compared(known, tool)
        listed.append(tool.name)
    full = len(refused) > len(listing.refused)
    notes = (*listing.notes, "It has listed too many different tools: new ones are refused.") if full else listing.notes
    return Seen(entry=entry.digest, tools=tools, listed=tuple(listed), refused=refused, notes=notes, full=full)


class _Room:
    """How much more can be remembered of a server."""

    def __init__(self, known: Mapping[str, Known]) -> None:
        self._count = len(known)
        self._bytes = sum(len(msgspec.json.encode(each.accepted or each.pending)) for each in known.values())

    def take(self, tool: Definition) -> bool:
        size = len(msgspec.json.encode(tool))
        if self._count >= MOST_KNOWN or self._bytes + size > KNOWN_BYTES:
            return False
        self._count, self._bytes = self._count + 1, self._bytes + size
        return True


def _is_named(options: Options, tool: str) -> bool:
    """Whether the user's options say of this tool that it may do more than others."""
    return tool in options.effects or (isinstance(options.confirm, dict) and tool in options.confirm)


def _compared(before: Known | None, now: Definition) -> Known:
    """What was accepted stays accepted in today's form; anything else waits."""
    if before is None or (before.accepted is not None and before.accepted.digest == now.digest):
        return Known(accepted=now)
    return Known(accepted=before.accepted, pending=now)
