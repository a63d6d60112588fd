"""`/admin`: everybody's sessions, for those who review them. Header `admin-token`."""

from collections.abc import Sequence
from typing import Annotated, Literal

import msgspec
from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from glassloop.core.records import Json
from glassloop.server.answers import json_answer, shows
from glassloop.server.bodies import Ident, NewRating
from glassloop.server.caller import Admin
from glassloop.server.errors import SwitchedOff, failures
from glassloop.server.routes.sessions import Limit, Offset
from glassloop.server.routes.turns import runtime_of
from glassloop.store.records import SessionMessage
from glassloop.store.reviewing import Filters, ReviewStatus, SessionLine

router = APIRouter(prefix="/admin", tags=["admin"])

Text = Annotated[str | None, Query(max_length=200)]
Moment = Annotated[float | None, Query(ge=0, le=1e11)]


class AdminSession(msgspec.Struct, frozen=True, kw_only=True):
    """A session with every message and trace."""

    id: str
    user_id: str
    channel: str
    started_at: str
    ended_at: str | None
    message_count: int
    status: str
    rating: str | None
    rating_note: str | None
    metadata: dict[str, Json]
    title: str
    assistant: str
    messages: Sequence[SessionMessage]


class Rated(msgspec.Struct, frozen=True, kw_only=True):
    """A rating was stored."""

    status: str = "ok"
    session_id: str
    rating: str


@router.get(
    "/sessions",
    responses={**shows(list[SessionLine], "Newest first."), **failures(400)},
    response_class=Response,
)
async def sessions(
    request: Request,
    _caller: Admin,
    limit: Limit = 50,
    offset: Offset = 0,
    user_id: Text = None,
    status: ReviewStatus | None = None,
    assistant: Text = None,
    rating: Literal["good", "bad", "none"] | None = None,
    q: Text = None,
    since: Moment = None,
    until: Moment = None,
) -> Response:
    """Everybody's sessions, those that all filters let through: `q` by words, `since` and `until` in seconds since the
    epoch, `status` of the session, or `running`, `failed`, `cancelled` of one of its turns."""
    must_be_kept(request)
    wanted = Filters(
        user_id=user_id or None,
        assistant=assistant or None,
        status=status,
        rating=rating,
        words=tuple((q or "").split()),
        since=since,
        until=until,
    )
    return json_answer(await runtime_of(request).store.review_sessions(wanted, limit, offset))


@router.get(
    "/sessions/{session_id}",
    responses={**shows(AdminSession, "The session, whole."), **failures(404)},
    response_class=Response,
)
async def session(request: Request, session_id: Ident, _caller: Admin) -> Response:
    """One session with every trace."""
    must_be_kept(request)
    runtime = runtime_of(request)
    found = await runtime.session(session_id)
    names = [name for name in AdminSession.__struct_fields__ if name != "messages"]
    fields = {name: getattr(found, name) for name in names}
    return json_answer(AdminSession(**fields, messages=await runtime.store.messages(session_id)))


@router.post(
    "/sessions/{session_id}/rating",
    responses={**shows(Rated, "Stored."), **failures(400, 404)},
    response_class=Response,
)
async def rate(request: Request, session_id: Ident, body: NewRating, caller: Admin) -> Response:
    """Rate a session `good` or `bad`, with a note."""
    must_be_kept(request)
    runtime = runtime_of(request)
    await runtime.session(session_id)
    await runtime.store.add_rating(session_id, body.rating, body.note)
    await runtime.store.note("rated", session_id, by=caller.user, session_id=session_id, detail=body.rating)
    return json_answer(Rated(session_id=session_id, rating=body.rating))


def must_be_kept(request: Request) -> None:
    if not request.app.state.settings.session_store_enabled:
        raise SwitchedOff("Sessions are kept in memory only: set SESSION_STORE_ENABLED=true to review them.")
