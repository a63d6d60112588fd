"""The timeline of a turn: one thin bar, one segment a step, as long as it took.

Pure layout: durations in, coloured cells out. Where segments come from is the trace's business. Without colour the
kinds are told apart by their characters.
"""

from collections.abc import Sequence
from typing import Literal

import msgspec
from rich.text import Text

from glassloop.cli.ui.style import TerminalStyle

Kind = Literal["think", "act", "observe", "answer", "trouble", "wait"]

_SHADES: dict[Kind, str] = {"think": "░", "act": "█", "observe": "▒", "answer": "▓", "trouble": "×", "wait": "╌"}
_LETTERS: dict[Kind, str] = {"think": ".", "act": "#", "observe": "o", "answer": "=", "trouble": "x", "wait": "-"}
_WAIT_CELLS = 2


class TimelineSegment(msgspec.Struct, frozen=True, kw_only=True):
    """One stretch of a turn. A `wait` for people says nothing about the work, so its length is fixed."""

    kind: Kind
    seconds: float


def draw_timeline(segments: Sequence[TimelineSegment], width: int, terminal: TerminalStyle) -> Text:
    """The segments on one line of at most `width` cells, at least one cell each."""
    timeline = Text(no_wrap=True, overflow="crop")
    for segment, cells in zip(*_fit(segments, width), strict=True):
        timeline.append(_cells(segment.kind, cells, terminal), "faint" if segment.kind == "wait" else segment.kind)
    return timeline


def _fit(segments: Sequence[TimelineSegment], width: int) -> tuple[Sequence[TimelineSegment], Sequence[int]]:
    """Cells by largest remainder; where there are more segments than cells, every so many-th is shown."""
    if len(segments) > width:
        segments = [segments[place * len(segments) // width] for place in range(width)]
    least = [1] * len(segments)
    for place, segment in enumerate(segments):
        if segment.kind == "wait" and sum(least) < width:
            least[place] = _WAIT_CELLS
    weights = [0.0 if segment.kind == "wait" else max(0.0, segment.seconds) for segment in segments]
    total, free = sum(weights), width - sum(least)
    if not total or free <= 0:
        return segments, least
    # What a segment has by right is its share of the whole bar; the minimum already given counts towards it.
    wanted = [max(0.0, weight / total * width - 1) for weight in weights]
    scale = free / sum(wanted) if sum(wanted) else 0.0
    shares = [want * scale for want in wanted]
    cells = [int(share) for share in shares]
    for place in sorted(range(len(shares)), key=lambda p: cells[p] - shares[p])[: free - sum(cells)]:
        cells[place] += bool(shares[place])
    return segments, [a + b for a, b in zip(least, cells, strict=True)]


def _cells(kind: Kind, cells: int, terminal: TerminalStyle) -> str:
    if terminal.ascii:
        return _LETTERS[kind] * cells
    if not terminal.colour or kind == "wait":
        return _SHADES[kind] * cells
    # The last cell is half empty: a gap between segments that costs no width.
    return "▄" * (cells - 1) + "▖"
