"""Orders, procurement, vendors and prices: every filter, against figures worked out from the plain rows."""

from collections import defaultdict
from typing import Any

import pytest

AS_OF = "2026-11-15"


def is_late(order: Any) -> bool:
    return order.status in ("open", "partial") and order.due_on < AS_OF


def figures(orders: list[Any]) -> dict[str, Any]:
    return {
        "orders": len(orders),
        "ordered": sum(order.total_cents for order in orders) / 100,
        "received": sum(order.received_cents for order in orders) / 100,
        "not_complete": sum(order.status in ("open", "partial") for order in orders),
        "late": sum(map(is_late, orders)),
    }


def newest(orders: list[Any]) -> list[str]:
    return [order.order_id for order in sorted(orders, key=lambda o: (o.ordered_on, o.order_id), reverse=True)]


def with_item(company, item: str) -> set[str]:
    return {line.order_id for line in company["purchase_lines"] if line.item_id == item}


ORDER_FILTERS = [
    ({}, lambda o, c: o.ordered_on >= "2026-08-18"),
    ({"period": "all"}, lambda o, c: True),
    ({"period": "today"}, lambda o, c: o.ordered_on == "2026-11-15"),
    ({"period": "yesterday"}, lambda o, c: o.ordered_on == "2026-11-14"),
    ({"period": "this_week"}, lambda o, c: o.ordered_on >= "2026-11-09"),
    ({"period": "last_week"}, lambda o, c: "2026-11-02" <= o.ordered_on <= "2026-11-08"),
    ({"period": "this_month"}, lambda o, c: o.ordered_on >= "2026-11-01"),
    ({"period": "last_month"}, lambda o, c: o.ordered_on[:7] == "2026-10"),
    ({"period": "this_quarter"}, lambda o, c: o.ordered_on >= "2026-10-01"),
    ({"period": "last_quarter"}, lambda o, c: "2026-07" <= o.ordered_on[:7] <= "2026-09"),
    ({"period": "this_year"}, lambda o, c: o.ordered_on[:4] == "2026"),
    ({"period": "last_year"}, lambda o, c: o.ordered_on[:4] == "2025"),
    ({"period": "last_7_days"}, lambda o, c: o.ordered_on >= "2026-11-09"),
    ({"period": "last_30_days"}, lambda o, c: o.ordered_on >= "2026-10-17"),
    ({"period": "last_12_months"}, lambda o, c: o.ordered_on >= "2025-11-16"),
    ({"start_date": "2026-03-05", "end_date": "2026-04-02"}, lambda o, c: "2026-03-05" <= o.ordered_on <= "2026-04-02"),
    ({"start_date": "2026-03", "end_date": "2026-Q2"}, lambda o, c: "2026-03" <= o.ordered_on[:7] <= "2026-06"),
    ({"start_date": "2025", "end_date": "2025"}, lambda o, c: o.ordered_on[:4] == "2025"),
    ({"start_date": "2026-09-01"}, lambda o, c: o.ordered_on >= "2026-09-01"),
    ({"end_date": "2025-01"}, lambda o, c: o.ordered_on <= "2025-01-31"),
    ({"status": "open"}, lambda o, c: o.status == "open"),
    ({"status": "partial"}, lambda o, c: o.status == "partial"),
    ({"status": "late"}, lambda o, c: is_late(o)),
    ({"status": "received", "period": "last_month"},
     lambda o, c: o.status == "received" and o.ordered_on[:7] == "2026-10"),
    ({"status": "cancelled", "period": "all"}, lambda o, c: o.status == "cancelled"),
    ({"vendor": "v-003", "period": "all"}, lambda o, c: o.vendor_id == "V-003"),
    ({"category": "packaging", "period": "all"}, lambda o, c: o.category == "Packaging"),
    ({"warehouse_id": "WH-004", "period": "all"}, lambda o, c: o.warehouse_id == "WH-004"),
    ({"warehouse_id": "monterrey", "period": "all"}, lambda o, c: o.warehouse_id == "WH-004"),
    ({"item": "MAT-0001", "period": "all"}, lambda o, c: o.order_id in with_item(c, "MAT-0001")),
    ({"min_amount": 20000.5, "period": "all"}, lambda o, c: o.total_cents >= 2000050),
    (
        {"vendor": "V-003", "warehouse_id": "WH-001", "status": "received", "min_amount": 100, "period": "this_year"},
        lambda o, c: (o.vendor_id, o.warehouse_id, o.status) == ("V-003", "WH-001", "received")
        and o.ordered_on[:4] == "2026" and o.total_cents >= 10000,
    ),
]  # fmt: skip


@pytest.mark.parametrize(("args", "wanted"), ORDER_FILTERS, ids=[str(args) for args, _ in ORDER_FILTERS])
async def test_purchase_orders_by_every_filter(ask, company, args, wanted) -> None:
    orders = [order for order in company["purchase_orders"] if wanted(order, company)]
    found = await ask("get_purchase_orders", **args, limit=200)
    assert found["totals"] == figures(orders)
    assert [row["order_id"] for row in found["rows"]] == newest(orders)[:200]
    assert (found["shown"], found["row_count"]) == (min(200, len(orders)), len(orders))


async def test_a_row_of_an_order_says_what_the_order_is(ask, company) -> None:
    (row,) = (await ask("get_purchase_orders", status="late", limit=1))["rows"]
    order = next(order for order in company["purchase_orders"] if order.order_id == row["order_id"])
    vendor = next(vendor for vendor in company["vendors"] if vendor.vendor_id == order.vendor_id)
    assert row == {
        "order_id": order.order_id, "vendor": vendor.name, "status": order.status, "ordered_on": order.ordered_on,
        "due_on": order.due_on, "received_on": None, "total": order.total_cents / 100,
        "warehouse_id": order.warehouse_id, "late": "yes", "category": order.category, "buyer": order.buyer,
        "vendor_id": order.vendor_id,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("sort", "key"),
    [
        ("newest", lambda o: ([-ord(c) for c in o.ordered_on], [-ord(c) for c in o.order_id])),
        ("largest", lambda o: (-o.total_cents, o.order_id)),
        ("due", lambda o: (o.due_on, o.order_id)),
    ],
)
async def test_orders_can_be_sorted(ask, company, sort, key) -> None:
    orders = sorted((o for o in company["purchase_orders"] if o.ordered_on[:4] == "2026"), key=key)
    found = await ask("get_purchase_orders", period="this_year", sort=sort, limit=15)
    assert [row["order_id"] for row in found["rows"]] == [order.order_id for order in orders[:15]]


async def test_orders_compared_with_the_quarter_before_and_with_the_year_before(ask, company) -> None:
    def between(first: str, last: str) -> dict[str, Any]:
        return figures([o for o in company["purchase_orders"] if first <= o.ordered_on <= last])

    now = between("2026-07-01", "2026-09-30")
    for compare, first, last in (
        ("previous_period", "2026-04-01", "2026-06-30"),
        ("last_year", "2025-07-01", "2025-09-30"),
    ):
        found = await ask("get_purchase_orders", period="last_quarter", compare=compare)
        before = between(first, last)
        comparison = found["comparison"]
        assert (comparison["period"]["from"], comparison["period"]["to"]) == (first, last)
        assert comparison["totals"] == before
        assert comparison["change"]["orders"] == now["orders"] - before["orders"]
        change = (now["ordered"] - before["ordered"]) / before["ordered"] * 100
        assert comparison["change"]["ordered_percent"] == round(change, 1)


async def test_orders_by_month_and_by_day_add_up(ask, company) -> None:
    for trend, chars in (("month", 7), ("day", 10)):
        groups = defaultdict(list)
        for order in company["purchase_orders"]:
            if "2026-07-01" <= order.ordered_on <= "2026-09-30":
                groups[order.ordered_on[:chars]].append(order)
        found = await ask("get_purchase_orders", period="last_quarter", trend=trend)
        assert found["trend"] == [{trend: key, **figures(groups[key])} for key in sorted(groups)]


async def test_one_order_comes_with_its_lines_and_receipts(ask, refuse, company) -> None:
    order = next(o for o in company["purchase_orders"] if o.status == "received")
    found = await ask("get_purchase_orders", order_id=order.order_id.lower())
    assert found["totals"] == figures([order])
    lines = [line for line in company["purchase_lines"] if line.order_id == order.order_id]
    assert [(row["line_no"], row["amount"]) for row in found["lines"]] == [
        (line.line_no, line.amount_cents / 100) for line in lines
    ]
    receipts = {r.receipt_id for r in company["receipts"] if r.order_id == order.order_id}
    assert {row["receipt_id"] for row in found["receipts"]} == receipts
    assert "no purchase order 'PO-99999'" in await refuse("get_purchase_orders", order_id="PO-99999")


def summed(orders: list[Any]) -> dict[str, Any]:
    """A summary as totals tell it: with the base of its ratio."""
    found = summary(orders)
    return found | (
        {"on_time_of": f"{found['complete_on_time']:,} of {found['complete']:,}"} if found["complete"] else {}
    )


def summary(orders: list[Any]) -> dict[str, Any]:
    complete = [order for order in orders if order.status == "received"]
    on_time = [order for order in complete if order.received_on <= order.due_on]
    rate = round(len(on_time) / len(complete) * 100, 1) if complete else None
    return figures(orders) | {
        "complete": len(complete), "complete_on_time": len(on_time), "on_time_percent": rate,
    }  # fmt: skip


KEYS = {
    "category": lambda o, v: {"category": o.category},
    "vendor": lambda o, v: {"vendor_id": o.vendor_id, "vendor": v[o.vendor_id].name},
    "warehouse": lambda o, v: {"warehouse_id": o.warehouse_id},
    "month": lambda o, v: {"month": o.ordered_on[:7]},
    "status": lambda o, v: {"status": o.status},
    "buyer": lambda o, v: {"buyer": o.buyer},
    "country": lambda o, v: {"country": v[o.vendor_id].country},
}


@pytest.mark.parametrize("group_by", KEYS)
async def test_procurement_by_every_group(ask, company, group_by) -> None:
    vendors = {vendor.vendor_id: vendor for vendor in company["vendors"]}
    orders = [o for o in company["purchase_orders"] if o.ordered_on[:4] == "2026" and o.status != "cancelled"]
    groups: dict[Any, list[Any]] = defaultdict(list)
    for order in orders:
        groups[tuple(KEYS[group_by](order, vendors).items())].append(order)
    rows = [dict(key) | summary(several) for key, several in groups.items()]
    if group_by == "month":
        rows.sort(key=lambda row: row["month"])
    else:
        rows.sort(key=lambda row: (-row["ordered"], next(iter(row.values()))))
    found = await ask("get_procurement_summary", group_by=group_by, limit=100)
    assert found["totals"] == summed(orders)
    assert found["rows"] == rows
    assert found["filters"] == {"cancelled_orders": "left out", "grouped_by": group_by}


PROCUREMENT_FILTERS = [
    ({"vendor": "V-001"}, lambda o: o.vendor_id == "V-001"),
    ({"category": "Resins"}, lambda o: o.category == "Resins"),
    ({"warehouse_id": "WH-005"}, lambda o: o.warehouse_id == "WH-005"),
]


@pytest.mark.parametrize(("args", "wanted"), PROCUREMENT_FILTERS, ids=[str(args) for args, _ in PROCUREMENT_FILTERS])
async def test_procurement_by_every_filter_with_comparison_and_trend(ask, company, args, wanted) -> None:
    def in_month(month: str) -> list[Any]:
        orders = [o for o in company["purchase_orders"] if o.ordered_on[:7] == month and o.status != "cancelled"]
        return [order for order in orders if wanted(order)]

    found = await ask(
        "get_procurement_summary", **args, period="last_month", compare="previous_period", trend="month"
    )  # fmt: skip
    assert found["totals"] == summed(in_month("2026-10"))
    assert found["comparison"]["totals"] == summed(in_month("2026-09"))
    assert found["trend"] == [{"month": "2026-10", **summary(in_month("2026-10"))}]


def on_time_share(row: dict[str, Any]) -> float:
    return row["complete_on_time"] / row["complete"] if row["complete"] else -1.0


RANKS = {
    "spend": lambda row: (-row["ordered"], row["vendor_id"]),
    "orders": lambda row: (-row["orders"], row["vendor_id"]),
    "late": lambda row: (-row["late"], -row["ordered"], row["vendor_id"]),
    "on_time": lambda row: (-on_time_share(row), -row["ordered"], row["vendor_id"]),
}


@pytest.mark.parametrize("by", RANKS)
@pytest.mark.parametrize("args", [{}, {"category": "Colorants"}, {"warehouse_id": "WH-001"}], ids=str)
async def test_top_vendors_by_every_rank_and_filter(ask, company, by, args) -> None:
    vendors = {vendor.vendor_id: vendor for vendor in company["vendors"]}
    groups = defaultdict(list)
    for order in company["purchase_orders"]:
        inside = order.ordered_on >= "2025-11-16" and order.status != "cancelled"
        if inside and all(getattr(order, name) == value for name, value in args.items()):
            groups[order.vendor_id].append(order)
    total = sum(order.total_cents for several in groups.values() for order in several)
    rows = [
        {"vendor_id": key, "vendor": vendors[key].name, "category": vendors[key].category} | summary(several)
        for key, several in groups.items()
    ]
    rows.sort(key=RANKS[by])
    expected = [
        {"rank": rank, **row, "share_percent": round(row["ordered"] * 100 / total * 100, 1)}
        for rank, row in enumerate(rows[:4], 1)
    ]
    found = await ask("get_top_vendors", by=by, **args, limit=4)
    assert found["rows"] == expected


async def test_top_vendors_compared_and_by_period(ask, company) -> None:
    def of(year: str) -> dict[str, Any]:
        return summed([o for o in company["purchase_orders"] if o.ordered_on[:4] == year and o.status != "cancelled"])

    found = await ask("get_top_vendors", start_date="2025-01-01", end_date="2025-12-31", compare="previous_period")
    assert found["totals"] == of("2025")
    assert found["comparison"]["period"] == {"name": "the period before", "from": "2024-01-01", "to": "2024-12-31"}
    assert found["comparison"]["totals"] == of("2024")
    assert (await ask("get_top_vendors", period="last_year"))["rows"] == found["rows"]
    assert (await ask("get_procurement_summary", start_date="2025", end_date="2025-12"))["totals"] == of("2025")


def price_on(steps: list[tuple[str, int]], day: str) -> int:
    before = [cents for since, cents in steps if since <= day]
    return before[-1] if before else steps[0][1]


def expected_prices(company, start: str, end: str, wanted) -> list[dict[str, Any]]:
    vendors = {vendor.vendor_id: vendor for vendor in company["vendors"]}
    items = {item.item_id: item for item in company["items"]}
    steps = defaultdict(list)
    for price in sorted(company["prices"], key=lambda price: price.effective_on):
        if wanted(price, vendors[price.vendor_id]):
            steps[price.vendor_id, price.item_id].append((price.effective_on, price.unit_price_cents))
    rows = []
    for (vendor, item), known in steps.items():
        first, last = price_on(known, start), price_on(known, end)
        rows.append(
            {
                "vendor": vendors[vendor].name, "item": items[item].name, "first_price": first / 100,
                "last_price": last / 100, "change_percent": round((last - first) / first * 100, 1),
                "unit": items[item].unit, "changes": sum(start < since <= end for since, _ in known),
                "vendor_id": vendor, "item_id": item, "ratio": (last - first) / first,
            }
        )  # fmt: skip
    return rows


PRICE_FILTERS = [
    ({}, "2025-11-16", "2026-11-15", lambda p, v: True),
    ({"item": "MAT-0004"}, "2025-11-16", "2026-11-15", lambda p, v: p.item_id == "MAT-0004"),
    ({"vendor": "V-006"}, "2025-11-16", "2026-11-15", lambda p, v: p.vendor_id == "V-006"),
    ({"category": "inserts"}, "2025-11-16", "2026-11-15", lambda p, v: v.category == "Inserts"),
    ({"period": "last_quarter"}, "2026-07-01", "2026-09-30", lambda p, v: True),
    ({"start_date": "2025-02", "end_date": "2025-08"}, "2025-02-01", "2025-08-31", lambda p, v: True),
]


@pytest.mark.parametrize(
    ("args", "start", "end", "wanted"), PRICE_FILTERS, ids=[str(case[0]) for case in PRICE_FILTERS]
)
async def test_price_changes_by_every_filter(ask, company, args, start, end, wanted) -> None:
    rows = expected_prices(company, start, end, wanted)
    average = sum(row["ratio"] for row in rows) / len(rows)
    found = await ask("get_vendor_price_trends", **args, limit=200)
    totals = found["totals"]
    assert totals["prices"] == len(rows)
    assert totals["raised"] == sum(row["ratio"] > 0 for row in rows)
    assert totals["lowered"] == sum(row["ratio"] < 0 for row in rows)
    assert totals["average_change_percent"] == pytest.approx(average * 100, abs=0.06)
    ordered = sorted(rows, key=lambda row: (-row["ratio"], row["vendor"], row["item_id"]))
    assert found["rows"] == [{k: v for k, v in row.items() if k != "ratio"} for row in ordered[:200]]


@pytest.mark.parametrize(
    ("sort", "key"),
    [
        ("largest_decrease", lambda row: (row["ratio"], row["vendor"], row["item_id"])),
        ("name", lambda row: (row["vendor"], row["item"])),
    ],
)
async def test_price_changes_can_be_sorted(ask, company, sort, key) -> None:
    rows = sorted(expected_prices(company, "2025-11-16", "2026-11-15", lambda p, v: True), key=key)
    found = await ask("get_vendor_price_trends", sort=sort, limit=9)
    assert [(row["vendor_id"], row["item_id"]) for row in found["rows"]] == [
        (row["vendor_id"], row["item_id"]) for row in rows[:9]
    ]


@pytest.mark.parametrize("vendor", ["", "V-002"])
async def test_the_price_paid_for_an_item_by_month(ask, company, vendor) -> None:
    orders = {order.order_id: order for order in company["purchase_orders"]}
    months: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    for receipt in company["receipts"]:
        mine = not vendor or orders[receipt.order_id].vendor_id == vendor
        if receipt.item_id == "MAT-0001" and receipt.received_on[:4] == "2026" and mine:
            months[receipt.received_on[:7]][0] += receipt.quantity
            months[receipt.received_on[:7]][1] += receipt.amount_cents
    found = await ask("get_vendor_price_trends", item="ABS 757K", vendor=vendor, period="this_year", trend="month")
    assert found.get("trend", []) == [
        {"month": month, "quantity": pieces, "amount": cents / 100, "unit_price": round(cents / pieces / 100, 4)}
        for month, (pieces, cents) in sorted(months.items())
    ]


async def test_a_price_trend_without_an_item_is_left_out_and_said(ask) -> None:
    found = await ask("get_vendor_price_trends", trend="month", limit=1)
    assert "trend" not in found
    assert found["notes"] == ["The trend was left out: it needs an item."]
