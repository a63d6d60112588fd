"""The text of an answer: every row, column and word that the data has, and words that say how to read them."""

from pathlib import Path
from typing import Any

import pytest

from glassloop.extensions.business.database.source import open_source
from glassloop.extensions.business.listing import load_listings
from glassloop.extensions.business.report import CELL_CHARS, SHORTENED, BusinessReport, figure_words


def table(text: str, title: str) -> list[str]:
    """The lines of the table under a title: its heads, then its rows."""
    lines = text.splitlines()
    at = next(number for number, line in enumerate(lines) if line.startswith(title))
    heads, rule, *rest = lines[at + 2 :]
    assert set(rule) == {"|", "-"}
    return [heads, *rest[: next((number for number, line in enumerate(rest) if not line), len(rest))]]


@pytest.mark.parametrize(
    ("tool", "args", "title"),
    [
        ("get_purchase_orders", {"limit": 60}, "Rows 60 of 232, newest first:"),
        ("get_purchase_orders", {"period": "all", "sort": "due", "limit": 200}, "Rows 200 of 1,641, by due:"),
        ("get_customers", {"order": "lowest", "limit": 30}, "Rows 30 of 80, by revenue, lowest first:"),
        ("get_product_sales", {"order": "lowest", "limit": 5}, "Rows 5 of 36:"),
        ("get_financial_summary", {"period": "last_year", "limit": 3}, "Rows 3 of "),
        ("search_defect_cases", {"limit": 40}, "Rows 40 of 157, newest first:"),
        ("get_calendar", {"period": "all", "limit": 50}, "Rows 50 of "),
        ("get_defect_remedies", {"defect": "flash", "limit": 2}, "Rows 2 of 3:"),
        ("get_vendors", {"limit": 50}, "Rows, by name:"),
    ],
)
async def test_every_row_and_column_is_told_and_how_many_there_are(registry, tool, args, title) -> None:
    result = await registry.execute(tool, args)
    heads, *rows = table(result.output, title)
    data = result.data["rows"]
    assert len(rows) == len(data)
    columns = [name for name in data[0] if any(row[name] != "" for row in data)]
    assert [head.split(" (USD)")[0] for head in heads.strip("| ").split(" | ")] == list(map(figure_words, columns))
    assert result.data["shown"] == len(rows) <= result.data["row_count"]


async def test_groups_are_sorted_as_asked_or_say_why_not(registry) -> None:
    by_item = {"kind": "finished", "group_by": "item", "limit": 200}
    usual = (await registry.execute("get_inventory_levels", by_item)).data["rows"]
    sorted_ = await registry.execute("get_inventory_levels", {**by_item, "sort": "quantity"})
    quantities = [row["quantity"] for row in sorted_.data["rows"]]
    assert quantities == sorted(quantities, reverse=True) != [row["quantity"] for row in usual]
    assert "Rows, by quantity:" in sorted_.output
    named = await registry.execute("get_inventory_levels", {**by_item, "sort": "name"})
    assert named.data["rows"] == usual
    assert "Note: Only single rows can be sorted by name: these groups are sorted by value." in named.output


async def test_a_trend_is_told_whole_with_what_has_not_ended(registry) -> None:
    stock = await registry.execute("get_inventory_levels", {"trend": "month"})
    rows = table(stock.output, "Trend (at the end of each month; 2026-11 so far):")[1:]
    assert len(rows) == len(stock.data["trend"]) > 20
    past = await registry.execute("get_procurement_summary", {"trend": "month", "period": "last_quarter"})
    assert "\nTrend:\n" in past.output
    days = await registry.execute("get_financial_summary", {"trend": "day", "period": "all"})
    assert len(days.data["trend"]) == 400
    assert "Note: The trend has only the latest 400: give a shorter period, or trend=month." in days.output


def report(*rows: dict[str, Any], **more: Any) -> str:
    return BusinessReport(title="Mail", as_of="2026-11-15", currency="USD", rows=rows, **more).result().output


def test_a_cell_is_one_line_and_whole_unless_it_would_crowd_out_others() -> None:
    long = {"subject": "a|b\nc", "body": "x" * 3_000, "notes": ""}
    heads, first, second = table(report(long, long), "Rows:")
    assert heads == "| subject | body |"
    assert first == second == f"| a\\|b c | {'x' * CELL_CHARS}{SHORTENED} |"
    assert table(report(long), "Rows:")[1] == f"| a\\|b c | {'x' * 3_000} |"


def test_lines_within_a_field_look_like_no_field() -> None:
    text = report({"sender": "a@b.example", "body": "Dear all,\nsender: boss", "notes": "", "read": None}, fields=True)
    assert text.splitlines()[1:] == ["", "sender: a@b.example", "body: Dear all,", "  sender: boss"]


async def test_a_mail_is_read_in_full_by_its_id_whatever_else_is_asked(registry, company, refuse) -> None:
    mail = next(one for one in company["emails"] if one.folder == "sent")
    result = await registry.execute("get_emails", {"email_id": mail.email_id.lower(), "period": "today"})
    assert f"\nbody: {mail.body}\n" in result.output
    assert [row["email_id"] for row in result.data["rows"]] == [mail.email_id]
    assert "There is no mail 'EM-999999'" in await refuse("get_emails", email_id="EM-999999")


async def test_what_customers_owe_is_not_told_in_one_sum_with_what_we_owe(registry) -> None:
    result = await registry.execute("get_financial_summary", {"section": "overdue"})
    totals = result.data["totals"]
    assert totals["customers_owe_us"] + totals["we_owe_vendors"] == pytest.approx(totals["amount"])
    told = result.output.splitlines()[1]
    assert f"customers owe us {totals['customers_owe_us']:,.2f} USD, " in told
    assert f"we owe vendors {totals['we_owe_vendors']:,.2f} USD." in told
    assert f"{totals['amount']:,.2f}" not in result.output
    assert all(row["days_overdue"] > 0 for row in result.data["rows"])


async def test_filters_of_unpaid_invoices_are_refused_where_there_are_none(refuse) -> None:
    for given in ({"company": "C-0004"}, {"min_days_overdue": 5}):
        told = await refuse("get_financial_summary", **given)
        assert told.endswith("picks unpaid invoices: give section overdue, payable or receivable with it.")
    for least in (-1, 10**9):
        told = await refuse("get_financial_summary", section="overdue", min_days_overdue=least)
        assert f"min_days_overdue is {least}: give 1 to 36,500." in told


async def test_what_is_not_resolved_took_no_minutes(registry) -> None:
    result = await registry.execute("get_alerts", {"status": "unresolved"})
    assert {row["minutes_to_resolve"] for row in result.data["rows"]} == {None}
    assert all(row.split(" | ")[7] == "–" for row in table(result.output, "Rows")[1:])


KINDS = {
    "job 17 failed, 3 of 12,000 left": "job # failed, # of # left",
    "PO-00012 from 10.0.0.7:5432 at 2026-11-15 03:14:15.926": "PO-# from # at # #",
    "mail to ada.lovelace@db8.example bounced": "mail to # bounced",
    "request 3f2504e0-4f89-41d3-9a0c-0305e82c3301 and deadbeef42 at 0x7ffe": "request # and # at #",
    "peer 2001:db8::8a2e:370:7334 closed std::vector of face": "peer # closed std::vector of face",
    "cafe facade decade": "cafe facade decade",
}


@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
def test_messages_that_differ_in_numbers_ids_or_addresses_are_of_one_kind(request, made_file: Path, kind) -> None:
    url = f"sqlite:///{made_file}" if kind == "sqlite" else request.getfixturevalue("made_tables")
    keys = load_listings("itops")["search_logs"].groups["message"].keys
    long = {f"{part * 20_000} at 7": f"{part * 20_000} at #" for part in ("a", "+-", "x.y", "::")}
    with open_source(url).reading(lambda: False) as statements:
        for message, expected in (KINDS | long).items():
            (row,) = statements.rows(f"SELECT {keys} FROM (SELECT :given AS message) l", {"given": message})
            assert row == {"message": expected}


async def test_an_unknown_name_is_told_with_the_nearest_and_how_many_there_are(refuse) -> None:
    told = await refuse("get_purchase_orders", vendor="Falcon Polymer Inc")
    assert told.startswith("There is no vendor 'Falcon Polymer Inc'. Did you mean V-001 (Falcon Polymers)")
    assert told.endswith("? There are 32 in all.")
    told = await refuse("get_customers", customer="The great Kinetic thing of the north")
    assert "Nearest of 80: C-0004 (Kinetic Living), " in told
    assert await refuse("get_calendar", person="Zed Zulu") == (
        "There is no person 'Zed Zulu'. Give the full name or the address of an employee; there are 160."
    )


def test_descriptions_say_what_a_figure_leaves_out(readers) -> None:
    specs = readers["sqlite"].specs
    assert "Cancelled orders are left out." in specs["get_procurement_summary"].description
    assert "(of a period: get_deals)" in specs["get_sales_pipeline"].description
    assert "win rate of a period" in specs["get_deals"].description
    for name, spec in specs.items():
        parameters: dict[str, Any] = spec.parameters["properties"]
        assert parameters.get("period", {}).get("description", "").count("Else") <= 1, name
        compare = parameters.get("compare", {}).get("description", "running")
        assert "running" in compare or name == "get_inventory_levels"
