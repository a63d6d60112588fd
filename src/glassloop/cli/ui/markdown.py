"""An answer's Markdown in a terminal, calm and safe.

Nothing of the text is lost or followed: HTML stays the letters it is, links show their address and are not clickable,
images are not read, line breaks stay where they were written, tables use all the room there is. Streaming and the
choice of what is an answer are the trace's business.
"""

import re

from markdown_it import MarkdownIt
from markdown_it.token import Token
from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.constrain import Constrain
from rich.markdown import CodeBlock, Heading, Markdown, MarkdownElement, TableElement
from rich.padding import Padding
from rich.text import Text

from glassloop.cli.ui.safe_text import safe_text
from glassloop.cli.ui.tables import fit_table

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
