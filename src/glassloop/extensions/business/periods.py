"""Periods: the days a question is about, and those to compare them with.

Owns reading of period names and dates. A period that has not ended reaches to today, and is compared with as many days
of the one before, so that half a month is not set against a whole one.
"""

import calendar
import re
from datetime import date, timedelta
from typing import Literal

import msgspec

from glassloop.core.errors import BadArguments

Compare = Literal["none", "previous_period", "last_year"]

YEARS = (1900, 2200)
BEFORE_ALL = date(2000, 1, 1)
"""Where a period begins that was given no beginning."""

_UNITS = {"month": 1, "quarter": 3, "year": 12}
_COARSE = re.compile(r"(\d{4})(?:-(\d{1,2})|-?[Qq]([1-4]))?")
_YEARLESS = re.compile(r"[Qq]([1-4])|([A-Za-z]{3,9})")
_MONTHS = (
    "january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november",
    "december",
)  # fmt: skip


class Period(msgspec.Struct, frozen=True, kw_only=True):
    """Whole days, both ends included; without ends it is all there is. `months` is how many a calendar period has."""

    name: str
    start: date | None = None
    end: date | None = None
    months: int = 0

    def told(self) -> dict[str, str]:
        """As results name it."""
        if self.start is None or self.end is None:
            return {"name": self.name}
        return {"name": self.name, "from": self.start.isoformat(), "to": self.end.isoformat()}

    @property
    def bounds(self) -> dict[str, str]:
        """As parameters of a query that needs both ends."""
        first, last = self.start or date.min, self.end or date.max
        return {"from_day": first.isoformat(), "to_day": last.isoformat()}

    @property
    def days(self) -> int:
        return (self.end - self.start).days + 1 if self.start and self.end else 0

    def misses(self, first: date) -> int:
        """How many of its days are before this one."""
        return min(max((first - self.start).days, 0), self.days) if self.start else 0

    def same_day(self, other: "Period", today: date) -> date:
        """The day that lay as far from the end of this period as today from the end of the other one."""
        return self.end + (today - other.end) if self.end and other.end else today

    def text(self) -> str:
        if self.start is None or self.end is None:
            return "all dates"
        days = f"{self.start} to {self.end}" if self.start != self.end else f"{self.start}"
        return f"{days} ({self.name})" if self.name != "given dates" else days

    def against(self, compare: Compare) -> "Period":
        """The period to compare with."""
        if self.start is None or self.end is None:
            raise BadArguments("All dates cannot be compared with anything: give a period, or start_date and end_date.")
        if compare == "last_year":
            return Period(name="a year before", start=_shift(self.start, -12), end=_year_ago(self.start, self.end))
        if not self.months:
            length = self.end - self.start
            end = self.start - timedelta(1)
            return Period(name="the period before", start=end - length, end=end)
        start = _shift(self.start, -self.months)
        last = self.start - timedelta(1)
        whole = self.end == _shift(self.start, self.months) - timedelta(1)
        return Period(
            name="the period before", start=start, end=last if whole else min(last, start + (self.end - self.start))
        )


def find_period(
    name: str | None, start_date: str, end_date: str, *, default: str, today: date, ahead: bool = False
) -> Period:
    """The period that is meant. Dates win over the name. `ahead`: what has begun is taken to its end, not to today."""
    if not start_date.strip() and not end_date.strip():
        return _named(name or default, today, ahead)
    start_date, end_date = (_with_year(given.strip(), today, ahead) for given in (start_date, end_date))
    start = read_day(start_date, "start_date") if start_date else None
    end = read_day(end_date, "end_date", last=True) if end_date else None
    if start is None:
        start = min(end or today, BEFORE_ALL)
    if end is None:
        end = max(today, start)
    if end < start:
        raise BadArguments(f"end_date {end} is before start_date {start}: change them round.")
    return Period(name="given dates", start=start, end=end, months=_whole_months(start, end))


def read_day(text: str, label: str, *, last: bool = False) -> date:
    """A date; of a month, quarter or year its first day, or its last."""
    given = text.strip()
    coarse = _COARSE.fullmatch(given)
    try:
        if coarse is None:
            return sane(date.fromisoformat(given))
        year, month, quarter = coarse.groups()
        first = sane(date(int(year), int(month or (int(quarter) * 3 - 2 if quarter else 1)), 1))
        span = 1 if month else 3 if quarter else 12
        return _shift(first, span) - timedelta(1) if last else first
    except ValueError:
        raise BadArguments(
            f"{label} {given[:40]!r} is no date there is: write it as 2026-03-31 (or 2026-03, 2026-Q1, 2026)."
        ) from None


def _with_year(given: str, today: date, ahead: bool) -> str:
    """`Q2` and `March` with a year: the latest that has begun, or, of what lies ahead too, the nearest."""
    match = _YEARLESS.fullmatch(given)
    if match is None:
        return given
    named = [number for number, name in enumerate(_MONTHS, 1) if match[2] and name.startswith(match[2].lower())]
    if not match[1] and len(named) != 1:
        return given
    month = int(match[1]) * 3 - 2 if match[1] else named[0]
    year = today.year if month <= today.month else today.year - 1
    if ahead and (today.year - year) * 12 + today.month - month > 6:
        year += 1
    return f"{year}-Q{match[1]}" if match[1] else f"{year}-{month:02d}"


def sane(day: date) -> date:
    """Days that can be reckoned with: a year more or less is still one."""
    if not YEARS[0] <= day.year <= YEARS[1]:
        raise ValueError("too far away")
    return day


def _named(name: str, today: date, ahead: bool) -> Period:
    shown = name.replace("_", " ")
    if name == "all":
        return Period(name=shown)
    if name in ("today", "yesterday", "tomorrow"):
        day = today + timedelta({"today": 0, "yesterday": -1, "tomorrow": 1}[name])
        return Period(name=shown, start=day, end=day)
    if name == "last_12_months":
        return Period(name=shown, start=_shift(today, -12) + timedelta(1), end=today)
    which, _, unit = name.partition("_")
    if unit.endswith("_days"):
        days = int(unit.removesuffix("_days"))
        if which == "next":
            return Period(name=shown, start=today, end=today + timedelta(days - 1))
        return Period(name=shown, start=today - timedelta(days - 1), end=today)
    turn = {"this": 0, "last": -1, "next": 1}[which]
    if unit == "week":
        start = today - timedelta(today.weekday()) + timedelta(7 * turn)
        end = start + timedelta(6)
        return Period(name=shown, start=start, end=end if turn or ahead else today)
    months = _UNITS[unit]
    first = date(today.year, (today.month - 1) // months * months + 1, 1)
    start = _shift(first, months * turn)
    end = _shift(start, months) - timedelta(1)
    return Period(name=shown, start=start, end=end if turn or ahead else today, months=months)


def _shift(day: date, months: int) -> date:
    number = day.year * 12 + day.month - 1 + months
    year, month = number // 12, number % 12 + 1
    return date(year, month, min(day.day, calendar.monthrange(year, month)[1]))


def _year_ago(start: date, end: date) -> date:
    """A period that ends with its month ends with that month a year before too, leap year or not."""
    ends_month = (end + timedelta(1)).day == 1
    before = _shift(end, -12)
    return _shift(before.replace(day=1), 1) - timedelta(1) if ends_month and start.day == 1 else before


def _whole_months(start: date, end: date) -> int:
    if start.day != 1 or (end + timedelta(1)).day != 1:
        return 0
    return (end.year - start.year) * 12 + end.month - start.month + 1
