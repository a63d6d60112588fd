"""Energy in gaps between casts: whoever waits for it, or pools it, is not idle as long as none is wasted."""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from typing import Final

from glassloop.extensions.raids.analysis.view import FightView

FULL: Final = 0.95
"""Of the maximum: from here on what comes back is lost."""
_ENERGY: Final = 3
_PAID_MS: Final = 100
"""A cast at the end of a gap may tell the energy from before or after its cost."""
_PER_TICK: Final = 20
_TICK_MS: Final = 2_000
"""Energy comes back in ticks of this era's length, whatever is readied or talented comes on top."""


class EnergyReadings:
    """Of one player, in order of time; none of whoever has no energy."""

    def __init__(self, view: FightView, player: int) -> None:
        log = view.log
        rows = [row for row in view.rows_about(player) if log.power_type[row] == _ENERGY and log.max_power[row] > 0]
        rows = [row for row in rows if log.power[row] >= 0]
        self._at: Sequence[int] = [log.at[row] for row in rows]
        self._readings: Sequence[tuple[int, int]] = [(log.power[row], log.max_power[row]) for row in rows]

    def most_within(self, begin: int, end: int) -> float | None:
        """The most there was at least in a time in which none was spent, as a part of the maximum; None where the log
        does not tell. What came back after a reading counts, tick by tick."""
        first, last = bisect_right(self._at, begin + _PAID_MS), bisect_left(self._at, end - _PAID_MS)
        if first >= last:
            # Nothing between the casts: what the next one tells.
            last = bisect_right(self._at, end + _PAID_MS)
        found = [
            min(1.0, (power + max(0, end - at) // _TICK_MS * _PER_TICK) / most)
            for at, (power, most) in zip(self._at[first:last], self._readings[first:last], strict=True)
        ]
        return max(found, default=None)
