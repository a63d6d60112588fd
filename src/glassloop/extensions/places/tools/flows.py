"""`get_visit_flows`: where visitors of a place were before, and where they went after."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field

from glassloop.core.charts import Map, MapLine, cut_label, fit_map
from glassloop.core.records import Json, ToolResult
from glassloop.extensions.places.data_set.views import HOME, WORK
from glassloop.extensions.places.query.binds import Binds
from glassloop.extensions.places.query.figures import HIDDEN, Panel, figure, percent, share_range
from glassloop.extensions.places.query.periods import months_between
from glassloop.extensions.places.query.suppression import is_small
from glassloop.extensions.places.query.visits import CERTAIN
from glassloop.extensions.places.tools.parameters import (
    LONG_PERIOD,
    EndDate,
    PeriodText,
    PlaceId,
    StartDate,
    limit_of,
    lowered,
)
from glassloop.extensions.places.tools.place_tool import place_tool
from glassloop.extensions.places.tools.reader import PlacesQuery, PlacesReader
from glassloop.extensions.places.tools.result import map_points, places_result
from glassloop.tools.tool import Tool, ToolContext

UNIT = "visits of the place by where their visitors were before or after; minutes in between"
Direction = Literal["both", "before", "after"]
Level = Literal["place", "chain", "category"]
_KEYS = {
    "place": ("f.other_id", "coalesce(o.name, f.other_id)"),
    "chain": ("o.chain_id", "coalesce(c.name, o.chain_id)"),
    "category": ("o.category_id", "coalesce(k.name, o.category_id)"),
}
NO_CHAIN = {"chain": "no chain", "category": "no category", "place": "unknown"}


def make(reader: PlacesReader) -> Sequence[Tool]:
    @place_tool
    async def get_visit_flows(
        context: ToolContext,
        place_id: PlaceId,
        period: PeriodText = LONG_PERIOD,
        start_date: StartDate = None,
        end_date: EndDate = None,
        direction: Annotated[
            Direction, BeforeValidator(lowered), Field(description="Before the visit, after, or both.")
        ] = "both",
        level: Annotated[Level, BeforeValidator(lowered), Field(description="What others are grouped by.")] = "place",
        limit: Annotated[int, limit_of(50)] = 15,
    ) -> ToolResult:
        """Where visitors of a place come from just before the visit and go right after it: other places, chains or
        categories with shares and median minutes in between, home and work apart; a map with lines. Use it for "where
        do they go next", "what do they do before", "journey", "same trip". Give one place_id.
        """
        query = await reader.open(context.user)
        found = query.period(period, start_date, end_date)
        found_place = await query.place(place_id)
        place = str(found_place["id"])
        metadata = query.metadata
        metadata.geo_type = "places"
        metadata.filters |= {"place_id": place, "direction": direction, "level": level}
        metadata.unit = UNIT
        months = query.open_months([found_place], query.months(found))
        binds = Binds()
        rows = await query.rows(
            "SELECT CAST(sum(visits) AS DOUBLE) AS visits, CAST(sum(panel_visitors) AS DOUBLE) AS panel, "
            "CAST(sum(panel_visits) AS DOUBLE) AS panel_visits, "
            f"{CERTAIN} AS certain FROM poi_visits_monthly WHERE place_id = {binds(place)} "
            f"AND month BETWEEN {binds(months[0])} AND {binds(months[1])}",
            binds,
        )
        about: dict[str, Any] = {**found_place, **rows[0], "months": months}
        title = f"Before and after visits to {about['name']}"
        if not query.needs("poi_flows", "where visitors were before and after"):
            return places_result(title, {"before": [], "after": []}, metadata)
        if is_small(about["certain"]):
            metadata.note("Fewer than 5 visitors of the panel were there: nothing can be told of them.")
            return places_result(title, {"before": dict(HIDDEN), "after": dict(HIDDEN)}, metadata)
        figures: dict[str, Json] = {}
        lines: list[tuple[str, dict[str, Any]]] = []
        ways = ("before", "after") if direction == "both" else (direction,)
        for way, parts in (await _flows(query, about, ways, level)).items():
            figures |= _told(parts, about, way, limit, query)
            lines += [(way, part) for part in parts if not part["own"]][:limit]
        return places_result(title, figures, metadata, drawn=_drawn(title, about, lines) if level == "place" else None)

    return (get_visit_flows,)


async def _flows(
    query: PlacesQuery, about: Mapping[str, Any], ways: Sequence[str], level: Level
) -> dict[str, list[dict[str, Any]]]:
    """The others of each direction, most visits first, home and work among them."""
    key, name = _KEYS[level]
    binds = Binds()
    first, last = about["months"]
    rows = await query.rows(
        f"""
WITH flows AS (
    SELECT direction, other_id, sum(visits) AS visits, sum(minutes_median * visits) AS minutes,
        sum(visits) FILTER (minutes_median IS NOT NULL) AS timed, sum(panel_visitors) AS panel
    FROM poi_flows
    WHERE place_id = {binds(about["id"])} AND direction IN (SELECT unnest({binds(list(ways))}))
        AND month BETWEEN {binds(first)} AND {binds(last)} GROUP BY ALL
)
SELECT f.direction, f.other_id IN ('{HOME}', '{WORK}') AS own,
    CASE WHEN f.other_id IN ('{HOME}', '{WORK}') THEN f.other_id ELSE {key} END AS id,
    any_value(CASE WHEN f.other_id IN ('{HOME}', '{WORK}') THEN f.other_id ELSE {name} END) AS name,
    any_value(o.lat) AS lat, any_value(o.lon) AS lon, CAST(sum(f.visits) AS DOUBLE) AS visits,
    sum(f.minutes) / nullif(sum(f.timed), 0) AS minutes, CAST(sum(f.panel) AS DOUBLE) AS panel
FROM flows f LEFT JOIN poi_places o ON o.id = f.other_id LEFT JOIN poi_chains c ON c.id = o.chain_id
    LEFT JOIN poi_categories k ON k.id = o.category_id
GROUP BY ALL ORDER BY visits DESC, id
""",
        binds,
    )
    found: dict[str, list[dict[str, Any]]] = {way: [] for way in ways}
    for row in rows:
        row["name"] = row["name"] or NO_CHAIN[level]
        found[row["direction"]].append(row)
    return found


def _told(
    parts: Sequence[dict[str, Any]], about: Mapping[str, Any], way: str, limit: int, query: PlacesQuery
) -> dict[str, Json]:
    listed_visits = sum(part["visits"] for part in parts)
    total = max(about["visits"] or 0.0, listed_visits)
    count = len(months_between(*about["months"]))
    whole = Panel(about["panel"], about["panel_visits"], about["certain"])
    rows: dict[str, dict[str, Json]] = {}
    listed: list[Json] = []
    for part in parts:
        panel = Panel(part["panel"], None, part["panel"])
        told: dict[str, Json] = {
            "visits": figure(part["visits"], panel, count),
            "share_percent": percent(part["visits"], total),
            "share_range_percent": share_range(part["visits"], total, whole, count),
            "minutes_median": None if part["minutes"] is None else round(part["minutes"], 1),
        }
        if part["own"]:
            rows[part["id"]] = told
        elif len(listed) < limit:
            listed.append({"id": part["id"], "name": part["name"], **told})
    if listed_visits < total and about["panel"] is not None:
        query.metadata.note(
            f"{way}: {percent(total - listed_visits, total)} % of the visits are of others with fewer than 5 visitors "
            "of the panel in a month, or would tell of one, and are not listed; a busier place tells more."
        )
        for own in (HOME, WORK):
            rows.setdefault(own, {"visits": dict(HIDDEN), "share_percent": None, "minutes_median": None})
    if not parts:
        query.metadata.lacks(f"visits {way} in this period")
    others = [part["visits"] for part in parts if not part["own"]]
    summed: dict[str, Json] = {
        "visits": figure(total, whole, count) if parts else None,
        "others": len(others),
        "others_percent": percent(sum(others), total),
        "not_told_percent": percent(total - listed_visits, total) if listed_visits < total else None,
        **rows,
    }
    return {way: listed, f"{way}_total": summed}


def _drawn(title: str, about: Mapping[str, Any], flows: Sequence[tuple[str, dict[str, Any]]]) -> Map | None:
    if about["lat"] is None or about["lon"] is None:
        return None
    known = [(way, flow) for way, flow in flows if flow["lat"] is not None and flow["lon"] is not None]
    points = map_points([(about, None), *((flow, flow["visits"]) for _, flow in known)])
    lines = [
        MapLine(begin=str(flow["id"]), end=about["id"], value=flow["visits"]) if way == "before" else
        MapLine(begin=about["id"], end=str(flow["id"]), value=flow["visits"])
        for way, flow in known
    ]  # fmt: skip
    return fit_map(cut_label(title), points, lines=lines, unit="visits") if known else None
