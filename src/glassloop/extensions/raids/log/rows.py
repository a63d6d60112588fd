"""The rows of the fight that is being read: gathered as heads and texts and moved into columns block by block."""

import struct
from array import array
from collections.abc import Callable, Sequence
from typing import Final, cast, final

import msgspec

from glassloop.extensions.raids.fight_log import FightLog, Flag
from glassloop.extensions.raids.log.fields import BadLine, whole_number

PAIR_MS: Final = 1_000
"""The second line of a melee hit follows the first within some milliseconds and lines."""
MAX_ROWS: Final = 2_000_000
"""Of a fight: an hour of forty players has half of it."""
TEXTS: Final = 7
"""Of a row: amount, extra, health, its maximum, power, its maximum, its type."""
_HEAD: Final = struct.Struct("=4HBx")
_HALVES: Final = _HEAD.size // 2
_KIND_AT: Final = 8
_STATE: Final = 2
"""The first text of a row that is of its health and power."""
UNITS: Final = 4
"""Bytes that a head begins with, and which tell source and target."""
_COLUMNS: Final = ("amount", "extra", "health", "max_health", "power", "max_power", "power_type")
_CODES: Final = dict(FightLog.COLUMNS)
_ABOUT_SOURCE: Final = int(Flag.ABOUT_SOURCE)
_BOUNDS: Final = {"amount": (0, 0x7FFFFFFF), "power_type": (-128, 127)}
_NUMBERS: Final = msgspec.json.Decoder(list[int])

RowTexts = tuple[str, str, str, str, str, str, str]
"""Amount, extra, health, its maximum, power, its maximum and its type, as the log has them."""
RowState = tuple[str, str, str, str, str]
"""The last five of them."""
UNKNOWN_STATE: Final[RowState] = ("-1", "-1", "-1", "-1", "-1")
Hit = tuple[bytes, str]
"""Attacker and victim, as a head begins with them, and the amount as the log writes it."""
OpenSwing = tuple[int, int, "OpenSwing | None"]
"""A melee hit of which one of two lines was read: its time, its row number, and the same hit before it."""
OpenSwings = dict[Hit, OpenSwing]


def row_head(kind: int, source: int, target: int, spell: int, flags: int) -> bytes:
    """What most lines of the same beginning have in common."""
    return _HEAD.pack(source, target, spell, flags, kind)


@final
class MarkedHeads(dict[tuple[bytes, int], bytes]):
    """Heads with further flags, by the head without them."""

    def __missing__(self, key: tuple[bytes, int]) -> bytes:
        source, target, spell, flags, kind = _HEAD.unpack(key[0])
        if len(self) >= MAX_ROWS:
            self.clear()
        found = self[key] = _HEAD.pack(source, target, spell, flags | key[1], kind)
        return found


@final
class Rows:
    """The lists are the same for good, so that readers may keep their `append` and `extend`. Amounts, health and power
    are texts as the log has them, and become numbers all at once, which takes a third of what one by one takes.

    A row with a text that is no number is left out; `refused` is told that text and the reason.
    """

    def __init__(self) -> None:
        self.log = FightLog()
        self.at: list[int] = []
        self.heads: list[bytes] = []
        self.texts: list[str] = []
        """`TEXTS` of each row, one after the other."""
        self.marked = MarkedHeads()
        self.flushed = 0
        self.open_swings: tuple[OpenSwings, OpenSwings] = ({}, {})
        """Those whose landing has not been written yet, and landings whose swing has not."""
        self.refused: Callable[[str, str], None] = lambda _text, _reason: None
        self._overkills: list[tuple[int, int]] = []
        """Places among the rows that wait, and the overkill there."""

    def __len__(self) -> int:
        return self.flushed + len(self.at)

    def add(self, at: int, head: bytes, texts: RowTexts, overkill: int = 0) -> None:
        if overkill:
            self.overkill(overkill)
        self.at.append(at)
        self.heads.append(head)
        self.texts.extend(texts)

    def overkill(self, amount: int) -> None:
        """Of the row that is added next."""
        self._overkills.append((len(self.at), amount))

    def flush(self) -> None:
        if not self.at:
            return
        try:
            packed = _packed(self.texts)
        except (ValueError, struct.error):
            self._leave_out_bad_rows()
            packed = _packed(self.texts)
        log, heads = self.log, b"".join(self.heads)
        for name, body in zip(_COLUMNS, packed, strict=True):
            getattr(log, name).frombytes(body)
        log.at.frombytes(struct.pack(f"{len(self.at)}{_CODES['at']}", *self.at))
        log.kind.frombytes(heads[_KIND_AT :: _HEAD.size])
        halves = array("H", heads)
        for half, column in enumerate((log.source, log.target, log.spell, log.flags)):
            column.extend(halves[half::_HALVES])
        log.overkill.frombytes(bytes(log.overkill.itemsize * len(self.at)))
        for place, amount in self._overkills:
            log.overkill[self.flushed + place] = amount
        self.flushed = len(log)
        if self.flushed:
            self._forget_swings(log.at[-1] - PAIR_MS)
        for waiting in (self.at, self.heads, self.texts, self._overkills):
            waiting.clear()

    def _forget_swings(self, before: int) -> None:
        for swings in self.open_swings:
            for hit in [hit for hit, swing in swings.items() if swing[0] < before]:
                del swings[hit]

    def _leave_out_bad_rows(self) -> None:
        """Also mends what is a number in another form."""
        rows = zip(self.at.copy(), self.heads.copy(), zip(*[iter(self.texts.copy())] * TEXTS, strict=True), strict=True)
        overkills, count = dict(self._overkills), len(self.at)
        for waiting in (self.at, self.heads, self.texts, self._overkills):
            waiting.clear()
        for place, (at, head, texts) in enumerate(rows):
            text, mended = "", list[str]()
            try:
                for name, text in zip(_COLUMNS, texts, strict=True):
                    mended.append(str(whole_number(text, *_BOUNDS.get(name, ()))))
            except BadLine as error:
                self.refused(text, str(error))
            else:
                self.add(at, head, cast("RowTexts", tuple(mended)), overkills.get(place, 0))
        if len(self.at) < count:
            for swings in self.open_swings:
                swings.clear()

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

    def set_target_state(self, number: int, state: RowState) -> None:
        """Of a row, for what was told of the source."""
        waiting = number - self.flushed
        if waiting >= 0:
            source, target, spell, flags, kind = _HEAD.unpack(self.heads[waiting])
            self.heads[waiting] = _HEAD.pack(source, target, spell, flags & ~_ABOUT_SOURCE, kind)
            self.texts[waiting * TEXTS + _STATE : (waiting + 1) * TEXTS] = state
            return
        names = _COLUMNS[_STATE:]
        values = [whole_number(text, *_BOUNDS.get(name, ())) for name, text in zip(names, state, strict=True)]
        self.log.flags[number] &= ~_ABOUT_SOURCE
        for name, value in zip(names, values, strict=True):
            getattr(self.log, name)[number] = value


def _packed(texts: Sequence[str]) -> list[bytes]:
    """The columns of rows. Raises `ValueError` or `struct.error` where a text is no number or a number does not fit."""
    values = _NUMBERS.decode(f"[{','.join(texts)}]")
    if len(values) != len(texts) or (values and min(values[::TEXTS]) < 0):
        raise ValueError
    count = len(texts) // TEXTS
    return [struct.pack(f"{count}{_CODES[name]}", *values[place::TEXTS]) for place, name in enumerate(_COLUMNS)]
