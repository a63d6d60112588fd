"""Questions without what their call needs: the value is gone, nothing is called, and the person is asked."""

import datetime
import re

import pytest
from training.data.conversation import NEVER, Answer, Call
from training.data.needs import Said, asking
from training.data.unsaid import several, unsaid
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
            assert talk.kind == ("unsaid" if len(talk.exchanges) == 1 else "unsaid-told")
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


FLEET = World(
    place="a harbour",
    tables={
        "boats": {
            "rows": 6,
            "no": "code('B-###')",
            "name": "names('Tansy, Otter, Heron, Curlew, Plover, Teal')",
            "pier": "code('N##')",
            "warden": "code('W#')",
        },
    },
    tools=[
        WorldTool(
            name="find_boat",
            about="Boats by name.",
            result="show(find(boats, name=name), 'no name pier')",
            params={"name": "string | Name."},
        ),
        WorldTool(name="boat", about="One.", result="get(boats, no=no)", params={"no": "string | Boat."}),
    ],
    asks=[],
)
WARDEN = Ask(
    draw="b = boats",
    q=["Who is the warden of the {b.name}?"],
    say=["{r2.warden}."],
    do=["Its code comes first. -> find_boat(name=b.name)", "Now its record. -> boat(no=r1[0].no)"],
)


def talks(make, world, ask):
    for seed in range(80):
        rng = Rng(seed)
        rng.today = datetime.date(2027, 5, 12)
        stage = Stage(world, rng, as_written=True)
        if (talk := make(stage, ask, "en")) is not None:
            yield stage, talk


def test_now_and_then_the_person_says_it_then():
    found = [talk for _, talk in talks(unsaid, CLUB, LENGTH)]
    told = [talk.exchanges for talk in found if talk.kind == "unsaid-told"]
    assert len(found) / 4 < len(told) < len(found)
    for _, reply in told:
        call, answer = reply.steps
        assert isinstance(call, Call) and call.args["code"] in reply.question
        assert isinstance(answer, Answer) and answer.text.endswith(" m.")


def test_of_a_longer_way_the_first_call_lacks_what_was_not_said():
    kinds = set()
    for stage, talk in talks(unsaid, FLEET, WARDEN):
        answer = talk.exchanges[0].steps[0]
        assert isinstance(answer, Answer) and answer.wants is not None
        assert next((call.tool, list(call.args.values())) for call in answer.wants.way) == ("find_boat", [NEVER])
        tools = {name: stage.text(name) for name in stage.tools}
        plan = asking(answer.wants, Said(talk.exchanges[0].question, "", stage.rng.today), tools)
        assert plan == "boat: no missing; find_boat: name missing, and nobody said it."
        kinds.add(talk.kind)
    assert kinds == {"unsaid", "unsaid-told"}


def test_where_two_rows_have_the_name_the_person_is_asked_which():
    found = list(talks(several, FLEET, WARDEN))
    assert len(found) > 40
    for stage, talk in found:
        call, answer = talk.exchanges[0].steps
        assert isinstance(call, Call) and isinstance(answer, Answer) and answer.wants is not None
        codes = re.findall(r"B-\d+", answer.text)
        assert len(set(codes)) == 2 and all(code in call.observation for code in codes)
        assert [each.tool for each in answer.wants.way] == ["find_boat", "boat"]
        name = next(iter(call.args.values()))
        assert call.observation.count(name) == 2
        for reply in talk.exchanges[1:]:
            (read, _) = reply.steps
            boat = next(row for row in stage.names["boats"] if row["name"] == name)
            assert isinstance(read, Call) and read.args == {"no": boat["no"]}
            assert boat["no"] in reply.question or boat["pier"] in reply.question
    assert {len(talk.exchanges) for _, talk in found} == {1, 2}


@pytest.mark.parametrize(
    "change",
    [{"q": ["Who is the warden of the {b.name}, pier {b.pier}?"]}, {"q": ["Who was the first warden of {b.name}?"]}],
)
def test_what_tells_the_rows_apart_is_not_asked_for(change):
    ask = Ask(**{"draw": "b = boats", "q": WARDEN.q, "say": WARDEN.say, "do": WARDEN.do} | change)
    assert not list(talks(several, FLEET, ask))
