"""Pictures that tools put into their data and a page draws: a small chart (lines over time, bars side by side, a grid
of shades), a timeline of spans in rows, and a map of points, areas and lines between points.

Owns the shapes and their bounds. Everything a tool says is untrusted: what does not fit is no picture. They belong into
a tool's data and not into its output: a model reads figures, and a picture would only take their room.
"""

import math
from collections.abc import Iterable
from typing import Literal

import msgspec

KEY = "chart"
TIMELINE_KEY = "timeline"
MAP_KEY = "map"
PICTURE_KEYS = (KEY, TIMELINE_KEY, MAP_KEY)
"""Where they stand in a tool's data."""

MAX_POINTS = 400
MAX_BARS = 30
MAX_SERIES = 10
MAX_COLUMNS = 60
"""Of a grid; its rows are its series, as many as a timeline has."""
MAX_LABEL_CHARS = 120
MAX_ROWS = 40
MAX_SPANS = 2_000
"""Of all rows together; also of marks."""
MAX_LENGTH_S = 86_400.0
MAX_MAP_POINTS = 2_000
MAX_AREAS = 300
MAX_VERTICES = 20_000
"""Of all areas together."""
MAX_LINES = 200
MAX_ID_CHARS = 200


class Series(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One line, the bars of one colour, or a row of a grid. `unit` is a currency, `%`, or empty; null is a gap."""

    label: str
    values: tuple[float | None, ...]
    unit: str = ""

    def __post_init__(self) -> None:
        _check_text("label", self.label)
        _check_text("unit", self.unit, empty=True)
        for value in self.values:
            _check_value(value)


class Chart(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`x` names the points, or the columns of a grid; every series has a value for each of them."""

    kind: Literal["line", "bar", "grid"]
    title: str
    x: tuple[str, ...]
    series: tuple[Series, ...]
    x_label: str = ""

    def __post_init__(self) -> None:
        _check_text("title", self.title)
        _check_text("x_label", self.x_label, empty=True)
        most = {"line": MAX_POINTS, "bar": MAX_BARS, "grid": MAX_COLUMNS}[self.kind]
        if not 1 <= len(self.x) <= most:
            raise ValueError(f"a {self.kind} chart has 1 to {most} points, not {len(self.x)}")
        most = MAX_ROWS if self.kind == "grid" else MAX_SERIES
        if not 1 <= len(self.series) <= most:
            raise ValueError(f"a {self.kind} chart has 1 to {most} series, not {len(self.series)}")
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


class MapPoint(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A place on a map. Rows and figures that name the same `id` belong to it."""

    id: str
    name: str
    lat: float
    lon: float
    value: float | None = None

    def __post_init__(self) -> None:
        _check_id(self.id)
        _check_text("name", self.name)
        _check_place(self.lon, self.lat)
        _check_value(self.value)


class MapArea(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An area that is shaded by its value; without one only its outline is drawn. `ring` has pairs of longitude and
    latitude, as GeoJSON has them; the last need not repeat the first."""

    id: str
    name: str
    value: float | None = None
    ring: tuple[tuple[float, float], ...]

    def __post_init__(self) -> None:
        _check_id(self.id)
        _check_text("name", self.name)
        _check_value(self.value)
        if len(self.ring) < 3:
            raise ValueError(f"a ring has 3 pairs of longitude and latitude or more, not {len(self.ring)}")
        for lon, lat in self.ring:
            _check_place(lon, lat)


class MapLine(
    msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, rename={"begin": "from", "end": "to"}
):
    """A flow from one point of the map to another, both by id; `from` and `to` in JSON. It is drawn the wider the more
    it is."""

    begin: str
    end: str
    value: float | None = None

    def __post_init__(self) -> None:
        _check_id(self.begin)
        _check_id(self.end)
        _check_value(self.value)


class Map(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Points, areas and lines over outlines that a page has; `unit` is of all values, empty for a plain count."""

    title: str
    points: tuple[MapPoint, ...] = ()
    areas: tuple[MapArea, ...] = ()
    lines: tuple[MapLine, ...] = ()
    unit: str = ""

    def __post_init__(self) -> None:
        _check_text("title", self.title)
        _check_text("unit", self.unit, empty=True)
        if not self.points and not self.areas:
            raise ValueError("a map has a point or an area")
        vertices = sum(len(area.ring) for area in self.areas)
        for name, count, most in (
            ("points", len(self.points), MAX_MAP_POINTS),
            ("areas", len(self.areas), MAX_AREAS),
            ("vertices", vertices, MAX_VERTICES),
            ("lines", len(self.lines), MAX_LINES),
        ):
            if count > most:
                raise ValueError(f"a map has at most {most} {name}, not {count}")
        for name, items in (("points", self.points), ("areas", self.areas)):
            if len({one.id for one in items}) != len(items):
                raise ValueError(f"two {name} of a map have the same id")
        known = {point.id for point in self.points}
        if not all(line.begin in known and line.end in known for line in self.lines):
            raise ValueError("a line goes from a point of the map to another")


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


def fit_map(
    title: str,
    points: Iterable[MapPoint] = (),
    areas: Iterable[MapArea] = (),
    lines: Iterable[MapLine] = (),
    unit: str = "",
) -> Map | None:
    """A map of what may be more than fits: of each kind the first that fit, of each id the first, and lines only
    between points that are left. None where nothing is left to draw."""
    kept_points: dict[str, MapPoint] = {}
    kept_areas: dict[str, MapArea] = {}
    for point in points:
        if len(kept_points) == MAX_MAP_POINTS:
            break
        kept_points.setdefault(point.id, point)
    vertices = 0
    for area in areas:
        vertices += len(area.ring)
        if vertices > MAX_VERTICES or len(kept_areas) == MAX_AREAS:
            break
        kept_areas.setdefault(area.id, area)
    if not kept_points and not kept_areas:
        return None
    kept_lines = [line for line in lines if line.begin in kept_points and line.end in kept_points]
    return Map(
        title=cut_label(title) or "–",
        points=tuple(kept_points.values()),
        areas=tuple(kept_areas.values()),
        lines=tuple(kept_lines[:MAX_LINES]),
        unit=cut_label(unit),
    )


def cut_label(text: str) -> str:
    """A text that is short enough for a label."""
    return text if len(text) <= MAX_LABEL_CHARS else f"{text[: MAX_LABEL_CHARS - 1]}…"


def _clip(span: Span, length_s: float) -> Span | None:
    if span.begin > length_s:
        return None
    return msgspec.structs.replace(span, end=min(span.end, length_s))


def _check_id(text: str) -> None:
    if not 1 <= len(text) <= MAX_ID_CHARS:
        raise ValueError(f"an id has 1 to {MAX_ID_CHARS} characters, not {len(text)}")


def _check_value(value: float | None) -> None:
    if value is not None and not math.isfinite(value):
        raise ValueError("a value is not a number")


def _check_place(lon: float, lat: float) -> None:
    if not (-180 <= lon <= 180 and -90 <= lat <= 90):
        raise ValueError(f"longitude is from -180 to 180 and latitude from -90 to 90, not {lon} and {lat}")


def _check_text(name: str, text: str, *, empty: bool = False) -> None:
    if len(text) > MAX_LABEL_CHARS or not (empty or text.strip()):
        raise ValueError(f"`{name}` has 1 to {MAX_LABEL_CHARS} characters, not {len(text)}")
