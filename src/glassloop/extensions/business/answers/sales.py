"""Answers on customers and deals: revenue and churn, deals by the day that is meant, the pipeline."""

from collections.abc import Sequence

import msgspec

from glassloop.extensions.business.conditions import Conditions
from glassloop.extensions.business.data_files import query_sql
from glassloop.extensions.business.database.source import Row
from glassloop.extensions.business.listing import load_listings
from glassloop.extensions.business.listing_call import LOWEST, MAX_POINTS, TREND_CHARS, ListingCall, stated
from glassloop.extensions.business.periods import Period, find_period
from glassloop.extensions.business.report import BusinessReport, PeriodComparison, Ratio, figure_words
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
    parts = {"mine": _mine(where), "order": call.order, "limit": call.limit}
    report.rows = snapshot.query("customer_rows", where, values=period.bounds, **parts)
    report.of, report.sort_words = report.totals["customers"], call.sort_words
    if call.is_reversed:
        report.filters["order"] = LOWEST
    if not call.is_covered():
        report.leave_out(("revenue_cents", "invoices"), "There are no invoices of that time")
    elif call["compare"] != "none":
        report.compared = _customers_before(call, period.against(call["compare"]))
    if call["trend"] != "none":
        parts |= {"step": call["trend"], "chars": TREND_CHARS[call["trend"]], "points": MAX_POINTS + 1}
        report.trend = call.latest(snapshot.query("revenue_trend", where, values=period.bounds, **parts))
        report.trend_label = call.trend_label(report.trend)
    return report


def _customers_before(call: ListingCall, other: Period) -> PeriodComparison | None:
    """What has a day of its own; who had which status then is not kept."""
    if not call.reaches(other):
        return None
    kept = _customer_totals(call.snapshot, call.where, other)
    states = ("customers", "active", "at_risk", *(("won_in_period",) if call.where.is_measured else ()))
    call.snapshot.notes.append(f"Not compared, as not kept by day: {', '.join(map(figure_words, states))}.")
    return PeriodComparison(other, {name: value for name, value in kept.items() if name not in states})


def deals(call: ListingCall) -> BusinessReport:
    """By the day they were made, closed or expected."""
    stage = call["stage"]
    field = call["date_field"] or ("closed" if stage in _CLOSED else "created")
    # Of deals that are neither won nor lost there is no win rate.
    ratios = call.listing.ratios if stage in ("any", *_CLOSED) else {}
    listing = msgspec.structs.replace(call.listing, day=f"d.{field}_on", ratios=ratios, lies_ahead=field == "expected")
    if stage in _CLOSED and field == "closed":
        # When a deal was won or lost is a day of its own, whatever happens later.
        rule = msgspec.structs.replace(listing.filters["stage"], state=False)
        listing = msgspec.structs.replace(listing, filters={**listing.filters, "stage": rule})
    elif field == "closed":
        call.snapshot.notes.append("Open deals are left out: they have no day on which they closed.")
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
    report = snapshot.report(call.listing.title, call.period, filters=where.filters)
    (report.totals,) = _weighted(snapshot.query("pipeline_totals", inside))
    report.rows = _weighted(snapshot.query("pipeline_stages", inside))
    report.trend = _weighted(snapshot.query("pipeline_months", inside))
    report.trend_label = "by the month they are expected to close"
    report.tables["closed_deals"] = [{"period": closed.text(), **won}]
    return report


def _weighted(rows: Sequence[Row]) -> list[Row]:
    """Amount times probability, in cents."""
    return [{**row, "weighted_cents": round(row["weighted_cents"] / 100)} for row in rows]


def _customer_totals(snapshot: Snapshot, where: Conditions, period: Period) -> Row:
    (totals,) = snapshot.query("customer_totals", where, values=period.bounds)
    base = dict(totals)
    if where.is_measured:
        (base,) = snapshot.query("customer_totals", where.base, values=period.bounds)
        # How many of a status today were there then says nothing of how many there were.
        del totals["there_at_start"]
    del totals["lost_of_them"]
    (revenue,) = snapshot.query("revenue", where, values=period.bounds, mine=_mine(where))
    return totals | stated((_CHURN,), base) | revenue


def _mine(where: Conditions) -> str:
    return query_sql("of_customers", where=where.text) if where.sql else ""
