"""Places of values: the key, row and table a value stands in, read from data or from the tables of a text.

Owns the source's side of "which of several equal values is meant"; the answer's side is in `answer_layout`.
"""

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple, cast

MAX_ROWS = 5_000
MAX_NAME = 60
MAX_LABEL = 80
MAX_CELL = 32
LINE_NUMBER = "line number"
"""The label of a number that begins its line and has a tab behind it, as programs number what they show."""
MAX_LINE_NUMBER = 12
"""Characters that such a number and the blanks before it take."""

Path = tuple[str | int, ...]

_WORD = re.compile(r"[^\W\d_]+")
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_RULE = re.compile(r"[ \t|+:=-]*+")
_THINGS = re.compile(r" (?:[a-z]{3,20} )?[a-z]{3,20}s(?![a-z])")
_NUMBERED = re.compile(r"[ ]{0,11}[0-9]{1,11}\t|[^\s:]{1,300}:[0-9]{1,11}[:-]")
"""How a line begins that is told with its number: as in a listing, or as matches are told."""
_SEGMENT = re.compile(r"[,;|·\n]|\. ")
STRUCTURAL = frozenset(
    {"rank", "index", "idx", "position", "pos", "page", "pages", "limit", "offset", "no", "nr", "seq", "row", "column"}
    | {"id"}
)
"""Keys whose whole numbers count nothing."""


def written_path(path: Path, *, indexed: bool = True) -> str:
    """`rows[3].total`, or `rows[].total` for all of its rows."""
    parts = (f"[{part if indexed else ''}]" if type(part) is int else f".{part}" for part in path)
    return "".join(parts).lstrip(".").removeprefix("[].")


@lru_cache(2_048)
def words_of(text: str) -> frozenset[str]:
    """Words to compare labels by: small letters, without a plural's s."""
    return frozenset(_singular(word) for word in _WORD.findall(_CAMEL.sub(" ", text).lower()))


def _singular(word: str) -> str:
    return word[:-3] + "y" if word.endswith("ies") else word.removesuffix("s") if len(word) > 3 else word


class RowTable:
    """Rows with names: records of a list, or the lines of a table in a text."""

    def __init__(self, rows: Sequence[Any]) -> None:
        self.rows = rows
        self._names: dict[str, list[Mapping[str, Any]]] | None = None
        self._looked: tuple[str, list[Mapping[str, Any]]] = "", []
        self._apart: tuple[str, list[Mapping[str, Any]]] = "", []

    def named_in(self, scope: str) -> list[Mapping[str, Any]]:
        """The rows that are named in a text (in small letters)."""
        if self._looked[0] == scope:
            return self._looked[1]
        names = self._by_name()
        found: dict[int, Mapping[str, Any]] = {}
        for name in _candidates(scope, names):
            found.update((id(row), row) for row in names[name])
        self._looked = scope, list(found.values())
        return self._looked[1]

    def told_apart_in(self, scope: str) -> list[Mapping[str, Any]]:
        """The rows that a text names by what no other row is called."""
        if self._apart[0] != scope:
            names = self._by_name()
            named = (names[name] for name in _candidates(scope, names))
            self._apart = scope, list({id(rows[0]): rows[0] for rows in named if len(rows) == 1}.values())
        return self._apart[1]

    def counts_of(self, value: str) -> set[int]:
        """How many rows have a text (in small letters), in each of the columns it stands in."""
        rows = {id(row): row for row in self._by_name().get(value, ())}.values()
        columns = Counter(
            key for row in rows for key, cell in row.items() if type(cell) is str and cell.lower() == value
        )
        return set(columns.values())

    def _by_name(self) -> Mapping[str, list[Mapping[str, Any]]]:
        if self._names is None:
            self._names = {}
            records = (cast("dict[str, Any]", row) for row in self.rows[:MAX_ROWS] if type(row) is dict)
            for record in records:
                for name in names_of(record):
                    self._names.setdefault(name, []).append(record)
        return self._names


def _candidates(scope: str, names: Mapping[str, Any]) -> list[str]:
    """Names in a short text: by its words where the names are many, so that the work stays that of the text."""
    if len(names) <= 64:
        return [name for name in names if holds_name(scope, name)]
    ends = [found.span() for found in re.finditer(r"[^\s|*_`\"“”(),;:]+", scope)][:60]
    parts = {scope[first[0] : last[1]].rstrip(".!?") for at, first in enumerate(ends) for last in ends[at : at + 5]}
    return [part for part in parts if part in names]


def holds_name(scope: str, name: str) -> bool:
    at = scope.find(name)
    while at >= 0:
        end = at + len(name)
        if not (_runs_on(scope[at - 1 : at], name[0]) or _runs_on(scope[end : end + 1], name[-1])):
            return True
        at = scope.find(name, at + 1)
    return False


def _runs_on(outside: str, edge: str) -> bool:
    return outside.isascii() and edge.isascii() and outside.isalnum() and edge.isalnum()


def names_of(row: Mapping[str, Any]) -> list[str]:
    """The short texts of a row: what an answer calls it by."""
    return [
        value.lower()
        for value in row.values()
        if type(value) is str and 1 < len(value) <= MAX_NAME and _WORD.search(value)
    ]


class Owner(NamedTuple):
    """A row that something else stands in: the row, its table, and the row this table stands in."""

    row: Mapping[str, Any]
    table: RowTable
    above: "Owner | None"


class Place(NamedTuple):
    """Where a value stands. `label` is its key, column or the words beside it in its line, `owner` the row that its own
    row is a part of, `field` the words before a colon in a text, or what a number counts in it."""

    label: str
    path: Path = ()
    row: Mapping[str, Any] | None = None
    table: RowTable | None = None
    owner: Owner | None = None
    field: str = ""
    numbered: bool = False
    """In a line that is told with its number, and not that number."""

    def told_by(self, found: str) -> str:
        """The label that says what a number is: in a row only where the number begins its cell."""
        if self.row is None:
            return self.field
        cell = self.row.get(self.label)
        if type(cell) is str and (len(cell) > MAX_CELL or not cell.lstrip(" *").startswith(found)):
            return ""
        return self.label


class ObservedTable(NamedTuple):
    """Rows that were observed together, in the source with this number."""

    source: int
    rows: RowTable


class TextPlaces:
    """The places of a text: cells of its ruled tables, otherwise the words beside a value."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._last: tuple[tuple[int, int], Place] = (-1, -1), Place("")
        self._starts: list[int] | None = None
        self._cells: list[tuple[Mapping[str, Any], RowTable, Sequence[str]] | None] = []

    def at(self, start: int, end: int) -> Place:
        """Of the same figure again, as it is asked for once for each of its readings, the same place."""
        if self._last[0] != (start, end):
            self._last = (start, end), self._read_at(start, end)
        return self._last[1]

    def _read_at(self, start: int, end: int) -> Place:
        text = self._text
        first, last = text.rfind("\n", max(0, start - 400), start) + 1, text.find("\n", end, end + 400)
        line = text[first or max(0, start - 400) : last if last >= 0 else end + 400]
        if "|" in line and (found := self._row_at(start)) is not None:
            row, table, heads = found
            column = text.count("|", first, start) - (1 if line.lstrip().startswith("|") else 0)
            return Place(heads[column] if 0 <= column < len(heads) else "", (), row, table)
        if start - first <= MAX_LINE_NUMBER and text.startswith("\t", end) and not text[first:start].strip():
            return Place(LINE_NUMBER, field=LINE_NUMBER)
        before = _SEGMENT.split(text[max(first, start - MAX_LABEL) : start])[-1]
        after = _SEGMENT.split(text[end : min(end + MAX_LABEL // 2, last if last >= 0 else len(text))])[0]
        numbered = _NUMBERED.match(text, first, start) is not None
        return Place(f"{before} {after}", field=_field(before, after), numbered=numbered)

    def tables(self) -> list[RowTable]:
        """The ruled tables of the text."""
        if self._starts is None:
            self._starts = []
            self._read_tables()
        return list({id(cell[1]): cell[1] for cell in self._cells if cell is not None}.values())

    def _row_at(self, at: int) -> tuple[Mapping[str, Any], RowTable, Sequence[str]] | None:
        if self._starts is None:
            self._starts = []
            self._read_tables()
        place = bisect_right(self._starts, at) - 1
        return self._cells[place] if place >= 0 else None

    def _read_tables(self) -> None:
        """Every line with its row, where it is one below a rule."""
        starts, at, before, heads = self._starts, 0, "", list[str]()
        rows: list[Any] = []
        table = RowTable(rows)
        for line in self._text.split("\n"):
            found = None
            if "|" not in line and "+" not in line:
                heads = []
            elif "--" in line and not _RULE.sub("", line, count=1):
                heads, rows = _split(before), []
                table = RowTable(rows)
            elif heads:
                row = dict(zip(heads, _split(line), strict=False))
                rows.append(row)
                found = row, table, heads
            if starts is not None:
                starts.append(at)
            self._cells.append(found)
            before, at = line, at + len(line) + 1


def _field(before: str, after: str) -> str:
    """What a text says a bare number is: `duration_s: 512`, `182 polling stations`."""
    key = before.rstrip()
    if key.endswith((":", "=", "：")):
        return key[:-1].rpartition(":")[2].strip(" \"'*_`-")
    things = _THINGS.match(after)
    return things[0] if things is not None else ""


def _split(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip().strip("|").split("|")]
