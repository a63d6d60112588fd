"""One process at a time: a lock of the operating system on a file, which goes with its process however that ends."""

import asyncio
import os
import sys
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

LOOK_S = 0.2

if sys.platform == "win32":
    import msvcrt

    def _lock(file: int) -> None:
        msvcrt.locking(file, msvcrt.LK_NBLCK, 1)

else:
    import fcntl

    def _lock(file: int) -> None:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)


class Lock:
    """The lock on the file at that path. The file stays: removing it would let two hold locks of the same name."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file: int | None = None

    def take(self) -> bool:
        """Takes it if it is free; whether it was."""
        file = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o600)
        try:
            _lock(file)
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
