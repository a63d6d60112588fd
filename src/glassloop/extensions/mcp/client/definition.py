"""Definitions of tools as a server lists them, checked and bounded, and the status of servers and tools for listings.

Each definition has a digest that reveals a later change; `server_records` remembers what was seen before.
"""

import hashlib
from typing import Any, Literal, cast

import msgspec

from glassloop.core.messages import Effect
from glassloop.core.records import Json
from glassloop.extensions.mcp.client.schema import UnfitSchema, simplified
from glassloop.extensions.mcp.client.untrusted_text import line, plain

MAX_TOOLS = 256
MAX_PAGES = 64
LISTING_BYTES = 500_000
_NAME_CHARS = 128
_DESCRIPTION_CHARS = 900


class ToolDefinition(msgspec.Struct, frozen=True, kw_only=True):
    """What is offered of one tool. `read_only` and `idempotent` are the server's own word for it."""

    name: str
    description: str
    parameters: dict[str, Json]
    digest: str
    read_only: bool = False
    idempotent: bool = False


class ToolListing(msgspec.Struct, frozen=True, kw_only=True):
    """All the tools of a server: those that can be used, and why others cannot, by name."""

    tools: tuple[ToolDefinition, ...] = ()
    refused: dict[str, str] = {}
    notes: tuple[str, ...] = ()


class ListingReader:
    """Takes a listing page by page, and no more of it than allowed."""

    def __init__(self) -> None:
        self._tools: dict[str, ToolDefinition] = {}
        self._refused: dict[str, str] = {}
        self._notes: list[str] = []
        self._count = 0
        self._bytes = 0
        self._pages = 0

    def take(self, raw: Any) -> bool:
        """One page's tools; whether another page may be asked for."""
        self._pages += 1
        for tool in cast("list[Any]", raw) if isinstance(raw, list) else []:
            if not self._takes_more():
                return False
            self._add(tool)
        if self._pages >= MAX_PAGES:
            self._notes.append(f"It lists its tools on more than {MAX_PAGES} pages: the rest is left out.")
        return self._pages < MAX_PAGES

    def done(self) -> ToolListing:
        return ToolListing(tools=tuple(self._tools.values()), refused=self._refused, notes=tuple(self._notes))

    def _takes_more(self) -> bool:
        self._count += 1
        if self._count > MAX_TOOLS:
            self._notes.append(f"It lists more than {MAX_TOOLS} tools: the rest is left out.")
        elif self._bytes > LISTING_BYTES:
            self._notes.append(f"Its tools take more than {LISTING_BYTES:,} bytes: the rest is left out.")
        else:
            return True
        return False

    def _add(self, raw: Any) -> None:
        name = cast("dict[str, Any]", raw).get("name") if isinstance(raw, dict) else None
        if not isinstance(name, str) or not name.strip():
            self._refused["?"] = "A tool without a name cannot be called."
            return
        if name in self._tools or name in self._refused:
            self._notes.append(f"It lists {line(name, 60)!r} twice: the first is taken.")
            return
        if len(name) > _NAME_CHARS:
            self._refused[line(name, 60)] = f"Its name is longer than {_NAME_CHARS} characters."
            return
        try:
            made = _definition(name, cast("dict[str, Any]", raw))
        except UnfitSchema as error:
            self._refused[name] = f"It cannot be offered: {error}."
            return
        except (ValueError, TypeError, OverflowError, RecursionError) as error:
            self._refused[name] = f"It cannot be read: {type(error).__name__}."
            return
        self._bytes += len(msgspec.json.encode(made))
        self._tools[name] = made


def _definition(name: str, raw: dict[str, Any]) -> ToolDefinition:
    text, schema, hints = raw.get("description"), raw.get("inputSchema"), raw.get("annotations")
    if not isinstance(schema, dict):
        raise UnfitSchema("it comes without a schema of its arguments")
    said = cast("dict[str, Any]", hints) if isinstance(hints, dict) else {}
    told = msgspec.json.encode([name, text, schema, said], order="deterministic")
    return ToolDefinition(
        name=name,
        description=plain(text, _DESCRIPTION_CHARS) if isinstance(text, str) else "",
        parameters=simplified(cast("dict[str, Json]", schema)),
        digest=hashlib.sha256(told).hexdigest(),
        read_only=said.get("readOnlyHint") is True,
        idempotent=said.get("idempotentHint") is True,
    )


ServerState = Literal["unusable", "disabled", "untrusted", "idle", "starting", "running", "failed"]
"""`untrusted`: its folder is not trusted as it is. `idle`: not started, because its tools are known from before; it
starts with the first call."""

ToolState = Literal["offered", "new", "withheld", "left_out", "refused"]
"""`new`: offered, but it came after the first listing and asks before each call until a person accepts it. `withheld`:
waits for approval, as it changed since it was accepted. `left_out`: by the user's own options. `refused`: cannot be
used, or is new beyond what is remembered."""


class ToolForm(msgspec.Struct, frozen=True, kw_only=True):
    """A tool as its server describes it: in words, what it takes, and what it says of itself."""

    description: str
    parameters: dict[str, Json]
    read_only: bool
    idempotent: bool


class ToolStatus(msgspec.Struct, frozen=True, kw_only=True):
    """A tool of a server. `name` is what it is offered by, `digest` what an approval of it is bound to.

    Of one that is withheld, `accepted` is its form when it was accepted; of that and of a new one, `now` is the form
    that waits for approval.
    """

    tool: str
    state: ToolState
    name: str = ""
    reason: str = ""
    description: str = ""
    accepted_description: str = ""
    effect: Effect = "external"
    confirm: bool = True
    digest: str = ""
    accepted: ToolForm | None = None
    now: ToolForm | None = None


class ServerStatus(msgspec.Struct, frozen=True, kw_only=True):
    """A server of some `.mcp.json`. `launch` is what would be run or asked."""

    name: str
    file: str
    state: ServerState
    own: bool = False
    reason: str = ""
    launch: dict[str, Json] = {}
    notes: tuple[str, ...] = ()
    tools: tuple[ToolStatus, ...] = ()
