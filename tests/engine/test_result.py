"""What a caller gets of a turn: a result that cannot be misread, a value of the type it asked for, or an error."""

import dataclasses
from typing import Literal

import msgspec
import pytest
from pydantic import BaseModel, Field

from glassloop import Agent, Approval, Limits, ScriptedModel, ToolContext, TurnFailed, TurnPaused, UsageError, tool
from glassloop.core import events as e
from glassloop.core.errors import ModelRejected
from glassloop.core.messages import Abilities
from glassloop.models.scripted_model import call


class City(BaseModel):
    """A place."""

    name: str
    people: int = Field(gt=0)


@dataclasses.dataclass
class Point:
    x: float
    y: float = 0.0


class Tree(msgspec.Struct):
    name: str
    children: list["Tree"] = []


@tool(effect="read")
def people_of(name: str) -> int:
    """How many people live somewhere."""
    return 126_000


@tool(effect="write", confirm=True)
def found(name: str) -> str:
    """Founds a city."""
    return f"{name} is founded."


def agent(script, tools=(), **options):
    return Agent(ScriptedModel(script, abilities=options.pop("abilities", None)), tools, **options)


async def test_a_result_tells_the_answer_and_what_it_took():
    result = await agent([call("people_of", name="Ulm"), "126,000 people live in Ulm."], [people_of]).run("Ulm?")
    assert result.output == result.text == "126,000 people live in Ulm."
    assert (result.stop_reason, result.is_whole) == ("answered", True)
    assert [step.action and step.action.tool for step in result.steps] == ["people_of", None]
    assert result.usage.input_tokens > 0 and result.usage.output_tokens > 0
    assert result.cost == result.usage.cost == 0.0
    assert [figure.source for figure in result.evidence.figures] == ["call_1"]
    assert result.turn_id and result.session_id


async def test_events_say_their_type():
    types = [event.type async for event in agent(["Hello."]).stream("Hi")]
    assert (types[0], types[-2], types[-1]) == ("turn_started", "answer_given", "turn_finished")


async def test_what_a_limit_cut_short_says_so():
    script = [call("people_of", name="Ulm"), "So far."]
    result = await agent(script, [people_of], limits=Limits(iterations=1)).run("Ulm?")
    assert (result.stop_reason, result.is_whole) == ("iterations", False)


async def test_a_turn_that_fails_raises_with_its_log():
    with pytest.raises(TurnFailed, match="says no") as failed:
        await agent([ModelRejected("The model says no.")]).run("Ulm?")
    assert failed.value.kind == "llm_error"
    assert isinstance(failed.value.events[-1], e.TurnFinished)


async def test_a_turn_that_waits_raises_what_it_waits_for_and_goes_on_from_there():
    founder = agent([call("found", name="Ulm"), "Done."], [found])
    with pytest.raises(TurnPaused, match="found") as paused:
        await founder.run("Found Ulm.")
    (request,) = paused.value.pending
    yes = Approval(call_id=request.call.id, digest=request.digest, approved=True)
    result = await founder.resume(paused.value.events, [yes]).result()
    assert result.text == "Done."


@pytest.mark.parametrize(
    ("wanted", "text", "value"),
    [
        (City, '{"name": "Ulm", "people": 126000}', City(name="Ulm", people=126_000)),
        (City, 'Here it is:\n```json\n{"name": "Ulm", "people": 1}\n```', City(name="Ulm", people=1)),
        (Point, '{"x": 1}', Point(1.0)),
        (Tree, '{"name": "a", "children": [{"name": "b"}]}', Tree("a", [Tree("b")])),
        (City | Point, '{"result": {"x": 2, "y": 3}}', Point(2, 3)),
        (list[City], '{"result": [{"name": "Ulm", "people": 1}]}', [City(name="Ulm", people=1)]),
        (list[Tree], '{"result": [{"name": "a"}]}', [Tree("a")]),
        (int, '{"result": 3}', 3),
        (bool, '{"result": false}', False),
        (Literal["yes", "no"], '{"result": "no"}', "no"),
        (dict[str, int], '{"a": 1}', {"a": 1}),
    ],
)
@pytest.mark.parametrize("native", [True, False])
async def test_the_output_has_the_type_that_was_asked_for(wanted, text, value, native):
    said = text if native else msgspec.json.encode({"reasoning": "", "action": "answer", "response": text}).decode()
    result = await agent([said], output_type=wanted, abilities=Abilities(native_tools=native)).run("Ulm?")
    assert result.output == value
    assert type(result.output) is type(value)


async def test_the_model_is_told_the_schema_and_the_provider_holds_it_to_it():
    model = ScriptedModel([call("people_of", name="Ulm"), '{"name": "Ulm", "people": 1}'])
    await Agent(model, [people_of], output_type=City).run("Ulm?")
    for request in model.requests:
        assert request.schema["properties"].keys() == {"name", "people"}
        assert '"people"' in request.system


@pytest.mark.parametrize("wrong", ["Ulm.", '{"name": "Ulm"}', '{"name": "Ulm", "people": -1}', "[]"])
async def test_a_wrong_type_is_told_back_once_as_an_event(wrong):
    model = ScriptedModel([wrong, '{"name": "Ulm", "people": 1}'])
    stream = Agent(model, output_type=City).stream("Ulm?")
    events = [event async for event in stream]
    first, second = [event for event in events if isinstance(event, e.AnswerEvaluated)]
    assert (first.accepted, second.accepted) == (False, True)
    assert first.problem in model.requests[1].messages[-1].content
    assert (await stream.result()).output == City(name="Ulm", people=1)


async def test_figures_of_a_typed_output_are_traced_and_its_keys_are_none():
    text = '{"name": "Ulm, \\u2019the\\u2019 \\"city\\"", "people": 126000}'
    result = await agent([call("people_of", name="Ulm"), text], [people_of], output_type=City).run("Ulm?")
    (figure,) = result.evidence.figures
    assert (figure.text, figure.source, text[figure.start : figure.end]) == ("126000", "call_1", "126000")


async def test_a_type_that_never_comes_is_a_failure_and_not_text():
    with pytest.raises(TurnFailed, match="no City") as failed:
        await agent(["Ulm.", "Ulm, as I said."], output_type=City).run("Ulm?")
    assert failed.value.kind == "validation_error"


async def test_a_type_without_a_schema_is_refused_at_once():
    with pytest.raises(UsageError, match="has no JSON schema"):
        agent([], output_type=type(people_of))


async def test_the_output_is_read_while_it_is_written():
    text = '{"name": "Ulm", "people": 126000}'
    seen = [each async for each in agent([text], output_type=City).stream("Ulm?").output()]
    assert seen[-1] == {"name": "Ulm", "people": 126_000}
    assert len(seen) > 1
    assert all(each.keys() <= {"name", "people"} for each in seen)
    with pytest.raises(UsageError, match="text"):
        _ = [each async for each in agent(["Hi."]).stream("Hi").output()]


async def test_the_text_of_an_answer_comes_while_it_is_written():
    answer = "A sentence of an answer. " * 40
    script = [call("people_of", name="Ulm"), answer]
    pieces = [piece async for piece in agent(script, [people_of]).stream("Ulm?").text()]
    assert "".join(pieces) == answer.strip()
    assert len(pieces) > 3


def test_a_program_without_an_event_loop_has_one_call():
    assert agent(["Hello."]).run_sync("Hi").text == "Hello."


@dataclasses.dataclass
class Database:
    name: str


@tool(effect="read")
def table_of(context: ToolContext[Database], key: str) -> str:
    """Where a key is kept."""
    return f"{context.deps.name}/{key}"


def keeper(**options):
    model = ScriptedModel([call("table_of", key="a"), "There.", call("table_of", key="a"), "There."])
    return Agent[Database, str](model, [table_of], **options)


async def test_tools_and_prompts_get_the_dependencies_and_the_model_none_of_them():
    agent = keeper(prompt=lambda database: f"You keep {database.name}.")
    for name in ("main", "other"):
        result = await agent.run("Where?", deps=Database(name))
        assert result.steps[0].observation.output == f"{name}/a"
    first, _, third, _ = agent.models["balanced"].requests
    assert (first.system, third.system) == ("You keep main.", "You keep other.")
    assert "context" not in first.tools[0].parameters["properties"]


async def test_what_one_turns_dependencies_told_is_not_told_to_another():
    agent = keeper()
    seen = [await agent.run("Where?", deps=Database(name), session_id="s") for name in ("ann", "bob")]
    assert [result.steps[0].observation.output for result in seen] == ["ann/a", "bob/a"]


@pytest.mark.parametrize("waits", [False, True])
async def test_a_factory_makes_the_dependencies_of_a_turn(waits):
    async def later(started: e.TurnStarted) -> Database:
        return Database(started.user)

    agent = keeper(deps_factory=later if waits else lambda started: Database(started.user))
    result = await agent.run("Where?", user="ann")
    assert result.steps[0].observation.output == "ann/a"


async def test_a_turn_that_is_resumed_without_its_dependencies_waits_for_them_and_says_so():
    agent = keeper()
    stream = agent.stream("Where?", deps=Database("main"))
    async for event in stream:
        if event.type == "model_responded":
            break
    events = list(stream.events)
    await stream.aclose()
    with pytest.raises(TurnPaused, match="its dependencies: resume it with deps") as paused:
        await keeper().resume(events).result()
    assert paused.value.pending == []
    assert paused.value.events[-1].reason == "dependencies"
    result = await keeper().resume(paused.value.events, deps=Database("again")).result()
    assert result.steps[0].observation.output == "again/a"


async def test_a_resumed_turn_is_given_its_dependencies_by_the_factory():
    stream = keeper().stream("Where?", deps=Database("main"))
    async for event in stream:
        if event.type == "model_responded":
            break
    events = list(stream.events)
    await stream.aclose()
    result = await keeper(deps_factory=lambda _: Database("made")).resume(events).result()
    assert result.steps[0].observation.output == "made/a"
