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
    TailPlaces,
    state_places,
    without_overkill,
    without_state,
)
from glassloop.extensions.raids.log.heads import Endings, Head, LineForm, TailReader, line_form
from glassloop.extensions.raids.log.rows import PAIR_MS, UNITS, Rows, row_head
from glassloop.extensions.raids.log.tables import Tables

_ABOUT_SOURCE: Final = int(Flag.ABOUT_SOURCE)


@final
class MeleeReaders:
    """Makes readers of both, which know of one another's rows."""

    def __init__(self, tables: Tables, rows: Rows) -> None:
        self._tables = tables
        self._rows = rows

    def form(self, width: int, payload: int, *, landed: bool) -> LineForm:
        tables, unit, kind = self._tables, state_places(9, width)[0], int(Kind.DAMAGE)
        read = self._reader(width, payload, landed=landed, tells_target=False)
        read_target = self._reader(width, payload, landed=landed, tells_target=landed)
        read_unknown = without_state(read, width)

        def head(f: Sequence[str]) -> Head:
            source, target, whose = tables.actor_of[f[1]], tables.actor_of[f[5]], f[unit]
            marks = tables.source_side[f[3]] | tables.target_side[f[7]]
            if whose == f[1]:
                marks |= _ABOUT_SOURCE
            told = row_head(kind, source, target, NO_SPELL, marks)
            if whose == f[5]:
                return (read_target, told)
            return (read if whose == f[1] else read_unknown, told)

        return line_form(head, tables, 9, width)

    def _reader(self, width: int, payload: int, *, landed: bool, tells_target: bool) -> TailReader:
        """`tells_target`: whether it is for the victim's state in the place of the attacker's."""
        rows, waiting = self._rows, self._rows.at
        add_at, add_head, add_texts, marked = waiting.append, rows.heads.append, rows.texts.extend, rows.marked
        health, max_health, power_type, power, max_power, amount_at = TailPlaces.of(width)
        marks_of_hits = (CRITICAL, GLANCING, CRUSHING, OFF_HAND)
        ending_at, endings = amount_at + 2, Endings(payload - 2, marks_of_hits, int(Flag.BLOCKED))
        mine, others = self._rows.open_swings[landed], self._rows.open_swings[not landed]

        def read(tail: str, at: int, head: bytes) -> None:
            f = tail.split(",", ending_at)
            over, absorbed, more = endings[f[ending_at]]
            amount = f[amount_at]
            hit = (head[:UNITS], amount)
            other = others.pop(hit, None)
            if other is not None:
                if other[2] is not None:
                    others[hit] = other[2]
                if -PAIR_MS <= at - other[0] <= PAIR_MS:
                    if tells_target:
                        state = (f[health], f[max_health], f[power], f[max_power], f[power_type])
                        rows.set_target_state(other[1], state)
                    return
            if over:
                amount = without_overkill(amount, over)
                rows.overkill(over)
            mine[hit] = (at, rows.flushed + len(waiting), mine.get(hit))
            add_at(at)
            add_head(marked[head, more] if more else head)
            add_texts((amount, absorbed, f[health], f[max_health], f[power], f[max_power], f[power_type]))

        return read
