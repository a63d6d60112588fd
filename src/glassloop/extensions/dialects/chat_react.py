"""`/chat/react`: a conversation in, an answer with its reasoning out, in the shape of a chat completion."""

import asyncio
import time
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from typing import Annotated, Any

import msgspec
from fastapi import APIRouter, Request
from pydantic import Field, model_validator
from starlette.responses import Response

from glassloop.core import events as e
from glassloop.core.errors import ErrorType
from glassloop.core.records import ReasoningStep
from glassloop.extensions.dialects import DialectsSettings
from glassloop.extensions.dialects.client_messages import (
    MAX_MESSAGES,
    ClientTools,
    InputItem,
    LooseMessage,
    read_messages,
)
from glassloop.extensions.dialects.submission import (
    AwaitingApproval,
    finish_reason,
    follow,
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
from glassloop.runtime.assistants.assistant_files import list_assistants
from glassloop.runtime.durable.runtime import SubmittedTurn
from glassloop.runtime.settings import Settings
from glassloop.server.auth.identity import User
from glassloop.server.dependencies import Flag, Ident, Name, settings_of
from glassloop.server.http.errors import SwitchedOff, UnansweredTurn
from glassloop.server.http.responses import EVENTS
from glassloop.server.http.routing import route
from glassloop.server.http.sse import DONE, EventStream, frame

router = APIRouter(tags=["chat"])
ASSISTANT = "business"
"""Who answers where nobody is named: this is the business contract's own address."""


class ChatReact(ClientTools):
    """`messages` or `input`; `thread_id` is the session to go on with."""

    messages: Annotated[list[LooseMessage], Field(max_length=MAX_MESSAGES)] | None = None
    input: (
        Annotated[str, Field(max_length=MAX_QUESTION_CHARS)]
        | Annotated[list[InputItem], Field(max_length=MAX_MESSAGES)]
        | None
    ) = None
    instructions: Annotated[str, Field(max_length=MAX_QUESTION_CHARS)] | None = None
    thread_id: Ident | None = None
    stream: Flag = False
    assistant: Name | None = None
    model: Name | None = Field(
        None, description="Another model than the assistant's, as `provider:model`, or an assistant; else not used."
    )

    @model_validator(mode="after")
    def some(self) -> "ChatReact":
        if not (self.messages or self.input):
            raise ValueError("send at least one message, in 'messages' or 'input'")
        return self

    @property
    def said(self) -> list[LooseMessage]:
        given = self.messages or []
        if not given:
            items = [InputItem(role="user", content=self.input)] if isinstance(self.input, str) else self.input or []
            given = [message for item in items if (message := item.as_message()) is not None]
        if self.instructions:
            given = [LooseMessage(role="system", content=self.instructions), *given]
        return given

    async def chosen(self, settings: Settings) -> tuple[str, str | None]:
        """The assistant and the model. Clients must name a model: a name of neither is what they call us by."""
        assistant, name = self.assistant or ASSISTANT, self.model
        if name is None or ":" in name or name in settings.extensions.providers:
            return assistant, name
        known = await asyncio.to_thread(list_assistants, settings) if self.assistant is None else ()
        return (name if name in {each.name for each in known} else assistant), None


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
    takes_files=True,
)
async def chat_react(request: Request, body: ChatReact, caller: User) -> Completion | Response:
    """Ask an assistant, whole or while it happens."""
    if not settings_of(request).of(DialectsSettings).react_enabled:
        raise SwitchedOff("/chat/react is switched off: set REACT_ENABLED=true to have it.")
    assistant, model = await body.chosen(settings_of(request))
    body.refuse_tools(assistant)
    began = time.monotonic()
    submitted = await submit(
        request, caller, await read_messages(body.said), assistant=assistant, model=model, session_id=body.thread_id
    )
    if body.stream:
        frames = _frames(request, submitted)
        return EventStream(frames, failed=_error, headers={"x-session-id": submitted.session_id})
    events = await wait(request, submitted)
    if (waits := waiting_answer(submitted, events)) is not None:
        return waits
    if not respond(events).success:
        raise UnansweredTurn(events[-1])
    return completion(submitted, events, (time.monotonic() - began) * 1000.0)


def completion(submitted: SubmittedTurn, events: Sequence[e.Durable], latency_ms: float) -> Completion:
    started = events[0]
    return Completion(
        id=f"chatcmpl-{submitted.turn_id}",
        created=int(started.at),
        model=started.assistant if isinstance(started, e.TurnStarted) else "",
        choices=[
            CompletionChoice(
                message={"role": "assistant", "content": respond(events).response}, finish_reason=finish_reason(events)
            )
        ],
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
    if isinstance(events[-1], e.TurnWaiting):
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
