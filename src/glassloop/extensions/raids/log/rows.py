"""The rows of the fight that is being read: gathered in a list and moved into columns block by block."""

import struct
from collections.abc import Callable
from typing import Final, cast, final

import msgspec

from glassloop.extensions.raids.fight_log import FightLog, Flag
from glassloop.extensions.raids.log.fields import BadLine, whole_number

PAIR_MS: Final = 1_000
"""The second line of a melee hit follows the first within some milliseconds and lines."""
MAX_ROWS: Final = 2_000_000
"""Of a fight: an hour of forty players has half of it."""
WIDTH: Final = len(FightLog.COLUMNS)
AMOUNT: Final = 5
FLAGS: Final = 7
TEXTS: Final = (5, 6, 9, 10, 11, 12, 13)
_ABOUT_SOURCE: Final = int(Flag.ABOUT_SOURCE)
_HEALTH: Final = 9
_BOUNDS: Final = {AMOUNT: (0, 0x7FFFFFFF), WIDTH - 1: (-128, 127)}
_NUMBERS: Final = msgspec.json.Decoder(list[int])


Hit = tuple[int, int, str]
"""Attacker, victim, and the amount as the log writes it."""


OpenSwing = tuple[int, int, "OpenSwing | None"]
"""A melee hit of which one of two lines was read: its time, its row number, and the same hit before it."""
OpenSwings = dict[Hit, OpenSwing]


@final
class Rows:
    """`pending` is the same list for good, so that readers may keep its `extend`: values of rows one after the other,
    in the order of `FightLog.COLUMNS`. Times, indexes and flags are numbers; amounts, health and power are texts as
    the log has them, and become numbers a column at a time, which takes a third of what one by one takes.

    A row with a text that is no number is left out; `refused` is told that text and the reason.
    """

    def __init__(self) -> None:
        self.log = FightLog()
        self.pending: list[int | str] = []
        self.flushed = 0
        self.open_swings: tuple[OpenSwings, OpenSwings] = ({}, {})
        """Those whose landing has not been written yet, and landings whose swing has not."""
        self.refused: Callable[[str, str], None] = lambda _text, _reason: None

    def __len__(self) -> int:
        return self.flushed + len(self.pending) // WIDTH

    def flush(self) -> None:
        if not self.pending:
            return
        try:
            packed = _pack(self.pending)
        except (ValueError, struct.error):
            self._leave_out_bad_rows()
            packed = _pack(self.pending)
        for (name, _), values in zip(FightLog.COLUMNS, packed, strict=True):
            getattr(self.log, name).frombytes(values)
        self.flushed = len(self.log)
        if self.flushed:
            self._forget_swings(self.log.at[-1] - PAIR_MS)
        self.pending.clear()

    def _forget_swings(self, before: int) -> None:
        for swings in self.open_swings:
            for hit in [hit for hit, swing in swings.items() if swing[0] < before]:
                del swings[hit]

    def _leave_out_bad_rows(self) -> None:
        """Also mends what is a number in another form."""
        kept: list[int | str] = []
        for begin in range(0, len(self.pending), WIDTH):
            row = self.pending[begin : begin + WIDTH]
            text = ""
            try:
                for place in TEXTS:
                    text = str(row[place])
                    row[place] = str(whole_number(text, *_BOUNDS.get(place, ())))
            except BadLine as error:
                self.refused(text, str(error))
            else:
                kept += row
        if len(kept) < len(self.pending):
            for swings in self.open_swings:
                swings.clear()
        self.pending[:] = kept

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

    def set_target_state(self, number: int, state: tuple[str, str, str, str, str]) -> None:
        """Health, its maximum, power, its maximum and its type of a row's target, for what was told of the source."""
        at = (number - self.flushed) * WIDTH
        if at >= 0:
            self.pending[at + FLAGS] = int(self.pending[at + FLAGS]) & ~_ABOUT_SOURCE
            self.pending[at + _HEALTH : at + WIDTH] = state
            return
        values = [whole_number(text, *_BOUNDS.get(place, ())) for place, text in enumerate(state, _HEALTH)]
        self.log.flags[number] &= ~_ABOUT_SOURCE
        for (name, _), value in zip(FightLog.COLUMNS[_HEALTH:], values, strict=True):
            getattr(self.log, name)[number] = value


def _pack(rows: list[int | str]) -> list[bytes]:
    """The columns. Raises `ValueError` or `struct.error` where a text is no number or a number does not fit."""
    count = len(rows) // WIDTH
    packed: list[bytes] = []
    for place, (_, code) in enumerate(FightLog.COLUMNS):
        values = cast("list[int]", rows[place::WIDTH])
        if place in TEXTS:
            values = _NUMBERS.decode(f"[{','.join(cast('list[str]', values))}]")
            if place == AMOUNT and count and min(values) < 0:
                raise ValueError
        packed.append(struct.pack(f"{count}{code}", *values))
    return packed
