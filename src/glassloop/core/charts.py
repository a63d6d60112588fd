"""A small chart, as tools put it into their data and a page draws it: lines over time or bars side by side.

Owns the shape and its bounds. Everything a tool says is untrusted: what does not fit is no chart.
"""

import math
from typing import Literal

import msgspec

KEY = "chart"
"""Where it stands in a tool's data."""

MAX_POINTS = 400
MAX_BARS = 30
MAX_SERIES = 4
MAX_LABEL_CHARS = 120


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


def _check_text(name: str, text: str, *, empty: bool = False) -> None:
    if len(text) > MAX_LABEL_CHARS or not (empty or text.strip()):
        raise ValueError(f"`{name}` has 1 to {MAX_LABEL_CHARS} characters, not {len(text)}")
