"""Ranks of places by visits: in their category and among all of their metro, and in their chain."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from glassloop.core.records import Json
from glassloop.extensions.places.query.binds import Binds
from glassloop.extensions.places.query.figures import percent
from glassloop.extensions.places.query.periods import VisitPeriod, day_ranges
from glassloop.extensions.places.query.suppression import MIN_PANEL
from glassloop.extensions.places.query.visits import month_columns_sql, visits_sql
from glassloop.extensions.places.tools.reader import PlacesQuery

_KEYS: Final = {"category": ("metro", "category_id"), "chain": ("chain_id", None), "region": ("metro", None)}
"""The columns of a place that say which others it is ranked among."""
_NONE: Final = "''"
_PEERS: Final = "peers"


async def ranks(
    query: PlacesQuery, places: Sequence[Mapping[str, Any]], period: VisitPeriod
) -> dict[str, dict[str, Json]]:
    """Rank, number and percentile of each place by visits, and its share of the category. Small places count not."""
    if not places:
        return {}
    query.needs_metro(places, "rank and share in the category and rank in the region")
    binds = Binds()
    counts = await query.kept(lambda own, wanted: _counts_sql(query, period, places, own, wanted), binds, _PEERS)
    mine = [
        (kind, place[first], place[second] if second else "", place["id"], place["value"])
        for place in places
        for kind, (first, second) in _KEYS.items()
        if place[first] is not None and (second is None or place[second] is not None)
    ]
    if not mine:
        return {}
    kinds, firsts, seconds, ids, values = (binds(list(column)) for column in zip(*mine, strict=True))
    rows = await query.table(
        f"""
WITH mine AS MATERIALIZED (
    SELECT unnest({kinds}::VARCHAR[]) AS kind, unnest({firsts}::VARCHAR[]) AS first,
        unnest({seconds}::VARCHAR[]) AS second, unnest({ids}::VARCHAR[]) AS id, unnest({values}::DOUBLE[]) AS own
)
SELECT m.id, m.kind, sum(c.places), coalesce(sum(c.places) FILTER (c.visits > m.own), 0),
    coalesce(sum(c.places) FILTER (c.visits < m.own), 0), sum(c.visits * c.places), any_value(m.own)
FROM mine m JOIN ({counts}) c ON c.kind = m.kind AND c.first = m.first AND c.second = m.second
GROUP BY m.id, m.kind
""",
        binds,
    )
    told: dict[str, dict[str, Any]] = {}
    for place, kind, count, above, below, visits, own in rows:
        found = told.setdefault(place, {"rank": {}, "share_of_category_percent": None})
        others = count - 1
        percentile = round(100 * below / others) if others else None
        found["rank"][kind] = {"rank": above + 1, "of": count, "percentile": percentile}
        if kind == "category":
            found["share_of_category_percent"] = percent(own, visits, 2)
    for found in told.values():
        found["rank"] = {kind: found["rank"][kind] for kind in _KEYS if kind in found["rank"]}
    return told


def _counts_sql(
    query: PlacesQuery, period: VisitPeriod, places: Sequence[Mapping[str, Any]], binds: Binds, wanted: str | None
) -> str:
    """`kind, first, second, visits, places`: how many places of a kind have so many visits. `wanted`: only of those
    that the places are ranked among."""
    within, counted, grouped = "true", "count(*)", " GROUP BY ALL"
    if wanted is not None:
        metros, chains = (
            binds(sorted({place[name] for place in places if place[name] is not None}))
            for name in ("metro", "chain_id")
        )
        within = f"(list_contains({metros}::VARCHAR[], t.metro) OR list_contains({chains}::VARCHAR[], t.chain_id))"
        # Used once: to group them takes longer than to count them all.
        counted, grouped = "1", ""
    parts = [
        f"SELECT '{kind}' AS kind, {first} AS first, {second or _NONE} AS second, visits, {counted} AS places "
        f"FROM seen WHERE {first} IS NOT NULL AND {second or first} IS NOT NULL{grouped}"
        for kind, (first, second) in _KEYS.items()
    ]
    return f"WITH {_seen(query, period, binds, within)} {' UNION ALL '.join(parts)}"


def _seen(query: PlacesQuery, period: VisitPeriod, binds: Binds, within: str) -> str:
    """Places that are not too small, with their visits; `within` is a condition on the alias `t`."""
    months, ends = day_ranges(period, query.days)
    if query.columns is not None and months is not None and not ends:
        found = month_columns_sql(
            query.columns.within(*months), f" AND {within}", "t.metro, t.chain_id, t.category_id, "
        )
        return (
            "seen AS MATERIALIZED (SELECT metro, chain_id, category_id, CAST(visits AS DOUBLE) AS visits "
            f"FROM ({found}) WHERE visits IS NOT NULL AND NOT coalesce(most < {MIN_PANEL}, false))"
        )
    if within == "true":
        return (
            "seen AS MATERIALIZED (SELECT p.metro, p.chain_id, p.category_id, v.visits FROM poi_places p "
            f"JOIN ({visits_sql(period, query.days, binds, None)}) v ON v.place_id = p.id "
            f"WHERE NOT coalesce(v.certain < {MIN_PANEL}, false))"
        )
    return (
        "ranked_places AS MATERIALIZED (SELECT t.id, t.metro, t.chain_id, t.category_id FROM poi_places t "
        f"WHERE {within}), seen AS MATERIALIZED (SELECT p.metro, p.chain_id, p.category_id, v.visits "
        "FROM ranked_places p JOIN "
        f"({visits_sql(period, query.days, binds, 'SELECT id FROM ranked_places', query.columns)}) v "
        f"ON v.place_id = p.id WHERE NOT coalesce(v.certain < {MIN_PANEL}, false))"
    )
