"""The answer of a raid tool: the figures as data that a page can draw, and the same as text that a model reads.

Lists are bounded: `MAX_KEPT` rows of a table in the data and `MAX_TOLD` in the text, which the engine shows in pages;
`MAX_SHOWN` items of a list within a line. Where rows are left out it is told of how many, and how to get them. Charts
and timelines are in the data alone, as every figure of theirs that matters is in the text already.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final, cast

import msgspec

from glassloop.core.charts import KEY as CHART_KEY
from glassloop.core.charts import MAX_BARS, MAX_LABEL_CHARS, MAX_POINTS, Chart, Series
from glassloop.core.records import Json, ToolResult

MAX_KEPT: Final = 50
MAX_TOLD: Final = 200
MAX_SHOWN: Final = 20
_MAX_CELL_CHARS: Final = 300
_NARROWER: Final = "ask for one boss, player or fight to see the others"
_RATES: Final = ("dps", "hps", "best_dps", "best_hps")
"""Columns of zeros that are left out, as empty ones are: a healer's DPS of 0 is right."""
_WORDS: Final = {
    "dps": "DPS", "hps": "HPS", "gcd": "GCD", "id": "ID", "percent": "%", "s": "s", "ms": "ms", "cpm": "casts a minute",
    "n": "n",
}  # fmt: skip


def raid_result(
    heading: Mapping[str, Json],
    figures: Mapping[str, Json],
    *,
    missing: Sequence[str] = (),
    notes: Sequence[str] = (),
    chart: Chart | None = None,
    timeline: Json = None,
    totals: Mapping[str, int] | None = None,
    read_on: str = _NARROWER,
) -> ToolResult:
    """`heading` says what the figures are of (report, fight, kill or wipe, length). Names of figures end in their unit
    (`_percent`, `_s`, `_per_minute`), unless they are counts, DPS or HPS. A list of mappings becomes a table. `totals`:
    how many there are of lists that hold only some, and `read_on` how the others are had."""
    counted: dict[str, Json] = {}
    body = _bounded(figures, counted)
    told = _bounded(figures, {}, MAX_TOLD, rounds=False)
    counted |= {name: total for name, total in (totals or {}).items() if total > len(cast("list[Json]", body[name]))}
    remarks: dict[str, Json] = {
        "notes": list(notes[:MAX_KEPT]),
        "missing": list(dict.fromkeys(missing))[:MAX_KEPT],
    }
    text = _text(heading, told | remarks, counted, read_on)
    body |= remarks
    data: dict[str, Json] = {**heading, **body}
    if counted:
        data["cut_lists"] = counted
    if chart is not None:
        data[CHART_KEY] = msgspec.to_builtins(chart)
    if timeline is not None:
        data["timeline"] = msgspec.to_builtins(timeline)
    return ToolResult(success=True, output=text, data=data)


def bar_chart(title: str, bars: Sequence[tuple[str, float]], label: str, unit: str = "") -> Chart | None:
    """Bars side by side, the first ones of many; None where there are fewer than two."""
    return _chart("bar", title, bars[:MAX_BARS], {label: [value for _, value in bars[:MAX_BARS]]}, unit)


def grouped_chart(
    title: str, names: Sequence[str], bars: Mapping[str, Sequence[float | None]], unit: str = ""
) -> Chart | None:
    """Bars of several colours side by side, the first ones of many; None where there are fewer than two groups."""
    shown = {label: list(values[:MAX_BARS]) for label, values in bars.items()}
    return _chart("bar", title, [(name, 0.0) for name in names[:MAX_BARS]], shown, unit)


def line_chart(
    title: str, points: Sequence[str], lines: Mapping[str, Sequence[float | None]], unit: str = ""
) -> Chart | None:
    """Lines over time, the last points of many; None where there are fewer than two."""
    kept = points[-MAX_POINTS:]
    return _chart("line", title, [(point, 0.0) for point in kept],
                  {label: list(values[-MAX_POINTS:]) for label, values in lines.items()}, unit)  # fmt: skip


def show_length(ms: float) -> str:
    """A time in minutes and seconds: 4:05."""
    seconds = max(0, round(ms / 1000))
    return f"{seconds // 60}:{seconds % 60:02d}"


def show_count(count: int, one: str) -> str:
    """ "1 fight", "3 fights"."""
    return f"{count:,} {one}{'' if count == 1 else 's'}"


def _chart(
    kind: Any, title: str, points: Sequence[tuple[str, float]], lines: Mapping[str, Sequence[float | None]], unit: str
) -> Chart | None:
    if len(points) < 2:
        return None
    return Chart(
        kind=kind,
        title=_cut(title, MAX_LABEL_CHARS),
        x=tuple(_cut(name, MAX_LABEL_CHARS) or "–" for name, _ in points),
        series=tuple(Series(label=label, values=tuple(values), unit=unit) for label, values in lines.items()),
    )


def _bounded(
    value: Mapping[str, Json], counted: dict[str, Json], most: int = MAX_KEPT, prefix: str = "", *, rounds: bool = True
) -> dict[str, Json]:
    """What is shown is not rounded before: a second rounding may give another figure than one at once."""
    return {name: _bounded_value(f"{prefix}{name}", one, counted, most, rounds) for name, one in value.items()}


def _bounded_value(path: str, value: Json, counted: dict[str, Json], most: int, rounds: bool) -> Json:
    if isinstance(value, Mapping):
        return _bounded(cast("Mapping[str, Json]", value), counted, most, f"{path}.", rounds=rounds)
    if isinstance(value, (list, tuple)):
        items = cast("Sequence[Json]", value)
        if len(items) > most:
            counted[path] = len(items)
        return [_bounded_value(path, one, counted, most, rounds) for one in items[:most]]
    return round(value, 2) if rounds and isinstance(value, float) else value


def _text(heading: Mapping[str, Json], body: Mapping[str, Json], counted: Mapping[str, Json], read_on: str) -> str:
    lines = [
        " · ".join(
            f"{figure_label(name)}: {_shown(value)}" for name, value in heading.items() if value not in (None, "")
        )
    ]
    sections: list[str] = []
    notes: list[str] = []
    for name, value in body.items():
        if value in (None, "", {}):
            continue
        if name == "notes":
            notes = [f"Note: {note}" for note in cast("list[str]", value)]
            continue
        items = cast("list[Json]", value) if isinstance(value, list) else []
        if items and all(isinstance(row, dict) for row in items):
            total = int(cast("int", counted.get(name, len(items))))
            sections += _table(name, cast("list[dict[str, Json]]", items), total, read_on)
        elif isinstance(value, list):
            if items or name != "missing":
                shown = items if len(items) <= MAX_SHOWN + 1 else items[:MAX_SHOWN]
                more = f" and {len(items) - len(shown)} more" if len(shown) < len(items) else ""
                lines.append(f"{figure_label(name)}: {'; '.join(map(_shown, shown)) or 'none'}{more}")
        else:
            lines.append(f"{figure_label(name)}: {_shown(value)}")
    # Figures come first: what is alike in every answer of a tool must not push them out of a cut text.
    return "\n".join([*(line for line in lines if line), *sections, *(["", *notes] if sections and notes else notes)])


def _table(name: str, rows: list[dict[str, Json]], total: int, read_on: str) -> list[str]:
    columns = list(dict.fromkeys(column for row in rows for column in row))
    columns = [column for column in columns if any(_says_something(column, row.get(column)) for row in rows)]
    many = f" ({len(rows)} of {total} shown; {read_on})" if total > len(rows) else ""
    return [
        "",
        f"{figure_label(name)}{many}:",
        f"| {' | '.join(map(figure_label, columns))} |",
        f"|{'---|' * len(columns)}",
        *(f"| {' | '.join(_cell(row.get(column)) for column in columns)} |" for row in rows),
    ]


def _says_something(column: str, value: Json) -> bool:
    return value not in (None, "", []) and not (column in _RATES and value == 0)


def _cell(value: Json) -> str:
    return _cut(_shown(value), _MAX_CELL_CHARS).replace("|", "/")


def _shown(value: Json) -> str:
    if value is None:
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, float):
        return f"{value:,.1f}".removesuffix(".0") if abs(value) >= 10 else f"{value:,.2f}".rstrip("0").rstrip(".")
    if isinstance(value, Mapping):
        pairs = cast("Mapping[str, Json]", value).items()
        return ", ".join(_named(figure_label(name), _shown(one)) for name, one in pairs)
    if isinstance(value, list):
        return "; ".join(map(_shown, cast("list[Json]", value)[:MAX_SHOWN])) or "none"
    return " ".join(str(value).split())


def _named(label: str, shown: str) -> str:
    """A value that says what it is needs no label: "Phase 1"."""
    return shown if shown.startswith(f"{label} ") else f"{label} {shown}"


def figure_label(name: str) -> str:
    """The name of a figure as people read it, with its unit at the end: `uptime_percent` is "Uptime (%)"."""
    words = name.split("_")
    unit = ""
    if words[-2:] == ["per", "s"]:
        words[-1] = "second"
    elif len(words) > 1 and words[-1] in ("percent", "s", "ms"):
        unit = f" ({_WORDS[words.pop()]})"
    text = " ".join(_WORDS.get(word, word) for word in words)
    return f"{text[:1].upper()}{text[1:]}{unit}"


def _cut(text: str, most: int) -> str:
    text = " ".join(text.split())
    return text if len(text) <= most else f"{text[: most - 1]}…"
