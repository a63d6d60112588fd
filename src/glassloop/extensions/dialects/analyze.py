"""`/api/analyze` and `/api/analyze/stream`: a question, an answer, nothing else."""

from collections.abc import AsyncGenerator
from contextlib import aclosing

import msgspec
from fastapi import APIRouter, Request
from starlette.responses import Response

from glassloop.core import events as e
from glassloop.core.errors import ErrorType
from glassloop.extensions.dialects import DialectsSettings
from glassloop.extensions.dialects.submission import (
    AwaitingApproval,
    follow,
    submit,
    wait,
    waiting_answer,
    waiting_text,
)
from glassloop.projections.answer_text import AnswerText
from glassloop.projections.response import respond, why_ended
from glassloop.runtime.durable.runtime import SubmittedTurn
from glassloop.server.auth.identity import Caller, User
from glassloop.server.dependencies import Body, Ident, Name, Text, settings_of
from glassloop.server.http.errors import UnansweredTurn
from glassloop.server.http.responses import EVENTS
from glassloop.server.http.routing import route
from glassloop.server.http.sse import EventStream, frame

router = APIRouter(prefix="/api/analyze", tags=["analyze"])
ASSISTANT = "raids"
"""Who answers where nobody is named: this is the raid contract's own address."""


class Analyze(Body):
    """A question; `session_id` is the session to go on with."""

    question: Text
    assistant: Name | None = None
    session_id: Ident | None = None


class Analysis(msgspec.Struct, frozen=True, kw_only=True):
    """Its answer."""

    answer: str


@route(router.post, "", "The answer.", 400, 404, 409, 502, also={202: (AwaitingApproval, "The turn waits for people.")})
async def analyze(request: Request, body: Analyze, caller: User) -> Analysis | Response:
    """Ask, and get the answer. A client that disconnects stops the work."""
    submitted = await _submit(request, caller, body)
    events = await wait(request, submitted)
    if (waits := waiting_answer(submitted, events)) is not None:
        return waits
    response = respond(events)
    if not response.success:
        raise UnansweredTurn(events[-1])
    return Analysis(answer=response.response)


@route(
    router.post,
    "/stream",
    'Server-sent events: `{"token": …}` …, then `{"done": true}`; a failure is event `error` with `{"detail": …}`.',
    400,
    404,
    409,
    content=EVENTS,
)
async def stream(request: Request, body: Analyze, caller: User) -> Response:
    """The answer while it is written: never a thought, a call or the output of a tool."""
    submitted = await _submit(request, caller, body)
    return EventStream(_frames(request, submitted), failed=_error)


async def _submit(request: Request, caller: Caller, body: Analyze) -> SubmittedTurn:
    return await submit(
        request, caller, body.question, assistant=body.assistant or ASSISTANT, session_id=body.session_id
    )


async def _frames(request: Request, submitted: SubmittedTurn) -> AsyncGenerator[bytes, None]:
    text, seen = AnswerText(settings_of(request).of(DialectsSettings).held_chars), list[e.AnyEvent]()
    async with aclosing(follow(request, submitted)) as batches:
        async for batch in batches:
            if not batch:
                continue
            seen += [event for event in batch if isinstance(e.innermost(event), e.ApprovalRequested)]
            out = b"".join(frame({"token": piece.appended}) for piece in text.pieces(batch))
            out += _ending(request, submitted, batch[-1], seen)
            if out:
                yield out


def _ending(request: Request, submitted: SubmittedTurn, last: e.AnyEvent, seen: "list[e.AnyEvent]") -> bytes:
    if isinstance(last, e.TurnWaiting):
        return frame({"token": waiting_text(request, submitted, seen)}) + frame(b'{"done":true}')
    if isinstance(last, e.TurnFinished):
        if last.status == "completed":
            return frame(b'{"done":true}')
        return _error(why_ended(last))
    return b""


def _error(text: str, _kind: ErrorType | None = None) -> bytes:
    return frame({"detail": text}, event="error")
