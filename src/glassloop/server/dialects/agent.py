"""`/api/agent/execute` and `/api/agent/stream`: a turn as `ReactResponse`."""

from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Annotated, Any

import msgspec
from fastapi import APIRouter, Query, Request
from pydantic import Field
from starlette.responses import Response

from glassloop.core import events as e
from glassloop.core.errors import ErrorType
from glassloop.core.records import ReactResponse
from glassloop.projections.response import ResponseFold, respond
from glassloop.runtime.runtime import Submitted
from glassloop.server.answers import EVENTS, json_answer, shows
from glassloop.server.bodies import Body, Ident, Name, Text
from glassloop.server.caller import User
from glassloop.server.dialects.asking import AwaitingApproval, follow, submit, wait, waiting, waiting_answer
from glassloop.server.errors import as_response, failures
from glassloop.server.sse import EventStream, frame

router = APIRouter(prefix="/api/agent", tags=["agent"])
_encode = msgspec.json.Encoder().encode
MOST_IN_ADDRESS = 4_000
"""Characters of a question in an address: escaped they are up to twelve bytes each, and a head may have 65,536."""


class Execute(Body):
    """A question for an assistant."""

    query: Text
    session_id: Ident | None = None
    context: Annotated[dict[str, Any], Field(max_length=100)] | None = None
    assistant: Name = "general"


@router.post(
    "/execute",
    responses={
        **shows(ReactResponse, "The whole turn as one answer."),
        **shows(AwaitingApproval, "The turn waits for people.", 202),
        **failures(400, 404, 409),
    },
    response_class=Response,
)
async def execute(request: Request, body: Execute, caller: User) -> Response:
    """Ask, and get the answer with its whole trace."""
    submitted = await submit(
        request, caller, body.query, assistant=body.assistant, session_id=body.session_id, context=body.context
    )
    events = await wait(request, submitted)
    return waiting_answer(submitted, events) or json_answer(respond(events))


@router.get(
    "/stream",
    responses={
        200: {
            "description": "Server-sent events `plan`, `step` (again when its status changes), `evaluation`, "
            "`awaiting_approval` (where it waits for people), `response` (a ReactResponse) and `error` (an "
            "ErrorResponse).",
            "content": EVENTS,
        },
        **failures(400, 404, 409),
    },
    response_class=Response,
)
async def stream(
    request: Request,
    caller: User,
    query: Annotated[str, Query(min_length=1, max_length=MOST_IN_ADDRESS)],
    session_id: Annotated[Ident | None, Query()] = None,
    assistant: Annotated[Name, Query()] = "general",
) -> Response:
    """The same turn while it happens."""
    submitted = await submit(request, caller, query, assistant=assistant, session_id=session_id)
    return EventStream(_frames(request, submitted), failed=_error)


async def _frames(request: Request, submitted: Submitted) -> AsyncGenerator[bytes, None]:
    fold, asked = ResponseFold(), list[e.AnyEvent]()
    async with aclosing(follow(request, submitted)) as batches:
        async for batch in batches:
            out: list[bytes] = []
            for event in batch:
                out += _shown(fold, event)
                if isinstance(event, e.ApprovalRequested):
                    asked.append(event)
                elif isinstance(event, e.TurnPaused):
                    out.append(frame(_encode(waiting(submitted, asked)), event="awaiting_approval"))
                if isinstance(event, e.TurnFinished | e.TurnPaused):
                    out.append(frame(_encode(fold.response()), event="response"))
            if out:
                yield b"".join(out)


def _shown(fold: ResponseFold, event: e.AnyEvent) -> list[bytes]:
    found = [frame(_encode(step), event="step") for step in fold.apply(event)]
    if isinstance(event, e.PlanMade | e.PlanAdjusted):
        found.append(frame(_encode(event.plan), event="plan"))
    elif isinstance(event, e.AnswerEvaluated) and event.evaluation is not None:
        found.append(frame(_encode(event.evaluation), event="evaluation"))
    elif isinstance(event, e.TurnFinished) and event.status != "completed":
        found.append(_error(event.error or f"The turn was {event.status}.", event.error_type or "system_error"))
    return found


def _error(text: str, kind: ErrorType) -> bytes:
    return frame(_encode(as_response(text, kind)), event="error")
