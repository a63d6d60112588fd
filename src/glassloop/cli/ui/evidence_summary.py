"""Summary of how much of an answer has a source. Figures that stand in the question need none."""

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from glassloop.cli.ui.style import count

if TYPE_CHECKING:
    from glassloop.core.records import Figure

_TOLD_APART = {"earlier_words": "you said", "context": "given with the question", "asked": "only asked for"}


def evidence_summary(question: str, figures: "Sequence[Figure]") -> str:
    """`all 6 figures sourced, 2 from the question, 1 you said`; empty where there are none."""
    if not figures:
        return ""
    said = [figure for figure in figures if _is_said(question, figure)]
    apart = [figure for figure in figures if figure not in said and figure.origin in _TOLD_APART]
    found = [figure for figure in figures if figure not in said and figure not in apart]
    parts = [f"{len(said):,} from the question"] if said else []
    for origin, words in _TOLD_APART.items():
        if number := sum(figure.origin == origin for figure in apart):
            parts.append(f"{number:,} {words}")
    if not found:
        number, _, words = parts[0].partition(" ")
        return ", ".join((f"{count(int(number.replace(',', '')), 'figure')} {words}", *parts[1:]))
    sourced = sum(figure.source is not None for figure in found)
    if sourced < len(found):
        return ", ".join((f"{sourced:,} of {count(len(found), 'figure')} sourced", *parts))
    return ", ".join((f"{'all ' if sourced > 1 else ''}{count(sourced, 'figure')} sourced", *parts))


def missing(question: str, figures: "Sequence[Figure]") -> "Sequence[Figure]":
    """Those that nobody said and nothing holds."""
    return [figure for figure in figures if figure.source is None and not _is_said(question, figure)]


def _is_said(question: str, figure: "Figure") -> bool:
    """Whether the person said it, also where a tool said it again; as part of a longer number it is another one."""
    what = _plain(figure.text)
    before = r"(?<![0-9])(?<![0-9]\.)" if what[:1].isdigit() else ""
    after = r"(?!\.?[0-9])" if what[-1:].isdigit() else ""
    stands = what and re.search(f"{before}{re.escape(what)}{after}", _plain(question))
    return figure.origin == "question" or bool(stands)


def _plain(text: str) -> str:
    return text.replace(",", "").lower()
