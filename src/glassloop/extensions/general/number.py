"""Numbers as `calculate` and `convert_units` keep them: a `Fraction` while exact, a 50-digit `Decimal` once not.

Owns the arithmetic on the two, the bounds on size, and how a number is shown. Knows no syntax and no functions.
"""

from collections.abc import Callable
from decimal import ROUND_HALF_EVEN, Context, Decimal, DivisionByZero, InvalidOperation, Overflow, Underflow
from fractions import Fraction
from math import isqrt

import msgspec

from glassloop.core.errors import BadArguments

Number = Fraction | Decimal

MAX_DIGITS = 1000
SHOWN_DIGITS = 15
MAX_FRACTION_CHARS = 20
MAX_DECIMAL_DIGITS = 50
_MAX_BITS = 3322
_MAX_SAFE_INTEGER = 2**53

CONTEXT = Context(
    prec=50,
    rounding=ROUND_HALF_EVEN,
    Emax=MAX_DIGITS,
    Emin=-MAX_DIGITS,
    traps=[InvalidOperation, DivisionByZero, Overflow, Underflow],
)
_FAR = 4 * MAX_DIGITS
_WIDE = Context(prec=4 * MAX_DIGITS, Emin=-_FAR, Emax=_FAR)


class ShownNumber(msgspec.Struct, frozen=True, kw_only=True):
    """A number as people and JSON read it. `exact` is the fraction where the decimal had to be rounded."""

    value: int | float | str
    exact: str | None = None
    rounded: bool = False


def too_large() -> BadArguments:
    """The error for every result beyond the bound; a new one each time, since exceptions carry their traceback."""
    return BadArguments(f"The result has more than {MAX_DIGITS:,} digits, which is too large: use smaller numbers.")


def exact(text: str) -> Fraction:
    """The number a literal such as `1.5e3` stands for, refused before it is built when it is out of bounds."""
    value = Decimal(text)
    if not value.is_finite() or abs(value.adjusted()) > MAX_DIGITS or len(text) > MAX_DIGITS:
        raise BadArguments(f"The number {text[:30]!r} is out of range: at most {MAX_DIGITS:,} digits.")
    return Fraction(value)


def decimal(number: Number) -> Decimal:
    """The number to 50 digits."""
    if isinstance(number, Decimal):
        return number
    return guarded(lambda: CONTEXT.divide(Decimal(number.numerator), Decimal(number.denominator)))


def whole(number: Number) -> int | None:
    """The number as an integer if it is one exactly."""
    if isinstance(number, Fraction):
        return number.numerator if number.denominator == 1 else None
    return None


def add(left: Number, right: Number) -> Number:
    if isinstance(left, Fraction) and isinstance(right, Fraction):
        return bounded(left + right)
    return guarded(lambda: CONTEXT.add(decimal(left), decimal(right)))


def subtract(left: Number, right: Number) -> Number:
    return add(left, negate(right))


def negate(number: Number) -> Number:
    return -number if isinstance(number, Fraction) else number.copy_negate()


def size(number: Number) -> Number:
    """Without its sign. Python's `abs` would round a decimal to the thread's own precision."""
    return abs(number) if isinstance(number, Fraction) else number.copy_abs()


def multiply(left: Number, right: Number) -> Number:
    if isinstance(left, Fraction) and isinstance(right, Fraction):
        return bounded(left * right)
    return guarded(lambda: CONTEXT.multiply(decimal(left), decimal(right)))


def divide(left: Number, right: Number) -> Number:
    if not right:
        raise BadArguments("Division by zero: the divisor must not be 0.")
    if isinstance(left, Fraction) and isinstance(right, Fraction):
        return bounded(left / right)
    return guarded(lambda: CONTEXT.divide(decimal(left), decimal(right)))


def floor(number: Number) -> Fraction:
    """The integer at or below; an inexact number a hair under an integer counts as that integer."""
    if isinstance(number, Decimal):
        number = _settled(number)
    return Fraction(number.numerator // number.denominator)


def floor_divide(left: Number, right: Number) -> Number:
    return floor(divide(left, right))


def modulo(left: Number, right: Number) -> Number:
    """The remainder with the sign of the divisor."""
    return subtract(left, multiply(right, floor_divide(left, right)))


def power(base: Number, exponent: Number) -> Number:
    times = whole(exponent)
    if not base:
        if exponent < 0:
            raise BadArguments("0 cannot be raised to a negative power.")
        return Fraction(0 if exponent else 1)
    if times is None and base < 0:
        raise BadArguments(
            f"A negative number has no real power {_brief(exponent)}: use root(x, n) for an odd root such as cbrt(x)."
        )
    if times is not None and isinstance(base, Fraction):
        bits = abs(times) * (max(abs(base.numerator), base.denominator).bit_length() - 1)
        if bits <= _MAX_BITS:
            return bounded(base**times)
        if base.denominator == 1 and times > 0:
            raise too_large()
    return guarded(lambda: CONTEXT.power(decimal(base), decimal(exponent)))


def square_root(number: Number) -> Number:
    """Exact for squares of fractions."""
    if number < 0:
        raise BadArguments(f"A negative number has no real square root: got {_brief(number)}.")
    if isinstance(number, Fraction):
        above, below = isqrt(number.numerator), isqrt(number.denominator)
        if above * above == number.numerator and below * below == number.denominator:
            return Fraction(above, below)
    return CONTEXT.sqrt(decimal(number))


def bounded(number: Fraction) -> Number:
    """The number itself, rounded once its fraction grows past the bound; an error once its size does."""
    if abs(number) >= 10**MAX_DIGITS:
        raise too_large()
    if number.denominator > 1 and max(abs(number.numerator), number.denominator).bit_length() > _MAX_BITS:
        return decimal(number)
    return number


def show(number: Number, *, digits: int = SHOWN_DIGITS, longest: int = MAX_DECIMAL_DIGITS) -> ShownNumber:
    """Integers and decimals up to `longest` digits whole, everything else to `digits` digits and marked as rounded."""
    if isinstance(number, Fraction) and number.denominator == 1:
        integer = number.numerator
        return ShownNumber(value=integer if abs(integer) <= _MAX_SAFE_INTEGER else str(integer))
    if isinstance(number, Fraction) and _terminates(number.denominator):
        written = _WIDE.divide(Decimal(number.numerator), Decimal(number.denominator)).normalize(_WIDE)
        if len(written.as_tuple().digits) <= longest:
            return ShownNumber(value=_plain(written))
    fraction = f"{number.numerator}/{number.denominator}" if isinstance(number, Fraction) else ""
    return ShownNumber(
        value=_plain(Context(prec=digits, Emin=-_FAR, Emax=_FAR).plus(decimal(number)).normalize(_WIDE)),
        exact=fraction if 0 < len(fraction) <= MAX_FRACTION_CHARS else None,
        rounded=True,
    )


def _plain(number: Decimal) -> int | float | str:
    """A JSON number where that loses nothing, else its digits as text."""
    if number == number.to_integral_value() and number.copy_abs() <= _MAX_SAFE_INTEGER:
        return int(number)
    if len(number.as_tuple().digits) <= SHOWN_DIGITS and abs(number.adjusted()) < 300:
        return float(number)
    return f"{number:f}" if -10 < number.adjusted() < MAX_DECIMAL_DIGITS else f"{number:e}"


def _settled(number: Decimal) -> Fraction:
    """The last ten of fifty digits are rounding dust: `floor(log2(8))` is 3."""
    return Fraction(Context(prec=40, Emin=-_FAR, Emax=_FAR).plus(number))


def _terminates(denominator: int) -> bool:
    for prime in (2, 5):
        while denominator % prime == 0:
            denominator //= prime
    return denominator == 1


def guarded(operation: Callable[[], Decimal]) -> Decimal:
    """The operation's result, its signals turned into errors for the model."""
    try:
        return operation()
    except Overflow:
        raise too_large() from None
    except Underflow:
        raise BadArguments(f"The result is closer to 0 than 1e-{MAX_DIGITS}: use larger numbers.") from None
    except (InvalidOperation, DivisionByZero):
        raise BadArguments("The result is not a real number.") from None


def _brief(number: Number) -> str:
    return str(show(number).value)[:30]
