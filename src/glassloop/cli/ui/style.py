"""Signs, figures and times as this terminal can show them. Light: nothing that draws is loaded."""

from datetime import UTC, datetime
from typing import Literal, NamedTuple

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
    told = datetime.fromisoformat(at) if isinstance(at, str) else datetime.fromtimestamp(at, UTC)
    return told.astimezone().strftime("%Y-%m-%d %H:%M")


def money(cost: float | None, unpriced: int) -> str:
    """US dollars with the digits that matter; what has no price is said, never counted as free."""
    if cost is None:
        return f"cost unknown ({count(unpriced, 'call')})"
    digits = 2 if not cost or cost >= 0.995 else 4
    spent = f"${cost:,.{digits}f}" if not cost or cost >= 0.00005 else "<$0.0001"
    return f"{spent} and {count(unpriced, 'call')} of unknown cost" if unpriced else spent
