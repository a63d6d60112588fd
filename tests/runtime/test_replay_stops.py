"""Replay of turns that were stopped, cut off or failed: the moment comes from the log, what follows is compared."""

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from glassloop import Agent, Limits, ScriptedModel, tool
from glassloop.core import events as e
from glassloop.core.errors import ModelUnavailable, StoreAway, StoreError
from glassloop.models.scripted_model import call
from glassloop.runtime.replay.replay import replay
from loop_clock import pass_time
from properties.strategies import run
from runtime.replaying import Hangs, World, assert_same, drained, kinds
from volatile_store import VolatileStore


class Slow(ScriptedModel):
    """Lets others run before each piece."""

    async def stream(self, request):
        async for chunk in super().stream(request):
            await asyncio.sleep(0)
            yield chunk


@pytest.fixture
def world():
    return World()


@pytest.mark.parametrize(
    "script", [["Well …"], [call("look"), "Well …"], [[call("wait"), call("look")]], [call("wait")]]
)
async def test_a_turn_out_of_time_replays(world, script):
    limits = Limits(seconds=0.05)
    stream = await drained(Agent(Hangs(script), world.tools, limits=limits).stream("Go"))
    assert "limit of 0.05 seconds" in stream.response().response
    await assert_same(stream, world, limits=limits)


async def test_an_effect_cut_off_by_the_time_limit_replays(world):
    @tool(effect="external", integrity="trusted", confidentiality="public")
    async def send() -> str:
        """Sends, and hears nothing."""
        pass_time(30)
        await asyncio.Event().wait()
        return "sent"

    limits = Limits(seconds=30)
    stream = await drained(Agent(ScriptedModel([call("send"), "Done."]), [send], limits=limits).stream("Go"))
    assert stream.paused
    await assert_same(stream, world, tools=[send], limits=limits)


@pytest.mark.parametrize(
    ("script", "on"),
    [
        (["Well …"], e.TextDelta),
        ([call("look"), "Well …"], e.TextDelta),
        ([[call("wait"), call("look")]], e.ToolCalled),
        ([call("send")], e.ToolCalled),
    ],
)
async def test_a_cancelled_turn_replays(world, script, on):
    stream = Agent(Hangs(script), world.tools).stream("Go")
    await drained(stream, on, stream.cancel)
    assert stream.events[-1].status == "cancelled"
    await assert_same(stream, world)


async def test_a_turn_cancelled_before_it_began_replays(world):
    stream = Agent(ScriptedModel(["Hello."]), world.tools, planner=True).stream("Go", session_id="s")
    stream.cancel()
    await drained(stream)
    assert kinds(stream) == [e.TurnStarted, e.TurnFinished]
    await assert_same(stream, world, planner=True)


async def test_a_turn_cancelled_while_it_waited_for_people_replays(world):
    agent = Agent(ScriptedModel([call("put", name="cup")]), world.tools)
    stream = await drained(agent.stream("Put it there"))
    stream = agent.resume(stream.events)
    stream.cancel()
    await drained(stream)
    assert stream.events[-1].status == "cancelled"
    await assert_same(stream, world)


@pytest.mark.parametrize(
    "script", [[ModelUnavailable("away")], [call("look"), ModelUnavailable("")], [ValueError("x")]]
)
async def test_a_turn_that_its_model_failed_replays(world, script):
    stream = await drained(Agent(ScriptedModel(script), world.tools).stream("Go"))
    assert stream.events[-1].status == "failed"
    await assert_same(stream, world)


class Broken:
    """An executor that breaks its promise."""

    def __init__(self, tools):
        tools = Agent(ScriptedModel([]), tools).tools
        self.specs, self.check = tools.specs, tools.check

    async def execute_tool(self, call, context):
        raise ValueError("broken executor")

    async def preview(self, call, context):
        raise KeyError("no preview")


@pytest.mark.parametrize(
    ("script", "status"),
    [
        ([call("look")], "failed"),
        ([call("send")], "failed"),
        ([call("put", name="x")], "failed"),
        ([[call("look"), call("look")], "No."], "completed"),
    ],
)
async def test_a_turn_whose_executor_broke_replays(world, script, status):
    stream = await drained(Agent(ScriptedModel(script), Broken(world.tools)).stream("Go"))
    assert stream.events[-1].status == status
    await assert_same(stream, world)


class Away(VolatileStore):
    """A store that cannot be reached at the commits with these numbers."""

    def __init__(self, error, *commits):
        super().__init__()
        self._error, self._commits, self._count = error, commits, 0

    def append_now(self, turn_id, events):
        return False

    async def append(self, turn_id, events, *, sync=False):
        self._count += 1
        if self._count in self._commits:
            raise self._error
        await super().append(turn_id, events, sync=sync)


@pytest.mark.parametrize(("calls", "commit"), [([call("send")], 2), ([call("look"), call("send"), call("send")], 3)])
async def test_an_effect_that_could_not_be_logged_replays(world, calls, commit):
    store = Away(StoreAway("The disk is full."), commit)
    stream = await drained(Agent(ScriptedModel([calls, "No."]), world.tools, store=store).stream("Go"))
    assert "send x" not in world.ran
    assert stream.response().response == "No."
    await assert_same(stream, world)


@pytest.mark.parametrize("commit", [2, 3])
async def test_a_turn_that_its_store_failed_replays(world, commit):
    store = Away(StoreError("damaged"), commit)
    script = [[call("look"), call("look", key="b")], "Done."]
    stream = await drained(Agent(ScriptedModel(script), world.tools, store=store).stream("Go"))
    assert stream.events[-1].error_type == "db_error"
    await assert_same(stream, world)


@given(st.integers(0, 70), st.sampled_from(["cancelled", "seconds", "task"]), st.booleans())
def test_a_turn_stopped_anywhere_replays(rounds, way, stored):
    script = [[call("wait"), call("wait", key="b"), call("send")], call("look"), "An answer in many small pieces."]
    limits = Limits(seconds=1000.0)

    async def work():
        world = World()
        agent = Agent(Slow(script, chunk=3), world.tools, limits=limits, store=VolatileStore() if stored else None)
        stream = agent.stream("Go", session_id="s")
        task = asyncio.create_task(drained(stream))
        for _ in range(rounds):
            await asyncio.sleep(0)
        if way == "task":
            task.cancel()
        else:
            stream._turn.interrupt(way)
        await asyncio.wait([task])
        await stream.aclose()
        if len(stream.events) > 1:
            await assert_same(stream, world, limits=limits)

    run(work())


async def test_a_model_out_of_time_over_its_verdict_leaves_the_draft_without_one():
    options = {"reflection": True, "limits": Limits(seconds=30)}
    world, now = World(), [1000.0]

    class OutOfTime(Hangs):
        def hangs(self):
            now[0] += 30
            pass_time(30)

    model = OutOfTime(["It weighs 12.", "Well …"])
    agent = Agent(model, world.tools, clock=lambda: now[0], **options)
    stream = await drained(agent.stream("First look at one, then at the other, and then compare both."))
    evaluated = [event for event in stream.events if isinstance(event, e.AnswerEvaluated)]
    assert [(event.accepted, event.evaluation) for event in evaluated] == [(True, None)]
    await assert_same(stream, world, **options)


async def test_time_that_runs_out_while_the_last_answer_is_written_replays(world):
    now = [1000.0]

    class Late(ScriptedModel):
        async def stream(self, request):
            now[0] += 100.0 if request.purpose == "synthesize" else 0.0
            async for chunk in super().stream(request):
                yield chunk

    plan = call("update_plan", steps=[{"tool": "look", "description": "one"}])
    options = {"planner": True, "limits": Limits(iterations=9, seconds=50.0)}
    looks = [call("look", key=str(n)) for n in range(6)]
    model = Late([[plan, looks[0]], *looks[1:], "As far as I got."])
    agent = Agent(model, world.tools, clock=lambda: now[0], **options)
    stream = await drained(agent.stream("Compare them."))
    assert stream.events[-2].reason == "seconds"
    await assert_same(stream, world, **options)


async def test_the_timer_of_a_limit_does_not_interrupt_a_replay(world):
    script = [[call("wait"), call("wait")], "Done."]
    stream = await drained(Agent(ScriptedModel(script), world.tools, clock=lambda: 1000.0).stream("Go"))
    await assert_same(stream, world, limits=Limits(seconds=1e-9))


async def test_a_replay_that_is_cancelled_stops_at_once(world):
    stream = await drained(Agent(ScriptedModel([[call("wait"), call("wait")], "Done."]), world.tools).stream("Go"))
    task = asyncio.create_task(replay(stream.events, Agent(ScriptedModel([]), world.tools)))
    await asyncio.sleep(0)
    assert not task.done()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
