"""Replay: every kind of turn, run again on its own log, comes out the same; and nothing real is touched."""

import json

import pytest

from glassloop import Agent, Limits, Profile, ScriptedModel
from glassloop.core import events as e
from glassloop.core.errors import ModelUnavailable
from glassloop.core.messages import AssistantMessage, GarbledCall, Reply, UserMessage
from glassloop.core.planning.router import Domain, ModelRouter
from glassloop.core.records import ToolCall
from glassloop.models.resilient_model import ResilientModel
from glassloop.models.scripted_model import call
from runtime.replaying import World, assert_same, decide, drained, kinds, pending

MANY = "First look at one, then at the other, and then compare both."
PLAN = call("update_plan", steps=[{"tool": "look", "description": "one"}, {"tool": "look", "description": "two"}])
LACKING = json.dumps({"completeness_score": 3, "quality_score": 5, "missing_info": ["unit"], "needs_retry": True})
GOOD = json.dumps({"completeness_score": 9, "quality_score": 9, "missing_info": [], "needs_retry": False})


@pytest.fixture
def world():
    return World()


@pytest.mark.parametrize("protocol", ["native", "json", "text"])
async def test_an_answer_without_tools_replays(world, protocol):
    texts = {"native": "Hello.", "json": '{"thought": "easy", "action": "answer", "answer": "Hello."}'}
    script = [texts.get(protocol, "Thought: easy\nAnswer: Hello.")]
    stream = await drained(Agent(ScriptedModel(script), world.tools, protocol=protocol).stream("Hi"))
    assert stream.response().response == "Hello."
    report = await assert_same(stream, world, protocol=protocol)
    assert report.note == ""


async def test_tools_in_a_row_with_references_failures_and_unknown_names_replay(world):
    script = [call("look"), [call("look", key="${step1.result.key}"), call("nowhere")], call("look", key=7), "12 kg."]
    stream = await drained(Agent(ScriptedModel(script), world.tools).stream("How heavy?"))
    assert kinds(stream).count(e.ToolReturned) == 4
    await assert_same(stream, world)


async def test_calls_with_mended_arguments_replay_read_and_refused_alike(world):
    asked = [ToolCall(id=f"c{n}", tool=name, args={}, mended="closed") for n, name in enumerate(["look", "send"])]
    stream = await drained(Agent(ScriptedModel([*asked, "12 kg."]), world.tools).stream("How heavy?"))
    assert world.ran == ["look a"]
    await assert_same(stream, world)


@pytest.mark.parametrize("protocol", ["json", "text"])
async def test_tools_called_in_text_replay(world, protocol):
    written = {
        "json": '{"thought": "look", "action": "tool", "tool": "look", "args": {"key": "b"}}',
        "text": 'Thought: look\nAction: look({"key": "b"})',
    }[protocol]
    stream = await drained(
        Agent(ScriptedModel([written, "{", "It is 12 kg."]), world.tools, protocol=protocol).stream("?")
    )
    assert world.ran == ["look b"]
    await assert_same(stream, world, protocol=protocol)


async def test_reads_side_by_side_return_in_the_order_they_did(world):
    script = [[call("wait", key="a"), call("wait", key="b"), call("look", key="${step2.result}")], "Both."]
    stream = await drained(Agent(ScriptedModel(script), world.tools).stream("Go"))
    returned = [event.call_id for event in stream.events if isinstance(event, e.ToolReturned)]
    assert returned[0] == "call_2"
    assert world.ran[-1] == "look b was quick"
    await assert_same(stream, world)


async def test_a_required_tool_that_fails_stops_the_others_again(world):
    stream = await drained(
        Agent(ScriptedModel([[call("wait"), call("broken"), call("look")], "No."]), world.tools).stream("Go")
    )
    assert "required tool" in stream.response().steps[0].observation.error
    await assert_same(stream, world)


async def test_a_plan_that_fails_and_a_draft_sent_back_once_replay(world):
    script = [[PLAN, call("look", key=5)], [PLAN, call("look")], "It weighs 12.", LACKING, "It weighs 12 kg.", GOOD]
    options = {"planner": True, "reflection": True, "max_iterations": 9}
    stream = await drained(Agent(ScriptedModel(script), world.tools, **options).stream(MANY))
    assert {e.PlanMade, e.PlanAdjusted} < set(kinds(stream))
    assert [event.accepted for event in stream.events if isinstance(event, e.AnswerEvaluated)] == [False, True]
    await assert_same(stream, world, **options)


@pytest.mark.parametrize("destination", ["stock_agent", "fallback", "moon"])
async def test_a_routed_turn_replays(world, destination):
    router = ModelRouter([Domain(destination="stock_agent", name="stock", about="stock")], farewell="Not ours.")
    script = [json.dumps({"destination": destination, "reasoning": "so"}), call("look"), "12 kg."]
    stream = await drained(Agent(ScriptedModel(script), world.tools, router=router).stream("How heavy?"))
    assert e.RouteDecided in kinds(stream)
    await assert_same(stream, world, router=router)


@pytest.mark.parametrize(
    "line", ["/tools", f"/plan {MANY}", '/tool look {"key": "b"}', "/clear", "/nothing", "/tool x"]
)
async def test_a_command_replays_without_being_read_again(world, line):
    stream = await drained(Agent(ScriptedModel([PLAN]), world.tools).stream(line, session_id="s"))
    await assert_same(stream, world)


async def test_a_compacted_transcript_and_a_summarized_history_replay(world):
    history = [UserMessage("long " * 40), AssistantMessage(text="yes " * 40)] * 4
    options = {"profile": Profile(context_tokens=60, keep_recent=2), "history_tokens": 50}
    script = ["Earlier: yes.", "What was before.", call("look"), "So far: a.", call("look", key="b"), *["Done."] * 3]
    stream = await drained(Agent(ScriptedModel(script), world.tools, **options).stream("Go", history=history))
    assert {e.HistoryLoaded, e.ContextCompacted} < set(kinds(stream))
    await assert_same(stream, world, **options)


async def test_a_later_turn_of_a_session_replays_without_its_memory(world):
    agent = Agent(ScriptedModel(["One.", "Two."]), world.tools)
    await agent.run("First", session_id="s")
    stream = await drained(agent.stream("Second", session_id="s"))
    assert len(next(event for event in stream.events if isinstance(event, e.HistoryLoaded)).messages) == 2
    await assert_same(stream, world)


@pytest.mark.parametrize("how", [{}, {"approved": False, "reason": "no"}, {"args": {"name": "mug"}}])
async def test_a_call_that_a_person_decided_about_replays(world, how):
    agent = Agent(
        ScriptedModel([[call("put", name="cup"), call("look"), call("put", name="pot")], "Done."]), world.tools
    )
    stream = await drained(agent.stream("Put it there"))
    await assert_same(stream, world)
    while stream.paused:
        stream = await drained(agent.resume(stream.events, [decide(pending(stream)[0], **how)]))
    assert kinds(stream).count(e.TurnWaiting) == (4 if "args" in how else 2)
    await assert_same(stream, world)


async def test_an_approved_effect_whose_outcome_is_unknown_replays(world):
    agent = Agent(ScriptedModel([call("put", name="cup"), "Done."]), world.tools)
    stream = await drained(agent.stream("Put it there"))
    stream = await drained(agent.resume(stream.events, [decide(pending(stream)[0])]))
    stream = await drained(agent.resume(stream.events[: kinds(stream).index(e.ToolCalled) + 1]))
    (request,) = pending(stream)
    assert (request.preview, request.reason) == ("+ cup", "outcome_unknown")
    await assert_same(stream, world)


@pytest.mark.parametrize("again", [True, False])
async def test_an_effect_whose_outcome_is_unknown_replays(world, again):
    agent = Agent(ScriptedModel([[call("send"), call("look")], "Done."]), world.tools)
    stream = await drained(agent.stream("Send it"))
    assert pending(stream)[0].reason == "outcome_unknown"
    await assert_same(stream, world)
    world.hold.set()
    stream = await drained(agent.resume(stream.events, [decide(pending(stream)[0], again)]))
    assert world.ran.count("send x") == 1 + again
    await assert_same(stream, world)


@pytest.mark.parametrize(
    "limits", [Limits(iterations=2), Limits(tool_calls=1), Limits(tokens=300), Limits(calls_per_step=1, iterations=3)]
)
async def test_a_turn_at_a_limit_replays(world, limits):
    script = [[call("look"), call("look", key="b")], *[call("look", key="c")] * 3, "As far as I got."]
    stream = await drained(Agent(ScriptedModel(script), world.tools, limits=limits).stream("Go"))
    await assert_same(stream, world, limits=limits)


async def test_a_reply_that_took_three_attempts_replays(world):
    away = ModelUnavailable("away")

    async def at_once(_seconds):
        return None

    model = ResilientModel(ScriptedModel([away, away, call("look"), "Done."]), sleep=at_once)
    stream = await drained(Agent(model, world.tools).stream("Go"))
    assert next(event for event in stream.events if isinstance(event, e.ModelResponded)).attempts == 3
    await assert_same(stream, world)


async def test_replies_that_could_not_be_read_replay(world):
    garbled = (GarbledCall(id="1", tool="look", text="{{"),)
    half = Reply(message=AssistantMessage(text="Let me look."), stop="tool_use", garbled=garbled)
    stream = await drained(Agent(ScriptedModel([half, half, "<think>hm", "Fine."]), world.tools).stream("Go"))
    decisions = [event.decision for event in stream.events if isinstance(event, e.ModelResponded)]
    assert "look" in decisions[0].complaint
    assert decisions[1].unreadable
    await assert_same(stream, world)


async def test_questions_beside_the_loop_that_failed_replay(world):
    away = ModelUnavailable("away")
    script = ["It weighs 12.", LACKING, "It weighs 12 kg.", away]
    options = {"planner": True, "reflection": True}
    stream = await drained(Agent(ScriptedModel(script), world.tools, **options).stream(MANY))
    assert stream.response().response == "It weighs 12 kg."
    await assert_same(stream, world, **options)
