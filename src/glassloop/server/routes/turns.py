"""Turns: ask, look, stream, cancel, decide, answer, steer, fork, replay."""

from collections.abc import Sequence
from typing import Annotated

import msgspec
from fastapi import APIRouter, Header, Path, Query, Request
from starlette.responses import Response

from glassloop.core import events as e
from glassloop.core.errors import UnknownName
from glassloop.core.loop.inbox import MAX_MESSAGES
from glassloop.core.records import ReactResponse
from glassloop.projections.bounded_response import BoundedResponseFold
from glassloop.projections.pending_approvals import PendingFold
from glassloop.runtime.assistants.access_checks import require_own_session
from glassloop.runtime.assistants.result import Approval
from glassloop.runtime.durable.runtime import SubmittedTurn
from glassloop.runtime.durable.submission import TurnPlace
from glassloop.runtime.replay.replay import ReplayReport
from glassloop.server.attachments import attachment_response, question_with
from glassloop.server.auth.identity import Caller, User
from glassloop.server.dependencies import (
    ApprovalDecisions,
    Fork,
    Ident,
    NewTurn,
    QuestionAnswer,
    TurnMessage,
    runtime_of,
    wanted_of,
)
from glassloop.server.http.responses import EVENTS, JsonStream, view_of
from glassloop.server.http.root_path import mounted_at
from glassloop.server.http.routing import route
from glassloop.server.http.sse import EventStream, native_frames, read_last_id
from glassloop.store.tables.turn_messages import WaitingMessage

router = APIRouter(prefix="/api", tags=["turns"])


class TurnView(msgspec.Struct, frozen=True, kw_only=True):
    """A turn: how it stands, what it answered, and what it waits for."""

    id: str
    session_id: str
    assistant: str
    status: str
    question: str
    started_at: float
    finished_at: float | None
    response: ReactResponse
    left_out: int
    """Results and messages that are not in `response`, as the turn is too long; its events have them."""
    approvals: list[e.ApprovalRequested]
    questions: list[e.QuestionAsked]


class AcceptedTurn(msgspec.Struct, frozen=True, kw_only=True):
    """A question was taken; `events` is where its stream is."""

    turn_id: str
    session_id: str
    events: str


class MessageTaken(msgspec.Struct, frozen=True, kw_only=True):
    """A message is kept for its turn; `number` counts those of the turn."""

    number: int


class ActionResult(msgspec.Struct, frozen=True, kw_only=True):
    """Whether it had an effect: false when there was nothing left to do."""

    done: bool


def accepted_turn(request: Request, submitted: SubmittedTurn) -> AcceptedTurn:
    return AcceptedTurn(
        turn_id=submitted.turn_id,
        session_id=submitted.session_id,
        events=f"{mounted_at(request.scope)}/api/turns/{submitted.turn_id}/events",
    )


@route(router.post, "/turns", "The question was taken.", 400, 404, 409, 429, 503, status=202, takes_files=True)
async def ask(request: Request, body: NewTurn, caller: User) -> AcceptedTurn:
    """Ask a question, or for another version of a turn. The turn runs whether anybody watches or not."""
    runtime, channel = runtime_of(request), "web" if request.scope.get("by_cookie") else "api"
    if body.continues is not None:
        return accepted_turn(
            request, await runtime.versions.continue_answer(body.continues, model=body.model, user=caller.user)
        )
    if body.replaces is not None:
        return accepted_turn(request, await _replace(request, body, body.replaces, caller, channel))
    await require_own_session(runtime.store, body.session_id, caller.user)
    submitted = await runtime.submit(
        await question_with(request, body.question or "", body.attachments or (), caller.user),
        session_id=body.session_id,
        user=caller.user,
        wanted=await wanted_of(request, body.assistant, body.model, body.effort),
        channel=channel,
        supersedes=bool(body.supersedes),
        background=bool(body.background),
        options=body.options,
        place=TurnPlace(previous_turn_id=body.previous_turn_id),
    )
    return accepted_turn(request, submitted)


async def _replace(request: Request, body: NewTurn, turn_id: str, caller: Caller, channel: str) -> SubmittedTurn:
    """Another version of a turn. What was given with its question goes with it, unless other `attachments` are."""
    runtime, question = runtime_of(request), None
    if body.question is not None and body.attachments is None:
        question = await runtime.versions.question_of(turn_id, caller.user, body.question)
    elif body.question is not None or body.attachments is not None:
        asked = body.question or (await runtime.turn(turn_id, caller.user)).question
        question = await question_with(request, asked, body.attachments or (), caller.user)
    return await runtime.versions.regenerate(
        turn_id,
        question,
        model=body.model,
        effort=body.effort,
        user=caller.user,
        channel=channel,
        supersedes=bool(body.supersedes),
        background=bool(body.background),
        options=body.options,
    )


@route(router.get, "/turns/{turn_id}", "The current state of the turn.", 404)
async def show(request: Request, turn_id: Ident, caller: User) -> TurnView:
    """A turn as it stands. Of a very long one, later results are left out."""
    runtime = runtime_of(request)
    row = await runtime.turn(turn_id, caller.scope)
    folded, waits = BoundedResponseFold(), PendingFold()
    async for page in runtime.store.turns.pages(turn_id, skip_unknown=True):
        for event in page:
            folded.advance(event)
            waits.advance(event)
    return view_of(
        TurnView,
        row,
        response=folded.response(),
        left_out=folded.left_out,
        approvals=list(waits.approvals),
        questions=list(waits.questions),
    )


@route(
    router.get,
    "/turns/{turn_id}/events",
    "Server-sent events: `id` is `turn_id:seq` on durable events, `event` the kind, `data` the event as JSON. With "
    "`format=json` the durable events so far, as a list.",
    400,
    404,
    content={**EVENTS, "application/json": {"schema": {}}},
    also={204: (None, "Nothing comes after the event that is known: browsers do not connect again.")},
)
async def stream(
    request: Request,
    turn_id: Ident,
    caller: User,
    after: Annotated[int, Query(ge=0, le=999_999_999)] = 0,
    as_format: Annotated[str, Query(alias="format", pattern="^(sse|json)$")] = "sse",
    through_pauses: bool = False,
    last_event_id: Annotated[str | None, Header(max_length=300)] = None,
) -> Response:
    """The turn's events: those stored, then live to its end, or to where it waits for people; with `through_pauses` to
    its end. `Last-Event-ID`, or `after`, goes on from there."""
    runtime = runtime_of(request)
    row = await runtime.turn(turn_id, caller.scope)
    known = max(after, read_last_id(last_event_id, turn_id))
    if as_format == "json":
        return JsonStream(runtime.store.turns.pages(turn_id, known, skip_unknown=True))
    rests = row.status != "running" and not (through_pauses and row.status == "paused")
    if known and rests and await runtime.store.turns.last_seq(turn_id) <= known:
        return Response(status_code=204)
    return EventStream(native_frames(runtime, turn_id, known, through_pauses=through_pauses))


@route(
    router.get,
    "/turns/{turn_id}/attachments/{sha256}",
    "The bytes. Images may be shown, everything else is to be saved.",
    404,
    content={"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}},
)
async def attachment(
    request: Request, turn_id: Ident, sha256: Annotated[str, Path(pattern="^[0-9a-f]{64}$")], caller: User
) -> Response:
    """An image or a file that was given with a question."""
    runtime = runtime_of(request)
    row = await runtime.turn(turn_id, caller.scope)
    started = await runtime.store.turns.first(turn_id)
    found = next((each for each in started.attachments if each.sha256 == sha256), None) if started else None
    data = await runtime.store.blobs.read(row.session_id, sha256) if found is not None else None
    if found is None or data is None:
        raise UnknownName(f"Turn {turn_id!r} has no attachment {sha256[:12]!r}: `turn_started` lists its attachments.")
    return attachment_response(found, data)


@route(router.post, "/turns/{turn_id}/cancel", "Cancelled, or already over.", 404)
async def cancel(request: Request, turn_id: Ident, caller: User) -> ActionResult:
    """Stop a turn, wherever it runs."""
    return ActionResult(done=await runtime_of(request).cancel(turn_id, caller.scope))


@route(
    router.post,
    "/turns/{turn_id}/approvals",
    "Stored; `done` is true if the turn continues, false if it is still waiting.",
    400,
    404,
    409,
)
async def decide(request: Request, turn_id: Ident, body: ApprovalDecisions, caller: User) -> ActionResult:
    """Approve or refuse what a turn waits for. A decision counts only for exactly what was shown."""
    approvals = [Approval(by=caller.user, **one.model_dump()) for one in body.decisions]
    return ActionResult(done=await runtime_of(request).approve(turn_id, approvals, caller.scope))


@route(
    router.post,
    "/turns/{turn_id}/answers",
    "Stored; `done` is true if the turn continues, false if it is still waiting.",
    400,
    404,
    409,
)
async def answer(request: Request, turn_id: Ident, body: QuestionAnswer, caller: User) -> ActionResult:
    """Answer a question of the assistant's that a turn waits for."""
    runtime = runtime_of(request)
    done = await runtime.answer(turn_id, body.call_id, body.text, user=caller.scope, by=caller.user)
    return ActionResult(done=done)


@route(
    router.post, "/turns/{turn_id}/messages", "Queued; the model reads it before its next step.", 400, 404, status=202
)
async def steer(request: Request, turn_id: Ident, body: TurnMessage, caller: User) -> MessageTaken:
    """Send a turn that runs or waits a further message, taken in before its next step."""
    number = await runtime_of(request).steer(turn_id, body.text, user=caller.scope, by=caller.user)
    return MessageTaken(number=number)


@route(router.get, "/turns/{turn_id}/messages", "In the order they were sent.", 404)
async def waiting_messages(request: Request, turn_id: Ident, caller: User) -> Sequence[WaitingMessage]:
    """The further messages that a turn has not taken in yet."""
    runtime = runtime_of(request)
    await runtime.turn(turn_id, caller.scope)
    return await runtime.store.turn_messages.waiting(turn_id)


@route(
    router.delete,
    "/turns/{turn_id}/messages/{number}",
    "Withdrawn; `done` is false where the turn has taken it in already.",
    404,
)
async def withdraw_message(
    request: Request, turn_id: Ident, number: Annotated[int, Path(ge=1, le=MAX_MESSAGES)], caller: User
) -> ActionResult:
    """Take back a further message that its turn has not taken in."""
    runtime = runtime_of(request)
    await runtime.turn(turn_id, caller.scope)
    return ActionResult(done=await runtime.store.turn_messages.withdraw(turn_id, number))


@route(router.post, "/turns/{turn_id}/resume", "Resumed.", 400, 404)
async def resume(request: Request, turn_id: Ident, caller: User) -> ActionResult:
    """Have a turn taken up again whose worker was lost."""
    await runtime_of(request).resume(turn_id, caller.scope)
    return ActionResult(done=True)


@route(router.post, "/turns/{turn_id}/fork", "Continues as a new turn.", 400, 404, status=202)
async def fork(request: Request, turn_id: Ident, body: Fork, caller: User) -> AcceptedTurn:
    """Go on from before a step, live, as a new turn in a new session. Its effects always ask."""
    runtime = runtime_of(request)
    submitted = await runtime.fork(turn_id, body.step, model=body.model, edits=body.edits, user=caller.scope)
    return accepted_turn(request, submitted)


@route(router.post, "/turns/{turn_id}/replay", "What differs, if anything.", 400, 404)
async def replay(request: Request, turn_id: Ident, caller: User) -> ReplayReport:
    """Run a turn again on what was recorded, without effects, and report any difference."""
    return await runtime_of(request).replay(turn_id, caller.scope)
