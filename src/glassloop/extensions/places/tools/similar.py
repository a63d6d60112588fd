"""`find_similar_places`: places like one, by category, size, the areas of its visitors, and its hours."""

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Annotated, Any, Final

from glassloop.core.charts import cut_label, fit_map
from glassloop.core.records import Json, ToolResult
from glassloop.extensions.places.query.binds import Binds
from glassloop.extensions.places.query.figures import Panel, figure
from glassloop.extensions.places.query.periods import VisitPeriod, months_between
from glassloop.extensions.places.query.profiles import profile_sql
from glassloop.extensions.places.query.suppression import MIN_PANEL
from glassloop.extensions.places.query.visits import CHOSEN
from glassloop.extensions.places.tools.parameters import Geo, PeriodText, PlaceId, limit_of
from glassloop.extensions.places.tools.place_tool import place_tool
from glassloop.extensions.places.tools.reader import PlacesQuery, PlacesReader
from glassloop.extensions.places.tools.result import map_points, places_result
from glassloop.tools.tool import Tool, ToolContext

UNIT: Final = (
    "score from 0 to 100: the mean of how alike category, size, demographics and hours are; visits of the period"
)
MAX_CANDIDATES: Final = 2_000
"""The nearest by visits where there are more of the category."""
SAME_INDUSTRY: Final = 4
"""Digits of a NAICS code that make an industry group."""
PARTS: Final = ("category", "size", "demographics", "hours")


def make(reader: PlacesReader) -> Sequence[Tool]:
    @place_tool
    async def find_similar_places(
        context: ToolContext,
        place_id: PlaceId,
        geo_filter: Geo | None = None,
        limit: Annotated[int, limit_of(50)] = 10,
        period: PeriodText = "last_month",
    ) -> ToolResult:
        """Places like a given one, with a score from 0 to 100 and why: the same kind of business, about as many visits
        and as much floor, visitors from areas with a like income, age and education, and the same busy hours. Use it
        for "similar to", "comparable sites", "peers", "where else could it work". Give a place_id; a geo_filter limits
        where to look.
        """
        query = await reader.open(context.user)
        days = query.period(period)
        months = query.months(days)
        found = await query.place(place_id)
        place = str(found["id"])
        binds = Binds()
        region = await query.region(geo_filter, binds)
        query.metadata.filters["place_id"] = place
        rows = await _candidates(query, found, region.condition, days, binds)
        own = next((row for row in rows if row["id"] == place), None)
        query.metadata.unit = UNIT
        if own is None or own["visits"] is None:
            query.metadata.note(
                "The place has fewer than 5 visitors in the panel in the period: nothing can be compared."
            )
            return places_result(f"Places like {place}", {"places": []}, query.metadata)
        ids = [str(row["id"]) for row in rows]
        areas, incomes = await _demographics(query, place, ids, months)
        hours = await _hours(query, place, ids, months[1])
        others = [(parts := _alike(own, row, areas, hours), _score(parts), row) for row in rows if row["id"] != place]
        others.sort(key=lambda each: (-each[1], each[2]["id"]))
        title = f"Places like {own['name']} in {region.label}"
        return _told(query, title, own, others[:limit], len(others), incomes)

    return (find_similar_places,)


async def _candidates(
    query: PlacesQuery, place: Mapping[str, Any], condition: str, period: VisitPeriod, binds: Binds
) -> list[dict[str, Any]]:
    """The place itself, and places of its industry that are open and not too small."""
    category = str(place["category_id"] or "")
    alike = binds(list(query.vocabulary.categories.siblings(category, SAME_INDUSTRY)) or [category])
    own, end = binds(place["id"]), binds(period.end)
    return await query.rows(
        f"""
WITH chosen AS MATERIALIZED (
    SELECT p.id, p.name, p.address, p.city, p.lat, p.lon, p.category_id, p.chain_id, p.area_m2
    FROM poi_places p WHERE p.id = {own} OR (({condition}) AND p.category_id IN (SELECT unnest({alike}))
        AND (p.opened_on IS NULL OR p.opened_on <= {end}) AND (p.closed_on IS NULL OR p.closed_on > {end}))
), seen AS MATERIALIZED (
    SELECT c.*, v.visits, v.panel_visits, v.panel_visitors, v.certain
    FROM chosen c JOIN ({await query.visits_sql(period, binds)}) v ON v.place_id = c.id
    WHERE NOT coalesce(v.certain < {MIN_PANEL}, false) AND v.visits > 0
)
SELECT s.* FROM seen s, (SELECT visits FROM seen WHERE id = {own}) o
ORDER BY abs(ln(s.visits / o.visits)), s.id LIMIT {MAX_CANDIDATES}
""",
        binds,
    )


async def _demographics(
    query: PlacesQuery, place: str, ids: Sequence[str], months: tuple[date, date]
) -> tuple[Mapping[str, float], Mapping[str, float]]:
    """How alike the areas are where visitors live, from 0 to 1: the mean of how alike the incomes are and how much the
    shares of age, household and education have in common. And the incomes."""
    if not query.needs("poi_homes", "demographics") or not query.needs("poi_areas", "demographics"):
        return {}, {}
    binds = Binds()
    rows = await query.table(
        f"""
WITH means AS MATERIALIZED ({profile_sql(binds(list(ids)), months, binds, by_place=True)})
SELECT m.place_id, m.figure = 0, sum(least(o.mean, m.mean)) / nullif(sum(greatest(o.mean, m.mean)), 0),
    sum(least(o.mean, m.mean)) / nullif(sum(o.mean), 0), any_value(m.mean)
FROM means m JOIN means o ON o.figure = m.figure AND o.place_id = {binds(place)} GROUP BY m.place_id, m.figure = 0
""",
        binds,
    )
    alike: dict[str, list[float]] = {}
    incomes: dict[str, float] = {}
    for one, of_income, income, shares, mean in rows:
        part = income if of_income else shares
        if of_income:
            incomes[one] = mean
        if part is not None and (part or not of_income):
            alike.setdefault(one, []).append(min(1.0, part))
    return {one: sum(parts) / len(parts) for one, parts in alike.items()}, incomes


async def _hours(query: PlacesQuery, place: str, ids: Sequence[str], month: date) -> Mapping[str, float]:
    """How much of the visits of a month fall into the same hours of the week as those of the place, from 0 to 1."""
    if not query.needs("poi_hours", "busy hours"):
        return {}
    binds = Binds()
    chosen = f"SELECT unnest({binds(list(ids))}::VARCHAR[]) AS id"
    kept = await query.kept(lambda own, places: _hour_shares_sql(month, own, places), binds)
    once = "" if query.database.keeps else "MATERIALIZED "
    rows = await query.table(
        f"""
WITH chosen AS MATERIALIZED ({chosen}), shares AS {once}({kept}), own AS (
    SELECT unnest(hours) AS hour, unnest(shares) AS share FROM shares WHERE place_id = {binds(place)}
), others AS (
    SELECT place_id, unnest(hours) AS hour, unnest(shares) AS share FROM shares WHERE place_id IN ({CHOSEN})
)
SELECT t.place_id, sum(least(t.share, o.share)) FROM others t JOIN own o ON o.hour = t.hour GROUP BY t.place_id
""",
        binds,
    )
    return dict(rows)


def _hour_shares_sql(month: date, binds: Binds, places: str | None) -> str:
    """`place_id`, and lists of the `hours` of the week with visits in a month and their `shares` of all."""
    within = f" AND place_id IN ({places})" if places else ""
    return (
        "SELECT place_id, hours, list_transform(visits, lambda each: each / total) AS shares FROM ("
        "SELECT place_id, list(hour_of_week ORDER BY hour_of_week) AS hours, "
        "list(visits ORDER BY hour_of_week) AS visits, sum(visits) AS total "
        f"FROM poi_hours WHERE month = {binds(month)}{within} GROUP BY place_id HAVING sum(visits) > 0)"
    )


def _alike(
    own: Mapping[str, Any],
    row: Mapping[str, Any],
    areas: Mapping[str, float],
    hours: Mapping[str, float],
) -> dict[str, float | None]:
    """How alike each of the `PARTS` is, from 0 to 1."""
    sizes = [min(one, other) / max(one, other) for one, other in
             ((own["visits"], row["visits"]), (own["area_m2"], row["area_m2"])) if one and other]  # fmt: skip
    return {
        "category": 1.0 if own["category_id"] == row["category_id"] else 0.5,
        "size": sum(sizes) / len(sizes) if sizes else None,
        "demographics": areas.get(row["id"]),
        "hours": hours.get(row["id"]) if hours else None,
    }


def _score(parts: Mapping[str, float | None]) -> float:
    """Their mean in percent, over the parts that are known."""
    known = [value for value in parts.values() if value is not None]
    return round(100 * sum(known) / len(known), 1)


def _told(
    query: PlacesQuery,
    title: str,
    own: Mapping[str, Any],
    found: Sequence[tuple[Mapping[str, float | None], float, Mapping[str, Any]]],
    total: int,
    incomes: Mapping[str, float],
) -> ToolResult:
    period = query.metadata.period
    count = len(months_between(period.start, period.end)) if period is not None else 1
    rows: list[Json] = []
    for alike, score, row in found:
        parts = {name: None if value is None else round(100 * value) for name, value in alike.items()}
        about = _about(row, incomes, count)
        figures = {name: about.pop(name) for name in ("visits", "area_m2", "income_of_visitors_areas")}
        rows.append({
            **about, "score": score, "alike_percent": dict[str, Json](parts), **figures, "why": _why(own, row, parts),
        })  # fmt: skip
    points = map_points((row, None) for row in (own, *(row for _, _, row in found)))
    if not rows:
        query.metadata.note("No other place of its kind is there: take a wider area.")
    return places_result(
        title, {"reference": _about(own, incomes, count), "places": rows, "total": total}, query.metadata,
        totals={"places": total}, drawn=fit_map(cut_label(title), points), read_on="limit up to 50 gives more",
    )  # fmt: skip


def _about(row: Mapping[str, Any], incomes: Mapping[str, float], months: int) -> dict[str, Json]:
    """What a place is judged by, of the one asked about as of those that are like it."""
    panel = Panel(row["panel_visitors"], row["panel_visits"], row["certain"])
    income = incomes.get(str(row["id"]))
    return {
        "id": row["id"], "name": row["name"],
        "address": ", ".join(part for part in (row["address"], row["city"]) if part), "chain_id": row["chain_id"],
        "visits": figure(row["visits"], panel, months), "area_m2": row["area_m2"],
        "income_of_visitors_areas": None if income is None else round(income),
    }  # fmt: skip


def _why(own: Mapping[str, Any], row: Mapping[str, Any], parts: Mapping[str, int | None]) -> str:
    """The strongest reasons first."""
    told = {
        "category": "the same category" if parts["category"] == 100 else "the same industry",
        "size": f"{row['visits'] / own['visits']:.2f} times the visits",
        "demographics": "visitors from like areas",
        "hours": "the same busy hours",
    }
    ranked = sorted((name for name in PARTS if parts[name] is not None), key=lambda name: -(parts[name] or 0))
    return "; ".join(f"{told[name]} ({parts[name]} %)" for name in ranked)
