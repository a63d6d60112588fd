"""Suppression of small figures: below five visitors in the panel a figure is not shown.

What rests on a row of too few is no concern of queries: the views leave such rows out (`data_set/database.py`), and
those that they could be worked out from (`sample/suppression.py`). Everything shown is a sum of rows that could each be
shown alone, so that no difference of two answers tells of fewer than five.
"""

from glassloop.extensions.places.data_set.estimates import MIN_PANEL

__all__ = ["MIN_PANEL", "is_small"]


def is_small(panel: float | None) -> bool:
    """Whether so few visitors must not be told; a figure without a panel is a count, and never small."""
    return panel is not None and panel < MIN_PANEL
