"""A turn of a conversation as it happens: `user_message`, `tool_use`, `tool_result`, `token`, `todo`,
`assistant_message`, `error`. Projections of the stream, sent as server-sent events or over a socket.

A turn of a conversation belongs to no request: it runs on when its client leaves, as its answer is a message that can
be read later.
"""

from collections.abc import AsyncGenerator, Iterator, Sequence
from contextlib import aclosing
from typing import Annotated, Literal, NamedTuple

from pydantic import Field
from starlette.requests import HTTPConnection

from glassloop.core import events as e
from glassloop.core.errors import UsageError
from glassloop.core.records import Json
from glassloop.extensions.dialects import DialectsSettings
from glassloop.projections.answer_text import AnswerText
from glassloop.projections.chat_messages import ChatTurn, ToolUse, ToolUseResult
from glassloop.projections.response import why_ended
from glassloop.runtime.assistants.access_checks import resolve_assistant
from glassloop.runtime.durable.runtime import Runtime, SubmittedTurn
from glassloop.runtime.settings import Settings
from glassloop.runtime.tools.todos import TODO, as_list
from glassloop.server.auth.identity import Caller
from glassloop.server.dependencies import Body, Name, Text
from glassloop.server.http.errors import ServerStopping, as_response
from glassloop.server.http.sse import GATHER_S, event_id, read_last_id
from glassloop.store.records import Session, TurnStatus

ASSISTANT = "places"
"""Who answers where nobody is named: this is the places contract's own address."""

EventName = Literal["user_message", "tool_use", "tool_result", "token", "todo", "assistant_message", "error"]
_LATER = "it goes on by itself, and the answer will be among the conversation's messages"


class NewMessage(Body):
    """What the user says."""

    content: Annotated[Text, Field(pattern=r"\S")]
    assistant: Name = ASSISTANT
    model: Name | None = Field(None, description="Another model than the assistant's, as `provider:model`.")


class ChatEvent(NamedTuple):
    """One of a turn's events as clients are told it; `id` is what they go on from."""

    name: EventName
    value: Json
    id: str | None = None


class TurnPosition(NamedTuple):
    """How far a client is: the last event of a turn that it has, and what has become of the turn."""

    turn_id: str
    seq: int
    status: TurnStatus


class ChatEvents:
    """Feed it a turn's events from the first on. `known`: the last event that the client has, of which nothing is told
    again; `held` characters of a reply are held back, as text before a call is no answer."""

    def __init__(self, held: int, known: int = 0) -> None:
        self.turn = ChatTurn()
        self._text = AnswerText(held)
        self._known = known
        self._begins_anew = known > 0
        self._todo_calls: set[str] = set()

    def read(self, batch: Sequence[e.AnyEvent]) -> Iterator[ChatEvent]:
        """What is to be told of these."""
        run: list[e.AnyEvent] = []
        for event in batch:
            run.append(event)
            if told := self._told(event):
                yield from self._tokens(run)
                run = []
                if event.seq > self._known:
                    # The last has the id: whoever has it has them all.
                    yield from (ChatEvent(name, value) for name, value in told[:-1])
                    yield ChatEvent(*told[-1], event_id(event))
        yield from self._tokens(run)

    def _told(self, event: e.AnyEvent) -> list[tuple[EventName, Json]]:
        told: list[tuple[EventName, Json]] = []
        for one in self.turn.advance(event):
            told.append(("tool_use" if isinstance(one, ToolUse) else "tool_result", one))
            told += self._todos(one)
        if isinstance(event, e.TurnStarted):
            told.append(("user_message", self.turn.user_message()))
        elif isinstance(event, e.TurnFinished) and event.status != "cancelled" and not self.turn.is_answered:
            why = e.NOTHING_READ if event.status == "completed" else why_ended(event)
            told.append(("error", as_response(why, event.error_type or "llm_error")))
        elif isinstance(event, e.TurnFinished | e.TurnWaiting):
            told.append(("assistant_message", self.turn.assistant_message()))
        return told

    def _todos(self, one: ToolUse | ToolUseResult) -> list[tuple[EventName, Json]]:
        """The assistant's list after a change of it."""
        if isinstance(one, ToolUse):
            if one.name == TODO and one.input.get("action") != "list":
                self._todo_calls.add(one.id)
            return []
        items = as_list(one.content) if one.tool_use_id in self._todo_calls and not one.is_error else None
        return [] if items is None else [("todo", {"items": items})]

    def _tokens(self, events: Sequence[e.AnyEvent]) -> Iterator[ChatEvent]:
        for piece in self._text.pieces(events):
            if events[-1].seq <= self._known and type(events[-1]) not in e.TRANSIENT:
                continue
            again, self._begins_anew = piece.again or self._begins_anew, False
            if piece.text or again:
                value = {"text": piece.text, "reset": True} if again else {"text": piece.text}
                yield ChatEvent("token", value)


async def read_position(runtime: Runtime, session: Session, last_id: str) -> TurnPosition:
    """What an `event_id` says; raises `NotFound` where its turn is somebody else's, `UsageError` where it is of another
    conversation."""
    turn_id = last_id.rpartition(":")[0]
    row = await runtime.turn(turn_id, session.user_id)
    if row.session_id != session.id:
        raise UsageError(f"The event {last_id[:80]!r} is of another conversation: leave it out.")
    return TurnPosition(turn_id, read_last_id(last_id, turn_id), row.status)


async def submit_message(
    connection: HTTPConnection, caller: Caller, session_id: str, message: NewMessage
) -> SubmittedTurn:
    """Takes what the user says. From here on it is kept, whatever happens to its turn."""
    runtime, settings = runtime_and_settings(connection)
    return await runtime.submit(
        message.content,
        session_id=session_id,
        user=caller.user,
        wanted=await resolve_assistant(runtime.agents, settings, message.assistant, message.model),
        channel="web" if connection.scope.get("by_cookie") else "api",
        ask_user=False,
    )


async def follow_turn(
    connection: HTTPConnection, turn_id: str, *, through_pauses: bool = False
) -> AsyncGenerator[Sequence[e.AnyEvent], None]:
    """The turn's events from the first on, to its end or to a pause. Raises `ServerStopping` where the server ends
    before the turn does."""
    runtime, _ = runtime_and_settings(connection)
    watching = runtime.watch_batches(turn_id, gather_s=GATHER_S, through_pauses=through_pauses)
    last: e.AnyEvent | None = None
    async with aclosing(watching) as batches:
        async for batch in batches:
            last = batch[-1] if batch else last
            yield batch
            if not batch and getattr(connection.app.state, "stopping", False):
                raise ServerStopping(_LATER)
    if not isinstance(last, e.TurnFinished | e.TurnWaiting):
        raise ServerStopping(_LATER)


def chat_events(connection: HTTPConnection, known: int = 0) -> ChatEvents:
    _, settings = runtime_and_settings(connection)
    return ChatEvents(settings.of(DialectsSettings).held_chars, known)


def runtime_and_settings(connection: HTTPConnection) -> tuple[Runtime, Settings]:
    return connection.app.state.runtime, connection.app.state.settings
