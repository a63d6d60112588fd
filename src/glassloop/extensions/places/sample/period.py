"""The months of the sample, by number, with their days."""

from datetime import date, timedelta

import msgspec
import numpy as np
from numpy.typing import NDArray

MONTHS = 24


class SamplePeriod(msgspec.Struct, frozen=True, kw_only=True):
    """Whole months."""

    days: list[date]
    months: list[date]
    """Their first days."""
    starts: NDArray[np.int64]
    """The number of the first day of each month, and at the end that of the day after the last."""
    month_of: NDArray[np.int64]
    """The number of the month of each day."""
    weekday_of: NDArray[np.int64]

    @classmethod
    def before(cls, today: date, count: int = MONTHS) -> "SamplePeriod":
        """The last whole months before a day."""
        months = [date(at // 12, at % 12 + 1, 1) for at in range(_month_number(today) - count, _month_number(today))]
        first, end = months[0], date(today.year, today.month, 1)
        days = [first + timedelta(days=number) for number in range((end - first).days)]
        return cls(
            days=days,
            months=months,
            starts=np.array([*((month - first).days for month in months), len(days)]),
            month_of=np.array([_month_number(day) - _month_number(first) for day in days]),
            weekday_of=np.array([day.weekday() for day in days]),
        )


def _month_number(day: date) -> int:
    return day.year * 12 + day.month - 1
