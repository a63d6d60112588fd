"""What you allowed for the rest of a session, and taking it back."""

from typing import Annotated

from fastapi import APIRouter, Path, Request
from starlette.responses import Response

from glassloop.server.answers import json_answer, shows
from glassloop.server.caller import User
from glassloop.server.errors import failures
from glassloop.server.given import OwnSession, runtime_of
from glassloop.server.routes.turns import Done
from glassloop.store.tables.grants import Grant

router = APIRouter(prefix="/api/sessions/{session_id}/grants", tags=["sessions"])

ToolName = Annotated[str, Path(max_length=200)]


@router.get("", responses={**shows(list[Grant], "By the name of the tool."), **failures(404)}, response_class=Response)
async def grants(request: Request, session: OwnSession) -> Response:
    """The tools that need not ask in this session, and until when (seconds since the epoch)."""
    return json_answer(await runtime_of(request).store.grants.of_session(session.id))


@router.delete(
    "/{tool}",
    responses={**shows(Done, "It asks again from now on; false where it did already."), **failures(404)},
    response_class=Response,
)
async def revoke(request: Request, session: OwnSession, tool: ToolName, caller: User) -> Response:
    """Have a tool ask again, also in a turn that runs."""
    store = runtime_of(request).store
    done = await store.grants.revoke(session.id, tool)
    if done:
        await store.audit.record("revoked", tool, by=caller.user, session_id=session.id)
    return json_answer(Done(done=done))
