"""Whatever the input: nothing raises, work grows with its size and no faster, and unneeded work is not done."""

import sys
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Never

import pytest
from tests.evidence.conftest import observed

from glassloop.core.evidence import find_evidence
from glassloop.core.evidence.source_texts import SourceText
from glassloop.core.records import Figure

Check = Callable[..., list[Figure]]

MILLION = 1_000_000
WANTED = '5, 7.25 on 2026-11-14, 3 rows, "abc"'
HOSTILE = [
    "9",
    "９",
    '"',
    "“",
    "`",
    "```\n",
    "> ```\n> x\n",
    "1 ",
    "1,",
    "1.",
    "1'",
    "100 ",
    "1-",
    "1:",
    "1e",
    "1_",
    "a1",
    "a-1 ",
    "1-aaaa",
    "-",
    "$",
    "(",
    "[1]",
    "](",
    "Nov ",
    "Nov 1 ",
    "M",
    "1年",
    "+1 23 ",
    "http://",
    "| # |\n",
    "| 1 |\n",
    "~~~",
    "\n",
    " ",
    '"a',
    "\ud800",
    "第1",
    "1万",
    "2026-07-01 to ",
    "2026-07-01 to 2026-09-30 ",
    "Q1 ",
    "第1季度 ",
    '"aaaaaaaa … a" ',
    "… ",
    "I can show ",
    "about 90,000 ",
    "| a1 | 900,001 |\n",
    "|--|--|\n",
    "1 day ago ",
    "6 of the 9 ",
    "5.5 % less ",
]


def calls_of(work: Callable[[], object]) -> int:
    """Function calls made, in Python and C: a measure of work that no other process disturbs."""
    calls = 0

    def count(_frame: Any, event: str, _arg: Any) -> None:
        nonlocal calls
        calls += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        work()
    finally:
        sys.setprofile(before)
    return calls


@pytest.mark.parametrize("size", [100_000, pytest.param(MILLION, marks=pytest.mark.slow)])
@pytest.mark.parametrize("piece", HOSTILE)
def test_a_long_answer_of_anything_is_read_to_an_end(piece: str, size: int) -> None:
    text = piece * (size // len(piece))
    assert len(find_evidence(text, observed("7")).figures) <= 500


@pytest.mark.parametrize("longest", [100_000, pytest.param(MILLION, marks=pytest.mark.slow)])
@pytest.mark.parametrize("piece", HOSTILE)
def test_an_observation_of_anything_is_read_to_an_end(piece: str, longest: int) -> None:
    size = longest if piece in ("9", "９", '"', "a1", " ") else 20_000
    assert len(find_evidence(WANTED, observed(piece * (size // len(piece)))).figures) == 5


def scan_answer(text: str) -> object:
    return find_evidence(f"{text} 1", observed("7"))


def scan_observation(text: str) -> object:
    return find_evidence(WANTED, observed(text))


@pytest.mark.parametrize("scan", [scan_answer, scan_observation])
@pytest.mark.parametrize("piece", HOSTILE)
def test_work_grows_no_faster_than_the_text(piece: str, scan: Callable[[str], object]) -> None:
    scan("1")
    few, many = calls_of(partial(scan, piece * 100)), calls_of(partial(scan, piece * 400))
    assert many <= 5 * few + 2000


def test_figures_that_nothing_explains_cost_no_more_than_their_number_and_the_tables() -> None:
    def work(figures: int, rows: int) -> int:
        table = [{"name": f"site {row}", "state": "open", "stock": 1000 + row} for row in range(rows)]
        text = "| name | stock |\n| --- | --- |\n" + "".join(f"| place {row} | {2000 + row} |\n" for row in range(rows))
        answer = "".join(f"Site {one} and place {one}: {900_000 + 7 * one} open.\n\n" for one in range(figures))
        return calls_of(lambda: find_evidence(answer, observed(table, text, *["7 days"] * 20)))

    work(5, 5)
    assert work(80, 20) <= 5 * work(20, 20) + 20_000
    assert work(20, 800) <= 45 * work(20, 20)


class Untouchable(Sequence[SourceText]):
    """Observations that must not be looked at."""

    def __len__(self) -> int:
        return 1000

    def __getitem__(self, index: Any) -> Never:
        raise AssertionError(f"observation {index} was read")


@pytest.mark.parametrize("answer", ["done", "", "1. First\n2. Second", "see https://example.com/12", "```\n12\n```"])
def test_without_a_figure_no_observation_is_read(answer: str) -> None:
    assert find_evidence(answer, Untouchable()).figures == ()


def test_without_a_figure_almost_nothing_is_called() -> None:
    many = observed([{"value": 1}]) * 1000
    assert calls_of(lambda: find_evidence("done", many)) <= 4
    assert calls_of(lambda: find_evidence("All is well. " * 1000, many)) <= 4


def test_reading_stops_where_nothing_older_can_be_better() -> None:
    endless, latest = observed([1.5] * 100_000, "18,420 in WH-001")
    alone = calls_of(lambda: find_evidence("18,420 in WH-001", [latest]))
    assert calls_of(lambda: find_evidence("18,420 in WH-001", [endless, latest])) <= alone + 50


def test_a_table_of_other_numbers_costs_a_few_calls_a_cell() -> None:
    table = "| 31 | 8.5 | 1234.25 |\n" * 1000
    scan_observation("1")
    assert calls_of(partial(scan_observation, table)) <= 10 * 3000


def test_deep_huge_and_odd_values_raise_nothing(check: Check) -> None:
    deep = "[" * 100_000 + "5" + "]" * 100_000
    odd = f'{{"n": 1e999, "big": {10**400}, "huge": -1{"0" * 100_000}, "7": 7, "b": "5\\ud800"}}'
    figures = check(
        '5, 7 and "x" at 42 ms', deep, odd, "[" * 500_000, [[[]]], {"k_s": 10**400}, [1, [2]], "3.0", "true"
    )
    assert [figure.text for figure in figures] == ["5", "7", "x", "42 ms"]


@pytest.mark.slow
def test_many_near_values_in_a_long_text_are_read_to_an_end(check: Check) -> None:
    near = [127 + step / 1_000_000 for step in range(50_000)]
    figures = check("127 万 in 127 ms", {"near": near, "near_s": near, "text": "nothing " * 100_000})
    assert [(figure.text, figure.source) for figure in figures] == [("127 万", None), ("127 ms", "c1")]


def test_values_nested_too_deep_are_treated_as_not_there(check: Check) -> None:
    shallow: Any = 1234
    for _ in range(50):
        shallow = [shallow]
    deep = shallow
    for _ in range(50):
        deep = [deep]
    assert check("1234", shallow)[0].source == "c1"
    assert check("1234", deep)[0].source is None


def test_an_answer_has_at_most_500_figures(check: Check) -> None:
    assert len(check("7; " * 2000, [7])) == 500


def test_beyond_200_000_values_the_oldest_are_treated_as_not_there(check: Check) -> None:
    assert check("7", [7], [8] * 100_000)[0].source == "c1"
    assert check("7", [7], [8] * 200_001)[0].source is None


def test_a_long_quotation_and_a_long_identifier_are_no_names(check: Check) -> None:
    assert check('"' + "a" * 121 + '" and a' + "1" * 300, "a") == []
