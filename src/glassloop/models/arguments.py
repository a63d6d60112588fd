"""Reads the arguments of a native tool call: a JSON object, or what a model meant as one.

Total and bounded: any text gives an object or None, in one pass, without evaluating anything.
Mended are fences, trailing and missing commas, single quotes, bare words, and a text cut off at its end. Whether the
arguments fit the tool is the tool's business.
"""

import re
from typing import Any, cast

import msgspec

from glassloop.core.records import Json

MOST_CHARS = 1_000_000
_DEEPEST = 64
_MISSING: Any = object()

_BLANK = re.compile(r"[\s,]*")
_FENCE = re.compile(r"```[\w-]*")
_NUMBER = re.compile(r"-?\d+(\.\d+)?([eE][+-]?\d{1,4})?(?![\w.])")
_WORD = re.compile(r"[^\s,:{}\[\]\"']+")
_CLOSERS = re.compile(r"[\s}\])`;]*")
_STRING_STOPS = {'"': re.compile(r'["\\]'), "'": re.compile(r"['\\]")}
_ESCAPED = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"}
_WORDS: dict[str, Json] = {"true": True, "false": False, "null": None, "none": None, "nan": None, "undefined": None}


def read_arguments(text: str, *, mend: bool = True) -> dict[str, Json] | None:
    """The object `text` holds; {} for nothing at all, None where there is none to be had.

    Without `mend`, only what is valid as it stands: for a call that may have been cut short, where a mended half
    would run a tool on half its input.
    """
    if not text.strip():
        return {}
    if len(text) > MOST_CHARS:
        return None
    value = _strict(text)
    if isinstance(value, str):
        # Some models encode the object twice.
        text = value
        value = _strict(text)
    if value is None:
        return {}
    if isinstance(value, dict):
        return cast("dict[str, Json]", value)
    return _Mender(text).read() if mend and value is _MISSING else None


def _strict(text: str) -> Any:
    try:
        return msgspec.json.decode(text)
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return _MISSING


class _Mender:
    """A forgiving reader of one object; `at` only ever moves forward."""

    def __init__(self, text: str) -> None:
        text = text.strip()
        fence = _FENCE.match(text)
        self.text = text[fence.end() :].removesuffix("```") if fence else text
        self.at = 0

    def read(self) -> dict[str, Json] | None:
        start = self.text.find("{")
        if start < 0:
            return None
        self.at = start
        value = self._object(0)
        # Something else after the object means that the text is not one object, and a guess might call the wrong thing.
        match = _CLOSERS.match(self.text, self.at)
        whole = match is not None and match.end() == len(self.text)
        return value if whole else None

    def _object(self, depth: int) -> dict[str, Json] | None:
        self.at += 1
        found: dict[str, Json] = {}
        while True:
            self._skip()
            char = self._char()
            if char in ("", "}"):
                self.at += 1
                return found
            key = self._string() if char in "\"'" else self._word()
            if key is None:
                return None
            self._skip()
            if self._char() != ":":
                # A key that was being written when the text ended is dropped; anywhere else it is not an object.
                return found if self._char() == "" else None
            self.at += 1
            self._skip()
            if self._char() == "":
                return found
            value = self._value(depth + 1)
            if value is _MISSING:
                return None
            found[key] = value

    def _array(self, depth: int) -> list[Json] | None:
        self.at += 1
        found: list[Json] = []
        while True:
            self._skip()
            if self._char() in ("", "]"):
                self.at += 1
                return found
            value = self._value(depth + 1)
            if value is _MISSING:
                return None
            found.append(value)

    def _value(self, depth: int) -> Any:
        char = self._char()
        if depth > _DEEPEST:
            return _MISSING
        if char == "{":
            value: Any = self._object(depth)
            return _MISSING if value is None else value
        if char == "[":
            value = self._array(depth)
            return _MISSING if value is None else value
        if char in "\"'":
            return self._string()
        return self._bare()

    def _bare(self) -> Any:
        number = _NUMBER.match(self.text, self.at)
        if number is not None:
            value = _strict(number.group())
            if value is not _MISSING:
                self.at = number.end()
                return value
        word = self._word()
        return _MISSING if word is None else _WORDS.get(word.lower(), word)

    def _word(self) -> str | None:
        match = _WORD.match(self.text, self.at)
        if match is None:
            return None
        self.at = match.end()
        return writable(match.group())

    def _string(self) -> str:
        quote, text, at = self.text[self.at], self.text, self.at + 1
        pieces: list[str] = []
        while True:
            match = _STRING_STOPS[quote].search(text, at)
            if match is None:
                pieces.append(text[at:])
                self.at = len(text)
                break
            pieces.append(text[at : match.start()])
            if match.group() == quote:
                self.at = match.end()
                break
            escape = text[match.end() : match.end() + 1]
            at = match.end() + 1
            if escape == "u":
                code = re.match(r"[0-9a-fA-F]{4}", text[at : at + 4])
                pieces.append(chr(int(code.group(), 16)) if code else "")
                at += 4 if code else 0
            else:
                pieces.append(_ESCAPED.get(escape, escape))
        return writable("".join(pieces))

    def _skip(self) -> None:
        match = _BLANK.match(self.text, self.at)
        self.at = match.end() if match else self.at

    def _char(self) -> str:
        return self.text[self.at : self.at + 1]


def writable(text: str) -> str:
    """Surrogate pairs joined, and halves of them replaced: what is kept must be storable as UTF-8."""
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text
