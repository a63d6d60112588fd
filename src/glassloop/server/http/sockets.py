"""WebSocket connections: their limits, and refusals that a client can read.

uvicorn counts no sockets among its connections, takes messages of megabytes, and waits for ever to close a connection
whose other end reads nothing. For `uvicorn.Config(ws=BoundedSocket, …)`, with `SOCKET_OPTIONS`.
"""

from typing import Any, cast

from fastapi import Request
from starlette.exceptions import HTTPException
from starlette.types import Receive, Scope, Send
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

from glassloop.core.errors import GlassloopError
from glassloop.server.http import errors

MAX_MESSAGE_BYTES = 65_536
PING_S = 20.0
ABORT_S = 1.0
POLICY_VIOLATION = 1008
SOCKET_OPTIONS: dict[str, Any] = {
    # What is a little too long is refused by the application, in words.
    "ws_max_size": 2 * MAX_MESSAGE_BYTES,
    "ws_ping_interval": PING_S,
    "ws_ping_timeout": PING_S,
    # A few bytes could become megabytes.
    "ws_per_message_deflate": False,
}
MAX_REASON_BYTES = 120
"""A close frame has room for 123."""


class BoundedSocket(WebSocketsSansIOProtocol):
    """A socket that ends when its other end is gone."""

    def keepalive_timeout(self) -> None:
        super().keepalive_timeout()
        # Closing would wait for what is never taken.
        self.loop.call_later(ABORT_S, cast("Any", self.transport).abort)


def close_reason(text: str) -> str:
    """As much of a sentence as a close frame holds."""
    return text.encode()[:MAX_REASON_BYTES].decode("utf-8", "ignore")


async def refuse_socket(error: GlassloopError | HTTPException, scope: Scope, receive: Receive, send: Send) -> None:
    """Answers a handshake as a request would be answered, where the server can; else closes it with the reason."""
    if "websocket.http.response" not in scope.get("extensions", {}):
        reason = str(error.detail if isinstance(error, HTTPException) else error)
        await send({"type": "websocket.close", "code": POLICY_VIOLATION, "reason": close_reason(reason)})
        return
    request = Request({**scope, "type": "http", "method": "GET"})
    if isinstance(error, HTTPException):
        answer = errors.answer(request, error.status_code, error.detail, "validation_error")
    else:
        answer = await errors.ours(request, error)
    await answer(scope, receive, send)
