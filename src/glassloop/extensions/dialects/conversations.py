"""`/conversations`: sessions and their messages, each answer with the tools it used."""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from typing import Annotated

import msgspec
from fastapi import APIRouter, Depends, Header, Query, Request
from pydantic import Field
from starlette.responses import Response

from glassloop.core import events as e
from glassloop.core.errors import ErrorType, UsageError
from glassloop.extensions.dialects.conversation_events import (
    ChatEvents,
    NewMessage,
    chat_events,
    follow_turn,
    read_position,
    submit_message,
)
from glassloop.extensions.dialects.submission import AwaitingApproval, while_connected
from glassloop.projections.chat_messages import ChatMessage, ChatTurn, chat_messages
from glassloop.projections.pending_approvals import pending
from glassloop.server.auth.identity import User, check_not_forgeable
from glassloop.server.dependencies import Body, Ident, runtime_of
from glassloop.server.http.errors import UnansweredTurn, as_response
from glassloop.server.http.responses import EVENTS, json_response
from glassloop.server.http.routing import route
from glassloop.server.http.sse import EventStream, frame
from glassloop.server.routes.sessions import Offset
from glassloop.store.records import Session
from glassloop.store.tables.message_pages import MAX_PAGE, SaidAlone, SaidTurn

router = APIRouter(prefix="/conversations", tags=["conversations"])

MAX_LISTED = 200
Title = Annotated[str, Field(min_length=1, max_length=200, pattern=r"\S")]


class NewConversation(Body):
    """An empty conversation; without a title the first exchange gives it one."""

    title: Title | None = None


class ConversationTitle(Body):
    """Its new title."""

    title: Title


class Conversation(msgspec.Struct, frozen=True, kw_only=True):
    """A session as a list of messages."""

    id: str
    user_id: str
    title: str
    created_at: str
    updated_at: str
    message_count: int


class ChatExchange(msgspec.Struct, frozen=True, kw_only=True):
    """What the user said, and the answer."""

    user_message: ChatMessage
    assistant_message: ChatMessage


class AwaitingExchange(AwaitingApproval, frozen=True, kw_only=True):
    """The turn waits for people, and this is how far it is."""

    user_message: ChatMessage
    assistant_message: ChatMessage


async def _own_conversation(request: Request, conversation_id: Ident, caller: User) -> Session:
    """The caller's own: an operator is a user like others here."""
    return await runtime_of(request).session(conversation_id, caller.user)


OwnConversation = Annotated[Session, Depends(_own_conversation)]


@route(router.post, "", "Made.", 400, status=201)
async def create(request: Request, caller: User, body: NewConversation | None = None) -> Conversation:
    """Begin a conversation."""
    channel = "web" if request.scope.get("by_cookie") else "api"
    title = (body.title or "").strip() if body is not None else ""
    return _conversation(await runtime_of(request).store.sessions.create(caller.user, channel, title=title))


@route(router.get, "", "Newest first.", 400)
async def list_conversations(
    request: Request, caller: User, limit: Annotated[int, Query(ge=1, le=MAX_LISTED)] = 50, offset: Offset = 0
) -> Sequence[Conversation]:
    """Your conversations."""
    found = await runtime_of(request).store.sessions.list(limit, offset, caller.user)
    return [_conversation(session) for session in found]


@route(router.get, "/{conversation_id}", "The conversation.", 404)
async def show(session: OwnConversation) -> Conversation:
    """One conversation, without its messages."""
    return _conversation(session)


@route(router.patch, "/{conversation_id}", "Changed; as it is now.", 404)
async def rename(request: Request, session: OwnConversation, body: ConversationTitle) -> Conversation:
    """Give a conversation another title."""
    runtime = runtime_of(request)
    await runtime.store.sessions.rename(session.id, body.title.strip())
    return _conversation(await runtime.session(session.id))


@route(router.delete, "/{conversation_id}", "Gone.", 404, status=204)
async def delete(request: Request, session: OwnConversation, caller: User) -> Response:
    """Delete a conversation with everything in it; what still runs in it is stopped first."""
    await runtime_of(request).erasure.erase_sessions([session.id], by=caller.user)
    return Response(status_code=204)


@route(router.get, "/{conversation_id}/messages", "Oldest first.", 400, 404)
async def list_messages(
    request: Request,
    session: OwnConversation,
    limit: Annotated[int, Query(ge=1, le=MAX_PAGE)] = 50,
    before: Annotated[Ident | None, Query(description="The id of a message: only earlier ones.")] = None,
) -> Sequence[ChatMessage]:
    """The newest messages of a conversation, or those before one of them; answers with the tools they used."""
    turn_id, number = _position(before)
    pages = runtime_of(request).store.message_pages
    said = await pages.before(session.id, limit, turn_id=turn_id, number=number)
    # Megabytes of results take a while.
    return await asyncio.to_thread(_messages, session.id, said, limit, before)


@route(
    router.post,
    "/{conversation_id}/messages",
    "What the user said and the answer. With `Accept: text/event-stream` server-sent events: `user_message`, "
    "`tool_use`, `tool_result`, `token` (text of the answer as it is written; `reset`: all before it was none), "
    "`todo`, `assistant_message`, or `error` (an ErrorResponse).",
    400,
    404,
    409,
    502,
    content=EVENTS,
    also={
        202: (AwaitingExchange, "The turn waits for people."),
        204: (None, "There is nothing after `Last-Event-ID`."),
    },
)
async def send_message(
    request: Request,
    session: OwnConversation,
    body: NewMessage,
    caller: User,
    accept: Annotated[str | None, Header(max_length=500)] = None,
    last_event_id: Annotated[str | None, Header(max_length=300)] = None,
) -> ChatExchange | Response:
    """Say something, and get the answer. What was said is kept whatever happens, and the turn runs on when its client
    leaves. With `Last-Event-ID` nothing is said: the stream of the turn that it names goes on from there."""
    check_not_forgeable(request)
    streams = "text/event-stream" in (accept or "")
    if streams and last_event_id:
        return await _go_on(request, session, last_event_id)
    submitted = await submit_message(request, caller, session.id, body)
    if streams:
        return EventStream(_frames(request, submitted.turn_id, chat_events(request)), failed=_error)
    return _answer(await while_connected(request, _collected(request, submitted.turn_id)))


async def _collected(request: Request, turn_id: str) -> list[e.AnyEvent]:
    events: list[e.AnyEvent] = []
    async with aclosing(follow_turn(request, turn_id)) as batches:
        async for batch in batches:
            events += [event for event in batch if type(event) not in e.TRANSIENT]
    return events


def _answer(events: Sequence[e.AnyEvent]) -> ChatExchange | Response:
    turn = ChatTurn()
    for event in events:
        turn.advance(event)
    answer, asked = turn.assistant_message(), turn.user_message()
    if answer is not None and isinstance(events[-1], e.TurnWaiting):
        waits = AwaitingExchange(
            turn_id=events[-1].turn_id,
            session_id=asked.conversation_id,
            approvals=list(pending(events)),
            user_message=asked,
            assistant_message=answer,
        )
        return json_response(waits, 202)
    if answer is None or not turn.is_answered:
        raise UnansweredTurn(events[-1])
    return ChatExchange(user_message=asked, assistant_message=answer)


async def _go_on(request: Request, session: Session, last_event_id: str) -> Response:
    """What comes after the last event that a client has."""
    runtime = runtime_of(request)
    position = await read_position(runtime, session, last_event_id)
    missed = await runtime.store.turns.read(position.turn_id, position.seq, skip_unknown=True)
    if position.status != "running" and not any(isinstance(event, e.TurnFinished | e.TurnWaiting) for event in missed):
        return Response(status_code=204)
    return EventStream(_frames(request, position.turn_id, chat_events(request, position.seq)), failed=_error)


async def _frames(request: Request, turn_id: str, told: ChatEvents) -> AsyncGenerator[bytes, None]:
    async with aclosing(follow_turn(request, turn_id)) as batches:
        async for batch in batches:
            if out := [frame(one.value, event=one.name, ident=one.id) for one in told.read(batch)]:
                yield b"".join(out)


def _error(text: str, kind: ErrorType) -> bytes:
    return frame(as_response(text, kind), event="error")


def _messages(
    session_id: str, said: Sequence[SaidTurn | SaidAlone], limit: int, before: str | None
) -> Sequence[ChatMessage]:
    found: list[ChatMessage] = []
    for one in said:
        if isinstance(one, SaidAlone):
            if one.role != "tool":
                found.append(
                    ChatMessage(
                        id=str(one.id),
                        conversation_id=session_id,
                        role=one.role,
                        content=one.content,
                        created_at=one.created_at,
                    )
                )
        elif one.events and isinstance(one.events[0], e.TurnStarted):
            found += chat_messages(one.events)
    known = [message.id for message in found]
    return found[: known.index(before) if before in known else None][-limit:]


def _position(before: str | None) -> tuple[str | None, int | None]:
    """The turn, or the number of a message that belongs to none."""
    if before is None:
        return None, None
    if before.isascii() and before.isdecimal() and len(before) < 19:
        return None, int(before)
    turn_id, _, role = before.rpartition(".")
    if not turn_id or role not in ("user", "assistant"):
        raise UsageError(f"`before` is {before[:80]!r}, which is no id of a message: take one from the list.")
    return turn_id, None


def _conversation(session: Session) -> Conversation:
    return Conversation(
        id=session.id,
        user_id=session.user_id,
        title=session.title,
        created_at=session.started_at,
        updated_at=session.last_active,
        message_count=session.message_count,
    )
