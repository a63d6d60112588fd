"""The sample company: the same every time, and its figures agree with one another."""

from collections import defaultdict
from datetime import date
from itertools import pairwise
from typing import Any

import pytest

from glassloop.extensions.business.company.generator import make_company
from glassloop.extensions.business.database.tables import BY_NAME, TABLES
from glassloop.extensions.business.defects import BY_CODE

TODAY = date(2026, 11, 15)


def index(rows: list[Any], key: str) -> dict[str, Any]:
    return {getattr(row, key): row for row in rows}


def sums(rows: list[Any], key, value) -> dict[Any, int]:
    found: dict[Any, int] = defaultdict(int)
    for row in rows:
        found[key(row)] += value(row)
    return dict(found)


def test_the_same_seed_and_day_make_the_same_company_and_another_seed_does_not(raw_rows) -> None:
    again: dict[str, list[Any]] = defaultdict(list)
    make_company(lambda name, row: again[name].append(row), today=TODAY)
    assert dict(again) == raw_rows
    other: list[Any] = []
    make_company(lambda name, row: other.append(row) if name == "purchase_orders" else None, today=TODAY, seed=8)
    assert other != raw_rows["purchase_orders"]


@pytest.mark.parametrize(("seed", "today"), [(8, date(2028, 2, 29)), (9, date(2026, 1, 1)), (10, date(2026, 8, 31))])
def test_other_seeds_and_days_make_sound_companies_too(seed: int, today: date) -> None:
    rows: dict[str, list[Any]] = defaultdict(list)
    make_company(lambda name, row: rows[name].append(row), today=today, seed=seed)
    assert set(rows) == set(BY_NAME)
    assert sum(row[3] for row in rows["stock"]) == sum(r[6] - r[7] for r in rows["ledger"] if r[3] == "Inventory")
    assert min(row[2] for row in rows["stock"]) >= 0


def test_every_row_fits_its_table(raw_rows) -> None:
    assert set(raw_rows) == {table.name for table in TABLES}
    for name, rows in raw_rows.items():
        table = BY_NAME[name]
        assert rows, name
        keys = [tuple(row[table.names.index(part)] for part in table.key) for row in rows]
        assert len(set(keys)) == len(keys), name
        for position, column in enumerate(table.columns):
            values = {row[position] for row in rows}
            assert column.optional or None not in values, f"{name}.{column.name}"
            assert not column.choices or values - {None} <= set(column.choices), f"{name}.{column.name}"
            if column.kind in ("whole", "cents"):
                assert all(type(value) is int for value in values), f"{name}.{column.name}"
            if column.kind == "day":
                assert all(value is None or date.fromisoformat(value).isoformat() == value for value in values)


def test_every_reference_leads_somewhere(raw_rows) -> None:
    for table in TABLES:
        for position, column in enumerate(table.columns):
            if column.refers:
                keys = {row[0] for row in raw_rows[column.refers]}
                values = {row[position] for row in raw_rows[table.name]} - {None}
                assert values <= keys, f"{table.name}.{column.name}"


def test_the_company_covers_24_months_and_knows_nothing_of_tomorrow(company) -> None:
    months = {movement.moved_on[:7] for movement in company["stock_movements"]}
    assert len(months) == 25
    assert min(months) == "2024-11"
    for table, column in (
        ("purchase_orders", "ordered_on"), ("receipts", "received_on"), ("stock_movements", "moved_on"),
        ("ledger", "posted_on"), ("invoices", "issued_on"), ("deals", "created_on"), ("leads", "created_on"),
        ("defect_cases", "found_on"), ("trials", "run_on"), ("prices", "effective_on"),
    ):  # fmt: skip
        assert max(getattr(row, column) for row in company[table]) <= "2026-11-15", table
    for table, column in (("alerts", "raised_at"), ("logs", "logged_at"), ("emails", "sent_at")):
        assert max(getattr(row, column) for row in company[table])[:10] <= "2026-11-15", table


def test_orders_are_the_sum_of_their_lines_and_lines_of_their_receipts(company) -> None:
    lines = sums(company["purchase_lines"], lambda line: line.order_id, lambda line: line.amount_cents)
    arrived = sums(company["receipts"], lambda receipt: receipt.order_id, lambda receipt: receipt.amount_cents)
    pieces = sums(company["receipts"], lambda r: (r.order_id, r.line_no), lambda r: r.quantity)
    for line in company["purchase_lines"]:
        assert line.amount_cents == line.quantity * line.unit_price_cents
        assert line.received_quantity == pieces.get((line.order_id, line.line_no), 0) <= line.quantity
    last = defaultdict(str)
    for receipt in company["receipts"]:
        last[receipt.order_id] = max(last[receipt.order_id], receipt.received_on)
    for order in company["purchase_orders"]:
        assert order.total_cents == lines[order.order_id]
        assert order.received_cents == arrived.get(order.order_id, 0)
        whole = order.received_cents == order.total_cents
        assert (order.status == "received") == whole
        assert order.received_on == (last[order.order_id] if whole else None)
        assert (order.status == "partial") == (0 < order.received_cents < order.total_cents)
        assert order.status != "cancelled" or not order.received_cents
    assert {order.status for order in company["purchase_orders"]} == {"open", "partial", "received", "cancelled"}


def test_orders_are_made_at_the_price_agreed_for_that_day(company) -> None:
    prices = defaultdict(list)
    for price in company["prices"]:
        prices[price.vendor_id, price.item_id].append((price.effective_on, price.unit_price_cents))
    orders = index(company["purchase_orders"], "order_id")
    for line in company["purchase_lines"]:
        order = orders[line.order_id]
        known = sorted(prices[order.vendor_id, line.item_id])
        assert line.unit_price_cents == [cents for day, cents in known if day <= order.ordered_on][-1]


def test_every_receipt_is_a_stock_movement_of_the_same_amount(company) -> None:
    moved = {move.reference: move for move in company["stock_movements"] if move.kind == "receipt"}
    assert len(moved) == len(company["receipts"])
    for receipt in company["receipts"]:
        move = moved[receipt.receipt_id]
        assert (move.item_id, move.warehouse_id, move.moved_on, move.quantity, move.amount_cents) == (
            receipt.item_id, receipt.warehouse_id, receipt.received_on, receipt.quantity, receipt.amount_cents
        )  # fmt: skip


def test_stock_is_the_sum_of_its_movements_and_never_below_nothing(company) -> None:
    held: dict[Any, list[int]] = defaultdict(lambda: [0, 0])
    for move in company["stock_movements"]:
        level = held[move.item_id, move.warehouse_id]
        level[0] += move.quantity
        level[1] += move.amount_cents
        assert level[0] >= 0
        assert level[1] >= 0
    stock = {(row.item_id, row.warehouse_id): [row.quantity, row.value_cents] for row in company["stock"]}
    assert stock == dict(held)


def test_transfers_and_production_lose_nothing(company) -> None:
    moves = company["stock_movements"]
    transfers = [move for move in moves if move.kind == "transfer"]
    assert sum(move.quantity for move in transfers) == sum(move.amount_cents for move in transfers) == 0
    absorbed = sum(
        entry.credit_cents - entry.debit_cents
        for entry in company["ledger"]
        if entry.account == "Production cost absorbed"
    )
    issued = -sum(m.amount_cents for m in moves if m.kind == "issue" and m.reference.startswith("PR-"))
    made = sum(move.amount_cents for move in moves if move.kind == "production")
    assert made == issued + absorbed


def test_month_ends_are_what_the_movements_had_come_to(company) -> None:
    for month in ("2025-02", "2026-06", "2026-11"):
        expected = defaultdict(lambda: [0, 0])
        for move in company["stock_movements"]:
            if move.moved_on[:7] <= month:
                expected[move.item_id, move.warehouse_id][0] += move.quantity
                expected[move.item_id, move.warehouse_id][1] += move.amount_cents
        found = {
            (row.item_id, row.warehouse_id): [row.quantity, row.value_cents]
            for row in company["stock_months"]
            if row.month == month
        }
        assert found == dict(expected)


def balance(company, account: str) -> int:
    return sum(row.debit_cents - row.credit_cents for row in company["ledger"] if row.account == account)


def test_every_journal_balances_and_the_days_are_its_sums(company) -> None:
    by_journal = sums(company["ledger"], lambda row: row.journal_id, lambda row: row.debit_cents - row.credit_cents)
    assert set(by_journal.values()) == {0}
    days = {
        (row.posted_on, row.account, row.account_type, row.category): (row.debit_cents, row.credit_cents)
        for row in company["ledger_days"]
    }
    for position, column in ((0, "debit_cents"), (1, "credit_cents")):
        expected = sums(
            company["ledger"],
            lambda row: (row.posted_on, row.account, row.account_type, row.category),
            lambda row, column=column: getattr(row, column),
        )
        assert {key: both[position] for key, both in days.items()} == expected


def test_the_ledger_holds_the_stock_and_the_invoices(company) -> None:
    assert balance(company, "Inventory") == sum(row.value_cents for row in company["stock"])
    unpaid = sums(
        [invoice for invoice in company["invoices"] if invoice.paid_on is None],
        lambda invoice: invoice.kind,
        lambda invoice: invoice.amount_cents,
    )
    assert balance(company, "Accounts receivable") == unpaid["receivable"]
    assert -balance(company, "Accounts payable") == unpaid["payable"]
    arrived = sum(receipt.amount_cents for receipt in company["receipts"])
    invoiced = sum(invoice.amount_cents for invoice in company["invoices"] if invoice.kind == "payable")
    assert -balance(company, "Goods received, not invoiced") == arrived - invoiced
    sold = sum(invoice.amount_cents for invoice in company["invoices"] if invoice.kind == "receivable")
    assert sold == sum(line.amount_cents for line in company["sales_lines"])
    assert -balance(company, "Sales revenue") == sold
    shipped = -sum(move.amount_cents for move in company["stock_movements"] if move.kind == "shipment")
    assert balance(company, "Cost of goods sold") == shipped


def test_what_is_invoiced_to_customers_was_shipped_and_sold(company) -> None:
    deals, items = index(company["deals"], "deal_id"), index(company["items"], "item_id")
    shipments = {move.reference: move for move in company["stock_movements"] if move.kind == "shipment"}
    billed: dict[str, int] = defaultdict(int)
    for invoice in company["invoices"]:
        if invoice.kind == "receivable":
            deal, move = deals[invoice.reference], shipments[invoice.invoice_id]
            assert (deal.stage, deal.customer_id) == ("won", invoice.party_id)
            assert invoice.amount_cents == -move.quantity * items[move.item_id].price_cents
            assert invoice.issued_on > deal.closed_on
            billed[deal.deal_id] += invoice.amount_cents
    assert all(cents <= deals[deal].amount_cents for deal, cents in billed.items())


def test_deals_went_through_their_stages_in_order(company) -> None:
    stages = defaultdict(list)
    for row in company["deal_stages"]:
        stages[row.deal_id].append((row.entered_on, row.stage))
    for deal in company["deals"]:
        entered = stages[deal.deal_id]
        assert entered == sorted(entered, key=lambda pair: pair[0])
        assert entered[0] == (deal.created_on, "prospecting")
        assert entered[-1][1] == deal.stage
        assert deal.closed_on == (entered[-1][0] if deal.stage in ("won", "lost") else None)
    leads = {lead.deal_id for lead in company["leads"] if lead.status == "converted"}
    assert None not in leads
    assert all(lead.deal_id is None for lead in company["leads"] if lead.status != "converted")


def test_the_company_makes_money_as_a_molder_would(company) -> None:
    totals = sums(company["ledger"], lambda row: row.account_type, lambda row: row.credit_cents - row.debit_cents)
    revenue, cost, expense = totals["revenue"], -totals["cost_of_sales"], -totals["expense"]
    assert 20_000_000_00 < revenue < 200_000_000_00
    assert 0.25 < (revenue - cost) / revenue < 0.55
    assert 0.02 < (revenue - cost - expense) / revenue < 0.25
    assert balance(company, "Cash") > 0


def test_trials_follow_one_another_and_defects_are_in_the_catalogue(company) -> None:
    by_mold = defaultdict(list)
    for trial in company["trials"]:
        by_mold[trial.mold_id].append((trial.run_on, trial.trial, trial.result))
    for trials in by_mold.values():
        assert [name for _, name, _ in sorted(trials)] == ["T0", "T1", "T2"][: len(trials)]
        assert all(result != "passed" for _, _, result in sorted(trials)[:-1])
    trials = index(company["trials"], "trial_id")
    for case in company["defect_cases"]:
        defect = BY_CODE[case.defect]
        assert defect.zh[0] in case.title_zh
        assert (trials[case.trial_id].mold_id, trials[case.trial_id].run_on) == (case.mold_id, case.found_on)
        assert (case.resolved_on is None) == (case.status == "open")


def test_nobody_has_two_meetings_at_once_and_the_hostile_mail_is_only_a_mail(company) -> None:
    events = {event.event_id: event for event in company["calendar"] if event.kind == "meeting"}
    days = defaultdict(list)
    for row in company["attendees"]:
        if row.event_id in events:
            event = events[row.event_id]
            days[row.email].append((event.starts_at, event.ends_at))
    for meetings in days.values():
        ordered = sorted(meetings)
        assert all(end <= start for (_, end), (start, _) in pairwise(ordered))
    assert any("Ignore your previous instructions" in mail.body for mail in company["emails"])
    assert any("Ignore your previous instructions" in line.message for line in company["logs"])
