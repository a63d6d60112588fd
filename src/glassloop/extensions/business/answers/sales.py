"""Answers on customers and deals: revenue and churn, deals by the day that is meant, the pipeline."""

# Queries are put together from this extension's own text only; what a caller gives is a parameter.
# ruff: noqa: S608

import msgspec

from glassloop.extensions.business.conditions import Conditions
from glassloop.extensions.business.database.source import Row
from glassloop.extensions.business.listing import load_listings
from glassloop.extensions.business.listing_call import MAX_POINTS, TREND_CHARS, ListingCall, stated
from glassloop.extensions.business.periods import Period, find_period
from glassloop.extensions.business.report import BusinessReport, PeriodComparison, Ratio
from glassloop.extensions.business.snapshot import Snapshot

_CLOSED = ("won", "lost")
_OPEN = "d.stage IN ('prospecting', 'qualification', 'proposal', 'negotiation')"
_CHURN = Ratio("churn", "lost_of_them", ("there_at_start",))
"""Of the customers there were when the period began, those that left in it."""


def customers(call: ListingCall) -> BusinessReport:
    """With what they were billed in the period, and how many came and went."""
    snapshot, period, where = call.snapshot, call.whole_period, call.where
    report = snapshot.report(call.listing.title, period, filters=where.filters)
    report.totals = _customer_totals(snapshot, where, period)
    report.rows = _customer_rows(call, period)
    report.of = report.totals["customers"]
    if call["compare"] != "none":
        other = period.against(call["compare"])
        report.compared = PeriodComparison(other, _customer_totals(snapshot, where, other))
    if call["trend"] != "none":
        report.trend = _revenue_trend(snapshot, where, period, call["trend"])
    return report


def deals(call: ListingCall) -> BusinessReport:
    """By the day they were made, closed or expected."""
    stage = call["stage"]
    field = call["date_field"] or ("closed" if stage in _CLOSED else "created")
    # Of deals that are neither won nor lost there is no win rate.
    ratios = call.listing.ratios if stage in ("any", *_CLOSED) else {}
    listing = msgspec.structs.replace(call.listing, day=f"d.{field}_on", ratios=ratios, lies_ahead=field == "expected")
    dated = ListingCall(call.snapshot, listing, call.arguments)
    dated.where.filters["by_day"] = field
    if dated.whole_period.start is None and field == "closed":
        dated.where.add("d.closed_on IS NOT NULL")
    return dated.report()


def sales_pipeline(call: ListingCall) -> BusinessReport:
    """Open deals by stage and expected month, beside the win rate of the last twelve months."""
    snapshot, where = call.snapshot, call.where
    closed = find_period(None, "", "", default="last_12_months", today=snapshot.today)
    listing = msgspec.structs.replace(load_listings("crm")["get_deals"], day="d.closed_on")
    won = ListingCall(snapshot, listing, {}).totals(where.within("d.closed_on", closed))
    where.add(_OPEN)
    inside = where.within(call.listing.day, call.period)
    sums = (
        "count(*) AS deals, coalesce(sum(d.amount_cents), 0) AS amount_cents, "
        "coalesce(sum(d.amount_cents * d.probability), 0) AS weighted"
    )
    source = f"FROM biz_deals d {inside.sql}"
    report = snapshot.report(call.listing.title, call.period, filters=where.filters)
    report.totals = _weighted(snapshot.one(f"SELECT {sums} {source}", inside.values))
    stages = f"SELECT d.stage, d.probability AS probability_percent, {sums} {source} GROUP BY d.stage, d.probability"
    report.rows = [_weighted(row) for row in snapshot.rows(f"{stages} ORDER BY d.probability", inside.values)]
    months = f"SELECT substr(d.expected_on, 1, 7) AS month, {sums} {source} GROUP BY 1 ORDER BY 1"
    report.trend = [_weighted(row) for row in snapshot.rows(months, inside.values)]
    report.tables["closed_deals"] = [{"period": closed.text(), **won}]
    return report


def _weighted(row: Row) -> Row:
    """Amount times probability, in cents."""
    return {**{name: value for name, value in row.items() if name != "weighted"},
            "weighted_cents": round(row["weighted"] / 100)}  # fmt: skip


def _bounds(period: Period) -> dict[str, str]:
    return {
        "from_day": period.start.isoformat() if period.start else "0001-01-01",
        "to_day": period.end.isoformat() if period.end else "9999-12-31",
    }


_REVENUE = (
    "SELECT {columns} FROM biz_invoices n WHERE n.kind = 'receivable' AND n.issued_on BETWEEN :from_day AND :to_day"
)


def _customer_totals(snapshot: Snapshot, where: Conditions, period: Period) -> Row:
    values = {**where.values, **_bounds(period)}
    there = "c.since < :from_day AND (c.churned_on IS NULL OR c.churned_on >= :from_day)"
    query = (
        "SELECT count(*) AS customers, coalesce(sum(CASE WHEN c.status = 'active' THEN 1 ELSE 0 END), 0) AS active, "
        "coalesce(sum(CASE WHEN c.status = 'at_risk' THEN 1 ELSE 0 END), 0) AS at_risk, "
        "coalesce(sum(CASE WHEN c.since BETWEEN :from_day AND :to_day THEN 1 ELSE 0 END), 0) AS won_in_period, "
        "coalesce(sum(CASE WHEN c.churned_on BETWEEN :from_day AND :to_day THEN 1 ELSE 0 END), 0) "
        "AS churned_in_period, "
        f"coalesce(sum(CASE WHEN {there} THEN 1 ELSE 0 END), 0) AS there_at_start, "
        f"coalesce(sum(CASE WHEN {there} AND c.churned_on <= :to_day THEN 1 ELSE 0 END), 0) AS lost_of_them "
        "FROM biz_customers c"
    )
    totals = snapshot.one(f"{query} {where.sql}", values)
    base = snapshot.one(f"{query} {where.base.sql}", values) if where.is_measured else dict(totals)
    del totals["lost_of_them"]
    if where.is_measured:
        # How many of a status today were there then says nothing of how many there were.
        del totals["there_at_start"]
    totals |= stated((_CHURN,), base)
    return totals | snapshot.one(f"{_revenue(where, 'coalesce(sum(n.amount_cents), 0) AS revenue_cents')}", values)


def _revenue(where: Conditions, columns: str) -> str:
    """Invoices to the customers that are asked for; all of them need no look at who they are."""
    mine = f" AND n.party_id IN (SELECT c.customer_id FROM biz_customers c {where.sql})" if where.sql else ""
    return f"{_REVENUE.format(columns=columns)}{mine}"


def _customer_rows(call: ListingCall, period: Period) -> list[Row]:
    where = call.where
    revenue = _revenue(where, "n.party_id, sum(n.amount_cents) AS revenue_cents, count(*) AS invoices")
    overdue = (
        "SELECT n.party_id, sum(n.amount_cents) AS overdue_cents FROM biz_invoices n "
        "WHERE n.kind = 'receivable' AND n.paid_on IS NULL AND n.due_on < :as_of GROUP BY n.party_id"
    )
    return call.snapshot.rows(
        "SELECT c.customer_id, c.name AS customer, c.status, c.region, c.industry, "
        "coalesce(r.revenue_cents, 0) AS revenue_cents, coalesce(r.invoices, 0) AS invoices, "
        "coalesce(o.overdue_cents, 0) AS overdue_cents, c.since, c.churned_on, c.country, c.owner "
        f"FROM biz_customers c LEFT JOIN ({revenue} GROUP BY n.party_id) r ON r.party_id = c.customer_id "
        f"LEFT JOIN ({overdue}) o ON o.party_id = c.customer_id {where.sql} "
        f"ORDER BY {call.order} LIMIT {call.limit:d}",
        {**where.values, **_bounds(period)},
    )


def _revenue_trend(snapshot: Snapshot, where: Conditions, period: Period, trend: str) -> list[Row]:
    step = f"substr(n.issued_on, 1, {TREND_CHARS[trend]}) AS {trend}"
    columns = f"{step}, sum(n.amount_cents) AS revenue_cents, count(*) AS invoices"
    rows = snapshot.rows(
        f"{_revenue(where, columns)} GROUP BY 1 ORDER BY 1 DESC LIMIT {MAX_POINTS:d}",
        {**where.values, **_bounds(period)},
    )
    return rows[::-1]
