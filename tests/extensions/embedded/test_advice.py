"""What a small model is advised before it decides, and what of its decisions does not stand."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from extensions.embedded.test_said import spec, text
from glassloop.core.messages import AssistantMessage, Message, ToolMessage, UserMessage, note
from glassloop.core.records import Advice, Decision, ToolCall
from glassloop.extensions.embedded.advice.advisor import RuleAdvisor

TOOLS = {
    tool.name: tool
    for tool in (
        spec("search_crates", name=text("What is written on the crate.")),
        spec("weigh_crate", crate_id=text("The crate's number, such as CR-100.")),
        spec("price_of_goods", goods_no=text("The number of the goods, such as GD-100.")),
        spec("sunrise", city=text("The city.")),
        spec("add_up", numbers={"type": "array", "items": {"type": "number"}}),
    )
}
ADVISOR = RuleAdvisor()


async def advice(question: str, *messages: Message) -> Advice:
    return await ADVISOR.advise(question, [UserMessage(question), *messages], TOOLS)


def called(tool: str, content: str, **args: Any) -> tuple[Message, Message]:
    call = ToolCall(id="1", tool=tool, args=args)
    return AssistantMessage(calls=(call,)), ToolMessage(call_id="1", tool=tool, content=content)


async def test_a_clear_question_is_bound_to_its_tool_and_its_value() -> None:
    given = await advice("Please weigh crate CR-204.")
    assert given.tools == ("weigh_crate",)
    assert given.values == {"weigh_crate": {"crate_id": ("CR-204",)}}
    assert not given.answers
    assert "`weigh_crate` with crate_id 'CR-204'" in given.text


async def test_what_nobody_said_is_asked_for_and_no_tool_can_be_called() -> None:
    given = await advice("How much does my crate weigh?")
    assert given.tools == ()
    assert given.answers
    assert given.asks == ("crate_id",)
    assert "Ask the user" in given.text


async def test_values_that_a_tool_names_as_examples_go_to_their_parameters_and_to_no_other() -> None:
    crew = spec(
        "crew_list",
        voyage_code={**text("The voyage's code."), "examples": ["last voyage"]},
        leg_no={"type": "integer", "description": "The leg's number.", "examples": ["last leg"]},
        harbour_name={**text("The harbour."), "examples": ["Port", "Port Orford"]},
        sailor_name=text("The sailor's name."),
    )
    question = "Show the crew list of Ana in Port Orford on the last leg of the last voyage"
    given = await ADVISOR.advise(question, [UserMessage(question)], {**TOOLS, crew.name: crew})
    assert given.tools == ("crew_list",)
    assert given.values["crew_list"] == {
        "voyage_code": ("last voyage",), "leg_no": ("last leg",), "harbour_name": ("Port Orford",)
    }  # fmt: skip
    assert "sailor_name 'Ana'" in given.text
    question = "Show the crew list of Ana in Port Orford on leg 3 of the last voyage"
    given = await ADVISOR.advise(question, [UserMessage(question)], {**TOOLS, crew.name: crew})
    assert "leg_no '3'" in given.text


async def test_a_name_leads_to_the_tool_that_finds_what_is_missing() -> None:
    given = await advice("How much does the crate Northwind weigh?")
    assert "first call `search_crates`" in given.text
    assert not given.answers
    assert given.tools is not None
    assert "search_crates" in given.tools
    assert "weigh_crate" not in given.tools


async def test_what_was_found_makes_the_other_tool_possible_with_just_that_value() -> None:
    seen = called("search_crates", '[{"crate_id": "CR-31", "name": "Northwind"}]', name="Northwind")
    given = await advice("How much does the crate Northwind weigh?", *seen)
    assert "`weigh_crate`" in given.text
    assert given.values["weigh_crate"] == {"crate_id": ("CR-31",)}
    assert not given.answers


async def test_greetings_need_no_tool() -> None:
    assert await advice("Good morning!") == Advice(text="Hint: this needs no tool.", tools=())


async def test_after_an_error_the_model_is_left_to_itself() -> None:
    seen = ToolMessage(call_id="1", tool="weigh_crate", content="There is no such crate.", is_error=True)
    assert (await advice("Please weigh crate CR-204.", seen)).text == ""


async def test_without_tools_there_is_nothing_to_advise() -> None:
    assert await ADVISOR.advise("Weigh CR-1", [], {}) == Advice()


def reviewed(question: str, tool: str, *messages: Message, **args: Any) -> Decision:
    decision = Decision(thought="t", calls=(ToolCall(id="2", tool=tool, args=args),))
    return ADVISOR.review(decision, question, [UserMessage(question), *messages], TOOLS, Advice())


def test_a_name_that_nobody_said_is_sent_back_to_be_asked_for() -> None:
    decision = reviewed("When does the sun rise?", "sunrise", city="Lisbon")
    assert decision.refused
    assert not decision.calls
    assert decision.complaint == "Hint: nobody said that `city` is 'Lisbon'. Ask the user for it."


async def test_after_that_only_a_question_to_the_person_is_left() -> None:
    question = "When does the sun rise?"
    refused = reviewed(question, "sunrise", city="Lisbon")
    told = [UserMessage(question), note("complaint", refused.complaint or "")]
    given = await ADVISOR.advise(question, told, TOOLS, refused.refused)
    assert given.tools == ()
    assert given.answers


def test_a_name_that_was_said_stands() -> None:
    decision = reviewed("When does the sun rise in Lisbon?", "sunrise", city="Lisbon")
    assert [call.args for call in decision.calls] == [{"city": "Lisbon"}]


def test_an_optional_name_that_nobody_said_is_left_out() -> None:
    tools = {"sunrise": spec("sunrise", ["day"], day=text("Which day."), city=text("The city."))}
    decision = Decision(calls=(ToolCall(id="1", tool="sunrise", args={"day": "today", "city": "Lisbon"}),))
    found = ADVISOR.review(decision, "When does the sun rise today?", [], tools, Advice())
    assert [call.args for call in found.calls] == [{"day": "today"}]


def test_the_same_call_a_second_time_is_sent_back() -> None:
    seen = called("weigh_crate", '{"kg": 12}', crate_id="CR-1")
    decision = reviewed("Weigh CR-1.", "weigh_crate", *seen, crate_id="CR-1")
    assert decision.refused
    assert "observed already" in (decision.complaint or "")


def test_answers_and_unknown_tools_are_none_of_its_business() -> None:
    answer = Decision(answer="12 kg.")
    assert ADVISOR.review(answer, "Weigh CR-1.", [], TOOLS, Advice()) == answer
    assert not reviewed("Weigh CR-1.", "fly", to="the moon").refused


_WORDS = ("weigh", "crate", "CR-1", "Northwind", "of the", "price", "GD-7", "sunrise", "in Oslo", "and", "3", "?")
_QUESTIONS = st.one_of(st.text(max_size=200), st.lists(st.sampled_from(_WORDS)).map(" ".join))


@pytest.mark.parametrize("seen", [(), called("weigh_crate", '{"kg": 12, "goods_no": "GD-3"}', crate_id="CR-1")])
@settings(max_examples=60, deadline=None)
@given(question=_QUESTIONS)
async def test_there_is_always_something_left_to_decide(seen: tuple[Message, ...], question: str) -> None:
    given = await advice(question, *seen)
    assert given.answers or given.tools
    assert len(given.text) < 1000
    for tool, values in given.values.items():
        assert tool in (given.tools or ())
        for allowed in values.values():
            assert len(allowed) <= 40
