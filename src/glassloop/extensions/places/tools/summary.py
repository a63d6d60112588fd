"""`get_place_summary`: visits, dwell, busiest times, trend, changes and ranks of places, and what is unusual."""

from collections.abc import Sequence
from datetime import date, timedelta
from typing import Annotated, Any, Final

from pydantic import Field

from glassloop.core.charts import Chart, Series, cut_label
from glassloop.core.records import Json, ToolResult
from glassloop.extensions.places.query.binds import Binds
from glassloop.extensions.places.query.figures import HIDDEN, Panel, change_percent, differ, figure, value_of
from glassloop.extensions.places.query.names import list_names
from glassloop.extensions.places.query.periods import VisitPeriod, months_between
from glassloop.extensions.places.tools.parameters import (
    CategoryIds,
    ChainIds,
    CompareWith,
    EndDate,
    Geo,
    PeriodText,
    PlaceIds,
    StartDate,
)
from glassloop.extensions.places.tools.place_tool import place_tool
from glassloop.extensions.places.tools.ranks import ranks
from glassloop.extensions.places.tools.reader import Chosen, PlacesQuery, PlacesReader
from glassloop.extensions.places.tools.result import MAX_KEPT, places_result
from glassloop.extensions.places.tools.summary_parts import (
    History,
    MonthPanel,
    busiest_days,
    busiest_hours,
    dwell_buckets,
    explain_trend,
    monthly_history,
    unusual,
)
from glassloop.extensions.places.tools.summary_rows import visits_by_place
from glassloop.tools.tool import Tool, ToolContext

UNIT = "visits and visitors; visitors are different persons a month, added up over months; dwell in minutes"
_CLOSED_DAYS: Final = 365


def make(reader: PlacesReader) -> Sequence[Tool]:
    @place_tool
    async def get_place_summary(
        context: ToolContext,
        place_ids: PlaceIds = None,
        chain_id: ChainIds = None,
        category_ids: CategoryIds = None,
        geo_filter: Geo | None = None,
        period: PeriodText = "last_month",
        start_date: StartDate = None,
        end_date: EndDate = None,
        compare: CompareWith = None,
        limit: Annotated[
            int,
            Field(ge=0, le=MAX_KEPT, description=f"How many places to list, {MAX_KEPT} at most; 0: the total alone."),
        ] = MAX_KEPT,
    ) -> ToolResult:
        """How places perform: visits, visitors, dwell time, frequency, visits per m², busiest day and hours, trend,
        change against earlier periods, rank and share in the category, and what is unusual; per place and in total.
        Use it for "how is … doing", "performance", "health", "traffic", "is it growing". Give place_ids (50 at most) or
        a chain_id or category_ids with a geo_filter; compare=both for changes.
        """
        query = await reader.open(context.user)
        binds = Binds()
        found = query.period(period, start_date, end_date, compare)
        chosen = await query.chosen(
            binds,
            place_ids=place_ids,
            chain_ids=chain_id,
            category_ids=category_ids,
            geo_filter=geo_filter,
            period=found,
        )
        return await _summary(query, chosen, found, binds, limit)

    return (get_place_summary,)


async def _summary(query: PlacesQuery, chosen: Chosen, period: VisitPeriod, binds: Binds, limit: int) -> ToolResult:
    metadata = query.metadata
    metadata.unit = UNIT
    months = query.months(period)
    compared = {kind: before for kind, before in metadata.compared.items() if before is not None}
    found = await visits_by_place(query, chosen, period, months, compared, binds, limit)
    ids = [str(row["id"]) for row in found.rows]
    rows = [_place(row, period, months, compared) for row in found.rows]
    told = [row for row in found.rows if row["value"] is not None]
    shown = [str(row["id"]) for row in told]
    ratio = {str(row["id"]): _ratio(row) for row in found.rows}
    whole = {
        str(row["id"]): MonthPanel(row["month_visits"], Panel(row["month_panel"], None, row["month_certain"]))
        for row in found.rows
        if row["value"] is not None and row["month_visits"] is not None
    }
    days = await busiest_days(query, shown, period, ratio)
    hours = await busiest_hours(query, list(whole), months)
    dwell = await dwell_buckets(query, whole, months)
    history = monthly_history(query, told, period)
    ranked = await ranks(query, told, period)
    for row in rows:
        place = str(row["id"])
        row["dwell"] |= {"buckets": dwell.get(place)}
        row |= {"busiest_day": days.get(place), "busiest_hours": hours.top(place)}
        past = history.get(place)
        row["trend_percent_per_month"] = past.trend_percent if past else None
        row |= ranked.get(place, {"rank": {}, "share_of_category_percent": None})
        row["unusual"] = unusual(row, past, period)
    total = int(found.totals["total"])
    figures: dict[str, Json] = {"places": rows, "total": _total(found.totals, period, months, compared)}
    _explain(query, found.totals, rows, list(history.values()))
    await _note_closed(query, chosen, period, binds)
    title = chosen.label or ", ".join(str(row["name"]) for row in rows[:3]) + (" and others" if len(rows) > 3 else "")
    chart = hours.chart(ids[0], str(rows[0]["name"])) if len(rows) == 1 else _bars(rows, period)
    hidden = ("category_id",)
    if len(rows) > 4:
        hidden += ("dwell_buckets", "busiest_hours", "chain_id", "busiest_day_date_visits")
        hidden += tuple(f"rank_{kind}_percentile" for kind in ("category", "chain", "region"))
        hidden += ("category",) if len({row["category"] for row in rows}) == 1 else ()
    if not limit:
        hidden += ("places",)
    return places_result(
        f"Summary of {title}", figures, metadata, totals={"places": total if limit else 0}, hidden_columns=hidden,
        chart=chart, read_on="a smaller area, or place_ids, gives the others",
    )  # fmt: skip


def _explain(
    query: PlacesQuery, totals: dict[str, Any], rows: Sequence[dict[str, Any]], histories: Sequence[History]
) -> None:
    """Notes on how to read the figures, those alone that there are."""
    note = query.metadata.note
    if totals["all_hidden"]:
        note("Places with fewer than 5 visitors in the panel have no figures and are not in the total.")
    if not totals["total"]:
        note("No place fits: take a wider area, another category or chain, or search_places first.")
    if query.metadata.compared:
        note(
            "certain: yes where the ranges of both periods do not overlap; a change that is not certain may be chance. "
            "A total is over the places that had visits in its period: openings and closings are in its change."
        )
    if any(row["rank"] for row in rows):
        note(
            "Ranks: category and region are of the same metro, chain is of the whole data, each of the places that are "
            "not suppressed in the period; percentile 100 is the most visited."
        )
    explain_trend(query, histories)


async def _note_closed(query: PlacesQuery, chosen: Chosen, period: VisitPeriod, binds: Binds) -> None:
    """Places of a selection that closed shortly before the period are not in it: nobody would miss them."""
    if chosen.ids is not None:
        return
    since = binds(period.start - timedelta(days=_CLOSED_DAYS))
    rows = await query.table(
        f"SELECT p.name, p.address, p.closed_on FROM poi_places p WHERE {chosen.anytime} "
        f"AND p.closed_on >= {since} AND p.closed_on < {binds(period.start)} ORDER BY p.closed_on DESC, p.id LIMIT 100",
        binds,
    )
    if rows:
        named = list_names(f"{name} ({address or 'no address'}, {day})" for name, address, day in rows)
        query.metadata.note(f"Closed for good in the year before the period, and not in it: {named}.")


def _place(
    row: dict[str, Any], period: VisitPeriod, months: tuple[date, date], compared: dict[str, VisitPeriod]
) -> dict[str, Any]:
    """What one row of the first query tells of a place; everything is null where too few are behind it."""
    told: dict[str, Any] = {
        "id": row["id"], "name": row["name"], "address": row["address"], "category_id": row["category_id"],
        "category": row["category"], "chain_id": row["chain_id"], "opened_on": _day(row["opened_on"]),
        "closed_on": _day(row["closed_on"]),
    }  # fmt: skip
    panel = Panel(row["panel_visitors"], row["panel_visits"], row["certain"])
    told["visits"] = figure(row["visits"], panel, len(months_between(period.start, period.end)))
    hidden = panel.small
    month_panel = Panel(row["month_panel"], None, row["month_certain"])
    count = len(months_between(*months))
    told["visitors"] = dict(HIDDEN) if hidden else figure(row["visitors"], month_panel, count, of_visits=False)
    hidden = hidden or month_panel.small
    told["frequency"] = None if hidden or not row["visitors"] else round(row["month_visits"] / row["visitors"], 2)
    told["dwell"] = {
        "median_minutes": None if hidden else _rounded(row["dwell_median"]),
        "mean_minutes": None if hidden else _rounded(row["dwell_mean"]),
    }
    area = row["area_m2"]
    told["area_m2"] = None if not area else round(area)
    told["visits_per_m2"] = None if row["value"] is None or not area else round(row["visits"] / area, 2)
    told["changes"] = {
        kind: _change(row, f"{kind}_", told["visits"], row["value"], (period, before))
        for kind, before in compared.items()
    }  # fmt: skip
    return told


def _change(
    row: dict[str, Any],
    prefix: str,
    shown: dict[str, Json] | None,
    now: float | None,
    periods: tuple[VisitPeriod, VisitPeriod],
) -> dict[str, Json]:
    """From the earlier to the later period; per day too where they differ in length."""
    period, before = periods
    panel = Panel(row[f"{prefix}panel_visitors"], row[f"{prefix}panel_visits"], row[f"{prefix}certain"])
    found = figure(row[f"{prefix}visits"], panel, len(months_between(before.start, before.end)))
    told: dict[str, Json] = {"visits": found, "change_percent": change_percent(now, value_of(found))}
    was = value_of(found)
    if period.days != before.days and now is not None and was:
        told["change_per_day_percent"] = change_percent(now / period.days, was / before.days)
    return told | {"certain": differ(shown, found)}


def _total(
    totals: dict[str, Any], period: VisitPeriod, months: tuple[date, date], compared: dict[str, VisitPeriod]
) -> dict[str, Json]:
    panel = Panel(totals["all_panel_visitors"], totals["all_panel_visits"], totals["all_certain"])
    month_panel = Panel(totals["all_month_panel"], None, totals["all_month_certain"])
    visitors = totals["all_visitors"]
    visits = figure(totals["all_visits"], panel, len(months_between(period.start, period.end)))
    total: dict[str, Json] = {
        "places": int(totals["total"]),
        "places_with_visits": int(totals["all_places"]),
        "places_suppressed": int(totals["all_hidden"]) or None,
        "visits": visits,
        "visitors": figure(visitors, month_panel, len(months_between(*months)), of_visits=False),
        "frequency": round(totals["all_month_visits"] / visitors, 2) if visitors else None,
        "changes": {
            kind: {"places": int(totals[f"all_{kind}_places"]),
                   **_change(totals, f"all_{kind}_", visits, totals["all_visits"], (period, before))}
            for kind, before in compared.items()
        },
    }  # fmt: skip
    if totals["total"] == 1:
        # The total of one place is the place.
        return {"places": total["places"], "places_suppressed": total["places_suppressed"]}
    return total


def _ratio(row: dict[str, Any]) -> float | None:
    """Visitors of the panel for each visit."""
    return row["panel_visitors"] / row["visits"] if row["panel_visitors"] is not None and row["visits"] else None


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 1)


def _day(value: object) -> str | None:
    return None if value is None else str(value)


def _bars(rows: Sequence[dict[str, Any]], period: VisitPeriod) -> Chart | None:
    bars = [(row, value) for row in rows if (value := value_of(row["visits"])) is not None][:30]
    if len(bars) < 2:
        return None
    values = tuple(value for _, value in bars)
    return Chart(
        kind="bar",
        title=cut_label(f"Visits, {period.label}"),
        x=_labels([row for row, _ in bars]),
        series=(Series(label="visits", values=values),),
    )


def _labels(rows: Sequence[dict[str, Any]]) -> tuple[str, ...]:
    """Names of places; where some are called alike their streets, and where those are too a number."""
    names = [str(row["name"] or "–") for row in rows]
    if len(set(names)) == 1:
        told = [str(row["address"] or name) for row, name in zip(rows, names, strict=True)]
    else:
        told = [
            f"{name}, {row['address']}" if row["address"] and names.count(name) > 1 else name
            for row, name in zip(rows, names, strict=True)
        ]
    seen: dict[str, int] = {}
    labels: list[str] = []
    for text in told:
        seen[text] = seen.get(text, 0) + 1
        labels.append(cut_label(text if seen[text] == 1 else f"{text[:110]} {seen[text]}"))
    return tuple(labels)
