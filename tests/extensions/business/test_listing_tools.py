"""Every listing tool, by every filter, group, sort, trend and comparison, against SQL of the tests' own.

`listing_cases.toml` has the calls and that SQL. A new parameter, or a new choice of one, fails here until a case uses
it.
"""

import sqlite3
import tomllib
from collections import defaultdict
from collections.abc import Iterator
from datetime import date, timedelta
from itertools import product
from pathlib import Path
from random import Random
from typing import Any

import pytest

Case = dict[str, Any]

HERE = Path(__file__).parent
RAW: dict[str, Case] = tomllib.loads((HERE / "listing_cases.toml").read_text("utf-8"))
INSIDE = "substr({day}, 1, length(:first)) >= :first AND substr({day}, 1, length(:last)) <= :last"
TODAY = date(2026, 11, 15)
ON_STATES = ("In the trend as they stand today:", "Compared as they were on", "Not compared, as not kept by day:")
DAYS = ("period", "start_date", "end_date")
SHAPES = ("limit", "sort", "by", "order", "group_by", "trend", "compare")
COMBINED = 60
UNUSUAL = {"section", "query", "stage", "date_field", "order_id", "email_id", "folder"}
"""They change what the other arguments mean."""
SHARED = {"period", "compare", "trend"}
"""One piece of code reads these for all tools: any of them, or the tests of periods, may use a choice."""


def cases() -> Iterator[Case]:
    for name, listing in RAW.items():
        shared = {"tool": name} | RAW.get(listing.get("like", ""), {}) | listing
        for case in (*listing["cases"], *listing.get("longer_cases", ())):
            order = shared["group_order"] if "group" in case and "group_order" in shared else shared["order"]
            yield {**shared, "order": order, **case}


CASES = list(cases())


@pytest.fixture(scope="module")
def data(made_file: Path) -> Iterator[sqlite3.Connection]:
    connection = sqlite3.connect(f"file:{made_file}?mode=ro", uri=True)
    connection.row_factory = lambda cursor, row: {
        column[0]: value for column, value in zip(cursor.description, row, strict=True)
    }
    for name, times in (("percent", 100), ("mean", 1)):
        connection.create_function(
            name, 2, lambda part, whole, times=times: round(part / whole * times, 1) if whole else None
        )
    connection.create_function("kind_of", 1, kind_of)
    yield connection
    connection.close()


def kind_of(message: str) -> str:
    """A message without its numbers: those of the sample have nothing else that differs."""
    marked = "".join("#" if letter.isdigit() else letter for letter in message)
    while "##" in marked:
        marked = marked.replace("##", "#")
    return marked


class Expected:
    """What the database says to a case."""

    def __init__(self, data: sqlite3.Connection, case: Case) -> None:
        self._data = data
        self._case = case

    def run(self, sql: str, days: Any = None, then: str = "") -> list[dict[str, Any]]:
        """The query, with what is in braces from the case, over these days or the case's own."""
        case, given = self._case, days or self._case.get("days")
        inside = case.get("inside", INSIDE).format(**case) if given else "1"
        values = {**case, "where": f"({case.get('where', 1)}) AND {inside}"}
        while "{" in sql:
            sql = sql.format(**values)
        first, last = (given, given) if isinstance(given, str) else given or ("", "")
        return self._data.execute(sql, {"first": first, "last": last, "then": then}).fetchall()

    def totals(self) -> dict[str, Any]:
        (row,) = self.run(f"SELECT {self._figures('whole_ratios')} FROM {{from}} WHERE {{where}}")
        return {name: value for name, value in row.items() if name not in self._case.get("without", ())}

    def before(self) -> dict[str, Any]:
        """The totals of the other period, as they were as long after its end as today is after the end of this one."""
        case = self._case
        then = last_day(case["before"]) + (TODAY - last_day(case["days"]))
        figures = case.get("then") or self._figures("whole_ratios")
        return self.run(f"SELECT {figures} FROM {{from}} WHERE {{where}}", case["before"], then.isoformat())[0]

    def rows(self, limit: int) -> list[dict[str, Any]]:
        case = self._case
        if "group" not in case:
            return self.run(f"SELECT {{columns}} FROM {{from}} WHERE {{where}} ORDER BY {{order}} LIMIT {limit}")
        keys = ", ".join(part.split(" AS ")[0] for part in case["group"].split(", "))
        figures = case.get("row_figures") or self._figures("ratios")
        return self.run(
            f"SELECT {{group}}, {figures} FROM {{from}} WHERE {{where}} GROUP BY {keys} "
            f"ORDER BY {case['order'].replace('{group}', keys)} LIMIT {limit}"
        )

    def trend(self, step: str) -> list[dict[str, Any]]:
        if "trend" in self._case:
            return self.run(self._case["trend"]) if self._case["trend"] else []
        chars = {"month": 7, "day": 10}[step]
        return self.run(
            f"SELECT substr({{day}}, 1, {chars}) AS {step}, {self._figures('ratios')} FROM {{from}} WHERE {{where}} "
            "GROUP BY 1 ORDER BY 1"
        )

    def _figures(self, ratios: str) -> str:
        return ", ".join(filter(None, (self._case["totals"], self._case.get(ratios))))


def last_day(days: Any) -> date:
    text = days if isinstance(days, str) else days[1]
    if len(text) == 10:
        return date.fromisoformat(text)
    month = int(text[5:] or 12)
    end = date(int(text[:4]) + month // 12, month % 12 + 1, 1) - timedelta(1)
    return min(end, TODAY)


def shown(rows: list[dict[str, Any]], hidden: list[str]) -> list[dict[str, Any]]:
    return [{name: value for name, value in row.items() if name not in hidden} for row in rows]


@pytest.mark.parametrize("case", CASES, ids=[f"{case['tool']} {case['args']}" for case in CASES])
async def test_a_listing_tells_what_the_rows_come_to(ask, registry, data, counts, case) -> None:
    tool, args, expected = case["tool"], case["args"], Expected(data, case)
    limited = "limit" in registry.specs[tool].parameters["properties"]
    found = await ask(tool, **({"limit": 200} if limited else {}) | args)
    told = found["totals"] if "whole_ratios" in case else counts(found["totals"])
    assert told == expected.totals()
    rows = [] if case.get("hides_rows") else expected.rows(args.get("limit", 200))
    assert shown(found["rows"], case.get("hidden", [])) == shown(rows, case.get("hidden", []))
    if "row_count" in found:
        every = len(expected.rows(10_000)) if "group" in case else next(iter(found["totals"].values()))
        assert (found["shown"], found["row_count"]) == (len(rows), every)
    if step := args.get("trend", case.get("step")):
        assert found.get("trend", []) == expected.trend(step)
    if "before" in case:
        before = expected.run(case["compared"])[0] if "compared" in case else expected.before()
        comparison = found["comparison"]
        assert (comparison["totals"] if "whole_ratios" in case else counts(comparison["totals"])) == before
        for name, value in before.items():
            assert comparison["change"][name] == round(told[name] - value, 2)
            if value and not name.endswith("_percent"):
                change = round((told[name] - value) / abs(value) * 100, 1)
                assert comparison["change"][f"{name}_percent"] == change
        if not isinstance(case["before"], str):
            assert [comparison["period"]["from"], comparison["period"]["to"]] == case["before"]
    else:
        assert "comparison" not in found
    for name, sql in case.get("tables", {}).items():
        assert found[name] == expected.run(sql)
    assert case.get("told", {}).items() <= found["filters"].items()
    assert [note for note in found.get("notes", []) if not note.startswith(ON_STATES)] == case.get("notes", [])
    if ("before" in case or "trend" in args) and {"not_complete", "open", "unread", "resolved"} & set(told):
        assert any(note.startswith(ON_STATES) for note in found["notes"]), "today's states are told apart"


def combinations(seed: int = 17) -> list[Case]:
    """Cases put together from others: up to three filters and a period at once, whatever they are."""
    dice, made = Random(seed), {}
    for tool in sorted({case["tool"] for case in CASES} - {"get_defect_remedies", "get_trial_history"}):
        own = [case for case in CASES if case["tool"] == tool]
        own = [case for case in own if case["from"] == own[0]["from"] and not UNUSUAL & set(case["args"])]
        filters = [(args, case["where"]) for case in own if (args := filters_of(case)) and "where" in case]
        periods = [
            ({name: value for name, value in case["args"].items() if name in DAYS}, case)
            for case in own
            if {"start_date", "period"} & set(case["args"]) and "where" not in case and "notes" not in case
        ]
        for _ in range(COMBINED):
            picked = dice.sample(filters, min(len(filters), dice.randint(2, 3)))
            args: dict[str, Any] = {}
            wheres = [where for given, where in picked if not set(given) & set(args) and not args.update(given)]
            days, case = dice.choice(periods) if periods else ({}, own[0])
            if periods or len(wheres) > 1:
                whole = {**case, "args": {**args, **days}, "where": " AND ".join(f"({where})" for where in wheres)}
                made[str((tool, sorted(whole["args"].items())))] = whole
    return [*made.values(), *unpaid_combinations()]


def unpaid_combinations() -> Iterator[Case]:
    """Every kind of unpaid invoice, of every company of some, by how long they are overdue."""
    shared = RAW["unpaid_invoices"]
    sections = {"overdue": "late", "payable": "kind = 'payable'", "receivable": "kind = 'receivable'"}
    companies = ("", "C-0004", "C-0016", "C-0073", "V-003", "V-030")
    for (section, where), company, least in product(sections.items(), companies, (0, 1, 7, 14, 30, 60)):
        args = {"section": section, "company": company, "min_days_overdue": least}
        clauses = [where, f"days_overdue >= {least}", *([f"party_id = '{company}'"] if company else [])]
        totals = shared["of_each" if section == "overdue" else "totals"]
        yield {**shared, "args": args, "where": " AND ".join(clauses), "totals": totals}


def filters_of(case: Case) -> dict[str, Any]:
    return {name: value for name, value in case["args"].items() if name not in {*DAYS, *SHAPES}}


COMBINATIONS = combinations()


def test_enough_filters_are_tried_together() -> None:
    assert len(COMBINATIONS) >= 300
    assert len({case["tool"] for case in COMBINATIONS}) >= 14


@pytest.mark.parametrize("part", range(8))
async def test_filters_together_tell_what_the_rows_come_to(readers, data, counts, part) -> None:
    """Every combination on SQLite, each fourth on PostgreSQL."""
    for number, case in enumerate(COMBINATIONS[part::8]):
        for kind in ("sqlite", "postgres") if number % 4 == 0 else ("sqlite",):
            result = await readers[kind].execute(case["tool"], case["args"])
            assert result.success, (case["args"], result.error)
            wanted = Expected(data, case).totals()
            if "status" in case["args"] and case["tool"] == "get_customers":
                del wanted["there_at_start"]
            told = counts(result.data["totals"])
            if case["tool"] == "get_financial_summary":
                wanted = {name: wanted[name] for name in told}
            assert told == counts(wanted), (case["tool"], case["args"])


def test_every_parameter_of_every_tool_and_every_choice_is_used_by_a_case(registry) -> None:
    used: dict[tuple[str, str], set[Any]] = defaultdict(set)
    for case in CASES:
        for name, value in {"limit": 200, **case["args"]}.items():
            used[case["tool"], name].add(value)
            used["any", name].add(value)
    periods = (HERE / "test_periods.py").read_text("utf-8")
    tools = {case["tool"] for case in CASES}
    assert set(registry.names) - tools == {"schedule_meeting", "get_defect_case"}, "these have tests of their own"
    unused: list[str] = []
    for tool in tools:
        for name, schema in registry.specs[tool].parameters["properties"].items():
            choices = {each for one in (schema, *schema.get("anyOf", ())) for each in one.get("enum", ())}
            left = choices - used[tool, name] - {schema.get("default")}
            if name in SHARED:
                left = {choice for choice in left - used["any", name] if f'"{choice}"' not in periods}
            unused += [f"{tool}({name}={choice!r})" for choice in left if used[tool, name]]
            unused += [] if used[tool, name] else [f"{tool}({name})"]
    assert unused == [], "\n".join(unused)
