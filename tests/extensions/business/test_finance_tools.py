"""Stock and money: every filter, against figures worked out from the plain rows."""

from collections import defaultdict
from typing import Any

import pytest


def is_low(row: Any, item: Any) -> bool:
    return item.reorder_point > 0 and row.quantity < item.reorder_point and item.kind != "finished"


STOCK_FILTERS = [
    ({}, lambda s, i: True),
    ({"warehouse_id": "WH-001"}, lambda s, i: s.warehouse_id == "WH-001"),
    ({"warehouse_id": "wh 2"}, lambda s, i: s.warehouse_id == "WH-002"),
    ({"warehouse_id": "Spare Parts Store"}, lambda s, i: s.warehouse_id == "WH-005"),
    ({"item": "MAT-0003"}, lambda s, i: s.item_id == "MAT-0003"),
    ({"item": "abs 757k"}, lambda s, i: i.name == "ABS 757K"),
    ({"category": "Resins"}, lambda s, i: i.category == "Resins"),
    ({"kind": "finished"}, lambda s, i: i.kind == "finished"),
    ({"kind": "material"}, lambda s, i: i.kind == "material"),
    ({"kind": "spare"}, lambda s, i: i.kind == "spare"),
    ({"below_reorder_point": True}, is_low),
    (
        {"warehouse_id": "WH-004", "kind": "material", "below_reorder_point": True},
        lambda s, i: s.warehouse_id == "WH-004" and i.kind == "material" and is_low(s, i),
    ),
]


@pytest.mark.parametrize(("args", "wanted"), STOCK_FILTERS, ids=[str(args) for args, _ in STOCK_FILTERS])
async def test_stock_by_every_filter(ask, company, args, wanted) -> None:
    items = {item.item_id: item for item in company["items"]}
    stock = [row for row in company["stock"] if wanted(row, items[row.item_id])]
    found = await ask("get_inventory_levels", **args, limit=200)
    assert found["totals"] == {
        "positions": len(stock),
        "value": sum(row.value_cents for row in stock) / 100,
        "below_reorder_point": sum(is_low(row, items[row.item_id]) for row in stock),
    }
    ordered = sorted(stock, key=lambda row: (-row.value_cents, row.item_id, row.warehouse_id))
    assert [(row["item_id"], row["warehouse_id"], row["quantity"]) for row in found["rows"]] == [
        (row.item_id, row.warehouse_id, row.quantity) for row in ordered
    ]
    assert found["as_of"] == "2026-11-15"


STOCK_SORTS = {
    "quantity": lambda s, i: (-s.quantity, s.item_id, s.warehouse_id),
    "shortage": lambda s, i: (s.quantity - i.reorder_point, s.item_id, s.warehouse_id),
    "name": lambda s, i: (i.name, s.warehouse_id),
}


@pytest.mark.parametrize("sort", STOCK_SORTS)
async def test_stock_can_be_sorted(ask, company, sort) -> None:
    items = {item.item_id: item for item in company["items"]}
    stock = sorted(
        (row for row in company["stock"] if items[row.item_id].kind == "material"),
        key=lambda row: STOCK_SORTS[sort](row, items[row.item_id]),
    )
    found = await ask("get_inventory_levels", kind="material", sort=sort, limit=10)
    assert [(row["item_id"], row["warehouse_id"]) for row in found["rows"]] == [
        (row.item_id, row.warehouse_id) for row in stock[:10]
    ]


def value_at_end_of(company, month: str, warehouse: str) -> float:
    moves = (m for m in company["stock_movements"] if m.warehouse_id == warehouse and m.moved_on[:7] <= month)
    return sum(move.amount_cents for move in moves) / 100


async def test_stock_over_the_months_and_compared_with_earlier_ones(ask, company) -> None:
    found = await ask("get_inventory_levels", warehouse_id="WH-001", trend="month", compare="previous_period")
    assert found["trend"][0]["month"] == "2024-11"
    assert len(found["trend"]) == 25
    assert all(row["value"] == value_at_end_of(company, row["month"], "WH-001") for row in found["trend"])
    before = value_at_end_of(company, "2026-10", "WH-001")
    assert found["comparison"]["totals"] == {"value": before}
    assert found["comparison"]["change"]["value"] == round(found["totals"]["value"] - before, 2)
    year = await ask("get_inventory_levels", warehouse_id="WH-001", compare="last_year")
    assert year["comparison"]["totals"] == {"value": value_at_end_of(company, "2025-11", "WH-001")}
    assert year["comparison"]["period"]["to"] == "2025-11-30"


def statement(entries: list[Any]) -> dict[str, Any]:
    totals: dict[str, int] = defaultdict(int)
    for entry in entries:
        totals[entry.account_type] += entry.credit_cents - entry.debit_cents
    revenue, cost, expense = totals["revenue"], -totals["cost_of_sales"], -totals["expense"]
    gross, net = revenue - cost, revenue - cost - expense
    return {
        "revenue": revenue / 100, "cost_of_sales": cost / 100, "gross_profit": gross / 100, "expenses": expense / 100,
        "net_profit": net / 100,
        "gross_margin_percent": round(gross / revenue * 100, 1) if revenue else None,
        "net_margin_percent": round(net / revenue * 100, 1) if revenue else None,
    }  # fmt: skip


def profit_and_loss(company, first: str, last: str, wanted=lambda entry: True) -> list[Any]:
    sections = ("revenue", "cost_of_sales", "expense")
    return [
        entry for entry in company["ledger"]
        if entry.account_type in sections and first <= entry.posted_on <= last and wanted(entry)
    ]  # fmt: skip


FINANCE_FILTERS = [
    ({}, "2026-11-01", "2026-11-15", lambda e: True),
    ({"period": "last_quarter"}, "2026-07-01", "2026-09-30", lambda e: True),
    ({"period": "last_year"}, "2025-01-01", "2025-12-31", lambda e: True),
    ({"period": "all"}, "2000", "2100", lambda e: True),
    ({"start_date": "2026-02-10", "end_date": "2026-02-20"}, "2026-02-10", "2026-02-20", lambda e: True),
    ({"section": "revenue", "period": "last_month"}, "2026-10-01", "2026-10-31", lambda e: e.account_type == "revenue"),
    ({"section": "cost_of_sales", "period": "last_month"}, "2026-10-01", "2026-10-31",
     lambda e: e.account_type == "cost_of_sales"),
    ({"section": "expense", "period": "last_month"}, "2026-10-01", "2026-10-31", lambda e: e.account_type == "expense"),
    ({"category": "medical", "period": "this_year"}, "2026-01-01", "2026-11-15", lambda e: e.category == "Medical"),
    ({"category": "Payroll", "period": "this_year"}, "2026-01-01", "2026-11-15", lambda e: e.category == "Payroll"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("args", "first", "last", "wanted"), FINANCE_FILTERS, ids=[str(case[0]) for case in FINANCE_FILTERS]
)
async def test_profit_and_loss_by_every_filter(ask, company, args, first, last, wanted) -> None:
    entries = profit_and_loss(company, first, last, wanted)
    found = await ask("get_financial_summary", **args, limit=100)
    expected = statement(entries)
    if "section" in args or "category" in args:
        # Profits are told where both sides of them are selected, and net ones of all there is.
        kinds = {"cost_of_sales": "cost_of_sales", "revenue": "revenue", "expense": "expenses"}
        told = {kinds[entry.account_type] for entry in entries}
        told |= {"gross_profit", "gross_margin_percent"} if {"revenue", "cost_of_sales"} <= told else set()
        expected = {name: value for name, value in expected.items() if name in told}
    assert found["totals"] == expected
    lines: dict[Any, int] = defaultdict(int)
    for entry in entries:
        sign = -1 if entry.account_type == "revenue" else 1
        lines[entry.account_type, entry.category] += sign * (entry.debit_cents - entry.credit_cents)
    assert {(row["section"], row["category"]): row["amount"] for row in found["rows"]} == {
        key: cents / 100 for key, cents in lines.items()
    }
    order = {"revenue": 1, "cost_of_sales": 2, "expense": 3}
    sections = [row["section"] for row in found["rows"]]
    assert sections == sorted(sections, key=order.__getitem__)


async def test_profit_and_loss_by_month_compared_with_the_year_before(ask, company) -> None:
    found = await ask("get_financial_summary", period="last_quarter", compare="last_year", trend="month")
    assert found["trend"] == [
        {"month": month, **statement(profit_and_loss(company, f"{month}-01", f"{month}-31"))}
        for month in ("2026-07", "2026-08", "2026-09")
    ]
    before = statement(profit_and_loss(company, "2025-07-01", "2025-09-30"))
    assert found["comparison"]["totals"] == before
    assert found["comparison"]["change"]["revenue"] == round(found["totals"]["revenue"] - before["revenue"], 2)


async def test_a_month_to_date_is_compared_with_as_many_days_of_the_month_before(ask, company) -> None:
    found = await ask("get_financial_summary", compare="previous_period", trend="day")
    assert found["comparison"]["period"] == {"name": "the period before", "from": "2026-10-01", "to": "2026-10-15"}
    assert found["comparison"]["totals"] == statement(profit_and_loss(company, "2026-10-01", "2026-10-15"))
    assert sum(row["revenue"] for row in found["trend"]) == pytest.approx(found["totals"]["revenue"])


@pytest.mark.parametrize("section", ["overdue", "payable", "receivable"])
async def test_unpaid_invoices_are_told_one_by_one_the_longest_due_first(ask, company, section) -> None:
    found = await ask("get_financial_summary", section=section, limit=5)
    unpaid = [invoice for invoice in company["invoices"] if invoice.paid_on is None]
    overdue = [invoice for invoice in unpaid if invoice.due_on < "2026-11-15"]
    wanted = overdue if section == "overdue" else [invoice for invoice in unpaid if invoice.kind == section]
    assert found["totals"] == {
        "invoices": len(wanted),
        "amount": sum(invoice.amount_cents for invoice in wanted) / 100,
        "overdue_invoices": sum(invoice in overdue for invoice in wanted),
        "overdue": sum(invoice.amount_cents for invoice in wanted if invoice in overdue) / 100,
    }
    first = sorted(wanted, key=lambda invoice: (invoice.due_on, invoice.invoice_id))[:5]
    assert [row["invoice_id"] for row in found["rows"]] == [invoice.invoice_id for invoice in first]
    names = {v.vendor_id: v.name for v in company["vendors"]} | {c.customer_id: c.name for c in company["customers"]}
    assert [row["company"] for row in found["rows"]] == [names[invoice.party_id] for invoice in first]


async def test_balances_and_open_invoices_stand_beside_the_statement(ask, company) -> None:
    found = await ask("get_financial_summary", period="last_quarter")
    for row in found["balances"]:
        sign = -1 if row["account"] == "Accounts payable" else 1
        cents = sum(
            e.debit_cents - e.credit_cents
            for e in company["ledger"]
            if e.account == row["account"] and e.posted_on <= "2026-09-30"
        )
        assert (row["day"], row["balance"]) == ("2026-09-30", sign * cents / 100)
    assert {row["account"] for row in found["balances"]} == {
        "Cash", "Accounts receivable", "Inventory", "Accounts payable",
    }  # fmt: skip
    for row in found["open_invoices"]:
        unpaid = [i for i in company["invoices"] if i.kind == row["kind"] and i.paid_on is None]
        overdue = [i for i in unpaid if i.due_on < "2026-11-15"]
        assert row == {
            "kind": row["kind"], "invoices": len(unpaid), "overdue": sum(i.amount_cents for i in overdue) / 100,
            "amount": sum(i.amount_cents for i in unpaid) / 100, "overdue_invoices": len(overdue),
        }  # fmt: skip
