"""Tolerant JSON, read as it comes: a push scanner that never looks at a character twice.

Accepts what models write for JSON: single and triple quotes, raw strings, fenced blocks, trailing commas, comments,
Python literals, bare keys, raw newlines in strings; and, with `arguments=True`, the inside of a Python call. It knows
nothing of decisions or tools, never guesses at what is broken, and leaves repair to `repair`.
"""

import re
from collections.abc import Callable
from typing import Final, Literal, Protocol

from glassloop.core.protocols.tolerant.fenced_text import FencedText
from glassloop.core.protocols.tolerant.json_strings import KEY_CHARS, StringScan
from glassloop.core.protocols.tolerant.json_values import DEPTH, UNREADABLE, read_literal
from glassloop.core.records import Json

_WORD_CHARS: Final = 4096

_SPACE: Final = re.compile(r"\s+")
_WORD: Final = re.compile(r"[^\s,:=\[\]{}()\"'#/]+")
_NAME: Final = re.compile(r"[\w$-]+")
_LINE_END: Final = re.compile(r"[\r\n]")

Step = Callable[[str, int], int]
Expect = Callable[[int, str], int]


class MemberListener(Protocol):
    """Hears about the members of the outermost object while they are read."""

    def key(self, name: str) -> None:
        """The member whose value comes next."""
        ...

    def piece(self, text: str, raw: bool) -> None:
        """Part of that member's value: a string's characters, or an array or object as it was written (`raw`)."""
        ...


class ScannedArguments:
    """What stands between the parentheses of a call."""

    __slots__ = ("named", "positional")

    def __init__(self) -> None:
        self.named: dict[str, Json] = {}
        self.positional: list[Json] = []


class JsonScan:
    """Reads one value. `status` says how far it is; `root` holds the members that are complete even while it is open.

    In the outermost object the first of two equal keys stands, as it is the one that was streamed. `repeated` says that
    some object had a key twice, so that what stands may not be what was meant.
    """

    __slots__ = (
        "_expect",
        "_fence",
        "_in_key",
        "_keys",
        "_length",
        "_listener",
        "_parts",
        "_raw_from",
        "_stack",
        "_step",
        "_string",
        "_word",
        "repeated",
        "root",
        "status",
    )

    def __init__(self, listener: MemberListener | None = None, *, arguments: bool = False) -> None:
        self.root: Json = UNREADABLE
        self.repeated = False
        self.status: Literal["open", "done", "broken"] = "open"
        self._listener = listener
        self._stack: list[dict[str, Json] | list[Json] | ScannedArguments] = []
        self._keys: list[str] = []
        self._step: Step = self._token
        self._expect: Expect = self._expect_value
        self._in_key = False
        self._parts: list[str] = []
        self._length = 0
        self._string: StringScan | None = None
        self._fence: FencedText | None = None
        self._word = ""
        self._raw_from = -1
        if arguments:
            self._enter(ScannedArguments(), 0)
            self._expect = self._expect_argument

    def feed(self, text: str, at: int = 0) -> int:
        """Read on from `at`; the position after the value's end, or of what broke it, or the end of `text`."""
        size = len(text)
        self._raw_from = at
        while at < size and self.status == "open":
            at = self._step(text, at)
        if self._listener is not None and len(self._stack) > 1 and at > self._raw_from:
            self._listener.piece(text[self._raw_from : at], True)
        return at

    def finish(self) -> None:
        """The input is over: a number, word or empty string that stands alone is complete now."""
        if self._stack or self.status != "open":
            return
        if self._string is not None and self._string.empty:
            self._end_string(self._string)
        elif self._step == self._read_word:
            self._end_word()

    # Between tokens.

    def _token(self, text: str, at: int) -> int:
        char = text[at]
        if char.isspace():
            space = _SPACE.match(text, at)
            return space.end() if space else at + 1
        if char == "#":
            self._step = self._line_comment
            return at + 1
        if char == "/":
            self._step = self._slash
            return at + 1
        if char in "}])":
            return self._close(text, at, char)
        return self._expect(at, char)

    def _slash(self, text: str, at: int) -> int:
        if text[at] == "/":
            self._step = self._line_comment
        elif text[at] == "*":
            self._step = self._block_comment
        else:
            return self._break(at)
        return at + 1

    def _line_comment(self, text: str, at: int) -> int:
        end = _LINE_END.search(text, at)
        if end is None:
            return len(text)
        self._step = self._token
        return end.end()

    def _block_comment(self, text: str, at: int) -> int:
        star = text.find("*", at)
        if star < 0:
            return len(text)
        self._step = self._block_star
        return star + 1

    def _block_star(self, text: str, at: int) -> int:
        if text[at] == "*":
            return at + 1
        self._step = self._token if text[at] == "/" else self._block_comment
        return at + 1

    # What may come next.

    def _expect_value(self, at: int, char: str) -> int:
        if char in "{[":
            return self._enter({} if char == "{" else [], at)
        if char in "\"'":
            return self._begin_string(at, char, in_key=False)
        if char in ",:=(":
            return self._break(at)
        if char == "`" and self._stack:
            self._fence, self._step = FencedText(), self._read_fence
            return at
        return self._begin_word(at, in_key=False)

    def _expect_key(self, at: int, char: str) -> int:
        if char in "\"'":
            return self._begin_string(at, char, in_key=True)
        if char in ",:=({[":
            return self._break(at)
        return self._begin_word(at, in_key=True)

    def _expect_argument(self, at: int, char: str) -> int:
        self._keys[-1] = ""
        return self._expect_value(at, char)

    def _expect_colon(self, at: int, char: str) -> int:
        if char != ":":
            return self._break(at)
        self._expect = self._expect_value
        if self._listener is not None and len(self._stack) == 1:
            self._listener.key(self._keys[-1])
        return at + 1

    def _expect_equals(self, at: int, char: str) -> int:
        if char in "=:" and _NAME.fullmatch(self._word):
            self._keys[-1] = self._word
            self._expect = self._expect_value
            return at + 1
        self._attach_word()
        return at

    def _expect_comma(self, at: int, char: str) -> int:
        if char != ",":
            return self._break(at)
        self._expect = self._expect_member()
        return at + 1

    def _expect_member(self) -> Expect:
        match self._stack[-1]:
            case dict():
                return self._expect_key
            case list():
                return self._expect_value
            case ScannedArguments():
                return self._expect_argument

    # Containers.

    def _enter(self, container: dict[str, Json] | list[Json] | ScannedArguments, at: int) -> int:
        if len(self._stack) >= DEPTH:
            return self._break(at)
        if not self._stack:
            self.root = container
        elif len(self._stack) == 1:
            self._raw_from = at
        self._stack.append(container)
        self._keys.append("")
        self._expect = self._expect_member()
        return at + 1

    def _close(self, text: str, at: int, char: str) -> int:
        if self._expect == self._expect_equals:
            self._attach_word()
        if self.status != "open" or not self._stack or not self._may_close(char):
            return self._break(at)
        container = self._stack.pop()
        self._keys.pop()
        if len(self._stack) == 1 and self._listener is not None:
            self._listener.piece(text[self._raw_from : at + 1], True)
        if self._stack:
            self._attach(container)
        else:
            self.status = "done"
        return at + 1

    def _may_close(self, char: str) -> bool:
        """After a member or a comma, never between a key and its value."""
        match self._stack[-1]:
            case dict():
                return char == "}" and self._expect in (self._expect_key, self._expect_comma)
            case list():
                return char == "]"
            case ScannedArguments():
                return char == ")" and self._expect in (self._expect_argument, self._expect_comma)

    def _attach(self, value: Json) -> None:
        self._step = self._token
        if not self._stack:
            self.root = value
            self.status = "done"
            return
        match self._stack[-1]:
            case list() as items:
                items.append(value)
            case dict() as members if self._keys[-1] in members:
                self.repeated = True
                if len(self._stack) > 1:
                    members[self._keys[-1]] = value
            case dict() as members:
                members[self._keys[-1]] = value
            case ScannedArguments() as arguments if self._keys[-1]:
                self.repeated = self.repeated or self._keys[-1] in arguments.named
                arguments.named.setdefault(self._keys[-1], value)
            case ScannedArguments() as arguments:
                arguments.positional.append(value)
        self._expect = self._expect_comma

    def _attach_key(self, key: str) -> None:
        self._step = self._token
        self._keys[-1] = key
        self._expect = self._expect_colon

    def _break(self, at: int) -> int:
        self.status = "broken"
        return at

    # Words: numbers, literals, bare keys.

    def _begin_word(self, at: int, *, in_key: bool) -> int:
        self._in_key = in_key
        self._parts = []
        self._length = 0
        self._step = self._read_word
        return at

    def _read_word(self, text: str, at: int) -> int:
        word = _WORD.match(text, at)
        if word is None:
            if text[at] in "\"'" and not self._in_key and self._parts in (["r"], ["R"]):
                return self._begin_string(at, text[at], in_key=False, raw=True)
            self._end_word()
            return at
        room = _WORD_CHARS - self._length
        if len(word[0]) > room:
            return self._break(at + room)
        self._parts.append(word[0])
        self._length += len(word[0])
        return word.end()

    def _end_word(self) -> None:
        self._word = "".join(self._parts)
        self._step = self._token
        if self._in_key:
            if len(self._word) <= KEY_CHARS and _NAME.fullmatch(self._word):
                self._attach_key(self._word)
            else:
                self.status = "broken"
        elif self._expect == self._expect_argument:
            self._expect = self._expect_equals
        else:
            self._attach_word()

    def _attach_word(self) -> None:
        value = read_literal(self._word)
        if value is UNREADABLE:
            self.status = "broken"
        else:
            self._attach(value)

    # Strings.

    def _begin_string(self, at: int, quote: str, *, in_key: bool, raw: bool = False) -> int:
        streamed = not in_key and self._listener is not None and len(self._stack) == 1
        self._in_key = in_key
        self._string = StringScan(quote, key=in_key, hear=self._hear if streamed else None, raw=raw)
        self._step = self._read_string
        return at + 1

    def _read_fence(self, text: str, at: int) -> int:
        fence = self._fence
        if fence is None:
            return self._break(at)
        at = fence.feed(text, at)
        if fence.status == "broken":
            return self._break(at)
        if fence.status == "done":
            self._fence = None
            if self._listener is not None and len(self._stack) == 1:
                self._listener.piece(fence.value, False)
            self._attach(fence.value)
        return at

    def _hear(self, piece: str) -> None:
        if self._listener is not None:
            self._listener.piece(piece, False)

    def _read_string(self, text: str, at: int) -> int:
        string = self._string
        if string is None:
            return self._break(at)
        at = string.feed(text, at)
        if string.status == "broken":
            return self._break(at)
        if string.status == "done":
            self._end_string(string)
        return at

    def _end_string(self, string: StringScan) -> None:
        self._string = None
        if self._in_key:
            self._attach_key(string.value)
        else:
            self._attach(string.value)


def read_json(text: str) -> Json:
    """The one value `text` holds, or `UNREADABLE`, also where a key comes twice."""
    scan = JsonScan()
    end = scan.feed(text)
    scan.finish()
    if scan.status != "done" or scan.repeated or text[end:].strip():
        return UNREADABLE
    return scan.root
