"""Fork: the beginning of a turn goes on as another turn, with something changed, and its effects always ask."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from glassloop import Agent, Approval, Limits, Profile, ScriptedModel, UsageError, tool
from glassloop.core import events as e
from glassloop.core.errors import ModelUnavailable
from glassloop.core.loop.fold import fold
from glassloop.core.messages import AssistantMessage, ToolMessage, UserMessage
from glassloop.core.planning.router import Domain, ModelRouter
from glassloop.models.scripted_model import call
from glassloop.runtime.replay.fork import fork
from glassloop.runtime.replay.replay import replay
from properties.strategies import agent, run, scripts
from runtime.replaying import World, decide, drained, kinds, pending

MANY = "First look at one, then at the other, and then compare both."
PLAN = call("update_plan", steps=[{"tool": "look", "description": "one"}, {"tool": "look", "description": "two"}])


@pytest.fixture
def world():
    return World()


@pytest.fixture
async def turn(world):
    """A turn of three steps: a look, two looks at once, an answer."""
    script = [call("look"), [call("look", key="b"), call("look", key="c")], "All weigh 12 kg."]
    stream = await drained(Agent(ScriptedModel(script), world.tools).stream("How heavy?", session_id="s"))
    return stream.events


def forked(events, step, edits=None, **changes):
    return fork(events, step=step, new_id="t2", session_id="s2", edits=edits, **changes)


async def test_a_fork_goes_on_to_another_answer(turn, world):
    events = forked(turn, 3)
    model = ScriptedModel(["They all weigh the same."])
    stream = await drained(Agent(model, world.tools).resume(events))
    assert stream.response().response == "They all weigh the same."
    calls = [one.action.id for step in stream.response().steps for one in step.calls]
    assert calls == ["call_1", "call_2", "call_3"]
    assert [type(message) for message in model.requests[0].messages] == [
        UserMessage,
        AssistantMessage,
        ToolMessage,
        AssistantMessage,
        ToolMessage,
        ToolMessage,
    ]


@pytest.mark.parametrize(("step", "returned"), [(1, 0), (2, 1), (3, 3)])
async def test_a_fork_keeps_what_was_before_the_reply_of_its_step(turn, step, returned):
    events = forked(turn, step)
    assert [event.seq for event in events] == list(range(1, len(events) + 1))
    assert {event.turn_id for event in events} == {"t2"}
    assert sum(isinstance(event, e.ToolReturned) for event in events) == returned
    assert isinstance(events[1], e.HistoryLoaded)
    state = fold(events)
    assert (state.status, state.iterations, state.open_calls) == ("running", step - 1, 0)


async def test_the_first_event_says_where_the_fork_comes_from(turn):
    first = forked(turn, 2, model="scripted:other", protocol="json")[0]
    last = next(event for event in turn if isinstance(event, e.ToolReturned))
    assert first.forked_from == f"{turn[0].turn_id}:{last.seq}"
    assert first.session_id == "s2"
    assert (first.model, first.protocol) == ("scripted:other", "json")
    assert first.settings["approvals"] == "effects"
    assert first.settings["model"] == "scripted:other"
    assert first.settings["wanted"] == {"assistant": first.assistant, "model": "scripted:other"}
    assert first.settings["limits"] == turn[0].settings["limits"]
    assert "model" not in forked(turn, 2)[0].settings


async def test_the_clock_of_a_fork_goes_on_from_the_time_that_was_worked(world):
    now = [1000.0]
    made = Agent(ScriptedModel([call("put", name="cup"), "Done."]), world.tools, clock=lambda: now[0])
    stream = await drained(made.stream("Put it there"))
    now[0] += 7 * 86_400
    resumed = made.resume(stream.events, [decide(pending(stream)[0])])
    now[0] += 5.0
    stream = await drained(resumed)
    events = forked(stream.events, 2, clock=lambda: 9e9)
    assert [event.at for event in events] == sorted(event.at for event in events)
    assert (events[-1].at, fold(events).started_at) == (9e9, 9e9 - 5.0)


async def test_every_effect_of_a_fork_asks_first():
    written = []

    @tool(effect="write", integrity="trusted")
    async def put(name: str) -> str:
        """Says nothing about asking."""
        written.append(name)
        return f"put {name}"

    script = [call("put", name="cup"), call("put", name="pot"), "Both are there."]
    stream = await drained(Agent(ScriptedModel(script), [put]).stream("Put both there"))
    assert written == ["cup", "pot"]
    made = Agent(ScriptedModel([call("put", name="mug"), "Three now."]), [put])
    stream = await drained(made.resume(forked(stream.events, 2)))
    assert stream.paused
    assert written == ["cup", "pot"]
    stream = await drained(made.resume(stream.events, [decide(pending(stream)[0])]))
    assert written == ["cup", "pot", "mug"]
    report = await replay(stream.events, Agent(ScriptedModel([]), [put]))
    assert report.differences == ()


async def test_claims_pauses_and_resumes_are_left_out_and_decisions_kept(world):
    made = Agent(ScriptedModel([call("put", name="cup"), "Done."]), world.tools)
    stream = await drained(made.stream("Put it there"))
    claim = e.TurnClaimed(turn_id=stream.turn_id, seq=len(stream.events) + 1, at=0.0, worker="w", epoch=1)
    changed = decide(pending(stream)[0], args={"name": "mug"})
    stream = await drained(made.resume([*stream.events, claim], [changed]))
    stream = await drained(made.resume(stream.events, [decide(pending(stream)[0])]))
    events = forked(stream.events, 2)
    assert not {e.TurnClaimed, e.TurnWaiting, e.TurnResumed} & {type(event) for event in events}
    assert "changed the arguments" in fold(events).messages[-1].content


async def test_an_observation_can_be_edited(turn, world):
    model = ScriptedModel(["Half a ton."])
    stream = await drained(Agent(model, world.tools).resume(forked(turn, 2, {"step1": "It weighs 500 kg."})))
    assert model.requests[0].messages[-1].content == "It weighs 500 kg."
    assert stream.response().steps[0].observation.metadata == {"edited": True}


async def test_of_several_observations_of_a_step_the_one_that_is_named_is_edited(turn):
    events = forked(turn, 3, {"step2.call_3": "7 kg", "step1": "9 kg"})
    outputs = {event.call_id: event.result.output for event in events if isinstance(event, e.ToolReturned)}
    assert (outputs["call_1"], outputs["call_3"]) == ("9 kg", "7 kg")
    assert "12 kg" in outputs["call_2"]


async def test_an_edited_question_is_routed_and_planned_anew_in_the_same_conversation(world):
    router = ModelRouter([Domain(destination="stock_agent", name="stock", about="stock")], farewell="Not ours.")
    routed = json.dumps({"destination": "stock_agent", "reasoning": "so"})
    options = {"router": router, "planner": True}
    first = Agent(ScriptedModel(["Hello."]), world.tools)
    await first.run("Hi", session_id="s")
    made = Agent(ScriptedModel([routed, [PLAN, call("look")], "12 kg."]), world.tools, memory=first.memory, **options)
    stream = await drained(made.stream(MANY, session_id="s"))
    assert {e.HistoryLoaded, e.RouteDecided, e.PlanMade} < set(kinds(stream))
    events = forked(stream.events, 1, {"question": "How long is it?"})
    assert [type(event) for event in events] == [e.TurnStarted, e.HistoryLoaded]
    assert len(forked(stream.events, 1)) == 5
    model = ScriptedModel([routed, "A metre."])
    stream = await drained(Agent(model, world.tools, **options).resume(events))
    assert {e.RouteDecided, e.PlanMade} < set(kinds(stream))
    assert [message.content for message in model.requests[1].messages if isinstance(message, UserMessage)] == [
        "Hi",
        "How long is it?",
    ]


async def test_an_edited_question_leaves_the_steps_and_drops_the_plan_they_followed(world):
    script = [[PLAN, call("look")], call("look", key=5), "12 kg."]
    stream = await drained(Agent(ScriptedModel(script), world.tools, planner=True).stream(MANY))
    assert e.PlanAdjusted in kinds(stream)
    events = forked(stream.events, 3, {"question": "How long is it?"})
    assert not {e.PlanMade, e.PlanAdjusted} & {type(event) for event in events}
    model = ScriptedModel(["A metre."])
    stream = await drained(Agent(model, world.tools, planner=True).resume(events))
    assert stream.response().response == "A metre."
    assert [type(message) for message in model.requests[0].messages] == [
        *[UserMessage, AssistantMessage, ToolMessage],
        *[ToolMessage, AssistantMessage, ToolMessage],
    ]
    assert (await replay(stream.events, Agent(ScriptedModel([]), world.tools, planner=True))).differences == ()


@pytest.mark.parametrize(
    ("edits", "said"),
    [
        ({"step2": "x"}, "Step 2 has 2 call"),
        ({"step2.nobody": "x"}, "step2.call_2, step2.call_3"),
        ({"step3": "x"}, "does not include"),
        ({"step9": "x"}, "does not include"),
        ({"answer": "x"}, "'answer' cannot be edited"),
        ({"step": "x"}, "stepN"),
        ({"question": " "}, "empty"),
        ({"question": "/clear"}, "command"),
        ({"question": "x" * 200_001}, "longer than 200,000"),
    ],
)
async def test_an_edit_of_what_is_not_kept_is_refused_in_one_sentence(turn, edits, said):
    with pytest.raises(UsageError, match=said):
        forked(turn, 3, edits)


@pytest.mark.parametrize("step", [0, -1, 4])
async def test_a_step_that_does_not_exist_is_refused_with_those_there_are(turn, step):
    with pytest.raises(UsageError, match="steps 1 to 3"):
        forked(turn, step)


async def test_what_went_into_a_summary_cannot_be_edited_any_more(world):
    profile = Profile(context_tokens=60, keep_recent=2)
    script = [call("look"), call("look", key="b"), "So far: a.", *["Done."] * 4]
    stream = await drained(Agent(ScriptedModel(script), world.tools, profile=profile).stream("Go " * 40))
    compacted = next(event for event in stream.events if isinstance(event, e.ContextCompacted))
    step = next(x.step for x in stream.events if isinstance(x, e.ModelResponded) and x.seq > compacted.seq)
    for edits in ({"step1": "x"}, {"question": "x"}):
        with pytest.raises(UsageError, match=f"summarised at event {compacted.seq}"):
            forked(stream.events, step, edits)
    assert fold(forked(stream.events, step)).compactions == 1


async def test_a_turn_that_failed_at_once_can_be_forked_to_another_model(world):
    stream = await drained(Agent(ScriptedModel([ModelUnavailable("away")]), world.tools, planner=True).stream("Go"))
    assert stream.events[-1].status == "failed"
    events = forked(stream.events, 1, model="other")
    assert [type(event) for event in events] == [e.TurnStarted, e.PlanMade]
    with pytest.raises(UsageError, match="one step, 1"):
        forked(stream.events, 2)
    stream = await drained(Agent(ScriptedModel(["Here I am."]), world.tools, planner=True).resume(events))
    assert stream.response().response == "Here I am."


async def test_a_farewell_is_no_part_of_a_fork(world):
    router = ModelRouter([Domain(destination="stock_agent", name="stock", about="stock")], farewell="Not ours.")
    stream = await drained(
        Agent(ScriptedModel(['{"destination": "fallback"}']), world.tools, router=router).stream("Go")
    )
    assert [type(event) for event in forked(stream.events, 1)] == [e.TurnStarted]


async def test_a_command_cannot_be_forked(world):
    stream = await drained(Agent(ScriptedModel([]), world.tools).stream("/tools"))
    with pytest.raises(UsageError, match="'/tools'"):
        forked(stream.events, 1)


async def test_a_synthesis_can_be_made_again(world):
    stream = await drained(
        Agent(ScriptedModel([call("look"), "As far as I got."]), world.tools, max_iterations=1).stream("Go")
    )
    made = Agent(ScriptedModel(["In other words."]), world.tools, limits=Limits(iterations=1))
    stream = await drained(made.resume(forked(stream.events, 2)))
    assert stream.response().response.startswith("In other words.")


async def test_a_fork_of_a_fork_replays(turn, world):
    stream = await drained(Agent(ScriptedModel([call("look", key="d"), "Four."]), world.tools).resume(forked(turn, 2)))
    again = fork(stream.events, step=3, new_id="t3", session_id="s3", edits={"step2": "3 kg", "question": "How light?"})
    stream = await drained(Agent(ScriptedModel(["Three."]), world.tools, planner=True).resume(again))
    assert stream.events[0].forked_from.startswith("t2:")
    report = await replay(stream.events, Agent(ScriptedModel([]), world.tools, planner=True))
    assert (report.differences, report.compared) == ((), len(stream.events) - len(again) - 1)


@given(scripts, st.data())
def test_every_step_of_any_turn_can_be_forked_and_goes_on(script, data):
    async def work():
        events = (await drained(agent(script).stream("What is it?"))).events
        steps = {event.step for event in events if isinstance(event, e.ModelResponded)}
        begun = forked(events, data.draw(st.sampled_from(sorted(steps))))
        assert fold(begun).open_calls == 0
        made = agent(data.draw(scripts))
        stream = await drained(made.resume(begun))
        while stream.paused:
            refused = [
                Approval(call_id=request.call.id, digest=request.digest, approved=False) for request in pending(stream)
            ]
            stream = await drained(made.resume(stream.events, refused))
        assert stream.events[-1].status == "completed"
        kept = {x.call.id for x in begun if isinstance(x, e.ToolCalled)}
        ran = [x for x in stream.events[len(begun) :] if isinstance(x, e.ToolCalled)]
        assert all(x.effect == "read" and x.call.id not in kept for x in ran)
        assert (await replay(stream.events, agent([]))).differences == ()

    run(work())
