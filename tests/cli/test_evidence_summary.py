"""How much of an answer is sourced, in the words of the page."""

import pytest

from glassloop.cli.ui.trace_rows import evidence_summary, missing
from glassloop.core.records import Figure


def figure(text: str, source: str | None) -> Figure:
    return Figure(text=text, kind="number", start=0, end=1, source=source, found=text)


@pytest.mark.parametrize(
    ("question", "figures", "words"),
    [
        ("Q", [], ""),
        ("Q", [figure("6", "c1")], "1 figure sourced"),
        ("Q", [figure("6", "c1"), figure("7", "c1")], "all 2 figures sourced"),
        ("Q", [figure("6", "c1"), figure("7", None)], "1 of 2 figures sourced"),
        (
            "What is 18% of 2,450?",
            [figure("18%", "c1"), figure("2450", "c1"), figure("441", "c1")],
            "1 figure sourced, 2 from the question",
        ),
        ("Is 7 a prime?", [figure("7", "question")], "1 figure from the question"),
        (
            "Why 17 of 7.5?",
            [figure("7", "c1"), figure("5", "c1"), figure("7.5", None)],
            "all 2 figures sourced, 1 from the question",
        ),
    ],
)
def test_what_was_found_is_counted_apart_from_what_the_person_said(
    question: str, figures: list[Figure], words: str
) -> None:
    assert evidence_summary(question, figures) == words


def test_only_what_nobody_said_is_missing_a_source() -> None:
    figures = [figure("7.5", None), figure("8", None), figure("9", "c1")]
    assert [one.text for one in missing("Why 7.5?", figures)] == ["8"]
