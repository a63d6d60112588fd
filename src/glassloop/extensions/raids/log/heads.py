"""Beginnings of lines: event, units, spell, and whose health and power follow.

They come again and again, so that each is looked up once, and from then on only the numbers behind it are read. Lines
without numbers are remembered whole.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Final, NamedTuple, final

from glassloop.extensions.raids.log.fields import NO_GUID, OTHER_WIDTH, BadLine, whole_number
from glassloop.extensions.raids.log.rows import TEXTS, Rows
from glassloop.extensions.raids.log.tables import Tables

NO_OWNER: Final = f",{NO_GUID},"
"""Of nearly all units, and the last id of a line: what is before it is the beginning, what is behind it are numbers."""
_PLAYER: Final = ",Player-"
"""Begins the owner of a pet."""
_NOT_BLOCKED: Final = ("0", "nil", "-1")
MAX_HEADS: Final = 20_000
MAX_ENDINGS: Final = 5_000
MAX_CHARS: Final = 800
"""Of a line whose beginning is remembered. Others are as long only if they are broken."""

Reader = Callable[[Sequence[str], int], None]
"""Of the fields of a line and its time, in ms from the fight's start."""
TailReader = Callable[[str, int, bytes], None]
"""Of what is behind a beginning, the time, and the head of the row, as the beginning tells it."""
Head = tuple[TailReader, bytes]
"""What a beginning tells: the reader of what is behind it, and the head of the row."""
HeadReader = Callable[[Sequence[str]], Head]
"""Of the fields of a line, of which the beginning is looked at."""


class LineForm(NamedTuple):
    """How the lines of one event and width are read. Whatever does not fit raises `KeyError`, `ValueError` or
    `IndexError` before anything was appended."""

    read: Reader
    head: HeadReader | None = None
    tail_at: int = 0
    """The first field behind the beginning; the two before it are a unit and its owner."""
    same: bool = False
    """Whether lines of the same text make the same row."""


def line_form(head: HeadReader, tables: Tables, block: int, width: int) -> LineForm:
    """Of an event with an advanced block, `width` fields wide; 0 where a log has none."""
    unit, owner, tail_at, own = block, block + 1, block + 2 if width else block, tables.own

    def read(f: Sequence[str], at: int) -> None:
        read_tail, told = head(f)
        read_tail(",".join(f[tail_at:]), at, told)
        if width and f[owner] != NO_GUID and f[unit] in (f[1], f[5]):
            own(f[unit], f[owner])

    return LineForm(read, head if width else None, tail_at)


@final
class Heads:
    """Beginnings with the readers of what is behind them, and whole lines with their rows. The dictionaries are the
    same for good, so that they may be kept."""

    def __init__(self, tables: Tables, rows: Rows) -> None:
        self.heads: dict[str, Head] = {}
        self.rows: dict[str, tuple[bytes, Sequence[str]]] = {}
        """The heads and texts of rows."""
        self._owned: dict[str, tuple[Head, str, str]] = {}
        """Of pets, up to the start of their owner's id: with the pet's and the owner's."""
        self._tables = tables
        self._waiting = rows

    def read_owned(self, text: str, at: int) -> bool:
        """A line about somebody's pet, if it begins like one before."""
        head, _, tail = text.rpartition(_PLAYER)
        owner, _, tail = tail.partition(",")
        known = self._owned.get(head)
        if known is None or known[2] != owner:
            return False
        read, told = known[0]
        read(tail, at, told)
        self._tables.own(known[1], f"Player-{owner}")
        return True

    def read(self, text: str, fields: Sequence[str], form: LineForm, at: int) -> None:
        """A line, split into its fields, whose beginning is new; `text` is without its time."""
        if len(self.heads) + len(self.rows) + len(self._owned) >= MAX_HEADS:
            self.clear()
        if form.head is None or len(text) > MAX_CHARS:
            form.read(fields, at)
            if form.same and len(text) <= MAX_CHARS:
                self.rows[text] = (self._waiting.heads[-1], tuple(self._waiting.texts[-TEXTS:]))
            return
        owner, commas = fields[form.tail_at - 1], len(fields) - form.tail_at - 1
        head, _, tail = text.rpartition(NO_OWNER)
        if owner == NO_GUID and tail.count(",") == commas:
            self.heads[head] = read, told = form.head(fields)
            read(tail, at, told)
            return
        form.read(fields, at)
        unit = fields[form.tail_at - 2]
        head, _, tail = text.rpartition(_PLAYER)
        if owner.startswith("Player-") and tail.count(",") == commas + 1 and unit in (fields[1], fields[5]):
            self._owned[head] = (form.head(fields), unit, owner[len("Player-") :])

    def clear(self) -> None:
        self.heads.clear()
        self.rows.clear()
        self._owned.clear()


@final
class Endings(dict[str, tuple[int, str, int]]):
    """What follows the amount of damage and its base, by its text: overkill, what was absorbed, and flags. `fields` is
    how many values there are, `marks` the flags of those from the sixth on, `blocked` that of a part blocked."""

    def __init__(self, fields: int, marks: Sequence[Mapping[str, int]], blocked: int = 0) -> None:
        self._fields = fields
        self._marks = marks
        self._blocked = blocked

    def __missing__(self, text: str) -> tuple[int, str, int]:
        values = text.split(",")
        if len(values) != self._fields:
            raise BadLine(OTHER_WIDTH)
        flags = 0 if values[3] in _NOT_BLOCKED else self._blocked
        for mark, value in zip(self._marks, values[5:], strict=False):
            flags |= mark[value]
        found = (max(whole_number(values[0]), 0), values[4], flags)
        if len(self) >= MAX_ENDINGS:
            self.clear()
        if len(text) <= MAX_CHARS:
            self[text] = found
        return found
