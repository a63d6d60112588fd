"""Summary of how much of an answer has a source. Figures that stand in the question need none."""

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from glassloop.cli.ui.style import count

if TYPE_CHECKING:
    from glassloop.core.records import Figure

QUESTION = "question"


def evidence_summary(question: str, figures: "Sequence[Figure]") -> str:
    """`all 6 figures sourced, 2 from the question`; empty where there are none."""
    if not figures:
        return ""
    found = [figure for figure in figures if not _is_said(question, figure)]
    said = len(figures) - len(found)
    if not found:
        return f"{count(said, 'figure')} from the question"
    echoed = f", {said:,} from the question" if said else ""
    sourced = sum(figure.source is not None for figure in found)
    if sourced < len(found):
        return f"{sourced:,} of {count(len(found), 'figure')} sourced{echoed}"
    return f"{'all ' if sourced > 1 else ''}{count(sourced, 'figure')} sourced{echoed}"


def missing(question: str, figures: "Sequence[Figure]") -> "Sequence[Figure]":
    """Those that nobody said and nothing holds."""
    return [figure for figure in figures if figure.source is None and not _is_said(question, figure)]


def _is_said(question: str, figure: "Figure") -> bool:
    """Whether the person said it, also where a tool said it again; as part of a longer number it is another one."""
    what = _plain(figure.text)
    before = r"(?<![0-9])(?<![0-9]\.)" if what[:1].isdigit() else ""
    after = r"(?!\.?[0-9])" if what[-1:].isdigit() else ""
    stands = what and re.search(f"{before}{re.escape(what)}{after}", _plain(question))
    return figure.source == QUESTION or bool(stands)


def _plain(text: str) -> str:
    return text.replace(",", "").lower()
