"""`/admin`: everybody's sessions, for those who review them. Header `admin-token`."""

from collections.abc import Sequence
from typing import Annotated, Literal

import msgspec
from fastapi import APIRouter, Query, Request

from glassloop.core.records import Json
from glassloop.server.dependencies import OwnSession, Reviewer, runtime_of
from glassloop.server.http.responses import view_of
from glassloop.server.http.routing import route
from glassloop.server.request_models import NewRating
from glassloop.server.routes.sessions import Limit, Offset, rate_session
from glassloop.store.records import SessionMessage
from glassloop.store.tables.search import ReviewedSession, ReviewStatus, SessionFilters

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


@route(router.get, "/sessions", "Newest first.", 400)
async def sessions(
    request: Request,
    _caller: Reviewer,
    limit: Limit = 50,
    offset: Offset = 0,
    user_id: Text = None,
    status: ReviewStatus | None = None,
    assistant: Text = None,
    rating: Literal["good", "bad", "none"] | None = None,
    q: Text = None,
    since: Moment = None,
    until: Moment = None,
) -> Sequence[ReviewedSession]:
    """Everybody's sessions, those that all filters let through: `q` by words, `since` and `until` in seconds since the
    epoch, `status` of the session, or `running`, `failed`, `cancelled` of one of its turns."""
    wanted = SessionFilters(
        user_id=user_id or None,
        assistant=assistant or None,
        status=status,
        rating=rating,
        words=tuple((q or "").split()),
        since=since,
        until=until,
    )
    return await runtime_of(request).store.search.review(wanted, limit, offset)


@route(router.get, "/sessions/{session_id}", "The session, whole.", 404)
async def session(request: Request, _caller: Reviewer, session: OwnSession) -> AdminSession:
    """One session with every trace."""
    return view_of(AdminSession, session, messages=await runtime_of(request).store.sessions.messages(session.id))


@route(router.post, "/sessions/{session_id}/rating", "Stored.", 400, 404)
async def rate(request: Request, caller: Reviewer, session: OwnSession, body: NewRating) -> Rated:
    """Rate a session `good` or `bad`, with a note."""
    await rate_session(runtime_of(request), session, body, caller)
    return Rated(session_id=session.id, rating=body.rating)
