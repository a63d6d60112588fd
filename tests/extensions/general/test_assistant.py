"""The `general` assistant: its profile, and what its tools say about themselves."""

import tomllib
from importlib import import_module
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

from glassloop import Agent, ScriptedModel
from glassloop.core.messages import ModelRequest, Reply, UserMessage
from glassloop.extensions.general.tools import calculate, convert_units, make_tools
from glassloop.extensions.reflex.model import ReflexModel
from glassloop.models.scripted_model import call
from glassloop.tools.tool import Tool, ToolContext


@pytest.fixture
def profile() -> dict[str, Any]:
    return tomllib.loads((files("glassloop.extensions.general") / "assistant.toml").read_text("utf-8"))


def test_the_profile_names_tools_that_are_there(profile: dict[str, Any]) -> None:
    assert len(profile["tools"]) == 3
    for entry in profile["tools"]:
        module, _, name = entry.partition(":")
        assert callable(getattr(import_module(module), name))


def test_the_profile_is_the_contracts(profile: dict[str, Any]) -> None:
    assert profile["name"] == "general"
    assert (profile["protocol"], profile["max_iterations"]) == ("native", 5)
    assert profile["planner"] and profile["reflection"]
    assert len(profile["questions"]) == 3


async def test_every_suggested_question_is_answered_by_a_tool(profile: dict[str, Any], tools: dict[str, Tool]) -> None:
    specs = [made.spec for made in tools.values()]
    for question in profile["questions"]:
        request = ModelRequest(system=profile["prompt"], messages=[UserMessage(question)], tools=specs)
        (reply,) = [chunk async for chunk in ReflexModel().stream(request) if isinstance(chunk, Reply)]
        (call,) = reply.message.calls
        assert (await tools[call.tool].execute(call.args)).success, question


@pytest.mark.parametrize(
    ("question", "sentence"),
    [
        ("What is 18% of 2,450?", "18% of 2,450 is 441."),
        ("What is 1/3?", "1/3 is 0.333333333333333, exactly 1/3."),
        ("Convert 26.2 miles to kilometers", "26.2 mi = 42.1648128 km."),
        ("What time is it in Tokyo?", "It is 09:00:00 on Thursday, 1970-01-01, in Asia/Tokyo (UTC+09:00)."),
        ("Remember that my desk is by the window", "I will remember: my desk is by the window"),
        ("What do you remember?", "Nothing is known."),
    ],
)
async def test_rules_answer_in_a_sentence_of_the_tool(tmp_path: Path, question: str, sentence: str) -> None:
    agent = Agent(ReflexModel(), make_tools(tmp_path, lambda: 0.0))
    said = (await agent.run(question)).text
    assert said.split("\n\n")[0] == sentence
    assert "without a language model" in said


@pytest.mark.parametrize(
    ("name", "effect", "volatile", "confirm", "idempotent"),
    [
        ("calculate", "read", False, False, False),
        ("convert_units", "read", False, False, False),
        ("current_time", "read", True, False, False),
        ("remember", "write", False, False, True),
        ("recall", "read", True, False, False),
        ("forget", "write", False, True, True),
        ("todo", "write", True, False, True),
    ],
)
def test_each_tool_declares_what_it_does(
    tools: dict[str, Tool], name: str, effect: str, volatile: bool, confirm: bool, idempotent: bool
) -> None:
    spec = tools[name].spec
    assert (spec.effect, spec.volatile, spec.confirm, spec.idempotent) == (effect, volatile, confirm, idempotent)
    assert spec.domain == "general"


def test_every_tool_and_parameter_is_described_in_few_words(tools: dict[str, Tool]) -> None:
    for made in tools.values():
        assert 0 < len(made.spec.description) <= 80, made.name
        for name, schema in made.spec.parameters["properties"].items():
            assert 0 < len(schema["description"]) <= 100, (made.name, name)
            assert name != "context"


async def test_arguments_are_checked_before_the_tool_runs(tools: dict[str, Tool]) -> None:
    assert tools["convert_units"].validate_params({"value": "many", "from_unit": "m", "to_unit": "km"})
    assert tools["recall"].validate_params({"query": "x", "nonsense": 1})
    assert (await tools["recall"].execute({}, ToolContext())).data["known"] == 0


async def test_a_result_of_our_own_tools_is_what_the_next_step_refers_to() -> None:
    to_km = call("convert_units", value="${step1.result}", from_unit="mile", to_unit="km")
    script = [call("calculate", expression="2+3"), to_km, "Done."]
    response = await Agent(ScriptedModel(script), [calculate, convert_units]).run("How far?")
    assert response.steps[1].observation.success, response.steps[1].observation.error
    assert response.steps[1].action.args["value"] == 5
