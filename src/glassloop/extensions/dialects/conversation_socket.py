"""`WS /conversations/{id}/ws`: a conversation over a socket.

In: `{type: "message", content, assistant?, model?}`, `{type: "cancel"}`. Out: the events of the turn as JSON, with
`type`, and `event_id` where a client can go on from. A turn that runs or waits when the socket opens is told from its
beginning; with `?after=EVENT_ID` the turn of that event first, from there, also if it is over. The socket follows turns
and owns none: they run on when it closes.
"""

import asyncio
from contextlib import aclosing
from typing import Any, cast

import msgspec
from fastapi import APIRouter, WebSocket
from pydantic import ValidationError
from starlette.websockets import WebSocketDisconnect

from glassloop.core.errors import GlassloopError, UsageError
from glassloop.extensions.dialects.conversation_events import (
    ChatEvent,
    NewMessage,
    TurnPosition,
    chat_events,
    follow_turn,
    read_position,
    runtime_and_settings,
    submit_message,
)
from glassloop.server.auth.identity import SIGN_IN_FIRST, Caller, NotSignedIn, check_not_forgeable
from glassloop.server.auth.limits import RateLimit, TooManyRequests, why_unfit
from glassloop.server.http.errors import as_response, error_record, explain
from glassloop.server.http.sockets import MAX_MESSAGE_BYTES, POLICY_VIOLATION, close_reason, refuse_socket
from glassloop.server.http.sse import BEAT_S, REFUSED
from glassloop.store.records import TurnStatus

router = APIRouter()

FRAMES_A_MINUTE = 60
"""Of one socket, of any kind: who sends more is disconnected."""
MAX_UNDER_WAY = 1000
MAX_ID_CHARS = 300
NOT_UNDERSTOOD = 'Send {"type": "message", "content": "…"} or {"type": "cancel"}'
UNSUPPORTED, TOO_LARGE, FAILED = 1003, 1009, 1011
_UNDER_WAY: tuple[TurnStatus, ...] = ("running", "paused")


@router.websocket("/conversations/{conversation_id}/ws")
async def converse(websocket: WebSocket, conversation_id: str) -> None:
    """Say things in a conversation, and follow what becomes of them."""
    runtime, _ = runtime_and_settings(websocket)
    after = websocket.query_params.get("after", "")[:MAX_ID_CHARS]
    try:
        caller = websocket.scope.get("caller")
        if not isinstance(caller, Caller):
            raise NotSignedIn(SIGN_IN_FIRST)
        session = await runtime.session(conversation_id, caller.user)
        check_not_forgeable(websocket)
        known = await read_position(runtime, session, after) if after else None
    except GlassloopError as error:
        await refuse_socket(error, websocket.scope, websocket.receive, websocket.send)
        return
    await websocket.accept()
    await ConversationSocket(websocket, caller, conversation_id).run(known)


class ConversationSocket:
    """One open socket."""

    def __init__(self, websocket: WebSocket, caller: Caller, session_id: str) -> None:
        self._websocket = websocket
        self._caller = caller
        self._session_id = session_id
        self._runtime, _ = runtime_and_settings(websocket)
        self._messages: RateLimit = websocket.app.state.socket_messages
        self._frames = RateLimit(FRAMES_A_MINUTE, most=1)
        self._following: asyncio.Task[None] | None = None
        self._turn_id = ""

    async def run(self, known: TurnPosition | None = None) -> None:
        """To the end of the connection, or until it is closed here. `known`: how far the client is."""
        reading = asyncio.ensure_future(self._read(known))
        watching = asyncio.ensure_future(self._watch_access())
        try:
            await asyncio.wait([reading, watching], return_when=asyncio.FIRST_COMPLETED)
            ended = next(task for task in (reading, watching) if task.done())
            code, reason = ended.result()
        except WebSocketDisconnect:
            return
        except Exception as error:
            # The edge of a socket.
            code, reason = FAILED, explain(error, f"the socket {self._websocket.scope['path']}")[0]
        finally:
            tasks: list[asyncio.Future[Any]] = [reading, watching]
            tasks += [self._following] if self._following is not None else []
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
        if code:
            await self._websocket.close(code, close_reason(reason))

    async def _watch_access(self) -> tuple[int, str]:
        """Returns when the caller is not let in any more."""
        while True:
            await asyncio.sleep(BEAT_S)
            if not await self._is_allowed():
                return POLICY_VIOLATION, REFUSED

    async def _is_allowed(self) -> bool:
        is_still_allowed = self._websocket.scope.get("is_still_allowed")
        return is_still_allowed is None or bool(await is_still_allowed())

    async def _read(self, known: TurnPosition | None) -> tuple[int, str]:
        """Heeds what comes; why to close, or 0 where the other end has gone."""
        await self._join(known)
        while True:
            frame = await self._websocket.receive()
            if frame["type"] == "websocket.disconnect":
                return 0, ""
            text: str | None = frame.get("text")
            if text is None:
                return UNSUPPORTED, f"Only text is read here. {NOT_UNDERSTOOD}."
            raw = text.encode("utf-8", "replace")
            if len(raw) > MAX_MESSAGE_BYTES:
                return TOO_LARGE, f"A message has at most {MAX_MESSAGE_BYTES:,} bytes, and this has {len(raw):,}."
            if self._frames.take(self._caller.user):
                return POLICY_VIOLATION, f"More than {FRAMES_A_MINUTE} messages a minute: connect again later."
            if not await self._is_allowed():
                return POLICY_VIOLATION, REFUSED
            try:
                await self._heed(raw)
            except GlassloopError as error:
                await self._tell(ChatEvent("error", error_record(error)))

    async def _heed(self, raw: bytes) -> None:
        if (why := why_unfit(raw)) is not None:
            raise UsageError(why)
        given: Any = msgspec.json.decode(raw)
        fields = cast("dict[str, Any]", given) if isinstance(given, dict) else {}
        kind = fields.pop("type", None)
        if kind == "message":
            await self._say(fields)
        elif kind == "cancel":
            await self._cancel()
        else:
            raise UsageError(f"This is neither a message nor a cancel. {NOT_UNDERSTOOD}.")

    async def _say(self, given: dict[str, Any]) -> None:
        try:
            message = NewMessage.model_validate(given)
        except ValidationError as error:
            faults = "; ".join(f"{'.'.join(map(str, one['loc']))}: {one['msg']}" for one in error.errors()[:5])
            raise UsageError(f"The message does not fit: {faults}.") from None
        # It may have been deleted meanwhile, and must not come back.
        await self._runtime.session(self._session_id, self._caller.user)
        if wait := self._messages.take(self._caller.user):
            raise TooManyRequests(
                f"More messages a minute than are taken: try again in {wait:.0f} s.", retry_after=wait
            )
        submitted = await submit_message(self._websocket, self._caller, self._session_id, message)
        if self._following is not None:
            # The turn before is over: only the rest of it is sent.
            await asyncio.wait([self._following])
        self._follow(submitted.turn_id)

    async def _cancel(self) -> None:
        if not self._turn_id or not await self._runtime.cancel(self._turn_id, self._caller.user):
            raise UsageError("There is nothing to cancel: no turn of this conversation runs or waits.")

    async def _join(self, known: TurnPosition | None) -> None:
        """Tells what the client missed, then follows what is under way."""
        if known is not None and known.status not in _UNDER_WAY:
            await self._tell_turn(known.turn_id, known.seq)
        for status in _UNDER_WAY:
            for row in await self._runtime.store.turns.list(MAX_UNDER_WAY, self._caller.user, status):
                if row.session_id == self._session_id and self._following is None:
                    self._follow(row.id, known.seq if known is not None and known.turn_id == row.id else 0)

    def _follow(self, turn_id: str, known: int = 0) -> None:
        self._turn_id = turn_id
        self._following = asyncio.ensure_future(self._tell_turn(turn_id, known))

    async def _tell_turn(self, turn_id: str, known: int) -> None:
        told = chat_events(self._websocket, known)
        try:
            async with aclosing(follow_turn(self._websocket, turn_id, through_pauses=True)) as batches:
                async for batch in batches:
                    for event in told.read(batch):
                        await self._tell(event)
        except WebSocketDisconnect:
            return
        except Exception as error:
            # The edge of a turn that is followed: the socket itself goes on.
            await self._tell(ChatEvent("error", as_response(*explain(error, f"the turn {turn_id} over a socket"))))

    async def _tell(self, event: ChatEvent) -> None:
        value = event.value
        fields = {name: getattr(value, name) for name in value.__struct_fields__} if _is_struct(value) else value
        going_on = {"event_id": event.id} if event.id is not None else {}
        await self._websocket.send_text(msgspec.json.encode({"type": event.name, **fields, **going_on}).decode())


def _is_struct(value: object) -> bool:
    return isinstance(value, msgspec.Struct)
