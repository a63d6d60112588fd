"""MCP servers: how they stand, and an operator's approval of what their tools are or have become."""

import logging
from collections.abc import Sequence
from typing import Annotated

import msgspec
from fastapi import APIRouter, Path, Request
from pydantic import Field

from glassloop.core.errors import UnknownName
from glassloop.extensions.mcp.client.definition import ServerState, ServerStatus, ToolStatus
from glassloop.extensions.mcp.toolset import ToolServers
from glassloop.server.auth.identity import Admin, Caller, User
from glassloop.server.dependencies import Body, Name, runtime_of
from glassloop.server.http.routing import route

_log = logging.getLogger(__name__)

router = APIRouter(prefix="/api/servers", tags=["servers"])

ServerName = Annotated[str, Path(min_length=1, max_length=200)]

_LISTED = "Those for everybody, then those of single assistants. What only operators see is empty for others."
_REASONS: dict[ServerState, str] = {
    "untrusted": "An operator has to trust its folder first.",
    "failed": "It does not run; an operator can see why.",
    "unusable": "It cannot be used; an operator can see why.",
}


class ServerApproval(Body):
    """Approves a tool that has changed or is new, as a listing showed it."""

    tool: Name = Field(description="A tool that is withheld or new, by its server's name for it.")
    digest: Annotated[str, Field(min_length=64, max_length=64, pattern="^[0-9a-f]{64}$")] = Field(
        description="The digest of the tool that was shown."
    )


def servers_of(request: Request) -> ToolServers:
    """The servers of the runtime behind this request."""
    found = runtime_of(request).toolsets.of(ToolServers)
    if found is None:
        raise UnknownName("MCP servers are not in use here.")
    return found


@route(router.get, "", _LISTED)
async def servers(request: Request, caller: User) -> Sequence[ServerStatus]:
    """The MCP servers there are, and their tools."""
    return _seen_by(caller, await servers_of(request).listing())


@route(router.post, "/refresh", _LISTED)
async def refresh(request: Request, caller: Admin) -> Sequence[ServerStatus]:
    """Start every server that may run, and have it list its tools anew."""
    return _seen_by(caller, await servers_of(request).listing(refresh=True))


@route(router.post, "/{name:path}/approve", "Approved; how it stands now.", 400, 404, 409)
async def approve(request: Request, name: ServerName, body: ServerApproval, caller: Admin) -> ServerStatus:
    """Take a tool that changed or is new as it is now. Counts for exactly what was shown."""
    found = await servers_of(request).accept(name, body.tool, digest=body.digest)
    _log.warning("%s approved of the MCP server %r the tool %r, digest %s", caller.user, name, body.tool, body.digest)
    return found


def _seen_by(caller: Caller, found: Sequence[ServerStatus]) -> list[ServerStatus]:
    """Commands, addresses, headers and what programs wrote when they failed are for operators."""
    if caller.admin:
        return list(found)
    return [_outside(status) for status in found if status.name]


def _outside(status: ServerStatus) -> ServerStatus:
    return ServerStatus(
        name=status.name,
        file="",
        state=status.state,
        own=status.own,
        reason=_REASONS.get(status.state, ""),
        tools=tuple(_outside_tool(tool) for tool in status.tools),
    )


def _outside_tool(tool: ToolStatus) -> ToolStatus:
    """Of a tool that waits for approval only that it does: nobody but an operator should read what it claims."""
    hidden = {"digest": "", "accepted_description": "", "accepted": None, "now": None}
    if tool.state == "withheld":
        hidden["description"] = ""
    return msgspec.structs.replace(tool, **hidden)
