"""Melee damage, which the log writes twice: `SWING_DAMAGE` with the attacker's state, and `SWING_DAMAGE_LANDED` with
the victim's. The two become one row; where only one of them is written, that one counts."""

from collections.abc import Sequence
from typing import Final, final

from glassloop.extensions.raids.fight_log import NO_SPELL, Flag, Kind
from glassloop.extensions.raids.log.events import (
    CRITICAL,
    CRUSHING,
    GLANCING,
    OFF_HAND,
    Reader,
    state_places,
    without_overkill,
)
from glassloop.extensions.raids.log.fields import NO_GUID
from glassloop.extensions.raids.log.rows import PAIR_MS, WIDTH, Rows
from glassloop.extensions.raids.log.tables import Tables

_ABOUT_SOURCE: Final = int(Flag.ABOUT_SOURCE)
_BLOCKED: Final = int(Flag.BLOCKED)
_NOT_BLOCKED: Final = ("0", "nil", "-1")


@final
class MeleeReaders:
    """Makes readers of both, which know of one another's rows."""

    def __init__(self, tables: Tables, rows: Rows) -> None:
        self._tables = tables
        self._rows = rows

    def reader(self, width: int, payload: int, *, landed: bool) -> Reader:
        tables, rows, pending, add = self._tables, self._rows, self._rows.pending, self._rows.pending.extend
        actors, numbers, own = tables.actor_of, tables.numbers, tables.own
        source_side, target_side, kind = tables.source_side, tables.target_side, int(Kind.DAMAGE)
        unit, owner, health, max_health, power_type, power, max_power = state_places(9, width)
        amount_at = 9 + width
        overkill_at, blocked_at, absorbed_at = amount_at + 2, amount_at + 5, amount_at + 6
        critical_at, glancing_at, crushing_at, off_hand = amount_at + 7, amount_at + 8, amount_at + 9, payload > 10
        marks_at = tuple(enumerate((CRITICAL, GLANCING, CRUSHING, OFF_HAND)[: payload - 7], amount_at + 7))
        mine, others = self._rows.open_swings[landed], self._rows.open_swings[not landed]

        def read(f: Sequence[str], at: int) -> None:
            hit = (f[1], f[5], f[amount_at])
            whose = f[unit]
            other = others.pop(hit, None)
            if other is not None:
                if other[2] is not None:
                    others[hit] = other[2]
                if -PAIR_MS <= at - other[0] <= PAIR_MS:
                    if landed and whose == hit[1]:
                        state = (f[health], f[max_health], f[power], f[max_power], f[power_type])
                        rows.set_target_state(other[1], state)
                    return
            amount, overkill = hit[2], f[overkill_at]
            if overkill == "-1":
                over = 0
            else:
                amount, over = without_overkill(amount, numbers[overkill])
            marks = source_side[f[3]] | target_side[f[7]]
            if f[critical_at] != "nil" or f[glancing_at] != "nil" or f[crushing_at] != "nil" or off_hand:
                for place, mark in marks_at:
                    marks |= mark[f[place]]
            if f[blocked_at] not in _NOT_BLOCKED:
                marks |= _BLOCKED
            source, target = actors[f[1]], actors[f[5]]
            mine[hit] = (at, rows.flushed + len(pending) // WIDTH, mine.get(hit))
            if whose == f[1]:
                marks |= _ABOUT_SOURCE
            elif whose != f[5]:
                add((at, kind, source, target, NO_SPELL, amount, f[absorbed_at], marks, over, "-1", "-1", "-1", "-1",
                     "-1"))  # fmt: skip
                return
            if f[owner] != NO_GUID:
                own(whose, f[owner])
            add((at, kind, source, target, NO_SPELL, amount, f[absorbed_at], marks, over, f[health], f[max_health],
                 f[power], f[max_power], f[power_type]))  # fmt: skip

        return read
