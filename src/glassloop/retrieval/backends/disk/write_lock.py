"""One process writes an index: an OS file lock, which goes with the process however that ends."""

import os
import threading
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path
from time import monotonic, sleep

from glassloop.core.errors import StoreAway
from glassloop.file_lock import give_lock, take_lock

POLL_S = 0.02


class WriteLock:
    """The lock of one index. Threads of this process wait for one another as other processes do."""

    def __init__(self, path: Path, index: str) -> None:
        self._path = path
        self._index = index
        self._threads = threading.Lock()

    @contextmanager
    def hold(self, wait_s: float) -> Generator[None]:
        """Waits that long at most, then refuses."""
        until = monotonic() + wait_s
        if not self._threads.acquire(timeout=max(0.0, wait_s)):
            raise self._refused(wait_s, os.getpid())
        try:
            file = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o600)
            try:
                self._wait(file, until, wait_s)
                try:
                    yield
                finally:
                    with suppress(OSError):
                        give_lock(file)
            finally:
                os.close(file)
        finally:
            self._threads.release()

    def _wait(self, file: int, until: float, wait_s: float) -> None:
        while True:
            try:
                take_lock(file)
            except OSError as error:
                if monotonic() >= until:
                    raise self._refused(wait_s, self._holder(file)) from error
                sleep(POLL_S)
            else:
                os.ftruncate(file, 0)
                os.write(file, str(os.getpid()).encode())
                return

    def _holder(self, file: int) -> int | None:
        try:
            os.lseek(file, 0, os.SEEK_SET)
            return int(os.read(file, 20))
        except (OSError, ValueError):
            return None

    def _refused(self, wait_s: float, holder: int | None) -> StoreAway:
        who = f" by process {holder}" if holder else ""
        return StoreAway(
            f"The index {self._index!r} is being written{who}, and was still after {wait_s:g} s: try again when that "
            "is done."
        )
