"""Runs of equal keys in sorted arrays."""

import numpy as np
from numpy.typing import NDArray

from glassloop.extensions.places.sample.people import Ints


def are_new(keys: NDArray[np.integer]) -> NDArray[np.bool_]:
    """Whether each differs from the one before it."""
    new = np.ones(len(keys), bool)
    np.not_equal(keys[1:], keys[:-1], out=new[1:])
    return new


def starts_of(keys: NDArray[np.integer]) -> Ints:
    """Where each run of equal keys begins."""
    return np.flatnonzero(are_new(keys))
