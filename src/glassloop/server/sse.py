"""Server-sent events: one response for every stream, native or dialect.

Small on purpose: what is ready together goes out in one write, a comment keeps idle connections open, a client that
leaves ends its generator at once, and one that takes nothing for a minute is let go. A slow client holds up nobody:
what waits for it is bounded by its subscription.
"""

import asyncio
import time
from collections.abc import AsyncGenerator, Callable
from typing import Any

from starlette.responses import Response
from starlette.types import Receive, Scope, Send

HEARTBEAT = b": still here\n\n"
STALLED_S = 60.0
_HEADERS = {
    "cache-control": "no-store",
    "content-type": "text/event-stream; charset=utf-8",
    "x-accel-buffering": "no",
}


class EventStream(Response):
    """Sends what `frames` yields; `left` is called when the client goes before the end."""

    def __init__(
        self,
        frames: AsyncGenerator[bytes, None],
        *,
        left: Callable[[], object] | None = None,
        stalled_s: float = STALLED_S,
        headers: dict[str, str] | None = None,
    ) -> None:
        super().__init__(headers={**_HEADERS, **(headers or {})})
        del self.headers["content-length"]
        self._frames = frames
        self._left = left
        self._stalled_s = stalled_s
        self._blocked_since: float | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:  # noqa: ARG002
        sending = asyncio.ensure_future(self._send_all(send))
        watching = asyncio.ensure_future(self._until_gone(receive))
        watchdog = asyncio.get_running_loop().call_later(self._stalled_s, self._check, sending)
        try:
            await asyncio.wait([sending, watching], return_when=asyncio.FIRST_COMPLETED)
        finally:
            whole = sending.done() and not sending.cancelled() and sending.exception() is None
            watchdog.cancel()
            sending.cancel()
            watching.cancel()
            await asyncio.gather(sending, watching, return_exceptions=True)
            if not whole and self._left is not None:
                self._left()
        if sending.done() and not sending.cancelled() and (error := sending.exception()) is not None:
            raise error

    async def _send_all(self, send: Send) -> None:
        start: dict[str, Any] = {"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers}
        await send(start)
        try:
            async for body in self._frames:
                self._blocked_since = time.monotonic()
                await send({"type": "http.response.body", "body": body, "more_body": True})
                self._blocked_since = None
        finally:
            await self._frames.aclose()
        await send({"type": "http.response.body", "body": b"", "more_body": False})

    def _check(self, sending: "asyncio.Future[None]") -> None:
        blocked = self._blocked_since
        if blocked is not None and time.monotonic() - blocked >= self._stalled_s:
            sending.cancel()
        elif not sending.done():
            asyncio.get_running_loop().call_later(self._stalled_s, self._check, sending)

    async def _until_gone(self, receive: Receive) -> None:
        while (await receive())["type"] != "http.disconnect":
            pass


def frame(data: bytes, *, event: str | None = None, ident: str | None = None) -> bytes:
    """One event; `data` is one line, as JSON is."""
    head = b"" if ident is None else b"id: " + ident.encode() + b"\n"
    if event is not None:
        head += b"event: " + event.encode() + b"\n"
    return head + b"data: " + data + b"\n\n"
