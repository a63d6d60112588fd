"""Thoughts before answers quote the results that the answers are made of."""

import datetime

import msgspec
import pytest
from training.data.conversation import Answer, Call, Conversation, Exchange
from training.data.quotes import cells, quote, quoting, with_days, with_plan, with_wrong_plan
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


def test_calls_begin_with_their_plan():
    def planned(*steps, at=0):
        made = with_plan(
            Conversation(
                "x",
                (
                    Exchange(
                        "Where does Ada lie?",
                        (*steps, Answer("t", "North.")),
                    ),
                ),
            )
        )
        return made.exchanges[0].steps[at].thought

    search, detail = Call("I search.", "find_boat", {}, "[7]"), Call("Now it.", "berth", {"no": 7}, "north")
    assert planned(search, detail) == "Plan: find_boat, berth. I search."
    assert planned(search, detail, detail, detail) == "Plan: find_boat, berth 3 times. I search."
    assert planned(search) == "Plan: find_boat. I search."
    assert planned(msgspec.structs.replace(search, observation="[]"), detail) == "Plan: find_boat. I search."
    assert planned(msgspec.structs.replace(search, failed=True), detail) == "Plan: find_boat. I search."
    wrong = msgspec.structs.replace(detail, learned=False)
    assert planned(wrong, search, detail) == f"Plan: berth. {wrong.thought}"
    assert planned(search, wrong, detail) == "Plan: find_boat, berth. I search."
    assert planned(wrong, search, detail, at=1) == "I search. Plan: find_boat, berth."
    assert planned(msgspec.structs.replace(search, observation="[]"), detail, at=1) == "Now it. Plan: berth."
    assert planned(search, detail, at=1) == "Now it."


def test_a_day_that_was_said_otherwise_is_told_before_it_is_used():
    rng = Rng(1)
    rng.today = datetime.date(2028, 3, 15)

    def told(question, *days):
        calls = [Call("I book.", "book", {"day": day}, f"Booked for {day}.") for day in days]
        made = with_days(rng, Conversation("x", (Exchange(question, (*calls, Answer("t", "Done."))),)))
        return [step.thought for step in made.exchanges[0].steps[:-1]]

    assert told("this friday", "2028-03-17") == ["I book. The day is Friday 2028-03-17."]
    assert told("friday next week", "2028-03-24") == ["I book. The day is Friday of next week, 2028-03-24."]
    assert told("last friday", "2028-03-10") == ["I book. The day is Friday, 5 days ago, 2028-03-10."]
    assert told("on monday", "2028-03-20") == ["I book. The day is Monday of next week, 2028-03-20."]
    assert told("19 may", "2028-05-19") == ["I book. The day is 2028-05-19."]
    assert told("on 2028-05-19", "2028-05-19") == ["I book."]
    assert told("today and again", "2028-03-15", "2028-03-15") == [
        "I book. The day is Wednesday 2028-03-15.",
        "I book.",
    ]


def test_a_wrong_plan_is_not_learned_and_what_is_there_counts():
    search, detail = Call("I search.", "find_boat", {}, "[7]"), Call("Now it.", "berth", {"no": 7}, "north")
    found = {"few": 0, "many": 0}
    for seed in range(300):
        made = with_plan(Conversation("x", (Exchange("Where?", (search, detail, Answer("It is.", "North."))),)))
        first, second, answer = with_wrong_plan(Rng(seed), made, ["find_boat", "berth", "sell"]).exchanges[0].steps
        if first.learned:
            assert (first.thought, answer.thought) == ("Plan: find_boat, berth. I search.", "It is.")
        elif "sell" in first.thought:
            found["many"] += 1
            assert first.thought == "Plan: find_boat, berth, sell. I search."
            assert (second.thought, answer.thought) == ("Now it.", "It is told already. It is.")
        else:
            found["few"] += 1
            assert first.thought == "Plan: find_boat. I search."
            assert second.thought == "That is not all. Now it. Plan: berth."
    assert found["few"] > 5
    assert 0 < sum(found.values()) < 50
    empty = msgspec.structs.replace(search, observation="[]")
    made = with_plan(Conversation("x", (Exchange("Where?", (empty, Answer("None.", "Nowhere."))),)))
    assert all(with_wrong_plan(Rng(seed), made, ["find_boat", "sell"]) == made for seed in range(200))
