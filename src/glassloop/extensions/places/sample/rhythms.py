"""Rhythms of visits: hours of the day, days of the week, seasons and holidays, by the names that categories use."""

from datetime import date, timedelta
from functools import lru_cache

import msgspec
import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Span = tuple[int, int] | None
Peak = tuple[float, float, float]
"""Hour, width in hours, height."""

_LUNCH_AND_DINNER: tuple[Peak, ...] = ((12.5, 1.3, 1.0), (18.8, 1.7, 1.2))
_AFTERNOON: tuple[Peak, ...] = ((14.5, 3.0, 1.0), (17.8, 1.8, 0.6))
HOURS: dict[str, tuple[Span, Span, Span, tuple[Peak, ...]]] = {
    "always": ((0, 24), (0, 24), (0, 24), ((8, 2.5, 0.7), (17.5, 3.5, 1.0), (12, 6, 0.4))),
    "long": ((6, 24), (6, 24), (7, 24), ((8, 1.6, 0.7), (12.5, 2, 0.7), (18, 3, 1.0))),
    "coffee": ((5, 20), (6, 20), (6, 19), ((8.2, 1.3, 1.6), (10.5, 1.8, 0.8), (14.8, 2, 0.6))),
    "fast_food": ((8, 23), (8, 24), (8, 23), ((12.4, 1.2, 1.2), (18.4, 1.7, 1.1), (9, 1.2, 0.3))),
    "restaurant": ((11, 23), (10, 24), (10, 22), _LUNCH_AND_DINNER),
    "bar": ((15, 24), (12, 24), (12, 24), ((20.5, 2.2, 1.0), (22.8, 1.2, 0.6))),
    "grocery": ((6, 23), (6, 23), (7, 22), ((11, 2.5, 0.8), (17.5, 1.8, 1.2))),
    "pharmacy": ((8, 22), (9, 20), (9, 19), ((11, 2.5, 0.9), (16.5, 2.2, 1.0))),
    "retail": ((10, 20), (10, 20), (11, 19), _AFTERNOON),
    "long_retail": ((8, 21), (8, 21), (9, 20), _AFTERNOON),
    "early_retail": ((7, 20), (7, 20), (8, 18), ((10.5, 2.2, 1.0), (16, 2.5, 0.9))),
    "evening_retail": ((10, 23), (10, 23), (11, 21), ((18, 2.5, 1.0), (13, 2.5, 0.4))),
    "mall": ((10, 21), (10, 21), (11, 19), ((14.2, 2.4, 1.0), (18.2, 1.8, 0.9))),
    "dealer": ((9, 20), (9, 19), None, ((11.5, 2, 1.0), (15.5, 2.5, 0.9))),
    "weekday": ((8, 18), None, None, ((10, 1.8, 1.0), (14.5, 2, 0.9))),
    "weekday_sat": ((8, 19), (9, 16), None, ((10, 1.8, 1.0), (16, 2, 0.8))),
    "bank": ((9, 17), (9, 14), None, ((11, 1.6, 1.0), (15.2, 1.5, 0.8))),
    "school": ((7, 17), None, None, ((7.8, 0.6, 1.6), (14.5, 1.0, 0.5))),
    "campus": ((7, 22), (9, 20), (10, 20), ((10, 2.2, 1.0), (14.5, 2.5, 0.9))),
    "afternoon": ((14, 21), (9, 17), None, ((16.8, 1.4, 1.0), (10.5, 1.5, 0.6))),
    "gym": ((5, 23), (6, 21), (7, 21), ((6.8, 1.3, 1.0), (12, 1.5, 0.4), (18, 1.7, 1.3))),
    "daylight": ((6, 20), (6, 20), (6, 20), ((10.5, 2.4, 0.9), (16, 2.6, 1.0))),
    "museum": ((10, 17), (10, 18), (10, 18), ((11.8, 1.5, 1.0), (14.3, 1.5, 1.0))),
    "library": ((9, 20), (10, 17), (12, 17), ((15.5, 2.4, 1.0), (11, 2, 0.7))),
    "entertainment": ((11, 24), (10, 24), (10, 23), ((15, 2.5, 0.7), (19.5, 2.0, 1.2))),
    "evening": ((17, 23), (13, 23), (13, 22), ((19.3, 0.8, 1.0), (14.3, 0.9, 0.3))),
    "stadium": ((10, 23), (10, 23), (10, 23), ((18.4, 0.7, 1.0), (13.0, 0.8, 0.4))),
    "church": ((9, 20), (9, 20), (7, 14), ((10.2, 0.9, 1.5), (18.5, 1.0, 0.3))),
}
"""Open on weekdays, Saturdays and Sundays, and when most people come."""
WEEK_SLOTS = 1_000

WEEKS: dict[str, tuple[float, ...]] = {
    "even": (0.97, 0.96, 0.98, 1.0, 1.08, 1.05, 0.96),
    "workweek": (1.08, 1.1, 1.1, 1.08, 1.06, 0.84, 0.66),
    "weekend": (0.74, 0.75, 0.79, 0.86, 1.12, 1.52, 1.22),
    "night": (0.52, 0.58, 0.7, 0.9, 1.6, 1.84, 0.86),
    "grocery": (0.95, 0.9, 0.92, 0.95, 1.05, 1.16, 1.18),
    "gym": (1.24, 1.2, 1.16, 1.06, 0.88, 0.82, 0.64),
    "school": (1.38, 1.4, 1.4, 1.38, 1.32, 0.06, 0.06),
    "church": (0.24, 0.26, 0.5, 0.3, 0.3, 0.6, 4.8),
}
"""From Monday to Sunday."""

SEASONS: dict[str, tuple[float, ...]] = {
    "flat": (0.97, 0.98, 1.0, 1.0, 1.01, 1.01, 1.0, 1.0, 0.99, 1.0, 1.0, 1.04),
    "winter": (1.08, 1.07, 1.03, 1.0, 0.97, 0.94, 0.93, 0.95, 0.98, 1.02, 1.04, 1.06),
    "summer": (0.82, 0.86, 0.95, 1.0, 1.06, 1.16, 1.22, 1.18, 1.02, 0.97, 0.9, 0.88),
    "spring": (0.8, 0.86, 1.06, 1.24, 1.28, 1.14, 1.02, 0.96, 0.94, 0.94, 0.9, 0.92),
    "holiday": (0.84, 0.86, 0.93, 0.94, 0.96, 0.95, 0.96, 1.0, 0.94, 0.97, 1.15, 1.52),
    "holiday_food": (0.96, 0.97, 0.98, 0.98, 1.0, 0.99, 1.0, 0.99, 0.98, 0.99, 1.08, 1.12),
    "gym": (1.42, 1.24, 1.1, 1.02, 0.96, 0.92, 0.88, 0.9, 0.98, 0.95, 0.87, 0.78),
    "school": (1.06, 1.08, 1.06, 1.06, 1.08, 0.62, 0.34, 0.8, 1.16, 1.16, 1.08, 0.84),
    "college": (1.0, 1.16, 1.12, 1.16, 0.86, 0.6, 0.52, 0.84, 1.26, 1.24, 1.12, 0.64),
    "church": (0.96, 0.98, 1.04, 1.1, 0.98, 0.94, 0.92, 0.94, 0.98, 1.0, 1.02, 1.16),
}
"""From January to December."""

_MOSTLY_CLOSED = {"christmas": 0.06, "thanksgiving": 0.22, "new_year": 0.55}
_SHUT = {"christmas": 0.0, "thanksgiving": 0.0, "new_year": 0.0, "independence": 0.05, "labor": 0.05, "memorial": 0.05}
_SHOPS = {**_MOSTLY_CLOSED, "christmas": 0.0, "black_friday": 2.1, "christmas_eve": 1.15, "week_before": 1.35}
_LEISURE = {"christmas": 0.6, "thanksgiving": 0.7, "independence": 1.25, "memorial": 1.2, "labor": 1.2}
HOLIDAY_FACTORS: dict[str, dict[str, float]] = {
    "weekday": _SHUT,
    "weekday_sat": _SHUT,
    "bank": _SHUT,
    "school": {**_SHUT, "black_friday": 0.0, "christmas_eve": 0.0, "week_before": 0.5},
    "dealer": {**_MOSTLY_CLOSED, "memorial": 1.3, "labor": 1.3},
    "library": _SHUT,
    "retail": _SHOPS,
    "mall": _SHOPS,
    "long_retail": _SHOPS,
    "early_retail": {**_MOSTLY_CLOSED, "christmas": 0.0},
    "grocery": {"christmas": 0.2, "thanksgiving": 0.7, "day_before_thanksgiving": 1.7, "christmas_eve": 1.4},
    "gym": {**_MOSTLY_CLOSED, "independence": 0.7},
    "coffee": {"christmas": 0.35, "thanksgiving": 0.5, "black_friday": 1.15},
    "church": {"christmas": 3.0, "christmas_eve": 3.5},
    "entertainment": _LEISURE,
    "daylight": _LEISURE,
    "museum": {**_LEISURE, "christmas": 0.0, "thanksgiving": 0.0},
    "stadium": {"christmas": 0.0, "thanksgiving": 0.0},
}
_OTHERWISE = {"christmas": 0.4, "thanksgiving": 0.55, "new_year": 0.8}


def hour_odds(hours: str, weekday: int) -> Floats:
    """How likely a visit begins in each hour of that day; all 0 where it is closed."""
    span, peaks = _span(hours, weekday), HOURS[hours][3]
    odds = np.zeros(24)
    if span is not None:
        at = np.arange(*span) + 0.5
        odds[span[0] : span[1]] = 0.06 + sum(h * np.exp(-0.5 * ((at - hour) / width) ** 2) for hour, width, h in peaks)
        # Hardly anybody begins a visit in the last hour.
        if span[1] < 24:
            odds[span[1] - 1] *= 0.4
    return odds


def open_hours(hours: str, *, closed_on_sundays: bool = False) -> NDArray[np.bool_]:
    """The 168 flags of a week."""
    flags = np.zeros((7, 24), bool)
    for weekday in range(7):
        span = _span(hours, weekday)
        if span is not None and not (weekday == 6 and closed_on_sundays):
            flags[weekday, span[0] : span[1]] = True
    return flags.ravel()


class WeekSlots(msgspec.Struct, frozen=True):
    """The open hours of the week by profile, each as often as it is usual: where few are seen, visits are placed by it.
    A profile is the number of its name in `HOURS`, doubled, and one more where it is closed on Sundays."""

    hours: NDArray[np.int64]
    """All profiles one after another."""
    first: NDArray[np.int64]
    """By profile and hour of the week, flat: its first place among `hours`."""
    last: NDArray[np.int64]

    @classmethod
    def make(cls) -> "WeekSlots":
        hours, ends = list[NDArray[np.int64]](), [0]
        for name in HOURS:
            odds = np.concatenate([hour_odds(name, weekday) for weekday in range(7)])
            for sundays in (False, True):
                is_open = open_hours(name, closed_on_sundays=sundays)
                counts = np.where(is_open, np.maximum(1, np.rint(WEEK_SLOTS * odds / odds.sum())), 0).astype(np.int64)
                hours.append(np.repeat(np.arange(len(counts)), counts))
                ends += (ends[-1] + np.cumsum(counts)).tolist()
        return cls(hours=np.concatenate(hours), first=np.array(ends[:-1]), last=np.array(ends[1:]) - 1)


def day_factors(days: list[date], hours: str, week: str, season: str) -> Floats:
    """How many people come on each day beside the average day."""
    factors = HOLIDAY_FACTORS.get(hours, _OTHERWISE)
    usual = [WEEKS[week][weekday] if _span(hours, weekday) is not None else 0.0 for weekday in range(7)]
    seasons = _seasons(season, tuple(days))
    shape = np.array([usual[day.weekday()] * part for day, part in zip(days, seasons, strict=True)])
    for number, name in _holidays(tuple(days)):
        shape[number] *= factors.get(name, 1.0)
    return shape / shape.mean()


@lru_cache(maxsize=1)
def _holidays(days: tuple[date, ...]) -> list[tuple[int, str]]:
    """Those of the days that are one, by their number."""
    return [(number, name) for number, day in enumerate(days) if (name := holiday(day))]


@lru_cache(maxsize=64)
def _seasons(season: str, days: tuple[date, ...]) -> list[float]:
    return [_season(season, day) for day in days]


@lru_cache(maxsize=2_000)
def holiday(day: date) -> str:
    """The holiday that it is, or ''."""
    thanksgiving = _nth_weekday(day.year, 11, 3, 4)
    last_of_may = date(day.year, 5, 31)
    named = {
        date(day.year, 1, 1): "new_year",
        last_of_may - timedelta(days=last_of_may.weekday()): "memorial",
        date(day.year, 7, 4): "independence",
        _nth_weekday(day.year, 9, 0, 1): "labor",
        thanksgiving - timedelta(days=1): "day_before_thanksgiving",
        thanksgiving: "thanksgiving",
        thanksgiving + timedelta(days=1): "black_friday",
        date(day.year, 12, 24): "christmas_eve",
        date(day.year, 12, 25): "christmas",
    }
    return named.get(day, "week_before" if day.month == 12 and 17 <= day.day <= 23 else "")


def _nth_weekday(year: int, month: int, weekday: int, number: int) -> date:
    first = date(year, month, 1)
    return first + timedelta(days=(weekday - first.weekday()) % 7 + 7 * (number - 1))


def _season(season: str, day: date) -> float:
    """Between the middles of months in a straight line; gyms begin the year at once."""
    months = SEASONS[season]
    here = months[day.month - 1]
    if season in ("gym", "school", "college"):
        return here
    away = (day.day - 15) / 30
    other = months[(day.month if away > 0 else day.month - 2) % 12]
    return here + (other - here) * abs(away)


def _span(hours: str, weekday: int) -> Span:
    weekdays, saturdays, sundays, _ = HOURS[hours]
    return {5: saturdays, 6: sundays}.get(weekday, weekdays)
