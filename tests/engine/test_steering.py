"""Messages to a running turn: taken in before the next step, once each, after everything that was observed."""

import pytest

from glassloop import Agent, Answer, ScriptedModel, TurnPaused, UsageError, tool
from glassloop.core import events as e
from glassloop.core.loop.inbox import MAX_MESSAGE_CHARS, MAX_MESSAGES
from glassloop.core.loop.user_question import ASK_USER
from glassloop.core.messages import AssistantMessage, ToolMessage, UserMessage
from glassloop.models.scripted_model import call
from glassloop.runtime.replay.fork import fork
from glassloop.runtime.replay.replay import replay


@tool(effect="read")
async def look(what: str) -> str:
    """Looks something up."""
    return f"{what} is there"


async def test_a_message_comes_after_the_observations_of_the_step():
    model = ScriptedModel([[call("look", what="a"), call("look", what="b")], "Both."])
    agent = Agent(model, [look])
    stream = agent.stream("Look")
    async for event in stream:
        if isinstance(event, e.ToolCalled) and event.call.args["what"] == "a":
            stream.steer("And mind the 7 cats", by="ann")
    kinds = [type(each) for each in model.requests[-1].messages]
    assert kinds == [UserMessage, AssistantMessage, ToolMessage, ToolMessage, UserMessage]
    assert model.requests[-1].messages[-1].content == "And mind the 7 cats"
    [taken] = [each for each in stream.events if isinstance(each, e.MessageReceived)]
    assert (taken.number, taken.text, taken.by) == (1, "And mind the 7 cats", "ann")
    assert stream.events[-1].messages == 1


async def test_a_message_while_the_answer_is_written_holds_it_back_and_gives_another_step():
    model = ScriptedModel(["A first draft.", "The whole answer."])
    agent = Agent(model, max_iterations=1)
    stream = agent.stream("Tell me")
    async for event in stream:
        if isinstance(event, e.TextDelta) and len(model.requests) == 1 and not stream._turn.has_messages:
            stream.steer("In one line")
    response = stream.response()
    assert response.response == "The whole answer."
    said = [each.text if isinstance(each, AssistantMessage) else each.content for each in model.requests[-1].messages]
    assert said[1:3] == ["A first draft.", "In one line"]
    assert "held back" in said[3]
    assert [type(each) for each in stream.events].count(e.AnswerGiven) == 1


async def test_messages_to_a_waiting_turn_are_taken_in_when_it_goes_on():
    model = ScriptedModel([call(ASK_USER, question="Which?"), "Fine."])
    agent = Agent(model, ask_user=True)
    with pytest.raises(TurnPaused) as waits:
        await agent.run("Go")
    stream = agent.resume(waits.value.events, answers=[Answer(waits.value.questions[0].call_id, "this")])
    stream.steer("Quickly")
    stream.steer("Please")
    await stream.drain()
    assert [each.content for each in model.requests[-1].messages[-3:]] == [
        "The user answered: this",
        "Quickly",
        "Please",
    ]


async def test_a_turn_that_is_over_and_one_that_had_too_many_take_no_more():
    agent = Agent(ScriptedModel(["Fine."]))
    stream = agent.stream("Go")
    for bad in ("", " ", "x" * (MAX_MESSAGE_CHARS + 1)):
        with pytest.raises(UsageError):
            stream.steer(bad)
    for _ in range(MAX_MESSAGES):
        stream.steer("More")
    with pytest.raises(UsageError, match="limit"):
        stream.steer("More")
    await stream.drain()
    with pytest.raises(UsageError, match="ask again"):
        stream.steer("More")


async def test_a_steered_turn_replays_and_its_fork_counts_its_own_messages():
    agent = Agent(ScriptedModel([call("look", what="a"), "A draft.", "The end."]), [look])
    stream = agent.stream("Look")
    async for event in stream:
        if isinstance(event, e.ToolReturned):
            stream.steer("first")
        if isinstance(event, e.TextDelta) and stream._turn.state.received == 1 and not stream._turn.has_messages:
            stream.steer("second")
    taken = [each.text for each in stream.events if isinstance(each, e.MessageReceived)]
    assert taken == ["first", "second"]
    report = await replay(stream.events, agent)
    assert report.differences == ()
    forked = fork(stream.events, step=3, new_id="f1", session_id="s2")
    assert [each.number for each in forked if isinstance(each, e.MessageReceived)] == [0, 0]
