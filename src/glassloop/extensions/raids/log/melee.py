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
    POWER_TYPES,
    Reader,
    state_places,
)
from glassloop.extensions.raids.log.fields import NO_GUID
from glassloop.extensions.raids.log.rows import OpenSwings, Rows
from glassloop.extensions.raids.log.tables import Tables

PAIR_MS: Final = 1_000
"""The second follows within some milliseconds and lines."""
_MAX_OPEN: Final = 2_000
_State = tuple[int, int, int, int, int]
_NO_STATE: Final[_State] = (-1, -1, -1, -1, -1)
_ABOUT_SOURCE: Final = int(Flag.ABOUT_SOURCE)


@final
class MeleeReaders:
    """Makes readers of both, which know of one another's rows."""

    def __init__(self, tables: Tables, rows: Rows) -> None:
        self._tables = tables
        self._rows = rows

    def reader(self, width: int, payload: int, *, landed: bool) -> Reader:
        tables, rows, pending = self._tables, self._rows, self._rows.pending
        actors, numbers, amounts = tables.actor_of, tables.numbers, tables.amounts
        unit, owner, health, max_health, power_type, power, max_power = state_places(9, width)
        amount_at, kind, no_state = 9 + width, int(Kind.DAMAGE), _NO_STATE
        overkill_at, absorbed_at, critical_at = amount_at + 2, amount_at + 6, amount_at + 7
        glancing_at, crushing_at, off_hand_at = amount_at + 8, amount_at + 9, amount_at + 10 if payload > 10 else 0
        mine, others = self._rows.open_swings[landed], self._rows.open_swings[not landed]

        def read(f: Sequence[str], at: int) -> None:
            whose = f[unit]
            state: _State = no_state
            if whose in (f[1], f[5]):
                state = (numbers[f[health]], numbers[f[max_health]], numbers[f[power]], numbers[f[max_power]],
                         POWER_TYPES[f[power_type]])  # fmt: skip
                if f[owner] != NO_GUID:
                    tables.own(whose, f[owner])
            hit = (f[1], f[5], f[amount_at])
            pairs = others.get(hit)
            while pairs:
                began, number = pairs.pop(0)
                if -PAIR_MS <= at - began <= PAIR_MS:
                    if landed and state is not no_state and whose == f[5]:
                        rows.set_target_state(number, state)
                    return
            amount, overkill = amounts[f[amount_at]], numbers[f[overkill_at]]
            if overkill <= 0:
                overkill = 0
            else:
                amount = amount - overkill if amount > overkill else 0
            marks = tables.source_side[f[3]] | tables.target_side[f[7]] | CRITICAL[f[critical_at]]
            marks |= (
                GLANCING[f[glancing_at]] | CRUSHING[f[crushing_at]] | (OFF_HAND[f[off_hand_at]] if off_hand_at else 0)
            )
            if state is not no_state and whose != f[5]:
                marks |= _ABOUT_SOURCE
            source, target, absorbed = actors[f[1]], actors[f[5]], amounts[f[absorbed_at]]
            if len(mine) >= _MAX_OPEN:
                _forget(mine, at - PAIR_MS)
            mine.setdefault(hit, []).append((at, rows.flushed + len(pending)))
            pending.append((at, kind, source, target, NO_SPELL, amount, absorbed, marks, overkill, *state))

        return read


def _forget(swings: OpenSwings, before: int) -> None:
    for hit in [hit for hit, times in swings.items() if not times or times[-1][0] < before]:
        del swings[hit]
