"""Steps: days and hours of visits as they are published, so that none of them tells of a few persons.

The visits of a place and month are cut, in their order, into steps with enough different visitors of the panel, and
placed within each step by what is usual for the place. A place that many visit has steps within a day or an hour, which
change nothing; one that few visit has a step or two a month.
"""

from collections.abc import Iterator

import msgspec
import numpy as np
from numpy.typing import NDArray

from glassloop.extensions.places.data_set.estimates import MIN_PANEL
from glassloop.extensions.places.sample.people import Ints
from glassloop.extensions.places.sample.runs import are_new

FIRST_SIZE = 8
"""Visits of a step; where any step of a month has too few different visitors, all get twice as many."""


class Steps(msgspec.Struct, frozen=True, kw_only=True):
    """All steps, in the order of their visits."""

    begins: Ints
    """The number of the first visit of each step."""
    lengths: Ints
    distinct: NDArray[np.int32]
    """Different visitors of the panel in it."""

    @property
    def panel(self) -> NDArray[np.int32]:
        """Those of the step of each visit."""
        return np.repeat(self.distinct, self.lengths)

    def spread(self, low: NDArray[np.integer], high: NDArray[np.integer]) -> Ints:
        """Positions, evenly from the first of a step's first visit (`low`) to the last of its last one (`high`)."""
        start = low[self.begins].astype(np.int64)
        room = high[self.begins + self.lengths - 1] - start + 1
        odd = 2 * _counted(self.lengths) + 1
        # Exact, as they are whole numbers below 2 ** 52, and several times as quick as a division of those.
        part = odd * np.repeat(room, self.lengths) / np.repeat(2.0 * self.lengths, self.lengths)
        return np.repeat(start, self.lengths) + part.astype(np.int64)


def cut_steps(starts: Ints, visitors: NDArray[np.integer]) -> Steps:
    """Cuts groups of visits, which begin at `starts`. Of a group with too few visitors all is one step."""
    sizes = np.diff(starts, append=len(visitors))
    found: list[tuple[Ints, Ints]] = [(np.zeros(0, np.int64), np.zeros(0, np.int64))]
    for group, size, distinct in _tried(starts, sizes, visitors):
        steps = np.maximum(1, sizes[group] // size)
        found.append((np.repeat(starts[group], steps) + _counted(steps) * size, distinct))
    begins = np.concatenate([each for each, _ in found])
    order = np.argsort(begins)
    begins = begins[order]
    return Steps(
        begins=begins,
        lengths=np.diff(begins, append=len(visitors)),
        distinct=np.concatenate([each for _, each in found])[order].astype(np.int32),
    )


def _tried(starts: Ints, sizes: Ints, visitors: NDArray[np.integer]) -> Iterator[tuple[Ints, int, Ints]]:
    """Groups of which every step of a size has enough visitors, with how many each step has at least."""
    size, left = FIRST_SIZE, np.arange(len(starts))
    while left.size:
        whole = sizes[left] < 2 * size
        if (single := left[whole]).size:
            yield single, int(sizes[single].max()) + 1, _distinct_in_groups(starts[single], sizes[single], visitors)
        left = left[~whole]
        if not left.size:
            return
        steps = sizes[left] // size
        begins = np.repeat(starts[left], steps) + _counted(steps) * size
        rows = visitors[begins[:, None] + np.arange(size)]
        rows.sort(axis=1)
        distinct = 1 + (rows[:, 1:] != rows[:, :-1]).sum(axis=1)
        enough = np.minimum.reduceat(distinct, np.cumsum(steps) - steps) >= MIN_PANEL
        if (found := left[enough]).size:
            yield found, size, distinct[np.repeat(enough, steps)]
        left, size = left[~enough], 2 * size


def _distinct_in_groups(starts: Ints, sizes: Ints, visitors: NDArray[np.integer]) -> Ints:
    group = np.repeat(np.arange(len(starts)), sizes)
    keys = group << 32 | visitors[np.repeat(starts, sizes) + _counted(sizes)]
    keys.sort()
    new = are_new(keys)
    until: Ints = np.cumsum(new, dtype=np.int64)[np.cumsum(sizes) - 1]
    return np.concatenate((until[:1], until[1:] - until[:-1]))


def _counted(counts: Ints) -> Ints:
    """0, 1, 2 … for each of the counts."""
    return np.arange(int(counts.sum())) - np.repeat(np.cumsum(counts) - counts, counts)
