"""Prefix check: can a reply that begins like a call written as text still be one (a bare JSON object, list or fence)?

Only watches, character by character; `written_calls` reads the complete call.
"""

from typing import Final

from glassloop.core.protocols.tolerant.json_scan import JsonScan
from glassloop.core.protocols.tolerant.written_calls import FENCES, FIRST_KEYS, plain_key

_BEGINNINGS: Final = frozenset(fence[:end] for fence in FENCES for end in range(1, len(fence) + 1))


class CallPrefix:
    """Fed with everything from the reply's first visible character on."""

    __slots__ = ("_head", "_headed", "_keys", "_refuted", "_rest", "_scan")

    def __init__(self) -> None:
        self._scan: JsonScan | None = None
        self._head = ""
        self._headed = False
        self._rest = ""
        self._keys = 0
        self._refuted = False

    def refutes(self, text: str) -> bool:
        """Whether it is clear by now that this is no call."""
        at = 0
        if self._scan is None:
            at = self._begin(text)
        if self._scan is not None and not self._refuted:
            self._read(self._scan, text, at)
        return self._refuted

    def _begin(self, text: str) -> int:
        """Reads the fence's own line, until the value begins."""
        for at, char in enumerate(text):
            if char in "{[" and (not self._head or self._head in FENCES):
                self._scan = JsonScan(self)
                return at
            if char.isspace():
                self._headed = bool(self._head)
                self._refuted = self._headed and self._head not in FENCES
            else:
                self._head += char.lower()
                self._refuted = self._headed or self._head not in _BEGINNINGS
            if self._refuted:
                break
        return len(text)

    def _read(self, scan: JsonScan, text: str, at: int) -> None:
        if scan.status == "open":
            at = scan.feed(text, at)
        if scan.status == "broken":
            self._refuted = True
        elif scan.status == "done":
            self._rest += text[at:].strip()[:4]
            self._refuted = self._refuted or not "```".startswith(self._rest[:4])

    def key(self, name: str) -> None:
        self._keys += 1
        if self._keys == 1 and plain_key(name) not in FIRST_KEYS:
            self._refuted = True

    def piece(self, text: str, raw: bool) -> None: ...
