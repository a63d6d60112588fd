"""Ratios of the business tools: over the right base whatever is filtered, or left out; against SQL of these tests."""

import itertools
import sqlite3
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any

import pytest

Calls = dict[str, Any]

SHARES = {"conversion_percent", "win_rate_percent", "churn_percent", "up_percent", "on_time_percent", "share_percent"}
MARGINS = {"gross_margin_percent", "net_margin_percent"}
CHANGES = {"change_percent", "average_change_percent"}
GIVEN = {"cpu_percent", "memory_percent", "disk_percent", "probability_percent"}
"""Columns of the data itself."""

OPEN_LEADS = "status IN ('new', 'contacted', 'qualified')"
TABLES = {
    "get_leads": ("biz_leads", "created_on"),
    "get_deals": ("biz_deals", ""),
    "get_customers": ("biz_customers", ""),
    "get_server_status": ("biz_servers", ""),
    "get_procurement_summary": ("biz_purchase_orders", "ordered_on"),
    "get_top_vendors": ("biz_purchase_orders", "ordered_on"),
    "get_financial_summary": ("biz_ledger", "posted_on"),
}
MEASURED = {"get_leads": "status", "get_deals": "stage", "get_customers": "status", "get_server_status": "status"}
COLUMNS = {
    "get_leads": ("source", "region", "owner"),
    "get_deals": ("owner",),
    "get_customers": ("region", "industry", "owner"),
    "get_server_status": ("environment", "role", "location"),
    "get_procurement_summary": ("category", "warehouse_id"),
    "get_top_vendors": ("category", "warehouse_id"),
    "get_financial_summary": ("category",),
}
"""Filters by a column of the same name."""
MORE: dict[str, dict[str, list[Any]]] = {
    "get_deals": {"customer": ["C-0015"], "region": ["EMEA", "APAC"], "date_field": ["created", "closed", "expected"]},
    "get_customers": {"customer": ["C-0015"]},
    "get_leads": {"min_value": [500_000], "group_by": ["status", "source", "region", "owner"]},
    "get_server_status": {"min_load": [80], "server": ["SRV-001"]},
    "get_procurement_summary": {
        "vendor": ["V-001", "V-007"],
        "group_by": ["category", "vendor", "warehouse", "month", "status", "buyer"],
    },
    "get_top_vendors": {"by": ["spend", "orders", "late", "delivered_late", "on_time"]},
    "get_financial_summary": {"section": ["all", "revenue", "cost_of_sales", "expense"]},
}
STATES = {
    "get_leads": ["any", "open", "new", "contacted", "qualified", "converted", "lost"],
    "get_deals": ["any", "open", "prospecting", "qualification", "proposal", "negotiation", "won", "lost"],
    "get_customers": ["any", "active", "at_risk", "churned"],
    "get_server_status": ["any", "up", "degraded", "down", "maintenance", "not_up"],
}
PERIODS = ["this_month", "last_quarter", "this_year", "last_year", "all"]


@pytest.fixture(scope="module")
def data(made_file: Path) -> Iterator[sqlite3.Connection]:
    connection = sqlite3.connect(f"file:{made_file}?mode=ro", uri=True)
    yield connection
    connection.close()


def values(data: sqlite3.Connection, tool: str, column: str) -> list[Any]:
    table = TABLES[tool][0]
    kinds = " WHERE account_type IN ('revenue', 'cost_of_sales', 'expense')" if tool == "get_financial_summary" else ""
    return [row[0] for row in data.execute(f"SELECT DISTINCT {column} FROM {table}{kinds} ORDER BY 1")]


def calls(data: sqlite3.Connection, tool: str) -> Iterator[Calls]:
    """Every value of each filter, alone and with every value of the one that is measured, over several periods."""
    options = {column: values(data, tool, column) for column in COLUMNS[tool]} | MORE.get(tool, {})
    others = [{}, *({name: value} for name, several in options.items() for value in several)]
    states = [{MEASURED[tool]: state} for state in STATES[tool]] if tool in MEASURED else [{}]
    spans = [{}] if tool == "get_server_status" else [{"period": period} for period in PERIODS]
    for number, (state, other) in enumerate(itertools.product(states, others)):
        # All periods for the plain calls; one after the other for the many that combine filters.
        yield from ({**state, **other, **span} for span in (spans if not other else [spans[number % len(spans)]]))


def conditions(tool: str, args: Calls, found: dict[str, Any], period: dict[str, str] | None) -> list[str]:
    """What the base of a ratio has in common: every filter but the one that is measured."""
    clauses = [f"{name} = '{args[name]}'" for name in COLUMNS[tool] if name in args]
    for name, clause in {
        "vendor": "vendor_id = '{}'",
        "customer": "customer_id = '{}'",
        "server": "server_id = '{}'",
        "min_value": "value_cents >= {}00",
        "min_load": "max(cpu_percent, memory_percent, disk_percent) >= {}",
    }.items():
        if name in args:
            clauses.append(clause.format(args[name]))
    if tool == "get_deals" and "region" in args:
        clauses.append(f"customer_id IN (SELECT customer_id FROM biz_customers WHERE region = '{args['region']}')")
    if TABLES[tool][0] == "biz_purchase_orders":
        clauses.append("status <> 'cancelled'")
    day = TABLES[tool][1] or (f"{found['filters']['by_day']}_on" if tool == "get_deals" else "")
    if day and period and "from" in period:
        clauses.append(f"substr({day}, 1, 10) BETWEEN '{period['from']}' AND '{period['to']}'")
    return clauses


def counted(name: str, period: dict[str, str] | None) -> tuple[str, str]:
    """Part and whole of a ratio, as SQL that adds up."""
    first, last = (period or {}).get("from", "0001-01-01"), (period or {}).get("to", "9999-12-31")
    there = f"since < '{first}' AND (churned_on IS NULL OR churned_on >= '{first}')"
    then = (period or {}).get("then", "9999-12-31")
    received = f"status = 'received' AND received_on <= '{then}'"
    closed = f"closed_on <= '{then}'"
    return {
        "conversion_percent": ("status = 'converted'", "1"),
        "win_rate_percent": (f"stage = 'won' AND {closed}", f"stage IN ('won', 'lost') AND {closed}"),
        "churn_percent": (f"{there} AND churned_on BETWEEN '{first}' AND '{last}'", there),
        "up_percent": ("status = 'up'", "1"),
        "on_time_percent": (f"{received} AND received_on <= due_on", received),
    }[name]


def expected(data: sqlite3.Connection, tool: str, name: str, clauses: list[str], period: Any) -> tuple[Any, str]:
    where = " AND ".join(f"({clause})" for clause in clauses) or "1"
    table = TABLES[tool][0]
    if name in MARGINS:
        side = "sum(CASE WHEN account_type {} THEN credit_cents - debit_cents ELSE 0 END)"
        gross = side.format("IN ('revenue', 'cost_of_sales')")
        part = gross if name.startswith("gross") else side.format("IN ('revenue', 'cost_of_sales', 'expense')")
        whole = side.format("= 'revenue'")
    else:
        part, whole = (f"coalesce(sum({one}), 0)" for one in counted(name, period))
    some, all_ = data.execute(f"SELECT {part}, {whole} FROM {table} WHERE {where}").fetchone()
    return (round(some / all_ * 100, 1), f"{some:,} of {all_:,}") if all_ else (None, "")


def group_clause(tool: str, row: dict[str, Any], args: Calls) -> str:
    """What the rows of one group, month or day have in common."""
    keys = {"get_top_vendors": ["vendor_id"], "get_leads": [args.get("group_by", "")]}.get(tool)
    keys = keys or [
        name for name in ("vendor_id", "warehouse_id", "category", "status", "buyer", "month") if name in row
    ]
    if keys[0] == "month":
        return f"substr({TABLES[tool][1]}, 1, 7) = '{row['month']}'"
    return f"{keys[0]} = '{row[keys[0]]}'"


@pytest.mark.parametrize("tool", TABLES)
async def test_every_ratio_is_over_its_base_or_left_out_whatever_is_filtered(tool, readers, data) -> None:
    seen = 0
    for args in calls(data, tool):
        comparable = args.get("period", "all") != "all" and args.get("stage") in (None, "any", "won", "lost")
        result = await readers["sqlite"].execute(
            tool, {**args, "limit": 200, **({"compare": "last_year"} if comparable else {})}
        )
        assert result.success, (args, result.error)
        found = result.data
        period = found.get("period")
        parts = [(found["totals"], period, "")]
        if "comparison" in found:
            other = found["comparison"]["period"]
            # As they were as long after the end of that period as today is after the end of this one.
            later = date(2026, 11, 15) - date.fromisoformat(period["to"])
            then = (date.fromisoformat(other["to"]) + later).isoformat()
            parts.append((found["comparison"]["totals"], {**other, "then": then}, ""))
        if tool in ("get_leads", "get_procurement_summary", "get_top_vendors") and found["rows"]:
            grouped = tool != "get_leads" or "group_by" in args
            parts += [(row, period, group_clause(tool, row, args)) for row in found["rows"] if grouped]
        for row, when, group in parts:
            clauses = [*conditions(tool, args, found, when), *([group] if group else [])]
            for name in row.keys() & (SHARES | MARGINS) - {"share_percent"}:
                value, base = expected(data, tool, name, clauses, when)
                assert row[name] == value, (args, name, row)
                assert name not in SHARES or value is None or 0 <= value <= 100
                of = row.get(name.replace("_percent", "_of"))
                assert of in (None, base), (args, name, row)
                assert group or name in MARGINS or value is None or of == base
                seen += value is not None
    assert seen > 5


async def test_ratios_of_a_trend_are_right_or_left_out_under_the_filter_they_are_about(ask, data) -> None:
    for tool, states in STATES.items():
        if tool in ("get_server_status", "get_customers"):
            continue
        for state in states:
            args = {MEASURED[tool]: state, "period": "this_year"}
            found = await ask(tool, **args, trend="month")
            assert state == "any" or not any(name in SHARES for row in found["trend"] for name in row)
            for row in found["trend"]:
                day = f"{found['filters'].get('by_day', 'created')}_on"
                clauses = [*conditions(tool, args, found, found["period"]), f"substr({day}, 1, 7) = '{row['month']}'"]
                for name in row.keys() & SHARES:
                    assert row[name] == expected(data, tool, name, clauses, None)[0]


async def test_the_share_of_a_vendor_is_of_all_that_the_filters_leave(ask, data) -> None:
    for category in ["", *values(data, "get_top_vendors", "category")]:
        args = {"category": category} if category else {}
        found = await ask("get_top_vendors", **args, limit=200)
        clauses = conditions("get_top_vendors", args, found, found["period"])
        query = f"SELECT sum(total_cents) FROM biz_purchase_orders WHERE {' AND '.join(clauses)}"
        (whole,) = data.execute(query).fetchone()
        for row in found["rows"]:
            (part,) = data.execute(f"{query} AND vendor_id = '{row['vendor_id']}'").fetchone()
            assert row["share_percent"] == round(part / whole * 100, 1)
            assert 0 <= row["share_percent"] <= 100


async def test_profit_is_told_only_where_both_sides_of_it_are_selected(ask) -> None:
    profits = {"gross_profit", "net_profit", "gross_margin_percent", "net_margin_percent"}
    whole = (await ask("get_financial_summary", period="last_quarter"))["totals"]
    assert profits <= whole.keys()
    for section, name in (("revenue", "revenue"), ("cost_of_sales", "cost_of_sales"), ("expense", "expenses")):
        found = await ask("get_financial_summary", section=section, period="last_quarter", compare="previous_period")
        assert found["totals"] == {name: whole[name]}
        assert found["comparison"]["totals"].keys() == {name}
    line = (await ask("get_financial_summary", category="Automotive", period="last_quarter"))["totals"]
    assert line.keys() == {"revenue", "cost_of_sales", "gross_profit", "gross_margin_percent"}
    assert (await ask("get_financial_summary", category="Payroll"))["totals"].keys() == {"expenses"}


async def test_stock_below_its_reorder_point_is_not_compared_with_all_stock(ask) -> None:
    found = await ask("get_inventory_levels", below_reorder_point=True, compare="last_year")
    assert "comparison" not in found
    assert any("left out" in note for note in found["notes"])


@pytest.mark.parametrize(
    ("tool", "args", "told"),
    [
        ("get_customers", {"status": "churned", "period": "this_year"}, "churn 7.5 % (5 of 67)"),
        ("get_leads", {"status": "converted", "period": "this_year"}, "conversion 30.8 % (60 of 195)"),
        ("get_server_status", {"status": "not_up"}, "up 70.8 % (17 of 24)"),
        ("get_deals", {"stage": "won", "period": "this_month"}, "win rate 37.5 % (3 of 8)"),
    ],
)
async def test_the_text_states_what_a_ratio_is_of(registry, tool, args, told) -> None:
    result = await registry.execute(tool, args)
    assert told in result.output


REQUIRED = {
    "get_defect_case": {"case_id": "DC-0012"},
    "get_trial_history": {"mold": "MD-007"},
    "get_defect_remedies": {"defect": "flash"},
}


async def test_there_is_no_ratio_that_these_tests_do_not_know(registry, ask) -> None:
    names = [name for name, spec in registry.specs.items() if spec.effect == "read"]
    assert len(names) >= 19
    for name in names:
        if name == "search_knowledge_base":
            continue
        args = dict(REQUIRED.get(name, {}))
        properties = registry.specs[name].parameters["properties"]
        if "trend" in properties:
            args["trend"] = "month"
        found = await ask(name, **args)
        told = set(_percents({key: value for key, value in found.items() if key != "comparison"}))
        assert told <= SHARES | MARGINS | CHANGES | GIVEN, name


def _percents(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for key, inner in value.items():
            if "percent" in key or "ratio" in key or key.endswith("_rate"):
                yield key
            yield from _percents(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _percents(inner)
