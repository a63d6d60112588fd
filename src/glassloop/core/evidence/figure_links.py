"""Links from the figures of an answer to the observations they came from.

The answer's figures are indexed, then the observations are read once, latest first, and every match is offered to its
figure. The best offer wins; among equal ones that of the neighbouring figures, else the latest (`tie_break`). Nothing
is guessed: beyond what an observation holds, only lengths of its lists and sums, means and differences of one column
count as found. Questions back to the person, our own commands, and code without a digit need no source.
"""

import re
from collections.abc import Collection, Iterator, Sequence
from itertools import islice

from glassloop.core.evidence.claims import SAID, AnswerClaims, Offer
from glassloop.core.evidence.figures import FigureMark, plain, read_figures
from glassloop.core.evidence.questions import QuestionSpans
from glassloop.core.evidence.sources import ObservationScan
from glassloop.core.evidence.tie_break import TiedSources, break_ties
from glassloop.core.records import Evidence, Figure, ToolResult

_DIGIT = re.compile(r"\d")
_COMMAND = "glassloop "

MAX_FIGURES = 500
MAX_ANSWER = 200_000
"""Characters of an answer that are read."""


def link_figures(
    answer: str, observations: Sequence[tuple[str, ToolResult]], question: str, known: Collection[str]
) -> Evidence:
    """See `find_evidence`."""
    marks = [
        mark
        for mark in islice(read_figures(answer[:MAX_ANSWER]), MAX_FIGURES)
        if answer[mark.start : mark.end] not in known and not answer.startswith(_COMMAND, mark.start)
    ]
    if not marks:
        return Evidence()
    asking = QuestionSpans(answer[:MAX_ANSWER])
    if not observations and not _may_source(question, answer, marks):
        return Evidence(figures=tuple(_needing(answer, asking, (_figure(answer, mark, None) for mark in marks))))
    claims = AnswerClaims(plain(answer), marks)
    sources = ObservationScan(claims)
    for call_id, result in reversed(observations):
        if claims.settled or sources.spent:
            break
        sources.observe(call_id, result)
    if not claims.complete:
        sources.derive()
    if question and not claims.complete:
        claims.handicap = SAID
        sources.ask(question)
    found = break_ties(answer, list(_found(marks, claims)))
    figures = tuple(_needing(answer, asking, (_figure(answer, mark, offer) for mark, offer in found)))
    return Evidence(figures=figures, sourced=sum(figure.source is not None for figure in figures))


def _may_source(question: str, answer: str, marks: Sequence[FigureMark]) -> bool:
    """Whether the question can be where a figure came from: it has digits of its own, or says one of the names."""
    if _DIGIT.search(question) is not None:
        return True
    said = question.lower()
    return any(answer[mark.start : mark.end].lower() in said for mark in marks if mark.kind in ("name", "identifier"))


def _needing(answer: str, asking: QuestionSpans, figures: Iterator[Figure]) -> Iterator[Figure]:
    """The figures that have a source, or ought to."""
    for figure in figures:
        if figure.source is not None or not (asking.hold(figure.start) or _is_code(answer, figure)):
            yield figure


def _is_code(answer: str, figure: Figure) -> bool:
    """A command, an argument, a file: in backticks as code is, and without a digit it states no value."""
    before = answer[max(0, figure.start - 8) : figure.start].rstrip()
    return figure.kind == "name" and before.endswith("`") and _DIGIT.search(figure.text) is None


def _found(marks: Sequence[FigureMark], claims: AnswerClaims) -> Iterator[TiedSources]:
    for mark in marks:
        shown = (mark,)
        if mark.parts and claims.best(mark) is None and None not in map(claims.best, mark.parts):
            shown = mark.parts
        for place in shown:
            yield TiedSources(place, claims.best(place), claims.equal(place))


def _figure(answer: str, mark: FigureMark, offer: Offer | None) -> Figure:
    _, source, found = offer or (0, None, None)
    text = answer[mark.start : mark.end]
    return Figure(text=text, kind=mark.kind, start=mark.start, end=mark.end, source=source, found=found)
