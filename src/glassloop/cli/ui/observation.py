"""The first lines of what a tool returned, for the trace. Pictures are told in words."""

from typing import Any, cast

import msgspec

from glassloop.cli.ui.output import TerminalStyle
from glassloop.cli.ui.safe_text import json_line, one_line, safe_text
from glassloop.core.charts import KEY, MAP_KEY, TIMELINE_KEY, Chart, Map, Timeline
from glassloop.core.records import Json, ToolResult

OBSERVED_LINES = 4
FLAT_CHARS = 60
LINE_CHARS = 160
_NAMED = frozenset(("path", "query", "exit_code"))
"""A result that names the file, search or command it is of has its text for people, and `data` for programs."""


def observed(result: ToolResult, terminal: TerminalStyle) -> list[str]:
    """The first lines of an observation; says how much more there is."""
    if not result.success:
        return [safe_text(result.error or "The tool failed.", 600)]
    lines = [] if result.output and not _NAMED.isdisjoint(result.metadata) else _items(result.data)
    if 0 < len(lines) <= OBSERVED_LINES and sum(map(len, lines)) <= FLAT_CHARS:
        return [terminal.join(*lines)]
    if not lines:
        lines = [text for text in safe_text(result.output, 100_000).splitlines() if text.strip()]
    most = OBSERVED_LINES if len(lines) > OBSERVED_LINES + 1 else OBSERVED_LINES + 1
    shown = [one_line(text, LINE_CHARS) for text in lines[:most]]
    if len(lines) > most:
        shown.append(f"… {len(lines) - most:,} more")
    return shown or ["(nothing)"]


def _items(data: Json) -> list[str]:
    """The parts of a list or an object, one a line; none of anything else."""
    if isinstance(data, dict):
        found = cast("dict[str, Any]", data)
        return [
            f"{key}: {_picture(key, value) or json_line(value, LINE_CHARS)}"
            for key, value in list(found.items())[:1000]
        ]
    if not isinstance(data, list):
        return []
    rows = cast("list[Any]", data)
    first = [json_line(value, LINE_CHARS) for value in rows[: OBSERVED_LINES + 1]]
    return [*first, *[""] * (len(rows) - len(first))]


def _picture(key: str, value: Json) -> str:
    """A chart, a timeline or a map in words, as its figures are the page's to draw; empty for anything else."""
    shape = {KEY: Chart, TIMELINE_KEY: Timeline, MAP_KEY: Map}.get(key)
    if shape is None or not isinstance(value, dict):
        return ""
    try:
        drawn = msgspec.convert(value, shape)
    except msgspec.ValidationError:
        return ""
    if isinstance(drawn, Chart):
        return one_line(f"{drawn.title} ({drawn.kind}, {len(drawn.x)} points)", LINE_CHARS)
    if isinstance(drawn, Map):
        parts = {"points": drawn.points, "areas": drawn.areas, "lines": drawn.lines}
        counts = ", ".join(f"{len(items):,} {name}" for name, items in parts.items() if items)
        return one_line(f"{drawn.title} (map, {counts})", LINE_CHARS)
    moments = "".join(f", {one_line(mark.label, 40)} at {mark.at:.0f} s" for mark in drawn.marks[:3])
    return one_line(f"{drawn.title} ({len(drawn.rows)} rows over {drawn.length_s:.0f} s{moments})", LINE_CHARS)
