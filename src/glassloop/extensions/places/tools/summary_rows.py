"""The first query of a summary: figures of places with their ranks and months, and totals over all of a selection."""

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any, Final

import msgspec

from glassloop.extensions.places.data_set.month_columns import FIGURES, THERE, MonthColumns, column
from glassloop.extensions.places.query.binds import Binds
from glassloop.extensions.places.query.periods import VisitPeriod, add_months
from glassloop.extensions.places.query.suppression import MIN_PANEL, is_small
from glassloop.extensions.places.query.visits import CHOSEN, visit_columns, visitors_sql, visits_sql
from glassloop.extensions.places.tools.ranks import RANK_COLUMNS, place_ranks_sql
from glassloop.extensions.places.tools.reader import Chosen, PlacesQuery

HISTORY_MONTHS: Final = 24
_WIDE: Final = "wide"
_VISIT_COLUMNS: Final = ("visits", "panel_visits", "panel_visitors", "certain")
"""Of `visits_sql`."""
_MONTH_COLUMNS: Final = ("visitors", "month_visits", "month_panel", "month_certain")
"""Of `visitors_sql`."""


class PlaceRows(msgspec.Struct, frozen=True, kw_only=True):
    """The most visited places of a selection, and totals over all of it."""

    rows: list[dict[str, Any]]
    totals: dict[str, Any]


async def visits_by_place(
    query: PlacesQuery,
    chosen: Chosen,
    period: VisitPeriod,
    months: tuple[date, date],
    compared: Mapping[str, VisitPeriod],
    binds: Binds,
    most: int,
) -> PlaceRows:
    """Places by visits; `value` is null where they are suppressed, and such a place is in no total (`all_…`)."""
    named = chosen.ids is not None and most >= len(chosen.ids)
    ids = f"SELECT unnest({binds(list(chosen.ids or ()))}::VARCHAR[]) AS id"
    last, columns, listed = last_month_of(query, period), query.columns, ""
    if not query.database.keeps:
        listed = f"chosen AS MATERIALIZED ({ids if named else chosen.sql}), "
    if columns is not None:
        # Read once for everything below.
        source = columns.holding(chosen.ids or ()) if named else columns.source
        read = _wide_sql(columns, source, months, (period, *compared.values()), last)
        listed += f"{_WIDE} AS MATERIALIZED ({read}), "
        columns = msgspec.structs.replace(columns, source=_WIDE)

    def figures(own: Binds, places: str | None) -> str:
        return _figures_sql(query, columns, (period, months, compared), own, places)

    figured = await query.kept(figures, binds)
    history = await query.kept(lambda own, places: _history_sql(columns, last, own, places), binds)
    more, joined = ", h.months AS history_months, h.visits AS history_visits", f"LEFT JOIN ({history}) h ON h.place_id"
    if named:
        # So few are added up here: that is planned in half the time.
        start = f"WITH {listed[:-2]} " if listed else ""
        found = await query.rows(
            f"{start}SELECT f.*{more} FROM ({figured}) f {joined} = f.place_id WHERE f.place_id IN ({ids})", binds
        )
        by_place = {row["place_id"]: row for row in found}
        rows = [{**place, **by_place[place["id"]]} for place in chosen.places]
        totals = _added_up(rows, tuple(compared))
    else:
        wanted = chosen.condition if query.database.keeps else f"p.id IN ({CHOSEN})"
        rows = await query.rows(
            f"WITH {listed}ranked AS MATERIALIZED (SELECT p.id, p.name, p.address, p.city, p.category_id, p.chain_id, "
            "p.opened_on, p.closed_on, p.area_m2, p.metro, f.* EXCLUDE (place_id) FROM poi_places p "
            f"JOIN ({figured}) f ON f.place_id = p.id WHERE {wanted}), totals AS ({_totals_sql(tuple(compared))}), "
            f"top AS (SELECT * FROM ranked ORDER BY value DESC NULLS LAST, name, id LIMIT {binds(most)}) "
            f"SELECT t.*, k.*{more} FROM totals t LEFT JOIN top k ON true {joined} = k.id "
            "ORDER BY k.value DESC NULLS LAST, k.name, k.id",
            binds,
        )
        totals = rows[0]
        rows = [row for row in rows if row["id"] is not None]
    for row in rows:
        row["category"] = query.vocabulary.categories.name_of(row["category_id"])
        row["address"] = ", ".join(part for part in (row["address"], row["city"]) if part)
    return PlaceRows(rows=rows, totals=totals)


def _wide_sql(
    columns: MonthColumns, source: str, months: tuple[date, date], periods: Sequence[VisitPeriod], last: date
) -> str:
    """The columns of the places that are chosen: all of the months, visits with their panel of the periods, and visits
    of those up to the last month."""
    names = dict.fromkeys(column(name, month) for month in columns.within(*months) for name in (THERE, *FIGURES))
    names |= dict.fromkeys(visit_columns(columns, periods))
    names |= dict.fromkeys(column("visits", month) for month in _history_months(columns, last))
    return f"SELECT {', '.join(['place_id', *names])} FROM {source} WHERE place_id IN ({CHOSEN})"


def _history_months(columns: MonthColumns, last: date) -> list[date]:
    return columns.within(add_months(last, 1 - HISTORY_MONTHS), last)


def _sums(compared: Sequence[str]) -> list[tuple[str, str, str]]:
    """Totals over places: their name, the column, and that of the panel which says whether a place is too small."""
    told = [("all_visits", "visits", "certain")]
    told += [(f"all_{name}", name, "certain") for name in _VISIT_COLUMNS[1:]]
    told += [(f"all_{name}", name, "month_certain") for name in _MONTH_COLUMNS]
    return told + [(f"all_{kind}_{name}", f"{kind}_{name}", f"{kind}_certain") for kind in compared
                   for name in _VISIT_COLUMNS]  # fmt: skip


def _totals_sql(compared: Sequence[str]) -> str:
    """Over `ranked`."""

    def shown(certain: str) -> str:
        hidden = "NOT hidden AND " if certain == "month_certain" else ""
        return f"FILTER ({hidden}NOT coalesce({certain} < {MIN_PANEL}, false))"

    sums = [f"sum({source}) {shown(certain)} AS {name}" for name, source, certain in _sums(compared)]
    sums += [f"count({kind}_visits) {shown(f'{kind}_certain')} AS all_{kind}_places" for kind in compared]
    return (
        "SELECT count(*) AS total, count(*) FILTER (hidden) AS all_hidden, count(value) AS all_places, "
        f"{', '.join(sums)} FROM ranked"
    )


def _added_up(rows: Sequence[Mapping[str, Any]], compared: Sequence[str]) -> dict[str, Any]:
    """The same of rows that were read."""

    def values(source: str, certain: str) -> list[float]:
        return [
            row[source]
            for row in rows
            if row[source] is not None
            and not is_small(row[certain])
            and not (certain == "month_certain" and row["hidden"])
        ]

    totals: dict[str, Any] = {
        "total": len(rows),
        "all_hidden": sum(row["hidden"] for row in rows),
        "all_places": sum(row["value"] is not None for row in rows),
    }
    for name, source, certain in _sums(compared):
        found = values(source, certain)
        totals[name] = sum(found) if found else None
    for kind in compared:
        totals[f"all_{kind}_places"] = len(values(f"{kind}_visits", f"{kind}_certain"))
    return totals


def _figures_sql(
    query: PlacesQuery,
    month_columns: MonthColumns | None,
    wanted: tuple[VisitPeriod, tuple[date, date], Mapping[str, VisitPeriod]],
    binds: Binds,
    places: str | None,
) -> str:
    """Figures by place of the period, its months and the periods compared with, and ranks where they are kept, side by
    side in one row: few joins are left to plan for each call."""
    period, months, compared = wanted
    hidden = f"coalesce(v.certain < {MIN_PANEL}, false)"
    base = f"({places})" if places else "poi_places"
    joins, columns = "", ""
    for number, (kind, before) in enumerate(compared.items()):
        alias = f"b{number}"
        visits = visits_sql(before, query.days, binds, places, month_columns)
        joins += f" LEFT JOIN ({visits}) {alias} ON {alias}.place_id = p.id"
        columns += "".join(f", {alias}.{name} AS {kind}_{name}" for name in _VISIT_COLUMNS)
    if places is None:
        joins += f" LEFT JOIN ({place_ranks_sql(query, period, binds)}) r ON r.place_id = p.id"
        columns += "".join(f", r.{name}" for name in RANK_COLUMNS)
    return (
        f"SELECT p.id AS place_id, v.visits, v.panel_visits, v.panel_visitors, v.certain, {hidden} AS hidden, "
        f"CASE WHEN {hidden} THEN NULL ELSE v.visits END AS value, m.visitors, m.month_visits, m.dwell_median, "
        f"m.dwell_mean, m.month_panel, m.month_certain{columns} FROM {base} p "
        f"LEFT JOIN ({visits_sql(period, query.days, binds, places, month_columns)}) v ON v.place_id = p.id "
        f"LEFT JOIN ({visitors_sql(months, binds, places, month_columns)}) m ON m.place_id = p.id{joins}"
    )


def last_month_of(query: PlacesQuery, period: VisitPeriod) -> date:
    return min(query.days.months_for(period)[1], query.days.last_whole_month())


def _history_sql(columns: MonthColumns | None, last: date, binds: Binds, places: str | None) -> str:
    """`place_id`, and lists of its `months` and their `visits`."""
    within = f" AND place_id IN ({places})" if places else ""
    if columns is not None:
        there = _history_months(columns, last)
        visits = ", ".join(column("visits", month) for month in there)
        dates = ", ".join(f"DATE '{month}'" for month in there)
        return f"SELECT place_id, [{dates}] AS months, [{visits}] AS visits FROM {columns.source} WHERE true{within}"
    return (
        "SELECT place_id, list(month ORDER BY month) AS months, list(visits ORDER BY month) AS visits "
        f"FROM poi_visits_monthly WHERE month BETWEEN {binds(add_months(last, 1 - HISTORY_MONTHS))} "
        f"AND {binds(last)} AND visits IS NOT NULL{within} GROUP BY place_id"
    )
