"""`/api/agent/execute` and `/api/agent/stream`: a turn as `ReactResponse`.

Browsers connect again by themselves whenever a stream ends (`EventSource`), with the id of the last event. That goes on
with the same turn, or ends the connecting: the question must not be asked, and nothing be done, a second time.
"""

from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from typing import Annotated, Any

from fastapi import APIRouter, Header, Query, Request
from pydantic import Field
from starlette.responses import Response

from glassloop.core import events as e
from glassloop.core.errors import ErrorType
from glassloop.core.records import ReactResponse
from glassloop.extensions.dialects.submission import AwaitingApproval, follow, submit, wait, waiting, waiting_answer
from glassloop.projections.response import ResponseFold, respond, why_ended
from glassloop.runtime.durable.runtime import SubmittedTurn
from glassloop.server.auth.identity import Caller, User
from glassloop.server.dependencies import Body, Ident, Name, Text, runtime_of
from glassloop.server.http.errors import UnansweredTurn, as_response
from glassloop.server.http.responses import EVENTS
from glassloop.server.http.routing import route
from glassloop.server.http.sse import EventStream, event_id, frame, read_last_id

router = APIRouter(prefix="/api/agent", tags=["agent"])
Shown = tuple[object, str]
"""What an event of this dialect tells, and its name."""
MAX_QUERY_CHARS = 4_000
"""Characters of a question in an address: escaped they are up to twelve bytes each, and a head may have 65,536."""


class Execute(Body):
    """A question for an assistant."""

    query: Text
    session_id: Ident | None = None
    context: Annotated[dict[str, Any], Field(max_length=100)] | None = None
    assistant: Name | None = None


@route(
    router.post,
    "/execute",
    "The whole turn as one answer; a turn that failed is an ErrorResponse.",
    400,
    404,
    409,
    502,
    also={202: (AwaitingApproval, "The turn waits for people.")},
)
async def execute(request: Request, body: Execute, caller: User) -> ReactResponse | Response:
    """Ask, and get the answer with its whole trace."""
    submitted = await submit(
        request, caller, body.query, assistant=body.assistant, session_id=body.session_id, context=body.context
    )
    events = await wait(request, submitted)
    if (waits := waiting_answer(submitted, events)) is not None:
        return waits
    response = respond(events)
    if not response.success:
        raise UnansweredTurn(events[-1])
    return response


@route(
    router.get,
    "/stream",
    "Server-sent events `plan`, `step` (again when its status changes), `evaluation`, `awaiting_approval` (where it "
    "waits for people), `response` (a ReactResponse) and `error` (an ErrorResponse).",
    400,
    404,
    409,
    content=EVENTS,
    also={204: (None, "There is nothing after `Last-Event-ID`: browsers do not connect again.")},
)
async def stream(
    request: Request,
    caller: User,
    query: Annotated[str, Query(min_length=1, max_length=MAX_QUERY_CHARS)],
    session_id: Annotated[Ident | None, Query()] = None,
    assistant: Annotated[Name | None, Query()] = None,
    last_event_id: Annotated[str | None, Header(max_length=300)] = None,
) -> Response:
    """The same turn while it happens. With `Last-Event-ID` nothing is asked: the turn it names goes on from there."""
    if last_event_id:
        return await _again(request, caller, last_event_id)
    submitted = await submit(request, caller, query, assistant=assistant, session_id=session_id)
    return EventStream(_frames(request, submitted), failed=_error)


async def _again(request: Request, caller: Caller, last_event_id: str) -> Response:
    """What comes after the last event that a client has."""
    runtime, turn_id = runtime_of(request), last_event_id.rpartition(":")[0]
    row = await runtime.turn(turn_id, caller.user)
    known = read_last_id(last_event_id, turn_id)
    missed = await runtime.store.turns.read(turn_id, known, skip_unknown=True)
    if row.status != "running" and not any(isinstance(event, e.TurnFinished | e.TurnWaiting) for event in missed):
        return Response(status_code=204)
    submitted = SubmittedTurn(turn_id=turn_id, session_id=row.session_id)
    return EventStream(_frames(request, submitted, known), failed=_error)


async def _frames(request: Request, submitted: SubmittedTurn, known: int | None = None) -> AsyncGenerator[bytes, None]:
    fold, asked = ResponseFold(), list[e.AnyEvent]()
    if known is None:
        # An id alone is no event, and the first of those may be long in coming.
        yield f"id: {submitted.turn_id}:0\n\n".encode()
    async with aclosing(follow(request, submitted, again=known is not None)) as batches:
        async for batch in batches:
            out: list[bytes] = []
            for event in batch:
                found = _shown(fold, event)
                if isinstance(e.innermost(event), e.ApprovalRequested | e.ApprovalDecided | e.ToolReturned):
                    asked.append(event)
                elif isinstance(event, e.TurnWaiting):
                    found.append((waiting(submitted, asked), "awaiting_approval"))
                if isinstance(event, e.TurnFinished | e.TurnWaiting):
                    found.append((fold.response(), "response"))
                if event.seq > (known or 0) or event_id(event) is None:
                    out += _framed(found, event_id(event))
            if out:
                yield b"".join(out)


def _framed(found: Sequence[Shown], ident: str | None) -> list[bytes]:
    """The last one has the id: whoever has it has them all."""
    last = len(found) - 1
    return [
        frame(value, event=name, ident=ident if place == last else None) for place, (value, name) in enumerate(found)
    ]


def _shown(fold: ResponseFold, event: e.AnyEvent) -> list[Shown]:
    found: list[Shown] = [(step, "step") for step in fold.apply(event)]
    if isinstance(event, e.PlanMade | e.PlanAdjusted):
        found.append((event.plan, "plan"))
    elif isinstance(event, e.AnswerEvaluated) and event.evaluation is not None:
        found.append((event.evaluation, "evaluation"))
    elif isinstance(event, e.TurnFinished) and event.status != "completed":
        found.append((as_response(why_ended(event), event.error_type or "system_error"), "error"))
    return found


def _error(text: str, kind: ErrorType) -> bytes:
    return frame(as_response(text, kind), event="error")
