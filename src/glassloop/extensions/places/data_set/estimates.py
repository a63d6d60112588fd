"""Estimates: what a figure of a panel says of everybody, with a range of 90 %, or nothing where too few are in it.

A visitor of the panel stands for all the visits that they made, so it is visitors that vary by chance, not visits. How
often each came is taken to vary as a geometric number does, which is close to what is seen in panels.
"""

import math

import msgspec

MIN_PANEL = 5
"""With fewer visitors in the panel a figure is not given."""
_Z = 1.6448536269514722
"""Of the normal distribution, 5 % on either side."""
PERSISTENCE = 0.5
"""The share of a month's error that is still there in another month of the same place: the panel is the same, and so
are many visitors."""
UNEQUAL_WEIGHTS = 1.08
"""Members of a panel stand for different numbers of people, which widens ranges by what Kish's formula gives; the views
do not tell it, and this is where it lies in panels that are weighted by home area: 1.07 to 1.08 in the sample."""


class Estimate(msgspec.Struct, frozen=True, kw_only=True):
    """A figure with its range; `panel` is how many visitors of the panel it rests on. Where that is known and below
    five, `suppressed`, and none of the figures. Data that rests on no panel has no range."""

    value: float | None
    low: float | None = None
    high: float | None = None
    panel: int | None = None
    suppressed: bool = False


def estimate(
    value: float,
    panel_visitors: int | None,
    panel_visits: int | None = None,
    *,
    months: int = 1,
    of_visits: bool = True,
) -> Estimate:
    """The estimate of a number of visits, or of visitors (`of_visits=False`), over some months or places.

    The counts of the panel are sums over the same months and places; None where the data tells of no panel.
    """
    if panel_visitors is None:
        return Estimate(value=value)
    if panel_visitors < MIN_PANEL:
        return Estimate(value=None, panel=panel_visitors, suppressed=True)
    count = _independent(panel_visitors, panel_visits if of_visits else None, months)
    low, high = _range(count)
    return Estimate(value=value, low=value * low, high=value * high, panel=panel_visitors)


def share(
    part: float, whole: float, panel_visitors: int | None, panel_visits: int | None = None, *, months: int = 1
) -> Estimate:
    """A part of a whole, from 0 to 1, by Wilson's interval; the counts of the panel are those of the whole, summed over
    the months."""
    value = part / whole if whole else 0.0
    if panel_visitors is None:
        return Estimate(value=value)
    if panel_visitors < MIN_PANEL:
        return Estimate(value=None, panel=panel_visitors, suppressed=True)
    count = _independent(panel_visitors, panel_visits, months)
    square = _Z * _Z / count
    middle = (value + square / 2) / (1 + square)
    half = _Z / (1 + square) * math.sqrt(value * (1 - value) / count + square / (4 * count))
    return Estimate(value=value, low=max(0.0, middle - half), high=min(1.0, middle + half), panel=panel_visitors)


def _independent(visitors: int, visits: int | None, months: int) -> float:
    """How many independent observations there are: fewer than visitors, where some come often or in several months."""
    mean = max(1.0, visits / visitors) if visits is not None else 1.0
    count = visitors * mean / (2 * mean - 1)
    return count / (1 + (months - 1) * PERSISTENCE) / UNEQUAL_WEIGHTS


def _range(count: float) -> tuple[float, float]:
    """The 5 % and 95 % points of what may be behind a count, as multiples of it: of Gamma distributions, as for a
    Poisson number, by Jeffreys. The lower one is half-way to the exact one: a figure is given only where chance brought
    enough visitors, and so small ones are rather too high."""
    return _gamma_point(count + 0.25, -_Z) / count, _gamma_point(count + 0.5, _Z) / count


def _gamma_point(shape: float, z: float) -> float:
    """By Wilson and Hilferty."""
    return shape * max(0.0, 1 - 1 / (9 * shape) + z / (3 * math.sqrt(shape))) ** 3
