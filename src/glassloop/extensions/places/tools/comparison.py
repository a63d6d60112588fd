"""`compare_locations`: places, or groups of places, side by side over time or over the hours and days of a week."""

from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from typing import Annotated, Final

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from glassloop.core.charts import MAX_POINTS, MAX_SERIES, Chart, Series, cut_label
from glassloop.core.errors import BadArguments
from glassloop.core.records import Json, ToolResult
from glassloop.extensions.places.query.binds import Binds
from glassloop.extensions.places.query.figures import HIDDEN, Panel, change_percent, figure, value_of
from glassloop.extensions.places.query.periods import VisitPeriod, month_end, months_between
from glassloop.extensions.places.tools.comparison_series import (
    BY_MONTH,
    Granularity,
    Metric,
    PlaceSeries,
    fill_series,
)
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
from glassloop.extensions.places.tools.result import MAX_KEPT, figure_label, places_result
from glassloop.tools.tool import Tool, ToolContext

MAX_GROUPS: Final = 10
Span = tuple[date, date]
_OVER_TIME: Final = ("day", "week", "month")
MIN_COMMON: Final = 3
"""Points that a correlation needs."""
_UNITS: Final = {
    "visits": "visits",
    "visitors": "visitors a month, added up over months and places",
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
        if metric in BY_MONTH and granularity != "month":
            query.metadata.note(f"{metric} is known by month alone, so it is given by month.")
            granularity = "month"
        return await _compared(query, lines, metric, granularity, found, indexed=indexed)

    return (compare_locations,)


async def _lines(
    query: PlacesQuery, place_ids: Sequence[str] | None, groups: Sequence[PlaceGroup] | None, period: VisitPeriod
) -> list[PlaceSeries]:
    if bool(place_ids) == bool(groups):
        raise BadArguments("Give either `place_ids` or `groups`, 2 to 10 of them.")
    if place_ids:
        places = await query.places(place_ids, MAX_GROUPS)
        alike = [str(place["name"]) for place in places]
        lines = [
            PlaceSeries(name=f"{name} ({place['address'] or place['id']})" if alike.count(name) > 1 else name,
                        ids=[str(place["id"])], open_days=[(place["opened_on"], place["closed_on"])])
            for place, name in zip(places, alike, strict=True)
        ]  # fmt: skip
        query.metadata.geo_type = "places"
        query.metadata.filters["place_ids"] = [place["id"] for place in places]
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


async def _group(query: PlacesQuery, group: PlaceGroup, period: VisitPeriod) -> PlaceSeries:
    binds = Binds()
    query.metadata.filters.pop("chain", None)
    query.metadata.filters.pop("category", None)
    chosen = await query.chosen(
        binds, place_ids=group.place_ids, chain_ids=group.chain_id, category_ids=group.category_ids,
        geo_filter=group.geo_filter, period=period,
    )  # fmt: skip
    places = sorted(
        await query.table(f"SELECT p.id, p.opened_on, p.closed_on FROM poi_places p WHERE {chosen.condition}", binds),
        key=lambda place: place[0],
    )
    if not places:
        raise BadArguments(f"No place is in the group {group.name or chosen.label!r}: take a wider area.")
    name = group.name or chosen.label or ", ".join(chosen.ids or ())
    return PlaceSeries(
        name=" ".join(name.split()),
        ids=[place for place, _, _ in places],
        open_days=[(opened, closed) for _, opened, closed in places],
    )


async def _compared(
    query: PlacesQuery,
    lines: list[PlaceSeries],
    metric: Metric,
    granularity: Granularity,
    period: VisitPeriod,
    *,
    indexed: bool,
) -> ToolResult:
    metadata = query.metadata
    metadata.unit = _UNITS[metric] + ("; indexed: the mean of each series is 100" if indexed else "")
    buckets = await fill_series(query, lines, metric, granularity, period)
    _fill_open_days(query, lines)
    spans = {name: _bucket_days(name, granularity, period) for name in buckets}
    for line in lines:
        line.values |= dict.fromkeys(name for name in buckets if not _is_open(line, spans[name]))
        if indexed:
            _index(line, buckets)
    first = lines[0]
    common = [name for name in buckets if all(line.values.get(name) is not None for line in lines)]
    series: list[Json] = [
        {
            "name": line.name,
            "places": len(line.ids),
            "places_suppressed": len(line.ids) - len(line.kept) or None,
            "place_ids": list[Json](line.ids[:50]),
            "opened_on": None if line.opened_on is None else str(line.opened_on),
            "closed_on": None if line.closed_on is None else str(line.closed_on),
            "total": line.total,
            "average": _mean(line, common),
            **({} if line is first else {
                "difference_percent": change_percent(value_of(line.total), value_of(first.total)),
                "correlation": _correlation(first, line, buckets),
            }),
        }
        for line in lines
    ]  # fmt: skip
    if granularity == "hour_of_day":
        buckets = [name for name in buckets if any(line.values.get(name) != 0 for line in lines)]
    ranged = metric in ("visits", "visitors") and not indexed
    rows: list[Json] = [
        {
            granularity: name,
            **({"days": (spans[name][1] - spans[name][0]).days + 1} if granularity == "month" else {}),
            **{line.name: _cell(line, name, spans[name], metric, ranged=ranged) for line in lines},
        }
        for name in buckets
    ]
    _explain(query, lines, buckets, common, spans, granularity)
    chart = _chart(lines, buckets, metric, granularity, period)
    title = f"{metric.replace('_', ' ')} by {granularity.replace('_', ' ')}: {' / '.join(line.name for line in lines)}"
    figures: dict[str, Json] = {"series": series, "rows": rows[-MAX_KEPT:]}
    return places_result(
        title[:300], figures, metadata, totals={"rows": len(rows)}, hidden_columns=("place_ids",), chart=chart,
        read_on="start_date and end_date give earlier ones, a coarser granularity all",
        newest_first=("rows",) if granularity in _OVER_TIME else (),
    )  # fmt: skip


def _explain(
    query: PlacesQuery,
    lines: Sequence[PlaceSeries],
    buckets: Sequence[str],
    common: Sequence[str],
    spans: Mapping[str, Span],
    granularity: Granularity,
) -> None:
    """Notes on how to read the series."""
    note = query.metadata.note
    if len(lines) > 1:
        note(f"difference_percent and correlation are against the first, {lines[0].name}.")
    if granularity == "month":
        note("Months differ in length: divide by `days` before two of them are compared.")
    closed = 0
    for line in lines:
        outside = [name for name in buckets if not _is_open(line, spans[name])]
        closed += len(outside)
        if outside and line.closed_on is not None and line.closed_on < spans[outside[-1]][0]:
            note(f"{line.name} closed on {line.closed_on}: it has no figures after that.")
        if outside and line.opened_on is not None and line.opened_on > spans[outside[0]][1]:
            note(f"{line.name} opened on {line.opened_on}: it has no figures before that.")
    gaps = sum(line.values.get(name) is None for line in lines for name in buckets)
    if gaps > closed:
        other = "Other gaps" if closed else "Gaps"
        note(f"{other} rest on fewer than 5 visitors of the panel.")
    if gaps:
        note(f"Averages are over the {len(common)} of {len(buckets)} rows in which all of them have a figure.")


def _fill_open_days(query: PlacesQuery, lines: Sequence[PlaceSeries]) -> None:
    """When a group began and ended as a whole; a place that was there before the data begins makes it begin then."""
    for line in lines:
        opened, closed = zip(*line.open_days, strict=True)
        begun = None if None in opened else min(opened)
        line.opened_on = begun if begun is not None and begun > query.days.first else None
        line.closed_on = None if None in closed else max(closed)


def _bucket_days(name: str, granularity: Granularity, period: VisitPeriod) -> Span:
    """The days of a bucket; of one that is no stretch of time, those of the period."""
    match granularity:
        case "month":
            month = date.fromisoformat(f"{name}-01")
            return month, month_end(month)
        case "week":
            return (monday := date.fromisoformat(name)), monday + timedelta(days=6)
        case "day":
            return (day := date.fromisoformat(name)), day
        case _:
            return period.start, period.end


def _is_open(line: PlaceSeries, span: Span) -> bool:
    return (line.opened_on is None or line.opened_on <= span[1]) and (
        line.closed_on is None or line.closed_on >= span[0]
    )


def _cell(line: PlaceSeries, name: str, span: Span, metric: Metric, *, ranged: bool) -> Json:
    value = line.values.get(name)
    if value is None:
        return dict(HIDDEN) if ranged and name in line.panels and _is_open(line, span) else None
    if not ranged:
        return value
    panel = Panel(line.panels.get(name), line.panel_visits.get(name), None)
    return figure(value, panel, len(months_between(*span)), of_visits=metric == "visits")


def _index(line: PlaceSeries, buckets: Sequence[str]) -> None:
    values = [value for name in buckets if (value := line.values.get(name)) is not None]
    mean = sum(values) / len(values) if values else 0.0
    for name in buckets:
        value = line.values.get(name)
        line.values[name] = None if value is None or not mean else round(100 * value / mean, 1)


def _mean(line: PlaceSeries, buckets: Sequence[str]) -> float | None:
    values = [value for name in buckets if (value := line.values.get(name)) is not None]
    return round(sum(values) / len(values), 2) if values else None


def _correlation(first: PlaceSeries, second: PlaceSeries, buckets: Sequence[str]) -> float | None:
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


def _chart(
    lines: Sequence[PlaceSeries], buckets: Sequence[str], metric: str, granularity: str, period: VisitPeriod
) -> Chart | None:
    shown = buckets[-MAX_POINTS:]
    if len(shown) < 2:
        return None
    return Chart(
        kind="line",
        title=cut_label(f"{figure_label(metric)} by {granularity.replace('_', ' ')}, {period.label}"),
        x=tuple(shown),
        series=tuple(
            Series(label=line.name or "–", values=tuple(line.values.get(name) for name in shown))
            for line in lines[:MAX_SERIES]
        ),
    )
