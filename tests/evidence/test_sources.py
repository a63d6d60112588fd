"""Which observation is the source, and what else than a plain value can be one."""

from collections.abc import Callable
from typing import Any

import pytest
from tests.evidence.conftest import observed

from glassloop.core.evidence import find_evidence
from glassloop.core.evidence.source_texts import SourceText
from glassloop.core.records import Evidence, Figure

Check = Callable[..., list[Figure]]

VENDORS = [
    {"name": "Acme Ltd", "spend": 1200.5, "orders": 12},
    {"name": "Bolt & Sons", "spend": 300.0, "orders": 7},
    {"name": "Cog", "spend": 99.75, "orders": 1},
]


@pytest.mark.parametrize("observed", [18420, 18420.0, 18419.7, "18,420", "18420", [0, 420, 18000]])
def test_the_latest_of_equal_sources_wins(check: Check, observed: Any) -> None:
    assert check("18,420", {"value": observed}, {"value": observed}, ["else"])[0].source == "c2"


def test_of_equal_sources_the_one_of_the_figures_beside_it_wins(check: Check) -> None:
    vendors = {"as_of": "2026-11-15", "rows": [{"id": "V-001", "spend": 1607.5}, {"id": "V-006", "spend": 901.25}]}
    orders = {"as_of": "2026-11-15", "late": 6, "rows": [{"id": "PO-01613", "vendor": "V-001", "total": 93.28}]}
    answer = (
        "Top vendors, as of 2026-11-15: 1,607.50 is the most.\n\n"
        "| vendor | spend |\n| --- | --- |\n| V-001 | 1,607.50 |\n| V-006 | 901.25 |\n\n"
        "Late orders as of 2026-11-15: 6. One is PO-01613 of V-001.\n\n"
        "As of 2026-11-15."
    )
    assert [(f.text, f.source) for f in check(answer, vendors, orders)] == [
        ("2026-11-15", "c1"),
        ("1,607.50", "c1"),
        ("V-001", "c1"),
        ("1,607.50", "c1"),
        ("V-006", "c1"),
        ("901.25", "c1"),
        ("2026-11-15", "c2"),
        ("6", "c2"),
        ("PO-01613", "c2"),
        ("V-001", "c2"),
        ("2026-11-15", "c2"),
    ]


@pytest.mark.parametrize(
    ("better", "worse"), [("total 18,420", 18420), (18420, 18419.7), (18420, [18000, 420, 0]), ("18,420", [18419.7, 1])]
)
def test_a_better_match_wins_over_a_later_one(check: Check, better: Any, worse: Any) -> None:
    assert check("It is 18,420.", better, {"value": worse})[0].source == "c1"


def test_what_the_model_was_shown_counts_and_not_the_data_behind_it(check: Check) -> None:
    source = SourceText(source="c1", origin="call", text="total 99", data={"total": 12, "sum": 99})
    assert [(f.source, f.path) for f in check("12.0 and 99", source)] == [(None, ()), ("c1", ("sum",))]


def test_text_that_is_json_is_read_as_data(check: Check) -> None:
    figures = check("3 vendors, 1,600.25 in total", '[{"v": 1200.5}, {"v": 300}, {"v": 99.75}]')
    assert [f.found for f in figures] == ["count of rows", "sum of v"]


def test_figures_inside_strings_and_deep_values_are_found(check: Check) -> None:
    data = {"a": [{"b": [{"note": "about 18,420 units on 14 Nov 2026"}]}]}
    assert [f.found for f in check("18420 on 2026-11-14", data)] == ["18,420", "14 Nov 2026"]


@pytest.mark.parametrize(
    ("answer", "data", "found"),
    [
        ("3 vendors", {"vendors": VENDORS}, "count of vendors"),
        ("3 vendors", {"top_vendors": VENDORS}, "count of top_vendors"),
        ("**3** rows", VENDORS, "count of rows"),
        ("3 rows", [{"n": 3}, {"n": 1}, {"n": 2}], "count of rows"),
        ("共 3 家供应商", {"data": {"vendors": VENDORS}}, "count of data.vendors"),
        ("4 open orders", {"orders": [1, 2, 3, 9], "qty": 4}, "count of orders"),
        ("0 results", {"items": []}, "count of items"),
        ("there are 3", {"vendors": VENDORS}, "count of vendors"),
        ("3 rows", "| a | b |\n|---|---|\n| x | 1 |\n| y | 2 |\n| z | 4 |", "count of table rows"),
        ("3 rows", " a | b\n---+---\n x | 1\n y | 2\n z | 4", "count of table rows"),
        ("3 rows", "name,qty\nx,1\ny,2\nz,4", "count of table rows"),
        ("3 rows", "name  qty\nx     1\ny     2\nz     4", "count of table rows"),
        ("3 rows", "x\t1\ny\t2\nz\t4", "count of table rows"),
        ("3 files", "a.py\nb.py\nc.py\n", "count of lines"),
    ],
)
def test_a_count_is_found_as_the_length_of_a_list(check: Check, answer: str, data: Any, found: str) -> None:
    (figure,) = check(answer, data)
    assert (figure.source, figure.found) == ("c1", found)


@pytest.mark.parametrize(
    ("answer", "data"),
    [
        ("4 vendors", {"vendors": VENDORS}),
        ("€3", {"vendors": VENDORS}),
        ("3.0 points", {"vendors": VENDORS}),
        ("3 %", {"vendors": VENDORS}),
        ("worth 3", "a.py\nb.py\nc.py\n"),
    ],
)
def test_what_counts_nothing_is_no_length(check: Check, answer: str, data: Any) -> None:
    (figure,) = check(answer, data)
    assert figure.source is None


@pytest.mark.parametrize(
    ("answer", "data", "found"),
    [
        ("1,600.25", {"vendors": VENDORS}, "sum of vendors[].spend"),
        ("€1.6k", {"vendors": VENDORS}, None),
        ("€1,600", {"vendors": VENDORS}, "sum of vendors[].spend"),
        ("20 orders", {"vendors": VENDORS}, "sum of vendors[].orders"),
        ("533.42 on average", VENDORS, "mean of spend"),
        ("sum 60", {"values": [10, 20, 30]}, "sum of values"),
        ("difference 30", [{"x": 50}, {"x": 20}], "difference of x"),
        ("fell by 30 %", [{"x": 0.5}, {"x": 0.2}], None),
        ("product 6000", {"values": [10, 20, 30]}, None),
        ("difference 40", [50, 20, 10], None),
        ("mean 6.7", VENDORS, None),
    ],
)
def test_only_sums_means_and_differences_of_one_column_are_derived(
    check: Check, answer: str, data: Any, found: str | None
) -> None:
    (figure,) = check(answer, data)
    assert (figure.source, figure.found) == ("c1" if found else None, found)


def test_what_stands_there_wins_over_what_can_be_derived(check: Check) -> None:
    assert check("60", {"values": [10, 20, 30]}, {"total": 60})[0].source == "c2"
    assert check("60", {"total": 60}, {"values": [10, 20, 30]})[0].source == "c1"


def test_the_person_is_the_source_of_what_they_said(check: Check) -> None:
    figures = check("15 % of 230 is 34.5", [34.5], question="What is 15 % of 230?")
    assert [(f.text, f.source, f.found) for f in figures] == [
        ("15 %", "question", "15 %"),
        ("230", "question", "230"),
        ("34.5", "c1", "34.5"),
    ]


def test_an_observation_wins_over_the_question(check: Check) -> None:
    figures = check("230.0 in WH-001 and 7", [229.98], question="Is it 230 in WH-001 and 7?")
    assert [f.source for f in figures] == ["c1", "question", "question"]


def test_what_was_found_is_shortened_to_80_characters(check: Check) -> None:
    name = "a" + "-b1" * 40
    (figure,) = check(f"See {name}.", name)
    assert (figure.source, len(figure.found or "")) == ("c1", 80)


def test_a_business_answer_is_linked_figure_by_figure(check: Check) -> None:
    stock = [
        {"sku": "BRG-6204", "warehouse": "WH-001", "on_hand": 18420, "reorder_point": 20000},
        {"sku": "BRG-6205", "warehouse": "WH-001", "on_hand": 310, "reorder_point": 250},
    ]
    finance = {"period": "2026-10", "revenue": 1268340.5, "margin": 0.4183, "profit_change": -0.052}
    answer = (
        "## 1. Stock\n"
        "WH-001 holds **18,420** pieces of BRG-6204, below the reorder point of 20,000; 2 rows in all.\n\n"
        "## 2. Finance\n"
        "In October 2026 revenue was €1.27m at a 41.8 % margin; profit fell 5.2 %, after 7.1 % before [1]."
    )
    figures = check(answer, stock, finance)
    assert [(f.text, f.source) for f in figures] == [
        ("WH-001", "c1"),
        ("18,420", "c1"),
        ("BRG-6204", "c1"),
        ("20,000", "c1"),
        ("2", "c1"),
        ("October 2026", "c2"),
        ("€1.27m", "c2"),
        ("41.8 %", "c2"),
        ("5.2 %", "c2"),
        ("7.1 %", None),
    ]


def test_a_chinese_answer_is_linked_figure_by_figure(check: Check) -> None:
    trials = {
        "case": "MD-2026-014",
        "defect": "披锋",
        "trials": [
            {"trial": "T0", "date": "2026-11-01", "defect_rate": 0.125},
            {"trial": "T1", "date": "2026-11-08", "defect_rate": 0.042},
        ],
    }
    answer = (
        "案例 MD-2026-014「披锋」：\n1、T0（2026年11月1日）不良率 12.5%；\n2、T1（11月8日）降到 4.2％。\n"
        "共 2 次试模，T2 未做，费用约 3 万元。"
    )
    assert [(f.text, f.source) for f in check(answer, trials)] == [
        ("MD-2026-014", "c1"),
        ("披锋", "c1"),
        ("T0", "c1"),
        ("2026年11月1日", "c1"),
        ("12.5%", "c1"),
        ("T1", "c1"),
        ("11月8日", "c1"),
        ("4.2％", "c1"),
        ("2", "c1"),
        ("T2", None),
        ("3 万元", None),
    ]


def test_an_answer_without_figures_has_empty_evidence() -> None:
    assert find_evidence("All is well.", observed("1 2 3")) == Evidence()


def test_the_place_of_an_estimate_is_the_row_that_the_answer_names_and_not_a_picture(check):
    rows = [("poi-1", "Market St", 900), ("poi-2", "Mission St", 800), ("poi-3", "Castro St", 800)]
    places = [{"id": one, "name": name, "visits": {"value": n, "low": n - 90, "high": n + 90}} for one, name, n in rows]
    points = [{"id": one, "name": name, "lat": 37.8, "lon": -122.4, "value": n} for one, name, n in rows]
    text = "| Name | Visits |\n|---|---|\n" + "\n".join(f"| {name} | {n} ({n - 90}-{n + 90}) |" for _, name, n in rows)
    source = SourceText(
        source="c1", origin="call", text=text, data={"map": {"title": "Map", "points": points}, "places": places}
    )
    (castro,) = check("Castro St has 800 visits.", source)
    assert castro.path == ("places", 2, "visits", "value")
    low, high = check("Mission St has between 710 and 890 visits.", source)
    assert [low.path, high.path] == [("places", 1, "visits", "low"), ("places", 1, "visits", "high")]


def test_a_number_of_a_thing_has_its_source_in_a_column_of_the_same_name(check: Check) -> None:
    rows = [{"report_code": "ScDse5LahF", "fight_id": 3}, {"report_code": "ScDse5LahF", "fight_id": 9}]
    answer = "| Report code | Fight ID |\n|---|---|\n| ScDse5LahF | 3 |\n| ScDse5LahF | 9 |\n"
    found = check(answer, {"fights": rows})
    assert [(f.text, f.path[-1]) for f in found if f.kind == "number"] == [("3", "fight_id"), ("9", "fight_id")]
    assert check("Nine of us died, 9 in all.", {"fights": rows})[-1].source is None
