"""Tie-break among equal sources of a figure: the source of the figures beside it, else the latest.

Owns what counts as beside: the same sentence or row, then the same line, then the same paragraph or table.
"""

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from glassloop.core.evidence.claims import Offer
from glassloop.core.evidence.figures import FigureMark

_ENDS = (re.compile(r"[.;!?](?=\s)|[。；！？\n]"), re.compile(r"\n"), re.compile(r"\n[ \t]*\n"))


class TiedSources(NamedTuple):
    """A figure, its best offer, and all that are as good: what each source has, the latest first."""

    mark: FigureMark
    offer: Offer | None
    equal: Mapping[str, str]


def break_ties(answer: str, found: Sequence[TiedSources]) -> Sequence[tuple[FigureMark, Offer | None]]:
    """Each figure with the source it is told to have."""
    if all(len(one.equal) < 2 for one in found):
        return [(one.mark, one.offer) for one in found]
    ends = [[end.end() for end in pattern.finditer(answer)] for pattern in _ENDS]
    places = [[bisect_right(of, one.mark.start) for of in ends] for one in found]
    votes = Counter(
        (level, at, one.offer[1])
        for one, place in zip(found, places, strict=True)
        if one.offer is not None and len(one.equal) < 2
        for level, at in enumerate(place)
    )
    return [(one.mark, _agreeing(one, place, votes)) for one, place in zip(found, places, strict=True)]


def _agreeing(one: TiedSources, place: Sequence[int], votes: Mapping[tuple[int, int, str], int]) -> Offer | None:
    if one.offer is None or len(one.equal) < 2:
        return one.offer
    for level, at in enumerate(place):
        source = max(one.equal, key=lambda name: votes.get((level, at, name), 0))
        if votes.get((level, at, source)):
            return one.offer[0], source, one.equal[source]
    return one.offer
