"""Rank of the definitions of a workspace by who refers to whom, as pages of the web are ranked. Pure.

A file that uses a name refers to the files that define it. What is rare counts more than what is everywhere, and what
was asked about, or touched, is where the rank begins.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Ids = NDArray[np.int32]
    Weights = NDArray[np.float32]

MAX_DEFINERS = 6
"""A name that more files define says nothing about which of them is meant."""
DAMPING = 0.85
ROUNDS = 8
TOUCHED = 50.0
"""Times as often as any other file the rank begins at one that was touched."""


class RankedFile(msgspec.Struct):
    """Of one file: numbers of the names it defines and what they count, and of those it uses with their weights."""

    defines: "Ids"
    kinds: "Weights"
    uses: "Ids"
    weights: "Weights"


def rank_names(
    files: Sequence[RankedFile], names: int, factors: "Weights", touched: Sequence[int]
) -> "NDArray[np.float64]":
    """For each pair of a file and a name that it defines, in their order, how much it matters.

    `names`: how many there are. `factors`: of each name, how much a use of it counts.
    """
    import numpy as np

    count = len(files)
    defines = _joined([each.defines for each in files])
    owners = np.repeat(np.arange(count), [len(each.defines) for each in files])
    definers = np.bincount(defines, minlength=names)
    order = np.argsort(defines, kind="stable")
    begins = np.concatenate(([0], np.cumsum(definers)))
    uses = _joined([each.uses for each in files])
    users = np.repeat(np.arange(count), [len(each.uses) for each in files])
    weights = np.concatenate([each.weights for each in files]) if files else np.zeros(0)
    kept = (definers[uses] > 0) & (definers[uses] <= MAX_DEFINERS) & (weights > 0.0)
    # What every other file uses says little about any.
    spread = np.log1p(count) - np.log1p(np.bincount(uses, minlength=names))
    factors = factors * (np.maximum(spread, 0.0) / np.log(count + 2)) ** 2
    uses, users, weights = uses[kept], users[kept], weights[kept] * factors[uses[kept]]
    # One reference for each file that defines the name.
    times = definers[uses]
    starts = np.repeat(begins[uses], times) + _steps(times)
    targets = order[starts]
    sources = np.repeat(users, times)
    kinds = np.concatenate([each.kinds for each in files]) if files else np.zeros(0)
    flow = np.repeat(weights / np.maximum(times, 1), times).astype(np.float64) * kinds[targets]
    other = (owners[targets] != sources) & (flow > 0.0)
    targets, sources, flow = targets[other], sources[other], flow[other]
    out = np.bincount(sources, flow, minlength=count)
    share = flow / out[sources]
    begin = np.ones(count)
    begin[list(touched)] = TOUCHED
    begin /= begin.sum() or 1.0
    rank = begin.copy()
    to = owners[targets]
    for _ in range(ROUNDS):
        lost = rank[out == 0].sum()
        rank = (1 - DAMPING + DAMPING * lost) * begin + DAMPING * np.bincount(
            to, rank[sources] * share, minlength=count
        )
    return np.bincount(targets, rank[sources] * share, minlength=len(defines)) + 1e-3 * rank[owners] / max(1, count)


def _joined(arrays: "list[Ids]") -> "Ids":
    import numpy as np

    return np.concatenate(arrays) if arrays else np.zeros(0, np.int32)


def _steps(times: "NDArray[np.int64]") -> "NDArray[np.int64]":
    """0, 1, … for each, as often as it says."""
    import numpy as np

    ends = np.cumsum(times)
    return np.arange(ends[-1] if len(ends) else 0) - np.repeat(ends - times, times)
