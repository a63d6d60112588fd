"""`get_profile_and_overlap`: who visits places, by where they live, and which other places they visit."""

from collections.abc import Sequence
from datetime import date
from typing import Annotated, Any

import msgspec
from pydantic import Field

from glassloop.core.charts import Chart, Series, cut_label
from glassloop.core.records import Json, ToolResult
from glassloop.extensions.places.query.binds import Binds
from glassloop.extensions.places.query.figures import HIDDEN, Panel, figure, percent
from glassloop.extensions.places.query.periods import months_between
from glassloop.extensions.places.query.profiles import FIGURES, figures_sql, profile_sql
from glassloop.extensions.places.tools.parameters import (
    LONG_PERIOD,
    ChainIds,
    EndDate,
    PeriodText,
    StartDate,
    Texts,
    limit_of,
)
from glassloop.extensions.places.tools.place_tool import place_tool
from glassloop.extensions.places.tools.reader import PlacesQuery, PlacesReader
from glassloop.extensions.places.tools.result import places_result
from glassloop.tools.tool import Tool, ToolContext

UNIT = (
    "index: the visitors' areas against the region, 100 is the same; shared visitors a month, added up over months; "
    "lift 1 is what chance would give"
)


class _Audience(msgspec.Struct, frozen=True, kw_only=True):
    """The places asked about that are not too small, their visitors over the months, and the people of their metros."""

    ids: list[str]
    names: list[str]
    visitors: float
    panel: float | None
    months: tuple[date, date]
    population: float | None

    @property
    def count(self) -> int:
        return len(months_between(*self.months))


def make(reader: PlacesReader) -> Sequence[Tool]:
    @place_tool
    async def get_profile_and_overlap(
        context: ToolContext,
        place_ids: Annotated[Texts, Field(description="Ids of places, from search_places.")],
        period: PeriodText = LONG_PERIOD,
        start_date: StartDate = None,
        end_date: EndDate = None,
        with_ids: Annotated[Texts | None, Field(description="Other places to test for shared visitors.")] = None,
        with_chain_ids: ChainIds = None,
        limit: Annotated[int, limit_of(50)] = 10,
    ) -> ToolResult:
        """Who visits places: demographics (income, age, household, education) of the areas where visitors live beside
        the region's, as an index; and the shared audience: which other places and chains they visit, with share each
        way and lift over chance. Use it for "who are the visitors", "demographics", "where else do they go", "cross
        shopping", "overlap with". Give place_ids, and with_ids or with_chain_ids for certain others.
        """
        query = await reader.open(context.user)
        query.metadata.unit = UNIT
        months = query.months(query.period(period, start_date, end_date))
        places = await query.places(place_ids)
        months = query.open_months(places, months)
        audience = await _audience(query, [str(place["id"]) for place in places], months)
        query.metadata.geo_type = "places"
        query.metadata.filters["place_ids"] = list[Json](audience.ids)
        figures: dict[str, Json] = {"visitors": _visitors(audience)}
        if not audience.ids:
            query.metadata.note("Fewer than 5 visitors of the panel were there: nothing can be told of them.")
            return places_result("Visitors", figures, query.metadata)
        profile = await _profile(query, audience)
        figures["profile"] = profile
        figures |= await _overlap(query, audience, with_ids, with_chain_ids, limit)
        title = f"Visitors of {', '.join(audience.names[:3])}"
        asked = with_ids or with_chain_ids
        return places_result(
            title, figures, query.metadata, chart=_chart(title, profile),
            # Whoever asks for certain others wants no profile.
            hidden_columns=("profile",) if asked else (),
        )  # fmt: skip

    return (get_profile_and_overlap,)


async def _audience(query: PlacesQuery, ids: Sequence[str], months: tuple[date, date]) -> _Audience:
    binds = Binds()
    rows = await query.rows(
        f"""
SELECT p.id, p.name, p.metro, CAST(sum(m.visitors) AS DOUBLE) AS visitors,
    CAST(sum(m.panel_visitors) AS DOUBLE) AS panel
FROM poi_places p JOIN poi_visits_monthly m ON m.place_id = p.id
WHERE p.id IN (SELECT unnest({binds(list(ids))})) AND m.month BETWEEN {binds(months[0])} AND {binds(months[1])}
GROUP BY ALL HAVING count(m.visits) > 0 ORDER BY p.id
""",
        binds,
    )
    if len(rows) < len(ids):
        query.metadata.note(f"{len(ids) - len(rows)} places have fewer than 5 visitors in the panel and are left out.")
    query.needs_metro(rows, "the region to compare with")
    binds = Binds()
    metros = binds([row["metro"] for row in rows if row["metro"]])
    (people,) = await query.rows(
        f"SELECT CAST(sum(population) AS DOUBLE) AS number FROM poi_areas WHERE metro IN (SELECT unnest({metros}))",
        binds,
    )
    panels = [row["panel"] for row in rows]
    return _Audience(
        ids=[str(row["id"]) for row in rows],
        names=list(dict.fromkeys(str(row["name"]) for row in rows)),
        visitors=sum(row["visitors"] or 0.0 for row in rows),
        panel=None if any(panel is None for panel in panels) else sum(panels),
        months=months,
        population=people["number"],
    )


def _visitors(audience: _Audience) -> dict[str, Json] | None:
    panel = Panel(audience.panel, None, audience.panel)
    return figure(audience.visitors, panel, audience.count, of_visits=False)


async def _profile(query: PlacesQuery, audience: _Audience) -> list[Json]:
    """Means over areas: of the visitors by how many live there, of the region by its residents."""
    if not query.needs("poi_homes", "where visitors live") or not query.needs("poi_areas", "who lives where"):
        return []
    binds = Binds()
    ids = binds(audience.ids)
    rows = await query.table(
        f"""
SELECT 'own', figure, mean FROM ({profile_sql(f"SELECT unnest({ids})", audience.months, binds)})
UNION ALL
SELECT 'region', figure, sum(value * population) / nullif(sum(population), 0)
FROM (SELECT a.population, {figures_sql()} FROM poi_areas a
    WHERE a.metro IN (SELECT metro FROM poi_places WHERE id IN (SELECT unnest({ids}))))
WHERE value IS NOT NULL GROUP BY figure
""",
        binds,
    )
    means: dict[tuple[str, int], float | None] = {(kind, figure): mean for kind, figure, mean in rows}
    told: list[Json] = []
    for number, name in enumerate(FIGURES):
        mine, theirs = means.get(("own", number)), means.get(("region", number))
        if mine is None:
            continue
        share = name != "income_median"
        told.append({
            "figure": _label(name),
            "visitors": round(100 * mine, 1) if share else round(mine),
            "region": None if theirs is None else round(100 * theirs, 1) if share else round(theirs),
            "index": round(100 * mine / theirs) if theirs else None,
            "unit": "%" if share else "dollars a year",
        })  # fmt: skip
    query.metadata.note(
        "Demographics are of the areas where visitors live, not of the persons, and of those areas that 5 or more of "
        "the panel share in a month; the region is the metro."
    )
    if not told:
        query.metadata.lacks("demographics of the areas where visitors live")
    return told


async def _overlap(
    query: PlacesQuery,
    audience: _Audience,
    with_ids: Sequence[str] | None,
    with_chain_ids: Sequence[str] | None,
    limit: int,
) -> dict[str, Json]:
    if not query.needs("poi_overlap", "which visitors places share"):
        return {}
    others = await query.place_ids(with_ids) if with_ids else []
    chains = [chain.id for chain in query.vocabulary.chains.find_all(with_chain_ids)] if with_chain_ids else []
    if audience.population is None:
        query.metadata.lacks("the lift (no population of the metro)")
    told: dict[str, Json] = {}
    query.metadata.note(
        "Pairs with fewer than 5 shared visitors of the panel in a month, or fewer than 5 others, are not told."
    )
    pairs = await _pairs(query, audience)
    if others or not chains:
        told["shared_places"] = _shared(query, audience, pairs, others, limit, by_chain=False)
    if chains or not others:
        told["shared_chains"] = _shared(query, audience, pairs, chains, limit, by_chain=True)
        query.metadata.note("Of chains, shared visitors are added up over their places: who visits two counts twice.")
    return told


async def _pairs(query: PlacesQuery, audience: _Audience) -> list[dict[str, Any]]:
    """Every other place, or chain where the data has no places, with shared visitors and those of its own."""
    binds = Binds()
    ids, first, last = binds(audience.ids), binds(audience.months[0]), binds(audience.months[1])
    return await query.rows(
        f"""
WITH pairs AS MATERIALIZED (
    SELECT other_id, CAST(sum(shared_visitors) AS DOUBLE) AS shared, CAST(sum(panel_visitors) AS DOUBLE) AS panel
    FROM poi_overlap
    WHERE place_id IN (SELECT unnest({ids})) AND other_id NOT IN (SELECT unnest({ids}))
        AND month BETWEEN {first} AND {last} GROUP BY other_id
), visited AS (
    SELECT place_id, CAST(sum(visitors) AS DOUBLE) AS visitors FROM poi_visits_monthly
    WHERE month BETWEEN {first} AND {last} AND place_id IN (SELECT other_id FROM pairs) GROUP BY place_id
)
SELECT o.other_id AS id, o.shared, o.panel, v.visitors, p.name, p.address, coalesce(p.chain_id, c.id) AS chain_id,
    p.id IS NOT NULL AS is_place
FROM pairs o LEFT JOIN poi_places p ON p.id = o.other_id LEFT JOIN visited v ON v.place_id = o.other_id
    LEFT JOIN poi_chains c ON c.id = o.other_id
ORDER BY o.shared DESC, o.other_id
""",
        binds,
    )


def _shared(
    query: PlacesQuery,
    audience: _Audience,
    pairs: Sequence[dict[str, Any]],
    wanted: Sequence[str],
    limit: int,
    *,
    by_chain: bool,
) -> list[Json]:
    """The others with the most shared visitors, or those that were asked for; one of these that is too small is told as
    suppressed. A pair that is too small is in no sum."""
    names = query.vocabulary.chains.name_of
    rows: dict[str, dict[str, Any]] = {}
    for pair in pairs:
        key = pair["chain_id"] if by_chain else pair["id"] if pair["is_place"] else None
        if key is None or (wanted and key not in wanted):
            continue
        name = names(key) if by_chain else pair["name"]
        row = rows.setdefault(
            key,
            {
                "id": key,
                "name": name,
                "address": pair["address"],
                "places": 0,
                "shared": 0.0,
                "visitors": 0.0,
                "panel": 0.0,
            },
        )
        row["places"] += 1
        row["shared"] += pair["shared"]
        row["panel"] = None if row["panel"] is None or pair["panel"] is None else row["panel"] + pair["panel"]
        row["visitors"] += pair["visitors"] or 0.0
    order = sorted(rows.values(), key=lambda row: (-row["shared"], row["id"]))[: max(limit, len(wanted))]
    told = [_pair(row, audience, by_chain=by_chain) for row in order]
    told += [
        {"id": one, "name": names(one) if by_chain else one, "shared_visitors": dict(HIDDEN)}
        for one in wanted
        if one not in rows
    ]
    return list[Json](told)


def _pair(row: dict[str, Any], audience: _Audience, *, by_chain: bool) -> dict[str, Json]:
    told: dict[str, Json] = {"id": row["id"], "name": row["name"]}
    if by_chain:
        told["places"] = row["places"]
    else:
        told["address"] = row["address"]
    shared, others = row["shared"], row["visitors"]
    panel = row["panel"]
    lift = None
    if audience.population and audience.visitors and others:
        # Means of a month: sums over several would count chance several times.
        lift = round(shared * audience.population * audience.count / (audience.visitors * others), 2)
    return told | {
        "shared_visitors": figure(shared, Panel(panel, None, panel), audience.count, of_visits=False),
        "share_of_own_percent": percent(shared, audience.visitors),
        "share_of_theirs_percent": percent(shared, others),
        "lift": lift,
    }


def _label(name: str) -> str:
    """`age_18_24` as `age 18-24`."""
    kind, _, rest = name.partition("_")
    if name == "income_median":
        return "household income (mean of area medians)"
    rest = rest.replace("_plus", "+")
    return f"{kind} {rest.replace('_', '-') if rest[:1].isdigit() else rest.replace('_', ' ')}"


def _chart(title: str, profile: Sequence[Any]) -> Chart | None:
    bars = [(str(row["figure"]), float(row["index"])) for row in profile if row["index"] is not None][:30]
    if len(bars) < 2:
        return None
    series = Series(label="index, region = 100", values=tuple(value for _, value in bars))
    return Chart(
        kind="bar",
        title=cut_label(f"{title}: index to the region"),
        x=tuple(name for name, _ in bars),
        series=(series,),
    )
