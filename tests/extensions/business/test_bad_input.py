"""What makes no sense is refused with words that help; nothing is executed, nothing is told that was not asked for."""

import sqlite3
from pathlib import Path
from typing import Any

import pytest

INJECTIONS = (
    "'; DROP TABLE biz_vendors; --",
    '" OR 1=1 --',
    "x' UNION SELECT email FROM biz_employees --",
    "%",
    "_",
    ":vendor",
    "%(vendor)s",
    "\x00",
)

TEXTS = [
    ("get_purchase_orders", ("vendor", "category", "warehouse_id", "item", "order_id")),
    ("get_inventory_levels", ("warehouse_id", "item", "category")),
    ("get_financial_summary", ("category", "company")),
    ("get_vendor_price_trends", ("item", "vendor", "category")),
    ("get_procurement_summary", ("vendor", "category", "warehouse_id")),
    ("get_top_vendors", ("category", "warehouse_id")),
    ("get_vendors", ("vendor", "category", "country")),
    ("get_product_sales", ("item", "category", "customer")),
    ("get_employees", ("person", "department", "location")),
    ("get_leads", ("source", "region", "owner")),
    ("get_customers", ("customer", "region", "industry", "owner")),
    ("get_deals", ("customer", "owner", "region")),
    ("get_sales_pipeline", ("customer", "owner", "region")),
    ("get_server_status", ("server", "role", "location")),
    ("get_alerts", ("server",)),
    ("search_logs", ("server",)),
    ("get_calendar", ("person",)),
    ("get_emails", ("mailbox", "email_id")),
    ("search_defect_cases", ("defect", "mold")),
    ("get_defect_case", ("case_id",)),
    ("get_trial_history", ("mold",)),
    ("get_defect_remedies", ("defect",)),
]


@pytest.mark.parametrize(
    ("tool", "parameter"), [(tool, name) for tool, names in TEXTS for name in names], ids=lambda part: part
)
async def test_sql_in_an_argument_is_a_name_that_does_not_exist(registry, company, tool, parameter) -> None:
    for text in INJECTIONS:
        result = await registry.execute(tool, {parameter: text})
        assert not result.success, (text, result.output)
        for leak in ("SELECT", "sqlite", "psycopg", "Traceback", "postgresql:", "/tmp"):
            assert leak in text or leak not in (result.error or ""), result.error
        assert not any(person.email in (result.error or "") for person in company["employees"])


SEARCHES = [("search_logs", "query"), ("search_logs", "service"), ("get_calendar", "query"), ("get_emails", "query"),
            ("get_emails", "sender"), ("search_defect_cases", "query")]  # fmt: skip


@pytest.mark.parametrize(("tool", "parameter"), SEARCHES)
async def test_sql_in_a_search_is_searched_for_and_not_found(registry, tool, parameter) -> None:
    for text in INJECTIONS[:3] + INJECTIONS[5:7]:
        result = await registry.execute(tool, {parameter: text, "period": "all"})
        assert result.success, result.error
        assert next(iter(result.data["totals"].values())) == 0


DATES = {"start_date", "end_date"}


def test_sql_is_tried_in_every_argument_that_is_a_text(registry) -> None:
    """Dates, and what a meeting is made of, have tests of their own."""
    tried = {(tool, name) for tool, names in TEXTS for name in names} | set(SEARCHES)
    for tool, spec in registry.specs.items():
        properties: dict[str, Any] = spec.parameters["properties"]
        texts = {name for name, schema in properties.items() if schema.get("type") == "string" and "enum" not in schema}
        assert tool == "schedule_meeting" or {(tool, name) for name in texts - DATES} <= tried


async def test_sql_in_a_date_is_no_date_there_is_for_any_tool(registry) -> None:
    for tool in [name for name, spec in registry.specs.items() if "start_date" in spec.parameters["properties"]]:
        for label in DATES:
            for given in (*INJECTIONS[:3], "2026-02-30"):
                result = await registry.execute(tool, {label: given})
                assert f"{label} {given[:40]!r} is no date there is" in (result.error or ""), tool


async def test_an_unknown_warehouse_is_told_by_every_tool_that_takes_one(registry) -> None:
    takes = [name for name, spec in registry.specs.items() if "warehouse_id" in spec.parameters["properties"]]
    assert len(takes) == 4
    for tool in takes:
        result = await registry.execute(tool, {"warehouse_id": "WH-999"})
        assert "There is no warehouse 'WH-999'" in (result.error or "")


async def test_sql_in_a_meeting_is_written_as_it_is_and_refused_as_a_name(writable, calling, company) -> None:
    text = INJECTIONS[0]
    meeting: dict[str, Any] = {"title": text, "start": "2026-11-16 22:00", "location": text, "notes": text}
    refused = await writable.execute("schedule_meeting", meeting | {"attendees": [text]}, calling())
    assert "no person" in (refused.error or "")
    someone = next(person.email for person in company["employees"] if person.status == "active")
    done = await writable.execute("schedule_meeting", meeting | {"attendees": [someone]}, calling())
    assert done.success, done.error
    found = await writable.execute("get_calendar", {"period": "all", "query": "DROP TABLE"})
    (row,) = found.data["rows"]
    assert (row["title"], row["location"], row["notes"]) == (text, text, text)
    assert (await writable.execute("get_top_vendors", {})).success


async def test_an_unknown_warehouse_is_told_with_those_near(refuse) -> None:
    told = await refuse("get_inventory_levels", warehouse_id="WH-010")
    assert told.startswith("There is no warehouse 'WH-010'. Did you mean WH-00")
    told = await refuse("get_inventory_levels", warehouse_id="Roterdam Distribution Centre")
    assert "Did you mean WH-002 (Rotterdam Distribution Center)" in told
    told = await refuse("get_inventory_levels", warehouse_id="Atlantis")
    assert "Nearest of 5: WH-00" in told


async def test_a_name_that_means_several_is_told_with_all_of_them(refuse) -> None:
    told = await refuse("get_inventory_levels", warehouse_id="distribution")
    assert "can mean several: WH-003 (Chicago Distribution Center), WH-002" in told


async def test_an_unknown_category_is_told_with_those_there_are(refuse) -> None:
    told = await refuse("get_top_vendors", category="Resin lenses")
    assert "There is no category 'Resin lenses'" in told
    assert "Colorants, Electronics, Inserts, Packaging, Resins, Spare parts" in told


@pytest.mark.parametrize(
    "given", ["2026-02-30", "2025-13", "2026-Q5", "31.12.2026", "yesterday-ish", "0000-01-01", "99999", "2026-1-1"]
)
async def test_a_date_that_does_not_exist_is_told(refuse, given) -> None:
    for label in ("start_date", "end_date"):
        told = await refuse("get_purchase_orders", **{label: given})
        assert told.startswith(f"{label} {given!r} is no date there is: write it as 2026-03-31")


async def test_dates_the_wrong_way_round_are_told(refuse) -> None:
    told = await refuse("get_alerts", start_date="2026-05-02", end_date="2026-05-01")
    assert told == "end_date 2026-05-01 is before start_date 2026-05-02: change them round."


async def test_all_dates_cannot_be_compared(refuse) -> None:
    assert "cannot be compared" in await refuse("get_deals", period="all", compare="last_year")


@pytest.mark.parametrize(("limit", "shown"), [(10_000_000, 200), (-5, 1), (0, 1), (10**30, 200)])
async def test_a_limit_beyond_reason_is_bounded_and_said_by_every_tool(ask, registry, limit, shown) -> None:
    takes = [name for name, spec in registry.specs.items() if "limit" in spec.parameters["properties"]]
    assert len(takes) == 19
    for tool in takes:
        period = {"period": "all"} if "period" in registry.specs[tool].parameters["properties"] else {}
        needed = {"defect": "flash"} if tool == "get_defect_remedies" else {}
        given = {"period": "this_year"} if tool == "get_vendor_price_trends" else period
        found = await ask(tool, **given, **needed, limit=limit)
        assert 0 < len(found["rows"]) <= shown
        assert len(found["rows"]) == min(shown, found.get("row_count", len(found["rows"])))
        assert any(note.endswith(f"was changed to {shown}.") for note in found["notes"])


@pytest.mark.parametrize("amount", [1e300, float("inf"), float("nan"), -1e14])
async def test_an_amount_beyond_reason_is_told(refuse, amount) -> None:
    for tool, parameter in (("get_purchase_orders", "min_amount"), ("get_leads", "min_value")):
        assert f"{parameter} {amount!r} is no amount" in await refuse(tool, **{parameter: amount})


@pytest.mark.parametrize(
    ("tool", "args", "words"),
    [
        ("get_purchase_orders", {"status": "lost"}, "'status'"),
        ("get_purchase_orders", {"period": "next_month"}, "'period'"),
        ("get_purchase_orders", {"sql": "SELECT 1"}, "there is no 'sql'"),
        ("get_leads", {"group_by": "1; DROP TABLE biz_leads"}, "'group_by'"),
        ("get_deals", {"sort": "name; --"}, "'sort'"),
        ("search_logs", {"query": "a " * 11}, "11 words"),
        ("search_logs", {"query": "x" * 201}, "201 characters"),
        ("get_defect_case", {}, "'case_id' is missing"),
        ("get_purchase_orders", {"order_id": "PO-99999"}, "no purchase order 'PO-99999'"),
        ("get_server_status", {"min_load": 150}, "min_load 150"),
    ],
)
async def test_arguments_that_no_tool_takes_are_told(refuse, tool, args, words) -> None:
    assert words in await refuse(tool, **args)


async def test_every_answer_says_its_period_its_filters_and_its_day(registry) -> None:
    for tool, args, words in (
        ("get_purchase_orders", {"vendor": "V-001", "period": "last_month"},
         "2026-10-01 to 2026-10-31 (last month) · vendor: V-001"),
        ("get_alerts", {"severity": "critical"}, "2026-10-17 to 2026-11-15 (last 30 days) · severity: critical"),
        ("get_deals", {"stage": "won", "period": "last_year"}, "2025-01-01 to 2025-12-31 (last year) · stage: won"),
    ):  # fmt: skip
        result = await registry.execute(tool, args)
        first = result.output.splitlines()[0]
        assert words in first
        assert first.endswith("as of 2026-11-15")
        assert result.data["as_of"] == "2026-11-15"
        assert result.data["filters"]


async def test_every_figure_of_the_text_is_in_the_data(registry) -> None:
    result = await registry.execute("get_top_vendors", {"limit": 3})
    assert "Totals: orders" in result.output
    total = result.data["totals"]["ordered"]
    assert f"ordered {total:,.2f} USD" in result.output
    assert result.output.count("\n| ") == 4


def test_the_sample_file_was_changed_by_none_of_this(made_file: Path) -> None:
    connection = sqlite3.connect(made_file)
    (many,) = connection.execute("SELECT count(*) FROM biz_vendors").fetchone()
    connection.close()
    assert many == 32


async def test_a_tool_without_arguments_answers(registry) -> None:
    needs: dict[str, Any] = {"get_defect_case", "get_trial_history", "get_defect_remedies", "schedule_meeting"}
    for name in registry.names:
        if name not in needs:
            result = await registry.execute(name, {})
            assert result.success, (name, result.error)
