"""Operands: the numbers that a figure may be computed from, and the arithmetic that tries them."""

from typing import Final, NamedTuple

from glassloop.core.evidence.units.quantities import NumberReading

Computed = tuple[str, str]
"""How a figure was computed, and the source of what it was computed from."""

MIN_PART: Final = 0.01


class FigureOperand(NamedTuple):
    """A number to compute with, as it is written and where it came from; `percent` where it is one.

    `named`: the answer speaks of it. One that it does not mention is computed with only beside one that it does.
    `column` is the key or column it has in its source, `noun` what the answer counts with it."""

    value: float
    text: str
    source: str
    unit: str = ""
    at: int = 0
    named: bool = True
    column: str = ""
    noun: frozenset[str] = frozenset()
    step: float = 1.0

    @property
    def percent(self) -> bool:
        return self.unit == "%"


def is_value(wanted: NumberReading, value: float) -> bool:
    """Whether a figure is this value at its own precision, whatever the sign."""
    low, high = wanted.interval
    return low <= value <= high or low <= -value <= high


def digits_told(wanted: NumberReading) -> float:
    """How many values of its precision lie below a figure: the more, the less it is hit by chance."""
    return abs(wanted.value) / wanted.step


def units_fit(one: FigureOperand, other: FigureOperand, wanted: NumberReading) -> bool:
    """Whether units allow it: unlike ones are not added."""
    if wanted.unit == "%" and not (one.percent and other.percent):
        return False
    return len({one.unit, other.unit, wanted.unit} - {""}) <= 1


def sum_or_difference(wanted: NumberReading, one: FigureOperand, other: FigureOperand) -> Computed | None:
    """How two numbers make a figure.

    All three are told to the same digit, and none is so small that a slip of the pen in another looks like a sum."""
    if not units_fit(one, other, wanted) or not one.step == other.step == wanted.step:
        return None
    if min(abs(one.value), abs(other.value)) < MIN_PART * max(abs(one.value), abs(other.value), abs(wanted.value)):
        return None
    if is_value(wanted, one.value - other.value):
        larger, less = (one, other) if abs(one.value) >= abs(other.value) else (other, one)
        return f"{larger.text} - {less.text}", larger.source
    if is_value(wanted, one.value + other.value):
        return f"{one.text} + {other.text}", one.source
    return None
