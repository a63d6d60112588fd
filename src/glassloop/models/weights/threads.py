"""Work with files in a thread, so that the event loop never waits for a disk."""

import asyncio
import hashlib
import threading
from collections.abc import Callable
from pathlib import Path
from typing import ParamSpec, TypeVar

BLOCK = 1 << 20

_P = ParamSpec("_P")
_T = TypeVar("_T")


class Stopped(Exception):
    """Whoever wanted the work does not want it any more."""


async def in_thread(function: Callable[_P, _T], *args: _P.args, **kwargs: _P.kwargs) -> _T:
    """Like `asyncio.to_thread`, but a caller that is cancelled goes on only when the thread is done with the file."""
    task = asyncio.ensure_future(asyncio.to_thread(function, *args, **kwargs))
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        await asyncio.wait([task])
        raise


async def stoppable(work: Callable[[threading.Event], _T]) -> _T:
    """The same for work that takes long: it looks at the event, and raises `Stopped` once that is set."""
    stop = threading.Event()
    task = asyncio.ensure_future(asyncio.to_thread(work, stop))
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        stop.set()
        await asyncio.wait([task])
        raise


def hash_file(path: Path, stop: threading.Event, progress: Callable[[int], None] | None = None) -> str:
    """The file's sha256; `progress` gets the bytes read so far, in this thread."""
    digest, done = hashlib.sha256(), 0
    with path.open("rb") as file:
        while block := file.read(BLOCK):
            if stop.is_set():
                raise Stopped
            digest.update(block)
            done += len(block)
            if progress is not None:
                progress(done)
    return digest.hexdigest()
