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
TIED: Final = 0.1
"""Scores are told with one digit: those that differ by less may be told as equal, and are then in the order of ids."""
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
        rows = await query.rows(await _ranked_sql(query, found, region.condition, days, months, limit, binds), binds)
        own = next((row for row in rows if row["id"] == place), None)
        query.metadata.unit = UNIT
        if own is None:
            query.metadata.note(
                "The place has fewer than 5 visitors in the panel in the period: nothing can be compared."
            )
            return places_result(f"Places like {place}", {"places": []}, query.metadata)
        others = [(round(row["score"], 1), row) for row in rows if row is not own]
        others.sort(key=lambda each: (-each[0], each[1]["id"]))
        return _told(query, f"Places like {own['name']} in {region.label}", own, others[:limit])

    return (find_similar_places,)


async def _ranked_sql(
    query: PlacesQuery,
    place: Mapping[str, Any],
    condition: str,
    period: VisitPeriod,
    months: tuple[date, date],
    limit: int,
    binds: Binds,
) -> str:
    """The place itself and, of the candidates, those whose `score` comes within `TIED` of the last that is told: each
    with how alike its `PARTS` are from 0 to 1, and `candidates`, the number of all."""
    own = binds(place["id"])
    parts = [_demographics_sql(query, own, months, binds), await _hours_sql(query, own, months[1], binds)]
    return f"""
WITH {await _candidates_sql(query, place, condition, period, binds)},
demographics AS ({parts[0]}), hours AS ({parts[1]}),
parts AS (
    SELECT n.*, if(n.category_id IS NOT DISTINCT FROM o.category_id, 1.0::DOUBLE, 0.5::DOUBLE) AS category,
        CASE WHEN n.area_m2 > 0 AND o.area_m2 > 0
            THEN ({_ratio("o.visits", "n.visits")} + {_ratio("o.area_m2", "n.area_m2")}) / 2
            ELSE {_ratio("o.visits", "n.visits")} END AS size,
        d.alike AS demographics, d.income, h.alike AS hours
    FROM near n JOIN near o ON o.id = {own} LEFT JOIN demographics d ON d.place_id = n.id
    LEFT JOIN hours h ON h.place_id = n.id
), scored AS MATERIALIZED (
    SELECT *, 100 * (category + size + coalesce(demographics, 0) + coalesce(hours, 0))
        / (2 + (demographics IS NOT NULL)::INT + (hours IS NOT NULL)::INT) AS score, count(*) OVER () - 1 AS candidates
    FROM parts
)
SELECT s.*, p.name, p.address, p.city, p.lat, p.lon, p.chain_id FROM scored s JOIN poi_places p ON p.id = s.id
WHERE s.id = {own} OR s.score >= (
    SELECT min(score) - {TIED} FROM (SELECT score FROM scored WHERE id <> {own} ORDER BY score DESC LIMIT {limit})
)
"""


async def _candidates_sql(
    query: PlacesQuery, place: Mapping[str, Any], condition: str, period: VisitPeriod, binds: Binds
) -> str:
    """`near`: the place itself, and places of its industry that are open and not too small."""
    category = str(place["category_id"] or "")
    alike = binds(list(query.vocabulary.categories.siblings(category, SAME_INDUSTRY)) or [category])
    own, end = binds(place["id"]), binds(period.end)
    return f"""chosen AS MATERIALIZED (
    SELECT p.id, p.category_id, p.area_m2
    FROM poi_places p WHERE p.id = {own} OR (({condition}) AND p.category_id IN (SELECT unnest({alike}))
        AND (p.opened_on IS NULL OR p.opened_on <= {end}) AND (p.closed_on IS NULL OR p.closed_on > {end}))
), seen AS MATERIALIZED (
    SELECT c.*, v.visits, v.panel_visits, v.panel_visitors, v.certain
    FROM chosen c JOIN ({await query.visits_sql(period, binds)}) v ON v.place_id = c.id
    WHERE NOT coalesce(v.certain < {MIN_PANEL}, false) AND v.visits > 0
), near AS MATERIALIZED (
    SELECT s.* FROM seen s, (SELECT visits FROM seen WHERE id = {own}) o
    ORDER BY abs(ln(s.visits / o.visits)), s.id LIMIT {MAX_CANDIDATES}
)"""


def _ratio(one: str, other: str) -> str:
    """The smaller of two SQL expressions over the larger."""
    return f"(least({one}, {other}) / greatest({one}, {other}))"


def _demographics_sql(query: PlacesQuery, own: str, months: tuple[date, date], binds: Binds) -> str:
    """`place_id`, the `income` of the areas where visitors live, and how `alike` those are from 0 to 1: the mean of how
    alike the incomes are and how much the shares of age, household and education have in common."""
    if not query.needs("poi_homes", "demographics") or not query.needs("poi_areas", "demographics"):
        return "SELECT NULL::VARCHAR AS place_id, NULL::DOUBLE AS alike, NULL::DOUBLE AS income WHERE false"
    return f"""
    WITH means AS MATERIALIZED ({profile_sql("SELECT id FROM near", months, binds, by_place=True)}), compared AS (
        SELECT m.place_id, any_value(m.mean) FILTER (m.figure = 0) AS income,
            sum(least(o.mean, m.mean)) FILTER (m.figure = 0)
                / nullif(sum(greatest(o.mean, m.mean)) FILTER (m.figure = 0), 0) AS incomes,
            sum(least(o.mean, m.mean)) FILTER (m.figure > 0)
                / nullif(sum(o.mean) FILTER (m.figure > 0), 0) AS shares
        FROM means m JOIN means o ON o.figure = m.figure AND o.place_id = {own} GROUP BY m.place_id
    )
    SELECT place_id, income,
        list_avg([least(part, 1) FOR part IN [nullif(incomes, 0), shares] IF part IS NOT NULL]) AS alike FROM compared
"""


async def _hours_sql(query: PlacesQuery, own: str, month: date, binds: Binds) -> str:
    """`place_id`, and how much of the visits of a month fall into the same hours of the week as those of the place:
    `alike`, from 0 to 1."""
    if not query.needs("poi_hours", "busy hours"):
        return "SELECT NULL::VARCHAR AS place_id, NULL::DOUBLE AS alike WHERE false"
    near = "SELECT id FROM near"
    kept = await query.kept(lambda each, places: _hour_shares_sql(month, each, places), binds, near)
    once = "" if query.database.keeps else "MATERIALIZED "
    return f"""
    WITH shares AS {once}({kept}), own AS (
        SELECT unnest(hours) AS hour, unnest(shares) AS share FROM shares WHERE place_id = {own}
    ), others AS (
        SELECT place_id, unnest(hours) AS hour, unnest(shares) AS share FROM shares WHERE place_id IN ({near})
    )
    SELECT t.place_id, sum(least(t.share, o.share)) AS alike
    FROM others t JOIN own o ON o.hour = t.hour GROUP BY t.place_id
"""


def _hour_shares_sql(month: date, binds: Binds, places: str | None) -> str:
    """`place_id`, and lists of the `hours` of the week with visits in a month and their `shares` of all."""
    within = f" AND place_id IN ({places})" if places else ""
    return (
        "SELECT place_id, hours, list_transform(visits, lambda each: each / total) AS shares FROM ("
        "SELECT place_id, list(hour_of_week ORDER BY hour_of_week) AS hours, "
        "list(visits ORDER BY hour_of_week) AS visits, sum(visits) AS total "
        f"FROM poi_hours WHERE month = {binds(month)}{within} GROUP BY place_id HAVING sum(visits) > 0)"
    )


def _told(
    query: PlacesQuery,
    title: str,
    own: Mapping[str, Any],
    found: Sequence[tuple[float, Mapping[str, Any]]],
) -> ToolResult:
    total = own["candidates"]
    period = query.metadata.period
    count = len(months_between(period.start, period.end)) if period is not None else 1
    rows: list[Json] = []
    for score, row in found:
        parts = {name: None if row[name] is None else round(100 * row[name]) for name in PARTS}
        about = _about(row, count)
        figures = {name: about.pop(name) for name in ("visits", "area_m2", "income_of_visitors_areas")}
        rows.append({
            **about, "score": score, "alike_percent": dict[str, Json](parts), **figures, "why": _why(own, row, parts),
        })  # fmt: skip
    points = map_points((row, None) for row in (own, *(row for _, row in found)))
    if not rows:
        query.metadata.note("No other place of its kind is there: take a wider area.")
    return places_result(
        title, {"reference": _about(own, count), "places": rows, "total": total}, query.metadata,
        totals={"places": total}, drawn=fit_map(cut_label(title), points), read_on="limit up to 50 gives more",
    )  # fmt: skip


def _about(row: Mapping[str, Any], months: int) -> dict[str, Json]:
    """What a place is judged by, of the one asked about as of those that are like it."""
    panel = Panel(row["panel_visitors"], row["panel_visits"], row["certain"])
    return {
        "id": row["id"], "name": row["name"],
        "address": ", ".join(part for part in (row["address"], row["city"]) if part), "chain_id": row["chain_id"],
        "visits": figure(row["visits"], panel, months), "area_m2": row["area_m2"],
        "income_of_visitors_areas": None if row["income"] is None else round(row["income"]),
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
