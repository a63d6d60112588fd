"""Pictures in tools' data: bounds, the names of the contract in JSON, and what is more than fits."""

import msgspec
import pytest

from glassloop.core.charts import (
    MAX_AREAS,
    MAX_COLUMNS,
    MAX_LABEL_CHARS,
    MAX_LINES,
    MAX_MAP_POINTS,
    MAX_ROWS,
    MAX_SERIES,
    MAX_SPANS,
    MAX_VERTICES,
    Chart,
    Map,
    MapArea,
    MapLine,
    MapPoint,
    Mark,
    Span,
    Timeline,
    fit_map,
    fit_timeline,
)

GOOD = {
    "title": "Casts",
    "length_s": 60.0,
    "rows": [{"label": "Fireball", "spans": [{"from": 1.0, "to": 4.0, "label": "Fireball", "kind": "cast"}]}],
    "marks": [{"at": 12.5, "label": "Somebody died", "kind": "death"}],
}


def test_a_timeline_has_the_names_of_the_contract():
    timeline = msgspec.convert(GOOD, Timeline)
    assert timeline.rows[0].spans[0].end == 4
    assert msgspec.json.decode(msgspec.json.encode(timeline)) == GOOD


@pytest.mark.parametrize(
    "change",
    [
        {"title": ""},
        {"length_s": 0},
        {"length_s": float("nan")},
        {"rows": []},
        {"rows": [{"label": "a", "spans": []}] * (MAX_ROWS + 1)},
        {"rows": [{"label": "a", "spans": [{"from": 0, "to": 1}] * (MAX_SPANS + 1)}]},
        {"rows": [{"label": "a", "spans": [{"from": 2, "to": 1}]}]},
        {"rows": [{"label": "a", "spans": [{"from": -1, "to": 1}]}]},
        {"rows": [{"label": "a", "spans": [{"from": 0, "to": 61}]}]},
        {"rows": [{"label": "a", "spans": [{"from": 0, "to": 1, "label": "x" * (MAX_LABEL_CHARS + 1)}]}]},
        {"marks": [{"at": 61, "label": "late"}]},
        {"marks": [{"at": float("inf"), "label": "never"}]},
        {"colour": "red"},
    ],
)
def test_what_does_not_fit_is_no_timeline(change):
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert(GOOD | change, Timeline)


def test_more_than_fits_is_cut_to_what_matters_most():
    many = [Span(begin=0, end=1 + (number == 7), label=str(number)) for number in range(MAX_SPANS + 5)]
    rows = [("x" * 500, many), ("empty", []), *[(str(row), [Span(begin=50, end=90)]) for row in range(60)]]
    found = fit_timeline("Long", 60, rows, [Mark(at=59, label="in"), Mark(at=61, label="out")])
    assert found is not None
    assert (len(found.rows), len(found.rows[0].label), len(found.marks)) == (MAX_ROWS, MAX_LABEL_CHARS, 1)
    assert sum(len(row.spans) for row in found.rows) == MAX_SPANS
    assert "7" in [span.label for span in found.rows[0].spans]
    assert found.rows[1].spans == (Span(begin=50, end=60),)
    assert msgspec.convert(msgspec.to_builtins(found), Timeline) == found


def test_nothing_to_draw_is_no_timeline():
    assert fit_timeline("Empty", 60, [("a", []), ("b", [Span(begin=70, end=80)])]) is None
    assert fit_timeline("Empty", 0, [("a", [Span(begin=0, end=0)])]) is None


SQUARE = [[-122.5, 37.7], [-122.4, 37.7], [-122.4, 37.8], [-122.5, 37.8]]
MAP = {
    "title": "Where visitors come from",
    "points": [
        {"id": "p1", "name": "Starbucks, Mission St", "lat": 37.79, "lon": -122.39, "value": 1200.0},
        {"id": "p2", "name": "Ferry Building", "lat": 37.795, "lon": -122.394, "value": None},
    ],
    "areas": [{"id": "a1", "name": "SoMa", "value": 0.2, "ring": SQUARE}],
    "lines": [{"from": "p2", "to": "p1", "value": 40.0}],
    "unit": "visits",
}


def test_a_map_has_the_names_of_the_contract():
    found = msgspec.convert(MAP, Map)
    assert (found.lines[0].begin, found.areas[0].ring[0]) == ("p2", (-122.5, 37.7))
    assert msgspec.json.decode(msgspec.json.encode(found)) == MAP


def _points(count, **change):
    return [{"id": str(number), "name": "n", "lat": 1, "lon": 2, **change} for number in range(count)]


def _areas(count, vertices=3):
    return [
        {"id": str(number), "name": "n", "value": 1, "ring": [[0, number % 9]] * vertices} for number in range(count)
    ]


@pytest.mark.parametrize(
    "change",
    [
        {"title": " "},
        {"points": [], "areas": [], "lines": []},
        {"points": _points(MAX_MAP_POINTS + 1), "lines": []},
        {"points": [*_points(1), *_points(1)], "lines": []},
        {"points": _points(1, lat=91), "lines": []},
        {"points": _points(1, lon=float("nan")), "lines": []},
        {"points": _points(1, value=float("inf")), "lines": []},
        {"points": _points(1, id=""), "lines": []},
        {"points": _points(1, html="<b>"), "lines": []},
        {"areas": _areas(MAX_AREAS + 1)},
        {"areas": _areas(2, MAX_VERTICES // 2 + 1)},
        {"areas": _areas(1, 2)},
        {"areas": [{"id": "a", "name": "n", "value": 1, "ring": [[0, 0], [0, 91], [1, 1]]}]},
        {"lines": [{"from": "p1", "to": "nowhere", "value": 1}]},
        {"lines": [{"from": "p1", "to": "p2", "value": 1}] * (MAX_LINES + 1)},
    ],
)
def test_what_does_not_fit_is_no_map(change):
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert(MAP | change, Map)


def test_of_more_than_fits_a_map_has_the_first():
    points = [MapPoint(id=str(number), name="n", lat=0, lon=0) for number in (0, *range(MAX_MAP_POINTS + 9))]
    areas = [MapArea(id=str(number), name="n", ring=((0, 0),) * 100) for number in range(MAX_AREAS)]
    lines = [MapLine(begin="0", end=str(number)) for number in range(MAX_MAP_POINTS - 9, MAX_MAP_POINTS + 9)]
    found = fit_map("x" * 500, points, areas, lines)
    assert found is not None
    assert (len(found.points), len(found.areas), len(found.lines)) == (MAX_MAP_POINTS, MAX_VERTICES // 100, 9)
    assert msgspec.convert(msgspec.to_builtins(found), Map) == found
    assert fit_map("Empty") is None


def test_a_grid_has_more_rows_than_a_chart_has_lines():
    grid = {"kind": "grid", "title": "Hours", "x": [str(hour) for hour in range(24)]}
    rows = [{"label": str(day), "values": [1] * 24} for day in range(MAX_SERIES + 1)]
    assert len(msgspec.convert(grid | {"series": rows}, Chart).series) == MAX_SERIES + 1
    for change in ({"kind": "line"}, {"series": rows * 4}, {"x": ["h"] * (MAX_COLUMNS + 1)}):
        with pytest.raises(msgspec.ValidationError):
            msgspec.convert(grid | {"series": rows} | change, Chart)
