"""Ranks of places by visits: in their category and among all of their metro, and in their chain."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from glassloop.core.records import Json
from glassloop.extensions.places.data_set.month_columns import RANKED_TABLES, TABLE, column, total
from glassloop.extensions.places.query.binds import Binds
from glassloop.extensions.places.query.figures import percent
from glassloop.extensions.places.query.periods import VisitPeriod, day_ranges
from glassloop.extensions.places.query.suppression import MIN_PANEL
from glassloop.extensions.places.query.visits import visits_sql
from glassloop.extensions.places.tools.reader import PlacesQuery

_KEYS: Final = {"category": ("metro", "category_id"), "chain": ("chain_id", None), "region": ("metro", None)}
"""The columns of a place that say which others it is ranked among."""
_NONE: Final = "''"


def place_ranks_sql(query: PlacesQuery, period: VisitPeriod, binds: Binds) -> str:
    """`place_id`, and by kind of all places that are not too small: how many have more visits (`category_above`), fewer
    (`category_below`), how many there are (`category_count`) and their visits (`category_visits`)."""
    columns: list[str] = []
    for kind, (first, second) in _KEYS.items():
        keys = f"{first}, {second}" if second else first
        columns += [
            f"rank() OVER (PARTITION BY {keys} ORDER BY visits DESC) - 1 AS {kind}_above",
            f"rank() OVER (PARTITION BY {keys} ORDER BY visits) - 1 AS {kind}_below",
            f"count(*) OVER (PARTITION BY {keys}) AS {kind}_count",
            f"sum(visits) OVER (PARTITION BY {keys}) AS {kind}_visits",
        ]
    return f"WITH {_seen(query, period, binds)} SELECT place_id, {', '.join(columns)} FROM seen"


RANK_COLUMNS: Final = tuple(f"{kind}_{name}" for kind in _KEYS for name in ("above", "below", "count", "visits"))
"""Of `place_ranks_sql`."""


async def ranks(
    query: PlacesQuery, places: Sequence[Mapping[str, Any]], period: VisitPeriod
) -> dict[str, dict[str, Json]]:
    """Rank, number and percentile of each place by visits, and its share of the category. Small places count not. The
    places have `RANK_COLUMNS` already, where these are kept for all places."""
    if not places:
        return {}
    query.needs_metro(places, "rank and share in the category and rank in the region")
    if not query.database.keeps:
        return await _ranks_among(query, places, period)
    told: dict[str, dict[str, Json]] = {}
    for place in places:
        counts = {
            kind: tuple(place[f"{kind}_{name}"] for name in ("above", "below", "count", "visits"))
            for kind in _kinds_of(place)
        }
        told[str(place["id"])] = _told(counts, place["value"])
    return told


async def _ranks_among(
    query: PlacesQuery, places: Sequence[Mapping[str, Any]], period: VisitPeriod
) -> dict[str, dict[str, Json]]:
    """By the places that these are ranked among alone."""
    mine = [
        (kind, place[first], place[second] if second else "", place["id"], place["value"])
        for place in places
        for kind, (first, second) in _kinds_of(place).items()
    ]
    if not mine:
        return {}
    binds = Binds()
    counts = _counts_sql(query, period, places, binds)
    kinds, firsts, seconds, ids, values = (binds(list(column)) for column in zip(*mine, strict=True))
    rows = await query.table(
        f"""
WITH mine AS MATERIALIZED (
    SELECT unnest({kinds}::VARCHAR[]) AS kind, unnest({firsts}::VARCHAR[]) AS first,
        unnest({seconds}::VARCHAR[]) AS second, unnest({ids}::VARCHAR[]) AS id, unnest({values}::DOUBLE[]) AS own
)
SELECT m.id, m.kind, count(*) FILTER (c.visits > m.own), count(*) FILTER (c.visits < m.own), count(*), sum(c.visits)
FROM mine m JOIN ({counts}) c ON c.kind = m.kind AND c.first = m.first AND c.second = m.second
GROUP BY m.id, m.kind
""",
        binds,
    )
    found: dict[str, dict[str, tuple[Any, ...]]] = {}
    for place, kind, *counted in rows:
        found.setdefault(place, {})[kind] = tuple(counted)
    values_of = {str(place["id"]): place["value"] for place in places}
    return {place: _told(found[place], values_of[place]) for place in found}


def _kinds_of(place: Mapping[str, Any]) -> dict[str, tuple[str, str | None]]:
    """The kinds of ranks that a place has."""
    return {
        kind: (first, second)
        for kind, (first, second) in _KEYS.items()
        if place[first] is not None and (second is None or place[second] is not None)
    }


def _told(counts: Mapping[str, tuple[Any, ...]], own: float) -> dict[str, Json]:
    """`counts` are those above, below and all, and their visits."""
    rank: dict[str, Json] = {}
    share: float | None = None
    for kind in _KEYS:
        if kind not in counts:
            continue
        above, below, count, visits = counts[kind]
        percentile = round(100 * below / (count - 1)) if count > 1 else None
        rank[kind] = {"rank": above + 1, "of": count, "percentile": percentile}
        if kind == "category":
            share = percent(own, visits, 2)
    return {"rank": rank, "share_of_category_percent": share}


def _counts_sql(query: PlacesQuery, period: VisitPeriod, places: Sequence[Mapping[str, Any]], binds: Binds) -> str:
    """`kind, first, second, visits` of all places that these are ranked among."""
    in_metros, in_chains = (_one_of(name, places, binds) for name in ("metro", "chain_id"))
    months, ends = day_ranges(period, query.days)
    if query.columns is not None and months is not None and not ends:
        visits = total([column("visits", month) for month in query.columns.within(*months)])
        parts = dict(zip(("seen", "chained"), RANKED_TABLES.items(), strict=True))
        # A month of a place that is too small has no visits.
        listed = ", ".join(
            f"{name} AS MATERIALIZED (SELECT * FROM (SELECT {', '.join(keys)}, CAST({visits} AS DOUBLE) AS visits "
            f"FROM {table if table in query.columns.ranked else TABLE} t WHERE {within}) WHERE visits IS NOT NULL)"
            for (name, (table, keys)), within in zip(parts.items(), (in_metros, in_chains), strict=True)
        )
        tables = {"chain": "chained"}
    else:
        listed, tables = _seen(query, period, binds, f"({in_metros} OR {in_chains})"), {}
    parts = [
        f"SELECT '{kind}' AS kind, {first} AS first, {second or _NONE} AS second, visits "
        f"FROM {tables.get(kind, 'seen')} WHERE {first} IS NOT NULL AND {second or first} IS NOT NULL"
        for kind, (first, second) in _KEYS.items()
    ]
    return f"WITH {listed} {' UNION ALL '.join(parts)}"


def _one_of(name: str, places: Sequence[Mapping[str, Any]], binds: Binds) -> str:
    """A condition on the alias `t`: a column has the value of one of the places. A list of values skips groups of rows,
    which a list as one value does not."""
    values = sorted({place[name] for place in places if place[name] is not None})
    return f"t.{name} IN ({', '.join(map(binds, values))})" if values else "false"


def _seen(query: PlacesQuery, period: VisitPeriod, binds: Binds, within: str | None = None) -> str:
    """Places that are not too small, with their visits; `within` is a condition on the alias `t`."""
    listed, ranked, wanted = "", "poi_places", None
    if within is not None:
        listed = (
            "ranked_places AS MATERIALIZED (SELECT t.id, t.metro, t.chain_id, t.category_id FROM poi_places t "
            f"WHERE {within}), "
        )
        ranked, wanted = "ranked_places", "SELECT id FROM ranked_places"
    return (
        f"{listed}seen AS MATERIALIZED (SELECT v.place_id, p.metro, p.chain_id, p.category_id, v.visits "
        f"FROM {ranked} p JOIN ({visits_sql(period, query.days, binds, wanted, query.columns)}) v "
        f"ON v.place_id = p.id WHERE NOT coalesce(v.certain < {MIN_PANEL}, false))"
    )
