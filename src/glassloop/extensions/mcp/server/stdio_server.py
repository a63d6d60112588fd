"""Serving one client over standard input and output until it goes, or until told to stop.

Input is read by a thread that nobody has to wait for when the process ends. Lines are bounded and few are kept; a line
that is too long arrives as one that means nothing. While it is open, whatever else reads standard input (a tool, its
child process) finds it empty.
"""

import asyncio
import os
import threading
from collections.abc import Iterator
from contextlib import AsyncExitStack
from typing import Any, Self, cast

from mcp.server.stdio import stdio_server

from glassloop.extensions.mcp.server.server import RequestHandler
from glassloop.runtime.durable.runtime import Runtime
from glassloop.runtime.settings import Settings

LINE_BYTES = 8_000_000
KEPT = 16
_PIECE = 65_536
_TOO_LONG = "(a line that is too long)"


class StandardInput:
    """An async iterator of lines, to be used once, on the running event loop."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._lines: asyncio.Queue[str | None] = asyncio.Queue()
        self._free = threading.Semaphore(KEPT)
        self._descriptor = os.dup(0)
        nothing = os.open(os.devnull, os.O_RDONLY)
        os.dup2(nothing, 0)
        os.close(nothing)
        threading.Thread(target=self._read, name="glassloop-stdin", daemon=True).start()

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> str:
        line = await self._lines.get()
        self._free.release()
        if line is None:
            raise StopAsyncIteration
        return line

    def _read(self) -> None:
        try:
            for line in self._split():
                self._give(line)
            self._give(None)
        except RuntimeError:
            # The loop is closed: the process is about to end.
            return

    def _give(self, line: str | None) -> None:
        self._free.acquire()
        self._loop.call_soon_threadsafe(self._lines.put_nowait, line)

    def _split(self) -> Iterator[str]:
        kept, too_long = b"", False
        while piece := self._piece():
            *whole, rest = piece.split(b"\n")
            for part in whole:
                too_long = too_long or len(kept) + len(part) > LINE_BYTES
                yield _TOO_LONG if too_long else (kept + part).decode("utf-8", "replace")
                kept, too_long = b"", False
            too_long = too_long or len(kept) + len(rest) > LINE_BYTES
            kept = b"" if too_long else kept + rest
        if kept:
            yield kept.decode("utf-8", "replace")

    def _piece(self) -> bytes:
        try:
            return os.read(self._descriptor, _PIECE)
        except OSError:
            # A terminal that was closed is the end, too.
            return b""


async def serve_stdio(runtime: Runtime, settings: Settings, *, user: str, stopping: asyncio.Event) -> None:
    """Returns when the client closes standard input, or when `stopping` is set. Calls under way are cancelled then,
    and their turns with them."""
    handler = RequestHandler(runtime, settings, user)
    async with AsyncExitStack() as stack:
        stack.push_async_callback(handler.asking.aclose)
        serving = asyncio.ensure_future(_serve(handler))
        told = asyncio.ensure_future(stopping.wait())
        try:
            await asyncio.wait([serving, told], return_when=asyncio.FIRST_COMPLETED)
        finally:
            told.cancel()
            serving.cancel()
            await asyncio.gather(serving, told, return_exceptions=True)
        if not serving.cancelled() and (error := serving.exception()) is not None:
            raise error


async def _serve(handler: RequestHandler) -> None:
    server = handler.server()
    # The SDK only iterates over what it is given as standard input.
    lines = cast("Any", StandardInput())
    async with stdio_server(stdin=lines) as (read, write):
        await server.run(read, write, server.create_initialization_options())
