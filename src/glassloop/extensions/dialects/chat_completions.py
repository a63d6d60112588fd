"""`/v1/chat/completions` and `/v1/models`: assistants as models, for every client that speaks OpenAI's API.

What was thought and done comes as `reasoning_content`, which clients show folded; the answer is the content.
"""

import time
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from typing import Annotated, Any

import msgspec
from fastapi import APIRouter, Header, Request
from pydantic import Field
from starlette.responses import Response

from glassloop.core import events as e
from glassloop.core.errors import ErrorType, UnknownName
from glassloop.extensions.dialects import DialectsSettings
from glassloop.extensions.dialects.client_messages import (
    MAX_MESSAGES,
    ClientTools,
    LooseBody,
    LooseMessage,
    read_messages,
)
from glassloop.extensions.dialects.response_format import ChatAnswer, FinishReason, ResponseFormat, answer_in
from glassloop.extensions.dialects.submission import finish_reason, follow, submit, usage_of, wait, waiting_text
from glassloop.projections.answer_text import AnswerText, pieces_of
from glassloop.projections.reasoning_trace import Reasoning
from glassloop.projections.response import respond, why_ended
from glassloop.runtime.assistants.json_output import JsonOutput
from glassloop.runtime.durable.runtime import SubmittedTurn
from glassloop.server.auth.identity import User
from glassloop.server.dependencies import Flag, Ident, Name, runtime_of, settings_of
from glassloop.server.http.errors import OpenAIError, UnansweredTurn
from glassloop.server.http.responses import EVENTS, json_response
from glassloop.server.http.routing import route
from glassloop.server.http.sse import DONE, EventStream, frame

router = APIRouter(prefix="/v1", tags=["openai"])
SHOWN_CHARS = 2_000
_LAST_WORDS = (e.AnswerGiven, e.TurnWaiting, e.TurnFinished)
BEGUN = int(time.time())
"""When this process was: clients sort models by when they were made, and assistants have no such date."""


class StreamOptions(LooseBody):
    include_usage: Flag = False


class ChatRequest(ClientTools):
    """What the assistant decides itself (temperature, limits) is taken and not used."""

    model: Name
    messages: Annotated[list[LooseMessage], Field(min_length=1, max_length=MAX_MESSAGES)]
    stream: Flag = False
    stream_options: StreamOptions | None = None
    response_format: ResponseFormat | None = None


class ModelCard(msgspec.Struct, frozen=True, kw_only=True):
    id: str
    object: str = "model"
    created: int
    owned_by: str = "glassloop"


class ModelList(msgspec.Struct, frozen=True, kw_only=True):
    object: str = "list"
    data: list[ModelCard]


class ChatChoice(msgspec.Struct, frozen=True, kw_only=True):
    index: int = 0
    message: dict[str, str | None]
    finish_reason: FinishReason = "stop"
    logprobs: None = None


class ChatCompletion(msgspec.Struct, frozen=True, kw_only=True):
    id: str
    object: str = "chat.completion"
    created: int
    model: str
    choices: list[ChatChoice]
    usage: dict[str, int]


@route(router.get, "/models", "The assistants, as models.", error_shape=OpenAIError)
async def models(request: Request, caller: User) -> ModelList:
    """The assistants that you may use."""
    found = await runtime_of(request).access.assistants(caller.user)
    return ModelList(data=[ModelCard(id=assistant.name, created=BEGUN) for assistant in found])


@route(router.get, "/models/{name}", "The assistant, as a model.", 404, error_shape=OpenAIError)
async def model(request: Request, name: Name, caller: User) -> ModelCard:
    """One assistant."""
    found = await runtime_of(request).access.assistants(caller.user)
    if name not in {assistant.name for assistant in found}:
        raise UnknownName(f"There is no model {name[:80]!r}: GET /v1/models lists those there are.")
    return ModelCard(id=name, created=BEGUN)


@route(
    router.post,
    "/chat/completions",
    "A chat completion; with `stream: true` its chunks as server-sent events.",
    400,
    404,
    409,
    502,
    content=EVENTS,
    error_shape=OpenAIError,
    takes_files=True,
)
async def chat_completions(
    request: Request, body: ChatRequest, caller: User, x_session_id: Annotated[Ident | None, Header()] = None
) -> ChatCompletion | Response:
    """Ask an assistant by its name as `model`. The header `x-session-id` goes on with one of our sessions."""
    body.refuse_tools(body.model)
    output = body.response_format.output() if body.response_format is not None else None
    submitted = await submit(
        request,
        caller,
        await read_messages(body.messages),
        assistant=body.model,
        session_id=x_session_id,
        output_schema=output.schema if output is not None else None,
    )
    if body.stream:
        usage = body.stream_options is not None and bool(body.stream_options.include_usage)
        frames = _frames(request, submitted, body.model, output, usage=usage)
        return EventStream(frames, failed=_error, headers={"x-session-id": submitted.session_id})
    events = await wait(request, submitted)
    if not isinstance(events[-1], e.TurnWaiting) and not respond(events).success:
        raise UnansweredTurn(events[-1])
    answer = _answer(request, submitted, events, output)
    message: dict[str, str | None] = {"role": "assistant", **answer.message}
    if reasoning := "".join(_thoughts(events)):
        message["reasoning_content"] = reasoning
    shown = ChatCompletion(
        id=f"chatcmpl-{submitted.turn_id}",
        created=int(time.time()),
        model=body.model,
        choices=[ChatChoice(message=message, finish_reason=answer.finish)],
        usage=usage_of(events[-1]),
    )
    return json_response(shown, headers={"x-session-id": submitted.session_id})


def _answer(
    request: Request, submitted: SubmittedTurn, events: Sequence[e.AnyEvent], output: JsonOutput | None
) -> ChatAnswer:
    """The answer in the form that was asked for. A turn that waits for people has none yet, and says so."""
    if isinstance(events[-1], e.TurnWaiting):
        told = waiting_text(request, submitted, events)
        return ChatAnswer(told) if output is None else ChatAnswer(None, told)
    given = next(event for event in reversed(events) if isinstance(event, e.AnswerGiven))
    return ChatAnswer(given.text, finish=finish_reason(events)) if output is None else answer_in(output, given)


def _thoughts(events: "Sequence[e.AnyEvent]", fold: Reasoning | None = None) -> list[str]:
    """What was thought and done, one line a step."""
    fold = fold or Reasoning()
    lines: list[str] = []
    for event in events:
        step = fold.step(event)
        if step is None or step.type == "answer":
            continue
        if step.type == "act":
            args = msgspec.json.encode(step.tool_args).decode()[:SHOWN_CHARS]
            lines.append(f"→ {step.tool_name} {args}\n")
        elif step.type == "observe":
            lines.append(f"← {step.content[:SHOWN_CHARS]}\n")
        else:
            lines.append(f"{step.content}\n")
    return lines


async def _frames(
    request: Request, submitted: SubmittedTurn, model: str, output: JsonOutput | None, *, usage: bool
) -> AsyncGenerator[bytes, None]:
    head = {
        "id": f"chatcmpl-{submitted.turn_id}",
        "object": "chat.completion.chunk",
        "created": int(time.time()),
        "model": model,
    }

    def chunk(delta: dict[str, str], finish: str | None = None) -> bytes:
        choice: dict[str, Any] = {"index": 0, "delta": delta, "finish_reason": finish}
        return frame({**head, "choices": [choice]})

    text = AnswerText(settings_of(request).of(DialectsSettings).held_chars)
    fold, seen = Reasoning(), list[e.AnyEvent]()
    yield chunk({"role": "assistant", "content": ""})
    async with aclosing(follow(request, submitted)) as batches:
        async for batch in batches:
            out = b""
            for line in _thoughts(batch, fold):
                out += chunk({"reasoning_content": line})
            for piece in text.pieces(batch) if output is None else ():
                out += chunk({"content": piece.appended})
            seen += [
                event
                for event in batch
                if isinstance(event, _LAST_WORDS) or isinstance(e.innermost(event), e.ApprovalRequested)
            ]
            if out:
                yield out
    end = seen[-1]
    if isinstance(end, e.TurnFinished) and end.status != "completed":
        yield _error(why_ended(end))
        return
    last, finish = b"", finish_reason(seen)
    if output is not None or isinstance(end, e.TurnWaiting):
        content, refusal, finish = _answer(request, submitted, seen, output)
        for name, told in (("content", content), ("refusal", refusal)):
            last += b"".join(chunk({name: piece}) for piece in pieces_of(told or ""))
    last += chunk({}, finish)
    if usage:
        last += frame({**head, "choices": [], "usage": usage_of(end)})
    yield last + DONE


def _error(text: str, _kind: ErrorType | None = None) -> bytes:
    return frame({"error": {"message": text, "type": "server_error", "param": None, "code": None}}) + DONE
