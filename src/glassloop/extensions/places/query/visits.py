"""Visits of a period as SQL: whole months from the table of months, the days at the ends from that of days.

Of a part of a month the panel is taken in proportion to its visits. `certain` is the panel of the best month: how many
different persons they were over several months is not known, but so many there were.
"""

from collections.abc import Iterable, Sequence
from datetime import date

from glassloop.extensions.places.data_set.month_columns import THERE, MonthColumns, any_there, column, total
from glassloop.extensions.places.query.binds import Binds
from glassloop.extensions.places.query.periods import DataDays, VisitPeriod, day_ranges

CHOSEN = "SELECT id FROM chosen"
_CERTAIN = "CASE WHEN count(*) > 0 AND count(visits) = 0 THEN 0.0 ELSE CAST(max({}) AS DOUBLE) END"
CERTAIN = _CERTAIN.format("panel_visitors")
"""Over months: 0 where all of them are suppressed, null where there is no panel."""


def visits_sql(
    period: VisitPeriod,
    days: DataDays,
    binds: Binds,
    places: str | None = CHOSEN,
    columns: MonthColumns | None = None,
) -> str:
    """`place_id, visits, panel_visits, panel_visitors, certain` of a period, by place. `places` is a query of ids, None
    for all; `columns` are read in the place of the months, where there are any."""
    months, ends = day_ranges(period, days)
    within = f" AND t.place_id IN ({places})" if places else ""
    parts: list[str] = []
    if months is not None and columns is not None:
        parts.append(_visits_of_columns(columns, columns.within(*months), within))
    elif months is not None:
        parts.append(
            "SELECT t.place_id, t.visits, t.panel_visits, t.panel_visitors, t.panel_visitors AS most "
            "FROM poi_visits_monthly t "
            f"WHERE t.month BETWEEN {binds(months[0])} AND {binds(months[1])}{within}"
        )
    for first, last in ends:
        parts.append(
            "SELECT e.place_id, e.visits, e.visits * m.panel_visits / m.visits AS panel_visits, "
            "e.visits * m.panel_visitors / m.visits AS panel_visitors, "
            "e.visits * m.panel_visitors / m.visits AS most "
            f"FROM ({days_sql(first, last, binds, within)}) e LEFT JOIN poi_visits_monthly m "
            "ON m.place_id = e.place_id AND m.month = e.month"
        )
    if columns is not None and not ends:
        # One row for each place already.
        return (
            "SELECT place_id, CAST(visits AS DOUBLE) AS visits, CAST(panel_visits AS DOUBLE) AS panel_visits, "
            "CAST(panel_visitors AS DOUBLE) AS panel_visitors, "
            f"CASE WHEN visits IS NULL THEN 0.0 ELSE CAST(most AS DOUBLE) END AS certain FROM ({parts[0]})"
        )
    return (
        "SELECT place_id, CAST(sum(visits) AS DOUBLE) AS visits, CAST(sum(panel_visits) AS DOUBLE) AS panel_visits, "
        f"CAST(sum(panel_visitors) AS DOUBLE) AS panel_visitors, {_CERTAIN.format('most')} AS certain "
        f"FROM ({' UNION ALL '.join(parts)}) GROUP BY place_id"
    )


def _visits_of_columns(columns: MonthColumns, months: Sequence[date], within: str) -> str:
    """`place_id, visits, panel_visits, panel_visitors, most` over months that are side by side; `within` is a further
    condition on `t`."""
    sums = ", ".join(
        f"{total([column(name, month) for month in months])} AS {name}"
        for name in ("visits", "panel_visits", "panel_visitors")
    )
    most = ", ".join(column("panel_visitors", month) for month in months)
    return (
        f"SELECT t.place_id, {sums}, {f'greatest({most})' if months else 'NULL'} AS most FROM {columns.source} t "
        f"WHERE {any_there(months)}{within}"
    )


def visit_columns(columns: MonthColumns, periods: Iterable[VisitPeriod]) -> list[str]:
    """Those that `visits_sql` reads for these periods."""
    return list(
        dict.fromkeys(
            column(name, month)
            for period in periods
            for month in columns.within(period.start.replace(day=1), period.end)
            for name in (THERE, "visits", "panel_visits", "panel_visitors")
        )
    )


def weighted_mean(value: str, weight: str) -> str:
    """The mean of an SQL expression over rows that have it; null where none has."""
    return f"(sum({value} * {weight}) / nullif(sum({weight}) FILTER ({value} IS NOT NULL), 0))"


def days_sql(first: date, last: date, binds: Binds, within: str = "") -> str:
    """`place_id, month, visits` of some days; `within` is a further condition on `t`."""
    return (
        "SELECT t.place_id, CAST(date_trunc('month', t.day) AS DATE) AS month, sum(t.visits) AS visits "
        f"FROM poi_visits_daily t WHERE t.day BETWEEN {binds(first)} AND {binds(last)}{within} GROUP BY ALL"
    )


def visitors_sql(
    months: tuple[date, date], binds: Binds, places: str | None = CHOSEN, columns: MonthColumns | None = None
) -> str:
    """`place_id, visitors, month_visits, dwell_median, dwell_mean` and the panel (`month_…`) of whole months, by place;
    dwell is the mean over months, weighted by visits."""
    within = f" AND t.place_id IN ({places})" if places else ""
    if columns is not None:
        return _visitors_of_columns(columns, columns.within(*months), within)
    return (
        "SELECT t.place_id, CAST(sum(t.visitors) AS DOUBLE) AS visitors, "
        "CAST(sum(t.visits) AS DOUBLE) AS month_visits, "
        f"{weighted_mean('t.dwell_median', 't.visits')} AS dwell_median, "
        f"{weighted_mean('t.dwell_mean', 't.visits')} AS dwell_mean, "
        f"CAST(sum(t.panel_visitors) AS DOUBLE) AS month_panel, {CERTAIN} AS month_certain "
        f"FROM poi_visits_monthly t WHERE t.month BETWEEN {binds(months[0])} AND {binds(months[1])}{within} "
        "GROUP BY t.place_id"
    )


def _visitors_of_columns(columns: MonthColumns, months: Sequence[date], within: str) -> str:
    """The same over months that are side by side."""

    def mean(name: str) -> str:
        pairs = [(column(name, month), column("visits", month)) for month in months]
        weighted = total([f"{value} * {weight}" for value, weight in pairs])
        return f"{weighted} / nullif({total([f'if({value} IS NULL, NULL, {weight})' for value, weight in pairs])}, 0)"

    def summed(name: str) -> str:
        return f"CAST({total([column(name, month) for month in months])} AS DOUBLE)"

    most = f"greatest({', '.join(column('panel_visitors', month) for month in months)})" if months else "NULL"
    visits = ", ".join(column("visits", month) for month in months)
    return (
        f"SELECT t.place_id, {summed('visitors')} AS visitors, {summed('visits')} AS month_visits, "
        f"({mean('dwell_median')}) AS dwell_median, ({mean('dwell_mean')}) AS dwell_mean, "
        f"{summed('panel_visitors')} AS month_panel, CASE WHEN {f'coalesce({visits})' if months else 'NULL'} IS NULL "
        f"THEN 0.0 ELSE CAST({most} AS DOUBLE) END AS month_certain "
        f"FROM {columns.source} t WHERE {any_there(months)}{within}"
    )
