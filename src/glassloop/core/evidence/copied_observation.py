"""Answers that hold the last observation word for word: each of its figures stands there, and is not searched for.

Only where nothing else could be meant: no figure stands outside the copy, or repeats what the call was given.
"""

from collections.abc import Sequence

from glassloop.core.evidence.answer_layout import AnswerLayout
from glassloop.core.evidence.claims import MAX_FOUND
from glassloop.core.evidence.data_paths import DataPaths
from glassloop.core.evidence.figures import FigureMark
from glassloop.core.evidence.source_texts import RepeatedArguments, SourceText
from glassloop.core.records import Figure

MIN_CHARS = 100
"""A shorter observation may stand in an answer by chance."""


def link_copied(answer: str, marks: Sequence[FigureMark], sources: Sequence[SourceText]) -> list[Figure] | None:
    """The figures of such an answer, in its order; None where they must be searched for."""
    source = sources[-1] if sources else None
    if source is None or source.origin != "call" or source.failed or source.sourced is not None:
        return None
    text = source.text.strip()
    begin = answer.find(text) if len(text) >= MIN_CHARS and text[0] not in "{[" else -1
    end = begin + len(text)
    if begin < 0 or answer[begin - 1 : begin] not in ("", "\n") or answer[end : end + 1] not in ("", "\n"):
        return None
    repeated = RepeatedArguments(source.args)
    if any(mark.start < begin or mark.end > end or _is_repeated(answer, mark, repeated) for mark in marks):
        return None
    paths = None if source.data is None else DataPaths(source.data)
    layout = AnswerLayout(answer, [(mark.start, mark.end) for mark in marks])
    figures: list[Figure] = []
    for mark in marks:
        found = answer[mark.start : mark.end]
        path = () if paths is None else paths.find(found[:MAX_FOUND], layout.around(mark.start, mark.end))
        figures.append(
            Figure(
                text=found,
                kind=mark.kind,
                start=mark.start,
                end=mark.end,
                source=source.source,
                origin=source.origin,
                found=found[:MAX_FOUND],
                path=path,
            )
        )
    return figures


def _is_repeated(answer: str, mark: FigureMark, repeated: RepeatedArguments) -> bool:
    if mark.kind in ("identifier", "name"):
        return repeated.holds(answer[mark.start : mark.end].lower())
    readings = (reading for seen in (mark, *mark.parts) for reading in seen.readings)
    return any(reading.value in repeated.numbers for reading in readings) or any(
        part in repeated.moments for moment in mark.moments for part in moment.parts()
    )
