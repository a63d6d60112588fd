"""The tools for stock and money."""

# Queries are put together from this extension's own text only; what a caller gives is a parameter.
# ruff: noqa: S608

from collections.abc import Collection
from typing import Annotated, Literal

from glassloop.core.records import ToolResult
from glassloop.extensions.business.desk import Business, Desk, Groups, Listing, Where, Wish
from glassloop.extensions.business.parameters import CompareTo, EndDate, Limit, PeriodIs, StartDate, TrendBy
from glassloop.extensions.business.periods import Compare, Period, find_period
from glassloop.extensions.business.report import Compared, percent
from glassloop.extensions.business.source import Row
from glassloop.tools.tool import ToolContext

StockSort = Literal["value", "quantity", "shortage", "name"]
ItemKind = Literal["any", "material", "finished", "spare"]
Section = Literal["all", "revenue", "cost_of_sales", "expense", "overdue", "payable", "receivable"]

_LOW = "i.reorder_point > 0 AND s.quantity < i.reorder_point AND i.kind <> 'finished'"
_STOCK_FROM = "FROM biz_stock s JOIN biz_items i ON i.item_id = s.item_id"
_STOCK_SORTS = {
    "value": "s.value_cents DESC, s.item_id, s.warehouse_id",
    "quantity": "s.quantity DESC, s.item_id, s.warehouse_id",
    "shortage": "i.reorder_point - s.quantity DESC, s.item_id, s.warehouse_id",
    "name": "i.name, s.warehouse_id",
}
_SUM = "coalesce(sum(CASE WHEN l.account_type = '{kind}' THEN {side} ELSE 0 END), 0)"
_REVENUE = _SUM.format(kind="revenue", side="l.credit_cents - l.debit_cents")
_COST = _SUM.format(kind="cost_of_sales", side="l.debit_cents - l.credit_cents")
_EXPENSE = _SUM.format(kind="expense", side="l.debit_cents - l.credit_cents")
_FINANCE = Listing(
    title="Financial summary",
    base="biz_ledger_days l",
    day="l.posted_on",
    totals=f"{_REVENUE} AS revenue_cents, {_COST} AS cost_of_sales_cents, {_EXPENSE} AS expenses_cents",
    columns="l.account",
    order="1",
)
_COLUMNS = {"revenue": "revenue_cents", "cost_of_sales": "cost_of_sales_cents", "expense": "expenses_cents"}
_SECTIONS = "l.account_type IN ('revenue', 'cost_of_sales', 'expense')"
_BALANCES = "'Cash', 'Accounts receivable', 'Inventory', 'Accounts payable'"
_STATEMENT = "CASE g.section WHEN 'revenue' THEN 1 WHEN 'cost_of_sales' THEN 2 ELSE 3 END"
"""The order in which people read a statement."""


class FinanceTools:
    """Methods that become tools."""

    def __init__(self, business: Business) -> None:
        self._business = business

    def get_inventory_levels(
        self,
        context: ToolContext,
        warehouse_id: Annotated[str, "One warehouse: its id (WH-001) or name. Else all."] = "",
        item: Annotated[str, "One item: its id (MAT-0001) or name."] = "",
        category: Annotated[str, "One category of items, such as Resins or Housings."] = "",
        kind: Annotated[ItemKind, "Materials that are bought, finished goods, or spare parts."] = "any",
        below_reorder_point: Annotated[bool, "Only what must be bought again (reorder point, 补货, 再订货点)."] = False,
        compare: Annotated[
            Compare, "Compare the value with the end of the last month, or of the month a year before."
        ] = "none",
        trend: Annotated[Literal["none", "month"], "The value at the end of each month."] = "none",
        sort: StockSort = "value",
        limit: Limit = 20,
    ) -> ToolResult:
        """Stock and inventory in warehouses (库存, 仓库, 物料): quantity, value, what is below its reorder point."""
        with self._business.desk(context) as desk:
            where = Where()
            desk.only(where, "s.warehouse_id", "warehouse", warehouse_id)
            desk.only(where, "s.item_id", "item", item)
            desk.only_value(where, "i.category", "category", category, "biz_items")
            where.equal("i.kind", "kind", kind)
            over_time = where.within("s.month", Period(name="all"))
            if below_reorder_point:
                where.add(_LOW, {"below_reorder_point": True})
                if trend != "none":
                    desk.notes.append("The trend is of all stock: reorder points were not kept by month.")
                if compare != "none":
                    desk.notes.append("The comparison was left out: reorder points were not kept by month.")
            report = desk.report("Stock", filters=where.filters)
            report.totals, report.rows = _levels(desk, where, sort, desk.bounded(limit))
            report.of = report.totals["positions"]
            if compare != "none" and not below_reorder_point:
                report.compared = _stock_before(desk, over_time, compare)
            if trend == "month":
                report.trend = _month_ends(desk, over_time)
            return report.result()

    def get_financial_summary(
        self,
        context: ToolContext,
        section: Annotated[
            Section,
            "Only revenue, cost of sales or expenses; or unpaid invoices, one by one: overdue (past due, 逾期), "
            "payable (vendor invoices, supplier invoices, we owe, 应付), receivable (customer invoices, owe us, 应收).",
        ] = "all",
        category: Annotated[str, "Only one product line or kind of expense, such as Medical or Payroll."] = "",
        period: PeriodIs = None,
        start_date: StartDate = "",
        end_date: EndDate = "",
        compare: CompareTo = "none",
        trend: TrendBy = "none",
        limit: Limit = 30,
    ) -> ToolResult:
        """Financial summary (财务, 利润, 毛利, 收入, 费用, 应付, 应收, 逾期发票): revenue, costs, profit and loss,
        expenses, margin, cash, unpaid and overdue invoices: vendor invoices that we owe, customer invoices owed us."""
        with self._business.desk(context) as desk:
            wanted = find_period(period, start_date, end_date, default="this_month", today=desk.today)
            if section in ("overdue", "payable", "receivable"):
                return _unpaid(desk, section, desk.bounded(limit))
            where = Where()
            where.add(_SECTIONS)
            where.equal("l.account_type", "section", section)
            desk.only_value(where, "l.category", "category", category, f"biz_ledger_days l WHERE {_SECTIONS}")
            whole = section == "all" and not category
            sections = _sections(desk, where, section)
            wish = Wish(
                period=wanted, limit=limit, compare=compare, trend=trend,
                derive=lambda row: _with_profits(row, sections, whole=whole),
                groups=Groups("l.account_type AS section, l.category AS category"),
                order=f"{_STATEMENT}, abs(g.revenue_cents + g.cost_of_sales_cents + g.expenses_cents) DESC, 2",
            )  # fmt: skip
            report = desk.answer(_FINANCE, where, wish)
            report.rows = [_as_line(row) for row in report.rows]
            if whole:
                report.tables["balances"] = _balances(desk, wanted)
                report.tables["open_invoices"] = _open_invoices(desk)
            return report.result()


def _levels(desk: Desk, where: Where, sort: StockSort, limit: int) -> tuple[Row, list[Row]]:
    totals = desk.one(
        "SELECT count(*) AS positions, coalesce(sum(s.value_cents), 0) AS value_cents, "
        f"coalesce(sum(CASE WHEN {_LOW} THEN 1 ELSE 0 END), 0) AS below_reorder_point {_STOCK_FROM} {where.sql}",
        where.values,
    )
    rows = desk.rows(
        "SELECT s.item_id, i.name AS item, s.warehouse_id, s.quantity, i.unit, s.value_cents, i.reorder_point, "
        f"CASE WHEN {_LOW} THEN 'yes' ELSE 'no' END AS low, i.category, s.last_moved_on {_STOCK_FROM} {where.sql} "
        f"ORDER BY {_STOCK_SORTS[sort]} LIMIT {limit:d}",
        where.values,
    )
    return totals, rows


def _stock_before(desk: Desk, where: Where, compare: Compare) -> Compared:
    """The value at the end of an earlier month."""
    month = find_period("this_month", "", "", default="", today=desk.today)
    before = month.against(compare)
    end = find_period(None, f"{before.start}"[:7], f"{before.start}"[:7], default="", today=desk.today)
    values = {**where.values, "month": f"{before.start}"[:7]}
    condition = f"{where.sql} AND" if where.sql else "WHERE"
    totals = desk.one(
        f"SELECT coalesce(sum(s.value_cents), 0) AS value_cents FROM {_months(where)} {condition} s.month = :month",
        values,
    )
    return Compared(Period(name=f"end of {values['month']}", start=end.end, end=end.end), totals)


def _month_ends(desk: Desk, where: Where) -> list[Row]:
    return desk.rows(
        f"SELECT s.month, sum(s.value_cents) AS value_cents FROM {_months(where)} {where.sql} "
        "GROUP BY s.month ORDER BY s.month",
        where.values,
    )


def _months(where: Where) -> str:
    """Month ends; with what the items are only where that is asked for, as looking it up takes most of the time."""
    named = "biz_stock_months s JOIN biz_items i ON i.item_id = s.item_id"
    return named if "i." in where.sql else "biz_stock_months s"


def _sections(desk: Desk, where: Where, section: Section) -> Collection[str]:
    """The parts of a statement that the filters leave; one product line has sales and their cost, a kind of expense
    neither."""
    if section != "all":
        return (section,)
    if "category" not in where.values:
        return _COLUMNS
    query = "SELECT DISTINCT l.account_type AS section FROM biz_ledger_days l"
    return {str(row["section"]) for row in desk.rows(f"{query} {where.sql}", where.values)}


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


def _balances(desk: Desk, period: Period) -> list[Row]:
    """What the main accounts held at the end of the period."""
    end = period.end or desk.today
    return desk.rows(
        "SELECT account, :day AS day, CASE WHEN account_type = 'asset' THEN sum(debit_cents - credit_cents) "
        f"ELSE sum(credit_cents - debit_cents) END AS balance_cents FROM biz_ledger_days "
        f"WHERE account IN ({_BALANCES}) AND posted_on <= :day GROUP BY account, account_type ORDER BY account",
        {"day": end.isoformat()},
    )


def _unpaid(desk: Desk, section: Section, limit: int) -> ToolResult:
    """Invoices that are open today, the longest due first."""
    where = Where()
    where.add("n.paid_on IS NULL", {"status": "unpaid"})
    if section == "overdue":
        where.add("n.due_on < :as_of", {"status": "past due"})
    else:
        where.equal("n.kind", "kind", section)
    report = desk.report("Open invoices", filters=where.filters)
    report.totals = desk.one(
        "SELECT count(*) AS invoices, coalesce(sum(n.amount_cents), 0) AS amount_cents, "
        "coalesce(sum(CASE WHEN n.due_on < :as_of THEN 1 ELSE 0 END), 0) AS overdue_invoices, "
        "coalesce(sum(CASE WHEN n.due_on < :as_of THEN n.amount_cents ELSE 0 END), 0) AS overdue_cents "
        f"FROM biz_invoices n {where.sql}",
        where.values,
    )
    report.rows = desk.rows(
        "SELECT n.invoice_id, n.kind, coalesce(v.name, c.name) AS company, n.due_on, n.amount_cents, n.reference, "
        "n.issued_on FROM biz_invoices n LEFT JOIN biz_vendors v ON v.vendor_id = n.party_id "
        f"LEFT JOIN biz_customers c ON c.customer_id = n.party_id {where.sql} "
        f"ORDER BY n.due_on, n.invoice_id LIMIT {limit:d}",
        where.values,
    )
    report.of = report.totals["invoices"]
    return report.result()


def _open_invoices(desk: Desk) -> list[Row]:
    return desk.rows(
        "SELECT kind, count(*) AS invoices, sum(amount_cents) AS amount_cents, "
        "sum(CASE WHEN due_on < :as_of THEN 1 ELSE 0 END) AS overdue_invoices, "
        "sum(CASE WHEN due_on < :as_of THEN amount_cents ELSE 0 END) AS overdue_cents "
        "FROM biz_invoices WHERE kind IN ('payable', 'receivable') AND paid_on IS NULL GROUP BY kind ORDER BY kind"
    )
