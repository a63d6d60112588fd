"""Timelines in tools' data: bounds, the names of the contract in JSON, and what is more than fits."""

import msgspec
import pytest

from glassloop.core.charts import MAX_LABEL_CHARS, MAX_ROWS, MAX_SPANS, Mark, Span, Timeline, fit_timeline

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
