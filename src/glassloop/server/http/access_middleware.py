"""Outermost middleware: counts and logs every request, and ends streams when the server stops.

A stream that can be resumed elsewhere is ended, whole events only, as soon as the server is about to stop; a request
whose answer exists only here keeps the connection for as long as uvicorn allows. Plain ASGI.
"""

import asyncio
import logging
import time

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from glassloop.server.auth.identity import Caller
from glassloop.server.http.root_path import local_scope
from glassloop.server.observability.metrics import Metrics

_log = logging.getLogger("glassloop.http")

RESUMABLE = ("/api/turns/", "/api/jobs/")
QUIET = frozenset({"/livez", "/readyz", "/health", "/metrics"})
"""Asked every few seconds by programs: not worth a line."""
MAX_PATH = 200
UNKNOWN = "unknown"
_GONE: Message = {"type": "http.disconnect"}


class _Answer:
    """What was sent so far, on its way through."""

    def __init__(self, send: Send, metrics: Metrics) -> None:
        self._send = send
        self._metrics = metrics
        self.status: int | None = None
        self.stream = False
        self.whole = False

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            self.stream = any(
                name.lower() == b"content-type" and value.startswith(b"text/event-stream")
                for name, value in message.get("headers", ())
            )
            self._metrics.streams += self.stream
        elif message["type"] == "http.response.body":
            self.whole = not message.get("more_body", False)
        await self._send(message)

    async def end(self) -> None:
        """Ends a stream that was let go, so that its client sees an end and no error."""
        if self.stream and not self.whole:
            await self({"type": "http.response.body", "body": b"", "more_body": False})


class AccessMiddleware:
    """Around the whole application."""

    def __init__(self, app: ASGIApp, metrics: Metrics, root_path: str = "") -> None:
        self._app = app
        self._metrics = metrics
        self._root_path = root_path
        self._closing = False
        self._streams: set[asyncio.Future[None]] = set()

    def close(self) -> None:
        """Ends the streams that their clients can resume elsewhere, and any that are opened from now on."""
        self._closing = True
        for waiter in self._streams:
            if not waiter.done():
                waiter.set_result(None)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        scope = local_scope(scope, self._root_path)
        if scope["type"] == "websocket":
            await self._socket(scope, receive, send)
            return
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        began = time.perf_counter()
        answer = _Answer(send, self._metrics)
        path = str(scope["path"])

        async def receive_or_end() -> Message:
            return await self._receive(receive)

        resumable = path.startswith(RESUMABLE) and path.endswith("/events")
        try:
            await self._app(scope, receive_or_end if resumable else receive, answer)
            if self._closing:
                await answer.end()
        finally:
            self._metrics.streams -= answer.stream
            self._note(scope, path, answer, time.perf_counter() - began)

    async def _socket(self, scope: Scope, receive: Receive, send: Send) -> None:
        began = time.perf_counter()
        self._metrics.streams += 1
        try:
            await self._app(scope, receive, send)
        finally:
            self._metrics.streams -= 1
            caller = scope.get("caller")
            data = {
                "path": str(scope["path"])[:MAX_PATH],
                "ms": round((time.perf_counter() - began) * 1000.0, 1),
                "user": caller.user if isinstance(caller, Caller) else None,
            }
            _log.info("socket", extra={"data": data})

    async def _receive(self, receive: Receive) -> Message:
        """What the client of a stream says, or that it is time to go."""
        if self._closing:
            return _GONE
        waiter: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        getting = asyncio.ensure_future(receive())
        self._streams.add(waiter)
        try:
            await asyncio.wait([getting, waiter], return_when=asyncio.FIRST_COMPLETED)
            return getting.result() if getting.done() else _GONE
        finally:
            self._streams.discard(waiter)
            getting.cancel()

    def _note(self, scope: Scope, path: str, answer: _Answer, seconds: float) -> None:
        route = getattr(scope.get("route"), "path", UNKNOWN)
        method = str(scope["method"])
        self._metrics.answered(method, route, answer.status or 0, seconds, stream=answer.stream)
        level = logging.DEBUG if path in QUIET else logging.INFO
        if _log.isEnabledFor(level):
            caller = scope.get("caller")
            data = {
                "method": method[:20],
                "path": path[:MAX_PATH],
                "status": answer.status,
                "ms": round(seconds * 1000.0, 1),
                "user": caller.user if isinstance(caller, Caller) else None,
            }
            _log.log(level, "request", extra={"data": data})
