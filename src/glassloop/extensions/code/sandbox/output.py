"""Output of a command, while it runs and after it: bounded, without paths of the machine, told as it comes."""

import re
from collections.abc import Callable
from pathlib import Path
from time import monotonic

from glassloop.tools.context import PROGRESS_CHARS
from glassloop.tools.process.pipes import ClippedOutput

MAX_BYTES = 100_000
INTERVAL_S = 0.25
MAX_MESSAGES = 2_000
NOTE_CHARS = 80

_CONTROLS = re.compile(r"\x1b\[[0-9;?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
"""Colours and other orders to a terminal, which nobody here is."""


class CommandOutput:
    """The output of one command. `tell` is given the newest of it, some times a second. Used by one thread."""

    def __init__(self, root: Path, tell: Callable[[str], None], max_bytes: int = MAX_BYTES) -> None:
        self._kept = ClippedOutput(max_bytes)
        self._root = str(root)
        self._tell = tell
        self._new = bytearray()
        self._told_at = monotonic()
        self._messages = 0

    @property
    def truncated(self) -> bool:
        return self._kept.truncated

    def add(self, data: bytes) -> None:
        self._kept.add(data)
        self._new += data[-4 * PROGRESS_CHARS :]
        del self._new[: -4 * PROGRESS_CHARS]
        now = monotonic()
        if now - self._told_at >= INTERVAL_S and self._messages < MAX_MESSAGES:
            self._told_at = now
            self._messages += 1
            text = self._readable(bytes(self._new))
            self._new.clear()
            self._tell(text[-PROGRESS_CHARS:])

    def text(self) -> str:
        return self._readable(self._kept.read())

    def _readable(self, data: bytes) -> str:
        """As text with paths from the workspace: where it lies on the machine is nobody's business."""
        text = _CONTROLS.sub("", data.decode("utf-8", "replace"))
        return text.replace(f"{self._root}/", "").replace(self._root, ".")


def without_middle(text: str, room: int) -> str:
    """A text within so many characters, whole lines where there are any; more is kept of its end, where errors are."""
    if len(text) <= room:
        return text
    room = max(room - NOTE_CHARS, 0)
    first, last = text[: room // 4], text[len(text) - (room - room // 4) :]
    first = first[: first.rfind("\n") + 1] or first
    last = last[last.find("\n") + 1 :] or last
    left_out = len(text) - len(first) - len(last)
    return f"{first}[{left_out:,} characters left out: write to a file what you need of them]\n{last}"
