"""Prefix check: can text that begins like a call without tags still be one (JSON, Python calls, fences around them)?

Only watches, character by character; `written_calls` reads the complete calls.
"""

from typing import Final

from glassloop.core.protocols.reply_outcome import Tools
from glassloop.core.protocols.tolerant.json_scan import JsonScan
from glassloop.core.protocols.tolerant.repair import match_name
from glassloop.core.protocols.tolerant.written_calls import FENCES, FIRST_KEYS, plain_key

_WORD_CHARS: Final = 200
_GAP_CHARS: Final = 400
_BEGINNINGS: Final = frozenset(fence[:end] for fence in FENCES for end in range(1, len(fence) + 1))


class CallPrefix:
    """Fed with everything from the first character of the calls or of their fence on. Without `objects` only calls in
    Python count: objects are the machine's own business."""

    __slots__ = ("_fences", "_gap", "_keys", "_objects", "_python", "_refuted", "_scan", "_tools", "_word")

    def __init__(self, tools: Tools, *, objects: bool) -> None:
        self._tools = tools
        self._objects = objects
        self._scan: JsonScan | None = None
        self._python: bool = False
        self._word: str = ""
        self._gap: int = 0
        self._fences: int = 1
        self._keys = 0
        self._refuted: bool = False

    def refutes(self, text: str, at: int) -> bool:
        """Whether it is clear, with `text` from `at` on, that this is no call."""
        while at < len(text) and not self._refuted and not self._python:
            if self._scan is None:
                at = self._read_gap(text[at], at)
                continue
            at = self._scan.feed(text, at)
            self._refuted = self._refuted or self._scan.status == "broken"
            if self._scan.status == "done":
                self._scan, self._gap, self._fences = None, 0, 2
        return self._refuted

    def _read_gap(self, char: str, at: int) -> int:
        """What stands before an object or the parenthesis of a call: fences, blanks, brackets, a name."""
        word = self._word
        self._gap += 1
        self._refuted = len(word) > _WORD_CHARS or self._gap > _GAP_CHARS
        if char == "{":
            self._refuted = self._refuted or not self._objects or bool(word and word not in FENCES)
            self._scan, self._word, self._keys = JsonScan(self), "", 0
            return at
        if char == "(":
            self._python = match_name(word, self._tools) is not None
            self._refuted = self._refuted or not (self._python or word == "print")
            self._word = ""
        elif char.isspace() or char in ";,[]":
            self._refuted = self._refuted or bool(word and word not in FENCES)
            self._word = ""
        elif char == "`" or word.startswith("`"):
            self._word = word + char.lower()
            self._fences -= self._word == "```"
            self._refuted = self._refuted or self._fences < 0 or self._word not in _BEGINNINGS
        else:
            self._word = word + char
            self._refuted = self._refuted or not (
                char.isalpha() or char == "_" or (word and (char.isdigit() or char == "."))
            )
        return at + 1

    def key(self, name: str) -> None:
        self._keys += 1
        if self._keys == 1 and plain_key(name) not in FIRST_KEYS:
            self._refuted = True

    def piece(self, text: str, raw: bool) -> None: ...
