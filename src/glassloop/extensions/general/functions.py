"""The functions and constants `calculate` knows.

Owns what each does with its numbers and how many it takes. Parsing and the basic operators live elsewhere.
Trigonometry is in 50-digit decimals, so that `sin(pi)` is 0 and not a leftover of binary rounding.
"""

import math
from collections.abc import Callable, Sequence
from decimal import Decimal
from fractions import Fraction
from functools import reduce

import msgspec

from glassloop.core.errors import BadArguments
from glassloop.extensions.general.number import (
    CONTEXT,
    MAX_DIGITS,
    Number,
    add,
    bounded,
    decimal,
    divide,
    floor,
    guarded,
    modulo,
    multiply,
    negate,
    power,
    show,
    size,
    square_root,
    subtract,
    too_large,
    whole,
)

PI = Decimal("3.14159265358979323846264338327950288419716939937510582097494")
E = Decimal("2.71828182845904523536028747135266249775724709369995957496697")
TAU = Decimal("6.28318530717958647692528676655900576839433879875021164194989")
CONSTANTS: dict[str, Number] = {"pi": PI, "e": E, "tau": TAU}
MAX_VALUES = 500
_DUST = Decimal("1e-40")
_MAX_ANGLE = Decimal("1e9")


class Function(msgspec.Struct, frozen=True):
    """A function with the least and most arguments it takes."""

    apply: Callable[[Sequence[Number]], Number]
    least: int = 1
    most: int = 1


def call(name: str, values: Sequence[Number]) -> Number:
    """The function's result, or an error that says how it is called."""
    function = FUNCTIONS[name]
    if not function.least <= len(values) <= function.most:
        wanted = str(function.least) if function.least == function.most else f"at least {function.least}"
        raise BadArguments(f"{name}() takes {wanted} value(s), not {len(values)}.")
    return function.apply(values)


def degrees_to_radians(number: Number) -> Number:
    return divide(multiply(number, PI), Fraction(180))


def factorial(number: Number) -> Number:
    count = _counting(number, "factorial")
    if count > MAX_DIGITS or math.lgamma(count + 1) / math.log(10) > MAX_DIGITS:
        raise too_large()
    return Fraction(math.factorial(count))


def _integer(number: Number, name: str) -> int:
    value = whole(number)
    if value is None:
        raise BadArguments(f"{name}() needs whole numbers, not {show(number).value}.")
    return value


def _counting(number: Number, name: str) -> int:
    value = _integer(number, name)
    if value < 0:
        raise BadArguments(f"{name}() needs a whole number of 0 or more, not {show(number).value}.")
    return value


def _comparable(values: Sequence[Number]) -> list[Number]:
    """Fractions and decimals do not compare with each other."""
    if all(isinstance(value, Fraction) for value in values):
        return list(values)
    return [decimal(value) for value in values]


def _total(values: Sequence[Number]) -> Number:
    return reduce(add, values, Fraction(0))


def _mean(values: Sequence[Number]) -> Number:
    return divide(_total(values), Fraction(len(values)))


def _median(values: Sequence[Number]) -> Number:
    ordered = sorted(_comparable(values))
    middle = len(ordered) // 2
    return ordered[middle] if len(ordered) % 2 else _mean(ordered[middle - 1 : middle + 1])


def _variance(values: Sequence[Number]) -> Number:
    mean = _mean(values)
    squares = _total([power(subtract(value, mean), Fraction(2)) for value in values])
    return divide(squares, Fraction(len(values) - 1))


def _rounded(values: Sequence[Number]) -> Number:
    """Halves away from zero, as people round; Python's own rounds them to even."""
    places = _integer(values[1], "round") if len(values) > 1 else 0
    if abs(places) > 100:
        raise BadArguments(f"round() keeps at most 100 places, not {places}.")
    shift = Fraction(10) ** places
    scaled = multiply(values[0], shift)
    nearest = floor(add(size(scaled), Fraction(1, 2)))
    return bounded((-nearest if scaled < 0 else nearest) / shift)


def _root(values: Sequence[Number]) -> Number:
    number, degree = values[0], _integer(values[1], "root")
    if degree < 1:
        raise BadArguments(f"root(x, n) needs n of 1 or more, not {degree}.")
    if degree == 2:
        return square_root(number)
    amount = power(size(number), Fraction(1, degree))
    if number < 0 and degree % 2 == 0:
        raise BadArguments(f"A negative number has no real root of even degree {degree}.")
    return negate(amount) if number < 0 else amount


def _logarithm(values: Sequence[Number]) -> Number:
    if any(value <= 0 for value in values):
        raise BadArguments("A logarithm needs numbers above 0.")
    if len(values) == 1 or values[1] == 10:
        return CONTEXT.log10(decimal(values[0]))
    if values[1] == 1:
        raise BadArguments("The base of a logarithm must not be 1.")
    return divide(_natural(values[:1]), _natural(values[1:]))


def _natural(values: Sequence[Number]) -> Decimal:
    if values[0] <= 0:
        raise BadArguments("A logarithm needs numbers above 0.")
    return CONTEXT.ln(decimal(values[0]))


def _sine_cosine(number: Number) -> tuple[Decimal, Decimal]:
    """Both at once by their series, after bringing the angle near zero."""
    angle = decimal(number)
    if abs(angle) > _MAX_ANGLE:
        raise BadArguments(f"Angles reach up to {_MAX_ANGLE:,.0f} radians; write degrees as 30°.")
    angle = CONTEXT.remainder_near(angle, TAU)
    sums, term, power_of = [Decimal(0), Decimal(0)], Decimal(1), 0
    while abs(term) > Decimal("1e-55"):
        signed = term if power_of % 4 < 2 else term.copy_negate()
        sums[power_of % 2] = CONTEXT.add(sums[power_of % 2], signed)
        power_of += 1
        term = CONTEXT.divide(CONTEXT.multiply(term, angle), Decimal(power_of))
    return _clean(sums[1]), _clean(sums[0])


def _clean(number: Decimal) -> Decimal:
    return Decimal(0) if abs(number) < _DUST else CONTEXT.plus(number)


def _tangent(number: Number) -> Number:
    sine, cosine = _sine_cosine(number)
    if not cosine:
        raise BadArguments("tan() has no value at this angle: its cosine is 0.")
    return divide(sine, cosine)


def _arc_tangent(number: Number) -> Decimal:
    """The binary arc tangent, then one exact correction: tan(a - b) = (tan a - tan b) / (1 + tan a tan b)."""
    tangent = decimal(number)
    near = Decimal(math.atan(float(tangent)))
    sine, cosine = _sine_cosine(near)
    above = CONTEXT.subtract(CONTEXT.multiply(tangent, cosine), sine)
    below = CONTEXT.add(cosine, CONTEXT.multiply(tangent, sine))
    return _clean(CONTEXT.add(near, CONTEXT.divide(above, below)))


def _arc_sine(number: Number) -> Number:
    if abs(number) > 1:
        raise BadArguments(f"asin() and acos() take values from -1 to 1, not {show(number).value}.")
    if abs(number) == 1:
        return CONTEXT.divide(PI if number > 0 else PI.copy_negate(), Decimal(2))
    other = square_root(subtract(Fraction(1), multiply(number, number)))
    return _arc_tangent(divide(number, other))


def _common(fold: Callable[..., int], name: str) -> Callable[[Sequence[Number]], Number]:
    return lambda values: bounded(Fraction(fold(*(_integer(value, name) for value in values))))


def _combinations(values: Sequence[Number]) -> Number:
    total, chosen = (_counting(value, "comb") for value in values)
    if total > 3000:
        raise BadArguments(f"comb(n, k) takes n up to 3000, not {total}.")
    return Fraction(math.comb(total, chosen))


FUNCTIONS: dict[str, Function] = {
    "sqrt": Function(lambda v: square_root(v[0])),
    "cbrt": Function(lambda v: _root((v[0], Fraction(3)))),
    "root": Function(_root, 2, 2),
    "pow": Function(lambda v: power(v[0], v[1]), 2, 2),
    "mod": Function(lambda v: modulo(v[0], v[1]), 2, 2),
    "abs": Function(lambda v: size(v[0])),
    "round": Function(_rounded, 1, 2),
    "floor": Function(lambda v: floor(v[0])),
    "ceil": Function(lambda v: -floor(negate(v[0]))),
    "trunc": Function(lambda v: floor(v[0]) if v[0] >= 0 else -floor(negate(v[0]))),
    "min": Function(lambda v: min(_comparable(v)), 1, MAX_VALUES),
    "max": Function(lambda v: max(_comparable(v)), 1, MAX_VALUES),
    "sum": Function(_total, 1, MAX_VALUES),
    "mean": Function(_mean, 1, MAX_VALUES),
    "median": Function(_median, 1, MAX_VALUES),
    "stdev": Function(lambda v: square_root(_variance(v)), 2, MAX_VALUES),
    "log": Function(_logarithm, 1, 2),
    "log10": Function(_logarithm),
    "log2": Function(lambda v: _logarithm((v[0], Fraction(2)))),
    "ln": Function(_natural),
    "exp": Function(lambda v: guarded(lambda: CONTEXT.exp(decimal(v[0])))),
    "sin": Function(lambda v: _sine_cosine(v[0])[0]),
    "cos": Function(lambda v: _sine_cosine(v[0])[1]),
    "tan": Function(lambda v: _tangent(v[0])),
    "asin": Function(lambda v: _arc_sine(v[0])),
    "acos": Function(lambda v: subtract(CONTEXT.divide(PI, Decimal(2)), _arc_sine(v[0]))),
    "atan": Function(lambda v: _arc_tangent(v[0])),
    "radians": Function(lambda v: degrees_to_radians(v[0])),
    "degrees": Function(lambda v: divide(multiply(v[0], Fraction(180)), PI)),
    "factorial": Function(lambda v: factorial(v[0])),
    "comb": Function(_combinations, 2, 2),
    "gcd": Function(_common(math.gcd, "gcd"), 1, MAX_VALUES),
    "lcm": Function(_common(math.lcm, "lcm"), 1, MAX_VALUES),
}
ALIASES = {"average": "mean", "avg": "mean", "ceiling": "ceil", "arcsin": "asin", "arccos": "acos", "arctan": "atan"}
