"""The words of an arithmetic expression: numbers, names, operators, brackets.

Owns what people really write: thousands separators, × ÷ −, "times", full-width digits. Decides nothing about
precedence and computes nothing.
"""

import re
from fractions import Fraction
from typing import Literal

import msgspec

from glassloop.core.errors import BadArguments
from glassloop.extensions.general.functions import ALIASES, FUNCTIONS
from glassloop.extensions.general.number import exact

MAX_EXPRESSION_CHARS = 1000

Kind = Literal["number", "name", "operator", "open", "close", "comma", "end"]

_SIGNS = {
    "×": "*",
    "·": "*",
    "⋅": "*",
    "∙": "*",
    "÷": "/",
    "∕": "/",
    "⁄": "/",
    "−": "-",
    "–": "-",
    "—": "-",
    "²": "^2",
    "³": "^3",
    "π": " pi ",
    "、": ",",
    "　": " ",
    "\u00a0": " ",
    "\u2009": " ",
    "\u202f": " ",
}
_FULL_WIDTH = {chr(code): chr(code - 0xFEE0) for code in range(0xFF01, 0xFF5F)}
_TRANSLATION = str.maketrans(_SIGNS | _FULL_WIDTH)
_CHINESE = (("乘以", "*"), ("除以", "/"), ("加上", "+"), ("减去", "-"), ("乘", "*"), ("加", "+"), ("减", "-"))
_WORDS = {
    "of": "of",
    "off": "off",
    "x": "*",
    "times": "*",
    "plus": "+",
    "minus": "-",
    "over": "/",
    "mod": "mod",
    "percent": "%",
}
_CURRENCY = "$€£¥"

_SPACE = re.compile(r"\s*")
_GROUPED = re.compile(r"\d{1,3}(?:,\d{3})+(?![\d,])(?:\.\d+)?")
_PLAIN = re.compile(r"(?:\d+(?:_\d+)*(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?")
_DIVIDED_BY = re.compile(r"divided\s+by\b", re.IGNORECASE)
_NAME = re.compile(r"[A-Za-z]+\d*")
_OPERATOR = re.compile(r"\*\*|//|[-+*/%^!°√]")
_BRACKETS: dict[str, Kind] = {"(": "open", "[": "open", ")": "close", "]": "close"}


class Token(msgspec.Struct, frozen=True, kw_only=True):
    """One word. `spaced`: white space comes before it. `calls`: an opening bracket whose commas part arguments."""

    kind: Kind
    text: str
    start: int
    spaced: bool = False
    value: Fraction | None = None
    calls: bool = False


class Tokeniser:
    """Reads one expression; the open brackets say whether a comma groups digits or parts arguments."""

    def __init__(self, expression: str) -> None:
        if len(expression) > MAX_EXPRESSION_CHARS:
            raise BadArguments(
                f"The expression has {len(expression):,} characters; the limit is {MAX_EXPRESSION_CHARS:,}. "
                "Split it up."
            )
        text = expression.translate(_TRANSLATION)
        for word, sign in _CHINESE:
            text = text.replace(word, sign)
        self.text = text.strip().rstrip("=?").rstrip()
        self._at = 0
        self._tokens: list[Token] = []
        self._calls: list[bool] = []
        self._comma_spaces: list[set[bool]] = []
        self._currencies: set[str] = set()

    def read(self) -> list[Token]:
        """All tokens, closed by one of kind `end`."""
        while True:
            space = _SPACE.match(self.text, self._at)
            spaced = space is not None and space.end() > self._at
            self._at = space.end() if space else self._at
            if self._at >= len(self.text):
                self._tokens.append(Token(kind="end", text="", start=self._at))
                return self._tokens
            self._next(spaced)

    def _next(self, spaced: bool) -> None:
        character = self.text[self._at]
        if character in "0123456789.":
            self._number(spaced)
        elif character in _CURRENCY:
            self._currency(character)
        elif character in _BRACKETS:
            self._bracket(character, spaced)
        elif character in ",;":
            self._comma(character, spaced)
        elif by := _DIVIDED_BY.match(self.text, self._at):
            self._emit("operator", "/", by.end(), spaced)
        elif name := _NAME.match(self.text, self._at):
            self._name(name.group().lower(), name.end(), spaced)
        elif operator := _OPERATOR.match(self.text, self._at):
            self._emit("operator", operator.group().replace("**", "^"), operator.end(), spaced)
        else:
            remedy = "use numbers, + - * / ^ %, brackets and functions such as sqrt()."
            if character == ":":
                remedy = "count times of the day in minutes, such as (22 * 60 + 47 + 578) mod 1440 for 22:47 + 578 min."
            raise BadArguments(f"Cannot read {self.text[self._at : self._at + 20]!r} in {self.text[:80]!r}: {remedy}")

    def _emit(self, kind: Kind, text: str, end: int, spaced: bool, *, calls: bool = False) -> None:
        value = exact(text) if kind == "number" else None
        self._tokens.append(Token(kind=kind, text=text, start=self._at, spaced=spaced, value=value, calls=calls))
        self._at = end

    def _number(self, spaced: bool) -> None:
        found = None if self._calls and self._calls[-1] else _GROUPED.match(self.text, self._at)
        found = found or _PLAIN.match(self.text, self._at)
        rest = self.text[found.end() :] if found else "."
        in_call = bool(self._calls and self._calls[-1])
        if found is None or rest[:1] == "." or (not in_call and re.match(r",\d", rest)):
            raise BadArguments(
                f"{self.text[self._at : self._at + 20]!r} is not a number: "
                "write decimals with a point and thousands in threes, as in 1,234.5."
            )
        self._emit("number", found.group().replace(",", "").replace("_", ""), found.end(), spaced)

    def _currency(self, character: str) -> None:
        """The sign says nothing about the arithmetic, as long as there is only one."""
        self._currencies.add(character)
        if len(self._currencies) > 1:
            raise BadArguments(f"Cannot mix currencies in {self.text[:80]!r}: convert them first, then use numbers.")
        self._at += 1

    def _bracket(self, character: str, spaced: bool) -> None:
        kind = _BRACKETS[character]
        calls = False
        if kind == "open":
            before = self._tokens[-1] if self._tokens else None
            of_function = before is not None and before.kind == "name" and before.text in FUNCTIONS
            list_argument = character == "[" and before is not None and before.kind == "open" and before.calls
            calls = of_function or list_argument
            self._calls.append(calls)
            self._comma_spaces.append(set())
        elif self._calls:
            self._calls.pop()
            self._comma_spaces.pop()
        self._emit(kind, character, self._at + 1, spaced, calls=calls)

    def _comma(self, character: str, spaced: bool) -> None:
        """`sum(1,200, 3,400)` has two readings: refuse it rather than pick one."""
        if not (self._calls and self._calls[-1]):
            raise BadArguments(f"Unexpected {character!r} in {self.text[:80]!r}: commas part values inside a function.")
        if character == ",":
            rest = self.text[self._at + 1 :]
            grouped = re.match(r"\d{3}(?!\d)", rest) is not None
            if grouped or rest[:1].isspace():
                self._comma_spaces[-1].add(grouped)
            if len(self._comma_spaces[-1]) > 1:
                raise BadArguments(
                    f"The commas in {self.text[:80]!r} can be read two ways: leave out thousands separators."
                )
        self._emit("comma", character, self._at + 1, spaced)

    def _name(self, name: str, end: int, spaced: bool) -> None:
        name = ALIASES.get(name, name)
        called = self.text[end:].lstrip()[:1] == "("
        after_operand = bool(self._tokens) and self._tokens[-1].kind in ("number", "close", "name")
        if name in _WORDS and not (called and name in FUNCTIONS and not after_operand):
            self._emit("operator", _WORDS[name], end, spaced)
        else:
            self._emit("name", name, end, spaced)
