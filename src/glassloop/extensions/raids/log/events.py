"""Readers of events: each knows one event in one width, and appends the row that its fields make.

They are made when a width is first seen and read a line in one go: they look up and convert, and what does not fit
raises `KeyError`, `ValueError` or `IndexError` before anything was appended. The caller counts the line.
"""

from collections.abc import Callable, Sequence
from typing import Final, final

from glassloop.extensions.raids.fight_log import NO_SPELL, Flag, Kind, Miss
from glassloop.extensions.raids.log.fields import NO_GUID, whole_number
from glassloop.extensions.raids.log.rows import Rows
from glassloop.extensions.raids.log.tables import Tables

Reader = Callable[[Sequence[str], int], None]
"""Of the fields of a line and its time, in ms from the fight's start."""

CRITICAL: Final = {"1": int(Flag.CRITICAL), "nil": 0, "0": 0}
GLANCING: Final = {"1": int(Flag.GLANCING), "nil": 0, "0": 0}
CRUSHING: Final = {"1": int(Flag.CRUSHING), "nil": 0, "0": 0}
OFF_HAND: Final = {"1": int(Flag.OFF_HAND), "nil": 0, "0": 0}
AURA: Final = {"BUFF": int(Flag.BUFF), "DEBUFF": 0}
MISSES: Final = {miss.name: str(int(miss)) for miss in Miss}
_ABOUT_SOURCE: Final = int(Flag.ABOUT_SOURCE)


@final
class EventReaders:
    """Makes readers that look up in `tables` and append to `rows`. `block` is where the advanced block begins and
    `width` how wide it is; 0 where a log has none."""

    def __init__(self, tables: Tables, rows: Rows) -> None:
        self._tables = tables
        self._rows = rows

    def spell_damage(self, block: int, width: int, flags: int) -> Reader:
        tables, add = self._tables, self._rows.pending.extend
        actors, spells, numbers, own = tables.actor_of, tables.spell_of, tables.numbers, tables.own
        source_side, target_side, critical, kind = tables.source_side, tables.target_side, CRITICAL, int(Kind.DAMAGE)
        unit, owner, health, max_health, power_type, power, max_power = state_places(block, width)
        amount_at = block + width
        overkill_at, absorbed_at, critical_at = amount_at + 2, amount_at + 6, amount_at + 7

        def read(f: Sequence[str], at: int) -> None:
            amount, overkill = f[amount_at], f[overkill_at]
            if overkill == "-1":
                over = 0
            else:
                amount, over = without_overkill(amount, numbers[overkill])
            marks = source_side[f[3]] | target_side[f[7]] | flags
            if f[critical_at] != "nil":
                marks |= critical[f[critical_at]]
            whose = f[unit]
            if whose != f[5]:
                if whose != f[1] or whose == NO_GUID:
                    add((at, kind, actors[f[1]], actors[f[5]], spells[f[9]], amount, f[absorbed_at], marks, over,
                         "-1", "-1", "-1", "-1", "-1"))  # fmt: skip
                    return
                marks |= _ABOUT_SOURCE
            if f[owner] != NO_GUID:
                own(whose, f[owner])
            add((at, kind, actors[f[1]], actors[f[5]], spells[f[9]], amount, f[absorbed_at], marks, over, f[health],
                 f[max_health], f[power], f[max_power], f[power_type]))  # fmt: skip

        return read

    def environment(self, width: int, flags: int) -> Reader:
        """Falls, fire, drowning: no source; its type stands between the block and the damage."""
        tables, add = self._tables, self._rows.pending.extend
        actors, numbers = tables.actor_of, tables.numbers
        unit, _, health, max_health, power_type, power, max_power = state_places(9, width)
        amount_at, kind = 10 + width, int(Kind.DAMAGE)

        def read(f: Sequence[str], at: int) -> None:
            amount, over = without_overkill(f[amount_at], numbers[f[amount_at + 2]])
            marks = tables.source_side[f[3]] | tables.target_side[f[7]] | CRITICAL[f[amount_at + 7]] | flags
            state = ("-1", "-1", "-1", "-1", "-1")
            if f[unit] == f[5]:
                state = (f[health], f[max_health], f[power], f[max_power], f[power_type])
            add((at, kind, actors[f[1]], actors[f[5]], NO_SPELL, amount, f[amount_at + 6], marks, over, *state))

        return read

    def heal(self, block: int, width: int, flags: int) -> Reader:
        tables, add = self._tables, self._rows.pending.extend
        actors, spells, own = tables.actor_of, tables.spell_of, tables.own
        source_side, target_side, critical, kind = tables.source_side, tables.target_side, CRITICAL, int(Kind.HEAL)
        unit, owner, health, max_health, power_type, power, max_power = state_places(block, width)
        amount_at = block + width
        overheal_at, critical_at = amount_at + 2, amount_at + 4

        def read(f: Sequence[str], at: int) -> None:
            marks = source_side[f[3]] | target_side[f[7]] | critical[f[critical_at]] | flags
            whose = f[unit]
            if whose != f[5]:
                if whose != f[1] or whose == NO_GUID:
                    add((at, kind, actors[f[1]], actors[f[5]], spells[f[9]], f[amount_at], f[overheal_at], marks, 0,
                         "-1", "-1", "-1", "-1", "-1"))  # fmt: skip
                    return
                marks |= _ABOUT_SOURCE
            if f[owner] != NO_GUID:
                own(whose, f[owner])
            add((at, kind, actors[f[1]], actors[f[5]], spells[f[9]], f[amount_at], f[overheal_at], marks, 0, f[health],
                 f[max_health], f[power], f[max_power], f[power_type]))  # fmt: skip

        return read

    def power_change(self, block: int, width: int, flags: int, kind: int, type_at: int) -> Reader:
        """Also casts that succeeded, with `type_at` 0: they have neither amount nor power type of their own."""
        tables, add = self._tables, self._rows.pending.extend
        actors, spells, numbers, own = tables.actor_of, tables.spell_of, tables.numbers, tables.own
        source_side, target_side = tables.source_side, tables.target_side
        unit, owner, health, max_health, power_type, power, max_power = state_places(block, width)
        amount_at = block + width
        type_at = amount_at + type_at if type_at else 0

        def read(f: Sequence[str], at: int) -> None:
            amount, extra = (str(numbers[f[amount_at]]), f[type_at]) if type_at else ("0", "0")
            marks = source_side[f[3]] | target_side[f[7]] | flags
            whose = f[unit]
            if whose == NO_GUID or (whose != f[1] and whose != f[5]):
                add((at, kind, actors[f[1]], actors[f[5]], spells[f[9]], amount, extra, marks, 0, "-1", "-1", "-1",
                     "-1", "-1"))  # fmt: skip
                return
            if whose == f[1]:
                marks |= _ABOUT_SOURCE
            if f[owner] != NO_GUID:
                own(whose, f[owner])
            add((at, kind, actors[f[1]], actors[f[5]], spells[f[9]], amount, extra, marks, 0, f[health], f[max_health],
                 f[power], f[max_power], f[power_type]))  # fmt: skip

        return read

    def aura(self, kind: int, stacks_at: int) -> Reader:
        """`stacks_at` is 0 where the event has none."""
        tables, add = self._tables, self._rows.pending.extend
        actors, spells = tables.actor_of, tables.spell_of
        source_side, target_side, types = tables.source_side, tables.target_side, AURA
        stacks = "0" if kind == Kind.AURA_OFF else "1"

        def read(f: Sequence[str], at: int) -> None:
            add((at, kind, actors[f[1]], actors[f[5]], spells[f[9]], f[stacks_at] if stacks_at else stacks, "0",
                 types[f[12]] | source_side[f[3]] | target_side[f[7]], 0, "-1", "-1", "-1", "-1", "-1"))  # fmt: skip

        return read

    def plain(self, kind: int, amount_at: int = 0) -> Reader:
        """Casts begun or failed, summons, resurrections, extra attacks."""
        tables, add = self._tables, self._rows.pending.extend
        actors, spells = tables.actor_of, tables.spell_of
        source_side, target_side = tables.source_side, tables.target_side

        def read(f: Sequence[str], at: int) -> None:
            add((at, kind, actors[f[1]], actors[f[5]], spells[f[9]], f[amount_at] if amount_at else "0", "0",
                 source_side[f[3]] | target_side[f[7]], 0, "-1", "-1", "-1", "-1", "-1"))  # fmt: skip

        return read

    def summon(self) -> Reader:
        read_row, own = self.plain(int(Kind.SUMMON)), self._tables.own

        def read(f: Sequence[str], at: int) -> None:
            read_row(f, at)
            own(f[5], f[1])

        return read

    def other_spell(self, kind: int, *, aura: bool) -> Reader:
        """Interrupts, dispels and steals: what was interrupted or taken off is at 12."""
        tables, add = self._tables, self._rows.pending.extend
        actors, spells = tables.actor_of, tables.spell_of
        source_side, target_side = tables.source_side, tables.target_side

        def read(f: Sequence[str], at: int) -> None:
            marks = source_side[f[3]] | target_side[f[7]] | (AURA[f[15]] if aura else 0)
            add((at, kind, actors[f[1]], actors[f[5]], spells[f[9]], "0", str(spells[f[12]]), marks, 0, "-1", "-1",
                 "-1", "-1", "-1"))  # fmt: skip

        return read

    def miss(self, type_at: int, flags: int) -> Reader:
        """A swing's type is at 9, a spell's at 12. How many amounts follow depends on the type."""
        tables, add = self._tables, self._rows.pending.extend
        actors, spells = tables.actor_of, tables.spell_of
        source_side, target_side, kind = tables.source_side, tables.target_side, int(Kind.MISS)

        def read(f: Sequence[str], at: int) -> None:
            marks = source_side[f[3]] | target_side[f[7]] | OFF_HAND[f[type_at + 1]] | flags
            avoided = f[type_at + 2] if len(f) > type_at + 2 else "0"
            spell = NO_SPELL if type_at == 9 else spells[f[9]]
            add((at, kind, actors[f[1]], actors[f[5]], spell, avoided, MISSES[f[type_at]], marks, 0, "-1", "-1", "-1",
                 "-1", "-1"))  # fmt: skip

        return read

    def absorb(self, from_end: int) -> Reader:
        """Read from the end, as melee attacks have no spell. `from_end` is how many fields later builds append."""
        tables, add = self._tables, self._rows.pending.extend
        actors, spells = tables.actor_of, tables.spell_of
        source_side, target_side, kind = tables.source_side, tables.target_side, int(Kind.ABSORB)
        caster, caster_flags, shield, amount = -9 - from_end, -7 - from_end, -5 - from_end, -2 - from_end

        def read(f: Sequence[str], at: int) -> None:
            marks = source_side[f[caster_flags]] | target_side[f[7]]
            add((at, kind, actors[f[caster]], actors[f[5]], spells[f[shield]], f[amount], str(actors[f[1]]), marks, 0,
                 "-1", "-1", "-1", "-1", "-1"))  # fmt: skip

        return read

    def death(self) -> Reader:
        tables, add = self._tables, self._rows.pending.extend
        kind = int(Kind.DEATH)

        def read(f: Sequence[str], at: int) -> None:
            marks = tables.source_side[f[3]] | tables.target_side[f[7]]
            add((at, kind, tables.actor_of[f[1]], tables.actor_of[f[5]], NO_SPELL, "0", "0", marks, 0, "-1", "-1", "-1",
                 "-1", "-1"))  # fmt: skip

        return read


def without_overkill(amount: str, overkill: int) -> tuple[str, int]:
    """Damage as the columns have it, and the overkill."""
    if overkill <= 0:
        return (amount, 0)
    return (str(max(whole_number(amount, 0) - overkill, 0)), overkill)


def state_places(block: int, width: int) -> tuple[int, int, int, int, int, int, int]:
    """Unit, owner, health, its maximum, power type, power, its maximum. The first four are counted from the block's
    begin, the others from its end: builds differ in what is between. Without a block, the unit is a field that never
    holds one."""
    if not width:
        return (4, 0, 0, 0, 0, 0, 0)
    end = block + width
    return (block, block + 1, block + 2, block + 3, end - 9, end - 8, end - 7)


def ignore(_fields: Sequence[str], _at: int) -> None:
    """Events of the game that make no row: kills told a second time, enchants, emotes, maps."""
