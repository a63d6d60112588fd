"""An answer's Markdown in a terminal, calm and safe; and tables so wide that no figure is cut.

Nothing of the text is lost or followed: HTML stays the letters it is, links show their address and are not clickable,
images are not read, line breaks stay where they were written. In a table words may go over several lines; numbers,
dates and identifiers stay whole, and where even that does not fit, each row becomes a few lines of its own.
"""

import re
from collections.abc import Sequence

from markdown_it import MarkdownIt
from markdown_it.token import Token
from rich import box
from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.constrain import Constrain
from rich.markdown import CodeBlock, Heading, Markdown, MarkdownElement, TableElement
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from glassloop.cli.ui.safe_text import safe_text

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


PROSE_WIDTH = 84

_parser = MarkdownIt("commonmark", {"html": False}).enable(["strikethrough", "table"]).disable(["image", "entity"])

# The parser drops what is nested more than twenty deep.
_DEEP = re.compile(r"^(?:[ ]*(?:[>*+-]|\d{1,9}[.)])){16}", re.MULTILINE)


class _PlainCode(CodeBlock):
    """Code as it is, indented; colours belong to the steps."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        yield Padding(Text(str(self.text).rstrip(), overflow="fold"), (0, 0, 0, 4))


class _LeftHeading(Heading):
    """A heading that starts where the text does."""

    LEVEL_ALIGN = {}


class _WholeTable(TableElement):
    """A table that may be wider than lines of text should be."""

    def __init__(self, room: int) -> None:
        super().__init__()
        self._room = room

    @classmethod
    def create(cls, markdown: Markdown, token: Token) -> MarkdownElement:  # noqa: ARG003
        return cls(markdown.room if isinstance(markdown, _Prose) else 0)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        # Inside a list or a quotation there is only the room of that.
        room = self._room if options.max_width == min(PROSE_WIDTH, self._room) else options.max_width
        head = self.header.row if self.header is not None else None
        rows = self.body.rows if self.body is not None else ()
        header = [cell.content for cell in head.cells] if head is not None else []
        for title in header:
            title.stylize("markdown.table.header")
        shown = fit_table(header, [[cell.content for cell in row.cells] for row in rows], room)
        yield from console.render(shown, options.update(width=room))


class _Prose(Markdown):
    """Markdown that somebody else wrote."""

    elements: dict[str, type[MarkdownElement]] = {  # pyright: ignore[reportIncompatibleVariableOverride]
        **Markdown.elements,
        "fence": _PlainCode,
        "code_block": _PlainCode,
        "heading_open": _LeftHeading,
        "table_open": _WholeTable,
    }
    room = PROSE_WIDTH

    def __init__(self, text: str) -> None:
        super().__init__("", hyperlinks=False)
        self.parsed = _parser.parse(text)
        for token in self.parsed:
            for child in token.children or ():
                if child.type == "softbreak":
                    child.type = "hardbreak"

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        self.room = options.max_width
        yield from super().__rich_console__(console, options.update(width=min(PROSE_WIDTH, options.max_width)))


def prose(text: str) -> RenderableType:
    """Markdown as a person reads it."""
    text = safe_text(text)
    return Constrain(Text(text, overflow="fold"), PROSE_WIDTH) if _DEEP.search(text) else _Prose(text)


def plain_lines(text: str) -> RenderableType:
    """Text whose lines mean something, such as a command's list."""
    return Constrain(Text(safe_text(text), overflow="fold"), PROSE_WIDTH)
