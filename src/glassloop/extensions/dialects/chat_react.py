"""`/chat/react`: a conversation in, an answer with its reasoning out, in the shape of a chat completion."""

import time
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from typing import Annotated, Any, Literal

import msgspec
from fastapi import APIRouter, Request
from pydantic import Field, model_validator
from starlette.responses import Response

from glassloop.core import events as e
from glassloop.core.errors import ErrorType
from glassloop.core.records import ReasoningStep
from glassloop.extensions.dialects import DialectsSettings
from glassloop.extensions.dialects.submission import (
    MAX_MESSAGES,
    AwaitingApproval,
    follow,
    split,
    submit,
    usage_of,
    wait,
    waiting,
    waiting_answer,
)
from glassloop.projections.answer_text import AnswerText
from glassloop.projections.reasoning_trace import Reasoning, reasoning_trace
from glassloop.projections.response import respond
from glassloop.runtime.assistants.agent import MAX_QUESTION_CHARS
from glassloop.runtime.durable.runtime import SubmittedTurn
from glassloop.server.auth.identity import User
from glassloop.server.dependencies import Body, Ident, Name, settings_of
from glassloop.server.http.errors import SwitchedOff, TurnFailed
from glassloop.server.http.responses import EVENTS
from glassloop.server.http.routing import route
from glassloop.server.http.sse import DONE, EventStream, frame

router = APIRouter(tags=["chat"])
ASSISTANT = "business"
"""Who answers where nobody is named: this is the business contract's own address."""


class ContentPart(Body):
    """A part of a message; only text is read."""

    type: Literal["text", "input_text", "output_text"] = "text"
    text: Annotated[str, Field(max_length=MAX_QUESTION_CHARS)]


class ChatMessage(Body):
    """Something said before, or the question."""

    role: Literal["user", "assistant", "system", "developer", "tool"]
    content: Annotated[str, Field(max_length=MAX_QUESTION_CHARS)] | Annotated[list[ContentPart], Field(max_length=100)]

    @property
    def text(self) -> str:
        return self.content if isinstance(self.content, str) else "".join(part.text for part in self.content)


class ChatReact(Body):
    """`messages` or `input`; `thread_id` is the session to go on with."""

    messages: Annotated[list[ChatMessage], Field(max_length=MAX_MESSAGES)] | None = None
    input: Annotated[list[ChatMessage], Field(max_length=MAX_MESSAGES)] | None = None
    thread_id: Ident | None = None
    stream: bool = False
    assistant: Name = ASSISTANT
    model: Name | None = Field(None, description="Another model than the assistant's, as `provider:model`.")

    @model_validator(mode="after")
    def some(self) -> "ChatReact":
        if not (self.messages or self.input):
            raise ValueError("send at least one message, in 'messages' or 'input'")
        return self

    @property
    def said(self) -> Sequence[ChatMessage]:
        return self.messages or self.input or ()


class CompletionChoice(msgspec.Struct, frozen=True, kw_only=True):
    index: int = 0
    message: dict[str, str]
    finish_reason: str = "stop"


class Completion(msgspec.Struct, frozen=True, kw_only=True):
    """An OpenAI-shaped answer with the turn's reasoning."""

    id: str
    object: str = "chat.completion"
    created: int
    model: str
    choices: list[CompletionChoice]
    usage: dict[str, int]
    reasoning_trace: list[ReasoningStep]
    latency_ms: float
    session_id: str


@route(
    router.post,
    "/chat/react",
    "The answer; with `stream: true` server-sent events `reasoning_step` …, `response.delta` as it is written, "
    "`response.reset` where that turned out to be no answer, `response.completed`, then `[DONE]`.",
    400,
    404,
    409,
    502,
    content=EVENTS,
    also={202: (AwaitingApproval, "The turn waits for people.")},
)
async def chat_react(request: Request, body: ChatReact, caller: User) -> Completion | Response:
    """Ask an assistant, whole or while it happens."""
    if not settings_of(request).of(DialectsSettings).react_enabled:
        raise SwitchedOff("/chat/react is switched off: set REACT_ENABLED=true to have it.")
    question, history = split(body.said)
    began = time.monotonic()
    submitted = await submit(
        request,
        caller,
        question,
        assistant=body.assistant,
        model=body.model,
        session_id=body.thread_id,
        history=None if body.thread_id is not None or not history else history,
    )
    if body.stream:
        frames = _frames(request, submitted)
        return EventStream(frames, failed=_error, headers={"x-session-id": submitted.session_id})
    events = await wait(request, submitted)
    if (waits := waiting_answer(submitted, events)) is not None:
        return waits
    if not respond(events).success:
        raise TurnFailed(events[-1])
    return completion(submitted, events, (time.monotonic() - began) * 1000.0)


def completion(submitted: SubmittedTurn, events: Sequence[e.Durable], latency_ms: float) -> Completion:
    started = events[0]
    return Completion(
        id=f"chatcmpl-{submitted.turn_id}",
        created=int(started.at),
        model=started.assistant if isinstance(started, e.TurnStarted) else "",
        choices=[CompletionChoice(message={"role": "assistant", "content": respond(events).response})],
        usage=usage_of(events[-1]),
        reasoning_trace=list(reasoning_trace(events)),
        latency_ms=latency_ms,
        session_id=submitted.session_id,
    )


async def _frames(request: Request, submitted: SubmittedTurn) -> AsyncGenerator[bytes, None]:
    text, fold, events = AnswerText(hold=0), Reasoning(), list[e.AnyEvent]()
    async with aclosing(follow(request, submitted)) as batches:
        async for batch in batches:
            events += [event for event in batch if type(event) not in e.TRANSIENT]
            out = list[bytes]()
            for event in batch:
                if (step := fold.step(event)) is not None:
                    out.append(frame({"type": "reasoning_step", "step": step}))
            for piece in text.pieces(batch):
                if piece.again:
                    out.append(frame(b'{"type":"response.reset"}'))
                if piece.text:
                    out.append(frame({"type": "response.delta", "content": piece.text}))
            if out:
                yield b"".join(out)
    yield _last(submitted, events)


def _last(submitted: SubmittedTurn, events: "Sequence[e.AnyEvent]") -> bytes:
    response = respond(events)
    if isinstance(events[-1], e.TurnPaused):
        shown: dict[str, Any] = {"type": "awaiting_approval", **msgspec.to_builtins(waiting(submitted, events))}
    elif not response.success:
        return _error(response.error or "")
    else:
        shown = {
            "type": "response.completed",
            "content": response.response,
            "reasoning_trace": list(reasoning_trace(events)),
            "session_id": submitted.session_id,
        }
    return frame(shown) + DONE


def _error(text: str, _kind: ErrorType | None = None) -> bytes:
    return frame({"type": "error", "message": text}) + DONE
