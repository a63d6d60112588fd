"""Following the notes of cut results shows every line once, whatever the limits of the pages."""

import json
import re
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from glassloop.core.protocols.result_pages import read_result, rows_as_table, shown_page

HEAD = ("Table:", "| name | figure |", "| --- | --- |")
_words = st.text("abc :-", min_size=1, max_size=30).map(lambda text: f"w{text}w")
_sizes = st.sampled_from([1, 1, 1, 8, 60, 400])
_prose = st.lists(st.builds(lambda word, times: word * times, _words, _sizes), max_size=6)
_tables = st.builds(lambda rows: [*HEAD, *(f"| {row} | 7 |" for row in rows)], st.lists(_words, max_size=40))
_texts = st.lists(st.one_of(_prose, _tables), min_size=1, max_size=5).map(
    lambda parts: "\n\n".join("\n".join(part) for part in parts)
)
_items = st.lists(st.dictionaries(st.sampled_from("abc"), st.one_of(_words, st.integers())), min_size=2, max_size=40)
_limits = st.integers(60, 3_000)


def _numbered(text: str) -> str:
    """Every line of it but the heads of tables is told apart from the others."""
    lines = (line if not line.strip() or line in HEAD else f"{line}#{at}#" for at, line in enumerate(text.split("\n")))
    return "\n".join(line.replace("|#", "#") + " |" if line.startswith("| w") else line for line in lines)


def _followed(text: str, limits: list[int]) -> str:
    """All pages, as a model sees them that makes the calls of the notes; long lines go on where a page ends."""
    page, parts, at = shown_page(text, limits[0], "r1"), [], 0
    while found := re.search(r'\n\[\w+ [\d,]+–[\d,]+ of [\d,]+; read_result\(result="r1", offset=(\d+)\).*\]$', page):
        parts.append(page[: found.start()])
        at += 1
        page = read_result({"result": "r1", "offset": int(found[1])}, {"r1": text}, limits[at % len(limits)]).output
    return "\n".join([*parts, re.sub(r"\n\[\w+ [\d,]+–[\d,]+ of [\d,]+\]$", "", page)])


@given(text=_texts.map(_numbered), limits=st.lists(_limits, min_size=1, max_size=4))
def test_notes_followed_to_the_end_show_every_line_once(text, limits):
    seen = _followed(text, limits)
    marks = Counter(re.findall(r"#\d+#", text))
    assert Counter(re.findall(r"#\d+#", seen.replace("\n", ""))) == marks
    short = [line for line in text.split("\n") if line.strip() and line not in HEAD and len(line) <= 500]
    shown = Counter(seen.split("\n"))
    assert all(shown[line] == 1 for line in short)
    letters = Counter("".join(line for line in text.split("\n") if line not in HEAD))["w"]
    assert Counter("".join(line for line in seen.split("\n") if line not in HEAD))["w"] == letters


@given(items=_items, limits=st.lists(_limits, min_size=1, max_size=4), inside=st.booleans())
def test_notes_followed_to_the_end_show_every_item_once(items, limits, inside):
    rows = [{**item, "at": at, "long": "x" * (at % 7) * 150} for at, item in enumerate(items)]
    seen = _followed(json.dumps({"total": len(rows), "rows": rows} if inside else rows), limits)
    joined = re.sub(r"\s", "", seen)
    assert Counter(re.findall(r'"at":(\d+)', joined)) == Counter(str(at) for at in range(len(rows)))
    assert joined.count("x") == sum(len(row["long"]) for row in rows)


def test_a_page_is_never_an_empty_line_alone():
    page = read_result({"result": "r1", "offset": 1}, {"r1": f"{'a' * 180}\n\n{'b' * 180}"}, 300).output
    assert page.strip().startswith("b" * 180)


def test_lists_of_records_become_tables_that_can_be_paged():
    records = [{"cue": number, "at": f"0:{number:02}", "effect": f"FX-{number}", "pieces": 2.5} for number in range(60)]
    text = json.dumps(records)
    table = rows_as_table(text)
    assert table.splitlines()[0] == "| cue | at | effect | pieces |"
    assert table.splitlines()[2] == "| 0 | 0:00 | FX-0 | 2.5 |"
    assert len(table) < len(text) / 2
    page = shown_page(table, 400, "r1")
    assert page.startswith("| cue | at |")
    assert "of 60; read_result(" in page


def test_a_list_inside_of_an_object_is_a_table_below_the_rest():
    records = [{"full name": "a|b", "available": True}, {"full name": None, "available": False}]
    records += [{"full name": "c", "remark": "two\nlines"}, {"full name": "d", "available": True}]
    head, *lines = rows_as_table(json.dumps({"total": 4, "hits": records})).splitlines()
    assert (head, lines[0]) == ('{"total":4}', "hits:")
    assert lines[1] == "| full name | available | remark |"
    assert lines[3:] == ["| a\\|b | true | - |", "| - | false | - |", "| c | - | two lines |", "| d | true | - |"]


@pytest.mark.parametrize(
    "text",
    [
        "no rows", "[1,2,3]", "[]", "[{", '[{"a":1}]', '[{"a":{"b":1}},{"a":{"b":2}}]', '[{"a":[1]},{"a":[2]}]',
        '[{"a":1},{"b":2},{"c":3}]', '{"a":1,"b":"text"}',
        '[{"a":1},{"a":2}]', "[" * 5000,
    ],
)  # fmt: skip
def test_other_results_stay_as_they_are(text):
    assert rows_as_table(text) == text
