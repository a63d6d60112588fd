"""Evidence check: links each figure of an answer to what it came from, over the whole conversation.

`figures` finds what an answer claims and `structure` what only looks like it, `quantities`, `number_style` and
`moments` say what it can mean, `claims` indexes it. `source_texts` says what the model saw and what it is worth,
`sources` reads it with the units its `labels` tell, `contradictions` drops what the answer says otherwise, `places` and
`answer_layout` choose among equals, `computed` works out the rest, `figure_links` runs it. No model, no IO.
"""

import re
import sys
from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING

import msgspec

from glassloop.core.messages import AssistantMessage, Message, ToolSpec
from glassloop.core.records import Evidence, Figure, ToolResult

if TYPE_CHECKING:
    from glassloop.core.evidence.source_texts import SourceText

__all__ = ["check_answer", "find_evidence", "has_figures", "is_loaded", "is_quick", "sourced_in", "traced_further"]

QUICK_CHARS = 20_000
"""Up to here the check takes a few milliseconds."""

_NOTHING = Evidence()
_POSSIBLE = re.compile(r'[\d"“„«「『《`]')


def has_figures(answer: str) -> bool:
    """Whether there can be anything to look for."""
    return _POSSIBLE.search(answer) is not None


def check_answer(
    answer: str,
    messages: Sequence[Message],
    question: str,
    results: Mapping[str, ToolResult] | None = None,
    tools: Mapping[str, ToolSpec] | None = None,
) -> Evidence:
    """The evidence of an answer, by the transcript as the model saw it.

    `results` are those of this turn, `tools` what the assistant has: their names need no source, and what one of them
    was given to keep is not observed when it is read again.
    """
    if _POSSIBLE.search(answer) is None:
        return _NOTHING
    # Compiling the shapes of figures takes longer than all other imports of the core together.
    from glassloop.core.evidence.source_texts import source_texts

    writers = {name for name, spec in (tools or {}).items() if spec.effect != "read"}
    return find_evidence(answer, source_texts(messages, question, results, writers), tools or ())


def sourced_in(text: str, messages: Sequence[Message], question: str = "") -> tuple[str, ...]:
    """The figures of a summary or a passage that stand in these messages, with a source."""
    if _POSSIBLE.search(text) is None:
        return ()
    from glassloop.core.evidence.figure_links import link_figures
    from glassloop.core.evidence.source_texts import source_texts

    return link_figures(text, source_texts(messages, question), (), always=True).sourced_texts


def find_evidence(answer: str, sources: "Sequence[SourceText]", known: Collection[str] = ()) -> Evidence:
    """Every figure of the answer with where it came from, or no source.

    `sources` are what the model saw, oldest first; `known` are names that need no source, such as the tools'. Where no
    tool observed anything there is nothing a figure could come from, and nothing is told of any. Never raises; what
    exceeds the bounds is treated as not there.
    """
    if _POSSIBLE.search(answer) is None:
        return _NOTHING
    from glassloop.core.evidence.figure_links import link_figures

    return link_figures(answer, sources, known)


def traced_further(evidence: Evidence, of_children: Mapping[str, Evidence]) -> Evidence:
    """The same with figures that came out of a child turn's answer traced to what it had them from; by call ids."""
    known = {
        (call_id, figure.text): figure for call_id, found in of_children.items() for figure in reversed(found.figures)
    }
    figures: list[Figure] = []
    for figure in evidence.figures:
        further = known.get((figure.source or "", figure.found or "")) or known.get((figure.source or "", figure.text))
        if further is not None and further.source is not None and figure.origin != "computed":
            figure = msgspec.structs.replace(
                figure, source=further.source, origin=further.origin, found=further.found, path=further.path
            )
        figures.append(figure)
    return msgspec.structs.replace(evidence, figures=tuple(figures))


def is_quick(answer: str, messages: Sequence[Message]) -> bool:
    """Whether the check can be made in passing; otherwise it belongs elsewhere, so that other turns go on."""
    told = (each.text if isinstance(each, AssistantMessage) else each.content for each in messages)
    return len(answer) + sum(map(len, told)) < QUICK_CHARS


def is_loaded() -> bool:
    """Whether its first use in this process, which takes a moment, is over."""
    return "glassloop.core.evidence.figure_links" in sys.modules
