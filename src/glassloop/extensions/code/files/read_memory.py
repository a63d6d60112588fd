"""Memory of what a session has read of each file, to notice that somebody changed it since.

Bounded, and of this process: after a restart a file counts as not read.
"""

import threading
from collections import OrderedDict

import msgspec

MAX_FILES = 2_000
MAX_TEXT_CHARS = 200_000
MAX_CHARS = 16_000_000
MAX_CALLS = 2_000

Key = tuple[str, str, str]
"""User, session, path."""


class SeenFile(msgspec.Struct, frozen=True, gc=False):
    """A file as the session knows it. `text` is None where it is long."""

    sha256: str
    encoding: str
    text: str | None


class SeenFiles:
    """For any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._files: OrderedDict[Key, SeenFile] = OrderedDict()
        self._chars = 0
        self._previews: OrderedDict[str, tuple[str, ...]] = OrderedDict()

    def get(self, key: Key) -> SeenFile | None:
        with self._lock:
            return self._files.get(key)

    def put(self, key: Key, sha256: str, encoding: str, text: str) -> None:
        kept = SeenFile(sha256, encoding, text if len(text) <= MAX_TEXT_CHARS else None)
        with self._lock:
            self._drop(key)
            self._files[key] = kept
            self._chars += len(kept.text or "")
            while len(self._files) > MAX_FILES or self._chars > MAX_CHARS:
                self._drop(next(iter(self._files)))

    def forget(self, key: Key) -> None:
        with self._lock:
            self._drop(key)

    def _drop(self, key: Key) -> None:
        gone = self._files.pop(key, None)
        self._chars -= len((gone and gone.text) or "")

    def shown(self, call: str) -> tuple[str, ...] | None:
        """The sha256 of the files that the preview of a call was made from; None where there was none."""
        with self._lock:
            return self._previews.get(call)

    def put_shown(self, call: str, versions: tuple[str, ...]) -> None:
        with self._lock:
            self._previews[call] = versions
            self._previews.move_to_end(call)
            while len(self._previews) > MAX_CALLS:
                self._previews.popitem(last=False)
