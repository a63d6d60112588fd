"""The tools for what is bought: orders, prices, vendors."""

# Queries are put together from this extension's own text only; what a caller gives is a parameter.
# ruff: noqa: S608

from typing import Annotated, Literal

from glassloop.core.errors import BadArguments
from glassloop.core.records import ToolResult
from glassloop.extensions.business.desk import Business, Desk, Groups, Listing, Trend, Where, Wish, clean
from glassloop.extensions.business.parameters import CompareTo, EndDate, Limit, PeriodIs, StartDate, TrendBy
from glassloop.extensions.business.periods import Period, find_period
from glassloop.extensions.business.report import Ratio, percent
from glassloop.extensions.business.source import Row
from glassloop.tools.tool import ToolContext

OrderStatus = Literal["any", "open", "partial", "received", "cancelled", "late"]
OrderSort = Literal["newest", "largest", "due"]
GroupBy = Literal["category", "vendor", "warehouse", "month", "status", "buyer", "country"]
VendorSort = Literal["spend", "orders", "late", "on_time"]
PriceSort = Literal["largest_increase", "largest_decrease", "name"]

_LATE = "o.status IN ('open', 'partial') AND o.due_on < :as_of"
_ON_TIME = "o.status = 'received' AND o.received_on <= o.due_on"
_ORDERS = Listing(
    title="Purchase orders",
    base="biz_purchase_orders o",
    joins="LEFT JOIN biz_vendors v ON v.vendor_id = o.vendor_id",
    day="o.ordered_on",
    totals=(
        "count(*) AS orders, coalesce(sum(o.total_cents), 0) AS ordered_cents, "
        "coalesce(sum(o.received_cents), 0) AS received_cents, "
        "coalesce(sum(CASE WHEN o.status IN ('open', 'partial') THEN 1 ELSE 0 END), 0) AS not_complete, "
        f"coalesce(sum(CASE WHEN {_LATE} THEN 1 ELSE 0 END), 0) AS late"
    ),
    columns=(
        "o.order_id, v.name AS vendor, o.status, o.ordered_on, o.due_on, o.received_on, o.total_cents, "
        f"o.warehouse_id, CASE WHEN {_LATE} THEN 'yes' ELSE 'no' END AS late, o.category, o.buyer, o.vendor_id"
    ),
    order="o.ordered_on DESC, o.order_id DESC",
)
_SUMMARY = Listing(
    title="Procurement",
    base=_ORDERS.base,
    joins=_ORDERS.joins,
    day=_ORDERS.day,
    totals=(
        f"{_ORDERS.totals}, coalesce(sum(CASE WHEN o.status = 'received' THEN 1 ELSE 0 END), 0) AS complete, "
        f"coalesce(sum(CASE WHEN {_ON_TIME} THEN 1 ELSE 0 END), 0) AS complete_on_time"
    ),
    columns="o.order_id",
    order="o.order_id",
)
_ON_TIME_RATIO = Ratio("on_time", "complete_on_time", ("complete",))
_ORDER_SORTS = {
    "newest": _ORDERS.order,
    "largest": "o.total_cents DESC, o.order_id",
    "due": "o.due_on, o.order_id",
}
_VENDOR = Groups("o.vendor_id AS vendor_id", "v.name AS vendor", "LEFT JOIN biz_vendors v ON v.vendor_id = g.vendor_id")
_RANKED = Groups(_VENDOR.keys, "v.name AS vendor, v.category AS category", _VENDOR.named)
_GROUPS = {
    "category": (Groups("o.category AS category"), "g.category"),
    "vendor": (_VENDOR, "g.vendor_id"),
    "warehouse": (Groups("o.warehouse_id AS warehouse_id"), "g.warehouse_id"),
    "month": (Groups("substr(o.ordered_on, 1, 7) AS month"), "g.month"),
    "status": (Groups("o.status AS status"), "g.status"),
    "buyer": (Groups("o.buyer AS buyer"), "g.buyer"),
    "country": (Groups("v.country AS country", joins=_ORDERS.joins), "g.country"),
}
_VENDOR_SORTS = {
    "spend": "g.ordered_cents DESC, g.vendor_id",
    "orders": "g.orders DESC, g.vendor_id",
    "late": "g.late DESC, g.ordered_cents DESC, g.vendor_id",
    "on_time": "CASE WHEN g.complete = 0 THEN -1.0 ELSE g.complete_on_time * 1.0 / g.complete END DESC, "
    "g.ordered_cents DESC, g.vendor_id",
}

_RANKED_BY = {
    "spend": ("ordered_cents", "share_percent"),
    "orders": ("orders", "ordered_cents"),
    "late": ("late", "orders", "complete", "complete_on_time"),
    "on_time": ("on_time_percent", "complete_on_time", "complete"),
}

VendorIs = Annotated[str, "Only this vendor: its id (V-001) or name."]
CategoryIs = Annotated[
    str, "Only this purchasing category, such as Resins, Colorants, Inserts, Electronics or Packaging."
]
WarehouseIs = Annotated[str, "Only for this warehouse: its id (WH-001) or name."]


class PurchasingTools:
    """Methods that become tools."""

    def __init__(self, business: Business) -> None:
        self._business = business

    def get_purchase_orders(
        self,
        context: ToolContext,
        status: OrderStatus = "any",
        vendor: VendorIs = "",
        category: CategoryIs = "",
        warehouse_id: WarehouseIs = "",
        item: Annotated[str, "Only orders that have this item: its id (MAT-0001) or name."] = "",
        order_id: Annotated[str, "One order by its id, PO-00001, with its lines and receipts."] = "",
        min_amount: Annotated[float, "Only orders of at least this amount."] = 0,
        period: PeriodIs = None,
        start_date: StartDate = "",
        end_date: EndDate = "",
        compare: CompareTo = "none",
        trend: TrendBy = "none",
        sort: OrderSort = "newest",
        limit: Limit = 20,
    ) -> ToolResult:
        """Purchase orders to vendors (采购订单): how many, for how much, which are open or late (逾期, 未到货).

        Args:
            status: late (overdue, delayed, 逾期, 延迟, 延误, 延期, 迟交, 晚到, 晚了, 没到): past its due date,
                not all here; received (complete, delivered, arrived, 完成, 已到货); open (not complete, 未完成).
        """
        with self._business.desk(context) as desk:
            where = Where()
            if order_id:
                return self._one_order(desk, clean(order_id, "order_id"))
            # Whoever asks what is open or late means all of it, whenever it was ordered.
            default = "all" if status in ("open", "partial", "late") else "last_90_days"
            wanted = find_period(period, start_date, end_date, default=default, today=desk.today)
            if status == "late":
                where.add(_LATE, {"status": status}, as_of=desk.today.isoformat())
            else:
                where.equal("o.status", "status", status)
            _narrow(desk, where, vendor, category, warehouse_id)
            if item:
                key, name = desk.find("item", item)
                lines = "SELECT l.order_id FROM biz_purchase_lines l WHERE l.item_id = :item"
                where.add(f"o.order_id IN ({lines})", {"item": f"{key} {name}"}, item=key)
            where.at_least("o.total_cents", "min_amount", min_amount)
            wish = Wish(period=wanted, limit=limit, order=_ORDER_SORTS[sort], compare=compare, trend=trend)
            return desk.answer(_ORDERS, where, wish).result()

    def get_procurement_summary(
        self,
        context: ToolContext,
        group_by: GroupBy = "category",
        vendor: VendorIs = "",
        category: CategoryIs = "",
        warehouse_id: WarehouseIs = "",
        period: PeriodIs = None,
        start_date: StartDate = "",
        end_date: EndDate = "",
        compare: CompareTo = "none",
        trend: TrendBy = "none",
        limit: Limit = 20,
    ) -> ToolResult:
        """Procurement spend (采购支出, 采购汇总): orders and deliveries on time by category, vendor, month or buyer."""
        with self._business.desk(context) as desk:
            where = _without_cancelled()
            wanted = find_period(period, start_date, end_date, default="this_year", today=desk.today)
            _narrow(desk, where, vendor, category, warehouse_id)
            groups, key = _GROUPS[group_by]
            order = key if group_by == "month" else f"g.ordered_cents DESC, {key}"
            wish = Wish(
                period=wanted, limit=limit, order=order, compare=compare, trend=trend, groups=groups,
                ratios=(_ON_TIME_RATIO,),
            )  # fmt: skip
            report = desk.answer(_SUMMARY, where, wish)
            report.filters["grouped_by"] = group_by
            return report.result()

    def get_top_vendors(
        self,
        context: ToolContext,
        by: Annotated[VendorSort, "What to rank by."] = "spend",
        category: CategoryIs = "",
        warehouse_id: WarehouseIs = "",
        period: PeriodIs = None,
        start_date: StartDate = "",
        end_date: EndDate = "",
        compare: CompareTo = "none",
        limit: Annotated[int, "How many vendors."] = 5,
    ) -> ToolResult:
        """The top vendors and suppliers (供应商排名): by spend, orders, lateness or deliveries on time; their share."""
        with self._business.desk(context) as desk:
            where = _without_cancelled()
            wanted = find_period(period, start_date, end_date, default="last_12_months", today=desk.today)
            _narrow(desk, where, "", category, warehouse_id)
            wish = Wish(
                period=wanted, limit=limit, order=_VENDOR_SORTS[by], compare=compare,
                groups=_RANKED, ratios=(_ON_TIME_RATIO,),
            )  # fmt: skip
            report = desk.answer(_SUMMARY, where, wish)
            report.title = "Top vendors"
            report.filters["ranked_by"] = by
            spend = report.totals["ordered_cents"]
            ranked = [{**row, "share_percent": percent(row["ordered_cents"], spend)} for row in report.rows]
            # What they are ranked by comes first: a table shows only the first columns.
            first = ("vendor", *_RANKED_BY[by])
            report.rows = [
                {"rank": rank, **{name: row[name] for name in first}, **row} for rank, row in enumerate(ranked, 1)
            ]
            return report.result()

    def get_vendor_price_trends(
        self,
        context: ToolContext,
        item: Annotated[str, "Only this item: its id or name."] = "",
        vendor: VendorIs = "",
        category: CategoryIs = "",
        period: PeriodIs = None,
        start_date: StartDate = "",
        end_date: EndDate = "",
        trend: Annotated[Trend, "The price paid for the item by day or month; needs an item."] = "none",
        sort: PriceSort = "largest_increase",
        limit: Limit = 20,
    ) -> ToolResult:
        """How the prices of vendors changed (供应商价格, 涨价): at the start and end of a period, in percent."""
        with self._business.desk(context) as desk:
            wanted = find_period(period, start_date, end_date, default="last_12_months", today=desk.today)
            where = Where()
            key = ""
            if item:
                key, name = desk.find("item", item)
                where.add("p.item_id = :item", {"item": f"{key} {name}"}, item=key)
            seller = desk.find("vendor", vendor) if vendor else ("", "")
            if vendor:
                where.add("p.vendor_id = :vendor", {"vendor": " ".join(seller)}, vendor=seller[0])
            desk.only_value(where, "v.category", "category", category, "biz_vendors")
            if trend != "none" and not key:
                desk.notes.append("The trend was left out: it needs an item.")
            report = desk.report("Vendor prices", wanted, filters=where.filters)
            report.totals, report.rows = _price_changes(desk, where, wanted, sort, desk.bounded(limit))
            report.of = report.totals["prices"]
            if trend != "none" and key:
                report.trend = _prices_paid(desk, key, seller[0], wanted, trend)
            return report.result()

    def _one_order(self, desk: Desk, given: str) -> ToolResult:
        forms = {"a": given, "b": given.upper(), "c": given.lower()}
        found = desk.rows("SELECT order_id FROM biz_purchase_orders WHERE order_id IN (:a, :b, :c)", forms)
        if not found:
            raise BadArguments(f"There is no purchase order {given!r}: look for it by vendor, period or status.")
        order = found[0]["order_id"]
        where = Where()
        where.add("o.order_id = :order_id", {"order_id": order}, order_id=order)
        report = desk.answer(_ORDERS, where, Wish(period=Period(name="all")))
        report.tables["lines"] = desk.rows(
            "SELECT l.line_no, l.item_id, i.name AS item, l.quantity, i.unit, l.unit_price_cents, l.amount_cents, "
            "l.received_quantity FROM biz_purchase_lines l JOIN biz_items i ON i.item_id = l.item_id "
            "WHERE l.order_id = :order_id ORDER BY l.line_no",
            where.values,
        )
        report.tables["receipts"] = desk.rows(
            "SELECT receipt_id, line_no, received_on, quantity, amount_cents, warehouse_id FROM biz_receipts "
            "WHERE order_id = :order_id ORDER BY received_on, receipt_id",
            where.values,
        )
        return report.result()


def _without_cancelled() -> Where:
    where = Where()
    where.add("o.status <> 'cancelled'", {"cancelled_orders": "left out"})
    return where


def _narrow(desk: Desk, where: Where, vendor: str, category: str, warehouse: str) -> None:
    desk.only(where, "o.vendor_id", "vendor", vendor)
    desk.only_value(where, "o.category", "category", category, "biz_vendors")
    desk.only(where, "o.warehouse_id", "warehouse", warehouse)


_PRICE_SORTS = {
    "largest_increase": "change_ratio DESC, vendor, y.item_id",
    "largest_decrease": "change_ratio, vendor, y.item_id",
    "name": "vendor, item",
}


def _price_changes(desk: Desk, where: Where, period: Period, sort: PriceSort, limit: int) -> tuple[Row, list[Row]]:
    """The price in force on the first and on the last day; one that began later counts from its beginning."""
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
    totals = desk.one(
        "SELECT count(*) AS prices, coalesce(sum(CASE WHEN change_ratio > 0 THEN 1 ELSE 0 END), 0) AS raised, "
        "coalesce(sum(CASE WHEN change_ratio < 0 THEN 1 ELSE 0 END), 0) AS lowered, "
        f"avg(change_ratio) AS average FROM ({changed}) y",
        values,
    )
    average = totals.pop("average")
    totals["average_change_percent"] = None if average is None else round(float(average) * 100, 1)
    rows = desk.rows(
        "SELECT v.name AS vendor, i.name AS item, i.unit, y.first_cents, y.last_cents, y.changes, y.change_ratio, "
        f"y.vendor_id, y.item_id FROM ({changed}) y JOIN biz_vendors v ON v.vendor_id = y.vendor_id "
        f"JOIN biz_items i ON i.item_id = y.item_id ORDER BY {_PRICE_SORTS[sort]} LIMIT {limit:d}",
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


def _prices_paid(desk: Desk, item: str, vendor: str, period: Period, trend: Trend) -> list[Row]:
    """What was paid for a unit, on average, by what arrived."""
    where = Where()
    where.add("r.item_id = :item", item=item)
    if vendor:
        where.add("o.vendor_id = :vendor", vendor=vendor)
    inside = where.within("r.received_on", period)
    rows = desk.rows(
        f"SELECT substr(r.received_on, 1, {10 if trend == 'day' else 7}) AS {trend}, sum(r.quantity) AS quantity, "
        "sum(r.amount_cents) AS amount_cents FROM biz_receipts r JOIN biz_purchase_orders o "
        f"ON o.order_id = r.order_id {inside.sql} GROUP BY 1 ORDER BY 1",
        inside.values,
    )
    return [{**row, "unit_price": round(row["amount_cents"] / row["quantity"] / 100, 4)} for row in rows]
