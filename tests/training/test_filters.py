"""Lists with optional filters: what the question says is passed, and nothing that the answer needs is lost."""

import datetime

import msgspec
import pytest
from training.data.conversation import Answer, Call, Exchange
from training.data.filters import add_filters, use_filters, whole_names
from training.data.values import Rng
from training.data.world_stage import Ask, Stage, World, WorldTool

CLUB = World(
    place="a boat club",
    tables={
        "boats": {
            "rows": 6,
            "no": "number(100, 999)",
            "name": "names('Ada Grey, Bea Long, Cleo Dun, Dora Ash, Eva Moor, Fay Reed')",
            "berth": "names('north, south, north, south, north, south')",
            "metres": "number(4, 19)",
        }
    },
    tools=[
        WorldTool(name="fleet", about="All boats.", result="boats"),
        WorldTool(name="boat", about="One boat.", result="get(boats, no=no)", params={"no": "integer | Number."}),
    ],
    asks=[],
)
BY_NAME = Ask(
    draw="b = boats",
    q=["how long is {b.name}?"],
    say=["{[r for r in r1 if r.name == b.name][0].metres} m."],
    do=["All boats. -> fleet()"],
)
LONGEST = Ask(
    draw="b = boats",
    where="b.metres < max(x.metres for x in boats)",
    q=["is {b.name} the longest?"],
    say=["No, {max(r1, key=lambda r: r.metres).name} is."],
    do=["All boats. -> fleet()"],
)


def staged(seed: int, *columns: str) -> Stage:
    rng = Rng(seed)
    rng.today = datetime.date(2026, 5, 4)
    stage = Stage(CLUB, rng, as_written=True)
    add_filters(stage)
    if columns:
        assert set(stage.filters.get("fleet", ())) <= {"name", "berth"}
    return stage


def with_filter(column: str) -> Stage:
    return next(
        stage for seed in range(200) if (stage := staged(seed)).filters.get("fleet") == [column] and not stage.demanding
    )


def played(stage: Stage, ask: Ask):
    talked = stage.talk(ask)
    assert talked is not None
    return use_filters(stage, talked.exchanges[0])


def test_a_list_takes_columns_of_its_rows_and_only_texts():
    found = {column for seed in range(60) for column in staged(seed, "name").filters.get("fleet", ())}
    assert found == {"name", "berth"}
    assert "boat" not in {tool for seed in range(60) for tool in staged(seed).filters}


def test_what_the_question_says_is_passed_and_the_rest_stays():
    stage = with_filter("name")
    call, answer = played(stage, BY_NAME).steps
    assert list(call.args) == ["name"]
    assert call.args["name"] in call.observation
    assert call.observation.count('"no"') <= 1
    assert isinstance(answer, Answer)
    assert str(answer.text.split()[0]) in call.observation


def test_a_filter_is_not_used_where_the_answer_needs_other_rows():
    call = played(with_filter("name"), LONGEST).steps[0]
    assert isinstance(call, Call)
    assert call.args == {}


def test_a_part_of_a_name_is_enough():
    ask = Ask(draw="b = boats", q=["how long is {first(b.name)}'s boat?"], say=BY_NAME.say, do=BY_NAME.do)
    stage = with_filter("name")
    talked = stage.talk(ask)
    assert talked is not None
    # First names have three letters: too short to be taken for a part of a name.
    assert use_filters(stage, talked.exchanges[0]).steps[0].args == {}
    asked = ["how long is {last(b.name)}'s boat?"]
    ask = Ask(draw="b = boats", where="len(last(b.name)) > 3", q=asked, say=BY_NAME.say, do=BY_NAME.do)
    assert len(played(stage, ask).steps[0].args["name"].split()) == 1


def test_a_tool_that_demands_a_filter_gets_one_or_is_not_asked():
    stage = with_filter("berth")
    stage.demanding.add("fleet")
    assert played(stage, BY_NAME) is None
    stage = with_filter("name")
    stage.demanding.add("fleet")
    for _ in range(20):
        steps = played(stage, BY_NAME).steps
        assert [step.learned for step in steps[:-1]] in ([True], [False, True])
        assert steps[-2].args
        assert not steps[-2].failed


@pytest.mark.parametrize("seed", range(5))
def test_the_same_seed_makes_the_same_filters(seed):
    assert staged(seed).filters == staged(seed).filters


def test_a_name_is_searched_for_as_it_was_said():
    finder = WorldTool(
        name="find_boat", about="Find boats.", result="find(boats, name=name)", params={"name": "string | Name."}
    )
    rng = Rng(3)
    rng.today = datetime.date(2026, 5, 4)
    stage = Stage(msgspec.structs.replace(CLUB, tools=[*CLUB.tools, finder]), rng, as_written=True)
    call, _ = stage.made("I look for Grey.", "find_boat", {"name": "Grey"})
    answer = Answer("It is there.", "Yes.")
    made = [whole_names(stage, Exchange("is Ada Grey here?", (call, answer))).steps[0] for _ in range(30)]
    assert {each.args["name"]: each.thought for each in made} == {
        "Ada Grey": "I look for Ada Grey.", "Grey": "I look for Grey.",
    }  # fmt: skip
    assert whole_names(stage, Exchange("is the Grey here?", (call, answer))).steps[0] == call
