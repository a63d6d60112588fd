"""Readers of events: each knows one event in one width, and appends the row that a line makes.

They are made when a width is first seen and read a line in one go: they look up and convert, and what does not fit
raises `KeyError`, `ValueError` or `IndexError` before anything was appended. The caller counts the line. Events of
which there are most are read in two parts, the beginning and the numbers behind it (see `heads`).
"""

from collections.abc import Sequence
from typing import Final, NamedTuple, final

from glassloop.extensions.raids.fight_log import NO_SPELL, Flag, Kind, Miss
from glassloop.extensions.raids.log.fields import NO_GUID, OTHER_WIDTH, BadLine, whole_number
from glassloop.extensions.raids.log.heads import Endings, Head, LineForm, Reader, TailReader, line_form
from glassloop.extensions.raids.log.rows import UNKNOWN_STATE, Rows, row_head
from glassloop.extensions.raids.log.tables import Tables

CRITICAL: Final = {"1": int(Flag.CRITICAL), "nil": 0, "0": 0}
GLANCING: Final = {"1": int(Flag.GLANCING), "nil": 0, "0": 0}
CRUSHING: Final = {"1": int(Flag.CRUSHING), "nil": 0, "0": 0}
OFF_HAND: Final = {"1": int(Flag.OFF_HAND), "nil": 0, "0": 0}
AURA: Final = {"BUFF": int(Flag.BUFF), "DEBUFF": 0}
MISSES: Final = {miss.name: str(int(miss)) for miss in Miss}
_ABOUT_SOURCE: Final = int(Flag.ABOUT_SOURCE)
_IDS: Final = 2
"""The fields that an advanced block begins with: the unit and its owner."""
_BLOCK: Final = 16
"""Its width where a log has none."""


@final
class EventReaders:
    """Makes readers that look up in `tables` and append to `rows`. `block` is where the advanced block begins and
    `width` how wide it is; 0 where a log has none."""

    def __init__(self, tables: Tables, rows: Rows) -> None:
        self._tables = tables
        self._rows = rows

    def spell_damage(self, block: int, width: int, payload: int, flags: int) -> LineForm:
        rows, endings = self._rows, Endings(payload - 2, (CRITICAL,))
        add_at, add_head, add_texts, marked = rows.at.append, rows.heads.append, rows.texts.extend, rows.marked
        health, max_health, power_type, power, max_power, amount_at = TailPlaces.of(width)
        ending_at = amount_at + 2

        def read(tail: str, at: int, head: bytes) -> None:
            f = tail.split(",", ending_at)
            over, absorbed, more = endings[f[ending_at]]
            amount = f[amount_at]
            if over:
                amount = without_overkill(amount, over)
                rows.overkill(over)
            add_at(at)
            add_head(marked[head, more] if more else head)
            add_texts((amount, absorbed, f[health], f[max_health], f[power], f[max_power], f[power_type]))

        return self._spell_form(read, int(Kind.DAMAGE), block, width, flags)

    def environment(self, width: int, flags: int) -> Reader:
        """Falls, fire, drowning: no source; its type stands between the block and the damage."""
        tables, add = self._tables, self._rows.add
        actors, numbers = tables.actor_of, tables.numbers
        unit, _, health, max_health, power_type, power, max_power = state_places(9, width)
        amount_at, kind = 10 + width, int(Kind.DAMAGE)

        def read(f: Sequence[str], at: int) -> None:
            over = max(numbers[f[amount_at + 2]], 0)
            amount = without_overkill(f[amount_at], over)
            marks = tables.source_side[f[3]] | tables.target_side[f[7]] | CRITICAL[f[amount_at + 7]] | flags
            state = UNKNOWN_STATE
            if f[unit] == f[5]:
                state = (f[health], f[max_health], f[power], f[max_power], f[power_type])
            head = row_head(kind, actors[f[1]], actors[f[5]], NO_SPELL, marks)
            add(at, head, (amount, f[amount_at + 6], *state), over)

        return read

    def heal(self, block: int, width: int, payload: int, flags: int) -> LineForm:
        rows, critical = self._rows, CRITICAL
        add_at, add_head, add_texts, marked = rows.at.append, rows.heads.append, rows.texts.extend, rows.marked
        health, max_health, power_type, power, max_power, amount_at = TailPlaces.of(width)
        overheal_at, critical_at, fields = amount_at + 2, amount_at + 4, amount_at + payload

        def read(tail: str, at: int, head: bytes) -> None:
            f = tail.split(",")
            if len(f) != fields:
                raise BadLine(OTHER_WIDTH)
            more = critical[f[critical_at]]
            add_at(at)
            add_head(marked[head, more] if more else head)
            add_texts((f[amount_at], f[overheal_at], f[health], f[max_health], f[power], f[max_power], f[power_type]))

        return self._spell_form(read, int(Kind.HEAL), block, width, flags)

    def _spell_form(self, read: TailReader, kind: int, block: int, width: int, flags: int) -> LineForm:
        """Of what spells do, which tells the target's health and power if it can."""
        tables, unit, read_unknown = self._tables, state_places(block, width)[0], without_state(read, width)

        def head(f: Sequence[str]) -> Head:
            source, target, spell = tables.actor_of[f[1]], tables.actor_of[f[5]], tables.spell_of[f[9]]
            marks = tables.source_side[f[3]] | tables.target_side[f[7]] | flags
            if f[unit] == f[5]:
                return (read, row_head(kind, source, target, spell, marks))
            if f[unit] == f[1] != NO_GUID:
                return (read, row_head(kind, source, target, spell, marks | _ABOUT_SOURCE))
            return (read_unknown, row_head(kind, source, target, spell, marks))

        return line_form(head, tables, block, width)

    def cast(self, block: int, width: int, more: int) -> LineForm:
        """One that succeeded. What follows the power is not looked at."""
        tables, rows, kind = self._tables, self._rows, int(Kind.CAST)
        add_at, add_head, add_texts = rows.at.append, rows.heads.append, rows.texts.extend
        if not width:
            return LineForm(self.plain(kind), same=True)
        health, max_health, power_type, power, max_power, end = TailPlaces.of(width)
        rest_at, commas_of_rest, commas = max_power + 1, end - max_power - 2 + more, end - 1 + more

        def read(tail: str, at: int, head: bytes) -> None:
            f = tail.split(",", rest_at)
            if f[rest_at].count(",") != commas_of_rest:
                raise BadLine(OTHER_WIDTH)
            add_at(at)
            add_head(head)
            add_texts(("0", "0", f[health], f[max_health], f[power], f[max_power], f[power_type]))

        def read_unknown(tail: str, at: int, head: bytes) -> None:
            if tail.count(",") != commas:
                raise BadLine(OTHER_WIDTH)
            rows.add(at, head, ("0", "0", *UNKNOWN_STATE))

        def head(f: Sequence[str]) -> Head:
            source, target, spell = tables.actor_of[f[1]], tables.actor_of[f[5]], tables.spell_of[f[9]]
            marks, whose = tables.source_side[f[3]] | tables.target_side[f[7]], f[block]
            if whose == NO_GUID or whose not in (f[1], f[5]):
                return (read_unknown, row_head(kind, source, target, spell, marks))
            marks |= _ABOUT_SOURCE if whose == f[1] else 0
            return (read, row_head(kind, source, target, spell, marks))

        return line_form(head, tables, block, width)

    def power_change(self, block: int, width: int, flags: int, kind: int, type_at: int) -> Reader:
        """`type_at`: how many fields behind the amount the type of the power is."""
        tables, add = self._tables, self._rows.add
        actors, spells, numbers, own = tables.actor_of, tables.spell_of, tables.numbers, tables.own
        source_side, target_side = tables.source_side, tables.target_side
        unit, owner, health, max_health, power_type, power, max_power = state_places(block, width)
        amount_at = block + width
        type_at += amount_at

        def read(f: Sequence[str], at: int) -> None:
            amount, extra = str(numbers[f[amount_at]]), f[type_at]
            marks = source_side[f[3]] | target_side[f[7]] | flags
            whose = f[unit]
            if whose == f[1] != NO_GUID:
                marks |= _ABOUT_SOURCE
            head = row_head(kind, actors[f[1]], actors[f[5]], spells[f[9]], marks)
            if whose == NO_GUID or (whose != f[1] and whose != f[5]):
                add(at, head, (amount, extra, *UNKNOWN_STATE))
                return
            if f[owner] != NO_GUID:
                own(whose, f[owner])
            add(at, head, (amount, extra, f[health], f[max_health], f[power], f[max_power], f[power_type]))

        return read

    def aura(self, kind: int, stacks_at: int) -> Reader:
        """`stacks_at` is 0 where the event has none."""
        tables, add = self._tables, self._rows.add
        actors, spells = tables.actor_of, tables.spell_of
        source_side, target_side, types = tables.source_side, tables.target_side, AURA
        stacks = "0" if kind == Kind.AURA_OFF else "1"

        def read(f: Sequence[str], at: int) -> None:
            marks = types[f[12]] | source_side[f[3]] | target_side[f[7]]
            head = row_head(kind, actors[f[1]], actors[f[5]], spells[f[9]], marks)
            add(at, head, (f[stacks_at] if stacks_at else stacks, "0", *UNKNOWN_STATE))

        return read

    def plain(self, kind: int, amount_at: int = 0) -> Reader:
        """Casts begun or failed, summons, resurrections, extra attacks."""
        tables, add = self._tables, self._rows.add
        actors, spells = tables.actor_of, tables.spell_of
        source_side, target_side = tables.source_side, tables.target_side

        def read(f: Sequence[str], at: int) -> None:
            head = row_head(kind, actors[f[1]], actors[f[5]], spells[f[9]], source_side[f[3]] | target_side[f[7]])
            add(at, head, (f[amount_at] if amount_at else "0", "0", *UNKNOWN_STATE))

        return read

    def summon(self) -> Reader:
        read_row, own = self.plain(int(Kind.SUMMON)), self._tables.own

        def read(f: Sequence[str], at: int) -> None:
            read_row(f, at)
            own(f[5], f[1])

        return read

    def other_spell(self, kind: int, *, aura: bool) -> Reader:
        """Interrupts, dispels and steals: what was interrupted or taken off is at 12."""
        tables, add = self._tables, self._rows.add
        actors, spells = tables.actor_of, tables.spell_of
        source_side, target_side = tables.source_side, tables.target_side

        def read(f: Sequence[str], at: int) -> None:
            marks = source_side[f[3]] | target_side[f[7]] | (AURA[f[15]] if aura else 0)
            head = row_head(kind, actors[f[1]], actors[f[5]], spells[f[9]], marks)
            add(at, head, ("0", str(spells[f[12]]), *UNKNOWN_STATE))

        return read

    def miss(self, type_at: int, flags: int) -> Reader:
        """A swing's type is at 9, a spell's at 12. How many amounts follow depends on the type."""
        tables, add = self._tables, self._rows.add
        actors, spells = tables.actor_of, tables.spell_of
        source_side, target_side, kind = tables.source_side, tables.target_side, int(Kind.MISS)

        def read(f: Sequence[str], at: int) -> None:
            marks = source_side[f[3]] | target_side[f[7]] | OFF_HAND[f[type_at + 1]] | flags
            avoided = f[type_at + 2] if len(f) > type_at + 2 else "0"
            spell = NO_SPELL if type_at == 9 else spells[f[9]]
            head = row_head(kind, actors[f[1]], actors[f[5]], spell, marks)
            add(at, head, (avoided, MISSES[f[type_at]], *UNKNOWN_STATE))

        return read

    def absorb(self, from_end: int) -> Reader:
        """Read from the end, as melee attacks have no spell. `from_end` is how many fields later builds append."""
        tables, add = self._tables, self._rows.add
        actors, spells = tables.actor_of, tables.spell_of
        source_side, target_side, kind = tables.source_side, tables.target_side, int(Kind.ABSORB)
        caster, caster_flags, shield, amount = -9 - from_end, -7 - from_end, -5 - from_end, -2 - from_end

        def read(f: Sequence[str], at: int) -> None:
            marks = source_side[f[caster_flags]] | target_side[f[7]]
            head = row_head(kind, actors[f[caster]], actors[f[5]], spells[f[shield]], marks)
            add(at, head, (f[amount], str(actors[f[1]]), *UNKNOWN_STATE))

        return read

    def death(self) -> Reader:
        tables, add = self._tables, self._rows.add
        kind = int(Kind.DEATH)

        def read(f: Sequence[str], at: int) -> None:
            marks = tables.source_side[f[3]] | tables.target_side[f[7]]
            head = row_head(kind, tables.actor_of[f[1]], tables.actor_of[f[5]], NO_SPELL, marks)
            add(at, head, ("0", "0", *UNKNOWN_STATE))

        return read


def without_overkill(amount: str, overkill: int) -> str:
    """Damage as the columns have it."""
    return str(max(whole_number(amount, 0) - overkill, 0)) if overkill else amount


def state_places(block: int, width: int) -> tuple[int, int, int, int, int, int, int]:
    """Unit, owner, health, its maximum, power type, power, its maximum. The first four are counted from the block's
    begin, the others from its end: builds differ in what is between. Without a block, the unit is a field that never
    holds one."""
    if not width:
        return (4, 0, 0, 0, 0, 0, 0)
    end = block + width
    return (block, block + 1, block + 2, block + 3, end - 9, end - 8, end - 7)


class TailPlaces(NamedTuple):
    """The same behind the owner, and where the block ends."""

    health: int
    max_health: int
    power_type: int
    power: int
    max_power: int
    end: int

    @classmethod
    def of(cls, width: int) -> "TailPlaces":
        _, _, health, max_health, power_type, power, max_power = state_places(-_IDS, width or _BLOCK)
        return cls(health, max_health, power_type, power, max_power, (width or _BLOCK) - _IDS)


def without_state(read: TailReader, width: int) -> TailReader:
    """Of lines that tell health and power of nobody they are about, or have no block: as if these were unknown."""
    unknown, fields = "-1," * TailPlaces.of(width).end, max(width - _IDS, 0)

    def read_unknown(tail: str, at: int, head: bytes) -> None:
        read(unknown + tail.split(",", fields)[fields], at, head)

    return read_unknown


def ignore(_fields: Sequence[str], _at: int) -> None:
    """Events of the game that make no row: kills told a second time, enchants, emotes, maps."""
