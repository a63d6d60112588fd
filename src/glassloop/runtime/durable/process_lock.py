"""Process locks: which of the processes that share a SQLite file are alive, each holding an OS lock while it lives.

The lock is released with the process, however that ends; a process that is only stopped keeps it. Nothing is written
into the files. What a worker owns is not known here.
"""

import os
import re
import secrets
import socket
import sys
from contextlib import suppress
from itertools import islice
from pathlib import Path
from weakref import WeakSet

from glassloop.core.errors import StoreError
from glassloop.file_lock import take_lock
from glassloop.store.engine.urls import MEMORY

ATTEMPTS = 20
CLEARED = 1000
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9-]{0,99}")

# Whatever else lies under that name is neither followed nor waited for; Windows has no such names.
_as_is = os.O_RDWR | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)


class ProcessLock:
    """This process, as a worker on the database at that path. No other has the same `name`, now or later."""

    def __init__(self, database_path: str | os.PathLike[str]) -> None:
        path = os.fspath(database_path)
        self._folder = None if path == MEMORY else Path(f"{path}.workers")
        self._file: int | None = None
        self.name = _new_name()
        if self._folder is None:
            return
        try:
            self._folder.mkdir(mode=0o700, exist_ok=True)
            self.name, self._file = _hold(self._folder)
            _clear(self._folder, but=self.name)
        except OSError as error:
            self.close()
            raise StoreError(
                f"The folder {str(self._folder)!r}, for the database's process locks, cannot be used "
                f"({error.strerror}): move the database to a writable disk that supports locks."
            ) from error
        _holders.add(self)

    def is_gone(self, worker: str) -> bool:
        """Whether that worker's process is no more. Where nobody can tell, it is taken to be alive."""
        if worker == self.name:
            return False
        if self._folder is None or not _NAME.fullmatch(worker):
            return True
        return _is_free(self._folder / worker)

    def close(self) -> None:
        """From now on this worker is gone; closing twice is fine."""
        if self._folder is not None and self._file is not None:
            self.release()
            with suppress(OSError):
                (self._folder / self.name).unlink()

    def release(self) -> None:
        """Closes the lock's file and no more: in a forked child, where the lock is its parent's."""
        if self._file is not None:
            os.close(self._file)
            self._file = None


_holders: WeakSet[ProcessLock] = WeakSet()


def _release_in_child() -> None:
    for process_lock in list(_holders):
        process_lock.release()


if hasattr(os, "register_at_fork"):
    # A program that is started closes the file by itself. A fork alone would keep the lock when its parent is gone.
    os.register_at_fork(after_in_child=_release_in_child)


def _new_name() -> str:
    host = re.sub(r"[^A-Za-z0-9]+", "-", socket.gethostname()).strip("-")[:60]
    return f"{host or 'host'}-{os.getpid()}-{secrets.token_hex(3)}"


def _hold(folder: Path) -> tuple[str, int]:
    refused: OSError | None = None
    for _ in range(ATTEMPTS):
        name = _new_name()
        file = os.open(folder / name, _as_is | os.O_CREAT | os.O_EXCL, 0o600)
        try:
            take_lock(file, shared=False)
            # Whoever clears up after the dead may have found the file before it was locked, and removed it.
            if os.path.samestat(os.fstat(file), (folder / name).stat()):
                return name, file
        except OSError as error:
            refused = error
        os.close(file)
        (folder / name).unlink(missing_ok=True)
    raise refused or FileNotFoundError(2, "the lock's file was removed each time")


def _clear(folder: Path, but: str) -> None:
    """Removes what processes that were killed have left."""
    with os.scandir(folder) as entries:
        for entry in islice(entries, CLEARED):
            if entry.name != but and _NAME.fullmatch(entry.name):
                _is_free(folder / entry.name)


def _is_free(path: Path) -> bool:
    """Whether nobody holds the lock there; the file is removed then."""
    try:
        file = os.open(path, _as_is)
    except OSError as error:
        return isinstance(error, FileNotFoundError)
    try:
        take_lock(file, shared=True)
        # With the lock in hand, so that a process that is just starting sees what happened to its file.
        with suppress(OSError):
            path.unlink()
    except OSError:
        return False
    finally:
        os.close(file)
    if sys.platform == "win32":
        # Not possible while it is open, there.
        with suppress(OSError):
            path.unlink()
    return True
