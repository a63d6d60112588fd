"""The inside of one quoted string, read as it comes and unescaped on the way.

Accepts single and triple quotes, raw newlines and Python's escapes. What the string stands for is the caller's.
"""

import re
import sys
from collections.abc import Callable
from typing import Final, Literal

KEY_CHARS: Final = 200
"""A longer key is prose that happened to follow a brace."""

_STOPS: Final = {quote: re.compile(rf"[{quote}\\]") for quote in "\"'"}
_KEY_STOPS: Final = {quote: re.compile(rf"[{quote}\\\r\n]") for quote in "\"'"}
_ESCAPES: Final = {
    "n": "\n",
    "t": "\t",
    "r": "\r",
    "b": "\b",
    "f": "\f",
    "/": "/",
    "\\": "\\",
    '"': '"',
    "'": "'",
    "\n": "",
}
_HEX_DIGITS: Final = frozenset("0123456789abcdefABCDEF")
_HEX_LENGTHS: Final = {"u": 4, "x": 2, "U": 8}
_LOST: Final = "\ufffd"


class StringScan:
    """Reads from after the opening quote. `hear` gets each piece as soon as its characters are certain."""

    __slots__ = (
        "_digits",
        "_hear",
        "_high",
        "_key",
        "_kind",
        "_length",
        "_parts",
        "_quote",
        "_raw",
        "_run",
        "_step",
        "_triple",
        "status",
    )

    def __init__(
        self, quote: str, *, key: bool = False, hear: Callable[[str], None] | None = None, raw: bool = False
    ) -> None:
        self.status: Literal["open", "done", "broken"] = "open"
        self._quote = quote
        self._key = key
        self._raw = raw
        self._hear = hear
        self._parts: list[str] = []
        self._length = 0
        self._step = self._read_plain
        self._triple = False
        self._run = 0
        self._kind = ""
        self._digits = ""
        self._high = 0

    @property
    def value(self) -> str:
        return "".join(self._parts)

    @property
    def empty(self) -> bool:
        """Two quotes were read, and whether a third follows is not known yet."""
        return self._step == self._after_empty

    def feed(self, text: str, at: int) -> int:
        """Read on from `at`; the position after the closing quote, or of what broke it, or the end of `text`."""
        size = len(text)
        while at < size and self.status == "open":
            at = self._step(text, at)
        return at

    def _read_plain(self, text: str, at: int) -> int:
        stop = (_KEY_STOPS if self._key else _STOPS)[self._quote].search(text, at)
        end = stop.start() if stop else len(text)
        if end > at:
            self._drop_high()
            if self._key and end - at > KEY_CHARS - self._length:
                # Exactly here, however the text was cut: reading goes on from this place.
                self.status = "broken"
                return at + max(KEY_CHARS - self._length, 0)
            self._add(text[at:end])
        if stop is None:
            return end
        if stop[0] == "\\":
            self._step = self._read_escape
        elif stop[0] != self._quote:
            self.status = "broken"
            return end
        elif not self._key and not self._parts and not self._high:
            self._step = self._after_empty
        else:
            self._end()
        return end + 1

    def _after_empty(self, text: str, at: int) -> int:
        if text[at] != self._quote:
            self._end()
            return at
        self._triple = True
        self._resume()
        return at + 1

    def _read_tripled(self, text: str, at: int) -> int:
        stop = _STOPS[self._quote].search(text, at)
        end = stop.start() if stop else len(text)
        if end > at:
            self._add_run()
            self._add(text[at:end])
        if stop is None:
            return end
        if stop[0] == "\\":
            self._add_run()
            self._step = self._read_escape
            return end + 1
        self._run += 1
        if self._run == 3:
            self._end()
        return end + 1

    def _add_run(self) -> None:
        """Quotes that did not become the closing three belong to the text."""
        if self._run:
            self._add(self._quote * self._run)
            self._run = 0

    def _end(self) -> None:
        self._drop_high()
        if self.status == "open":
            self.status = "done"

    def _read_escape(self, text: str, at: int) -> int:
        char = text[at]
        if self._raw:
            self._resume()
            self._add("\\" + char)
            return at + 1
        if char in _HEX_LENGTHS:
            self._kind = char
            self._digits = ""
            self._step = self._read_digits
            return at + 1
        self._resume()
        # An escape JSON does not know is most often a pattern or a path whose backslash was meant.
        self._add(_ESCAPES.get(char, "\\" + char))
        return at + 1

    def _read_digits(self, text: str, at: int) -> int:
        if text[at] not in _HEX_DIGITS:
            self._resume()
            self._add("\\" + self._kind + self._digits)
            return at
        self._digits += text[at]
        if len(self._digits) == _HEX_LENGTHS[self._kind]:
            self._resume()
            self._add_code(int(self._digits, 16))
        return at + 1

    def _resume(self) -> None:
        self._step = self._read_tripled if self._triple else self._read_plain

    def _add_code(self, code: int) -> None:
        """Halves of a surrogate pair wait for each other; one alone could never be encoded again."""
        if 0xDC00 <= code <= 0xDFFF and self._high:
            code += 0x10000 - 0xDC00 + ((self._high - 0xD800) << 10)
            self._high = 0
        if 0xD800 <= code <= 0xDBFF:
            self._drop_high()
            self._high = code
        else:
            self._add(_LOST if 0xDC00 <= code <= 0xDFFF or code > sys.maxunicode else chr(code))

    def _drop_high(self) -> None:
        if self._high:
            self._high = 0
            self._add(_LOST)

    def _add(self, piece: str) -> None:
        self._drop_high()
        self._parts.append(piece)
        if self._key:
            self._length += len(piece)
            if self._length > KEY_CHARS:
                self.status = "broken"
        elif self._hear is not None and piece:
            self._hear(piece)
