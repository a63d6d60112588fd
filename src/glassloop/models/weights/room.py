"""Room on the disk: whether there is enough, and the sentence for when there is not."""

import errno
import shutil
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from glassloop.models.weights.catalogue import amount
from glassloop.models.weights.errors import DiskFull, WeightsError

SPARE_BYTES = 64_000_000
"""Left free for everybody else."""

_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


def check_room(folder: Path, needed: int) -> None:
    """Raises `DiskFull` where so many bytes more do not fit."""
    free = shutil.disk_usage(folder).free
    if needed + SPARE_BYTES > free:
        raise no_room(folder, needed + SPARE_BYTES, free)


def no_room(folder: Path, needed: int, free: int) -> DiskFull:
    return DiskFull(
        f"The disk is full: {folder} needs {amount(needed)} more and has {amount(free)} free. "
        "Make room, or set GLASSLOOP_HOME to a folder on another disk."
    )


@contextmanager
def writing(path: Path, needed: int) -> Generator[None]:
    """Around what writes to `path`: a disk that is full, or a folder that takes nothing, is told in a sentence."""
    try:
        yield
    except OSError as error:
        if error.errno in _FULL:
            raise no_room(path.parent, needed, shutil.disk_usage(path.parent).free) from error
        raise WeightsError(
            f"{path} cannot be written: {error.strerror or error}. Set GLASSLOOP_HOME to a folder you may write in."
        ) from error
