"""An answer's Markdown in a terminal, calm and safe.

Nothing of the text is lost or followed: HTML stays the letters it is, links show their address and are not clickable,
images are not read, line breaks stay where they were written. Streaming and the choice of what is an answer are the
trace's business.
"""

import re

from markdown_it import MarkdownIt
from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.markdown import CodeBlock, Heading, Markdown, MarkdownElement
from rich.padding import Padding
from rich.text import Text

from glassloop.cli.untrusted import inert

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


class _Prose(Markdown):
    """Markdown that somebody else wrote."""

    elements: dict[str, type[MarkdownElement]] = {  # pyright: ignore[reportIncompatibleVariableOverride]
        **Markdown.elements,
        "fence": _PlainCode,
        "code_block": _PlainCode,
        "heading_open": _LeftHeading,
    }

    def __init__(self, text: str) -> None:
        super().__init__("", hyperlinks=False)
        self.parsed = _parser.parse(text)
        for token in self.parsed:
            for child in token.children or ():
                if child.type == "softbreak":
                    child.type = "hardbreak"


def prose(text: str) -> RenderableType:
    """Markdown as a person reads it."""
    text = inert(text)
    return Text(text, overflow="fold") if _DEEP.search(text) else _Prose(text)


def plain_lines(text: str) -> RenderableType:
    """Text whose lines mean something, such as a command's list."""
    return Text(inert(text), overflow="fold")
