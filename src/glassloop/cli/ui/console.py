"""Consoles for standard output and error: the colours of the steps, and the fallback to ASCII.

What is shown is decided elsewhere.
"""

import sys
from typing import TextIO

from rich.console import Console, RenderableType
from rich.theme import Theme

from glassloop.cli.ui.output import TerminalStyle, forgiving

_COLOURS = """
think    #e0b25c  #a0721f  yellow
act      #7fb2ea  #3b7dc2  bright_blue
observe  #78c596  #368a58  green
answer   #b79be6  #896bbe  magenta
trouble  #ef8d85  #cb544b  red
soft     #a9aeb5  dim      dim
faint    #757c85  dim      dim
"""
"""On dark; on any, as a terminal does not say whether it is light or dark: these have the same contrast, above 4, on
both; where there are sixteen colours."""

DARK, _ON_ANY, _SIXTEEN = (
    {style: colours[place] for style, *colours in map(str.split, _COLOURS.strip().splitlines())} for place in range(3)
)
_CALM = {
    **{f"markdown.h{rank}": "bold" for rank in range(1, 7)},
    "markdown.code": "bold",
    "markdown.code_block": "none",
    "markdown.block_quote": "italic",
    "markdown.item.bullet": "none",
    "markdown.item.number": "none",
    "markdown.link": "underline",
    "markdown.link_url": "none",
    "markdown.hr": "dim",
    "markdown.table.border": "dim",
    "markdown.table.header": "bold",
}
"""Colour means a kind of step and nothing else, so Markdown gets none."""


def theme(colours: dict[str, str]) -> Theme:
    """The styles that views name: `think`, `act`, `observe`, `answer`, `trouble`, `soft`, `faint`."""
    return Theme({**colours, **_CALM})


def make_console(stream: TextIO | None = None) -> Console:
    """A console on `stream` (standard output) that never reads text as markup."""
    stream = forgiving(sys.stdout if stream is None else stream)
    probe = Console(file=stream)
    colours = _SIXTEEN if probe.color_system in ("standard", "windows") else _ON_ANY
    return Console(file=stream, theme=theme(colours), markup=False, emoji=False, highlight=False)


def write(console: Console, shown: RenderableType) -> None:
    """Prints; into a file or a pipe without the spaces that fill lines on a screen."""
    if console.is_terminal:
        console.print(shown)
        return
    with console.capture() as written:
        console.print(shown)
    console.file.writelines(f"{line.rstrip()}\n" for line in written.get().splitlines())
    console.file.flush()


def style_of(console: Console) -> TerminalStyle:
    """What this terminal can show."""
    is_ascii = not console.encoding.lower().startswith("utf")
    return TerminalStyle(ascii=is_ascii, colour=console.color_system is not None and not console.no_color)
