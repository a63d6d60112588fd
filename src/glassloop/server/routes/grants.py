"""Grants: tools that need not ask for the rest of a session, and taking that back."""

from collections.abc import Sequence
from typing import Annotated

from fastapi import APIRouter, Path, Request

from glassloop.server.auth.identity import User
from glassloop.server.dependencies import OwnSession, runtime_of
from glassloop.server.http.routing import route
from glassloop.server.routes.turns import ActionResult
from glassloop.store.tables.grants import Grant

router = APIRouter(prefix="/api/sessions/{session_id}/grants", tags=["sessions"])

ToolName = Annotated[str, Path(max_length=200)]


@route(router.get, "", "By the name of the tool.", 404)
async def grants(request: Request, session: OwnSession) -> Sequence[Grant]:
    """The tools that need not ask in this session, and until when (seconds since the epoch)."""
    return await runtime_of(request).store.grants.of_session(session.id)


@route(router.delete, "/{tool}", "It asks again from now on; false where it did already.", 404)
async def revoke(request: Request, session: OwnSession, tool: ToolName, caller: User) -> ActionResult:
    """Have a tool ask again, also in a turn that runs."""
    store = runtime_of(request).store
    done = await store.grants.revoke(session.id, tool)
    if done:
        await store.audit.record("revoked", tool, by=caller.user, session_id=session.id)
    return ActionResult(done=done)
