"""Links to conversations: made and ended by their owner, read by anybody who has one.

A link's token is sent in a body and stands in the page's address after `#`: no log and no proxy sees it.
"""

from collections.abc import Sequence
from typing import Annotated

import msgspec
from fastapi import APIRouter, Request
from pydantic import Field
from starlette.responses import Response

from glassloop.core.errors import UnknownName
from glassloop.server.auth.identity import Caller, User
from glassloop.server.auth.limits import RateLimit, TooManyRequests
from glassloop.server.auth.request_info import counted_as
from glassloop.server.dependencies import Body, OwnSession, runtime_of, settings_of
from glassloop.server.http.errors import SwitchedOff
from glassloop.server.http.responses import JsonStream
from glassloop.server.http.routing import route
from glassloop.server.routes.turns import ActionResult
from glassloop.store.tables.shares import SharedTurn

router = APIRouter(prefix="/api", tags=["sharing"])

OPENED_A_MINUTE = 60
"""Links that one address may open without being signed in."""
DAY_S = 86_400.0
NO_INDEX = {"x-robots-tag": "noindex, nofollow"}


class ShareState(msgspec.Struct, frozen=True, kw_only=True):
    """Whether a conversation is shared: since when, up to which turn, and until when; null is until it is withdrawn."""

    shared_at: float | None = None
    turn_id: str | None = None
    expires_at: float | None = None


class NewShare(msgspec.Struct, frozen=True, kw_only=True):
    """A link that was made now. `token` is told here and never again: the page is at `/#/shared/TOKEN`."""

    token: str
    shared_at: float
    turn_id: str
    expires_at: float | None


class ShareOptions(Body):
    """How long a link works."""

    days: Annotated[int, Field(ge=1, le=365, description="Default: until it is withdrawn.")] | None = None


class ShareToken(Body):
    """The token of a link."""

    token: Annotated[str, Field(min_length=1, max_length=100)]


class SharedConversation(msgspec.Struct, frozen=True, kw_only=True):
    """A conversation as whoever has its link sees it: questions and answers, without steps, files or memory."""

    title: str
    assistant: str
    shared_at: float
    turns: Sequence[SharedTurn]


@route(router.get, "/sessions/{session_id}/share", "How it stands.", 404)
async def state(request: Request, session: OwnSession) -> ShareState:
    """Whether a conversation of yours is shared by a link."""
    found = await runtime_of(request).store.shares.of_session(session.id)
    works = found is not None and settings_of(request).sharing
    if found is None or not works:
        return ShareState()
    return ShareState(shared_at=found.at, turn_id=found.turn_id, expires_at=found.expires_at)


@route(router.post, "/sessions/{session_id}/share", "Made; the token is told this once.", 400, 404, 503, status=201)
async def share(request: Request, session: OwnSession, caller: User, body: ShareOptions | None = None) -> NewShare:
    """Make a link by which anybody can read a conversation as it is now. What is said later is not shown; an earlier
    link of the same conversation ends."""
    if not settings_of(request).sharing:
        raise SwitchedOff("Sharing is switched off here: the operator sets GLASSLOOP_SHARING=true to allow it.")
    store = runtime_of(request).store
    lasts_s = None if body is None or body.days is None else body.days * DAY_S
    token, made = await store.shares.create(session.id, session.user_id, lasts_s)
    await store.audit.record("shared", session.id, by=caller.user, session_id=session.id)
    return NewShare(token=token, shared_at=made.at, turn_id=made.turn_id, expires_at=made.expires_at)


@route(router.delete, "/sessions/{session_id}/share", "The link leads nowhere now; false where there was none.", 404)
async def unshare(request: Request, session: OwnSession, caller: User) -> ActionResult:
    """End the link of a conversation."""
    store = runtime_of(request).store
    done = await store.shares.revoke(session.id)
    if done:
        await store.audit.record("unshared", session.id, by=caller.user, session_id=session.id)
    return ActionResult(done=done)


@route(router.post, "/shared", "The conversation.", 404)
async def shared(request: Request, body: ShareToken) -> SharedConversation | Response:
    """Read a conversation by its link; nobody needs to be signed in."""
    if not isinstance(request.scope.get("caller"), Caller):
        _check_rate(request)
    shares = runtime_of(request).store.shares
    found = await shares.find(body.token) if settings_of(request).sharing else None
    if found is None:
        raise UnknownName("This link leads nowhere: it was withdrawn, has expired, or the conversation was deleted.")
    told = JsonStream(
        {
            "title": found.title,
            "assistant": found.assistant,
            "shared_at": found.at,
            "turns": shares.turn_pages(found),
        }
    )
    told.headers.update(NO_INDEX)
    return told


def _check_rate(request: Request) -> None:
    limit: RateLimit = request.app.state.link_readers
    if wait := limit.take(counted_as(request.scope["request_info"].address)):
        raise TooManyRequests(f"Too many links were opened from here: try again in {wait:.0f} s.", retry_after=wait)
