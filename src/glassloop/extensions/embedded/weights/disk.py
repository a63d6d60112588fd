"""Large files on the disk: free space for them, a lock on them, and work with them in threads."""

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
from glassloop.own_folder import make_own_file

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
    make_own_file(into)
    with into.open("r+b") as file:
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


def check_free_space(folder: Path, needed: int) -> None:
    """Raises `DiskFull` where so many bytes more do not fit."""
    if needed + SPARE_BYTES > shutil.disk_usage(folder).free:
        raise disk_full(folder, needed + SPARE_BYTES)


def disk_full(folder: Path, needed: int) -> DiskFull:
    free = format_bytes(shutil.disk_usage(folder).free)
    return DiskFull(
        f"The disk is full: {folder} needs {format_bytes(needed)} more and has {free} free. "
        "Free some, or set GLASSLOOP_HOME to a folder on another disk."
    )


@contextmanager
def writing(path: Path, needed: int) -> Generator[None]:
    """Around what writes to `path`: a disk that is full, or a folder that takes nothing, is told in a sentence."""
    try:
        yield
    except OSError as error:
        if error.errno in _FULL:
            raise disk_full(path.parent, needed) from error
        raise WeightsError(
            f"{path} cannot be written: {error.strerror or error}. Set GLASSLOOP_HOME to a folder you may write in."
        ) from error


def try_lock(path: Path) -> int | None:
    """The open file of a lock, to be closed to release it; None where another process has it.

    The file itself stays: removing it would let two hold locks of the same name.
    """
    file = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        take_lock(file)
    except OSError:
        os.close(file)
        return None
    return file


@asynccontextmanager
async def hold_lock(path: Path, waiting: Callable[[], None]) -> AsyncGenerator[None]:
    """Holds the lock, however long others have it; `waiting` is called now and then meanwhile."""
    while (lock := try_lock(path)) is None:
        waiting()
        await asyncio.sleep(POLL_S)
    try:
        yield
    finally:
        os.close(lock)
