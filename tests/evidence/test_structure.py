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
