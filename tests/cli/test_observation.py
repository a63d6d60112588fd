"""Results of tools in the terminal: pictures in words, anything that is none as it is."""

from glassloop.cli.ui.observation import observed
from glassloop.cli.ui.output import TerminalStyle
from glassloop.core.records import ToolResult

TIMELINE = {
    "title": "Casts of Ana",
    "length_s": 61.4,
    "rows": [{"label": "Fireball", "spans": [{"from": 1, "to": 4}]}],
    "marks": [{"at": 12.5, "label": "Ana died\x1b[31m", "kind": "death"}],
}
MAP = {"title": "Cafés", "points": [{"id": "p", "name": "Café", "lat": 37.8, "lon": -122.4}], "unit": "visits"}
CHART = {"kind": "line", "title": "DPS", "x": ["1", "2"], "series": [{"label": "DPS", "values": [1, 2]}]}


def shown(data):
    return observed(ToolResult(success=True, output="", data=data), TerminalStyle())


def test_pictures_are_told_in_words():
    lines = shown({"player": "Ana", "chart": CHART, "timeline": TIMELINE})
    assert lines[1] == "chart: DPS (line, 2 points)"
    assert lines[2].startswith("timeline: Casts of Ana (1 rows over 61 s, Ana died")
    assert "\x1b" not in lines[2]
    assert shown({"total": 1, "map": MAP}) == ["total: 1 · map: Cafés (map, 1 points)"]


def test_what_is_no_picture_is_shown_as_it_is():
    lines = shown({"timeline": {**TIMELINE, "length_s": -1}, "chart": "none", "more": list(range(60))})
    assert lines[0].startswith('timeline: {"title"')
    assert lines[1] == 'chart: "none"'
