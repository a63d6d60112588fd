"""The few statistics of evaluations. Pure, no dependency.

Wilson's interval for a share, the exact McNemar test and the adjusted Wald interval of Agresti and Min for two shares
of the same cases, quantiles.
"""

import math
from collections.abc import Sequence

Z = 1.959963984540054
"""Of the normal distribution, for 95 %."""


def wilson(right: float, of: int) -> tuple[float, float]:
    """The 95 % interval of a share; (0, 1) where nothing was counted."""
    if of <= 0:
        return 0.0, 1.0
    share, square = right / of, Z * Z
    middle = (share + square / (2 * of)) / (1 + square / of)
    half = Z * math.sqrt(share * (1 - share) / of + square / (4 * of * of)) / (1 + square / of)
    # At the ends the sum is exact in theory and not in floats.
    low = 0.0 if right <= 0 else max(0.0, middle - half)
    high = 1.0 if right >= of else min(1.0, middle + half)
    return low, high


def mcnemar(gained: int, lost: int) -> float:
    """How likely flips as uneven as these are where both runs are equally good: two-sided, exact."""
    flips = gained + lost
    if flips == 0:
        return 1.0
    tail = sum(math.comb(flips, count) for count in range(min(gained, lost) + 1))
    return min(1.0, 2 * tail / 2**flips)


def paired_difference(gained: int, lost: int, of: int) -> tuple[float, float, float]:
    """The difference of two shares of the same cases, and its 95 % interval (adjusted Wald, Agresti and Min 2005)."""
    if of <= 0:
        return 0.0, -1.0, 1.0
    more, less, cases = gained + 0.5, lost + 0.5, of + 2
    middle = (more - less) / cases
    half = Z * math.sqrt(more + less - (more - less) ** 2 / cases) / cases
    return (gained - lost) / of, max(-1.0, middle - half), min(1.0, middle + half)


def quantile(values: Sequence[float], share: float) -> float:
    """Between the two nearest values; 0 of none."""
    if not values:
        return 0.0
    ordered = sorted(values)
    place = share * (len(ordered) - 1)
    below = math.floor(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (ordered[above] - ordered[below]) * (place - below)
