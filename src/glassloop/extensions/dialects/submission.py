"""Turns of the dialects: a question is taken, its turn followed, and stopped when the client leaves."""

import asyncio
from collections.abc import AsyncGenerator, Coroutine, Mapping, Sequence
from contextlib import aclosing, nullcontext
from typing import Any, TypeVar

import msgspec
from fastapi import Request
from starlette.responses import Response

from glassloop.core import events as e
from glassloop.core.labels import why_asked
from glassloop.core.records import Json
from glassloop.extensions.dialects.client_messages import ClientConversation
from glassloop.extensions.dialects.response_format import FinishReason
from glassloop.projections.pending_approvals import pending
from glassloop.runtime.assistants.access_checks import require_own_session
from glassloop.runtime.durable.runtime import SubmittedTurn
from glassloop.server.auth.identity import Caller, check_not_forgeable
from glassloop.server.auth.request_info import RequestInfo
from glassloop.server.dependencies import runtime_of, wanted_of
from glassloop.server.http.errors import ClientGone, ServerStopping
from glassloop.server.http.responses import json_response
from glassloop.server.http.root_path import mounted_at
from glassloop.server.http.sse import until_gone
from glassloop.server.request_turns import RequestTurns

Result = TypeVar("Result")

GATHER_S = 0.03
SHOWN_CHARS = 500


class AwaitingApproval(msgspec.Struct, frozen=True, kw_only=True):
    """The turn waits for people: decide at `POST /api/turns/{turn_id}/approvals`."""

    status: str = "awaiting_approval"
    turn_id: str
    session_id: str
    approvals: list[e.ApprovalRequested]


async def submit(
    request: Request,
    caller: Caller,
    asked: str | ClientConversation,
    *,
    assistant: str | None,
    model: str | None = None,
    session_id: str | None = None,
    context: Mapping[str, Json] | None = None,
    output_schema: Mapping[str, Json] | None = None,
) -> SubmittedTurn:
    """Takes a question for an assistant by name. From here on its turn belongs to the request. A session has its own
    history, whatever the client sends along."""
    check_not_forgeable(request)
    said = ClientConversation(asked, None, "") if isinstance(asked, str) else asked
    runtime = runtime_of(request)
    await require_own_session(runtime.store, session_id, caller.user)
    submitted = await runtime.submit(
        said.question,
        session_id=session_id,
        user=caller.user,
        wanted=await wanted_of(request, assistant, model),
        history=said.history if session_id is None else None,
        context=context,
        instructions=said.instructions,
        blobs=said.blobs if session_id is None else None,
        ask_user=False,
        output_schema=output_schema,
        # Clients that name no session keep the conversation themselves: nobody looks for it by its title.
        titled=session_id is not None,
    )
    request.app.state.request_turns.expect(submitted.turn_id)
    return submitted


async def follow(
    request: Request, submitted: SubmittedTurn, *, again: bool = False
) -> AsyncGenerator[Sequence[e.AnyEvent], None]:
    """The turn's events in batches, to its end or to a pause. Closed before that, the turn is stopped after a while;
    `again`: only where it would be, as a turn that no request has runs on.

    Empty batches are signs of life. Raises `Stopped` where the server ends before the turn does.
    """
    last: e.AnyEvent | None = None
    runtime = runtime_of(request)
    turns: RequestTurns = request.app.state.request_turns
    async with (
        turns.listening(submitted.turn_id) if not again or turns.has(submitted.turn_id) else nullcontext(),
        aclosing(runtime.watch_batches(submitted.turn_id, gather_s=GATHER_S)) as batches,
    ):
        async for batch in batches:
            last = batch[-1] if batch else last
            if isinstance(last, e.TurnFinished) and last.status == "cancelled" and turns.closed:
                raise ServerStopping
            if isinstance(last, e.TurnFinished | e.TurnWaiting):
                # Before the last word is out: whoever hears it may hang up, and have decided what waits, at once.
                turns.done(submitted.turn_id)
            yield batch
    if not isinstance(last, e.TurnFinished | e.TurnWaiting):
        raise ServerStopping


async def wait(request: Request, submitted: SubmittedTurn) -> list[e.Durable]:
    """All events of the turn, once it ended or waits for people; raises `ClientGone` when the client leaves."""
    return await while_connected(request, _collect(request, submitted))


async def while_connected(request: Request, work: Coroutine[Any, Any, Result]) -> Result:
    """What the work returns; raises `ClientGone` when the client leaves before."""
    collecting = asyncio.ensure_future(work)
    leaving = asyncio.ensure_future(until_gone(request.receive))
    try:
        await asyncio.wait([collecting, leaving], return_when=asyncio.FIRST_COMPLETED)
        if collecting.done():
            return collecting.result()
        raise ClientGone
    finally:
        collecting.cancel()
        leaving.cancel()
        await asyncio.gather(collecting, leaving, return_exceptions=True)


async def _collect(request: Request, submitted: SubmittedTurn) -> list[e.Durable]:
    events: list[e.Durable] = []
    async with aclosing(follow(request, submitted)) as batches:
        async for batch in batches:
            events += [event for event in batch if type(event) not in e.TRANSIENT]  # pyright: ignore[reportAssignmentType]
    return events


def waiting_answer(submitted: SubmittedTurn, events: Sequence[e.Durable]) -> Response | None:
    """The answer for a turn that waits for people; None when it does not."""
    return json_response(waiting(submitted, events), 202) if isinstance(events[-1], e.TurnWaiting) else None


def waiting(submitted: SubmittedTurn, events: Sequence[e.AnyEvent]) -> AwaitingApproval:
    return AwaitingApproval(turn_id=submitted.turn_id, session_id=submitted.session_id, approvals=list(pending(events)))


def waiting_text(request: Request, submitted: SubmittedTurn, events: Sequence[e.AnyEvent]) -> str:
    """The same in words, for clients that know only text: what it is about, and every place to decide it."""
    calls = "; ".join(_asked(each) for each in pending(events))
    return (
        f"This waits for your approval before it goes on: {calls}. "
        f"Decide on the page, {_address(request)}s/{submitted.session_id}, with `glassloop approve "
        f"{submitted.turn_id}`, or by POST to {_address(request)}api/turns/{submitted.turn_id}/approvals."
    )


def _asked(request: e.ApprovalRequested) -> str:
    args = msgspec.json.encode(request.call.args).decode()[:SHOWN_CHARS]
    text, preview = f"{request.call.tool} {args}", request.preview
    if preview is not None:
        shown = preview if isinstance(preview, str) else msgspec.json.encode(preview).decode()
        text += f", that is: {shown[:SHOWN_CHARS]}"
    if request.why is not None and request.why.passage:
        text += f". {why_asked(request.why)} {request.why.passage[:SHOWN_CHARS]!r}"
    return f"{text} (it may have run already: {request.doubt[:SHOWN_CHARS]})" if request.doubt else text


def _address(request: Request) -> str:
    """Where this server is, as the client calls it; whoever stands before it may have been called by https."""
    info: RequestInfo | None = request.scope.get("request_info")
    base = request.base_url.replace(path=f"{mounted_at(request.scope)}/")
    return str(base.replace(scheme="https") if info is not None and info.https else base)


def usage_of(end: e.AnyEvent) -> dict[str, int]:
    """The tokens of the whole turn; none are told while it waits for people."""
    read, written = (end.input_tokens, end.output_tokens) if isinstance(end, e.TurnFinished) else (0, 0)
    return {"prompt_tokens": read, "completion_tokens": written, "total_tokens": read + written}


def finish_reason(events: Sequence[e.AnyEvent]) -> FinishReason:
    """Why an answer ends, in OpenAI's words."""
    given = next((event for event in reversed(events) if isinstance(event, e.AnswerGiven)), None)
    if given is not None and given.reason in ("guardrail", "filtered"):
        return "content_filter"
    return "length" if given is not None and given.reason in ("length", "tokens") else "stop"
