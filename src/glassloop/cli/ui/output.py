"""Output of a command, for a program or for a person. Light: rendering is imported when something is drawn."""

import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from glassloop.cli.ui.safe_text import plain_json, safe_text
from glassloop.cli.ui.stdio import forgiving

if TYPE_CHECKING:
    from rich.console import RenderableType

    from glassloop.cli.ui.style import TerminalStyle

    View = str | RenderableType | Sequence[RenderableType]


class Line:
    """A paragraph of texts, each plain or with its style. The texts must be sanitized already.

    `indent`: cells to its left, `below`: empty lines after it.
    """

    def __init__(self, *parts: str | tuple[str, str], indent: int = 0, below: int = 0) -> None:
        self._parts = parts
        self._padding = (0, 0, below, indent)

    def __rich__(self) -> "RenderableType":
        from rich.padding import Padding
        from rich.text import Text

        text = Text.assemble(*self._parts, overflow="fold")
        return Padding(text, self._padding) if any(self._padding) else text


def say(sentence: str) -> None:
    """One sentence on standard output."""
    print(safe_text(sentence), file=forgiving(sys.stdout), flush=True)


def write_json(value: object, *, indent: int = 0) -> None:
    """A value on standard output, for programs; without `indent` on one line."""
    import msgspec

    raw = msgspec.json.encode(value)
    sys.stdout.buffer.write(plain_json(msgspec.json.format(raw, indent=indent) if indent else raw) + b"\n")
    sys.stdout.buffer.flush()


def show_result(value: object, as_json: bool, view: "Callable[[TerminalStyle], View]") -> None:
    """A result: the value as JSON, or what `view` makes of it."""
    if as_json:
        write_json(value, indent=2)
    else:
        show_view(view)


def show_view(view: "Callable[[TerminalStyle], View]") -> None:
    """A result for people only."""
    from rich.console import Group

    from glassloop.cli.ui.console import make_console, style_of, write

    console = make_console()
    found = view(style_of(console))
    write(console, Group(*found) if isinstance(found, list | tuple) else found)  # pyright: ignore[reportArgumentType]
