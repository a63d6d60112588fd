"""Answers on what is bought: one order in full, ranked vendors, how prices changed."""

from glassloop.core.errors import BadArguments
from glassloop.extensions.business.conditions import Conditions, clean
from glassloop.extensions.business.database.source import Row
from glassloop.extensions.business.listing_call import TREND_CHARS, ListingCall
from glassloop.extensions.business.periods import Period
from glassloop.extensions.business.report import BusinessReport

_RANKED_BY = {
    "spend": ("ordered_cents", "share_percent"),
    "orders": ("orders", "ordered_cents"),
    "late": ("late", "orders", "complete", "complete_on_time"),
    "delivered_late": ("delivered_late", "complete", "orders"),
    "on_time": ("on_time_percent", "complete_on_time", "complete"),
}


def purchase_orders(call: ListingCall) -> BusinessReport:
    """The orders; one of them, asked for by its id, with its lines and receipts."""
    if not call["order_id"]:
        return call.report()
    one = call.single("order_id")
    if one is None:
        given = clean(call["order_id"], "order_id")
        raise BadArguments(f"There is no purchase order {given!r}: look for it by vendor, period or status.")
    report, key = one.report(), {"order_id": one.where.values["order_id"]}
    report.tables["lines"] = call.snapshot.query("order_lines", values=key)
    report.tables["receipts"] = call.snapshot.query("order_receipts", values=key)
    return report


def top_vendors(call: ListingCall) -> BusinessReport:
    """With rank. What they are ranked by comes first: a small model may be shown only the beginning."""
    report = call.report()
    first = ("vendor", *_RANKED_BY[call["by"]])
    rows = enumerate(report.rows, 1)
    report.rows = [{"rank": rank, **{name: row[name] for name in first}, **row} for rank, row in rows]
    return report


def vendor_price_trends(call: ListingCall) -> BusinessReport:
    period, filters = call.whole_period, call.where.filters
    wanted = call["trend"] != "none"
    if wanted and not call["item"]:
        call.snapshot.notes.append("The trend was left out: it needs an item.")
    report = call.snapshot.report(call.listing.title, period, filters=filters)
    report.totals, report.rows = _price_changes(call, period)
    report.of, report.sort_words = report.totals["prices"], call.sort_words
    call.is_covered()
    if wanted and call["item"]:
        report.trend = _prices_paid(call, period)
        report.trend_label = call.trend_label(report.trend)
    return report


def _price_changes(call: ListingCall, period: Period) -> tuple[Row, list[Row]]:
    days = period.bounds
    (totals,) = call.snapshot.query("price_totals", call.where, values=days)
    average = totals.pop("average")
    totals["average_change_percent"] = None if average is None else round(float(average) * 100, 1)
    rows = call.snapshot.query("price_rows", call.where, values=days, order=call.order, limit=call.limit)
    return totals, [{**row, "change_percent": round(float(row["change_percent"]) * 100, 1)} for row in rows]


def _prices_paid(call: ListingCall, period: Period) -> list[Row]:
    """What was paid for a unit, on average, by what arrived."""
    where, step = Conditions(), call["trend"]
    for column, name in (("r.item_id", "item"), ("o.vendor_id", "vendor")):
        if call[name]:
            where.add(f"{column} = :{name}", **{name: call.where.values[name]})
    rows = call.snapshot.query("prices_paid", where.within("r.received_on", period), step=step, chars=TREND_CHARS[step])
    return [{**row, "unit_price": round(row["amount_cents"] / row["quantity"] / 100, 4)} for row in rows]
