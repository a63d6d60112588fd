"""The answer of a tool of places: the figures as data that a page can draw, and the same as text that a model reads.

Lists hold `MAX_KEPT` rows, in the data and in the text, of which a model is shown `MAX_SHOWN` and can read on; totals
are over all there are. Pictures are in the data alone: every figure of theirs that matters is in the text already.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, cast

import msgspec

from glassloop.core.charts import KEY as CHART_KEY
from glassloop.core.charts import MAP_KEY, Chart, Map, MapPoint, cut_label
from glassloop.core.labels import Labels
from glassloop.core.protocols.result_pages import NOTE_CHARS
from glassloop.core.records import Json, ToolResult
from glassloop.extensions.places.query.figures import is_figure
from glassloop.extensions.places.query.metadata import QueryMetadata

MAX_KEPT: Final = 200
MAX_SHOWN: Final = 20
_FEW_MORE: Final = 2
"""Rows beyond those that are not worth a cut."""
_MAX_CELL_CHARS: Final = 160
_FEW_ROWS, _MANY_COLUMNS = 3, 10
_UNITS: Final = {"percent": "%", "m": "m", "m2": "m²", "minutes": "minutes"}
_MAYBE_HIDDEN: Final = frozenset(("busiest_hours", "shared_places", "shared_chains", "before", "after", "areas"))
"""Lists that are empty where everything in them is suppressed."""
_NONE_TOLD: Final = "none that may be told"
_LABELS: Final = {
    "share_70_m": "70 % of visits from within (m)",
    "share_70_range_m": "range of that (m)",
    "told_home_percent": "of these with a home that may be told (%)",
    "not_told_percent": "not told, as too few of the panel or unknown (%)",
    "area_m2": "floor area (m²)",
}
"""Names that would not be understood as they are."""


_ROUNDED: Final = frozenset({float, dict, list})
"""Types of values that are not kept as they are."""


def places_result(
    title: str,
    figures: Mapping[str, Json],
    metadata: QueryMetadata,
    *,
    totals: Mapping[str, int] | None = None,
    read_on: str = "",
    hidden_columns: Sequence[str] = (),
    newest_first: Sequence[str] = (),
    chart: Chart | None = None,
    drawn: Map | None = None,
) -> ToolResult:
    """A list of mappings becomes a table. `totals`: how many there are of lists that hold only some, and `read_on` how
    the others are had. `hidden_columns`: fields, also of rows, that a page needs and a model does not. `newest_first`:
    lists in the order of time, which the text turns round."""
    body: dict[str, Json] = {name: _kept(value) for name, value in figures.items()}
    counted = {name: max(_length(value), (totals or {}).get(name, 0)) for name, value in figures.items()}
    metadata.estimated = _estimated(list(body.values()))
    data: dict[str, Json] = {**body, "query_metadata": metadata.told()}
    if chart is not None:
        data[CHART_KEY] = msgspec.to_builtins(chart)
    if drawn is not None:
        data[MAP_KEY] = msgspec.to_builtins(drawn)
    text = _Text(counted, frozenset(hidden_columns), frozenset(newest_first), read_on)
    output = text.of(title, body, metadata)
    shown = len(output) - text.beyond + NOTE_CHARS if text.beyond > NOTE_CHARS else None
    labels = None if metadata.about.sample else Labels(confidentiality="operator")
    return ToolResult(success=True, output=output, data=data, shown_chars=shown, labels=labels)


def map_points(rows: Iterable[tuple[Mapping[str, Any], float | None]]) -> list[MapPoint]:
    """Places with their values on a map, those that have coordinates. Places of a chain are called alike: their streets
    tell them apart."""
    return [
        MapPoint(id=str(row["id"]), name=_place_label(row), lat=row["lat"], lon=row["lon"], value=value)
        for row, value in rows
        if row["lat"] is not None and row["lon"] is not None
    ]


def _place_label(row: Mapping[str, Any]) -> str:
    street = str(row.get("address") or "").partition(",")[0]
    name = str(row["name"] or row["id"])
    return cut_label(f"{name}, {street}" if street else name)


def _kept(value: Json) -> Json:
    if isinstance(value, float):
        return round(value, 6)
    if isinstance(value, dict):
        found = cast("dict[str, Json]", value)
        return {name: _kept(one) if type(one) in _ROUNDED else one for name, one in found.items()}
    return [_kept(one) for one in cast("list[Json]", value)[:MAX_KEPT]] if isinstance(value, list) else value


def _length(value: Json) -> int:
    return len(cast("list[Json]", value)) if isinstance(value, list) else 0


def _estimated(values: list[Any]) -> bool | None:
    """Whether figures rest on a panel; None where there are none."""
    found: bool | None = None
    for value in values:
        if is_figure(value):
            if value["value"] is None or "low" in value:
                return True
            found = False
        elif isinstance(value, dict | list):
            inner = _estimated(
                list(cast("dict[str, Any]", value).values()) if isinstance(value, dict) else cast("list[Any]", value)
            )
            if inner:
                return True
            found = inner if found is None else found
    return found


class _Text:
    """The text of an answer; `beyond` are the characters of rows that are not shown at first."""

    def __init__(
        self, counted: Mapping[str, int], hidden: frozenset[str], newest_first: frozenset[str], read_on: str
    ) -> None:
        self.counted, self.hidden, self.newest_first, self.read_on = counted, hidden, newest_first, read_on
        self.beyond = 0

    def of(self, title: str, body: Mapping[str, Json], metadata: QueryMetadata) -> str:
        lines, tables = [_heading(title, metadata)], list[str]()
        for name, value in body.items():
            if value is None or value in ("", {}) or name in self.hidden:
                continue
            items = cast("list[Any]", value) if isinstance(value, list) else []
            if items and all(isinstance(one, dict) for one in items):
                tables += self._table(name, cast("list[dict[str, Json]]", items))
            elif isinstance(value, dict) and not is_figure(cast("object", value)):
                lines += _lines(figure_label(name), cast("dict[str, Json]", value))
            else:
                none = value == [] and name in _MAYBE_HIDDEN
                lines.append(f"{figure_label(name)}: {_NONE_TOLD if none else _shown(value)}")
        tail = [f"Missing: {'; '.join(metadata.missing)}."] if metadata.missing else []
        tail += [f"Note: {note}" for note in metadata.notes]
        tail.append(f"Unit: {metadata.full_unit}. Source: {metadata.source}, as of {metadata.about.as_of}.")
        return "\n".join([*lines, *tables, "", *tail])

    def _table(self, name: str, rows: list[dict[str, Json]]) -> list[str]:
        flat = [_flat(_with_words(row), self.hidden) for row in (reversed(rows) if name in self.newest_first else rows)]
        columns = list(dict.fromkeys(column for row in flat for column in row))
        columns = [column for column in columns if any(row.get(column) not in (None, "", []) for row in flat)]
        if len(flat) <= _FEW_ROWS and len(columns) > _MANY_COLUMNS:
            # Few rows of many columns are read more easily on their sides.
            head, *others = columns
            cells = [[figure_label(column), *(_cell(row.get(column), None) for row in flat)] for column in others]
            lines = _grid([figure_label(head), *(_cell(row.get(head)) for row in flat)], cells)
        else:
            cells = [[_cell(row.get(column)) for column in columns] for row in flat]
            lines = _grid(list(map(figure_label, columns)), cells)
            if len(flat) > MAX_SHOWN + _FEW_MORE:
                self.beyond += sum(len(line) + 1 for line in lines[2 + MAX_SHOWN :])
        if (total := self.counted[name]) > len(rows):
            more = f": {self.read_on}" if self.read_on else ""
            lines.append(f"… and {total - len(rows):,} more of {total:,}{more}. Totals are over all.")
        order = ", newest first" if name in self.newest_first and len(rows) > 1 else ""
        return ["", f"{figure_label(name)}{order}:", *lines]


def _heading(title: str, metadata: QueryMetadata) -> str:
    parts = [title]
    if metadata.other_reading:
        parts.append(metadata.other_reading)
    if metadata.period is not None:
        parts.append(f"period {metadata.period.label} ({metadata.period.days} days)")
    parts += [
        f"{kind} period {period.label}" if kind == "previous" else f"a year before {period.label}"
        for kind, period in metadata.compared.items()
        if period is not None
    ]
    if metadata.about.sample:
        parts.append("SAMPLE DATA")
    return " · ".join(parts)


def _lines(label: str, value: dict[str, Json]) -> list[str]:
    """A nested mapping on one line, unless it has mappings in it itself."""
    simple: dict[str, Any] = {
        name: one for name, one in value.items() if not isinstance(one, dict) or is_figure(cast("object", one))
    }
    lines = [f"{label}: {_pairs(simple)}"] if any(one is not None for one in simple.values()) else []
    for name, one in value.items():
        if name not in simple:
            lines += _lines(f"{label}, {figure_label(name).lower()}", cast("dict[str, Json]", one))
    return lines


def _with_words(row: Mapping[str, Json]) -> dict[str, Json]:
    """Empty lists and ranges (`…_range_m`: low and high) as they are read."""
    told = dict(row)
    for name, value in row.items():
        if value == [] and name in _MAYBE_HIDDEN:
            told[name] = _NONE_TOLD
        elif "_range_" in name and isinstance(value, list) and len(cast("list[Json]", value)) == 2:
            told[name] = " to ".join(map(_shown, cast("list[Json]", value)))
    return told


def _grid(head: list[str], rows: list[list[str]]) -> list[str]:
    return [f"| {' | '.join(head)} |", f"|{'---|' * len(head)}", *(f"| {' | '.join(row)} |" for row in rows)]


def _flat(row: Mapping[str, Json], hidden: frozenset[str], prefix: str = "") -> dict[str, Json]:
    """Nested mappings as columns of their own, figures and lists as they are."""
    flat: dict[str, Json] = {}
    for name, value in row.items():
        if f"{prefix}{name}" in hidden:
            continue
        if isinstance(value, dict) and not is_figure(cast("object", value)):
            flat |= _flat(cast("dict[str, Json]", value), hidden, f"{prefix}{name}_")
        else:
            flat[f"{prefix}{name}"] = value
    return flat


def _cell(value: Json, most: int | None = _MAX_CELL_CHARS) -> str:
    text = _shown(value).replace("|", "/")
    return text if most is None or len(text) <= most else f"{text[: most - 1]}…"


def _shown(value: Any) -> str:
    if value is None:
        return "–"
    if isinstance(value, str):
        return " ".join(value.split())
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return _signed(f"{value:,}")
    if isinstance(value, float):
        short = f"{value:,.1f}".removesuffix(".0") if abs(value) >= 10 else f"{value:,.2f}".rstrip("0").rstrip(".")
        return _signed(short)
    if is_figure(value):
        if value["value"] is None:
            return "suppressed"
        low, high = value.get("low"), value.get("high")
        ranged = "" if low is None else f" ({_shown(low)} to {_shown(high)})"
        return f"{_shown(value['value'])}{ranged}"
    if isinstance(value, dict):
        return _pairs(cast("dict[str, Json]", value))
    if isinstance(value, list):
        return "; ".join(map(_shown, cast("list[Any]", value)[:MAX_SHOWN])) or "none"
    return " ".join(str(value).split())


def _signed(number: str) -> str:
    return "0" if number == "-0" else number.replace("-", "−")


def _pairs(value: Mapping[str, Json]) -> str:
    pairs = _with_words(value).items()
    return ", ".join(f"{figure_label(name).lower()} {_shown(one)}" for name, one in pairs if one is not None)


def figure_label(name: str) -> str:
    """The name of a figure as people read it, with its unit at the end: `share_percent` is "Share (%)"."""
    if name in _LABELS:
        return f"{_LABELS[name][:1].upper()}{_LABELS[name][1:]}"
    words = name.split("_")
    unit = f" ({_UNITS[words.pop()]})" if len(words) > 1 and words[-1] in _UNITS and words[-2] != "per" else ""
    text = " ".join(_UNITS.get(word, word) for word in words)
    return f"{text[:1].upper()}{text[1:]}{unit}"
