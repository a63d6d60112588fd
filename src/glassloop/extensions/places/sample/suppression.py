"""Suppressed rows of a view: those of fewer than five visitors of the panel, and whichever they could be worked out
from."""

import numpy as np
from numpy.typing import NDArray

from glassloop.extensions.places.data_set.estimates import MIN_PANEL
from glassloop.extensions.places.sample.people import Ints

Flags = NDArray[np.bool_]


def suppressed_parts(starts: Ints, panel: Ints, whole: Ints | None = None) -> Flags:
    """Of the parts of totals that are shown; the parts of a total begin at `starts`. Where some are small, the smallest
    of the others is suppressed too: so what they leave of the total is of enough.

    `whole`: the visitors of each total, where nobody is in two parts. Then that is needed only where the small ones are
    not enough together.
    """
    if not len(panel):
        return np.zeros(0, bool)
    small = panel < MIN_PANEL
    group = np.repeat(np.arange(len(starts)), np.diff(starts, append=len(panel)))
    if whole is None:
        exposed = np.logical_or.reduceat(small, starts)
    else:
        left = whole - np.add.reduceat(np.where(small, 0, panel), starts)
        exposed = (left > 0) & (left < MIN_PANEL)
    least = np.minimum.reduceat(np.where(small, np.iinfo(np.int64).max, panel), starts)
    (others,) = np.nonzero(~small & exposed[group] & (panel == least[group]))
    small[others[np.diff(group[others], prepend=-1) != 0]] = True
    return small


def suppressed_pairs(shared: Ints, one: Ints, other: Ints) -> Flags:
    """Of visitors that two places share, which have so many each: also where those that only one of them has are
    few."""
    hidden = (shared < MIN_PANEL) | (one < MIN_PANEL) | (other < MIN_PANEL)
    for whole in (one, other):
        hidden |= (whole > shared) & (whole - shared < MIN_PANEL)
    return hidden
