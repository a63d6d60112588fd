"""Lock of the operating system on an open file: released with its process, however that ends.

Below all layers, as each of them has files that only one process may write.
"""

import os
import sys

if sys.platform == "win32":
    import msvcrt

    _FAR = 2**40
    """Far behind the text, which others may read meanwhile: there a lock keeps everybody from its bytes."""

    def take_lock(file: int, *, shared: bool = False, wait: bool = False) -> None:  # noqa: ARG001
        """Raises `OSError` where another has it; with `wait` only after ten seconds."""
        _at(file, msvcrt.LK_LOCK if wait else msvcrt.LK_NBLCK)

    def give_lock(file: int) -> None:
        _at(file, msvcrt.LK_UNLCK)

    def _at(file: int, what: int) -> None:
        place = os.lseek(file, 0, os.SEEK_CUR)
        os.lseek(file, _FAR, os.SEEK_SET)
        try:
            msvcrt.locking(file, what, 1)
        finally:
            os.lseek(file, place, os.SEEK_SET)

else:
    import fcntl

    def take_lock(file: int, *, shared: bool = False, wait: bool = False) -> None:
        """Raises `OSError` where another has it, unless it may `wait`."""
        kind = fcntl.LOCK_SH if shared else fcntl.LOCK_EX
        fcntl.flock(file, kind if wait else kind | fcntl.LOCK_NB)

    def give_lock(file: int) -> None:
        fcntl.flock(file, fcntl.LOCK_UN)
