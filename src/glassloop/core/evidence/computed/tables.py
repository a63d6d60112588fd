"""Figures computed over tables: columns of the answer's own tables, and rows of an observed table that it names.

A column is added up as a whole and never in parts, so that there is one sum to hit and not thousands.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations, permutations
from typing import Any, Final, NamedTuple

from glassloop.core.evidence.answer_layout import AnswerLayout, NearbyText
from glassloop.core.evidence.computed.operands import Computed, FigureOperand, digits_told, is_value, sum_or_difference
from glassloop.core.evidence.figures import FigureMark
from glassloop.core.evidence.places import ObservedTable
from glassloop.core.evidence.units.quantities import NumberReading

MAX_COLUMNS: Final = 12
MAX_CELLS: Final = 3
"""Cells of a column that are added and subtracted in pairs."""
MAX_CHANGED: Final = 4
"""Cells of a column between which a change in percent is looked for."""
MAX_NAMED: Final = 12
"""Rows of an observed table that an answer may name and add up."""
TELLING_UNNAMED: Final = 100_000
TELLING_NAMED: Final = 100
"""What `digits_told` is at least, for a column that the words beside the figure do not name and one that they do."""
MAX_CHANCE: Final = 0.02

_PAIR: Final = 2
TOTAL: Final = re.compile(r"total|sum|gesamt|altogether|合计|总计|总共", re.IGNORECASE)
_CHANGE = re.compile(
    r"\b(?:less|more|lower|higher|fewer|up|down|rose|risen|fell|fallen|grew|grown|growth|drop\w*|increas\w*|decreas\w*"
    r"|declin\w*|chang\w*|gain\w*|savings?|discount|cheaper|dearer|difference|above|below|over|under|against|compared|vs|mehr|weniger|gestiegen|gesunken|höher|niedriger)\b|[+\-−–][0-9]|[增减升降涨跌]",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"-?[0-9]{1,3}(?:,[0-9]{3})+(?:\.[0-9]+)?|-?[0-9]{1,15}(?:\.[0-9]{1,9})?")


class AnswerColumn(NamedTuple):
    """A column of a table in the answer, with the numbers in it that have a source."""

    paragraph: int
    number: int
    head: frozenset[str]
    cells: list[FigureOperand]


class TableComputation:
    """The tables that an answer shows, and those that it was made from."""

    def __init__(
        self, answer: str, layout: AnswerLayout, sources: Sequence[str], tables: Sequence[ObservedTable]
    ) -> None:
        self._answer = answer
        self._layout = layout
        self._sources = sources
        self._tables = tables
        self._columns: dict[tuple[int, int], AnswerColumn] = {}

    def add(self, operand: FigureOperand, near: NearbyText) -> None:
        """A number of the answer with a source, and what stands around it."""
        if not near.tabular or TOTAL.search(near.clause) is not None:
            return
        place = self._place(operand.at)
        if place in self._columns or len(self._columns) < MAX_COLUMNS:
            self._columns.setdefault(place, AnswerColumn(*place, near.noun, [])).cells.append(operand)

    def explain(self, mark: FigureMark, wanted: NumberReading, told_beside: int) -> Computed | None:
        """`told_beside` amounts stand in the figure's own sentence."""
        if wanted.unit == "%":
            return self._change(mark, wanted) if told_beside < _PAIR else None
        return self._of_columns(mark, wanted) or self._of_named_rows(mark, wanted)

    def _place(self, at: int) -> tuple[int, int]:
        line = self._answer.rfind("\n", 0, at) + 1
        return self._layout.scopes(at)[2][1], self._answer.count("|", line, at)

    def _of_columns(self, mark: FigureMark, wanted: NumberReading) -> Computed | None:
        near = self._layout.around(mark.start, mark.end)
        mine = self._place(mark.start) if near.tabular else None
        line = self._answer.rfind("\n", 0, mark.start) + 1
        for place, column in self._columns.items():
            here = place == mine
            if mine is not None and not here:
                continue
            cells = [cell for cell in column.cells if cell.at < line] if here else column.cells
            named = here or bool(column.head & near.noun)
            if digits_told(wanted) < (TELLING_NAMED if named else TELLING_UNNAMED):
                continue
            if any(cell.unit and wanted.unit and cell.unit != wanted.unit for cell in cells):
                continue
            whole = not here or TOTAL.search(near.clause) is not None
            if made := _of_cells(wanted, cells, whole):
                return made
        return None

    def tells_change(self, mark: FigureMark) -> bool:
        """Whether the answer says of a percentage that it is a change."""
        near = self._layout.around(mark.start, mark.end)
        heads = " ".join(near.noun) if near.tabular else ""
        return _CHANGE.search(near.sentence) is not None or _CHANGE.search(heads) is not None

    def _change(self, mark: FigureMark, wanted: NumberReading) -> Computed | None:
        """A change in percent between two numbers of one column."""
        if not self.tells_change(mark):
            return None
        columns = [
            column.cells
            for column in self._columns.values()
            if 1 < len(column.cells) <= MAX_CHANGED and not any(cell.percent for cell in column.cells)
        ]
        pairs = [pair for cells in columns for pair in permutations(cells, 2)]
        if len(pairs) * wanted.step / 100 > MAX_CHANCE:
            return None
        for one, other in pairs:
            if other.value and is_value(wanted, 100 * (one.value - other.value) / other.value):
                return f"({one.text} - {other.text}) / {other.text}", one.source
        return None

    def _of_named_rows(self, mark: FigureMark, wanted: NumberReading) -> Computed | None:
        """The sum of a column over the rows of an observed table that the sentence or the paragraph names."""
        if digits_told(wanted) < TELLING_NAMED or not self._tables:
            return None
        scopes = (self._layout.around(mark.start, mark.end).sentence, self._layout.paragraph(mark.start))
        for table in self._tables:
            for scope in dict.fromkeys(scopes):
                rows = table.rows.told_apart_in(scope)
                if not 1 < len(rows) <= MAX_NAMED:
                    continue
                columns = _numeric_columns(rows)
                if len(columns) / digits_told(wanted) > MAX_CHANCE:
                    continue
                for name, values in columns.items():
                    if len(values) == len(rows) and is_value(wanted, sum(values)):
                        return f"sum of {name} of {len(rows)} rows", self._sources[table.source]
        return None


def _of_cells(wanted: NumberReading, cells: Sequence[FigureOperand], whole: bool) -> Computed | None:
    if whole and len(cells) > 1 and is_value(wanted, sum(cell.value for cell in cells)):
        return f"sum of {len(cells)} figures of a column", cells[0].source
    for one, other in combinations(cells, 2) if len(cells) <= MAX_CELLS else ():
        if made := sum_or_difference(wanted, one, other):
            return made
    return None


def _numeric_columns(rows: Sequence[Mapping[str, Any]]) -> dict[str, list[float]]:
    """The numbers of some rows by column; cells of a text's table are read as they are written."""
    columns: dict[str, list[float]] = {}
    for name, value in _cells(rows):
        if type(value) in (int, float) and -1e15 < value < 1e15:
            columns.setdefault(name, []).append(float(value))
        elif type(value) is str and _NUMBER.fullmatch(value) is not None:
            columns.setdefault(name, []).append(float(value.replace(",", "")))
    return columns


def _cells(rows: Sequence[Mapping[str, Any]]) -> Iterator[tuple[str, Any]]:
    for row in rows:
        yield from list(row.items())[:MAX_COLUMNS]
