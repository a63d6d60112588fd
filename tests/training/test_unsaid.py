"""Questions without what their call needs: the value is gone, nothing is called, and the person is asked."""

import datetime
import re

import pytest
from training.data.conversation import Answer
from training.data.unsaid import unsaid
from training.data.values import Rng
from training.data.world_stage import Ask, Stage, World, WorldTool, read_worlds

CLUB = World(
    place="a boat club",
    tables={
        "boats": {"rows": 6, "code": "code('B-###')", "length": "number(4, 19)"},
        "berths": {"rows": 6, "place": "code('N##')"},
    },
    tools=[
        WorldTool(name="boat", about="One.", result="get(boats, code=code)", params={"code": "string | Boat."}),
        WorldTool(
            name="moor",
            about="Moors a boat.",
            result="'done'",
            params={"code": "string | Boat.", "berth": "string | Berth.", "side": "choice? left, right | Side."},
        ),
    ],
    asks=[],
)
LENGTH = Ask(
    draw="b = boats",
    q=["How long is the boat {b.code}?", "What is the length of {b.code}?", "{b.code}: its length please"],
    q_zh=["{b.code}的长度是多少？"],
    say=["{r1.length} m."],
    say_zh=["{r1.length}米。"],
    do=["Its record. -> boat(code=b.code)"],
)
MOORING = Ask(
    draw="b = boats; p = berths",
    q=["Please moor the boat {b.code} at {p.place}"],
    say=["Done."],
    do=["I moor it. -> moor(code=b.code, berth=p.place)"],
)


def made(ask, language="en"):
    for seed in range(60):
        rng = Rng(seed)
        rng.today = datetime.date(2027, 5, 12)
        stage = Stage(CLUB, rng, as_written=True)
        if (talk := unsaid(stage, ask, language)) is not None:
            (answer,) = talk.exchanges[0].steps
            assert isinstance(answer, Answer)
            yield talk.exchanges[0].question, answer


def test_the_value_is_left_out_and_asked_for():
    found = list(made(LENGTH))
    assert len(found) > 20
    for question, answer in found:
        assert not re.search(r"\d", question + answer.text)
        assert "boat" in answer.text and "?" in answer.text
    said = {question.rstrip("?.").lower() for question, _ in found}
    assert {"how long is the boat", "what is the length of the boat"} <= said


def test_of_several_values_one_phrase_is_cut_out():
    found = {question for question, answer in made(MOORING) if "berth" in answer.text}
    assert any(re.fullmatch(r"Please moor the boat B-\d+", question) for question in found)


def test_in_chinese():
    assert ("长度是多少？") in {question for question, _ in made(LENGTH, "zh")}


@pytest.mark.parametrize("change", [{"do": []}, {"q": ["How long is she?"]}])
def test_nothing_is_made_where_nothing_can_be_left_out(change):
    assert not list(made(Ask(**{"draw": "b = boats", "say": ["Hm."], "q": LENGTH.q, "do": LENGTH.do} | change)))


def test_of_the_worlds_many_questions_can_be_asked_without_a_value():
    rng = Rng(3)
    rng.today = datetime.date(2027, 5, 12)
    worlds = read_worlds()
    found = 0
    for name in rng.sample(sorted(worlds), 12):
        stage = Stage(worlds[name], rng, as_written=True)
        found += sum(unsaid(stage, ask, "en") is not None for ask in worlds[name].asks if not ask.then)
    assert found > 30
