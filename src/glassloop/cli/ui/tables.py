"""A table in a terminal, so wide that no figure is cut.

Words may go over several lines; numbers, dates and identifiers stay whole. Where even that does not fit, each row
becomes a few lines of its own. What a table holds is the business of whoever shows it.
"""

import re
from collections.abc import Sequence

from rich import box
from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

WORD_CELLS = 14, 9
"""A longer word may be folded: at first, and before a table is given up."""

FIGURE_CELLS = 24
"""A cell that is one figure (a date with its time, an amount with its currency) is at first kept on one line."""

_GAP = 2
"""Cells between two columns; the edges of a table have as much together."""

_DIGIT = re.compile(r"\d")
_FIGURE = re.compile(r"\W*+\w{0,3}\W*+\d[\d\W]*+(?:[A-Za-z%°]{1,4})?\W*+")


def fit_table(header: Sequence[Text], rows: Sequence[Sequence[Text]], room: int) -> RenderableType:
    """The rows as a table where `room` is enough for it, else one below the other."""
    columns = [[title, *(row[at] for row in rows if at < len(row))] for at, title in enumerate(header)]
    for tight in (False, True):
        least = [max(_least(cell.plain, tight) for cell in column) for column in columns]
        most = [max(cell_len(line) for cell in column for line in cell.plain.split("\n")) for column in columns]
        if sum(least) + _GAP * len(columns) <= room:
            shown = Table(
                box=box.SIMPLE, pad_edge=False, style="markdown.table.border", show_edge=True, collapse_padding=True
            )
            return _filled(shown, header, rows, _widths(least, most, room - _GAP * len(columns)))
    return _records(header, rows)


def _widths(least: Sequence[int], most: Sequence[int], room: int) -> list[int]:
    """As much as each column needs; where that is too much, the widest give way first, none below its least."""
    cap = min(max(most, default=0), room)
    while (widths := [max(low, min(high, cap)) for low, high in zip(least, most, strict=True)]) and sum(widths) > room:
        cap -= 1
    return widths


class WordTable:
    """A plain table whose cells are broken between words only: the first column to the left, figures to the right."""

    def __init__(self, *titles: str) -> None:
        self._titles = titles
        self._rows: list[tuple[str, ...]] = []

    def add_row(self, *cells: str) -> None:
        self._rows.append(cells)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        columns = list(zip(self._titles, *self._rows, strict=True))
        least = [max(cell_len(word) for cell in column for word in cell.split() or [""]) for column in columns]
        most = [max(map(cell_len, column)) for column in columns]
        sides = ["left", *["right"] * (len(columns) - 1)]
        header, *rows = (
            [Text(cell, justify="left" if side == "left" else "right") for cell, side in zip(row, sides, strict=True)]
            for row in (self._titles, *self._rows)
        )
        room = options.max_width - _GAP * len(columns)
        if sum(least) > room:
            yield _records(header, rows)
            return
        table = Table(box=None, padding=(0, _GAP, 0, 0), header_style="soft")
        yield _filled(table, header, rows, _widths(least, most, room))


def _filled(table: Table, header: Sequence[Text], rows: Sequence[Sequence[Text]], widths: Sequence[int]) -> Table:
    for title, width in zip(header, widths, strict=True):
        table.add_column(title, overflow="fold", width=max(1, width))
    for row in rows:
        table.add_row(*row)
    return table


def _least(text: str, tight: bool) -> int:
    """Cells that the text needs so that no figure in it is broken."""
    text = text.strip()
    if not tight and cell_len(text) <= FIGURE_CELLS and _FIGURE.fullmatch(text):
        return cell_len(text)
    words = ((cell_len(word), _DIGIT.search(word)) for word in text.split())
    return max((cells if digit else min(cells, WORD_CELLS[tight]) for cells, digit in words), default=0)


def _records(header: Sequence[Text], rows: Sequence[Sequence[Text]]) -> RenderableType:
    """Each row under what its first cell says, its other cells with their titles."""
    parts: list[RenderableType] = []
    for row in rows:
        named = [
            Text.assemble(title, ": ", cell) if title.plain else cell.copy()
            for title, cell in zip(header[1:], row[1:], strict=False)
            if cell.plain.strip()
        ]
        first = row[0].copy() if row else Text()
        first.stylize("markdown.table.header")
        first.justify, first.overflow = "left", "fold"
        facts = Text(" · ", overflow="fold", justify="left").join(named)
        parts += [first, Padding(facts, (0, 0, 0, 2))]
    return Group(*parts)
