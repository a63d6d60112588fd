"""A user's own sessions: list, look, rate, export, delete."""

import re
from collections.abc import Mapping, Sequence
from typing import Annotated, Literal
from urllib.parse import quote

import msgspec
from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from glassloop.core.errors import UnknownName
from glassloop.memory.longterm import LONGEST_QUERY
from glassloop.runtime.forgetting import forget_notes, forget_todos
from glassloop.runtime.runtime import Runtime
from glassloop.server.answers import json_answer, shows
from glassloop.server.bodies import Ident, NewRating, NewSession, Rename
from glassloop.server.caller import Caller, User
from glassloop.server.errors import failures
from glassloop.server.given import OwnSession, runtime_of, settings_of
from glassloop.server.routes.turns import Done
from glassloop.store.engine.paging import MAX_LISTED
from glassloop.store.records import Rating, Session, SessionMessage, TurnRow

router = APIRouter(prefix="/api", tags=["sessions"])

FILE_NAME_CHARS = 60
_WORD = re.compile(r"\w+")

WHOLE_TURN = "turn"
"""What a rating of a turn as a whole is for, where others are for one of its steps."""

Status = Literal["active", "completed", "awaiting_approval"]
Limit = Annotated[int, Query(ge=0, le=1000)]
Words = Annotated[str, Query(max_length=LONGEST_QUERY)]
Offset = Annotated[int, Query(ge=0, le=1_000_000_000)]


class TurnLine(msgspec.Struct, frozen=True, kw_only=True):
    """A turn in a list."""

    id: str
    assistant: str
    status: str
    question: str
    answer: str | None
    error: str | None
    started_at: float
    finished_at: float | None
    input_tokens: int | None
    output_tokens: int | None
    cost: float | None


class SessionView(msgspec.Struct, frozen=True, kw_only=True):
    """A session with everything said in it, each answer with its trace; `ratings` are those of whole turns, by id."""

    session: Session
    messages: Sequence[SessionMessage]
    turns: Sequence[TurnLine]
    ratings: Mapping[str, Rating]


def turn_line(row: TurnRow) -> TurnLine:
    return TurnLine(**{name: getattr(row, name) for name in TurnLine.__struct_fields__})


@router.get(
    "/sessions",
    responses={**shows(list[Session], "Newest first; with `q` best first."), **failures(400)},
    response_class=Response,
)
async def list_sessions(
    request: Request,
    caller: User,
    limit: Limit = 50,
    offset: Offset = 0,
    status: Status | None = None,
    q: Words | None = None,
) -> Response:
    """Your sessions. With `q`, those that have its words or are about it, whatever their status, best first."""
    runtime = runtime_of(request)
    if q is not None and q.strip():
        found = await runtime.finding.sessions(q, user=caller.user, limit=limit)
        return json_answer([session for session, _ in found])
    return json_answer(await runtime.store.sessions.list(limit, offset, caller.user, status))


@router.post(
    "/sessions",
    status_code=201,
    responses={**shows(Session, "Made.", 201), **failures(400)},
    response_class=Response,
)
async def create(request: Request, body: NewSession, caller: User) -> Response:
    """Make an empty session; asking without one makes one too."""
    channel = "web" if request.scope.get("by_cookie") else "api"
    return json_answer(await runtime_of(request).store.sessions.create(caller.user, channel, body.metadata), 201)


@router.get(
    "/sessions/{session_id}",
    responses={**shows(SessionView, "The session, whole."), **failures(404)},
    response_class=Response,
)
async def show(request: Request, session: OwnSession) -> Response:
    """A session with its messages and turns."""
    store = runtime_of(request).store
    rated = await store.ratings.of_session(session.id)
    return json_answer(
        SessionView(
            session=session,
            messages=await store.sessions.messages(session.id),
            turns=[turn_line(row) for row in await store.turns.of_session(session.id)],
            ratings={each.turn_id: each.rating for each in rated if each.target == WHOLE_TURN},
        )
    )


@router.patch(
    "/sessions/{session_id}",
    responses={**shows(Session, "Renamed; as it is now."), **failures(400, 404)},
    response_class=Response,
)
async def rename(request: Request, session: OwnSession, body: Rename) -> Response:
    """Give a session another title."""
    runtime = runtime_of(request)
    await runtime.store.sessions.rename(session.id, body.title.strip())
    return json_answer(await runtime.session(session.id))


@router.post(
    "/sessions/{session_id}/rating",
    responses={**shows(Done, "Stored."), **failures(400, 404)},
    response_class=Response,
)
async def rate(request: Request, session: OwnSession, body: NewRating, caller: User) -> Response:
    """Say whether a session was good or bad, and why."""
    await rate_session(runtime_of(request), session, body, caller)
    return json_answer(Done(done=True))


async def rate_session(runtime: Runtime, session: Session, body: NewRating, caller: Caller) -> None:
    await runtime.store.sessions.add_rating(session.id, body.rating, body.note)
    await runtime.store.audit.record("rated", session.id, by=caller.user, session_id=session.id, detail=body.rating)


@router.post(
    "/turns/{turn_id}/rating",
    responses={**shows(Done, "Stored."), **failures(400, 404)},
    response_class=Response,
)
async def rate_turn(request: Request, turn_id: Ident, body: NewRating, caller: User) -> Response:
    """Say whether an answer was good or bad, and why. Its session is then rated so, too: the last word counts."""
    runtime = runtime_of(request)
    row = await runtime.turn(turn_id, caller.scope)
    await runtime.store.ratings.rate_step(turn_id, WHOLE_TURN, body.rating, body.note, caller.user)
    await runtime.store.sessions.add_rating(row.session_id, body.rating, body.note)
    await runtime.store.audit.record("rated", turn_id, by=caller.user, session_id=row.session_id, detail=body.rating)
    return json_answer(Done(done=True))


@router.get(
    "/sessions/{session_id}/export",
    responses={
        200: {
            "description": "JSON lines, as `glassloop sessions import` takes them.",
            "content": {"application/x-ndjson": {"schema": {"type": "string"}}},
        },
        **failures(404),
    },
    response_class=Response,
)
async def export(request: Request, session: OwnSession) -> Response:
    """Take a session with you."""
    lines = await runtime_of(request).store.exports.dump(session.id)
    called = quote("-".join(_WORD.findall(session.title))[:FILE_NAME_CHARS] or session.id, safe="")
    named = f"attachment; filename=\"{session.id}.jsonl\"; filename*=UTF-8''{called}.jsonl"
    return Response(
        b"\n".join([*lines, b""]), headers={"content-disposition": named}, media_type="application/x-ndjson"
    )


@router.delete(
    "/sessions/{session_id}",
    responses={**shows(Done, "Gone."), **failures(404, 409)},
    response_class=Response,
)
async def delete(request: Request, session: OwnSession, caller: User) -> Response:
    """Delete a session with everything in it; what still runs in it is stopped first."""
    runtime = runtime_of(request)
    await runtime.stop_session(session.id)
    await forget_todos(settings_of(request).home_path, [session.id])
    done = await runtime.store.sessions.delete(session.id)
    if runtime.past is not None:
        await runtime.past.forget([session.id])
    await runtime.store.audit.record("session_deleted", session.id, by=caller.user)
    return json_answer(Done(done=done))


@router.delete(
    "/me",
    responses={**shows(Done, "Everything of yours is gone."), **failures()},
    response_class=Response,
)
async def forget_me(request: Request, caller: User) -> Response:
    """Delete everything of yours: sessions, turns, events, jobs, uploads, documents, and then your keys and whatever
    browsers you signed in. What still runs is stopped first."""
    runtime = runtime_of(request)
    gone = await _delete_all(request, caller.user)
    try:
        await runtime.store.users.remove(caller.user)
        # What was begun with a key in the meantime; nothing comes after it.
        await _delete_all(request, caller.user)
    except UnknownName:
        # Who has no key is known by something else: this machine, a proxy, the admin token.
        pass
    # Whose it was is nobody's business any more.
    await runtime.store.audit.record("user_deleted", "a user", by="a user")
    return json_answer(Done(done=gone))


async def _delete_all(request: Request, user: str) -> bool:
    """Whether there was anything."""
    runtime = runtime_of(request)
    await _stop_all(runtime, user)
    gone = await forget_notes(settings_of(request).home_path, runtime.store, user)
    gone += await runtime.store.maintenance.delete_user(user)
    if runtime.past is not None:
        await runtime.past.forget_user(user)
    gone += await runtime.knowledge.base().forget(user)
    return await request.app.state.uploads.forget(user) or gone > 0


async def _stop_all(runtime: Runtime, user: str) -> None:
    for status in ("running", "paused"):
        for row in await runtime.store.turns.list(MAX_LISTED, user, status):
            await runtime.cancel(row.id)
    for state in ("queued", "running"):
        for job in await runtime.store.jobs.list(MAX_LISTED, user, state):
            await runtime.jobs.cancel(job.id)
