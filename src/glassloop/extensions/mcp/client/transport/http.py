"""A server at an address: the SDK's transport over a client that bounds what comes back and tells why nothing does.

What fails on the way is given to the SDK as an answer with a JSON-RPC error, so that one failed request does not end
the connection, and so that a request that never left is told from one whose answer was lost. Redirects to elsewhere
are not followed; nothing is decompressed.
"""

import asyncio
import json
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx2
from mcp.client._transport import TransportStreams
from mcp.client.streamable_http import streamable_http_client

from glassloop.extensions.mcp.client.config import HttpLaunch, ServerOptions
from glassloop.extensions.mcp.client.transport.message_filter import RateBudget
from glassloop.extensions.mcp.client.transport.stdio import BYTES_PER_S, too_large

NOT_SENT = -32_097
"""Nothing reached the server."""

LOST = -32_098
"""The request was sent and no answer came."""

RECONNECTIONS_PER_S = 0.5
_SLACK_S = 5.0
_REFUSALS = {
    401: 'it wants credentials: give them under "headers" in its entry',
    403: 'it does not accept these credentials: change them under "headers" in its entry',
    407: "the proxy on the way wants credentials",
    429: "it has had too many requests for now",
}
_UNSENT = (httpx2.ConnectError, httpx2.ConnectTimeout, httpx2.PoolTimeout, httpx2.UnsupportedProtocol)


@asynccontextmanager
async def http_connected(launch: HttpLaunch, options: ServerOptions) -> AsyncGenerator[TransportStreams, None]:
    """The streams of a connection to that address."""
    limit = options.max_bytes
    headers = {**launch.headers, "accept-encoding": "identity"}
    # A call that was given up leaves its request behind; that ends here.
    timeout = httpx2.Timeout(options.start_s, read=max(options.start_s, options.timeout_s) + _SLACK_S)
    async with (
        _Client(limit, headers=headers, timeout=timeout) as client,
        streamable_http_client(launch.url, http_client=client, max_sse_event_size=limit) as streams,
    ):
        yield streams


class _Client(httpx2.AsyncClient):
    """A client whose answers are bounded, and whose failures to send are answers."""

    def __init__(self, limit: int, **options: Any) -> None:
        super().__init__(**options)
        self._limit = limit
        self._budget = RateBudget(BYTES_PER_S, 2 * BYTES_PER_S)
        self._reconnections = RateBudget(RECONNECTIONS_PER_S, 10)

    async def send(self, request: httpx2.Request, **options: Any) -> httpx2.Response:
        if request.method == "GET":
            # The stream of what the server says unasked: it may be silent for long, and asked for again at its word.
            request.extensions["timeout"]["read"] = None
            await asyncio.sleep(self._reconnections.take())
        try:
            response = await super().send(request, **options)
        except _UNSENT as error:
            return _answer(request, NOT_SENT, f"it cannot be reached ({_why(error)})")
        except httpx2.TransportError as error:
            return _answer(request, LOST, f"the connection broke off ({_why(error)})")
        status = response.status_code
        if request.method == "POST" and (status in _REFUSALS or status >= 500):
            await response.aclose()
            return _answer(request, NOT_SENT if status < 500 else LOST, _told(status))
        if response.headers.get("content-encoding", "identity") != "identity":
            # A few bytes could unpack to any number of them.
            await response.aclose()
            return _answer(request, LOST, "it compressed its answer, although it was asked not to")
        response.stream = _Stream(response.stream, self._limit, self._budget, _is_events(response))
        return response


class _Stream(httpx2.AsyncByteStream):
    """A body that ends where it becomes too large; of an event stream each event has its own limit."""

    def __init__(self, body: Any, limit: int, budget: RateBudget, events: bool) -> None:
        self._body = body
        self._limit = limit
        self._budget = budget
        self._events = events

    async def __aiter__(self) -> AsyncIterator[bytes]:
        received = 0
        try:
            async for chunk in self._body:
                received += len(chunk)
                if received > self._limit and not self._events:
                    raise httpx2.StreamError(too_large(self._limit))
                yield chunk
                await asyncio.sleep(self._budget.take(len(chunk)))
        except httpx2.TransportError as error:
            raise httpx2.StreamError(f"the connection broke off ({_why(error)})") from error

    async def aclose(self) -> None:
        await self._body.aclose()


def _is_events(response: httpx2.Response) -> bool:
    return response.headers.get("content-type", "").lower().startswith("text/event-stream")


def _answer(request: httpx2.Request, code: int, message: str) -> httpx2.Response:
    body = {"jsonrpc": "2.0", "id": None, "error": {"code": code, "message": message}}
    content = json.dumps(body).encode()
    return httpx2.Response(503, headers={"content-type": "application/json"}, content=content, request=request)


def _told(status: int) -> str:
    return f"HTTP status {status}: {_REFUSALS.get(status, 'it is out of order')}"


def _why(error: Exception) -> str:
    return f"{type(error).__name__}: {error}"[:200] if str(error) else type(error).__name__
