"""What a model is shown: when, with whom and how far, earlier turns with their results, and the last step."""

import re

import pytest

from glassloop import Agent, ScriptedModel, tool
from glassloop.core.errors import ModelUnavailable
from glassloop.core.loop.policy import Limits, Profile
from glassloop.core.messages import Abilities, AssistantMessage, ToolMessage
from glassloop.models.scripted_model import call
from glassloop.runtime.assistants.context_note import context_note, same_all_day

PROFILE = Profile(tells_context=True, limits=Limits(iterations=3))


@tool(effect="read")
def find_booking(name: str) -> dict[str, str]:
    """The booking of a person."""
    if name == "Nobody":
        raise ValueError("there is no such person")
    return {"booking": "HAT277", "price": "412.50"}


@tool(effect="write", confirm=True)
def cancel_booking(booking: str) -> str:
    """Cancels a booking."""
    return f"{booking} is cancelled"


def contents(request):
    return [getattr(message, "content", None) or message.text for message in request.messages]


async def test_it_is_told_the_day_the_user_its_steps_and_what_asks_first():
    model = ScriptedModel([call("find_booking", name="Ann"), "HAT277."])
    agent = Agent(model, [find_booking, cancel_booking], profile=PROFILE, clock=lambda: 1_794_816_000.0)
    await agent.run("Which booking?", session_id="s", user="ann")
    first, second = model.requests
    about, question = contents(first)
    assert about.startswith("<context>Monday 16 November 2026, ")
    assert about.endswith(
        "You speak with ann. At most 3 steps; calls made together are one, at most 16. "
        "The user is asked before these run: cancel_booking.</context>"
    )
    assert question == "Which booking?"
    assert contents(second)[:2] == [about, question]
    assert contents(second)[-1] == "<system-note>2 steps left.</system-note>"


@pytest.mark.parametrize(
    ("mode", "asking"), [("ask", "cancel_booking, change_file"), ("edits", "cancel_booking"), ("read", "")]
)
def test_what_a_mode_hides_or_lets_run_is_not_said_to_ask(mode, asking):
    @tool(effect="write", confirm=True, grant="folder")
    def change_file(path: str) -> str:
        """Changes a file."""
        return path

    agent = Agent(ScriptedModel([]), [cancel_booking, change_file], profile=PROFILE)
    about = str(agent.started("Go", session_id=None, settings={"mode": mode}).settings["about"])
    assert about.partition("asked before these run: ")[2] == (f"{asking}." if asking else "")


NEXT_WEEK = "Next week: Mon 08-26, Tue 08-27, Wed 08-28, Thu 08-29, Fri 08-30, Sat 08-31, Sun 09-01."


@pytest.mark.parametrize(
    ("today", "day", "left"),
    [
        ("2030-08-21", "Wednesday 2030-08-21", " Thu 08-22, Fri 08-23, Sat 08-24, Sun 08-25."),
        ("2030-08-25", "Sunday 2030-08-25", ""),
    ],
)
def test_a_small_model_is_told_the_days_of_this_week_and_the_next_as_tools_want_them(today, day, left):
    about = context_note(PROFILE, (), 1_794_816_000.0, "ann", small=True, today=today)
    days = f"{day}, in the week from 08-19.{left} {NEXT_WEEK}"
    assert about.startswith(f"{days} ")
    assert re.fullmatch(r"\d\d:\d\d \S+\.", about.removeprefix(f"{days} "))
    assert same_all_day(about) == days


@pytest.mark.parametrize("note", ["", "Wednesday 21 August 2030, 10:00 UTC.", "Instructions of the client:\nBe brief."])
def test_other_notes_have_nothing_that_is_the_same_all_day(note):
    assert same_all_day(note) == ""


async def test_an_agent_of_ones_own_says_nothing_that_was_not_asked_for():
    model = ScriptedModel([call("find_booking", name="Ann"), "HAT277."])
    await Agent(model, [find_booking]).run("Which booking?")
    assert contents(model.requests[0]) == ["Which booking?"]


async def test_a_follow_up_sees_the_calls_and_results_of_the_turns_before():
    model = ScriptedModel([call("find_booking", name="Ann"), "Two flights.", "It is cancelled."])
    agent = Agent(model, [find_booking, cancel_booking])
    await agent.run("What is booked for Ann?", session_id="s")
    await agent.run("Cancel it.", session_id="s")
    asked, called, returned, answered, now = model.requests[-1].messages
    assert (asked.content, answered.text, now.content) == ("What is booked for Ann?", "Two flights.", "Cancel it.")
    assert isinstance(called, AssistantMessage)
    assert isinstance(returned, ToolMessage)
    assert called.calls[0].id == returned.call_id
    assert "HAT277" in returned.content


@pytest.mark.parametrize("protocol", ["native", "json"])
async def test_the_last_answer_has_the_same_tools_and_prefix_and_may_call_nothing(protocol):
    native = protocol == "native"
    step = call("find_booking", name="Ann")
    if not native:
        step = '{"reasoning": "x", "action": "tool", "tool": "find_booking", "args": {"name": "Ann"}}'
    model = ScriptedModel([step, step, step, step], abilities=Abilities(native_tools=native))
    profile = Profile(protocol=protocol, limits=Limits(iterations=3))
    response = await Agent(model, [find_booking], profile=profile).run("Which booking?")
    first, last = model.requests[0], model.requests[-1]
    assert (last.purpose, last.tool_choice) == ("synthesize", "none")
    assert (last.system, last.tools) == (first.system, first.tools)
    assert last.messages[: len(first.messages)] == tuple(first.messages)
    # It asks for a tool all the same: the person is shown what was found, and no decision.
    assert response.text.startswith("What was found so far:\n- ")
    assert "HAT277" in response.text
    assert "reasoning" not in response.text
    assert "limit of 3 iterations" in response.text


async def test_where_the_last_answer_fails_what_was_found_is_not_lost():
    step = call("find_booking", name="Ann")
    model = ScriptedModel([step, step, ModelUnavailable("400: tools must be defined")])
    response = await Agent(model, [find_booking], max_iterations=2).run("Which booking?")
    assert "HAT277" in response.text


async def test_a_call_that_fails_again_in_the_same_way_is_told_so():
    step = call("find_booking", name="Nobody")
    model = ScriptedModel([step, step, "Nobody has none."])
    await Agent(model, [find_booking]).run("Which booking?")
    first, second = [message for message in model.requests[-1].messages if isinstance(message, ToolMessage)]
    assert "before" not in first.content
    assert second.content.endswith(
        "(The same call failed in the same way before. If its arguments are wrong, correct them; else do without.)"
    )
