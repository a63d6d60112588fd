"""How the tests of the evidence check ask: one answer against what was observed."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from glassloop.core.evidence import find_evidence
from glassloop.core.evidence.source_texts import SourceText
from glassloop.core.records import Figure

Check = Callable[..., list[Figure]]


def observed(*seen: Any) -> list[SourceText]:
    """Observations `c1`, `c2`, … of this turn, in order: data as the JSON a model is shown, texts as they are."""
    return [
        each
        if isinstance(each, SourceText)
        else SourceText(
            source=f"c{number}",
            origin="call",
            text=each if isinstance(each, str) else json.dumps(each, ensure_ascii=False),
        )
        for number, each in enumerate(seen, 1)
    ]


@pytest.fixture(scope="session")
def check() -> Check:
    """The figures of an answer, given the data or text of observations `c1`, `c2`, … in order."""

    def figures(answer: str, *seen: Any, question: str = "") -> list[Figure]:
        asked = SourceText(source="question", origin="question", text=question, observed=False)
        evidence = find_evidence(answer, [asked, *observed(*seen or ("",))])
        assert all(answer[figure.start : figure.end] == figure.text for figure in evidence.figures)
        asked_for = sum(figure.origin == "asked" for figure in evidence.figures)
        assert evidence.sourced == len(evidence.figures) - len(evidence.unsupported) - asked_for
        return list(evidence.figures)

    return figures
