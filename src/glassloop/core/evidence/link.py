"""Figures of an answer linked to the observations they came from.

Owns the order of things: the answer's figures are indexed, then the observations are read once, latest first, and
whatever agrees with a figure is offered to it; the best offer wins. Nothing is guessed: beyond what stands in an
observation only lengths of its lists and sums, means and differences of one column count as found.
"""

import re
from collections.abc import Collection, Iterator, Sequence
from itertools import islice

from glassloop.core.evidence.claims import SAID, Claims, Offer
from glassloop.core.evidence.figures import Mark, plain, read_figures
from glassloop.core.evidence.sources import Sources
from glassloop.core.records import Evidence, Figure, ToolResult

_DIGIT = re.compile(r"\d")

MAX_FIGURES = 500
MAX_ANSWER = 200_000
"""Characters of an answer that are read."""


def link(
    answer: str, observations: Sequence[tuple[str, ToolResult]], question: str, known: Collection[str]
) -> Evidence:
    """See `find_evidence`."""
    marks = list(islice(read_figures(answer[:MAX_ANSWER]), MAX_FIGURES))
    if known:
        marks = [mark for mark in marks if answer[mark.start : mark.end] not in known]
    if not marks:
        return Evidence()
    if not observations and not _may_source(question, answer, marks):
        return Evidence(figures=tuple(_figure(answer, mark, None) for mark in marks))
    claims = Claims(plain(answer), marks)
    sources = Sources(claims)
    for call_id, result in reversed(observations):
        if claims.settled or sources.spent:
            break
        sources.observe(call_id, result)
    if not claims.complete:
        sources.derive()
    if question and not claims.complete:
        claims.handicap = SAID
        sources.ask(question)
    figures = tuple(_figures(answer, marks, claims))
    return Evidence(figures=figures, sourced=sum(figure.source is not None for figure in figures))


def _may_source(question: str, answer: str, marks: Sequence[Mark]) -> bool:
    """Whether the question can be where a figure came from: it has digits of its own, or says one of the names."""
    if _DIGIT.search(question) is not None:
        return True
    said = question.lower()
    return any(answer[mark.start : mark.end].lower() in said for mark in marks if mark.kind in ("name", "identifier"))


def _figures(answer: str, marks: Sequence[Mark], claims: Claims) -> Iterator[Figure]:
    for mark in marks:
        offers, shown = [claims.best(mark)], (mark,)
        if offers == [None] and mark.parts:
            parts = [claims.best(part) for part in mark.parts]
            if None not in parts:
                offers, shown = parts, mark.parts
        for place, offer in zip(shown, offers, strict=True):
            yield _figure(answer, place, offer)


def _figure(answer: str, mark: Mark, offer: Offer | None) -> Figure:
    _, source, found = offer or (0, None, None)
    text = answer[mark.start : mark.end]
    return Figure(text=text, kind=mark.kind, start=mark.start, end=mark.end, source=source, found=found)
