"""Evaluates arithmetic as people and models write it: a precedence parser over `tokens`, exact wherever it can be.

Never evaluates code: only the operators here and the functions in `functions` exist. What has two readings
(`6/2(1+2)`, `20% 50`) is an error that names both, since a wrong figure is worse than none.
"""

from difflib import get_close_matches
from fractions import Fraction

import msgspec

from glassloop.core.errors import BadArguments
from glassloop.extensions.general.functions import (
    CONSTANTS,
    FUNCTIONS,
    MAX_VALUES,
    call,
    degrees_to_radians,
    factorial,
)
from glassloop.extensions.general.number import (
    Number,
    add,
    divide,
    floor_divide,
    modulo,
    multiply,
    negate,
    power,
    square_root,
    subtract,
)
from glassloop.extensions.general.tokens import Token, Tokeniser

MAX_DEPTH = 50
_HUNDRED = Fraction(100)


class Operand(msgspec.Struct, frozen=True):
    """A value on its way; `percent` when it was written as a bare percentage, which `+` and `-` take of their left."""

    number: Number
    percent: bool = False


def evaluate(expression: str) -> Number:
    """The expression's value; raises `BadArguments` with a sentence for whoever wrote it."""
    return _Parser(expression).value()


class _Parser:
    """One method a level of precedence, loosest first."""

    def __init__(self, expression: str) -> None:
        tokeniser = Tokeniser(expression)
        self._text = tokeniser.text
        self._tokens = tokeniser.read()
        self._index = 0
        self._depth = 0

    def value(self) -> Number:
        if len(self._tokens) == 1:
            raise BadArguments("The expression is empty: give one such as '15% of 230'.")
        result = self._sum().number
        if self._token.kind != "end":
            raise self._unexpected()
        return result

    @property
    def _token(self) -> Token:
        return self._tokens[self._index]

    def _ahead(self, count: int) -> Token:
        return self._tokens[min(self._index + count, len(self._tokens) - 1)]

    def _take(self, *operators: str) -> str | None:
        token = self._token
        if token.kind == "operator" and token.text in operators:
            self._index += 1
            return token.text
        return None

    def _unexpected(self) -> BadArguments:
        token = self._token
        if token.kind == "end":
            return BadArguments(f"{self._text[:80]!r} ends too early: a number or a closing bracket is missing.")
        return BadArguments(f"Cannot read {self._text[:80]!r} at {self._text[token.start : token.start + 20]!r}.")

    def _ambiguous(self, remedy: str) -> BadArguments:
        return BadArguments(f"{self._text[:80]!r} can be read two ways: {remedy}.")

    def _sum(self) -> Operand:
        left = self._product()
        while operator := self._take("+", "-"):
            right = self._product()
            amount = right.number
            if right.percent and not left.percent:
                amount = multiply(left.number, amount)
            number = add(left.number, amount) if operator == "+" else subtract(left.number, amount)
            left = Operand(number, left.percent and right.percent)
        return left

    def _product(self) -> Operand:
        left, divided = self._signed(), False
        while True:
            if operator := self._take("*", "/", "//", "%", "mod", "of", "off"):
                left = Operand(_combine(operator, left.number, self._signed().number))
                divided = operator in ("/", "//", "%", "mod")
            elif self._token.kind in ("name", "open"):
                if divided:
                    raise self._ambiguous("write every * and put brackets around the divisor")
                left = Operand(multiply(left.number, self._power().number))
            else:
                return left

    def _signed(self) -> Operand:
        negative = False
        while sign := self._take("+", "-"):
            negative ^= sign == "-"
        operand = self._power()
        return Operand(negate(operand.number), operand.percent) if negative else operand

    def _power(self) -> Operand:
        base = self._postfixed()
        if self._take("^"):
            self._enter()
            exponent = self._signed().number
            self._depth -= 1
            return Operand(power(base.number, exponent))
        return base

    def _postfixed(self) -> Operand:
        operand = Operand(self._atom())
        while self._token.kind == "operator":
            if self._take("!"):
                operand = Operand(factorial(operand.number))
            elif self._take("°"):
                operand = Operand(degrees_to_radians(operand.number))
            elif self._token.text == "%" and self._is_percent():
                self._index += 1
                operand = Operand(divide(operand.number, _HUNDRED), percent=True)
            else:
                break
        return operand

    def _is_percent(self) -> bool:
        """`%` before a value is the remainder, anything else a percentage; spacing shows what is in doubt."""
        sign, after = self._token, self._ahead(1)
        if after.kind in ("number", "name", "open"):
            if after.spaced and not sign.spaced:
                raise self._ambiguous("write '15% of 230' or 'mod(15, 230)'")
            return False
        signed = after.kind == "operator" and after.text in ("+", "-")
        if signed and sign.spaced and after.spaced and not self._ahead(2).spaced:
            raise self._ambiguous("write '10% - 3' or 'mod(10, -3)'")
        return True

    def _atom(self) -> Number:
        token = self._token
        if self._take("√"):
            self._enter()
            root = square_root(self._atom())
            self._depth -= 1
            return root
        if token.kind not in ("number", "name", "open"):
            raise self._unexpected()
        self._index += 1
        if token.value is not None:
            return token.value
        return self._named(token.text) if token.kind == "name" else self._group()

    def _group(self) -> Number:
        self._enter()
        result = self._sum().number
        self._close()
        return result

    def _named(self, name: str) -> Number:
        if name in FUNCTIONS and self._token.kind == "open":
            self._index += 1
            self._enter()
            values = self._arguments()
            self._close()
            return call(name, values)
        if name in CONSTANTS:
            return CONSTANTS[name]
        if name in FUNCTIONS:
            raise BadArguments(f"{name} needs its value in brackets: write {name}(…).")
        near = get_close_matches(name, [*FUNCTIONS, *CONSTANTS], n=3)
        hint = f"did you mean {', '.join(near)}?" if near else f"known are {', '.join(FUNCTIONS)}, pi, e."
        raise BadArguments(f"{name!r} is no function or constant: {hint}")

    def _arguments(self) -> list[Number]:
        """The values up to the closing bracket; a list in square brackets counts as its members."""
        values: list[Number] = []
        if self._token.kind == "close":
            return values
        while True:
            if self._token.text == "[" and self._token.calls:
                self._index += 1
                self._enter()
                values += self._arguments()
                self._close()
            else:
                values.append(self._sum().number)
            if len(values) > MAX_VALUES:
                raise BadArguments(f"At most {MAX_VALUES} values fit into one function.")
            if self._token.kind != "comma":
                return values
            self._index += 1

    def _enter(self) -> None:
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise BadArguments(f"The expression is nested more than {MAX_DEPTH} levels deep: split it up.")

    def _close(self) -> None:
        if self._token.kind != "close":
            raise self._unexpected()
        self._index += 1
        self._depth -= 1


def _combine(operator: str, left: Number, right: Number) -> Number:
    match operator:
        case "/":
            return divide(left, right)
        case "//":
            return floor_divide(left, right)
        case "%" | "mod":
            return modulo(left, right)
        case "off":
            return subtract(right, multiply(right, left))
        case _:
            return multiply(left, right)
