"""A fenced block as a value, read as it comes: three backticks or more, a word for the language, the text, the fence.

The text ends at a fence of as many backticks that is followed by what may follow a value, so that blocks inside a text
are part of it. What the text stands for is the caller's.
"""

import re
from typing import Final, Literal

_TICKS: Final = re.compile(r"`+")
_FOLLOWS: Final = frozenset(",)]}")
_MIN_TICKS: Final = 3
_INFO_CHARS: Final = 60


class FencedText:
    """Reads from the first backtick on."""

    __slots__ = ("_held", "_in_line", "_info", "_parts", "_run", "_step", "_ticks", "status")

    def __init__(self) -> None:
        self.status: Literal["open", "done", "broken"] = "open"
        self._step = self._read_opening
        self._ticks = 0
        self._info = ""
        self._in_line = False
        self._run = 0
        self._held = ""
        self._parts: list[str] = []

    @property
    def value(self) -> str:
        return "".join(self._parts)

    def feed(self, text: str, at: int) -> int:
        """Read on from `at`; the position of what follows the block, or of what broke it, or the end of `text`."""
        size = len(text)
        while at < size and self.status == "open":
            at = self._step(text, at)
        return at

    def _read_opening(self, text: str, at: int) -> int:
        ticks = _TICKS.match(text, at)
        if ticks is not None:
            self._ticks += len(ticks[0])
            return ticks.end()
        if self._ticks < _MIN_TICKS:
            self.status = "broken"
            return at
        self._step = self._read_info
        return at

    def _read_info(self, text: str, at: int) -> int:
        """The rest of the first line: a language, or already the text, where the fence closes in the same line."""
        char = text[at]
        if char == "\n":
            self._step = self._read_text
            return at + 1
        if char == "`" or len(self._info) >= _INFO_CHARS:
            self._in_line = True
            self._parts = [self._info]
            self._step = self._read_text
            return at
        self._info += char
        return at + 1

    def _read_text(self, text: str, at: int) -> int:
        tick = text.find("`", at)
        end = len(text) if tick < 0 else tick
        if end > at:
            self._parts.append(text[at:end])
        if tick >= 0:
            self._run, self._step = 0, self._read_run
        return end

    def _read_run(self, text: str, at: int) -> int:
        ticks = _TICKS.match(text, at)
        if ticks is not None:
            self._run += len(ticks[0])
            return ticks.end()
        if self._run == self._ticks and (self._in_line or self._begins_line()):
            self._held, self._step = "", self._look_behind
        else:
            self._keep()
        return at

    def _look_behind(self, text: str, at: int) -> int:
        """What follows a fence says whether it was the last one."""
        char = text[at]
        if char.isspace():
            self._held += char
            return at + 1
        if char in _FOLLOWS:
            self._drop_indent()
            self.status = "done"
        else:
            self._keep()
        return at

    def _keep(self) -> None:
        self._parts += ["`" * self._run, self._held]
        self._held, self._step = "", self._read_text

    def _begins_line(self) -> bool:
        last = next((part for part in reversed(self._parts) if part.strip(" \t")), "")
        return not last or last.rstrip(" \t").endswith("\n")

    def _drop_indent(self) -> None:
        """Blanks before the closing fence are its own."""
        if self._in_line:
            return
        text = self.value
        self._parts = [text[: text.rfind("\n") + 1]]
