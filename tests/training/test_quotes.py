"""Thoughts before answers quote the results that the answers are made of."""

import pytest
from training.data.conversation import Answer, Call, Conversation, Exchange
from training.data.quotes import cells, quote, quoting
from training.data.values import Rng

SHEET = '{"slug": "egb-51", "page": 2, "due": "18:10", "checked": false, "km": 37.0}'
ROWS = "| id | year |\n| --- | --- |\n| W80 | 2008 |\n| W56 | 2013 |"


@pytest.mark.parametrize(
    ("question", "seen", "answer", "expected"),
    [
        ("When is egb-51 due?", [SHEET], "By 18:10.", ("due", "18:10")),
        ("How far, and which page?", [SHEET], "37.0 km, page 2.", ("page: 2, km: 37.0.",)),
        ("Are the facts checked?", [SHEET], "No, they are not.", ("checked", "false")),
        ("Which is older, W80 or W56?", [ROWS], "W80: 2008 against 2013.", ("W80: year 2008; W56: year 2013.",)),
        (
            "Is it heated?",
            ['{"kennel": "S1", "kids": "no"}', "S1: room for 5. Heated: no. Cleaned daily."],
            "No.",
            ("Heated: no",),
        ),
        (
            "Is a lawyer involved?",
            ['{"lawyer_involved": false, "printed": "no"}'],
            "No, none.",
            ("lawyer_involved", "false"),
        ),
        (
            "Any phones?",
            ["- tag: L-4, what: phone\n- tag: L-7, what: phone"],
            "A phone (L-4), a phone (L-7).",
            ("L-4: what phone; L-7: what phone.",),
        ),
        ("谁负责?", ["no: 7\nclerk: Ines Ito"], "由Ines Ito处理。", ("clerk", "Ines Ito")),
        ("Who comes?", ["- no: 7, name: Ada\n- no: 9, name: Bea"], "Ada and Bea.", ("7: name Ada; 9: name Bea.",)),
        ("What rebate do they get?", ['{"rebate": 0, "owes": 0}'], "0 percent.", ("rebate", "0")),
        (
            "When is the first?",
            ['{"line": 4, "runs": "04:30 to 23:10"}'],
            "Line 4 at 04:30.",
            ("runs: 04:30 to 23:10",),
        ),
        ("What is the fee?", ["It is open. The fee is 40 euros."], "40 euros.", ("The fee is 40 euros.",)),
    ],
)
def test_what_the_answer_is_made_of_is_quoted(question, seen, answer, expected):
    thought = quote(Rng(1), question, seen, answer)
    assert all(part in thought for part in expected)


@pytest.mark.parametrize(
    ("question", "seen", "answer"),
    [
        ("Is lane 7 open?", ['{"lane": 7, "opens": "08:10"}'], "Yes, lane 7 is open."),
        ("All years?", [str([{"y": n} for n in range(2000, 2006)]).replace("'", '"')], "2000, 2001, 2002, 2003, 2004."),
        ("How many percent off?", ['{"rebate": 0, "owes": 0}'], "They get 0 percent."),
        ("Anything?", ["Done."], "It is entered."),
    ],
)
def test_where_nothing_or_too_much_is_told_there_is_no_quote(question, seen, answer):
    assert quote(Rng(1), question, seen, answer) == ""


def test_part_of_a_longer_figure_is_not_taken_for_it():
    assert "41" in quote(Rng(1), "Room in the freezer of SMP-8412?", ['{"free": 41}'], "It has 41 free slots.")
    assert quote(Rng(1), "How heavy?", ['{"kg": 12}'], "12.5 kg.") == ""


def test_thoughts_that_say_something_stay():
    steps = (Call("I look.", "look", {}, SHEET), Answer("18:10 is before noon.", "No, at 18:10."))
    made = Conversation("one", (Exchange("Before noon?", steps),))
    assert quoting(Rng(1), made) == made


def test_values_are_read_from_json_tables_and_lines_and_not_from_prose():
    assert [cell.value for cell in cells('{"data": {"a": true, "b": [{"c": 1.50}]}}')] == ["true", "1.50"]
    assert [(cell.record, cell.value) for cell in cells(ROWS)][:2] == [("W80", "W80"), ("W80", "2008")]
    assert not list(cells("Nothing of note.\nReally."))
