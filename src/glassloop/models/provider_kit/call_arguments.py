"""Reads the arguments of a native tool call: a JSON object, or what a model meant as one.

Total and bounded: any text gives an object or None, in one pass, without evaluating anything.
Fences, single quotes, trailing commas and bare keys can mean one thing only. Other mends are guesses, and the arguments
say so: a text cut off at its end, missing commas, bare words, keys that come twice, what stands around the object.
Whether the arguments fit the tool is the tool's business; whether it runs on a guess is the policy's.
"""

import json
import re
from typing import Any, NamedTuple, cast

import msgspec

from glassloop.core.records import Json, Mend

MAX_CHARS = 1_000_000
_MAX_DEPTH = 64
_MISSING: Any = object()

_BLANK = re.compile(r"[\s,]*")
_FENCE = re.compile(r"```[\w-]*")
_NUMBER = re.compile(r"-?\d+(\.\d+)?([eE][+-]?\d{1,4})?(?![\w.])")
_WORD = re.compile(r"[^\s,:{}\[\]\"']+")
_CLOSERS = re.compile(r"[\s}\])`;]*")
_STRING_STOPS = {'"': re.compile(r'["\\]'), "'": re.compile(r"['\\]")}
_ESCAPED = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"}
_UNESCAPED = frozenset("\"'\\/")
_WORDS: dict[str, Json] = {"true": True, "false": False, "null": None, "none": None, "nan": None, "undefined": None}
_CERTAIN = frozenset({"true", "false", "null", "none"})
_LOST = "\ufffd"


class CallArguments(NamedTuple):
    """The arguments of one call, and whether they are certain."""

    args: dict[str, Json]
    mended: Mend | None = None


def read_arguments(text: str, *, mend: bool = True) -> CallArguments | None:
    """The object `text` holds; an empty one for nothing at all, None where there is none to be had.

    Without `mend`, only what is valid as it stands: for a call that may have been cut short, where a mended half
    would run a tool on half its input.
    """
    if not text.strip():
        return CallArguments({}, "absent")
    if len(text) > MAX_CHARS:
        return None
    value = _strict(text)
    if isinstance(value, str):
        # Some models encode the object twice.
        text = value
        value = _strict(text)
    if value is None:
        return CallArguments({})
    if isinstance(value, dict):
        return CallArguments(cast("dict[str, Json]", value), "guessed" if _repeats_a_key(text) else None)
    return _Mender(text).read() if mend and value is _MISSING else None


def _strict(text: str) -> Any:
    try:
        return msgspec.json.decode(text)
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return _MISSING


def _repeats_a_key(text: str) -> bool:
    """Whether an object of this valid JSON has a key twice: decoders take the last, the model may have meant any."""
    repeated = False

    def look(pairs: list[tuple[str, Any]]) -> None:
        nonlocal repeated
        repeated = repeated or len(dict(pairs)) < len(pairs)

    try:
        json.loads(text, object_pairs_hook=look)
    except (ValueError, RecursionError):
        return True
    return repeated


class _Mender:
    """A forgiving reader of one object; `at` only ever moves forward."""

    def __init__(self, text: str) -> None:
        text = text.strip()
        fence = _FENCE.match(text)
        self.text = text[fence.end() :].removesuffix("```") if fence else text
        self.at = 0
        self._closed = False
        self._guessed = False

    def read(self) -> CallArguments | None:
        start = self.text.find("{")
        if start < 0:
            return None
        self.at = start
        value = self._object(0)
        # Something else after the object means that the text is not one object, and a guess might call the wrong thing.
        match = _CLOSERS.match(self.text, self.at)
        if value is None or match is None or match.end() < len(self.text):
            return None
        around = self.text[:start] + match.group()
        self._guessed = self._guessed or bool(around.strip("` \t\r\n"))
        return CallArguments(value, "closed" if self._closed else "guessed" if self._guessed else None)

    def _object(self, depth: int) -> dict[str, Json] | None:
        self.at += 1
        found: dict[str, Json] = {}
        while True:
            commas = self._skip()
            char = self._char()
            if char in ("", "}"):
                self._end(char)
                return found
            self._expect(commas, 1 if found else 0)
            key = self._string() if char in "\"'" else self._word()
            if key is None:
                return None
            self._skip()
            if self._char() != ":":
                # A key that was being written when the text ended is dropped; anywhere else it is not an object.
                return self._cut(found) if self._char() == "" else None
            self.at += 1
            self._expect(self._skip(), 0)
            if self._char() == "":
                return self._cut(found)
            value = self._value(depth + 1)
            if value is _MISSING:
                return None
            self._guessed = self._guessed or key in found
            found[key] = value

    def _array(self, depth: int) -> list[Json] | None:
        self.at += 1
        found: list[Json] = []
        while True:
            commas = self._skip()
            if self._char() in ("", "]"):
                self._end(self._char())
                return found
            self._expect(commas, 1 if found else 0)
            value = self._value(depth + 1)
            if value is _MISSING:
                return None
            found.append(value)

    def _value(self, depth: int) -> Any:
        char = self._char()
        if depth > _MAX_DEPTH:
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
        if word is None:
            return _MISSING
        self._guessed = self._guessed or word.lower() not in _CERTAIN
        return _WORDS.get(word.lower(), word)

    def _word(self) -> str | None:
        match = _WORD.match(self.text, self.at)
        if match is None:
            return None
        self.at = match.end()
        return self._writable(match.group())

    def _string(self) -> str:
        quote, text, at = self.text[self.at], self.text, self.at + 1
        pieces: list[str] = []
        while True:
            match = _STRING_STOPS[quote].search(text, at)
            if match is None:
                pieces.append(text[at:])
                self.at = len(text)
                self._closed = True
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
                self._guessed = self._guessed or code is None
            else:
                pieces.append(_ESCAPED.get(escape, escape))
                self._guessed = self._guessed or not (escape in _ESCAPED or escape in _UNESCAPED)
        return self._writable("".join(pieces))

    def _writable(self, text: str) -> str:
        kept = writable(text)
        self._guessed = self._guessed or kept.count(_LOST) > text.count(_LOST)
        return kept

    def _cut(self, found: dict[str, Json]) -> dict[str, Json]:
        self._closed = True
        return found

    def _end(self, char: str) -> None:
        """Past the end of an object or an array, which may be the end of the text."""
        self.at += 1
        self._closed = self._closed or not char

    def _expect(self, commas: int, wanted: int) -> None:
        self._guessed = self._guessed or commas != wanted

    def _skip(self) -> int:
        """Past blanks and commas; how many commas there were."""
        match = _BLANK.match(self.text, self.at)
        if match is None:
            return 0
        self.at = match.end()
        return match.group().count(",")

    def _char(self) -> str:
        return self.text[self.at : self.at + 1]


def arguments_text(given: Any) -> str:
    """Arguments as text, also where a server hands over the object itself."""
    if isinstance(given, str):
        return given
    return "" if given is None else msgspec.json.encode(given).decode()


def writable(text: str) -> str:
    """Surrogate pairs joined, and halves of them replaced: what is kept must be storable as UTF-8."""
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text
