"""Talking to the child: requests in JSON over its private socket, replies whole or as a stream of events.

One connection a request: closing it is how a request is cancelled. Knows nothing of prompts or slots.
"""

import asyncio
from collections.abc import AsyncGenerator
from typing import Any, Final, cast

import httptools
import msgspec

_PIECE: Final = 65_536
_MAX_LINE_BYTES: Final = 4_000_000
_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder().decode


class LlamaConnectionError(Exception):
    """No complete reply came; the child may be gone."""


class LlamaRefused(Exception):
    """The child replied that it will not do that."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


class _Reply:
    """What the parser has read of one reply."""

    def __init__(self) -> None:
        self.body: list[bytes] = []
        self.status = 0
        self.done = False
        self._parser = httptools.HttpResponseParser(self)

    def feed(self, data: bytes) -> None:
        try:
            self._parser.feed_data(data)
        except httptools.HttpParserError as error:
            raise LlamaConnectionError(f"its reply cannot be read: {error}") from None

    def on_headers_complete(self) -> None:
        self.status = self._parser.get_status_code()

    def on_body(self, body: bytes) -> None:
        self.body.append(body)

    def on_message_complete(self) -> None:
        self.done = True

    def take(self) -> bytes:
        taken = b"".join(self.body)
        self.body.clear()
        return taken


async def call(socket: str, path: str, body: dict[str, Any], timeout_s: float) -> dict[str, Any]:
    """One request and its whole reply; raises `LlamaRefused` or `LlamaConnectionError`."""
    pieces: list[bytes] = []
    status = 200
    try:
        async with asyncio.timeout(timeout_s):
            async for found, piece in _exchange(socket, path, body):
                status = found
                pieces.append(piece)
    except TimeoutError:
        raise LlamaConnectionError(f"it said nothing for {timeout_s:g} seconds") from None
    return _checked(status, b"".join(pieces))


async def events(socket: str, path: str, body: dict[str, Any], idle_s: float) -> AsyncGenerator[dict[str, Any], None]:
    """The events of a streamed reply as they come; silence longer than `idle_s` is a `LlamaConnectionError`."""
    exchange = _exchange(socket, path, body)
    rest = b""
    try:
        while True:
            try:
                async with asyncio.timeout(idle_s):
                    status, piece = await anext(exchange)
            except StopAsyncIteration:
                return
            except TimeoutError:
                raise LlamaConnectionError(f"it said nothing for {idle_s:g} seconds") from None
            if status != 200:
                _checked(status, piece)
            *lines, rest = (rest + piece).split(b"\n")
            if len(rest) > _MAX_LINE_BYTES:
                raise LlamaConnectionError("it sends a line without end")
            for line in lines:
                if line.startswith(b"data: {"):
                    yield _checked(200, line[6:])
                elif line.startswith(b"error: {"):
                    yield _checked(500, line[7:])
    finally:
        await exchange.aclose()


async def _exchange(socket: str, path: str, body: dict[str, Any]) -> AsyncGenerator[tuple[int, bytes], None]:
    """Status and pieces of the body. An error's body comes as one piece."""
    content = _encode(body)
    head = (
        f"POST {path} HTTP/1.1\r\nHost: embedded\r\nContent-Type: application/json\r\n"
        f"Content-Length: {len(content)}\r\nConnection: close\r\n\r\n"
    )
    try:
        reader, writer = await asyncio.open_unix_connection(socket)
    except OSError as error:
        raise LlamaConnectionError(f"it cannot be reached: {error}") from None
    try:
        writer.write(head.encode("ascii") + content)
        reply = _Reply()
        while not reply.done:
            data = await reader.read(_PIECE)
            if not data:
                raise LlamaConnectionError("it broke off")
            reply.feed(data)
            if reply.body and (reply.status == 200 or reply.done):
                yield reply.status, reply.take()
    except OSError as error:
        raise LlamaConnectionError(f"it broke off: {error}") from None
    finally:
        # `abort` and not `close`: what is still unsent must not keep a cancelled request alive.
        writer.transport.abort()


def _checked(status: int, content: bytes) -> dict[str, Any]:
    try:
        value = _decode(content)
    except msgspec.DecodeError:
        value = None
    if not isinstance(value, dict):
        raise LlamaConnectionError("its reply is not a JSON object")
    reply = cast("dict[str, Any]", value)
    error = reply.get("error")
    if status != 200 or error is not None:
        found = cast("dict[str, Any]", error) if isinstance(error, dict) else {}
        code = found.get("code")
        raise LlamaRefused(code if isinstance(code, int) else status, str(found.get("message") or status)[:300])
    return reply
