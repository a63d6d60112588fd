"""Hand-written worlds: every file can be played, and nothing is taught that nobody said or observed."""

import datetime
import re

import msgspec
import pytest
from training.data.catalogue import write_result
from training.data.conversation import Answer
from training.data.groups import make_groups
from training.data.phrases import mistyped, typed
from training.data.requests import examples_of
from training.data.talks.sums import sum_in_head
from training.data.values import Rng
from training.data.world_expressions import Failed, Row, WorldError, fill, find, get, unseen
from training.data.world_stage import (
    Ask,
    Stage,
    World,
    WorldTool,
    read_world,
    read_worlds,
    schema_of,
    split_draws,
)
from training.data.worlds import HELD_OUT, stage_group, world_group

WORLDS = read_worlds()
MOSTLY_SLOW = [name if at % 6 == 0 else pytest.param(name, marks=pytest.mark.slow) for at, name in enumerate(WORLDS)]
"""All of them only in `make test-all`: they are data, and take a minute."""
SMALL = World(
    place="a boat club",
    tables={"boats": {"rows": 5, "no": "number(100, 999)", "name": "names('Ada, Bea, Cleo, Dora, Eva, Fay')"}},
    tools=[
        WorldTool(name="find_boat | boat_search", about="Boats by name.", result="find(boats, name=name)",
                  params={"name | words": "string | Name."}),
        WorldTool(name="boat", about="One boat.", result="get(boats, no=no)", params={"no": "integer | Number."}),
    ],
    asks=[],
)  # fmt: skip


def rng(seed: int = 1) -> Rng:
    made = Rng(seed)
    made.today = datetime.date(2026, 5, 4)
    return made


def staged() -> Stage:
    return Stage(SMALL, rng(), as_written=True)


@pytest.mark.parametrize("name", MOSTLY_SLOW)
def test_every_ask_of_a_file_can_be_played(name: str) -> None:
    asks = WORLDS[name].asks
    left = list(asks)
    for attempt in range(8):
        stage = Stage(WORLDS[name], rng(attempt), as_written=True)
        left = [ask for ask in left if not is_played(stage, ask)]
    assert [ask.q[0] for ask in left] == []
    assert len(asks) >= 30


def is_played(stage: Stage, ask: Ask) -> bool:
    """Whether the world as it is drawn suits the question; another draw may."""
    try:
        return stage.talk(ask) is not None
    except WorldError:
        return False


@pytest.mark.parametrize("name", sorted(WORLDS)[::9])
def test_the_engine_plays_what_is_written(name: str) -> None:
    drawn = rng()
    group = stage_group(drawn, WORLDS[name])
    noon = datetime.datetime.combine(drawn.today, datetime.time(12), datetime.UTC)
    group = msgspec.structs.replace(group, day=noon.timestamp())
    steps = [step for each in group.conversations for exchange in each.exchanges for step in exchange.steps]
    wanted = len([step for step in steps if isinstance(step, Answer) or step.learned])
    assert len(group.conversations) >= 12
    assert len(examples_of(group)) >= wanted * 0.8


def test_the_same_seed_makes_the_same_group() -> None:
    assert msgspec.json.encode(world_group(rng(7))) == msgspec.json.encode(world_group(rng(7)))


def test_worlds_that_are_held_out_are_not_in_the_data() -> None:
    assert set(WORLDS) >= HELD_OUT
    groups = [group for group in make_groups(3, 40) if group.source == "worlds"]
    texts = {tool.description for group in groups for tool in group.tools}
    told = {about for name in HELD_OUT for tool in WORLDS[name].tools for about in _abouts(tool)}
    assert groups
    assert texts & told == set()


def _abouts(tool: WorldTool) -> list[str]:
    return [tool.about] if isinstance(tool.about, str) else tool.about


def test_a_conversation_is_drawn_called_and_answered() -> None:
    ask = Ask(draw="b = boats", q=["which number has {b.name}?"], say=["{b.name} is number {r1[0].no}."],
              do=["I search for {b.name}. -> find_boat(name=b.name)"])  # fmt: skip
    talked = staged().talk(ask)
    assert talked is not None
    call, answer = talked.exchanges[0].steps
    assert isinstance(answer, Answer)
    assert not isinstance(call, Answer)
    assert str(find(staged().names["boats"], name=call.args.popitem()[1])[0].no) in answer.text


@pytest.mark.parametrize(
    ("ask", "told"),
    [
        (Ask(draw="b = boats", q=["Who?"], say=["It."], do=["Now {b.name}. -> boat(no=b.no)"]), "neither asked"),
        (Ask(q=["Hm?"], say=["Well."], do=["I look. -> ship(no=1)"]), "a tool of the file"),
        (Ask(q=["Hm?"], say=["Well."], do=["boat(no=1)"]), "needs a thought"),
        (Ask(q=["Hm?"], say=["Well."], do=["I look. -> boat(no='Ada')"]), "not what its schema allows"),
        (Ask(q=["Hm?"], say=["Well."], do=["I look. -> boat(name='Ada')"]), "without"),
        (Ask(q=["Hm?"], say=["Well."]), "`think` says why"),
        (Ask(q=["Hm?"], think="So.", say=["{1 + 1"]), "not closed"),
    ],
)  # fmt: skip
def test_what_is_wrong_with_an_ask_is_said(ask: Ask, told: str) -> None:
    with pytest.raises(WorldError, match=told):
        staged().talk(ask)


def test_a_tool_that_finds_nothing_fails_with_its_message() -> None:
    stage = staged()
    call, _ = stage.call("I look. -> boat(no=7)", dict(stage.names), "")
    assert call.failed
    assert call.observation == "Nothing with no 7."


@pytest.mark.parametrize(
    ("manner", "wanted", "told"),
    [
        ("bare", {"no": 7}, "Nothing with no 7."),
        ("like", {"no": 7}, "There is no boat no 7. There are 3 to 5."),
        ("like", {"code": "X1"}, "There is no code X1. They look like B-2."),
        ("known", {"code": "X1"}, "Unknown code 'X1'. Known: B-1, B-2."),
        ("like", {"name": "Eva"}, "There is no name Eva. Known: Ada, Bea."),
        ("known", {"name": "Eva", "no": 7}, "Nothing with name Eva and no 7."),
    ],
)
def test_errors_tell_in_the_manner_of_their_tools(manner, wanted, told) -> None:
    rows = [Row(no=3, code="B-1", name="Ada"), Row(no=5, code="B-2", name="Bea")]
    with pytest.raises(Failed) as raised:
        get(rows, **wanted)
    assert raised.value.told(manner, {"no": "boat_no"}) == told


def test_parameters_for_codes_show_how_one_looks() -> None:
    world = World(place="", tables={"boats": {"rows": 3, "id": "code('B-##')"}}, asks=[],
                  tools=[WorldTool(name="boat", about="A boat.", result="get(boats, id=id)",
                                   params={"id": "string | Id of the boat."})])  # fmt: skip
    told = {str(Stage(world, Rng(seed)).shape("boat", "id")["description"]) for seed in range(20)}
    assert "Id of the boat." in told
    assert any(re.fullmatch(r"Id of the boat, (such as|for example|like) B-\d\d\.", each) for each in told)


def test_parameters_in_their_short_form() -> None:
    shape, required, default = schema_of("choice open, closed = open | Which.", rng())
    assert (shape, required, default) == (
        {"type": "string", "enum": ["open", "closed"], "description": "Which.", "default": "open"}, False, "open",
    )  # fmt: skip
    assert schema_of("list of integer | Numbers.", rng())[0]["items"] == {"type": "integer"}
    lines = schema_of("list of (sku string, pieces integer) | Lines.", rng())[0]["items"]
    assert (lines["required"], lines["properties"]["pieces"]) == (["sku", "pieces"], {"type": "integer"})
    assert schema_of("boolean = false", rng())[2] is False
    assert schema_of("integer?", rng())[1] is False
    with pytest.raises(WorldError, match="is no type"):
        schema_of("text | What.", rng())


def test_texts_with_expressions() -> None:
    assert fill("{n:.2f} of {{{name}}}", {"n": 2, "name": "Ada"}) == "2.00 of {Ada}"
    assert split_draws("a = 'x; y'; b = [1, 2]") == ["a = 'x; y'", " b = [1, 2]"]
    assert unseen("Ada Lovelace on Monday", "who is Ada?") == ["lovelace"]
    assert write_result({"a": 1, "b": None}, ("lines", "json")) == "a: 1\nb: -"
    assert get(find(staged().names["boats"], name="a"), name="Ada").name == "Ada"


def test_sums_are_right_and_their_thoughts_lead_to_them() -> None:
    for seed in range(150):
        step = sum_in_head(rng(seed)).exchanges[0].steps[0]
        assert isinstance(step, Answer)
        result = re.findall(r"[\d.]+\d|\d", step.text)[-1]
        assert step.thought.rstrip(".").endswith(result)
        for left, right in re.findall(r"([\d.]+ [-×/] [\d.]+) = ([\d.]*\d)", step.thought):
            assert eval(left.replace("×", "*")) == pytest.approx(float(right))


def test_questions_are_typed_in_many_ways() -> None:
    made = {typed(rng(seed), "When does flight 12 leave on 2026-05-10?", "en") for seed in range(200)}
    assert len(made) > 20
    assert mistyped(rng(), "AB-12 of Bob") == "AB-12 of Bob"


def test_a_file_that_cannot_be_read_is_named(tmp_path) -> None:
    path = tmp_path / "odd.toml"
    path.write_text('place = "x"\nextra = 1\n', "utf-8")
    with pytest.raises(WorldError, match=r"odd\.toml"):
        read_world(path)


def test_what_an_answer_asks_back_for_is_planned_as_a_call_would_be() -> None:
    moor = WorldTool(name="moor", about="Moors.", result="'ok'", params={"no": "integer", "at": "string"})
    ask = Ask(draw="b = boats", q=["Moor {b.no}"], think="No berth.", say=["Where?"], wants="moor(no=b.no)")
    world = msgspec.structs.replace(SMALL, tools=[*SMALL.tools, moor], asks=[ask])
    made = Stage(world, rng(), as_written=True).talk(ask)
    assert made is not None and isinstance(answer := made.exchanges[0].steps[0], Answer)
    assert answer.wants is not None and (answer.wants.tool, list(answer.wants.args)) == ("moor", ["no"])
    whole = msgspec.structs.replace(ask, wants="moor(no=b.no, at='N1')")
    with pytest.raises(WorldError, match="leaves out something required"):
        Stage(world, rng(), as_written=True).talk(whole)
