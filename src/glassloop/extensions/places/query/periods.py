"""Periods in whole local days, as models name them, held against the days that a data set has.

"Last" is meant from the last day of the data, never from today. Figures that exist by month alone (visitors, dwell,
homes, overlap, flows) are of the whole months of a period; `months` says which.
"""

import re
from collections.abc import Sequence
from datetime import date, timedelta
from functools import lru_cache
from typing import Final, Literal

import msgspec

from glassloop.core.errors import BadArguments
from glassloop.core.records import Json
from glassloop.extensions.places.query.names import quote_name

Compare = Literal["previous", "year", "both"]
EXAMPLES: Final = "last_month, last_quarter, last_90_days, 2026-Q1, 2026-03, or start_date and end_date as 2026-03-01"
_DAY: Final = timedelta(days=1)
_FILLING: Final = re.compile(r"[\s_]+")
_LAST: Final = re.compile(r"(?:last|past|previous|trailing) (\d{1,4}) (day|week|month|quarter|year)s?")
_QUARTER: Final = re.compile(r"(?:(\d{4}) ?-? ?q([1-4])|q([1-4]) ?-? ?(\d{4}))")
_RANGE: Final = re.compile(r"(\d{4}-\d\d(?:-\d\d)?) ?(?:\.\.|/|to|until|-|–) ?(\d{4}-\d\d(?:-\d\d)?)")
_MONTHS: Final = {
    name: number
    for number, names in enumerate(
        ("january jan", "february feb", "march mar", "april apr", "may", "june jun", "july jul", "august aug",
         "september sep sept", "october oct", "november nov", "december dec"), 1)
    for name in names.split()
}  # fmt: skip
_NAMED: Final = re.compile(rf"({'|'.join(_MONTHS)})\.?(?: (\d{{4}}))?")


class VisitPeriod(msgspec.Struct, frozen=True, kw_only=True):
    """Days from `start` to `end`, both included, that the data has. `asked_end` is later where it has not ended yet;
    `unit` is what it is counted in, for the one before."""

    name: str
    start: date
    end: date
    asked_end: date
    unit: Literal["day", "month"]

    @property
    def days(self) -> int:
        return (self.end - self.start).days + 1

    @property
    def complete(self) -> bool:
        return self.end == self.asked_end

    @property
    def label(self) -> str:
        """`2026-03`, or `2026-03-05 to 2026-04-02`."""
        first_to_last = self.start.day == 1 and self.end == month_end(self.start)
        return f"{self.start:%Y-%m}" if first_to_last else f"{self.start} to {self.end}"


class DataDays(msgspec.Struct, frozen=True):
    """The days that a data set has; `daily` says whether it has visits by day."""

    first: date
    last: date
    daily: bool = True

    def months_within(self, period: VisitPeriod) -> tuple[date, date] | None:
        """The first and the last month that lie within the period with all their days that the data has."""
        months = [
            month
            for month in months_between(period.start, period.end)
            if max(month, self.first) >= period.start and min(month_end(month), self.last) <= period.end
        ]
        return (months[0], months[-1]) if months else None

    def months_for(self, period: VisitPeriod) -> tuple[date, date]:
        """The same; where no month is whole, the one that most of the period's days are in."""
        found = self.months_within(period)
        if found is not None:
            return found
        most = max(
            months_between(period.start, period.end),
            key=lambda month: (min(month_end(month), period.end) - max(month, period.start)).days,
        )
        return most, most

    def last_whole_month(self) -> date:
        """The last month that has ended; the first there is where none has."""
        month = month_start(self.last)
        if self.last != month_end(month) and month > self.first:
            return month_start(month - _DAY)
        return month


def read_period(text: str | None, days: DataDays, *, start: str | None = None, end: str | None = None) -> VisitPeriod:
    """The period that is meant, as far as there is data. Raises `BadArguments` with what fits."""
    if start or end:
        first = day_of("start_date", start) if start else days.first
        last = day_of("end_date", end) if end else days.last
        return _clipped("dates", first, last, "day", days)
    wanted = _FILLING.sub(" ", (text or "last_month").strip().lower())
    found = _relative(wanted, days) or _calendar(wanted, days)
    if found is None:
        raise BadArguments(f"`period` is {quote_name(text or '')}: give {EXAMPLES}.")
    return _clipped(text or "last_month", *found, days)


def compared_periods(
    period: VisitPeriod, compare: Compare | None, days: DataDays
) -> list[tuple[str, VisitPeriod | None]]:
    """The periods to compare with, None where the data has not all of one. One that has not ended is compared with as
    many days."""
    kinds = ("previous", "year") if compare == "both" else (compare,) if compare else ()
    return [(kind, _held(_before(period, kind), days)) for kind in kinds]


def month_start(day: date) -> date:
    return day.replace(day=1)


def month_end(day: date) -> date:
    return add_months(month_start(day), 1) - _DAY


@lru_cache(2_048)
def add_months(month: date, count: int) -> date:
    """The first day of the month so many months on."""
    number = month.year * 12 + month.month - 1 + count
    return date(number // 12, number % 12 + 1, 1)


def months_between(start: date, end: date) -> list[date]:
    months = [month_start(start)]
    while (following := add_months(months[-1], 1)) <= end:
        months.append(following)
    return months


def period_json(period: VisitPeriod, months: tuple[date, date] | None = None) -> dict[str, Json]:
    """As `query_metadata` tells it."""
    told: dict[str, Json] = {
        "name": period.name, "start": str(period.start), "end": str(period.end), "days": period.days,
        "complete": period.complete,
    }  # fmt: skip
    if months is not None:
        told["months"] = [f"{months[0]:%Y-%m}", f"{months[1]:%Y-%m}"]
    return told


_Span = tuple[date, date, Literal["day", "month"]]


def _relative(wanted: str, days: DataDays) -> _Span | None:
    whole = days.last_whole_month()
    if wanted in ("all", "all time", "everything", "max"):
        return days.first, days.last, "day"
    if wanted in ("last month", "previous month", "latest month", "past month", "latest", "latest available"):
        return whole, month_end(whole), "month"
    if wanted in ("this month", "current month", "month to date"):
        return month_start(days.last), month_end(days.last), "month"
    if wanted in ("last week", "previous week", "past week"):
        sunday = days.last - timedelta(days=(days.last.weekday() + 1) % 7)
        return sunday - 6 * _DAY, sunday, "day"
    if wanted in ("this year", "year to date", "ytd", "current year"):
        return days.last.replace(month=1, day=1), days.last.replace(month=12, day=31), "month"
    if wanted in ("last year", "previous year"):
        year = days.last.year if (days.last.month, days.last.day) == (12, 31) else days.last.year - 1
        return date(year, 1, 1), date(year, 12, 31), "month"
    if wanted in ("last quarter", "previous quarter"):
        first = add_months(whole, -((whole.month - 1) % 3))
        first = first if whole.month % 3 == 0 else add_months(first, -3)
        return first, month_end(add_months(first, 2)), "month"
    if wanted in ("yesterday", "last day", "today"):
        return days.last, days.last, "day"
    return _last_many(wanted, days, whole)


def _last_many(wanted: str, days: DataDays, whole: date) -> _Span | None:
    found = _LAST.fullmatch(wanted)
    if found is None or not (count := int(found[1])):
        return None
    if found[2] in ("day", "week"):
        return days.last - (count * (7 if found[2] == "week" else 1) - 1) * _DAY, days.last, "day"
    months = count * {"month": 1, "quarter": 3, "year": 12}[found[2]]
    return (add_months(whole, 1 - months), month_end(whole), "month") if months <= 1_200 else None


def _calendar(wanted: str, days: DataDays) -> _Span | None:
    if quarter := _QUARTER.fullmatch(wanted):
        first = _date(int(quarter[1] or quarter[4]), int(quarter[2] or quarter[3]) * 3 - 2, 1)
        return first and (first, month_end(add_months(first, 2)), "month")
    if between := _RANGE.fullmatch(wanted):
        first, last = _span(between[1]), _span(between[2])
        unit = "month" if len(between[1]) == len(between[2]) == 7 else "day"
        return (first[0], last[1], unit) if first and last else None
    if named := _NAMED.fullmatch(wanted):
        year = int(named[2]) if named[2] else days.last.year
        month = _date(year, _MONTHS[named[1]], 1)
        if month and not named[2] and month > days.last:
            month = month.replace(year=year - 1)
        return month and (month, month_end(month), "month")
    return _span(wanted)


def _span(text: str) -> _Span | None:
    """A year, a month or a day in digits."""
    parts = text.split("-")
    if not all(part.isdecimal() and part.isascii() for part in parts) or [len(part) for part in parts] not in (
        [4], [4, 2], [4, 2, 2],
    ):  # fmt: skip
        return None
    first = _date(int(parts[0]), int(parts[1]) if len(parts) > 1 else 1, int(parts[2]) if len(parts) > 2 else 1)
    if first is None:
        return None
    if len(parts) == 3:
        return first, first, "day"
    return first, date(first.year, 12, 31) if len(parts) == 1 else month_end(first), "month"


def _date(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day) if 1900 <= year <= 2200 else None
    except ValueError:
        return None


def day_of(name: str, text: str) -> date:
    """A day in digits; of a month or a year its first, for `end_date` its last. Raises `BadArguments`."""
    found = _span(text.strip()[:10])
    if found is None:
        raise BadArguments(f"`{name}` is {quote_name(text)}: write a day as 2026-03-01.")
    return found[1] if name == "end_date" else found[0]


def _clipped(name: str, start: date, end: date, unit: Literal["day", "month"], days: DataDays) -> VisitPeriod:
    if start > end:
        raise BadArguments(f"The period begins on {start}, after its end, {end}: swap the two.")
    if end < days.first or start > days.last:
        raise BadArguments(
            f"There is no data from {start} to {end}: the data has {days.first} to {days.last}. Give a period in it."
        )
    return VisitPeriod(
        name=" ".join(name.split())[:60],
        start=max(start, days.first),
        end=min(end, days.last),
        asked_end=end,
        unit=unit,
    )


def _before(period: VisitPeriod, kind: str) -> VisitPeriod:
    """As many days, a year or a period earlier."""
    if kind == "year":
        start = _year_earlier(period.start)
        end = _year_earlier(period.end)
        if period.unit == "month" and period.end == month_end(period.end):
            end = month_end(end)
    elif period.unit == "month":
        count = len(months_between(period.start, period.asked_end))
        start = add_months(month_start(period.start), -count)
        end = month_end(add_months(start, count - 1)) if period.complete else start + (period.end - period.start)
    else:
        start, end = period.start - period.days * _DAY, period.start - _DAY
    return msgspec.structs.replace(period, name=kind, start=start, end=end, asked_end=end)


def _held(period: VisitPeriod, days: DataDays) -> VisitPeriod | None:
    return period if period.start >= days.first and period.end <= days.last else None


def _year_earlier(day: date) -> date:
    return day.replace(year=day.year - 1, day=28) if (day.month, day.day) == (2, 29) else day.replace(year=day.year - 1)


def day_ranges(period: VisitPeriod, days: DataDays) -> tuple[tuple[date, date] | None, Sequence[tuple[date, date]]]:
    """The whole months of a period, and the days at its ends that are of other months; no days where no visits are
    known by day and there are months."""
    months = days.months_within(period)
    if months is None:
        return None, ((period.start, period.end),)
    if not days.daily:
        return months, ()
    ends: list[tuple[date, date]] = []
    if period.start < (first := max(months[0], days.first)):
        ends.append((period.start, first - _DAY))
    if period.end > (last := min(month_end(months[1]), days.last)):
        ends.append((last + _DAY, period.end))
    return months, ends
