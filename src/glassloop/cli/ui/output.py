"""Output of a command, for a program or for a person, on streams that never fail to write, whatever their encoding.

Light on purpose: rendering is imported when something is drawn, and a mistake is reported without it.
"""

import codecs
import sys
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Literal, NamedTuple, TextIO

import msgspec

from glassloop.cli.ui.safe_text import plain_json, safe_text

if TYPE_CHECKING:
    from rich.console import RenderableType

    View = str | RenderableType | Sequence[RenderableType]

_ASCII = str.maketrans("·•–—−‘’“”▌×≈\u00a0\u202f", "-*---''\"\"|x~  ") | {
    ord(sign): spelt for sign, spelt in {"…": "...", "→": "->", "≤": "<=", "≥": ">="}.items()
}


def complain(message: str) -> None:
    """One sentence on standard error."""
    print(safe_text(message), file=forgiving(sys.stderr), flush=True)


def forgiving(stream: TextIO) -> TextIO:
    """The stream, which from now on spells out what its encoding does not have."""
    reconfigure = getattr(stream, "reconfigure", None)
    if reconfigure is not None:
        reconfigure(errors=_ERRORS)
    return stream


def _spell(error: UnicodeError) -> tuple[str, int]:
    """What to write instead of characters the stream's encoding does not have."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    missing = error.object[error.start : error.end]
    spelt = missing.translate(_ASCII).encode(error.encoding, "replace").decode(error.encoding)
    return spelt, error.end


_ERRORS = "glassloop.spell"
codecs.register_error(_ERRORS, _spell)


Mark = Literal["done", "open", "running", "failed"]

_SIGNS: dict[Mark, str] = {"done": "✓", "open": "○", "running": "●", "failed": "✗"}
_ASCII_SIGNS: dict[Mark, str] = {"done": "[x]", "open": "[ ]", "running": "[>]", "failed": "[!]"}


class TerminalStyle(NamedTuple):
    """Whether there are characters beyond ASCII, and colours."""

    ascii: bool = False
    colour: bool = True

    def sign(self, mark: Mark) -> str:
        return (_ASCII_SIGNS if self.ascii else _SIGNS)[mark]

    @property
    def prompt(self) -> str:
        return ">" if self.ascii else "›"

    def join(self, *parts: str) -> str:
        """The parts that are not empty, with a dot between them."""
        return (" - " if self.ascii else " · ").join(part for part in parts if part)


def count(number: int, noun: str) -> str:
    """`1 step`, `3 steps`."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def duration(seconds: float) -> str:
    """As a person says it: `18 ms`, `3.1 s`, `2 min 5 s`."""
    if seconds < 0.9995:
        return f"{seconds * 1000:.0f} ms" if seconds >= 0.001 else "<1 ms"
    if seconds < 59.95:
        return f"{seconds:.1f} s"
    whole = round(seconds)
    return f"{whole // 60} min {whole % 60} s"


def moment(at: float | str) -> str:
    """A time in the zone of this machine."""
    found = datetime.fromisoformat(at) if isinstance(at, str) else datetime.fromtimestamp(at, UTC)
    return found.astimezone().strftime("%Y-%m-%d %H:%M")


def money(cost: float | None, unpriced: int) -> str:
    """US dollars with the digits that matter; what has no price is said, never counted as free."""
    if cost is None:
        return f"cost unknown ({count(unpriced, 'call')})"
    digits = 2 if not cost or cost >= 0.995 else 4
    spent = f"${cost:,.{digits}f}" if not cost or cost >= 0.00005 else "<$0.0001"
    return f"{spent} and {count(unpriced, 'call')} of unknown cost" if unpriced else spent


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
