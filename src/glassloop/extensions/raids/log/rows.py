"""The rows of the fight that is being read: gathered as tuples and moved into columns block by block."""

from typing import Final, final

from glassloop.extensions.raids.fight_log import FightLog, Flag

RowValues = tuple[int, int, int, int, int, int, int, int, int, int, int, int, int, int]
"""In the order of `FightLog.COLUMNS`."""
OpenSwings = dict[tuple[str, str, str], list[tuple[int, int]]]
"""Melee hits of which one line was read: attacker, victim and amount, with their times and row numbers."""
MAX_ROWS: Final = 2_000_000
"""Of a fight: an hour of forty players has half of it."""
_FLAGS: Final = 7
_ABOUT_SOURCE: Final = int(Flag.ABOUT_SOURCE)
_HEALTH: Final = 9


@final
class Rows:
    """`pending` is the same list for good, so that readers may keep its `append`."""

    def __init__(self) -> None:
        self.log = FightLog()
        self.pending: list[RowValues] = []
        self.flushed = 0
        self.open_swings: tuple[OpenSwings, OpenSwings] = ({}, {})
        """Those whose landing has not been written yet, and landings whose swing has not."""

    def __len__(self) -> int:
        return self.flushed + len(self.pending)

    def flush(self) -> None:
        if self.pending:
            columns = [getattr(self.log, name) for name, _ in FightLog.COLUMNS]
            for column, values in zip(columns, zip(*self.pending, strict=True), strict=True):
                column.extend(values)
            self.flushed += len(self.pending)
            self.pending.clear()

    def take(self) -> FightLog:
        """The whole fight; the next one begins empty."""
        self.flush()
        log, self.log, self.flushed = self.log, FightLog(), 0
        for swings in self.open_swings:
            swings.clear()
        return log

    def truncate(self, length: int) -> None:
        self.flush()
        for name, _ in FightLog.COLUMNS:
            del getattr(self.log, name)[length:]
        self.flushed = len(self.log)

    def set_target_state(self, number: int, state: tuple[int, int, int, int, int]) -> None:
        """Health, its maximum, power, its maximum and its type of a row's target, for what was told of the source."""
        at = number - self.flushed
        if at >= 0:
            row = self.pending[at]
            flags = row[_FLAGS] & ~_ABOUT_SOURCE
            self.pending[at] = (*row[:_FLAGS], flags, row[8], *state)
            return
        self.log.flags[number] &= ~_ABOUT_SOURCE
        for (name, _), value in zip(FightLog.COLUMNS[_HEALTH:], state, strict=True):
            getattr(self.log, name)[number] = value
