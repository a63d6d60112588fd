"""Mistakes before right calls are played, and only what follows them is learned."""

import datetime
import json

import msgspec
import pytest
from training.data import mistakes
from training.data.conversation import Answer, Call, Conversation, Exchange, Group
from training.data.requests import examples_of
from training.data.values import Rng
from training.data.world_stage import Ask, Stage, World, WorldTool

CLUB = World(
    place="a boat club",
    tables={
        "boats": {
            "rows": 5,
            "no": "number(100, 999)",
            "name": "names('Ada, Bea, Cleo, Dora, Eva, Fay')",
            "berth": "some('north', 'south')",
        }
    },
    tools=[
        WorldTool(
            name="find_boat", about="Boats by name or owner.",
            result="find(boats, name=name) if name else fail('No boat of that owner.') if owner else boats",
            params={"name": "string? | Name.", "owner": "string? | Owner."},
        ),
        WorldTool(name="boat", about="One boat.", result="show(get(boats, no=no), 'no name')",
                  params={"no": "integer | No."}),
        WorldTool(name="moorings", about="Where a boat lies.", result="{'berth': get(boats, no=no).berth}",
                  params={"no": "integer | No."}),
        WorldTool(name="side", about="Boats of a side.", result="[b for b in boats if b.berth == side]",
                  params={"side": "choice north, south | Side."}),
        WorldTool(name="sell", about="Sell a boat.", result="'Sold.'", params={"no": "integer | No."}),
        WorldTool(name="member", about="One member.", result="fail('No member ' + str(card))",
                  params={"card": "integer | Card."}),
    ],
    asks=[],
)  # fmt: skip
BY_NAME = Ask(
    draw="b = boats",
    q=["where does {b.name} lie?"],
    say=["In the {r2.berth}."],
    do=["I search {b.name}. -> find_boat(name=b.name)", "Now its berth. -> moorings(no=r1[0].no)"],
)
BY_NUMBER = Ask(
    draw="b = boats",
    q=["where does {b.no} lie?"],
    say=["In the {r1.berth}."],
    do=["The berth. -> moorings(no=b.no)"],
)
BY_SIDE = Ask(q=["who lies north?"], say=["{len(r1)}."], do=["The side. -> side(side='north')"])


def staged(seed: int = 1) -> Stage:
    rng = Rng(seed)
    rng.today = datetime.date(2026, 5, 4)
    return Stage(CLUB, rng, as_written=True)


def asked(stage: Stage, ask: Ask) -> Exchange:
    talked = stage.talk(ask)
    assert talked is not None
    return talked.exchanges[0]


@pytest.mark.parametrize(
    ("kind", "ask", "tool", "failed", "thought"),
    [
        ("_other_parameter", BY_NAME, "find_boat", True, "is the name, not the owner"),
        ("_other_choice", BY_SIDE, "side", False, "That was south; north is meant."),
        ("_number_as_id", BY_NUMBER, "member", True, "is no card, it is the no."),
        ("_invented_id", BY_NAME, "moorings", False, "Nobody gave that no; I look for"),
        ("_other_tool", BY_NUMBER, "boat", False, "That does not tell it."),
    ],
)
def test_a_mistake_is_one_that_models_make_with_what_the_tool_then_says(kind, ask, tool, failed, thought):
    stage = staged()
    exchange = asked(stage, ask)
    found = list(getattr(mistakes, kind)(stage, exchange, 0))
    assert [(call.tool, call.failed) for call, _ in found] == [(tool, failed)]
    assert thought in found[0][1]


def test_a_name_stands_where_an_id_is_wanted():
    world = CLUB.tools[2]
    texts = WorldTool(name="moorings", about=world.about, result="{'berth': get(boats, name=name).berth}",
                      params={"name": "string | Name."})  # fmt: skip
    ids = World(place="", tables={"boats": {"rows": 4, "id": "code('B-##')", "name": "names('Ada, Bea, Cleo, Dora')"}},
                tools=[CLUB.tools[0], WorldTool(name="lies", about="Where.", result="get(boats, id=id)",
                                                params={"id": "string | Id."}), texts], asks=[])  # fmt: skip
    stage = Stage(ids, Rng(1), as_written=True)
    ask = Ask(draw="b = boats", q=["where is {b.name}"], say=["{r2.id}."],
              do=["I search. -> find_boat(name=b.name)", "Now. -> lies(id=r1[0].id)"])  # fmt: skip
    ((wrong, thought),) = mistakes._name_as_id(stage, asked(stage, ask), 0)
    assert wrong.failed
    assert wrong.tool == "lies"
    assert "That takes the id, which I have to find for" in thought


def test_a_name_is_searched_for_with_more_than_the_name():
    stage = staged()
    exchange = asked(stage, BY_NAME)
    name = exchange.steps[0].args["name"]
    found = list(mistakes._too_many_words(stage, exchange, 0))
    assert {call.args["name"] for call, _ in found} >= {f"does {name}", f"{name} lie", f"{name}s"}
    assert {call.observation for call, _ in found} == {"[]"}
    assert all(name in thought for _, thought in found)


def test_two_names_in_one_search_find_nothing():
    stage = staged()
    ask = Ask(draw="b = boats[0]; c = boats[1]", q=["{b.name} or {c.name}?"], say=["Both."],
              do=["One. -> find_boat(name=b.name)", "Two. -> find_boat(name=c.name)"])  # fmt: skip
    exchange = asked(stage, ask)
    one, other = (step.args["name"] for step in exchange.steps[:2])
    ((wrong, thought),) = mistakes._both_at_once(stage, exchange, 0)
    assert wrong.args["name"] == f"{one} and {other}"
    assert thought == f"One at a time: {one} first."
    assert not list(mistakes._both_at_once(stage, asked(stage, BY_NAME), 0))


def test_a_name_is_looked_for_among_other_things():
    crews = WorldTool(name="crew", about="A crew by name.", result="fail('No crew ' + name)", params={"name": "string"})
    stage = Stage(msgspec.structs.replace(CLUB, tools=[*CLUB.tools, crews]), Rng(1), as_written=True)
    exchange = asked(stage, BY_NAME)
    ((wrong, thought),) = mistakes._among_other_things(stage, exchange, 0)
    assert (wrong.tool, wrong.failed) == ("crew", True)
    assert thought == "Not there." or "find_boat may know it" in thought
    assert not list(mistakes._among_other_things(stage, asked(stage, BY_NUMBER), 0))


def test_nothing_that_changes_something_is_done_by_mistake():
    for seed in range(60):
        stage = staged(seed)
        for ask in (BY_NAME, BY_NUMBER, BY_SIDE):
            exchange = mistakes.with_mistake(stage, asked(stage, ask))
            assert "sell" not in [step.tool for step in exchange.steps if isinstance(step, Call) and not step.failed]


def test_the_mistake_is_in_the_request_and_is_not_learned():
    found = 0
    for seed in range(40):
        stage = staged(seed)
        exchange = mistakes.with_mistake(stage, asked(stage, BY_NUMBER))
        wrong = [step for step in exchange.steps if isinstance(step, Call) and not step.learned]
        if not wrong:
            continue
        found += 1
        tools = tuple(stage.text(first) for first in stage.tools)
        examples = examples_of(Group("", tools, (Conversation("one", (exchange,)),), 8))
        decisions = [json.loads(example.decision) for example in examples]
        assert [each["action"] for each in decisions] == ["moorings", "answer"]
        told = "".join(message["content"] for message in examples[0].messages)
        assert wrong[0].observation in told
        assert isinstance(exchange.steps[-1], Answer)
    assert found >= 5


def test_an_id_at_hand_is_taken_for_that_of_another_thing_and_for_a_name():
    harbour = World(
        place="a harbour",
        tables={"boats": {"rows": 1, "no": "'B-7'", "name": "'Ada'", "owner": "'M-3'"}},
        tools=[
            WorldTool(name="boat", about="One boat.", result="get(boats, no=no)", params={"no": "string | No."}),
            WorldTool(
                name="find", about="Find boats.", result="find(boats, name=name)", params={"name": "string | N."}
            ),
            WorldTool(
                name="member",
                about="One member.",
                result="{'phone': 5} if card == 'M-3' else fail('No member ' + card)",
                params={"card": "string | Card."},
            ),
        ],
        asks=[],
    )
    stage = Stage(harbour, Rng(1), as_written=True)
    stage.forms = dict.fromkeys(stage.forms, ("json", "json"))
    boat, _ = stage.made("The boat.", "boat", {"no": "B-7"})
    member, _ = stage.made("Its owner.", "member", {"card": "M-3"})
    owner = Exchange("phone of the owner of B-7?", (boat, member, Answer("phone: 5.", "5.")))
    ((wrong, thought),) = mistakes._id_of_another_kind(stage, owner, 0)
    assert wrong.failed and list(wrong.args.values()) == ["B-7"] and wrong.tool == member.tool
    assert thought in ("B-7 is no card; I have to find that.", "That takes the card.")
    found, _ = stage.made("By name.", "find", {"name": "Ada"})
    named = Exchange("the other boats called like B-7?", (boat, found, Answer("Ada.", "Ada.")))
    wrongs = [each for each, _ in mistakes._id_as_name(stage, named, 1)]
    assert [list(each.args.values()) for each in wrongs] == [["B-7"], ["M-3"]]
