"""Large files on the disk: room for them, a lock on them, and work with them in threads."""

import asyncio
import errno
import hashlib
import os
import shutil
from collections.abc import AsyncGenerator, Callable, Generator
from contextlib import asynccontextmanager, contextmanager, suppress
from pathlib import Path
from typing import IO, ParamSpec, TypeVar

from glassloop.file_lock import take_lock
from glassloop.models.weights import DiskFull, WeightsError, format_bytes

BLOCK = 1 << 20
POLL_S = 0.2
SPARE_BYTES = 64_000_000
"""Left free for everybody else."""

_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
_P = ParamSpec("_P")
_T = TypeVar("_T")


async def in_thread(function: Callable[_P, _T], *args: _P.args, **kwargs: _P.kwargs) -> _T:
    """Like `asyncio.to_thread`, but a caller that is cancelled goes on only when the thread is done with the file."""
    task = asyncio.ensure_future(asyncio.to_thread(function, *args, **kwargs))
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        await asyncio.wait([task])
        raise


def hash_file(path: Path) -> str:
    """The file's sha256."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def write_at(source: IO[bytes], into: Path, at: int) -> None:
    """Writes what is read into a file from that place on, on the disk for certain."""
    with into.open("r+b" if into.exists() else "w+b") as file:
        file.truncate(at)
        file.seek(at)
        shutil.copyfileobj(source, file, BLOCK)
        file.flush()
        os.fsync(file.fileno())


def size_of(path: Path) -> int:
    """Bytes of a file, or of all below a folder, while others come and go; 0 where there is none."""
    with suppress(OSError):
        return sum(map(size_of, path.iterdir())) if path.is_dir() else path.stat().st_size
    return 0


def check_room(folder: Path, needed: int) -> None:
    """Raises `DiskFull` where so many bytes more do not fit."""
    if needed + SPARE_BYTES > shutil.disk_usage(folder).free:
        raise no_room(folder, needed + SPARE_BYTES)


def no_room(folder: Path, needed: int) -> DiskFull:
    free = format_bytes(shutil.disk_usage(folder).free)
    return DiskFull(
        f"The disk is full: {folder} needs {format_bytes(needed)} more and has {free} free. "
        "Make room, or set GLASSLOOP_HOME to a folder on another disk."
    )


@contextmanager
def writing(path: Path, needed: int) -> Generator[None]:
    """Around what writes to `path`: a disk that is full, or a folder that takes nothing, is told in a sentence."""
    try:
        yield
    except OSError as error:
        if error.errno in _FULL:
            raise no_room(path.parent, needed) from error
        raise WeightsError(
            f"{path} cannot be written: {error.strerror or error}. Set GLASSLOOP_HOME to a folder you may write in."
        ) from error


class Lock:
    """A lock of the operating system, which goes with its process however that ends. Its file stays: removing it
    would let two hold locks of the same name."""

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
        await asyncio.sleep(POLL_S)
    try:
        yield
    finally:
        lock.release()
