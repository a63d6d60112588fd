"""Frames of a child process of ours: it is started for one piece of work, read frame by frame, and ended with its
reader."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import suppress
from typing import TypeVar

import msgspec

from glassloop.core.errors import GlassloopError
from glassloop.python_child import HEAD_BYTES, PythonChild

T = TypeVar("T")

HELD_BYTES = 1_000_000
"""So much of what the process wrote waits here; then it waits itself."""
DECODED_HERE_BYTES = 16_384


async def child_frames(child: PythonChild, decoder: msgspec.msgpack.Decoder[T], max_bytes: int) -> AsyncGenerator[T]:
    """What the process writes, in order, to its end. Ends the process when it is closed.

    Raises `GlassloopError` where a frame is too large.
    """
    process = await asyncio.create_subprocess_exec(
        *child.argv,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
        cwd=child.cwd,
        env=child.env,
        limit=HELD_BYTES,
        # Ctrl-C in a terminal is for the server, which then hands the work over.
        start_new_session=True,
    )
    if process.stdout is None:
        raise GlassloopError("A Glassloop process could not be started: try again.")
    try:
        while (raw := await next_frame(process.stdout, max_bytes)) is not None:
            small = len(raw) <= DECODED_HERE_BYTES
            yield decoder.decode(raw) if small else await asyncio.to_thread(decoder.decode, raw)
    finally:
        with suppress(ProcessLookupError):
            process.kill()
        await asyncio.shield(process.wait())


async def next_frame(pipe: asyncio.StreamReader, max_bytes: int) -> bytes | None:
    """None where the other side is gone."""
    try:
        head = await pipe.readexactly(HEAD_BYTES)
        size = int.from_bytes(head, "big")
        if size > max_bytes:
            raise GlassloopError(f"A Glassloop process sent {size:,} bytes at once: please report this as a bug.")
        return await pipe.readexactly(size)
    except asyncio.IncompleteReadError:
        return None
