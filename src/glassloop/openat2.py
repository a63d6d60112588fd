"""Linux's `openat2`: a path opened beneath a folder and without links, in one call that nothing can outrun.

Python has no such function. `None` where the kernel has none either: `root_folder.py` then goes step by step.
"""

import ctypes
import errno
import os
import sys
from collections.abc import Callable

Opener = Callable[[int, str, int], int]
"""A folder's descriptor, a path beneath it and flags to a descriptor; raises `OSError`."""

_SYS_OPENAT2 = 437
"""The same on every processor, as all calls of Linux since 5.1."""
_NO_SYMLINKS, _BENEATH = 0x04, 0x08


class _OpenHow(ctypes.Structure):
    """`struct open_how` of Linux."""

    _fields_ = (("flags", ctypes.c_uint64), ("mode", ctypes.c_uint64), ("resolve", ctypes.c_uint64))


def _find() -> Opener | None:
    if sys.platform != "linux":
        return None
    call = ctypes.CDLL(None, use_errno=True).syscall
    call.restype = ctypes.c_long
    call.argtypes = [ctypes.c_long, ctypes.c_int, ctypes.c_char_p, ctypes.POINTER(_OpenHow), ctypes.c_size_t]
    size = ctypes.sizeof(_OpenHow)

    def call_openat2(folder: int, path: str, flags: int) -> int:
        how = _OpenHow(flags, 0, _BENEATH | _NO_SYMLINKS)
        while True:
            made = call(
                ctypes.c_long(_SYS_OPENAT2),
                ctypes.c_int(folder),
                ctypes.c_char_p(path.encode()),
                ctypes.byref(how),
                size,
            )
            if made >= 0:
                return made
            if (failure := ctypes.get_errno()) != errno.EINTR:
                raise OSError(failure, os.strerror(failure))

    top = os.open("/", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.close(call_openat2(top, ".", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC))
    except OSError:
        # Older than 5.6, or forbidden by the rules of a container.
        return None
    finally:
        os.close(top)
    return call_openat2


openat2 = _find()
