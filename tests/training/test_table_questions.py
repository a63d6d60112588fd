"""Questions about rows: the thought names the rows that decide, and the answer is right."""

import datetime
import re

import pytest
from training.data import table_questions as asked
from training.data.quotes import cells
from training.data.tables import Table
from training.data.values import Rng
from training.data.world_expressions import Row
from training.data.worlds import world_group

NAMES = ("Ada", "Bea", "Cleo", "Dora", "Eva", "Fay", "Gil", "Hal")
KINDS = ("red", "blue", "red", "blue", "green", "red", "green", "blue")
FIGURES = (12, 15.5, 9, 20, 31, 18, 44, 40)
ROWS = [
    Row(name=name, colour=colour, metres=metres) for name, colour, metres in zip(NAMES, KINDS, FIGURES, strict=True)
]


def drawn(kind: str):
    """What the kind asks with many seeds: question, thought, answer."""
    for seed in range(80):
        rng = Rng(seed)
        made = getattr(asked, kind)(rng, Table(rng, ROWS))
        if made is not None:
            for question in made.texts["en"]:
                yield question, made.thought, made.said["en"][0]


def check(kind: str, right) -> None:
    found = list(drawn(kind))
    assert len(found) > 20
    for question, thought, answer in found:
        expected = right(question)
        assert set(re.findall(r"[A-Z]\w+|[\d.]*\d", answer)) == {str(each) for each in expected}, (question, answer)
        assert all(str(each) in thought for each in expected), (question, thought)


def test_the_first_or_last_row_beyond_a_bound():
    def right(question: str):
        bound = float(re.findall(r"[\d.]*\d", question)[-1])
        above = " above " in question or " more than " in question
        rows = ROWS[::-1] if "last" in question else ROWS
        row = next(row for row in rows if (row.metres > bound if above else row.metres < bound))
        return row.name, row.metres

    check("_crossing", right)


def test_the_highest_or_lowest_of_all_or_of_a_kind():
    def right(question: str):
        of = next((kind for kind in KINDS if f" {kind} ones" in question), None)
        rows = [row for row in ROWS if of in (None, row.colour)]
        high = "highest" in question or "most" in question
        row = (max if high else min)(rows, key=lambda row: row.metres)
        return row.name, row.metres

    check("_most", right)


def test_a_sum_and_a_difference():
    def total(question: str):
        of = next(kind for kind in KINDS if kind in question)
        made = sum(row.metres for row in ROWS if row.colour == of)
        return (int(made) if made == int(made) else made,)

    check("_sum", total)
    for question, thought, answer in drawn("_difference"):
        low, high, result = map(float, re.search(r"([\d.]+) - ([\d.]+) = ([\d.]*\d)", thought).groups())
        assert low - high == result
        assert f"{result:g}" in answer
        assert "first" in question or sum(name in question for name in NAMES) == 2


def test_all_of_a_kind_and_how_many_they_are():
    for question, thought, answer in drawn("_of_a_kind"):
        of = next(kind for kind in KINDS if kind in question)
        rows = [row for row in ROWS if row.colour == of]
        if "how many" in question or "number of" in question:
            assert answer.startswith(str(len(rows)))
        else:
            told = [str(row[column]) for column in ("name", "metres") for row in rows]
            assert set(re.findall(r"[A-Z]\w+|[\d.]*\d", answer)) <= set(told)
            assert len(re.findall(r"[A-Z]\w+|[\d.]*\d", answer)) == len(rows)
        assert of in thought
    assert {answer for _, _, answer in drawn("_values")} == {"red, blue and green."}


@pytest.mark.parametrize("kind", ["_cell", "_crossing", "_most", "_sum", "_difference", "_of_a_kind", "_values"])
def test_every_language_has_its_words(kind):
    for seed in range(20):
        rng = Rng(seed)
        made = getattr(asked, kind)(rng, Table(rng, ROWS))
        assert made is None or set(made.texts) == set(made.said) == {"en", "de", "zh"}


def test_what_a_filter_takes_is_not_looked_for_in_the_whole_list():
    groups = (world_group(Rng(seed)) for seed in range(40))
    talks = [(group, talk) for group in groups if group for talk in group.conversations if talk.kind == "table"]
    assert len(talks) > 10
    for group, talk in talks:
        (exchange,) = talk.exchanges
        call = exchange.steps[0]
        tool = next(tool for tool in group.tools if tool.name == call.tool)
        left = set(tool.parameters["properties"]) - set(call.args)
        said = {
            cell.field for cell in cells(call.observation) if len(cell.value) > 2 and cell.value in exchange.question
        }
        assert not said & left, (exchange.question, call.args)


def test_the_next_and_the_last_are_told_from_today_on():
    days = ("2026-03-01", "2026-04-20", "2026-05-02", "2026-05-09", "2026-06-01", "2026-07-15")
    rows = [Row(name=name, day=day) for name, day in zip(NAMES, days, strict=False)]
    told = set()
    for seed in range(200):
        rng = Rng(seed)
        rng.today = datetime.date(2026, 5, 4)
        made = asked._by_day(rng, table := Table(rng, rows))
        if made is None:
            assert table.key == "day"
            continue
        (kind,) = [each for each in ("oldest", "newest", "next", "last") if each in made.texts["en"][0]]
        row = {"oldest": rows[0], "newest": rows[-1], "next": rows[3], "last": rows[2]}[kind]
        assert {row.name, row.day} <= set(re.findall(r"[A-Z]\w+|[\d-]{10}", made.said["en"][0]))
        assert row.day in made.thought
        told.add(kind)
    assert told == {"oldest", "newest", "next", "last"}
