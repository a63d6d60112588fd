"""One process at a time: a lock of the operating system on a file, which goes with its process however that ends."""

import asyncio
import os
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

from glassloop.file_lock import take_lock

LOOK_S = 0.2


class Lock:
    """The lock on the file at that path. The file stays: removing it would let two hold locks of the same name."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file: int | None = None

    def take(self) -> bool:
        """Takes it if it is free; whether it was."""
        file = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o600)
        try:
            take_lock(file)
        except OSError:
            os.close(file)
            return False
        self._file = file
        return True

    def release(self) -> None:
        """Gives it back; doing so twice is fine."""
        if self._file is not None:
            os.close(self._file)
            self._file = None


@asynccontextmanager
async def holding(path: Path, waiting: Callable[[], None]) -> AsyncGenerator[None]:
    """Holds the lock, however long others have it; `waiting` is called now and then meanwhile."""
    lock = Lock(path)
    while not lock.take():
        waiting()
        await asyncio.sleep(LOOK_S)
    try:
        yield
    finally:
        lock.release()
