"""`get_new_store_effect`: what a new place took from its sisters, beside what the region did meanwhile."""

import math
from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from typing import Annotated, Any, Final

import msgspec
from pydantic import Field

from glassloop.core.charts import cut_label, fit_map
from glassloop.core.errors import BadArguments
from glassloop.core.records import Json, ToolResult
from glassloop.extensions.places.query.binds import Binds
from glassloop.extensions.places.query.distance import distance_sql
from glassloop.extensions.places.query.figures import HIDDEN, Panel, figure, percent, value_of
from glassloop.extensions.places.query.periods import VisitPeriod, months_between
from glassloop.extensions.places.query.suppression import MIN_PANEL
from glassloop.extensions.places.tools.parameters import PlaceId
from glassloop.extensions.places.tools.place_tool import place_tool
from glassloop.extensions.places.tools.reader import PlacesQuery, PlacesReader
from glassloop.extensions.places.tools.result import MAX_KEPT, map_points, places_result
from glassloop.tools.tool import Tool, ToolContext

UNIT: Final = "visits in the weeks before and since the opening; distances are straight lines in meters"
NEAR_M: Final = 10_000
"""Within which the places of a category are sisters of one that is of no chain."""
MIN_WEEKS: Final = 2
_BANDS: Final = (("within 2 km", 0, 2_000), ("2 to 5 km", 2_000, 5_000), ("beyond 5 km", 5_000, math.inf))


class _Effect(msgspec.Struct, frozen=True, kw_only=True):
    """The new place and the two windows of as many days before and after its opening."""

    place: dict[str, Any]
    before: VisitPeriod
    after: VisitPeriod
    weeks: int


def make(reader: PlacesReader) -> Sequence[Tool]:
    @place_tool
    async def get_new_store_effect(
        context: ToolContext,
        place_id: PlaceId,
        weeks: Annotated[int, Field(ge=MIN_WEEKS, le=52, description="Weeks before and after the opening.")] = 12,
    ) -> ToolResult:
        """What a new store took from its sisters (cannibalization): visits of the other stores of its chain in the
        metro before and after it opened, beside what the rest of the category did meanwhile, and the difference as an
        estimate. Use it for "did the new store take visitors from", "effect of the opening". Give the place_id of a
        store that opened within the data: search_places with opened_within finds them.
        """
        query = await reader.open(context.user)
        place = await query.place(place_id)
        effect = _windows(query, place, weeks)
        query.metadata.period, query.metadata.compared = effect.after, {"previous": effect.before}
        query.metadata.filters |= {"place_id": place["id"], "weeks": effect.weeks}
        query.metadata.geo_type = "places"
        query.metadata.unit = UNIT
        return await _measured(query, effect)

    return (get_new_store_effect,)


def _windows(query: PlacesQuery, place: dict[str, Any], weeks: int) -> _Effect:
    opened = place["opened_on"]
    days = query.days
    if opened is None or opened <= days.first:
        raise BadArguments(
            f"{place['name']} ({place['id']}) did not open within the data ({days.first} to {days.last}): give the "
            "id of a place that did."
        )
    last = min(days.last, place["closed_on"] or days.last)
    held = min(weeks, ((last - opened).days + 1) // 7, (opened - days.first).days // 7)
    if held < MIN_WEEKS:
        raise BadArguments(
            f"{place['name']} opened on {opened}: the data ({days.first} to {days.last}) has fewer than {MIN_WEEKS} "
            "weeks before or after that."
        )
    if held < weeks:
        query.metadata.note(f"The data has {held} of the {weeks} weeks before and after the opening.")
    span = timedelta(days=7 * held)
    return _Effect(
        place=place,
        before=_window(opened - span, opened - timedelta(days=1)),
        after=_window(opened, opened + span - timedelta(days=1)),
        weeks=held,
    )


def _window(start: date, end: date) -> VisitPeriod:
    return VisitPeriod(name="dates", start=start, end=end, asked_end=end, unit="day")


async def _measured(query: PlacesQuery, effect: _Effect) -> ToolResult:
    place, metadata = effect.place, query.metadata
    if not query.needs("poi_visits_daily", "visits by day"):
        return places_result(f"Effect of {place['name']}", {"sisters": []}, metadata)
    query.needs_metro([place], "its sisters and the region")
    rows = await query.rows(*_sql(effect))
    kind = (
        "stores of its chain in the metro"
        if place["chain_id"]
        else f"places of its category within {NEAR_M // 1000} km"
    )
    control = next((row for row in rows if row["role"] == "control"), None)
    grown = control["after"] / control["before"] if control and control["before"] and control["places"] >= 3 else None
    if grown is None:
        metadata.lacks("places of the category to compare with: changes are not corrected for what the region did")
    sisters = [_sister(row, grown or 1.0, effect) for row in rows if row["role"] == "sister"]
    shown = [each for each in sisters if each["effect"].get("value") is not None]
    own = next((row for row in rows if row["role"] == "new"), None)
    visits = None if own is None else figure(own["after"], _panel(own, "after"), _months(effect.after))
    if visits is None and metadata.about.panel_size is not None:
        visits = dict(HIDDEN)
    figures: dict[str, Json] = {
        "new_place": {
            "id": place["id"], "name": place["name"], "opened_on": str(place["opened_on"]), "visits_since": visits,
        },
        "region": None if control is None else {
            "places": control["places"], "before": round(control["before"] or 0), "after": round(control["after"] or 0),
            "change_percent": None if grown is None else round(100 * (grown - 1), 1),
        },
        "total": _total(shown, visits),
        "totals_by_distance": [
            {"distance": name, **total}
            for name, least, most in _BANDS
            if (total := _total([each for each in shown if least <= (each["distance_m"] or 0) < most], visits))
        ],
        "sisters": sisters,
    }  # fmt: skip
    metadata.note(f"Sisters are {kind}, open all the time; the region is the rest of the category in the metro.")
    metadata.note(
        "effect = visits since the opening minus what the region's change would have given: an estimate, which other "
        "causes may be part of. A range that holds 0 does not prove an effect: `certain` is yes where it does not."
    )
    if shown and visits and value_of(visits):
        metadata.note(
            "The lost share of the new place's visits is given only where the effect is certain and explains no more "
            "than all of them; far sisters add chance to a total, so look at the near ones first."
        )
    if len(shown) < len(sisters):
        metadata.note("Sisters with fewer than 5 visitors in the panel in either window are not in the total.")
    if not sisters:
        metadata.note("There is no sister to have lost visits.")
    points = map_points([(place, None), *((each, each["effect"].get("value")) for each in sisters)])
    drawn = fit_map(cut_label(f"Effect of {place['name']}"), points, unit="visits")
    title = f"Effect of {place['name']}, opened {place['opened_on']}, {effect.weeks} weeks"
    return places_result(
        title, figures, metadata, hidden_columns=("lat", "lon"), drawn=drawn,
        read_on="these are the nearest",
    )  # fmt: skip


def _sql(effect: _Effect) -> tuple[str, Binds]:
    """The new place, each sister, and one row for the rest of the category; places that were open all the time."""
    place, binds = effect.place, Binds()
    own, first, last = binds(place["id"]), binds(effect.before.start), binds(effect.after.end)
    lat, lon, metro, chain = (binds(place[name]) for name in ("lat", "lon", "metro", "chain_id"))
    far = distance_sql("p.lat", "p.lon", f"{lat}::DOUBLE", f"{lon}::DOUBLE")
    same = f"p.category_id = {binds(place['category_id'])} AND p.metro = {metro}"
    sister = f"p.chain_id = {chain} AND p.metro = {metro}" if place["chain_id"] else f"{same} AND {far} <= {NEAR_M}"
    sql = f"""
WITH chosen AS MATERIALIZED (
    SELECT p.id, p.name, p.address, p.lat, p.lon, {far} AS distance_m,
        CASE WHEN p.id = {own} THEN 'new' WHEN {sister} THEN 'sister' ELSE 'control' END AS role
    FROM poi_places p
    WHERE p.id = {own} OR (({sister} OR {same}) AND (p.opened_on IS NULL OR p.opened_on <= {first})
        AND (p.closed_on IS NULL OR p.closed_on >= {last}))
), days AS (
    SELECT d.place_id, d.day >= {binds(effect.after.start)} AS since, date_trunc('month', d.day) AS month,
        sum(d.visits) AS visits
    FROM poi_visits_daily d
    WHERE d.place_id IN (SELECT id FROM chosen) AND d.day BETWEEN {first} AND {last} GROUP BY ALL
), sums AS (
    SELECT d.place_id, d.since, CAST(sum(d.visits) AS DOUBLE) AS visits,
        sum(d.visits * m.panel_visits / m.visits) AS panel_visits,
        sum(d.visits * m.panel_visitors / m.visits) AS panel_visitors,
        max(d.visits * m.panel_visitors / m.visits) AS certain
    FROM days d LEFT JOIN poi_visits_monthly m ON m.place_id = d.place_id AND m.month = d.month GROUP BY ALL
), seen AS MATERIALIZED (
    SELECT c.*, a.visits AS a_visits, a.panel_visits AS a_panel_visits, a.panel_visitors AS a_panel_visitors,
        a.certain AS a_certain, b.visits AS b_visits, b.panel_visits AS b_panel_visits,
        b.panel_visitors AS b_panel_visitors, b.certain AS b_certain
    FROM chosen c LEFT JOIN sums a ON a.place_id = c.id AND a.since
        LEFT JOIN sums b ON b.place_id = c.id AND NOT b.since
)
SELECT role, id, name, address, lat, lon, distance_m, 1 AS places, a_visits AS after, b_visits AS before,
    a_panel_visits AS after_visits, a_panel_visitors AS after_visitors, a_certain AS after_certain,
    b_panel_visits AS before_visits, b_panel_visitors AS before_visitors, b_certain AS before_certain
FROM seen WHERE role <> 'control'
UNION ALL
SELECT 'control', NULL, NULL, NULL, NULL, NULL, NULL, count(*), sum(a_visits), sum(b_visits),
    NULL, NULL, NULL, NULL, NULL, NULL
FROM seen WHERE role = 'control' AND a_visits IS NOT NULL AND b_visits IS NOT NULL
    AND NOT coalesce(least(a_certain, b_certain) < {MIN_PANEL}, false)
ORDER BY role, distance_m, id LIMIT {MAX_KEPT}
"""
    return sql, binds


def _months(window: VisitPeriod) -> int:
    return len(months_between(window.start, window.end))


def _panel(row: Mapping[str, Any], window: str) -> Panel:
    return Panel(row[f"{window}_visitors"], row[f"{window}_visits"], row[f"{window}_certain"])


def _sister(row: Mapping[str, Any], grown: float, effect: _Effect) -> dict[str, Any]:
    told: dict[str, Any] = {
        "id": row["id"], "name": row["name"], "address": row["address"], "lat": row["lat"], "lon": row["lon"],
        "distance_m": None if row["distance_m"] is None else round(row["distance_m"]),
    }  # fmt: skip
    after, before = _panel(row, "after"), _panel(row, "before")
    if row["after"] is None or row["before"] is None or after.small or before.small:
        return told | {"before": dict(HIDDEN), "after": dict(HIDDEN), "expected": None, "effect": dict(HIDDEN),
                       "effect_percent": None}  # fmt: skip
    was = figure(row["before"], before, _months(effect.before)) or {}
    now = figure(row["after"], after, _months(effect.after)) or {}
    expected = row["before"] * grown
    change = row["after"] - expected
    found = _ranged(change, was, now, grown)
    return told | {
        "before": was, "after": now, "expected": round(expected), "effect": found,
        "effect_percent": percent(change, expected), "certain": _certain(found),
    }  # fmt: skip


def _certain(effect: Mapping[str, Any]) -> bool | None:
    """Whether its range does not hold 0; None where it has none."""
    return None if effect.get("low") is None else effect["low"] > 0 or effect["high"] < 0


def _ranged(change: float, was: Mapping[str, Any], now: Mapping[str, Any], grown: float) -> dict[str, Json]:
    """A difference of two estimates with its range of 90 %; none where they have none."""
    if was.get("low") is None or now.get("low") is None:
        return {"value": round(change)}
    deviation = math.hypot(now["high"] - now["low"], grown * (was["high"] - was["low"])) / 2
    return {"value": round(change), "low": round(change - deviation), "high": round(change + deviation)}


def _total(shown: Sequence[Mapping[str, Any]], visits: Mapping[str, Any] | None) -> dict[str, Json] | None:
    if not shown:
        return None
    change = sum(each["effect"]["value"] for each in shown)
    ranges = [each["effect"]["high"] - each["effect"]["low"] for each in shown if "low" in each["effect"]]
    half = math.hypot(*ranges) / 2 if len(ranges) == len(shown) else None
    total: dict[str, Json] = {"value": change}
    if half is not None:
        total |= {"low": round(change - half), "high": round(change + half)}
    new = value_of(dict(visits)) if visits else None
    told = change < 0 and bool(new) and -change <= (new or 0) and _certain(total) is not False
    return {
        "sisters": len(shown),
        "effect": total,
        "effect_percent": percent(change, sum(each["expected"] for each in shown)),
        "certain": _certain(total),
        "lost_share_of_new_visits_percent": percent(-change, new) if told else None,
    }
