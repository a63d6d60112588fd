"""Trends over kills: how fast a figure changes, and whether the latest kills are worse or better than those before."""

from collections.abc import Sequence
from statistics import fmean
from typing import Final, Literal

import msgspec

WEEK_MS: Final = 7 * 24 * 3600 * 1000
RECENT_KILLS: Final = 2
EARLIER_KILLS: Final = 5
"""The last two kills are compared with the five before: kills 3 to 7, counted from the newest."""
CHANGE_POINTS: Final = 15.0
"""So many percentile points down are a regression, up an improvement."""


class KillTrend(msgspec.Struct, frozen=True, kw_only=True):
    """The mean of the last kills beside the mean of those before."""

    verdict: Literal["regression", "improvement", "steady"]
    recent: float
    earlier: float
    recent_kills: int
    earlier_kills: int

    @property
    def change(self) -> float:
        return self.recent - self.earlier


def weekly_slope(times_ms: Sequence[int], values: Sequence[float | None]) -> float | None:
    """By how much a figure changes a week, by least squares; None with fewer than two points in time."""
    return slope([(at / WEEK_MS, value) for at, value in zip(times_ms, values, strict=True) if value is not None])


def slope(points: Sequence[tuple[float, float]]) -> float | None:
    """Of a line through points (x, y), by least squares; None with fewer than two values of x."""
    if len(points) < 2:
        return None
    middle_x, middle_y = fmean(x for x, _ in points), fmean(y for _, y in points)
    spread = sum((x - middle_x) ** 2 for x, _ in points)
    if spread < 1e-9:
        return None
    return sum((x - middle_x) * (y - middle_y) for x, y in points) / spread


def kill_trend(newest_first: Sequence[float]) -> KillTrend | None:
    """Of percentiles of kills, the newest first; None where there are no kills to compare the last two with."""
    recent = newest_first[:RECENT_KILLS]
    earlier = newest_first[RECENT_KILLS : RECENT_KILLS + EARLIER_KILLS]
    if len(recent) < RECENT_KILLS or not earlier:
        return None
    now, before = fmean(recent), fmean(earlier)
    # Means of percentiles with one decimal: what is less than that apart is the same.
    change = round(now - before, 6)
    verdict = "regression" if change <= -CHANGE_POINTS else "improvement" if change >= CHANGE_POINTS else "steady"
    return KillTrend(verdict=verdict, recent=now, earlier=before, recent_kills=len(recent), earlier_kills=len(earlier))
