"""ScriptedModel: what a line may be, a function instead of a script, and mistakes told where they are made."""

import dataclasses
from itertools import repeat

import msgspec
import pytest
from pydantic import BaseModel, Field

from glassloop import Agent, ScriptedModel, TurnFailed, UsageError, call, tool
from glassloop.core.messages import AssistantMessage, ToolMessage


class City(BaseModel):
    name: str = Field(alias="cityName")


@dataclasses.dataclass
class Trip:
    days: int
    city: City


class Hotel(msgspec.Struct, rename="camel"):
    room_count: int


@tool(effect="read")
def stock_of(sku: str) -> int:
    """Units on hand."""
    return 140


BERN = City(cityName="Bern")


@pytest.mark.parametrize(
    ("line", "output_type", "output"),
    [
        (BERN, City, BERN),
        (Trip(2, BERN), Trip, Trip(2, BERN)),
        (Hotel(3), Hotel, Hotel(3)),
        ({"cityName": "Bern"}, City, BERN),
        (BERN, City | Trip, BERN),
    ],
)
async def test_a_value_of_the_output_type_is_a_line(line, output_type, output) -> None:
    assert (await Agent(ScriptedModel([line]), output_type=output_type).run("Where to?")).output == output


async def test_a_function_answers_from_the_transcript_without_end() -> None:
    def answer(request):
        said = request.messages[-1]
        return f"There are {said.content}." if isinstance(said, ToolMessage) else call("stock_of", sku="BRG-6204")

    async def answer_later(request):
        return answer(request)

    for script in (answer, answer_later):
        agent = Agent(ScriptedModel(script), [stock_of])
        assert ["140" in (await agent.run("How many?")).text for _ in range(3)] == [True] * 3


async def test_text_and_calls_of_one_message_are_both_said() -> None:
    message = AssistantMessage(text="I look.", calls=(call("stock_of", sku="BRG-6204"),))
    model = ScriptedModel([message, "140."])
    result = await Agent(model, [stock_of]).run("How many?")
    assert result.text == "140."
    assert model.requests[1].messages[1].text == "I look."


@pytest.mark.parametrize(
    ("script", "told"),
    [
        ("hello", "list of lines or a function, not 'hello'"),
        ({"answer": 1}, "list of lines"),
        (BERN, "list of lines"),
        (call("stock_of"), "list of lines"),
        (None, "list of lines"),
        (City, "list of lines"),
        ([42], "Line 1 of the script is 42"),
        (["Hi.", None], "Line 2 of the script is None"),
        ([["Hi."]], "Line 1"),
        ([[]], "Line 1"),
        ([ValueError], "Line 1"),
        ([{"a": object()}], "cannot be written as JSON"),
    ],
)
def test_what_is_no_line_is_refused_where_the_script_is_given(script, told: str) -> None:
    with pytest.raises(UsageError, match=told):
        ScriptedModel(script)


@pytest.mark.parametrize("script", [lambda _request: 42, repeat(42)])
async def test_what_is_no_line_is_told_where_it_is_played(script) -> None:
    with pytest.raises(TurnFailed, match=r"is 42, which is no line\. A line is text, call"):
        await Agent(ScriptedModel(script)).run("Hello?")


async def test_what_was_not_played_can_be_seen_and_is_still_played() -> None:
    for script in (["One.", "Two."], iter(["One.", "Two."])):
        model = ScriptedModel(script)
        assert (await Agent(model).run("Hello?")).text == "One."
        assert model.unplayed == ("Two.",)
        assert (await Agent(model).run("Hello?")).text == "Two."
        assert model.unplayed == ()
