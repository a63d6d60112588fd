"""Status of servers and their tools for listings: plain values, fit to be shown as they are."""

from typing import Literal

import msgspec

from glassloop.core.messages import Effect
from glassloop.core.records import Json

ServerState = Literal["unusable", "disabled", "unapproved", "idle", "starting", "running", "failed"]
"""`idle`: not started, because its tools are known from before; it starts with the first call."""

ToolState = Literal["offered", "withheld", "left_out", "refused"]
"""`withheld`: waits for approval, as it changed since it was accepted, or is new and options name it. `left_out`: by
the user's own options. `refused`: cannot be used, or is new beyond what is remembered."""


class ToolForm(msgspec.Struct, frozen=True, kw_only=True):
    """A tool as its server describes it: in words, what it takes, and what it says of itself."""

    description: str
    parameters: dict[str, Json]
    read_only: bool
    idempotent: bool


class ToolStatus(msgspec.Struct, frozen=True, kw_only=True):
    """A tool of a server. `name` is what it is offered by, `digest` what an approval of it is bound to.

    Of one that is withheld, `accepted` is its form when it was accepted, if it was, and `now` the one that waits for
    approval.
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
    """A server of some `.mcp.json`. `launch` is what would be run or asked, `digest` what an approval is bound to."""

    name: str
    file: str
    state: ServerState
    own: bool = False
    reason: str = ""
    launch: dict[str, Json] = {}
    digest: str = ""
    notes: tuple[str, ...] = ()
    tools: tuple[ToolStatus, ...] = ()
