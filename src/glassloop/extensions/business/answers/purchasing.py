"""Answers on what is bought: one order in full, ranked vendors, how prices changed."""

# Queries are put together from this extension's own text only; what a caller gives is a parameter.
# ruff: noqa: S608

from glassloop.core.errors import BadArguments
from glassloop.extensions.business.conditions import Conditions, clean
from glassloop.extensions.business.database.source import Row
from glassloop.extensions.business.listing_call import TREND_CHARS, ListingCall
from glassloop.extensions.business.periods import Period
from glassloop.extensions.business.report import BusinessReport, percent

_RANKED_BY = {
    "spend": ("ordered_cents", "share_percent"),
    "orders": ("orders", "ordered_cents"),
    "late": ("late", "orders", "complete", "complete_on_time"),
    "on_time": ("on_time_percent", "complete_on_time", "complete"),
}


def purchase_orders(call: ListingCall) -> BusinessReport:
    """The orders; one of them, asked for by its id, with its lines and receipts."""
    if not call["order_id"]:
        return call.report()
    given, snapshot = clean(call["order_id"], "order_id"), call.snapshot
    forms = {"a": given, "b": given.upper(), "c": given.lower()}
    found = snapshot.rows("SELECT order_id FROM biz_purchase_orders WHERE order_id IN (:a, :b, :c)", forms)
    if not found:
        raise BadArguments(f"There is no purchase order {given!r}: look for it by vendor, period or status.")
    key = {"order_id": found[0]["order_id"]}
    one = ListingCall(snapshot, call.listing, {**call.defaults, "period": "all"})
    one.where.add("o.order_id = :order_id", key, **key)
    report = one.report()
    report.tables["lines"] = snapshot.rows(
        "SELECT l.line_no, l.item_id, i.name AS item, l.quantity, i.unit, l.unit_price_cents, l.amount_cents, "
        "l.received_quantity FROM biz_purchase_lines l JOIN biz_items i ON i.item_id = l.item_id "
        "WHERE l.order_id = :order_id ORDER BY l.line_no",
        key,
    )
    report.tables["receipts"] = snapshot.rows(
        "SELECT receipt_id, line_no, received_on, quantity, amount_cents, warehouse_id FROM biz_receipts "
        "WHERE order_id = :order_id ORDER BY received_on, receipt_id",
        key,
    )
    return report


def top_vendors(call: ListingCall) -> BusinessReport:
    """With rank and share. What they are ranked by comes first: a table shows only the first columns."""
    report = call.report()
    spend = report.totals["ordered_cents"]
    ranked = [{**row, "share_percent": percent(row["ordered_cents"], spend)} for row in report.rows]
    first = ("vendor", *_RANKED_BY[call["by"]])
    report.rows = [{"rank": rank, **{name: row[name] for name in first}, **row} for rank, row in enumerate(ranked, 1)]
    return report


def vendor_price_trends(call: ListingCall) -> BusinessReport:
    period, filters = call.whole_period, call.where.filters
    wanted = call["trend"] != "none"
    if wanted and not call["item"]:
        call.snapshot.notes.append("The trend was left out: it needs an item.")
    report = call.snapshot.report(call.listing.title, period, filters=filters)
    report.totals, report.rows = _price_changes(call, period)
    report.of = report.totals["prices"]
    if wanted and call["item"]:
        report.trend = _prices_paid(call, period)
    return report


def _price_changes(call: ListingCall, period: Period) -> tuple[Row, list[Row]]:
    """The price in force on the first and on the last day; one that began later counts from its beginning."""
    snapshot, where = call.snapshot, call.where
    first = period.start.isoformat() if period.start else "0001-01-01"
    values = {**where.values, "from_day": first, "to_day": period.end.isoformat() if period.end else "9999-12-31"}
    own = "SELECT q.unit_price_cents FROM biz_prices q WHERE q.vendor_id = k.vendor_id AND q.item_id = k.item_id"
    condition = f"{where.sql} AND" if where.sql else "WHERE"
    pairs = (
        "SELECT p.vendor_id, p.item_id, sum(CASE WHEN p.effective_on > :from_day THEN 1 ELSE 0 END) AS changes "
        f"FROM biz_prices p JOIN biz_vendors v ON v.vendor_id = p.vendor_id {condition} p.effective_on <= :to_day "
        "GROUP BY p.vendor_id, p.item_id"
    )
    priced = (
        "SELECT k.vendor_id, k.item_id, k.changes, "
        f"coalesce(({own} AND q.effective_on <= :from_day ORDER BY q.effective_on DESC LIMIT 1), "
        f"({own} ORDER BY q.effective_on LIMIT 1)) AS first_cents, "
        f"({own} AND q.effective_on <= :to_day ORDER BY q.effective_on DESC LIMIT 1) AS last_cents FROM ({pairs}) k"
    )
    changed = f"SELECT x.*, (last_cents - first_cents) * 1.0 / first_cents AS change_ratio FROM ({priced}) x"
    totals = snapshot.one(
        "SELECT count(*) AS prices, coalesce(sum(CASE WHEN change_ratio > 0 THEN 1 ELSE 0 END), 0) AS raised, "
        "coalesce(sum(CASE WHEN change_ratio < 0 THEN 1 ELSE 0 END), 0) AS lowered, "
        f"avg(change_ratio) AS average FROM ({changed}) y",
        values,
    )
    average = totals.pop("average")
    totals["average_change_percent"] = None if average is None else round(float(average) * 100, 1)
    rows = snapshot.rows(
        "SELECT v.name AS vendor, i.name AS item, i.unit, y.first_cents, y.last_cents, y.changes, y.change_ratio, "
        f"y.vendor_id, y.item_id FROM ({changed}) y JOIN biz_vendors v ON v.vendor_id = y.vendor_id "
        f"JOIN biz_items i ON i.item_id = y.item_id ORDER BY {call.order} LIMIT {call.limit:d}",
        values,
    )
    return totals, [_with_percent(row) for row in rows]


def _with_percent(row: Row) -> Row:
    ratio = row.pop("change_ratio")
    return {
        "vendor": row.pop("vendor"), "item": row.pop("item"),
        "first_price_cents": row.pop("first_cents"), "last_price_cents": row.pop("last_cents"),
        "change_percent": round(float(ratio) * 100, 1), **row,
    }  # fmt: skip


def _prices_paid(call: ListingCall, period: Period) -> list[Row]:
    """What was paid for a unit, on average, by what arrived."""
    where, trend = Conditions(), call["trend"]
    for column, name in (("r.item_id", "item"), ("o.vendor_id", "vendor")):
        if call[name]:
            where.add(f"{column} = :{name}", **{name: call.where.values[name]})
    inside = where.within("r.received_on", period)
    rows = call.snapshot.rows(
        f"SELECT substr(r.received_on, 1, {TREND_CHARS[trend]}) AS {trend}, sum(r.quantity) AS quantity, "
        "sum(r.amount_cents) AS amount_cents FROM biz_receipts r JOIN biz_purchase_orders o "
        f"ON o.order_id = r.order_id {inside.sql} GROUP BY 1 ORDER BY 1",
        inside.values,
    )
    return [{**row, "unit_price": round(row["amount_cents"] / row["quantity"] / 100, 4)} for row in rows]
