"""Suppression of small figures: below five visitors in the panel a figure is not shown, nor what it could be worked out
from.

A figure that is hidden adds nothing to a total over rows. Where parts of a total that is shown are listed, at least two
of them are hidden, which together rest on enough visitors: so the difference tells of no small one.
"""

from collections.abc import Sequence
from typing import Final

MIN_PANEL: Final = 5


def is_small(panel: float | None) -> bool:
    """Whether so few visitors must not be told; a figure without a panel is a count, and never small."""
    return panel is not None and panel < MIN_PANEL


def hidden_parts(panels: Sequence[float | None]) -> set[int]:
    """Which parts of a shown total are not shown: the small ones and, where these could be worked out, the smallest of
    the others. `panels` are the visitors in the panel of each part; a part of nobody tells of nobody."""
    hidden = {place for place, panel in enumerate(panels) if is_small(panel) and panel}
    if not hidden:
        return hidden
    others = sorted(
        (place for place, panel in enumerate(panels) if panel and place not in hidden),
        key=lambda place: (panels[place] or 0.0, place),
    )
    for place in others:
        if len(hidden) > 1 and sum(panels[one] or 0.0 for one in hidden) >= MIN_PANEL:
            break
        hidden.add(place)
    return hidden
