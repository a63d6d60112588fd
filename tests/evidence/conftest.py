"""How the tests of the evidence check ask: one answer against what was observed."""

from collections.abc import Callable
from typing import Any

import pytest

from glassloop.core.evidence import find_evidence
from glassloop.core.records import Figure, ToolResult

Check = Callable[..., list[Figure]]


@pytest.fixture(scope="session")
def check() -> Check:
    """The figures of an answer, given the data or text of observations `c1`, `c2`, … in order."""

    def figures(answer: str, *observed: Any, question: str = "") -> list[Figure]:
        results = [
            each
            if isinstance(each, ToolResult)
            else ToolResult(success=True, output=each)
            if isinstance(each, str)
            else ToolResult(success=True, data=each)
            for each in observed
        ]
        observations = [(f"c{number}", result) for number, result in enumerate(results, 1)]
        evidence = find_evidence(answer, observations, question)
        assert all(answer[figure.start : figure.end] == figure.text for figure in evidence.figures)
        assert evidence.sourced == len(evidence.figures) - len(evidence.unsupported)
        return list(evidence.figures)

    return figures
