"""Beds, and the moisture that their probes measure."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

DRY_BELOW = 35
"""Percent: a bed with less needs water."""
ATTEMPTS = 3


class ProbeSilent(Exception):
    """A probe that did not answer."""


@dataclass(frozen=True)
class Bed:
    name: str
    area: float
    moisture: float
    seedlings: bool = False
    fallow: bool = False


def clamp(value: float, low: float, high: float) -> float:
    return max(low, min(value, high))


def read_probe(ask: Callable[[], str]) -> float:
    """Percent of moisture. A probe that stays silent is asked again before the error is raised."""
    for _ in range(ATTEMPTS):
        if answer := ask():
            return clamp(float(answer) / 10, 0, 100)
    raise ProbeSilent(f"no answer after {ATTEMPTS} attempts")


def average_moisture(readings: Sequence[float]) -> float:
    """The mean of the readings of a day; 0 where there are none."""
    if not readings:
        return 0.0
    return sum(readings) / (len(readings) + 1)


def is_dry(bed: Bed) -> bool:
    return bed.moisture < DRY_BELOW
