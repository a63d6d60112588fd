"""`compare_locations`: places, or groups of places, side by side over time or over the hours and days of a week."""

from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from typing import Annotated, Any, Final, Literal

import msgspec
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from glassloop.core.charts import MAX_POINTS, MAX_SERIES, Chart, Series, cut_label
from glassloop.core.errors import BadArguments
from glassloop.core.records import Json, ToolResult
from glassloop.extensions.places.query.binds import Binds
from glassloop.extensions.places.query.figures import Panel, change_percent, figure, value_of
from glassloop.extensions.places.query.periods import Period, months_between
from glassloop.extensions.places.query.suppression import MIN_PANEL, hidden_parts
from glassloop.extensions.places.query.visits import visitors_sql, visits_sql
from glassloop.extensions.places.tools.parameters import (
    CategoryIds,
    EndDate,
    Geo,
    PeriodText,
    PlaceIds,
    StartDate,
    Texts,
    lowered,
)
from glassloop.extensions.places.tools.place_tool import place_tool
from glassloop.extensions.places.tools.reader import PlacesQuery, PlacesReader
from glassloop.extensions.places.tools.result import places_result
from glassloop.tools.tool import Tool, ToolContext

Metric = Literal["visits", "visitors", "dwell", "frequency", "visits_per_m2"]
Granularity = Literal["day", "week", "month", "hour_of_day", "day_of_week"]
MAX_GROUPS: Final = 10
MIN_COMMON: Final = 3
"""Points that a correlation needs."""
WEEKDAYS: Final = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_BY_MONTH: Final = frozenset(("dwell", "frequency", "visitors"))
_UNITS: Final = {
    "visits": "visits, estimated from a panel",
    "visitors": "visitors a month, estimated from a panel; added up over months and places",
    "dwell": "minutes, median of a visit; the mean over places and months, weighted by visits",
    "frequency": "visits a visitor in a month",
    "visits_per_m2": "visits per m² of floor area",
}


class PlaceGroup(BaseModel):
    """Places that are added up: by id, or a chain or category in an area."""

    model_config = ConfigDict(extra="forbid")

    name: Annotated[str | None, Field(max_length=100, description="What to call it.")] = None
    place_ids: PlaceIds = None
    chain_id: Annotated[Texts | None, Field(description="A chain by id or name.")] = None
    category_ids: CategoryIds = None
    geo_filter: Geo | None = None


class _Line(msgspec.Struct, kw_only=True):
    """A group with its figures by bucket; `panels` are of the same buckets. `kept` are its places that are not too
    small over the period: the others are in no figure."""

    name: str
    ids: list[str]
    kept: list[str] = []
    values: dict[str, float | None] = {}
    panels: dict[str, float | None] = {}
    total: dict[str, Json] | None = None


def make(reader: PlacesReader) -> Sequence[Tool]:
    @place_tool
    async def compare_locations(
        context: ToolContext,
        place_ids: PlaceIds = None,
        groups: Annotated[list[PlaceGroup] | None, Field(max_length=MAX_GROUPS, description="2 to 10 groups.")] = None,
        metric: Annotated[Metric, BeforeValidator(lowered), Field(description="What to compare.")] = "visits",
        granularity: Annotated[
            Granularity,
            BeforeValidator(lowered),
            Field(description="Over time (day, week, month), or the pattern by hour_of_day or day_of_week."),
        ] = "week",
        period: PeriodText = "last_90_days",
        start_date: StartDate = None,
        end_date: EndDate = None,
        indexed: Annotated[bool, Field(description="Each series as a share of its own mean, which is 100.")] = False,
    ) -> ToolResult:
        """Compare 2 to 10 places, or groups of places such as two chains or a chain in two cities, side by side: a
        series over time with a line chart, totals, differences and correlation. Use it for "compare", "versus", "which
        is busier", "do they move together", "weekday or hourly pattern". Give place_ids, or groups.
        """
        query = await reader.open(context.user)
        found = query.period(period, start_date, end_date)
        lines = await _lines(query, place_ids, groups, found)
        if metric in _BY_MONTH and granularity != "month":
            query.metadata.note(f"{metric} is known by month alone, so it is given by month.")
            granularity = "month"
        return await _compared(query, lines, metric, granularity, found, indexed=indexed)

    return (compare_locations,)


async def _lines(
    query: PlacesQuery, place_ids: Sequence[str] | None, groups: Sequence[PlaceGroup] | None, period: Period
) -> list[_Line]:
    if bool(place_ids) == bool(groups):
        raise BadArguments("Give either `place_ids` or `groups`, 2 to 10 of them.")
    if place_ids:
        ids = await query.place_ids(place_ids, MAX_GROUPS)
        names = {row["id"]: row for row in await query.rows(
            "SELECT id, name, address FROM poi_places WHERE id IN (SELECT unnest($p1))", _binds(ids))}  # fmt: skip
        alike = [names[one]["name"] for one in ids]
        lines = [
            _Line(name=f"{names[one]['name']} ({names[one]['address'] or one})" if alike.count(names[one]["name"]) > 1
                  else str(names[one]["name"]), ids=[one])
            for one in ids
        ]  # fmt: skip
        query.metadata.geo_type = "places"
        query.metadata.filters["place_ids"] = list[Json](ids)
    else:
        lines = [await _group(query, group, period) for group in groups or ()]
        query.metadata.geo_type = "groups"
        query.metadata.filters = {"groups": [line.name for line in lines]}
    if not 2 <= len(lines) <= MAX_GROUPS:
        raise BadArguments(f"There are {len(lines)} to compare: give 2 to {MAX_GROUPS}.")
    seen: dict[str, int] = {}
    for line in lines:
        seen[line.name] = seen.get(line.name, 0) + 1
        line.name = cut_label(line.name if seen[line.name] == 1 else f"{line.name[:110]} {seen[line.name]}")
    return lines


def _binds(value: object) -> Binds:
    binds = Binds()
    binds(value)
    return binds


async def _group(query: PlacesQuery, group: PlaceGroup, period: Period) -> _Line:
    binds = Binds()
    query.metadata.filters.pop("chain", None)
    query.metadata.filters.pop("category", None)
    chosen = await query.chosen(
        binds, place_ids=group.place_ids, chain_ids=group.chain_id, category_ids=group.category_ids,
        geo_filter=group.geo_filter, period=period,
    )  # fmt: skip
    rows = await query.rows(f"{chosen.sql} ORDER BY p.id", binds)
    if not rows:
        raise BadArguments(f"No place is in the group {group.name or chosen.label!r}: take a wider area.")
    name = group.name or chosen.label or ", ".join(chosen.ids or ())
    return _Line(name=" ".join(name.split()), ids=[str(row["id"]) for row in rows])


async def _compared(
    query: PlacesQuery, lines: list[_Line], metric: Metric, granularity: Granularity, period: Period, *, indexed: bool
) -> ToolResult:
    metadata = query.metadata
    metadata.unit = _UNITS[metric] + ("; indexed: the mean of each series is 100" if indexed else "")
    buckets = await _fill(query, lines, metric, granularity, period)
    for line in lines:
        _hide_small(line, buckets)
        if indexed:
            _index(line, buckets)
    first = lines[0]
    series: list[Json] = [
        {
            "name": line.name,
            "places": len(line.ids),
            "places_suppressed": len(line.ids) - len(line.kept) or None,
            "place_ids": list[Json](line.ids[:50]),
            "total": line.total,
            "average": _mean(line, buckets),
            **({} if line is first else {
                "difference_percent": change_percent(value_of(line.total), value_of(first.total)),
                "correlation": _correlation(first, line, buckets),
            }),
        }
        for line in lines
    ]  # fmt: skip
    if granularity == "hour_of_day":
        buckets = [name for name in buckets if any(line.values.get(name) != 0 for line in lines)]
    rows: list[Json] = [{granularity: name, **{line.name: line.values.get(name) for line in lines}} for name in buckets]
    if len(lines) > 1:
        metadata.note(f"difference_percent and correlation are against the first, {first.name}.")
    if any(line.values.get(name) is None for line in lines for name in buckets):
        metadata.note("Gaps rest on fewer than 5 visitors of the panel, or hide one that does.")
    chart = _chart(lines, buckets, metric, granularity, period)
    title = f"{metric.replace('_', ' ')} by {granularity.replace('_', ' ')}: {' / '.join(line.name for line in lines)}"
    figures: dict[str, Json] = {"series": series, "rows": rows}
    return places_result(title[:300], figures, metadata, hidden_columns=("place_ids",), chart=chart)


async def _fill(
    query: PlacesQuery, lines: list[_Line], metric: Metric, granularity: Granularity, period: Period
) -> list[str]:
    """The values and panels of every line, by bucket; the names of the buckets in order."""
    for line in lines:
        line.values, line.panels = {}, {}
        await _total(query, line, metric, period)
    if metric in _BY_MONTH or granularity == "month":
        return await _fill_months(query, lines, metric, period)
    if granularity == "hour_of_day":
        if not query.needs("poi_hours", "visits by the hour"):
            return []
        return await _fill_hours(query, lines, metric, period)
    if not query.needs("poi_visits_daily", "visits by day"):
        return []
    return await _fill_days(query, lines, metric, granularity, period)


async def _total(query: PlacesQuery, line: _Line, metric: Metric, period: Period) -> None:
    """Over the period; a place that is too small adds nothing."""
    binds = Binds()
    ids = f"SELECT unnest({binds(line.ids)})"
    if metric in ("visits", "visits_per_m2"):
        rows = await query.rows(
            "SELECT list(v.place_id) AS kept, sum(v.visits) AS visits, sum(v.panel_visits) AS panel_visits, "  # noqa: S608
            f"sum(v.panel_visitors) AS panel, sum(v.certain) AS certain, sum(p.area_m2) AS area FROM ({visits_sql(period, query.days, binds, ids)}) v "
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
        "SELECT list(place_id) AS kept, sum(visitors) AS visitors, sum(month_visits) AS visits, "  # noqa: S608
        "sum(month_panel) AS panel, sum(month_certain) AS certain, sum(dwell_median * month_visits) / "
        f"nullif(sum(month_visits) FILTER (dwell_median IS NOT NULL), 0) AS dwell FROM ({visitors_sql(months, binds, ids)}) "
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


async def _fill_months(query: PlacesQuery, lines: list[_Line], metric: Metric, period: Period) -> list[str]:
    months = query.months(period)
    for line in lines:
        binds = Binds()
        rows = await query.rows(
            "SELECT m.month, sum(m.visits) AS visits, sum(m.visitors) AS visitors, sum(m.panel_visitors) AS panel, "  # noqa: S608
            "sum(m.dwell_median * m.visits) / nullif(sum(m.visits) FILTER (m.dwell_median IS NOT NULL), 0) AS dwell, "
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
    return [f"{month:%Y-%m}" for month in months_between(*months)]


async def _fill_hours(query: PlacesQuery, lines: list[_Line], metric: Metric, period: Period) -> list[str]:
    months = query.months(period)
    names = [f"{hour:02d} h" for hour in range(24)]
    for line in lines:
        ratio, area = await _ratio_and_area(query, line, months, metric)
        binds = Binds()
        rows = await query.rows(
            "SELECT hour_of_week % 24 AS hour, CAST(sum(visits) AS DOUBLE) AS visits FROM poi_hours "  # noqa: S608
            f"WHERE place_id IN (SELECT unnest({binds(line.kept)})) AND month BETWEEN {binds(months[0])} AND "
            f"{binds(months[1])} GROUP BY ALL",
            binds,
        )
        found = {int(row["hour"]): row["visits"] for row in rows}
        for hour, name in enumerate(names):
            _put(line, name, found.get(hour, 0.0), ratio, area, metric)
    query.metadata.note("Visits by the hour in which they began, over the months; hours without any are left out.")
    return names


async def _fill_days(
    query: PlacesQuery, lines: list[_Line], metric: Metric, granularity: Granularity, period: Period
) -> list[str]:
    names = _day_names(query, granularity, period)
    counts: dict[str, int] = {}
    for name in names.values():
        counts[name] = counts.get(name, 0) + 1
    for line in lines:
        ratio, area = await _ratio_and_area(query, line, query.days.months_for(period), metric)
        binds = Binds()
        rows = await query.rows(
            "SELECT day, CAST(sum(visits) AS DOUBLE) AS visits FROM poi_visits_daily "  # noqa: S608
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
            _put(line, name, visits, ratio, area, metric, each)
    if granularity == "day_of_week":
        query.metadata.note("Values by day of the week are means of a day.")
    return list(counts) if granularity != "day_of_week" else [name for name in WEEKDAYS if name in counts]


def _day_names(query: PlacesQuery, granularity: Granularity, period: Period) -> dict[date, str]:
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
        query.metadata.note(f"Weeks are from Monday to Sunday; {left} days of weeks that are not whole are in the totals alone.")
    return {day: str(monday) for monday, found in whole.items() for day in found}


async def _ratio_and_area(
    query: PlacesQuery, line: _Line, months: tuple[date, date], metric: Metric
) -> tuple[float | None, float | None]:
    """Visitors of the panel for each visit in these months, and the floor area."""
    binds = Binds()
    rows = await query.rows(
        "SELECT (SELECT sum(panel_visitors) / nullif(sum(visits), 0) FROM poi_visits_monthly "  # noqa: S608
        f"WHERE place_id IN (SELECT unnest({binds(line.kept)})) AND month BETWEEN {binds(months[0])} AND "
        f"{binds(months[1])}) AS ratio, (SELECT sum(area_m2) FROM poi_places WHERE id IN "
        f"(SELECT unnest({binds(line.kept)}))) AS area",
        binds,
    )
    if metric == "visits_per_m2" and not rows[0]["area"]:
        query.metadata.lacks(f"the floor area of {line.name}")
    return rows[0]["ratio"], rows[0]["area"]


def _put(
    line: _Line, name: str, visits: float, ratio: float | None, area: float | None, metric: Metric, each: int = 1
) -> None:
    line.panels[name] = None if ratio is None else visits * ratio
    if metric == "visits_per_m2":
        line.values[name] = round(visits / each / area, 3) if area else None
    else:
        line.values[name] = _rounded(visits / each, metric)


def _hide_small(line: _Line, buckets: Sequence[str]) -> None:
    hidden = hidden_parts([line.panels.get(name) for name in buckets])
    for place in hidden:
        line.values[buckets[place]] = None


def _index(line: _Line, buckets: Sequence[str]) -> None:
    mean = _mean(line, buckets)
    for name in buckets:
        value = line.values.get(name)
        line.values[name] = None if value is None or not mean else round(100 * value / mean, 1)


def _mean(line: _Line, buckets: Sequence[str]) -> float | None:
    values = [value for name in buckets if (value := line.values.get(name)) is not None]
    return round(sum(values) / len(values), 2) if values else None


def _correlation(first: _Line, second: _Line, buckets: Sequence[str]) -> float | None:
    """Pearson's, over the buckets that both have."""
    pairs = [
        (one, other)
        for name in buckets
        if (one := first.values.get(name)) is not None and (other := second.values.get(name)) is not None
    ]
    if len(pairs) < MIN_COMMON:
        return None
    mean, other_mean = (sum(column) / len(pairs) for column in zip(*pairs, strict=True))
    across = sum((one - mean) * (other - other_mean) for one, other in pairs)
    spread = sum((one - mean) ** 2 for one, _ in pairs) * sum((other - other_mean) ** 2 for _, other in pairs)
    return round(across / spread**0.5, 3) if spread > 0 else None


def _rounded(value: float, metric: Metric) -> float:
    return round(value, 2) if metric in ("dwell", "frequency", "visits_per_m2") else round(value, 1)


def _chart(
    lines: Sequence[_Line], buckets: Sequence[str], metric: str, granularity: str, period: Period
) -> Chart | None:
    shown = buckets[-MAX_POINTS:]
    if len(shown) < 2:
        return None
    return Chart(
        kind="line",
        title=cut_label(f"{metric.replace('_', ' ')} by {granularity.replace('_', ' ')}, {period.label}"),
        x=tuple(shown),
        series=tuple(
            Series(label=line.name or "–", values=tuple(line.values.get(name) for name in shown))  # noqa: RUF001
            for line in lines[:MAX_SERIES]
        ),
    )
