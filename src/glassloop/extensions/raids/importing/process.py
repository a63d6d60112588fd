"""The importing process as its parent sees it: started for one file, read frame by frame, and ended with its reader."""

from collections.abc import AsyncGenerator
from contextlib import aclosing

import msgspec

from glassloop.core.errors import UsageError
from glassloop.extensions.raids.importing.frames import MAX_FRAME_BYTES, Frame, Instructions, Refused
from glassloop.python_child import python_child
from glassloop.runtime.child_processes.frames import child_frames

MODULE = "glassloop.extensions.raids.importing.child"

_decoder = msgspec.msgpack.Decoder(Frame)


async def read_frames(wanted: Instructions, module: str = MODULE) -> AsyncGenerator[Frame]:
    """What is read of the file, in order; the last is the report. Ends the process when it is closed.

    Raises `UsageError` for a file that cannot be read.
    """
    child = python_child(module, msgspec.json.encode(wanted).decode())
    async with aclosing(child_frames(child, _decoder, MAX_FRAME_BYTES)) as frames:
        async for frame in frames:
            if isinstance(frame, Refused):
                raise UsageError(frame.reason)
            yield frame
