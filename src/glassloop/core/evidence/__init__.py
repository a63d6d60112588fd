"""Evidence check: links each figure of an answer to the observation it came from.

`figures` finds what an answer claims and `structure` what only looks like it, `quantities` and `moments` say what it
can mean, `claims` indexes it, `sources` reads the observations, `tie_break` chooses among equals, `figure_links` runs
the check. No model, no IO.
"""

import re
import sys
from collections.abc import Collection, Sequence

from glassloop.core.records import Evidence, ToolResult

__all__ = ["find_evidence", "is_quick"]

QUICK_CHARS = 20_000
"""Up to here the check takes a millisecond or two."""

_NOTHING = Evidence()
_POSSIBLE = re.compile(r'[\d"“„«「『《`]')


def find_evidence(
    answer: str,
    observations: Sequence[tuple[str, ToolResult]],
    question: str = "",
    known: Collection[str] = (),
) -> Evidence:
    """Every figure of the answer with the call it came from, `"question"` for what the person said, or no source.

    `observations` are call ids with their results, oldest first; `known` are names that need no source, such as the
    tools'. Without a figure in the answer nothing else is read. Never raises; what exceeds the bounds is treated as
    not there.
    """
    if _POSSIBLE.search(answer) is None:
        return _NOTHING
    # Compiling the shapes of figures takes longer than all other imports of the core together.
    from glassloop.core.evidence.figure_links import link_figures

    return link_figures(answer, observations, question, known)


def is_quick(answer: str, observations: Sequence[tuple[str, ToolResult]]) -> bool:
    """Whether the check can be made in passing; otherwise it belongs in a thread, so that other turns go on."""
    if _POSSIBLE.search(answer) is None:
        return True
    size = len(answer) + sum(len(result.output) for _, result in observations)
    return size < QUICK_CHARS and "glassloop.core.evidence.figure_links" in sys.modules
