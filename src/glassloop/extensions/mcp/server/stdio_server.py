"""Serving one client over standard input and output until it goes, or until told to stop."""

import asyncio
from contextlib import AsyncExitStack
from typing import Any, cast

from mcp.server.stdio import stdio_server

from glassloop.extensions.mcp.server.server import RequestHandler
from glassloop.extensions.mcp.server.standard_input import StandardInput
from glassloop.runtime.durable.runtime import Runtime
from glassloop.runtime.settings import Settings


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
