"""Results of reports: as JSON, or as a page with a line of totals above a table."""

import datetime
from typing import Any, Final

from training.data.catalogue import write_rows
from training.data.days import WEEKDAYS
from training.data.values import CITIES, Rng, dumps, person

_TIMES: Final = {"year": "%Y", "month": "%Y-%m", "week": "%G-W%V", "day": "%Y-%m-%d"}


class ReportForm:
    """How one result is written, so that the answer writes its figures alike."""

    def __init__(self, rng: Rng) -> None:
        self.rng, self.is_page = rng, rng.chance(0.5)

    def figure(self, value: Any) -> str:
        return f"{value:,}" if self.is_page and isinstance(value, int | float) else str(value)

    def written(self, title: str, args: dict[str, Any], result: dict[str, Any]) -> str:
        if not self.is_page:
            return dumps(result)
        said = [f"{name.replace('_', ' ')}: {value}" for name, value in args.items()]
        head = " · ".join([title.capitalize(), *(said or ["all"]), f"as of {self.rng.today}"])
        figures = [f"{name.replace('_', ' ')} {self.figure(value)}" for name, value in result.items() if name != "rows"]
        page = f"{head}\nTotals: {', '.join(figures)}."
        rows = [{name: self.figure(value) for name, value in row.items()} for row in result.get("rows") or ()]
        return f"{page}\n\nRows, largest first:\n\n{write_rows(rows, 'table')}" if rows else page


def group_values(rng: Rng, key: str, period: str) -> list[str]:
    """Two to four groups of a report, fewer where the period has no more."""
    count, written = rng.randrange(2, 5), _TIMES.get(key)
    if written is not None:
        first, last = _days_of(rng.today, period)
        days = (first + datetime.timedelta(at) for at in range((last - first).days + 1))
        values = list(dict.fromkeys(day.strftime(written) for day in days))
    elif key == "hour":
        values = [f"{hour:02d}:00" for hour in range(8, 18)]
    elif key == "weekday":
        values = list(WEEKDAYS)
    elif key in ("region", "country", "site", "hall", "entrance"):
        values = list(CITIES)
    else:
        values = list(dict.fromkeys(person(rng).split()[1] for _ in range(count)))
    return rng.sample(values, min(count, len(values)))


def _days_of(today: datetime.date, period: str) -> tuple[datetime.date, datetime.date]:
    """The first and the last day that a report of a period has figures of; of a year where no period is said."""
    day = datetime.timedelta(1)
    monday, month = today - today.weekday() * day, today.replace(day=1)
    year, quarter = today.replace(month=1, day=1), today.replace(month=(today.month - 1) // 3 * 3 + 1, day=1)
    before = (quarter - day).replace(day=1)
    ranges = {
        "today": (today, today),
        "yesterday": (today - day, today - day),
        "this_week": (monday, today),
        "last_week": (monday - 7 * day, monday - day),
        "this_month": (month, today),
        "last_month": ((month - day).replace(day=1), month - day),
        "last_quarter": (before.replace(month=before.month - 2), quarter - day),
        "this_year": (year, today),
        "last_year": ((year - day).replace(month=1, day=1), year - day),
    }
    return ranges.get(period, (today - 364 * day, today))
