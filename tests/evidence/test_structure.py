"""What looks like a figure and is none."""

from collections.abc import Callable

import pytest

from glassloop.core.records import Figure

Check = Callable[..., list[Figure]]


@pytest.mark.parametrize(
    "answer",
    [
        "done",
        "",
        "one of the two",
        "1. First\n2. Second\n10. Tenth",
        "1) First\n2) Second",
        "  - 1. nested\n> 2. quoted\n**3.** bold\n**4. Title**",
        "(1) first\n(2) second",
        "1、第一\n2、第二",
        "# 1 Summary\n## 2.1 Details\n### 3. More",
        "as Step 3 and section 2.1 say, see step #4 and § 5",
        "见步骤 3，第2步和第 3 章",
        "as shown [1] and [^2]",
        "https://example.com/a/12?page=3 and www.example.com/4",
        "见https://example.com/a/12。",
        "[the order](/orders/12)",
        "```\nx = 1\n```",
        "Look:\n~~~python\nx = 12\n~~~\ndone",
        "```\nnever closed 12",
        "> ```\n> x = 1\n> ```",
        "1️⃣ first 2️⃣ second",
        "| # | name |\n|---|---|\n| 1 | a |\n| 2 | b |",
        "| 序号 | 名称 |\n|---|---|\n| 1 | 甲 |",
        "B2B in 3D, 24/7, UTF-8, CO2, 5G",
        '“” "" `` 「」',
        "download the model (`glassloop models pull`)",
        "run `make test`, then ` git push `",
        "so $E=mc^2$, x^{12} and (a+b)^3",
    ],
)
def test_structure_holds_no_figure(check: Check, answer: str) -> None:
    assert check(answer, "1 2 3 12") == []


@pytest.mark.parametrize(
    ("answer", "texts"),
    [
        ("1. Acme has 12\n2. Bolt has 3", ["12", "3"]),
        ("1.5 million at the start of a line", ["1.5 million"]),
        ("12 vendors", ["12"]),
        ("- 12 vendors", ["12"]),
        ("## 12 vendors late", ["12"]),
        ("the 3 steps", ["3"]),
        ("第 3 季度", ["3"]),
        ("```\n1\n``` \n2", ["2"]),
        ("~~1~~ 2", ["1", "2"]),
        ("see [12 orders](/orders/9) of 3", ["12", "3"]),
        ("| # | n |\n|---|---|\n| 1 | 12 |", ["12"]),
        ("| n | m |\n|---|---|\n| 1 | 12 |", ["1", "12"]),
        ("10-20 and 5-10k", ["10", "20", "5", "10k"]),
        ("2024-2025", ["2024", "2025"]),
    ],
)
def test_the_figures_around_structure_remain(check: Check, answer: str, texts: list[str]) -> None:
    assert [figure.text for figure in check(answer)] == texts


@pytest.mark.parametrize(
    "answer",
    [
        "Which date do you mean, such as 2026-11-15?",
        'Which `from_unit` (such as "mile", "GB") do you mean? Tell me.',
        "What period do you mean, e.g. 1.5 or 2 months?",
        "Which day? For example 15 November 2026.",
        "Which day?\n\nFor example: 2026-11-15 or 2026-11-16.",
        "Shall I book 3 or 4 seats?",
        "您是指 2026-11-15 还是 2026-11-16？",
        "哪一天？例如 2026-11-15。",
        "Welchen Tag meinen Sie, z. B. 15.11.2026?",
    ],
)
def test_what_is_only_asked_back_needs_no_source(check: Check, answer: str) -> None:
    assert check(answer, "nothing of it") == []
    assert check(answer) == []


@pytest.mark.parametrize(
    ("answer", "texts"),
    [
        ("It fell to 99. Which day do you mean?", ["99"]),
        ("It fell to 99, shall I look why?", ["99"]),
        ("Which day do you mean? It fell to 99.", ["99"]),
        ("Which day?\nFor example 15.\nIt fell to 99.", ["99"]),
        ("99 of them, see https://example.com/a?b", ["99"]),
        ("I looked at what fell. It is 99!", ["99"]),
    ],
)
def test_a_claim_beside_a_question_still_needs_its_source(check: Check, answer: str, texts: list[str]) -> None:
    assert [figure.text for figure in check(answer, "nothing of it")] == texts


def test_what_a_question_repeats_of_an_observation_is_still_linked(check: Check) -> None:
    assert [figure.source for figure in check("Do you mean order 4711 or 4712?", {"id": 4711})] == ["c1"]


def test_the_rows_that_are_shown_of_a_result_are_no_figures(check: Check) -> None:
    assert not [f for f in check("Gyms: 29.\n[rows 1–20 of 29]", "Gyms: 29, of these 20 open") if f.source is None]
