"""Server-sent events: one response for every stream, native or dialect.

Small on purpose: what is ready together goes out in one write, a comment keeps idle connections open, and a client that
leaves ends its generator at once. A slow client delays nobody: what waits for it is bounded by its subscription, and
one that reads nothing at all is disconnected (`http_protocol`), which looks like leaving from here. Once a key is
revoked or a browser signed out, nothing more is sent.

In the native stream of a turn durable events have an `id:` of `turn_id:seq`. A client that reconnects with
`Last-Event-ID` gets what it missed from the store, the open block of text whole, and then joins live.
"""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing

import msgspec
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from glassloop.core import events as e
from glassloop.core.errors import ErrorType, UsageError
from glassloop.runtime.durable.runtime import Runtime
from glassloop.server.http.bytes_under_way import AnswerCutOff
from glassloop.server.http.errors import explain

HEARTBEAT = b": still here\n\n"
BEAT_S = 15.0
"""A stream on which nothing was sent for so long says that it is alive: proxies cut what seems dead after a minute.
So often it also asks whether its client may still have it."""

_encode = msgspec.json.Encoder().encode
_HEADERS = {
    "cache-control": "no-store",
    "content-type": "text/event-stream; charset=utf-8",
    "x-accel-buffering": "no",
}

REFUSED = "Your key was revoked or you signed out: sign in again."

Failed = Callable[[str, ErrorType], bytes]
LetIn = Callable[[], Awaitable[bool]]
Ending = asyncio.Future[None]


class EventStream(Response):
    """Sends what `frames` yields. `failed` tells a client of this dialect why a stream ends before its time; without
    it the stream just ends, and the client comes back with what it saw last."""

    def __init__(
        self,
        frames: AsyncGenerator[bytes, None],
        *,
        failed: Failed | None = None,
        beat_s: float = BEAT_S,
        headers: dict[str, str] | None = None,
    ) -> None:
        super().__init__(headers={**_HEADERS, **(headers or {})})
        del self.headers["content-length"]
        self._frames = frames
        self._failed = failed
        self._beat_s = beat_s
        self._sent = 0
        self._sending = True

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        sending = asyncio.ensure_future(self._send_all(str(scope["path"]), send))
        watching = asyncio.ensure_future(until_gone(receive))
        try:
            refused = await self._beat(scope.get("is_still_allowed"), send, sending, watching)
        finally:
            sending.cancel()
            watching.cancel()
            await asyncio.gather(sending, watching, return_exceptions=True)
        if refused and sending.cancelled():
            last = self._failed(REFUSED, "validation_error") if self._failed is not None else b""
            await send({"type": "http.response.body", "body": last, "more_body": False})
        if not sending.cancelled() and (error := sending.exception()) is not None:
            raise error

    async def _beat(self, is_still_allowed: LetIn | None, send: Send, sending: Ending, gone: Ending) -> bool:
        """Says now and then that the stream is alive, until it or its client is gone, or that may not have it any
        more: then true."""
        while True:
            before = self._sent
            done, _ = await asyncio.wait([sending, gone], timeout=self._beat_s, return_when=asyncio.FIRST_COMPLETED)
            if done:
                return False
            if is_still_allowed is not None and not await is_still_allowed():
                return True
            if self._sent == before and not self._sending:
                await send({"type": "http.response.body", "body": HEARTBEAT, "more_body": True})

    async def _send_all(self, path: str, send: Send) -> None:
        last = b""
        try:
            await send({"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers})
            self._sending = False
            async for body in self._frames:
                self._sending = True
                await send({"type": "http.response.body", "body": body, "more_body": True})
                self._sending = False
                self._sent += 1
        except AnswerCutOff:
            raise
        except Exception as error:
            # The edge of a request: its status is sent, so this is the only way left to say anything.
            text, kind = explain(error, f"the stream {path}")
            last = self._failed(text, kind) if self._failed is not None else b""
        finally:
            self._sending = True
            await self._frames.aclose()
        await send({"type": "http.response.body", "body": last, "more_body": False})


async def until_gone(receive: Receive) -> None:
    """Returns when the client has left."""
    while (await receive())["type"] != "http.disconnect":
        pass


def frame(value: object, *, event: str | None = None, ident: str | None = None) -> bytes:
    """One event: the value as JSON, or bytes of one line as they are."""
    data = value if isinstance(value, bytes) else _encode(value)
    head = b"" if ident is None else b"id: " + ident.encode() + b"\n"
    if event is not None:
        head += b"event: " + event.encode() + b"\n"
    return head + b"data: " + data + b"\n\n"


DONE = frame(b"[DONE]")
"""The last word of the dialects that have one."""


GATHER_S = 0.04
"""Transients wait this long for others to share their write."""


def native_frame(event: e.AnyEvent) -> bytes:
    """One event as the page and our own clients read it."""
    return frame(e.encode(event), event=str(type(event).__struct_config__.tag), ident=event_id(event))


def event_id(event: e.AnyEvent) -> str | None:
    """What a client goes on from; transients are nothing to go on from."""
    return None if type(event) in e.TRANSIENT else f"{event.turn_id}:{event.seq}"


def read_last_id(given: str | None, turn_id: str) -> int:
    """The seq in a `Last-Event-ID` of this turn; 0 where there is none."""
    if not given:
        return 0
    turn, _, seq = given.rpartition(":")
    if turn != turn_id or not seq.isascii() or not seq.isdecimal() or len(seq) > 9:
        raise UsageError(
            f"Last-Event-ID {given[:80]!r} does not belong to turn {turn_id!r}: omit it to start from the beginning."
        )
    return int(seq)


async def native_frames(
    runtime: Runtime, turn_id: str, after: int, *, through_pauses: bool = False
) -> AsyncGenerator[bytes, None]:
    """The stream of a turn from the event after `after` on, to its end or, unless it goes `through_pauses`, to where it
    waits for people."""
    watching = runtime.watch_batches(turn_id, after=after, through_pauses=through_pauses, gather_s=GATHER_S)
    async with aclosing(watching) as batches:
        async for batch in batches:
            if batch:
                yield b"".join([native_frame(event) for event in batch])
