"""Figures of places that a summary is made of, each by one query over all its places.

What rests on fewer than five visitors of the panel is left out, and of parts of a total whatever would tell them.
"""

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any, Final

import msgspec

from glassloop.core.charts import Chart, Series, cut_label
from glassloop.core.records import Json
from glassloop.extensions.places.data_set.views import BUCKETS
from glassloop.extensions.places.query.binds import Binds
from glassloop.extensions.places.query.figures import HIDDEN, Panel, percent, share_range
from glassloop.extensions.places.query.periods import VisitPeriod, add_months, month_end, months_between
from glassloop.extensions.places.query.suppression import is_small
from glassloop.extensions.places.tools.reader import PlacesQuery
from glassloop.extensions.places.tools.summary_rows import last_month_of

WEEKDAYS: Final = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
TREND_MONTHS: Final = 12
MIN_PAIRS: Final = 6
"""Months with the same a year before that a trend without seasons needs."""
MIN_HISTORY: Final = 6
TOP_HOURS: Final = 3
UNUSUAL_DEVIATIONS: Final = 2.5
UNUSUAL_POINTS: Final = 20.0
"""Percentage points by which a change must differ from that of the category."""
Ratios = Mapping[str, float | None]
"""Visitors of the panel for each visit, by place."""


class MonthPanel(msgspec.Struct, frozen=True):
    """The visits of a place in whole months, with the panel behind them."""

    visits: float
    panel: Panel


class History(msgspec.Struct, frozen=True, kw_only=True):
    """Visits a day of the whole months up to `last`, oldest first: months differ in length, and some may be missing."""

    last: date
    months: tuple[date, ...]
    visits: tuple[float, ...]

    @property
    def pairs(self) -> list[tuple[float, float]]:
        """Months with the same a year before, first that; none where they are too few."""
        known = dict(zip(self.months, self.visits, strict=True))
        found = [(known[then], visits) for month, visits in known.items() if (then := add_months(month, -12)) in known]
        return found if len(found) >= MIN_PAIRS else []

    @property
    def last_year(self) -> list[tuple[int, float]]:
        """The last twelve months, each with how many lie between it and the first of them."""
        first = add_months(self.last, 1 - TREND_MONTHS)
        return [
            (12 * (month.year - first.year) + month.month - first.month, visits)
            for month, visits in zip(self.months, self.visits, strict=True)
            if month >= first
        ]

    @property
    def trend_percent(self) -> float | None:
        """The change a month in percent of the mean: by the difference of months to the same a year before, which has
        no seasons in it; where there are too few, by a straight line through the last twelve months."""
        if pairs := self.pairs:
            before, since = (sum(each) / len(pairs) for each in zip(*pairs, strict=True))
            mean = (before + since) / 2
            return round(100 * (since - before) / 12 / mean, 2) if mean else None
        points = self.last_year
        count = len(points)
        if count < 3 or not (mean := sum(visits for _, visits in points) / count):
            return None
        middle = sum(at for at, _ in points) / count
        across = sum((at - middle) ** 2 for at, _ in points)
        slope = sum((at - middle) * (visits - mean) for at, visits in points) / across
        return round(100 * slope / mean, 2)


async def busiest_days(
    query: PlacesQuery, ids: Sequence[str], period: VisitPeriod, ratios: Ratios
) -> dict[str, dict[str, Json]]:
    """The busiest day and the busiest day of the week of each place."""
    if not ids or not query.needs("poi_visits_daily", "the busiest day"):
        return {}
    binds = Binds()
    rows = await query.rows(
        f"""
SELECT place_id, isodow(day) AS weekday, CAST(sum(visits) AS DOUBLE) AS visits, max(visits) AS best,
    arg_max(day, visits * 100000 - datediff('day', DATE '1970-01-01', day)) AS best_day
FROM poi_visits_daily
WHERE place_id IN (SELECT unnest({binds(list(ids))})) AND day BETWEEN {binds(period.start)} AND {binds(period.end)}
GROUP BY ALL
""",
        binds,
    )
    counts = [sum(1 for at in range(period.days) if (period.start.toordinal() + at - 1) % 7 == day) for day in range(7)]
    by_place: dict[str, list[dict[str, Any]]] = {}
    for row in sorted(rows, key=lambda row: row["weekday"]):
        by_place.setdefault(row["place_id"], []).append(row)
    told: dict[str, dict[str, Json]] = {}
    for place, weekdays in by_place.items():
        ratio = ratios.get(place)
        averages: list[float] = [float(row["visits"]) / counts[row["weekday"] - 1] for row in weekdays]
        average = max(averages)
        week = weekdays[averages.index(average)]
        best = min(weekdays, key=lambda row: (-row["best"], row["best_day"]))
        date_visits = _part(best["best"], ratio)
        told[place] = {
            "date": None if date_visits["value"] is None else str(best["best_day"]),
            "date_visits": date_visits,
            "day_of_week": WEEKDAYS[week["weekday"] - 1],
            "average_visits": None if is_small(_panel(week["visits"], ratio)) else round(average, 1),
        }
    return told


class HourGrids(msgspec.Struct, frozen=True):
    """Visits by hour of the week of each place."""

    by_place: dict[str, list[float]]
    totals: dict[str, float]

    def top(self, place: str) -> list[Json] | None:
        """The busiest hours with their shares of all visits."""
        values = self.by_place.get(place)
        if values is None:
            return None
        best = sorted((at for at in range(168) if values[at]), key=lambda at: (-values[at], at))[:TOP_HOURS]
        return [
            {"day": WEEKDAYS[at // 24], "hour": at % 24, "share_percent": percent(values[at], self.totals[place])}
            for at in best
        ]

    def chart(self, place: str, name: str) -> Chart | None:
        values = self.by_place.get(place, [])
        if not any(values):
            return None
        rows = tuple(
            Series(label=WEEKDAYS[day][:3], values=tuple(values[day * 24 : day * 24 + 24])) for day in range(7)
        )
        hours = tuple(f"{hour} h" for hour in range(24))
        return Chart(kind="grid", title=cut_label(f"Visits by hour of the week, {name}"), x=hours, series=rows)


async def busiest_hours(query: PlacesQuery, ids: Sequence[str], months: tuple[date, date]) -> HourGrids:
    if not ids or not query.needs("poi_hours", "the busiest hours"):
        return HourGrids({}, {})
    rows = await _by_place(query, "poi_hours", "hour_of_week", ids, months)
    grids = {place: [float(parts.get(at, 0)) for at in range(168)] for place, parts in rows.items()}
    return HourGrids(grids, {place: sum(parts.values()) for place, parts in rows.items()})


async def dwell_buckets(
    query: PlacesQuery, places: Mapping[str, MonthPanel], months: tuple[date, date]
) -> dict[str, list[Json]]:
    """By place. Where some visits are in no bucket that may be told, one without any is not known to have none."""
    if not places or not query.needs("poi_dwell", "how long visits take"):
        return {}
    rows = await _by_place(query, "poi_dwell", "bucket", list(places), months)
    count = len(months_between(*months))
    told: dict[str, list[Json]] = {}
    for place, whole in places.items():
        parts = rows.get(place, {})
        seen = sum(parts.values())
        if not parts and whole.panel.visitors is None:
            continue
        total = max(seen, whole.visits) if whole.panel.visitors is not None else seen
        told[place] = [
            {"bucket": bucket, "visits": round(visits), "share_percent": percent(visits, total),
             "share_range_percent": share_range(visits, total, whole.panel, count)}
            if (visits := float(parts.get(bucket, 0))) or seen == total else
            {"bucket": bucket, "visits": None, "share_percent": None, "suppressed": True}
            for bucket in BUCKETS
        ]  # fmt: skip
    return told


def monthly_history(query: PlacesQuery, places: Sequence[Mapping[str, Any]], period: VisitPeriod) -> dict[str, History]:
    """The whole months up to the end of the period, without the month a place opened in and those that are small."""
    last = last_month_of(query, period)
    histories: dict[str, History] = {}
    for place in places:
        opened, closed = place["opened_on"], place["closed_on"]
        months, visits = place["history_months"] or (), place["history_visits"] or ()
        kept = [
            (month, value / end.day)
            for month, value in zip(months, visits, strict=True)
            if value is not None and (opened or month) <= month and (end := month_end(month)) <= (closed or end)
        ]
        if kept:
            months, visits = zip(*kept, strict=True)
            histories[str(place["id"])] = History(last=last, months=months, visits=visits)
    return histories


def explain_trend(query: PlacesQuery, histories: Sequence[History]) -> None:
    """Notes on what the trends are of."""
    known = [each for each in histories if each.trend_percent is not None]
    whole = [each for each in known if each.pairs]
    if whole:
        first, last = min(each.months[0] for each in whole), max(each.months[-1] for each in whole)
        query.metadata.note(
            f"trend is the change a month over {first:%Y-%m} to {last:%Y-%m}, by months against the same a year "
            "before: seasons are not in it."
        )
    if len(known) > len(whole):
        few = "of places with too few months for that " if whole else ""
        query.metadata.note(f"trend {few}is a straight line through the last twelve whole months, seasons included.")


def unusual(row: Mapping[str, Any], history: History | None, period: VisitPeriod) -> list[Json]:
    """What stands out, by rule: opened or closed within the period, a month far from the others, a change by far."""
    told: list[Json] = []
    for word, day in (("Opened", row["opened_on"]), ("Closed", row["closed_on"])):
        if day is not None and period.start <= date.fromisoformat(day) <= period.end:
            told.append(f"{word} on {day}, within the period.")
    if row["closed_on"] is not None and date.fromisoformat(row["closed_on"]) < period.start:
        told.append(f"Closed on {row['closed_on']}, before the period: it had no visits.")
    if row["opened_on"] is not None and date.fromisoformat(row["opened_on"]) > period.end:
        told.append(f"Opened on {row['opened_on']}, after the period: it had no visits.")
    if history is not None and len(history.last_year) >= MIN_HISTORY:
        *others, last = (visits for _, visits in history.last_year)
        mean = sum(others) / len(others)
        spread = (sum((value - mean) ** 2 for value in others) / (len(others) - 1)) ** 0.5
        if spread and abs(last - mean) / spread >= UNUSUAL_DEVIATIONS:
            word = "above" if last > mean else "below"
            told.append(
                f"{history.months[-1]:%Y-%m} is {abs(last - mean) / spread:.1f} standard deviations {word} the "
                f"{len(others)} months before it, by visits a day."
            )
    for kind, change in row["changes"].items():
        found = change["change_percent"]
        if found is not None and abs(found) >= UNUSUAL_POINTS:
            word = "up" if found > 0 else "down"
            against = "a year ago" if kind == "year" else "the period before"
            told.append(f"Visits are {word} by {abs(found):g} % against {against}.")
    return told


async def _by_place(
    query: PlacesQuery, view: str, column: str, ids: Sequence[str], months: tuple[date, date]
) -> dict[str, dict[Any, float]]:
    """Visits by place and part; `view` and `column` are ours, never a model's."""
    binds = Binds()
    rows = await query.table(
        f"SELECT place_id, {column}, CAST(sum(visits) AS DOUBLE) FROM {view} "
        f"WHERE place_id IN (SELECT unnest({binds(list(ids))})) AND month BETWEEN {binds(months[0])} AND "
        f"{binds(months[1])} GROUP BY ALL",
        binds,
    )
    told: dict[str, dict[Any, float]] = {}
    for place, part, visits in rows:
        told.setdefault(place, {})[part] = visits
    return told


def _panel(visits: float, ratio: float | None) -> float | None:
    return None if ratio is None else visits * ratio


def _part(visits: float, ratio: float | None) -> dict[str, Json]:
    return dict(HIDDEN) if is_small(_panel(visits, ratio)) else {"value": round(visits)}
