"""Answers on stock and money: levels with their past, profit and loss with balances, unpaid invoices."""

from collections.abc import Collection
from datetime import date, timedelta

from glassloop.core.errors import BadArguments
from glassloop.extensions.business.conditions import Conditions
from glassloop.extensions.business.database.source import Row
from glassloop.extensions.business.listing_call import ListingCall
from glassloop.extensions.business.periods import Compare, Period, find_period
from glassloop.extensions.business.report import BusinessReport, PeriodComparison, percent
from glassloop.extensions.business.snapshot import Snapshot

_COLUMNS = {"revenue": "revenue_cents", "cost_of_sales": "cost_of_sales_cents", "expense": "expenses_cents"}
_UNPAID = ("overdue", "payable", "receivable")
_OF_UNPAID = ("company", "min_days_overdue")
MAX_DAYS_OVERDUE = 36_500


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
    if trend == "month" and call.snapshot.is_empty("biz_stock_months"):
        call.snapshot.notes.append("biz_stock_months is empty or was never imported: there is no trend.")
    if trend == "month":
        report.trend = call.snapshot.query("stock_months", over_time, months=_months(over_time))
        running = call.trend_label(report.trend)
        report.trend_label = f"at the end of each month{f'; {running}' if running else ''}"
    return report


def financial_summary(call: ListingCall) -> BusinessReport:
    """Profit and loss by line; of the whole company with balances and open invoices, or these one by one."""
    period, section = call.whole_period, call["section"]
    if section in _UNPAID:
        return _unpaid(call)
    if given := [name for name in _OF_UNPAID if call[name]]:
        raise BadArguments(f"{given[0]} picks unpaid invoices: give section overdue, payable or receivable with it.")
    _ = call.where
    whole = section in ("all", "margins") and not call["category"]
    sections = _sections(call)
    report = call.report(lambda row: _with_profits(row, sections, whole=whole))
    report.rows = [_as_line(row) for row in report.rows]
    if section == "margins":
        report.rows, report.of, report.grouped = (), None, False
    elif whole and report.totals:
        end = (period.end or call.snapshot.today).isoformat()
        report.tables["balances"] = call.snapshot.query("balances", values={"day": end})
        report.tables["open_invoices"] = call.snapshot.query("open_invoices", values={"day": end})
    return report


def _stock_before(snapshot: Snapshot, where: Conditions, compare: Compare) -> PeriodComparison | None:
    """The value at the end of an earlier month; none where it was not kept."""
    month = f"{find_period('this_month', '', '', default='', today=snapshot.today).against(compare).start}"[:7]
    end = find_period(None, month, month, default="", today=snapshot.today).end
    first = snapshot.one("SELECT min(month) AS month FROM biz_stock_months")["month"]
    if first is None or month < first:
        snapshot.notes.append(f"Not compared: stock at the end of {month} is not in the data.")
        return None
    (totals,) = snapshot.query("stock_at", where, months=_months(where), values={"month": month})
    return PeriodComparison(Period(name=f"end of {month}", start=end, end=end), totals)


def _months(where: Conditions) -> str:
    """Month ends; with what the items are only where that is asked for, as looking it up takes most of the time."""
    return f"biz_stock_months s{' JOIN biz_items i ON i.item_id = s.item_id' if 'i.' in where.sql else ''}"


def _sections(call: ListingCall) -> Collection[str]:
    """The parts of a statement that the filters leave; one product line has sales and their cost, a kind of expense
    neither."""
    if call["section"] in _COLUMNS:
        return (call["section"],)
    if not call["category"]:
        return _COLUMNS
    return {str(row["section"]) for row in call.snapshot.query("statement_sections", call.where)}


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


def _unpaid(call: ListingCall) -> BusinessReport:
    """Invoices that are open today, the longest due first; what customers owe is never added to what we owe."""
    snapshot, section, where = call.snapshot, call["section"], _unpaid_conditions(call)
    unused = [name for name in ("category", "period", "start_date", "end_date") if call[name]]
    unused += [name for name in ("compare", "trend") if call[name] != "none"]
    if unused:
        snapshot.notes.append(f"Not used, as this is about what is unpaid today: {', '.join(unused)}.")
    report = snapshot.report("Open invoices", filters=where.filters, sort_words="longest due first")
    (report.totals,) = snapshot.query("unpaid_totals", where)
    if section == "overdue":
        report.untold = tuple(report.totals)
        report.totals |= snapshot.query("unpaid_sides", where)[0]
    rows = snapshot.query("unpaid", where, limit=call.limit)
    report.rows = [{**row, "days_overdue": _days_overdue(row["due_on"], snapshot.today)} for row in rows]
    report.of = report.totals["invoices"]
    return report


def _unpaid_conditions(call: ListingCall) -> Conditions:
    snapshot, section, where = call.snapshot, call["section"], Conditions()
    where.add("n.paid_on IS NULL", {"status": "unpaid"})
    if section == "overdue":
        where.add("n.due_on < :as_of", {"status": "past due"})
    else:
        where.add("n.kind = :kind", {"kind": section}, kind=section)
    if call["company"]:
        key, name = snapshot.find("company", call["company"])
        where.add("n.party_id = :company", {"company": f"{key} {name}"}, company=key)
    if least := call["min_days_overdue"]:
        if not 0 < least <= MAX_DAYS_OVERDUE:
            raise BadArguments(f"min_days_overdue is {least}: give 1 to {MAX_DAYS_OVERDUE:,}.")
        last = snapshot.today - timedelta(least)
        where.add("n.due_on <= :last_due", {"min_days_overdue": least}, last_due=last.isoformat())
    return where


def _days_overdue(due_on: str, today: date) -> int:
    return max((today - date.fromisoformat(str(due_on)[:10])).days, 0)
