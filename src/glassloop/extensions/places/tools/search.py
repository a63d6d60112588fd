"""`search_places`: places of a kind in an area, ranked, with their ids for the other tools."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal

import msgspec
from pydantic import BeforeValidator, Field

from glassloop.core.charts import cut_label, fit_map
from glassloop.core.errors import BadArguments
from glassloop.core.records import Json, ToolResult
from glassloop.extensions.places.query.binds import Binds
from glassloop.extensions.places.query.distance import distance_sql
from glassloop.extensions.places.query.figures import Panel, figure, value_of
from glassloop.extensions.places.query.names import fold
from glassloop.extensions.places.query.opening_hours import hour_label, hour_of_week
from glassloop.extensions.places.query.periods import (
    VisitPeriod,
    compared_periods,
    day_of,
    months_between,
    read_period,
)
from glassloop.extensions.places.query.regions import Region
from glassloop.extensions.places.query.suppression import MIN_PANEL
from glassloop.extensions.places.query.visits import CHOSEN, visit_columns, visits_sql
from glassloop.extensions.places.tools.parameters import (
    CategoryIds,
    ChainIds,
    EndDate,
    Geo,
    PeriodText,
    StartDate,
    Texts,
    limit_of,
    lowered,
)
from glassloop.extensions.places.tools.place_tool import place_tool
from glassloop.extensions.places.tools.reader import PlacesQuery, PlacesReader, open_within
from glassloop.extensions.places.tools.result import MAX_KEPT, map_points, places_result
from glassloop.tools.tool import Tool, ToolContext

_WIDE = "wide"
"""The columns of months that a search reads, of the places that fit."""
Sort = Literal["visits", "distance", "name", "trend"]
_ORDERS = {
    "visits": "value DESC NULLS LAST, name, id",
    "distance": "distance_m NULLS LAST, name, id",
    "name": "name, id",
    "trend": "trend DESC NULLS LAST, name, id",
}


class _Search(msgspec.Struct, kw_only=True):
    """The filters of a search as conditions, and its order."""

    region: Region
    conditions: list[str]
    period: VisitPeriod
    before: VisitPeriod | None
    sort: Sort
    limit: int
    offset: int


def make(reader: PlacesReader) -> Sequence[Tool]:
    @place_tool
    async def search_places(
        context: ToolContext,
        geo_filter: Geo,
        category_ids: CategoryIds = None,
        chain_ids: ChainIds = None,
        name: Annotated[str | None, Field(max_length=200, description="Part of the name.")] = None,
        tags: Annotated[Texts | None, Field(description="Only places that have all these tags.")] = None,
        open_on: Annotated[
            str | None,
            Field(max_length=20, description="In business on this day, such as 2026-03-01; of hours see open_at."),
        ] = None,
        open_at: Annotated[
            str | None, Field(max_length=40, description="Open by its hours then, such as Sunday 8:00.")
        ] = None,
        opened_within: Annotated[
            str | None, Field(max_length=60, description="Opened within this period, such as last_12_months or 2026.")
        ] = None,
        closed_within: Annotated[
            str | None, Field(max_length=60, description="Closed for good within this period.")
        ] = None,
        sort: Annotated[
            Sort,
            BeforeValidator(lowered),
            Field(description="trend: growth against the period before; distance: with a radius only."),
        ] = "visits",
        period: PeriodText = "last_month",
        start_date: StartDate = None,
        end_date: EndDate = None,
        limit: Annotated[int, limit_of(MAX_KEPT)] = 10,
        offset: Annotated[int, Field(ge=0, le=100_000, description="Rows to skip, for the next page.")] = 0,
    ) -> ToolResult:
        """Find places: by area, category, chain, name or tags, ranked by visits, with their ids, addresses and how
        many there are in all. Use it first for every question about places, stores, shops, restaurants or malls: the
        other tools need its ids. Also for "top", "busiest", "nearest", "fastest growing", "how many", "which opened or
        closed" and "open on Sundays at 8".
        """
        query = await reader.open(context.user)
        binds = Binds()
        region = await query.region(geo_filter, binds)
        found = query.period(period, start_date, end_date)
        conditions = [f"({region.condition})", query.categories(category_ids, binds), query.chains(chain_ids, binds)]
        conditions += _named(name, tags, query, binds)
        conditions += _in_business(open_on, {"opened": opened_within, "closed": closed_within}, found, query, binds)
        if open_at and open_at.strip():
            conditions.append(await _open_at(open_at, conditions, query, binds))
        if sort == "distance" and region.center is None:
            raise BadArguments("sort=distance needs a center: give geo_filter {type: radius, lat, lon, meters}.")
        before = compared_periods(found, "previous", query.days)[0][1] if sort == "trend" else None
        if sort == "trend" and before is None:
            raise BadArguments(f"sort=trend needs the period before {found.label}: give a later period.")
        search = _Search(
            region=region, conditions=conditions, period=found, before=before, sort=sort, limit=limit, offset=offset
        )
        return await _searched(query, search, binds)

    return (search_places,)


async def _searched(query: PlacesQuery, search: _Search, binds: Binds) -> ToolResult:
    rows = await query.rows(await _sql(query, search, binds), binds)
    total = int(rows[0]["total"]) if rows else 0
    if not rows and search.offset:
        query.metadata.note(f"Nothing is left after {search.offset:,} places: lower the offset.")
    months = len(months_between(search.period.start, search.period.end))
    found = [row for row in rows if row["id"] is not None]
    open_days = [_open_days(row, search.period) for row in found]
    partly = any(days < search.period.days for days in open_days)
    places = [_row(row, search, months, days if partly else None) for row, days in zip(found, open_days, strict=True)]
    metadata = query.metadata
    metadata.unit = "visits in the period"
    if search.sort == "trend":
        metadata.note(
            "trend is the change of visits against the period before, of as many days; a place that opened since that "
            "began has none."
        )
        metadata.compared = {"previous": search.before}
    if search.region.center is not None:
        metadata.note("Distances are straight lines.")
    totals: dict[str, Json] = {"places": total}
    if rows and rows[0]["all_visits"] is not None:
        panel = Panel(rows[0]["all_panel"], rows[0]["all_panel_visits"], rows[0]["all_certain"])
        totals["visits"] = figure(rows[0]["all_visits"], panel, months)
        totals["places_suppressed"] = int(rows[0]["all_hidden"]) or None
    if totals.get("places_suppressed"):
        metadata.note("Places with fewer than 5 visitors in the panel are listed without visits and not in the total.")
    if not total:
        metadata.note("No place fits all filters: leave one out, or take a wider area.")
    figures: dict[str, Json] = {"places": places, "total": total, "totals": totals}
    first = search.offset + 1
    called = metadata.filters.get("chain") or metadata.filters.get("category") or "places"
    title = f"{total:,} {called} in {search.region.label}"
    if places and (search.offset or total > len(places)):
        title += f", {first:,} to {search.offset + len(places):,} by {search.sort}"
    drawn = fit_map(
        cut_label(f"{str(called)[:1].upper()}{str(called)[1:]} in {search.region.label}"),
        map_points((each, value_of(each.get("visits"))) for each in places),
        unit="visits",
    )
    return places_result(
        title, figures, metadata, totals={"places": total - search.offset}, hidden_columns=("lat", "lon"), drawn=drawn,
        read_on=f"offset={search.offset + len(places)} shows the next, limit up to {MAX_KEPT}",
    )  # fmt: skip


async def _sql(query: PlacesQuery, search: _Search, binds: Binds) -> str:
    center = search.region.center
    far = "NULL" if center is None else distance_sql("p.lat", "p.lon", binds(center[0]), binds(center[1]))
    trend, joined, listed = "NULL", "", ""
    visits = await _visits_sql(query, search.period, binds)
    if search.before is not None:
        joined = f"LEFT JOIN ({await _visits_sql(query, search.before, binds)}) b ON b.place_id = c.id"
        small = f"v.certain < {MIN_PANEL} OR b.certain < {MIN_PANEL} OR c.opened_on > {binds(search.before.start)}"
        trend = f"CASE WHEN {small} OR b.visits = 0 THEN NULL ELSE round(100 * (v.visits - b.visits) / b.visits, 1) END"
    if query.columns is not None:
        periods = [period for period in (search.period, search.before) if period is not None]
        read = ", ".join(["place_id", *visit_columns(query.columns, periods)])
        listed = f", {_WIDE} AS MATERIALIZED (SELECT {read} FROM {query.columns.source} WHERE place_id IN ({CHOSEN}))"
    hidden = f"coalesce(v.certain < {MIN_PANEL}, false)"
    return f"""
WITH chosen AS MATERIALIZED (
    SELECT p.* EXCLUDE (hours), {far} AS distance_m FROM poi_places p WHERE {" AND ".join(search.conditions)}
){listed}, ranked AS (
    SELECT c.*, v.visits, v.panel_visits, v.panel_visitors, v.certain, {hidden} AS hidden,
        CASE WHEN {hidden} THEN NULL ELSE v.visits END AS value, {trend} AS trend
    FROM chosen c LEFT JOIN ({visits}) v ON v.place_id = c.id {joined}
), totals AS (
    SELECT count(*) AS total, sum(value) AS all_visits, count(*) FILTER (hidden) AS all_hidden,
        sum(panel_visitors) FILTER (NOT hidden) AS all_panel, sum(panel_visits) FILTER (NOT hidden) AS all_panel_visits,
        sum(certain) FILTER (NOT hidden) AS all_certain
    FROM ranked
)
SELECT t.*, r.* FROM totals t LEFT JOIN (
    SELECT id, name, address, city, state, zip, lat, lon, category_id, chain_id, tags, opened_on, closed_on, distance_m,
        visits, panel_visits, panel_visitors, certain, value, trend
    FROM ranked ORDER BY {_ORDERS[search.sort]} LIMIT {binds(search.limit)} OFFSET {binds(search.offset)}
) r ON true ORDER BY {_ORDERS[search.sort]}
"""


async def _visits_sql(query: PlacesQuery, period: VisitPeriod, binds: Binds) -> str:
    """Months that are side by side are read once, for both periods."""
    if query.columns is None:
        return await query.visits_sql(period, binds)
    columns = msgspec.structs.replace(query.columns, source=_WIDE)
    return visits_sql(period, query.days, binds, CHOSEN, columns)


def _open_days(row: dict[str, Any], period: VisitPeriod) -> int:
    """Days of the period on which a place was in business."""
    first, last = max(row["opened_on"] or period.start, period.start), min(row["closed_on"] or period.end, period.end)
    return max((last - first).days + 1, 0)


def _row(row: dict[str, Any], search: _Search, months: int, days: int | None) -> dict[str, Any]:
    panel = Panel(row["panel_visitors"], row["panel_visits"], row["certain"])
    street = ", ".join(part for part in (row["address"], row["city"], row["state"]) if part)
    told: dict[str, Any] = {
        "id": row["id"],
        "name": row["name"],
        "address": " ".join(part for part in (street, row["zip"]) if part),
        "lat": row["lat"],
        "lon": row["lon"],
        "category_id": row["category_id"],
        "chain_id": row["chain_id"],
        "tags": list(row["tags"] or ()),
        "opened_on": None if row["opened_on"] is None else str(row["opened_on"]),
        "closed_on": None if row["closed_on"] is None else str(row["closed_on"]),
    }
    if search.region.center is not None:
        told["distance_m"] = None if row["distance_m"] is None else round(row["distance_m"])
    told["visits"] = figure(row["visits"], panel, months)
    if days is not None and (visits := value_of(told["visits"])) is not None:
        told["days_open"], told["visits_per_day"] = days, round(visits / days, 1) if days else None
    if search.sort == "trend":
        told["trend_percent"] = row["trend"]
    return told


def _folded(column: str) -> str:
    """A name as `fold` has it, without spaces."""
    return f"regexp_replace(lower(strip_accents(replace({column}, '&', 'and'))), '[^\\p{{L}}\\p{{N}}]+', '', 'g')"


def _named(name: str | None, tags: Sequence[str] | None, query: PlacesQuery, binds: Binds) -> list[str]:
    conditions: list[str] = []
    if name and name.strip():
        query.metadata.filters["name"] = name.strip()
        conditions.append(f"contains({_folded('p.name')}, {binds(fold(name).replace(' ', ''))})")
    if tags:
        query.metadata.filters["tags"] = list[Json](tags)
        wanted = binds([tag.strip().lower() for tag in tags])
        conditions.append(f"list_has_all(list_transform(coalesce(p.tags, []), lambda tag: lower(tag)), {wanted})")
    return conditions


def _in_business(
    open_on: str | None, within: Mapping[str, str | None], period: VisitPeriod, query: PlacesQuery, binds: Binds
) -> list[str]:
    """On a day, opened or closed within a period; without either, on a day of the period that visits are of."""
    conditions: list[str] = []
    if open_on and open_on.strip():
        day = day_of("open_on", open_on)
        query.metadata.filters["open_on"] = str(day)
        query.metadata.note("open_on is about closing for good; it says nothing of opening hours.")
        conditions.append(
            f"(p.opened_on IS NULL OR p.opened_on <= {binds(day)}) "
            f"AND (p.closed_on IS NULL OR p.closed_on >= {binds(day)})"
        )
    for word, text in within.items():
        if text and text.strip():
            found = read_period(text, query.days)
            query.metadata.filters[f"{word}_within"] = found.label
            conditions.append(f"p.{word}_on BETWEEN {binds(found.start)} AND {binds(found.end)}")
    return conditions or [open_within(period, binds)]


async def _open_at(text: str, conditions: Sequence[str], query: PlacesQuery, binds: Binds) -> str:
    hour = hour_of_week(text)
    query.metadata.filters["open_at"] = hour_label(hour)
    ((places, known),) = await query.table(
        f"SELECT count(*), count(p.hours) FROM poi_places p WHERE {' AND '.join(conditions)}", binds
    )
    if not known:
        query.metadata.lacks("opening hours: the data has none of these places")
    elif known < places:
        query.metadata.note(f"{places - known:,} of {places:,} places have no opening hours in the data: left out.")
    return f"p.hours[{binds(hour + 1)}]"
