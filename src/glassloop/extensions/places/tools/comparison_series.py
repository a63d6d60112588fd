"""Series of places that are compared: their figures by bucket, with the panel behind each, and their totals."""

from datetime import date, timedelta
from typing import Final, Literal

import msgspec

from glassloop.core.records import Json
from glassloop.extensions.places.query.binds import Binds
from glassloop.extensions.places.query.figures import Panel, figure
from glassloop.extensions.places.query.periods import VisitPeriod, months_between
from glassloop.extensions.places.query.suppression import MIN_PANEL
from glassloop.extensions.places.query.visits import visitors_sql, visits_sql, weighted_mean
from glassloop.extensions.places.tools.reader import PlacesQuery

Metric = Literal["visits", "visitors", "dwell", "frequency", "visits_per_m2"]
Granularity = Literal["day", "week", "month", "hour_of_day", "day_of_week"]
BY_MONTH: Final = frozenset(("dwell", "frequency", "visitors"))
WEEKDAYS: Final = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")


class PlaceSeries(msgspec.Struct, kw_only=True):
    """A group with its figures by bucket; `panels` and `panel_visits` are the visitors and visits of the panel behind
    the same buckets. `kept` are its places that are not too small over the period: the others are in no figure.
    `opened_on` and `closed_on` are those of the group as a whole, within the data."""

    name: str
    ids: list[str]
    kept: list[str] = []
    values: dict[str, float | None] = {}
    panels: dict[str, float | None] = {}
    panel_visits: dict[str, float | None] = {}
    opened_on: date | None = None
    closed_on: date | None = None
    total: dict[str, Json] | None = None


async def fill_series(
    query: PlacesQuery, lines: list[PlaceSeries], metric: Metric, granularity: Granularity, period: VisitPeriod
) -> list[str]:
    """The values and panels of every line, by bucket; the names of the buckets in order."""
    for line in lines:
        line.values, line.panels, line.panel_visits = {}, {}, {}
        await _total(query, line, metric, period)
    if metric in BY_MONTH or granularity == "month":
        return await _fill_months(query, lines, metric, period)
    if granularity == "hour_of_day":
        if not query.needs("poi_hours", "visits by the hour"):
            return []
        return await _fill_hours(query, lines, metric, period)
    if not query.needs("poi_visits_daily", "visits by day"):
        return []
    return await _fill_days(query, lines, metric, granularity, period)


async def _total(query: PlacesQuery, line: PlaceSeries, metric: Metric, period: VisitPeriod) -> None:
    """Over the period; a place that is too small adds nothing."""
    binds = Binds()
    ids = f"SELECT unnest({binds(line.ids)})"
    if metric in ("visits", "visits_per_m2"):
        rows = await query.rows(
            "SELECT list(v.place_id) AS kept, sum(v.visits) AS visits, sum(v.panel_visits) AS panel_visits, "
            f"sum(v.panel_visitors) AS panel, sum(v.certain) AS certain, sum(p.area_m2) AS area "
            f"FROM ({visits_sql(period, query.days, binds, ids)}) v "
            f"JOIN poi_places p ON p.id = v.place_id WHERE NOT coalesce(v.certain < {MIN_PANEL}, false)"
            + (" AND p.area_m2 > 0" if metric == "visits_per_m2" else ""),
            binds,
        )
        row, line.kept = rows[0], rows[0]["kept"] or []
        panel = Panel(row["panel"], row["panel_visits"], row["certain"])
        if metric == "visits":
            line.total = figure(row["visits"], panel, len(months_between(period.start, period.end)))
        elif row["area"]:
            line.total = {"value": round(row["visits"] / row["area"], 2)}
        return
    months = query.months(period)
    rows = await query.rows(
        "SELECT list(place_id) AS kept, sum(visitors) AS visitors, sum(month_visits) AS visits, "
        "sum(month_panel) AS panel, sum(month_certain) AS certain, "
        f"{weighted_mean('dwell_median', 'month_visits')} AS dwell FROM ({visitors_sql(months, binds, ids)}) "
        f"WHERE NOT coalesce(month_certain < {MIN_PANEL}, false)",
        binds,
    )
    row, line.kept = rows[0], rows[0]["kept"] or []
    if metric == "visitors":
        panel = Panel(row["panel"], None, row["certain"])
        line.total = figure(row["visitors"], panel, len(months_between(*months)), of_visits=False)
    elif metric == "frequency" and row["visitors"]:
        line.total = {"value": round(row["visits"] / row["visitors"], 2)}
    elif metric == "dwell" and row["dwell"] is not None:
        line.total = {"value": round(row["dwell"], 1)}


async def _fill_months(query: PlacesQuery, lines: list[PlaceSeries], metric: Metric, period: VisitPeriod) -> list[str]:
    months = query.months(period)
    for line in lines:
        binds = Binds()
        rows = await query.rows(
            "SELECT m.month, sum(m.visits) AS visits, sum(m.visitors) AS visitors, sum(m.panel_visitors) AS panel, "
            f"sum(m.panel_visits) AS panel_visits, {weighted_mean('m.dwell_median', 'm.visits')} AS dwell, "
            "sum(m.visits) FILTER (p.area_m2 > 0) / nullif(sum(p.area_m2) FILTER (p.area_m2 > 0), 0) AS per_m2 "
            "FROM poi_visits_monthly m JOIN poi_places p ON p.id = m.place_id "
            f"WHERE m.place_id IN (SELECT unnest({binds(line.kept)})) "
            f"AND m.month BETWEEN {binds(months[0])} AND {binds(months[1])} GROUP BY m.month",
            binds,
        )
        for row in rows:
            name = f"{row['month']:%Y-%m}"
            frequency = row["visits"] / row["visitors"] if row["visitors"] else None
            found = {"visits": row["visits"], "visitors": row["visitors"], "dwell": row["dwell"],
                     "frequency": frequency, "visits_per_m2": row["per_m2"]}[metric]  # fmt: skip
            line.values[name] = None if found is None else _rounded(float(found), metric)
            line.panels[name] = None if row["panel"] is None else float(row["panel"])
            line.panel_visits[name] = None if row["panel_visits"] is None else float(row["panel_visits"])
    return [f"{month:%Y-%m}" for month in months_between(*months)]


async def _fill_hours(query: PlacesQuery, lines: list[PlaceSeries], metric: Metric, period: VisitPeriod) -> list[str]:
    months = query.months(period)
    names = [f"{hour:02d} h" for hour in range(24)]
    for line in lines:
        scale = await _scale(query, line, months, metric)
        binds = Binds()
        rows = await query.rows(
            "SELECT hour_of_week % 24 AS hour, CAST(sum(visits) AS DOUBLE) AS visits FROM poi_hours "
            f"WHERE place_id IN (SELECT unnest({binds(line.kept)})) AND month BETWEEN {binds(months[0])} AND "
            f"{binds(months[1])} GROUP BY ALL",
            binds,
        )
        found = {int(row["hour"]): row["visits"] for row in rows}
        for hour, name in enumerate(names):
            _put(line, name, found.get(hour, 0.0), scale, metric)
    query.metadata.note("Visits by the hour in which they began, over the months; hours without any are left out.")
    return names


async def _fill_days(
    query: PlacesQuery, lines: list[PlaceSeries], metric: Metric, granularity: Granularity, period: VisitPeriod
) -> list[str]:
    names = _day_names(query, granularity, period)
    counts: dict[str, int] = {}
    for name in names.values():
        counts[name] = counts.get(name, 0) + 1
    for line in lines:
        scale = await _scale(query, line, query.days.months_for(period), metric)
        binds = Binds()
        rows = await query.rows(
            "SELECT day, CAST(sum(visits) AS DOUBLE) AS visits FROM poi_visits_daily "
            f"WHERE place_id IN (SELECT unnest({binds(line.kept)})) AND day BETWEEN {binds(period.start)} AND "
            f"{binds(period.end)} GROUP BY day",
            binds,
        )
        sums: dict[str, float] = dict.fromkeys(names.values(), 0.0)
        for row in rows:
            if (name := names.get(row["day"])) is not None:
                sums[name] += row["visits"]
        for name, visits in sums.items():
            each = counts[name] if granularity == "day_of_week" else 1
            _put(line, name, visits, scale, metric, each)
    if granularity == "day_of_week":
        query.metadata.note("Values by day of the week are means of a day.")
    return list(counts) if granularity != "day_of_week" else [name for name in WEEKDAYS if name in counts]


def _day_names(query: PlacesQuery, granularity: Granularity, period: VisitPeriod) -> dict[date, str]:
    """The bucket of each day; days of weeks that are not whole within the period have none."""
    days = [period.start + timedelta(days=at) for at in range(period.days)]
    if granularity == "day":
        return {day: str(day) for day in days}
    if granularity == "day_of_week":
        return {day: WEEKDAYS[day.weekday()] for day in days}
    weeks: dict[date, list[date]] = {}
    for day in days:
        weeks.setdefault(day - timedelta(days=day.weekday()), []).append(day)
    whole = {monday: found for monday, found in weeks.items() if len(found) == 7}
    left = len(days) - 7 * len(whole)
    if left:
        query.metadata.note(
            f"Weeks are from Monday to Sunday; {left} days of weeks that are not whole are in the totals alone."
        )
    return {day: str(monday) for monday, found in whole.items() for day in found}


class _Scale(msgspec.Struct, frozen=True):
    """Visitors and visits of the panel for each visit, and the floor area."""

    visitors: float | None
    visits: float | None
    area: float | None


async def _scale(query: PlacesQuery, line: PlaceSeries, months: tuple[date, date], metric: Metric) -> _Scale:
    binds = Binds()
    ids, first, last = binds(line.kept), binds(months[0]), binds(months[1])
    (row,) = await query.rows(
        "SELECT sum(panel_visitors) / nullif(sum(visits), 0) AS visitors, "
        "sum(panel_visits) / nullif(sum(visits), 0) AS visits, "
        f"(SELECT sum(area_m2) FROM poi_places WHERE id IN (SELECT unnest({ids}))) AS area "
        f"FROM poi_visits_monthly WHERE place_id IN (SELECT unnest({ids})) AND month BETWEEN {first} AND {last}",
        binds,
    )
    if metric == "visits_per_m2" and not row["area"]:
        query.metadata.lacks(f"the floor area of {line.name}")
    return _Scale(row["visitors"], row["visits"], row["area"])


def _put(line: PlaceSeries, name: str, visits: float, scale: _Scale, metric: Metric, each: int = 1) -> None:
    line.panels[name] = None if scale.visitors is None else visits * scale.visitors
    line.panel_visits[name] = None if scale.visits is None else visits * scale.visits
    if metric == "visits_per_m2":
        line.values[name] = round(visits / each / scale.area, 3) if scale.area else None
    else:
        line.values[name] = _rounded(visits / each, metric)


def _rounded(value: float, metric: Metric) -> float:
    return round(value, 2) if metric in ("dwell", "frequency", "visits_per_m2") else round(value, 1)
