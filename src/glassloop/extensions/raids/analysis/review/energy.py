"""Energy in gaps between casts: whoever waits for it, or pools it, is not idle as long as hardly any is wasted."""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from itertools import pairwise
from typing import Final

from glassloop.extensions.raids.analysis.view import FightView

WASTED_MS: Final = 1_500
"""Full for so long, and something could have been pressed."""
_ENERGY: Final = 3
_PAID_MS: Final = 100
"""A cast may tell the energy from before or after its cost."""
_MOST_PAID: Final = 60
_PER_TICK: Final = 20
_TICK_MS: Final = 2_000
"""What comes back in this era; talents and potions come on top."""


class EnergyReadings:
    """Of one player, in order of time; none of whoever has no energy."""

    def __init__(self, view: FightView, player: int) -> None:
        log = view.log
        rows = [row for row in view.rows_about(player) if log.power_type[row] == _ENERGY and log.max_power[row] > 0]
        rows = [row for row in rows if log.power[row] >= 0]
        self._at: Sequence[int] = [log.at[row] for row in rows]
        self._readings: Sequence[tuple[int, int]] = [(log.power[row], log.max_power[row]) for row in rows]

    def full_between_ms(self, times: Sequence[int]) -> int | None:
        """How long at least it was full between successive casts; None of whoever has no energy."""
        if not self._at:
            return None
        return sum(self.full_ms(begin, end) or 0 for begin, end in pairwise(times) if end - begin > _TICK_MS)

    def full_ms(self, begin: int, end: int) -> int | None:
        """How long at least it was full in a time in which none was spent; None where the log does not tell. A reading
        says how much there is from then on, and what comes back is known."""
        first, last = bisect_right(self._at, begin + _PAID_MS), bisect_right(self._at, end + _PAID_MS)
        if not last:
            return None
        full_from = end
        if first:
            power, most = self._readings[first - 1]
            full_from = min(full_from, self._at[first - 1] + _ms_to_full(max(0, power - _MOST_PAID), most))
        for place in range(first, bisect_left(self._at, end - _PAID_MS)):
            full_from = min(full_from, self._at[place] + _ms_to_full(*self._readings[place]))
        power, most = self._readings[last - 1]
        if self._at[last - 1] >= end - _PAID_MS and power + _MOST_PAID < most:
            return 0
        return end - max(begin, full_from)


def _ms_to_full(power: int, most: int) -> int:
    return -(-max(0, most - power) // _PER_TICK) * _TICK_MS
