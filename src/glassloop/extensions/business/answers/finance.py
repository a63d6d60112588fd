"""Answers on stock and money: levels with their past, profit and loss with balances, unpaid invoices."""

# Queries are put together from this extension's own text only; what a caller gives is a parameter.
# ruff: noqa: S608

from collections.abc import Collection

from glassloop.extensions.business.conditions import Conditions
from glassloop.extensions.business.database.source import Row
from glassloop.extensions.business.listing_call import ListingCall
from glassloop.extensions.business.periods import Compare, Period, find_period
from glassloop.extensions.business.report import BusinessReport, PeriodComparison, percent
from glassloop.extensions.business.snapshot import Snapshot

_COLUMNS = {"revenue": "revenue_cents", "cost_of_sales": "cost_of_sales_cents", "expense": "expenses_cents"}
_BALANCES = "'Cash', 'Accounts receivable', 'Inventory', 'Accounts payable'"
_UNPAID = ("overdue", "payable", "receivable")


def inventory_levels(call: ListingCall) -> BusinessReport:
    """What lies there now; compared with, and over, the ends of months."""
    compare, trend, low = call["compare"], call["trend"], call["below_reorder_point"]
    over_time = call.conditions(without="below_reorder_point")
    if low and trend != "none":
        call.snapshot.notes.append("The trend is of all stock: reorder points were not kept by month.")
    if low and compare != "none":
        call.snapshot.notes.append("The comparison was left out: reorder points were not kept by month.")
    report = ListingCall(call.snapshot, call.listing, {**call.arguments, "compare": "none", "trend": "none"}).report()
    if compare != "none" and not low:
        report.compared = _stock_before(call.snapshot, over_time, compare)
    if trend == "month":
        report.trend = _month_ends(call.snapshot, over_time)
    return report


def financial_summary(call: ListingCall) -> BusinessReport:
    """Profit and loss by line; of the whole company with balances and open invoices, or these one by one."""
    period = call.whole_period
    if call["section"] in _UNPAID:
        return _unpaid(call.snapshot, call["section"], call.limit)
    _ = call.where
    whole = call["section"] == "all" and not call["category"]
    sections = _sections(call)
    report = call.report(lambda row: _with_profits(row, sections, whole=whole))
    report.rows = [_as_line(row) for row in report.rows]
    if whole:
        report.tables["balances"] = _balances(call.snapshot, period)
        report.tables["open_invoices"] = _open_invoices(call.snapshot)
    return report


def _stock_before(snapshot: Snapshot, where: Conditions, compare: Compare) -> PeriodComparison:
    """The value at the end of an earlier month."""
    month = find_period("this_month", "", "", default="", today=snapshot.today)
    before = month.against(compare)
    end = find_period(None, f"{before.start}"[:7], f"{before.start}"[:7], default="", today=snapshot.today)
    values = {**where.values, "month": f"{before.start}"[:7]}
    condition = f"{where.sql} AND" if where.sql else "WHERE"
    totals = snapshot.one(
        f"SELECT coalesce(sum(s.value_cents), 0) AS value_cents FROM {_months(where)} {condition} s.month = :month",
        values,
    )
    return PeriodComparison(Period(name=f"end of {values['month']}", start=end.end, end=end.end), totals)


def _month_ends(snapshot: Snapshot, where: Conditions) -> list[Row]:
    return snapshot.rows(
        f"SELECT s.month, sum(s.value_cents) AS value_cents FROM {_months(where)} {where.sql} "
        "GROUP BY s.month ORDER BY s.month",
        where.values,
    )


def _months(where: Conditions) -> str:
    """Month ends; with what the items are only where that is asked for, as looking it up takes most of the time."""
    named = "biz_stock_months s JOIN biz_items i ON i.item_id = s.item_id"
    return named if "i." in where.sql else "biz_stock_months s"


def _sections(call: ListingCall) -> Collection[str]:
    """The parts of a statement that the filters leave; one product line has sales and their cost, a kind of expense
    neither."""
    if call["section"] != "all":
        return (call["section"],)
    if not call["category"]:
        return _COLUMNS
    query = f"SELECT DISTINCT l.account_type AS section FROM {call.listing.source}"
    return {str(row["section"]) for row in call.snapshot.rows(f"{query} {call.where.sql}", call.where.values)}


def _with_profits(row: Row, sections: Collection[str], *, whole: bool) -> Row:
    """The sums of these parts, and profits with their shares of revenue where both sides of them are there.

    Net profit is of the company as a `whole`: expenses belong to no product line.
    """
    revenue, gross = row["revenue_cents"], row["revenue_cents"] - row["cost_of_sales_cents"]
    statement: Row = {name: row[name] for name in row if name not in _COLUMNS.values()}
    for section in ("revenue", "cost_of_sales"):
        if section in sections:
            statement[_COLUMNS[section]] = row[_COLUMNS[section]]
    sold = "revenue" in sections and "cost_of_sales" in sections
    if sold:
        statement["gross_profit_cents"] = gross
    if "expense" in sections:
        statement["expenses_cents"] = row["expenses_cents"]
    if whole:
        statement["net_profit_cents"] = gross - row["expenses_cents"]
    if sold:
        statement["gross_margin_percent"] = percent(gross, revenue)
    if whole:
        statement["net_margin_percent"] = percent(gross - row["expenses_cents"], revenue)
    return statement


def _as_line(row: Row) -> Row:
    """One line of the statement: its own amount instead of the sums of a statement."""
    return {"section": row["section"], "category": row["category"], "amount_cents": row[_COLUMNS[row["section"]]]}


def _balances(snapshot: Snapshot, period: Period) -> list[Row]:
    """What the main accounts held at the end of the period."""
    end = period.end or snapshot.today
    return snapshot.rows(
        "SELECT account, :day AS day, CASE WHEN account_type = 'asset' THEN sum(debit_cents - credit_cents) "
        f"ELSE sum(credit_cents - debit_cents) END AS balance_cents FROM biz_ledger_days "
        f"WHERE account IN ({_BALANCES}) AND posted_on <= :day GROUP BY account, account_type ORDER BY account",
        {"day": end.isoformat()},
    )


def _unpaid(snapshot: Snapshot, section: str, limit: int) -> BusinessReport:
    """Invoices that are open today, the longest due first."""
    where = Conditions()
    where.add("n.paid_on IS NULL", {"status": "unpaid"})
    if section == "overdue":
        where.add("n.due_on < :as_of", {"status": "past due"})
    else:
        where.add("n.kind = :kind", {"kind": section}, kind=section)
    report = snapshot.report("Open invoices", filters=where.filters)
    report.totals = snapshot.one(
        "SELECT count(*) AS invoices, coalesce(sum(n.amount_cents), 0) AS amount_cents, "
        "coalesce(sum(CASE WHEN n.due_on < :as_of THEN 1 ELSE 0 END), 0) AS overdue_invoices, "
        "coalesce(sum(CASE WHEN n.due_on < :as_of THEN n.amount_cents ELSE 0 END), 0) AS overdue_cents "
        f"FROM biz_invoices n {where.sql}",
        where.values,
    )
    report.rows = snapshot.rows(
        "SELECT n.invoice_id, n.kind, coalesce(v.name, c.name) AS company, n.due_on, n.amount_cents, n.reference, "
        "n.issued_on FROM biz_invoices n LEFT JOIN biz_vendors v ON v.vendor_id = n.party_id "
        f"LEFT JOIN biz_customers c ON c.customer_id = n.party_id {where.sql} "
        f"ORDER BY n.due_on, n.invoice_id LIMIT {limit:d}",
        where.values,
    )
    report.of = report.totals["invoices"]
    return report


def _open_invoices(snapshot: Snapshot) -> list[Row]:
    return snapshot.rows(
        "SELECT kind, count(*) AS invoices, sum(amount_cents) AS amount_cents, "
        "sum(CASE WHEN due_on < :as_of THEN 1 ELSE 0 END) AS overdue_invoices, "
        "sum(CASE WHEN due_on < :as_of THEN amount_cents ELSE 0 END) AS overdue_cents "
        "FROM biz_invoices WHERE kind IN ('payable', 'receivable') AND paid_on IS NULL GROUP BY kind ORDER BY kind"
    )
