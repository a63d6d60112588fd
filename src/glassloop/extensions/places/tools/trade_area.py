"""`get_trade_area_profile`: where the visitors of places live."""

import asyncio
from collections.abc import Sequence
from datetime import date
from typing import Annotated, Any, cast

from pydantic import Field

from glassloop.core.charts import Map, MapArea, cut_label, fit_map
from glassloop.core.records import Json, ToolResult
from glassloop.extensions.places.query.binds import Binds
from glassloop.extensions.places.query.distance import distance_sql
from glassloop.extensions.places.query.figures import Panel, figure, percent, share_range
from glassloop.extensions.places.query.periods import months_between
from glassloop.extensions.places.query.regions import read_ring
from glassloop.extensions.places.query.visits import weighted_mean
from glassloop.extensions.places.tools.parameters import (
    LONG_PERIOD,
    ChainIds,
    EndDate,
    Geo,
    PeriodText,
    PlaceIds,
    StartDate,
    limit_of,
)
from glassloop.extensions.places.tools.place_tool import place_tool
from glassloop.extensions.places.tools.reader import Chosen, PlacesQuery, PlacesReader
from glassloop.extensions.places.tools.result import MAX_KEPT, map_points, places_result
from glassloop.tools.tool import Tool, ToolContext

UNIT = (
    "visits and visitors whose home area is known; penetration is visitors a month per 100 "
    "residents; distances are straight lines in meters"
)


def make(reader: PlacesReader) -> Sequence[Tool]:
    @place_tool
    async def get_trade_area_profile(
        context: ToolContext,
        place_ids: PlaceIds = None,
        chain_id: ChainIds = None,
        geo_filter: Geo | None = None,
        period: PeriodText = LONG_PERIOD,
        start_date: StartDate = None,
        end_date: EndDate = None,
        share: Annotated[float, Field(gt=0, le=1, description="Share of visits that the areas hold, 0 to 1.")] = 0.7,
        limit: Annotated[int, limit_of(MAX_KEPT)] = 20,
    ) -> ToolResult:
        """Where the visitors of places live (trade area, catchment): the fewest areas that hold 70 % of the visits,
        each with its share, penetration and distance; median and 70 % distance; share from outside the metro; a map.
        Use it for "where do visitors come from", "how far do people travel". Give place_ids, or a chain_id with a
        geo_filter.
        """
        query = await reader.open(context.user)
        binds = Binds()
        found = query.period(period, start_date, end_date)
        chosen = await query.chosen(binds, place_ids=place_ids, chain_ids=chain_id, geo_filter=geo_filter, period=found)
        query.metadata.filters["share"] = share
        query.metadata.unit = UNIT
        months = query.months(found)
        if chosen.ids:
            months = query.open_months(await query.places(chosen.ids), months)
        if not query.needs("poi_homes", "where visitors live"):
            called = chosen.label or ", ".join(chosen.ids or ())
            return places_result(f"Trade area of {called}", {"areas": []}, query.metadata)
        return await _trade_area(query, chosen, months, share, limit, binds)

    return (get_trade_area_profile,)


async def _trade_area(
    query: PlacesQuery, chosen: Chosen, months: tuple[date, date], share: float, limit: int, binds: Binds
) -> ToolResult:
    places = await query.rows(
        f"SELECT p.id, p.name, p.address, p.lat, p.lon, p.metro FROM poi_places p WHERE {chosen.condition} "
        "ORDER BY p.id LIMIT 2000",
        binds,
    )
    *rows, whole = await query.rows(_areas_sql(chosen, months, binds), binds)
    query.needs_metro(places, "visits from outside the metro")
    metadata, count = query.metadata, len(months_between(*months))
    panel = Panel(whole["panel"], whole["panel_visits"], whole["panel"])
    told = sum(row["visits"] or 0 for row in rows)
    # Of a panel all visits are the whole; other data tells of no visits but those with a home.
    visits = max(whole["visits"] or 0.0, told) if whole["panel"] is not None else told
    listed = _listed(rows, visits, panel, share, count)
    cumulated = sum(row["own"] for row in listed)
    outside = sum(row["outside"] or 0 for row in rows)
    await _rings(query, listed)
    title = chosen.label or ", ".join(str(row["name"]) for row in places[:3])
    figures: dict[str, Json] = {
        "areas": [
            {name: value for name, value in row.items() if name not in ("ring", "own")} for row in listed[:limit]
        ],
        "areas_holding_share": len(listed),
        "share_held_percent": percent(cumulated, visits, 2),
        "areas_in_all": len(rows),
        "visits": figure(whole["visits"], panel, count),
        "told_home_percent": percent(told, whole["visits"]),
        "distance": {
            "median_m": _rounded(whole["distance_m"]),
            "median_range_m": _distance_range(rows, 0.5, whole["distance_m"], panel, count),
            "share_70_m": _rounded(whole["seventy_m"]),
            "share_70_range_m": _distance_range(rows, 0.7, whole["seventy_m"], panel, count),
        },
        "outside_metro_percent": percent(outside, sum(row["of_metro"] or 0 for row in rows)),
        "outline": await asyncio.to_thread(_outline, [row["ring"] for row in listed if row["ring"]]),
    }
    if whole["panel"] is not None and told < visits:
        metadata.note(
            f"{percent(visits - told, visits)} % of the visits have no known home, or one that fewer than 5 visitors "
            "of the panel share in a month: no area has them. Distances and the share from outside the metro are of "
            "the others."
        )
    if visits and cumulated < share * visits:
        metadata.note(
            "The areas that may be listed do not hold the share that was asked for, as too few of the panel come from "
            "each of the others. Busier places, or the chain in an area, tell more."
        )
    if not told:
        metadata.lacks("visits with a home that may be told, in this period")
    if any(row["distance_m"] is None for row in rows):
        metadata.lacks("coordinates of some areas (import areas): these count in no distance")
    metadata.note("Areas are where visitors live, as the panel's nights tell.")
    drawn = _drawn(title, places, listed)
    return places_result(
        f"Trade area of {title}", figures, metadata, totals={"areas": len(listed)}, hidden_columns=("outline",),
        drawn=drawn, read_on=f"limit up to {MAX_KEPT} gives them",
    )  # fmt: skip


def _listed(
    rows: Sequence[dict[str, Any]], visits: float, whole: Panel, share: float, months: int
) -> list[dict[str, Any]]:
    """The fewest areas that hold the share, most visits first."""
    visitors = sum(row["visitors"] or 0 for row in rows)
    listed, cumulated = list[dict[str, Any]](), 0.0
    for row in rows:
        if not visits or cumulated >= share * visits:
            break
        cumulated += row["visits"]
        panel = Panel(row["panel"], None, row["panel"])
        listed.append({
            "area_id": row["area_id"],
            "name": row["name"] or row["area_id"],
            "visits": figure(row["visits"], panel, months),
            "visitors": figure(row["visitors"], panel, months, of_visits=False),
            "share_of_visits_percent": percent(row["visits"], visits, 2),
            "share_range_percent": share_range(row["visits"], visits, whole, months),
            "share_of_visitors_percent": percent(row["visitors"], visitors, 2),
            "cumulated_share_percent": percent(cumulated, visits, 2),
            "penetration_percent": percent((row["visitors"] or 0) / months, row["population"], 2),
            "distance_m": None if row["distance_m"] is None else round(row["distance_m"]),
            "own": row["visits"],
        })  # fmt: skip
    return listed


def _distance_range(
    rows: Sequence[dict[str, Any]], part: float, found: float | None, panel: Panel, months: int
) -> list[Json] | None:
    """The range of the distance within which a part of the visits lies: the distances of the shares that the panel does
    not tell apart from it."""
    known = sorted((row["distance_m"], row["visits"]) for row in rows if row["distance_m"] is not None)
    shares = share_range(part, 1.0, panel, months)
    if found is None or shares is None or not known:
        return None
    every = sum(visits for _, visits in known)
    bounds: list[float] = []
    for share in shares:
        reached, bound = 0.0, known[-1][0]
        for far, visits in known:
            reached += visits
            if 100 * reached >= cast("float", share) * every:
                bound = far
                break
        bounds.append(bound)
    return [round(min(bounds[0], found)), round(max(bounds[1], found))]


def _areas_sql(chosen: Chosen, months: tuple[date, date], binds: Binds) -> str:
    """A row for each area, most visits first; and one row without an area: the distances within which half and 70 % of
    the visits are, and all visits of the months with the panel behind them."""
    within = f"BETWEEN {binds(months[0])} AND {binds(months[1])}"
    return f"""
WITH chosen AS ({chosen.sql}), pairs AS (
    SELECT h.place_id, h.area_id, sum(coalesce(h.visits, h.visitors)) AS visits, sum(h.visitors) AS visitors,
        sum(h.panel_visitors) AS panel
    FROM poi_homes h WHERE h.place_id IN (SELECT id FROM chosen) AND h.month {within} GROUP BY ALL
), homes AS MATERIALIZED (
    SELECT h.*, p.metro, a.name, a.population,
        p.metro IS NOT NULL AND a.metro IS DISTINCT FROM p.metro AS outside,
        {distance_sql("p.lat", "p.lon", "a.lat", "a.lon")} AS distance_m
    FROM pairs h JOIN poi_places p ON p.id = h.place_id LEFT JOIN poi_areas a ON a.id = h.area_id
), ordered AS (
    SELECT distance_m, sum(visits) OVER (ORDER BY distance_m) AS reached, sum(visits) OVER () AS every
    FROM (SELECT distance_m, sum(visits) AS visits FROM homes WHERE distance_m IS NOT NULL GROUP BY ALL)
), whole AS (
    SELECT CAST(sum(visits) AS DOUBLE) AS visits, CAST(sum(panel_visits) AS DOUBLE) AS panel_visits,
        CAST(sum(panel_visitors) AS DOUBLE) AS panel FROM poi_visits_monthly
    WHERE place_id IN (SELECT id FROM chosen) AND month {within}
)
SELECT area_id, any_value(name) AS name, any_value(population) AS population,
    CAST(sum(visits) AS DOUBLE) AS visits, CAST(sum(visitors) AS DOUBLE) AS visitors,
    CAST(sum(panel) AS DOUBLE) AS panel, NULL AS panel_visits, CAST(sum(visits) FILTER (outside) AS DOUBLE) AS outside,
    CAST(sum(visits) FILTER (metro IS NOT NULL) AS DOUBLE) AS of_metro,
    {weighted_mean("distance_m", "visits")} AS distance_m, NULL AS seventy_m
FROM homes GROUP BY area_id
UNION ALL
SELECT NULL, NULL, NULL, any_value(w.visits), NULL, any_value(w.panel), any_value(w.panel_visits), NULL, NULL,
    min(distance_m) FILTER (reached >= 0.5 * every), min(distance_m) FILTER (reached >= 0.7 * every)
FROM whole w LEFT JOIN ordered ON true ORDER BY area_id IS NULL, visits DESC, area_id
"""


async def _rings(query: PlacesQuery, areas: Sequence[dict[str, Any]]) -> None:
    """The outlines of the areas that are listed."""
    binds = Binds()
    rows = await query.rows(
        f"SELECT id, ring FROM poi_areas WHERE id IN (SELECT unnest({binds([row['area_id'] for row in areas])}))",
        binds,
    )
    rings = {row["id"]: read_ring(row["ring"]) for row in rows}
    for row in areas:
        row["ring"] = rings.get(row["area_id"], [])


def _outline(rings: Sequence[Sequence[tuple[float, float]]]) -> list[Json] | None:
    """The convex hull of the areas, as pairs of longitude and latitude."""
    import shapely

    points = [point for ring in rings for point in ring]
    hull = shapely.MultiPoint(points).convex_hull if len(points) >= 3 else None
    if not isinstance(hull, shapely.Polygon):
        return None
    return [[round(lon, 5), round(lat, 5)] for lon, lat in hull.exterior.coords]


def _drawn(title: str, places: Sequence[dict[str, Any]], areas: Sequence[dict[str, Any]]) -> Map | None:
    return fit_map(
        cut_label(f"Trade area of {title}"),
        map_points((row, None) for row in places),
        [
            MapArea(
                id=str(row["area_id"]), name=cut_label(str(row["name"])), value=row["share_of_visits_percent"],
                ring=tuple(row["ring"]),
            )
            for row in areas
            if len(row["ring"]) >= 3
        ],
        unit="% of visits",
    )  # fmt: skip


def _rounded(value: float | None) -> int | None:
    return None if value is None else round(value)
