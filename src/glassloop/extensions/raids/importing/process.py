"""The importing process as its parent sees it: started for one file, read frame by frame, and ended with its reader."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import suppress

import msgspec

from glassloop.core.errors import GlassloopError, UsageError
from glassloop.extensions.raids.importing.frames import MAX_FRAME_BYTES, Frame, Instructions, Refused
from glassloop.python_child import HEAD_BYTES, python_child

MODULE = "glassloop.extensions.raids.importing.child"
HELD_BYTES = 1_000_000
"""So much of what the process wrote waits here; then it waits itself."""
DECODED_HERE_BYTES = 16_384

_decoder = msgspec.msgpack.Decoder(Frame)


async def read_frames(wanted: Instructions, module: str = MODULE) -> AsyncGenerator[Frame]:
    """What is read of the file, in order; the last is the report. Ends the process when it is closed.

    Raises `UsageError` for a file that cannot be read, and `GlassloopError` where the process came to its end.
    """
    child = python_child(module, msgspec.json.encode(wanted).decode())
    process = await asyncio.create_subprocess_exec(
        *child.argv,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
        cwd=child.cwd,
        env=child.env,
        limit=HELD_BYTES,
        # Ctrl-C in a terminal is for the server, which then hands the job over.
        start_new_session=True,
    )
    if process.stdout is None:
        raise GlassloopError("The reader of combat logs could not be started: try again.")
    try:
        while (frame := await _next_frame(process.stdout)) is not None:
            if isinstance(frame, Refused):
                raise UsageError(frame.reason)
            yield frame
    finally:
        with suppress(ProcessLookupError):
            process.kill()
        await asyncio.shield(process.wait())


async def _next_frame(pipe: asyncio.StreamReader) -> Frame | None:
    try:
        head = await pipe.readexactly(HEAD_BYTES)
        size = int.from_bytes(head, "big")
        if size > MAX_FRAME_BYTES:
            raise GlassloopError(f"The reader of combat logs sent {size:,} bytes at once: report this as a fault.")
        raw = await pipe.readexactly(size)
    except asyncio.IncompleteReadError:
        return None
    if size <= DECODED_HERE_BYTES:
        return _decoder.decode(raw)
    return await asyncio.to_thread(_decoder.decode, raw)
