"""Series of places that are compared: their figures by bucket, with the panel behind each, and their totals."""

from collections.abc import Sequence
from datetime import date, timedelta
from typing import Final, Literal

import msgspec

from glassloop.core.records import Json
from glassloop.extensions.places.query.binds import Binds
from glassloop.extensions.places.query.figures import Panel, figure
from glassloop.extensions.places.query.periods import VisitPeriod, day_ranges, month_end, months_between
from glassloop.extensions.places.query.suppression import MIN_PANEL
from glassloop.extensions.places.query.visits import weighted_mean
from glassloop.extensions.places.tools.reader import PlacesQuery

Metric = Literal["visits", "visitors", "dwell", "frequency", "visits_per_m2"]
Granularity = Literal["day", "week", "month", "hour_of_day", "day_of_week"]
BY_MONTH: Final = frozenset(("dwell", "frequency", "visitors"))
_MONTH_VALUES: Final = {
    "visits": "sum(m.visits)",
    "visitors": "sum(m.visitors)",
    "dwell": weighted_mean("m.dwell_median", "m.visits"),
    "frequency": "sum(m.visits) / nullif(sum(m.visitors), 0)",
    "visits_per_m2": "sum(m.visits) FILTER (p.area_m2 > 0) / nullif(sum(p.area_m2) FILTER (p.area_m2 > 0), 0)",
}
PanelRatio = tuple[float | None, float | None]
"""Visitors and visits of the panel for each visit."""
_NO_PANEL: Final[PanelRatio] = (None, None)
WEEKDAYS: Final = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")


class PlaceSeries(msgspec.Struct, kw_only=True):
    """A group with its figures by bucket; `panels` and `panel_visits` are the visitors and visits of the panel behind
    the same buckets. `kept` are its places that are not too small over the period: the others are in no figure.
    `area_m2` is their floor, `open_days` the days on which each of `ids` opened and closed. `opened_on` and `closed_on`
    are those of the group as a whole, within the data. `ratio` is of the period, where the total is by visits."""

    name: str
    ids: list[str]
    open_days: list[tuple[date | None, date | None]]
    kept: list[str] = []
    area_m2: float | None = None
    values: dict[str, float | None] = {}
    panels: dict[str, float | None] = {}
    panel_visits: dict[str, float | None] = {}
    opened_on: date | None = None
    closed_on: date | None = None
    ratio: "PanelRatio" = (None, None)
    total: dict[str, Json] | None = None


async def fill_series(
    query: PlacesQuery, lines: list[PlaceSeries], metric: Metric, granularity: Granularity, period: VisitPeriod
) -> list[str]:
    """The values and panels of every line, by bucket; the names of the buckets in order. Each table is read once for
    all lines."""
    for line in lines:
        line.values, line.panels, line.panel_visits = {}, {}, {}
    if metric in ("visits", "visits_per_m2"):
        await _total_visits(query, lines, metric, period)
    else:
        await _total_months(query, lines, metric, period)
    if metric in BY_MONTH or granularity == "month":
        return await _fill_months(query, lines, metric, period)
    if granularity == "hour_of_day":
        if not query.needs("poi_hours", "visits by the hour"):
            return []
        return await _fill_hours(query, lines, metric, period)
    if not query.needs("poi_visits_daily", "visits by day"):
        return []
    return await _fill_days(query, lines, metric, granularity, period)


def _members(lines: Sequence[PlaceSeries], binds: Binds, *, kept: bool = True) -> str:
    """`chosen(line, id)`: the places of every line, those that are kept or all."""
    pairs = [(at, place) for at, line in enumerate(lines) for place in (line.kept if kept else line.ids)]
    numbers, ids = binds([at for at, _ in pairs]), binds([place for _, place in pairs])
    return f"WITH chosen AS MATERIALIZED (SELECT unnest({numbers}::INT[]) AS line, unnest({ids}::VARCHAR[]) AS id)"


async def _total_visits(query: PlacesQuery, lines: list[PlaceSeries], metric: Metric, period: VisitPeriod) -> None:
    """Over the period; a place that is too small adds nothing."""
    binds = Binds()
    rows = await query.rows(
        f"{_members(lines, binds, kept=False)} "
        "SELECT c.line, list(c.id) AS kept, sum(v.visits) AS visits, sum(v.panel_visits) AS panel_visits, "
        "sum(v.panel_visitors) AS panel, sum(v.certain) AS certain, sum(p.area_m2) AS area "
        f"FROM chosen c JOIN ({await query.visits_sql(period, binds)}) v ON v.place_id = c.id "
        f"JOIN poi_places p ON p.id = c.id WHERE NOT coalesce(v.certain < {MIN_PANEL}, false)"
        + (" AND p.area_m2 > 0" if metric == "visits_per_m2" else "")
        + " GROUP BY c.line",
        binds,
    )
    for row in rows:
        line = lines[int(row["line"])]
        line.kept, line.area_m2 = row["kept"], row["area"]
        panel = Panel(row["panel"], row["panel_visits"], row["certain"])
        if row["visits"]:
            visitors, visits = (
                None if each is None else each / row["visits"] for each in (panel.visitors, panel.visits)
            )
            line.ratio = visitors, visits
        if metric == "visits":
            line.total = figure(row["visits"], panel, len(months_between(period.start, period.end)))
        elif row["area"]:
            line.total = {"value": round(row["visits"] / row["area"], 2)}


async def _total_months(query: PlacesQuery, lines: list[PlaceSeries], metric: Metric, period: VisitPeriod) -> None:
    """The same of what is known by month."""
    binds, months = Binds(), query.months(period)
    rows = await query.rows(
        f"{_members(lines, binds, kept=False)} "
        "SELECT c.line, list(c.id) AS kept, sum(m.visitors) AS visitors, sum(m.month_visits) AS visits, "
        "sum(m.month_panel) AS panel, sum(m.month_certain) AS certain, "
        f"{weighted_mean('m.dwell_median', 'm.month_visits')} AS dwell "
        f"FROM chosen c JOIN ({await query.visitors_sql(months, binds)}) m ON m.place_id = c.id "
        f"WHERE NOT coalesce(m.month_certain < {MIN_PANEL}, false) GROUP BY c.line",
        binds,
    )
    for row in rows:
        line = lines[int(row["line"])]
        line.kept = row["kept"]
        if metric == "visitors":
            panel = Panel(row["panel"], None, row["certain"])
            line.total = figure(row["visitors"], panel, len(months_between(*months)), of_visits=False)
        elif metric == "frequency" and row["visitors"]:
            line.total = {"value": round(row["visits"] / row["visitors"], 2)}
        elif metric == "dwell" and row["dwell"] is not None:
            line.total = {"value": round(row["dwell"], 1)}


async def _fill_months(query: PlacesQuery, lines: list[PlaceSeries], metric: Metric, period: VisitPeriod) -> list[str]:
    binds, months = Binds(), query.months(period)
    joined = "JOIN poi_places p ON p.id = c.id " if metric == "visits_per_m2" else ""
    found = await query.table(
        f"{_members(lines, binds)} SELECT c.line, m.month, CAST({_MONTH_VALUES[metric]} AS DOUBLE), "
        "CAST(sum(m.panel_visitors) AS DOUBLE), CAST(sum(m.panel_visits) AS DOUBLE) "
        f"FROM chosen c JOIN poi_visits_monthly m ON m.place_id = c.id {joined}"
        f"WHERE m.month BETWEEN {binds(months[0])} AND {binds(months[1])} GROUP BY c.line, m.month",
        binds,
    )
    for number, month, value, panel, panel_visits in found:
        line = lines[int(number)]
        name = f"{month:%Y-%m}"
        line.values[name] = None if value is None else _rounded(value, metric)
        line.panels[name], line.panel_visits[name] = panel, panel_visits
    return [f"{month:%Y-%m}" for month in months_between(*months)]


async def _fill_hours(query: PlacesQuery, lines: list[PlaceSeries], metric: Metric, period: VisitPeriod) -> list[str]:
    binds, months = Binds(), query.months(period)
    names = [f"{hour:02d} h" for hour in range(24)]
    found = await query.table(
        f"{_members(lines, binds)} SELECT c.line, t.hour_of_week % 24 AS hour, CAST(sum(t.visits) AS DOUBLE) "
        "FROM chosen c JOIN poi_hours t ON t.place_id = c.id "
        f"WHERE t.month BETWEEN {binds(months[0])} AND {binds(months[1])} GROUP BY ALL",
        binds,
    )
    visits = {(number, hour): value for number, hour, value in found}
    ratios = await _ratios(query, lines, period, metric)
    for number, line in enumerate(lines):
        for hour, name in enumerate(names):
            _put(line, name, visits.get((number, hour), 0.0), ratios.get(number, _NO_PANEL), metric)
    query.metadata.note("Visits by the hour in which they began, over the months; hours without any are left out.")
    return names


async def _fill_days(
    query: PlacesQuery, lines: list[PlaceSeries], metric: Metric, granularity: Granularity, period: VisitPeriod
) -> list[str]:
    names = _day_names(query, granularity, period)
    counts: dict[str, int] = {}
    for name in names.values():
        counts[name] = counts.get(name, 0) + 1
    binds = Binds()
    found = await query.table(
        f"{_members(lines, binds)} SELECT c.line, t.day, CAST(sum(t.visits) AS DOUBLE) "
        "FROM chosen c JOIN poi_visits_daily t ON t.place_id = c.id "
        f"WHERE t.day BETWEEN {binds(period.start)} AND {binds(period.end)} GROUP BY c.line, t.day",
        binds,
    )
    sums: list[dict[str, float]] = [dict.fromkeys(counts, 0.0) for _ in lines]
    for number, day, visits in found:
        if (name := names.get(day)) is not None:
            sums[number][name] += visits
    ratios = await _ratios(query, lines, period, metric)
    for number, line in enumerate(lines):
        for name, visits in sums[number].items():
            each = counts[name] if granularity == "day_of_week" else 1
            _put(line, name, visits, ratios.get(number, _NO_PANEL), metric, each)
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


async def _ratios(
    query: PlacesQuery, lines: Sequence[PlaceSeries], period: VisitPeriod, metric: Metric
) -> dict[int, PanelRatio]:
    """By the number of the line, of the months that figures of the period are of."""
    months = query.days.months_for(period)
    for line in lines:
        if metric == "visits_per_m2" and not line.area_m2:
            query.metadata.lacks(f"the floor area of {line.name}")
    whole, ends = day_ranges(period, query.days)
    if whole == months and not ends:
        return {number: line.ratio for number, line in enumerate(lines)}
    binds = Binds()
    span = msgspec.structs.replace(period, start=months[0], end=min(month_end(months[1]), query.days.last))
    found = await query.table(
        f"{_members(lines, binds)} SELECT c.line, sum(m.panel_visitors) / nullif(sum(m.visits), 0), "
        "sum(m.panel_visits) / nullif(sum(m.visits), 0) "
        f"FROM chosen c JOIN ({await query.visits_sql(span, binds)}) m ON m.place_id = c.id GROUP BY c.line",
        binds,
    )
    return {number: (visitors, visits) for number, visitors, visits in found}


def _put(line: PlaceSeries, name: str, visits: float, ratio: PanelRatio, metric: Metric, each: int = 1) -> None:
    line.panels[name], line.panel_visits[name] = (None if part is None else visits * part for part in ratio)
    if not line.kept:
        line.values[name] = None
    elif metric == "visits_per_m2":
        line.values[name] = round(visits / each / line.area_m2, 3) if line.area_m2 else None
    else:
        line.values[name] = _rounded(visits / each, metric)


def _rounded(value: float, metric: Metric) -> float:
    return round(value, 2) if metric in ("dwell", "frequency", "visits_per_m2") else round(value, 1)
