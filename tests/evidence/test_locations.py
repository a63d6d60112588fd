"""Lines of files: linked where those lines were shown; numbers of lines are no source of anything else."""

from collections.abc import Callable
from typing import Any

import pytest

from glassloop.core.evidence.source_texts import SourceText
from glassloop.core.records import Figure

Check = Callable[..., list[Figure]]
TEXT = "def add(a, b):\n    return a - b"


def read(path: str = "src/calc.py", first: int = 10, last: int = 20, **more: Any) -> SourceText:
    data = {"path": path, "first_line": first, "last_line": last}
    return SourceText(source="c1", origin="call", text=TEXT, data=data, args=({"path": path},), **more)


@pytest.mark.parametrize(
    "said", ["src/calc.py:12", "calc.py:12", "`src/calc.py:12`", "src/calc.py:12-14", "calc.py:12:5"]
)
def test_a_line_that_was_shown_is_linked_to_the_call(check: Check, said: str) -> None:
    (figure,) = check(f"The fault is in {said}.", read())
    assert (figure.source, figure.origin, figure.found) == ("c1", "call", "src/calc.py")


@pytest.mark.parametrize("said", ["src/calc.py:99", "calc.py:12-99", "`calc.py:99`"])
def test_another_line_of_a_file_that_a_call_was_about_has_no_source(check: Check, said: str) -> None:
    figures = check(f"The fault is in {said}.", read())
    assert figures
    assert any(figure.source is None for figure in figures)


@pytest.mark.parametrize("said", ["Makefile:3", "`Makefile:3`", "Makefile:3–5"])
def test_files_without_a_suffix_have_lines_too(check: Check, said: str) -> None:
    assert all(figure.source == "c1" for figure in check(f"See {said}.", read("Makefile", 1, 9)))
    assert any(figure.source is None for figure in check(f"See {said}.", read("Makefile", 100, 200)))


def test_lines_of_matches_and_of_diffs_were_shown(check: Check) -> None:
    found = SourceText(source="c1", origin="call", text="", data={"results": [{"path": "a.py", "line": 7}]})
    changed = {"diff_preview": {"file_path": "b.py", "diff_lines": [{"line_number": 4, "type": "add", "content": ""}]}}
    edited = SourceText(source="c2", origin="call", text="", data=changed)
    assert [figure.source for figure in check("See a.py:7 and b.py:4.", found, edited)] == ["c1", "c2"]


@pytest.mark.parametrize("said", ["src/other.py:12", "xcalc.py:12", "other/calc.py:12"])
def test_a_line_of_a_file_that_no_call_was_about_has_no_source(check: Check, said: str) -> None:
    (figure,) = check(f"The fault is in {said}.", read())
    assert (figure.text, figure.source) == (said, None)


def test_a_number_after_a_file_is_a_figure_all_the_same(check: Check) -> None:
    assert [figure.text for figure in check("calc.py has 99 lines, ratio: 73", read())] == ["99", "73"]


def test_data_without_end_costs_a_bounded_time(check: Check) -> None:
    deep: Any = {"path": "a.py", "line": 1}
    wide = [[deep] * 300] * 300
    source = SourceText(source="c1", origin="call", text="", data=wide)
    assert [figure.source for figure in check("See a.py:1.", source)] == ["c1"]


NUMBERED = "\n".join(f"{number:>6}\tretry()" for number in range(1, 500))


@pytest.mark.parametrize("said", ["It has 42 retries.", "Das sind 77 Prozent.", "It waits for 420.", "It took 42 s."])
def test_the_number_of_a_line_is_no_source_of_a_figure(check: Check, said: str) -> None:
    assert [figure.source for figure in check(said, NUMBERED)] == [None]


@pytest.mark.parametrize("said", ["See line 42.", "Siehe Zeile 420.", "It is in lines 42–57.", "在第42行。"])
def test_a_line_that_is_called_by_its_number_has_a_source(check: Check, said: str) -> None:
    assert all(figure.source for figure in check(said, NUMBERED))


LISTED = "     1\tTIMEOUT = 74\n     2\tretry(50, 24)\n(Lines 1 to 2 of 60.)"


@pytest.mark.parametrize("said", ["See line 74.", "In `src/calc.py`, line 74 calls it.", "It is in lines 74–75."])
@pytest.mark.parametrize("text", [LISTED, "src/calc.py:1: TIMEOUT = 74\nsrc/calc.py:2: retry(50, 24)"])
def test_a_number_in_a_line_is_no_source_of_a_line_that_was_not_shown(check: Check, said: str, text: str) -> None:
    assert all(figure.source is None for figure in check(said, text) if figure.kind == "number")
    assert [figure.source for figure in check("It waits 74.", text)] == ["c1"]


def test_a_line_that_a_traceback_names_has_a_source(check: Check) -> None:
    text = 'log.txt:3:   File "calc.py", line 74, in add'
    assert [figure.source for figure in check("See line 74.", text)] == ["c1"]
