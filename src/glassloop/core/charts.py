"""Pictures that tools put into their data and a page draws: a small chart (lines over time or bars side by side), and a
timeline of spans in rows.

Owns the shapes and their bounds. Everything a tool says is untrusted: what does not fit is no picture. They belong into
a tool's data and not into its output: a model reads figures, and a picture would only take their room.
"""

import math
from collections.abc import Iterable
from typing import Literal

import msgspec

KEY = "chart"
TIMELINE_KEY = "timeline"
"""Where they stand in a tool's data."""

MAX_POINTS = 400
MAX_BARS = 30
MAX_SERIES = 4
MAX_LABEL_CHARS = 120
MAX_ROWS = 40
MAX_SPANS = 2_000
"""Of all rows together; also of marks."""
MAX_LENGTH_S = 86_400.0


class Series(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One line, or the bars of one colour. `unit` is a currency, `%`, or empty; null is a gap."""

    label: str
    values: tuple[float | None, ...]
    unit: str = ""

    def __post_init__(self) -> None:
        _check_text("label", self.label)
        _check_text("unit", self.unit, empty=True)
        if not all(value is None or math.isfinite(value) for value in self.values):
            raise ValueError("a value is not a number")


class Chart(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`x` names the points; every series has a value for each of them."""

    kind: Literal["line", "bar"]
    title: str
    x: tuple[str, ...]
    series: tuple[Series, ...]
    x_label: str = ""

    def __post_init__(self) -> None:
        _check_text("title", self.title)
        _check_text("x_label", self.x_label, empty=True)
        most = MAX_BARS if self.kind == "bar" else MAX_POINTS
        if not 1 <= len(self.x) <= most:
            raise ValueError(f"a {self.kind} chart has 1 to {most} points, not {len(self.x)}")
        if not 1 <= len(self.series) <= MAX_SERIES:
            raise ValueError(f"a chart has 1 to {MAX_SERIES} series, not {len(self.series)}")
        for name in self.x:
            _check_text("x", name)
        if any(len(one.values) != len(self.x) for one in self.series):
            raise ValueError("a series has as many values as there are points")


class Span(
    msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, rename={"begin": "from", "end": "to"}
):
    """A piece of a row, in seconds from the start; `from` and `to` in JSON. `kind` is a word that a page may draw in a
    way of its own (`cast`, `instant`, `channel`, `cancelled`, `gap`, `buff`, `debuff`, `phase`, `downtime`); others are
    drawn plainly."""

    begin: float
    end: float
    label: str = ""
    kind: str = ""

    def __post_init__(self) -> None:
        _check_text("label", self.label, empty=True)
        _check_text("kind", self.kind, empty=True)
        if not 0 <= self.begin <= self.end <= MAX_LENGTH_S:
            raise ValueError(f"a span goes from 0 or later to its end, not from {self.begin} to {self.end}")


class TimelineRow(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What one line of a timeline shows."""

    label: str
    spans: tuple[Span, ...] = ()

    def __post_init__(self) -> None:
        _check_text("label", self.label)


class Mark(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A moment across all rows: `death`, `cooldown`, `bloodlust`; other kinds are drawn plainly."""

    at: float
    label: str
    kind: str = ""

    def __post_init__(self) -> None:
        _check_text("label", self.label)
        _check_text("kind", self.kind, empty=True)


class Timeline(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Rows of spans over the same `length_s` seconds, and marks across them."""

    title: str
    length_s: float
    rows: tuple[TimelineRow, ...]
    marks: tuple[Mark, ...] = ()

    def __post_init__(self) -> None:
        _check_text("title", self.title)
        if not 0 < self.length_s <= MAX_LENGTH_S:
            raise ValueError(f"a timeline is longer than 0 and at most {MAX_LENGTH_S:g} s, not {self.length_s}")
        if not 1 <= len(self.rows) <= MAX_ROWS:
            raise ValueError(f"a timeline has 1 to {MAX_ROWS} rows, not {len(self.rows)}")
        for name, count in (("spans", sum(len(row.spans) for row in self.rows)), ("marks", len(self.marks))):
            if count > MAX_SPANS:
                raise ValueError(f"a timeline has at most {MAX_SPANS} {name}, not {count}")
        if any(span.end > self.length_s for row in self.rows for span in row.spans):
            raise ValueError("a span ends after the timeline")
        if not all(0 <= mark.at <= self.length_s for mark in self.marks):
            raise ValueError("a mark is not within the timeline")


def fit_timeline(
    title: str, length_s: float, rows: Iterable[tuple[str, Iterable[Span]]], marks: Iterable[Mark] = ()
) -> Timeline | None:
    """A timeline of what may be more than fits: texts cut, spans and marks clipped to its length, rows without a span
    and beyond the bound left out, the shortest spans of too many too. None where nothing is left to draw."""
    if not 0 < length_s <= MAX_LENGTH_S:
        return None
    clipped = [
        (cut_label(label) or "–", kept)
        for label, spans in rows
        if (kept := [one for span in spans if (one := _clip(span, length_s)) is not None])
    ][:MAX_ROWS]
    if not clipped:
        return None
    by_length = sorted((span for _, spans in clipped for span in spans), key=lambda span: span.begin - span.end)
    kept_ids = {id(span) for span in by_length[:MAX_SPANS]}
    return Timeline(
        title=cut_label(title) or "–",
        length_s=length_s,
        rows=tuple(
            TimelineRow(label=label, spans=tuple(span for span in spans if id(span) in kept_ids))
            for label, spans in clipped
        ),
        marks=tuple(mark for mark in marks if 0 <= mark.at <= length_s)[:MAX_SPANS],
    )


def cut_label(text: str) -> str:
    """A text that is short enough for a label."""
    return text if len(text) <= MAX_LABEL_CHARS else f"{text[: MAX_LABEL_CHARS - 1]}…"


def _clip(span: Span, length_s: float) -> Span | None:
    if span.begin > length_s:
        return None
    return msgspec.structs.replace(span, end=min(span.end, length_s))


def _check_text(name: str, text: str, *, empty: bool = False) -> None:
    if len(text) > MAX_LABEL_CHARS or not (empty or text.strip()):
        raise ValueError(f"`{name}` has 1 to {MAX_LABEL_CHARS} characters, not {len(text)}")
