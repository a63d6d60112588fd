"""Sub-agents: child turns inside their parent's log, with its budget, its approvals, its cancel and its end."""

import asyncio
from collections import Counter

import pytest
from pydantic import BaseModel

from glassloop import (
    Agent,
    Answer,
    Approval,
    Limits,
    Profile,
    ScriptedModel,
    Stop,
    ToolContext,
    TurnPaused,
    guardrail,
    tool,
)
from glassloop.core import events as e
from glassloop.core.messages import AssistantMessage, Reply, Usage
from glassloop.models.scripted_model import call
from glassloop.projections.pending_approvals import pending, unanswered
from glassloop.runtime.replay.fork import fork
from glassloop.runtime.replay.replay import replay
from volatile_store import VolatileStore


class Work:
    """Tools, and what they did."""

    def __init__(self):
        self.done = Counter()
        self.reached, self.gate = asyncio.Event(), asyncio.Event()
        done = self.done

        @tool(effect="read", integrity="trusted", volatile=True)
        async def population(city: str) -> int:
            """How many people live there."""
            return {"Bern": 134_794, "Basel": 178_120}[city]

        @tool(effect="write", integrity="trusted")
        async def note(text: str, context: ToolContext) -> str:
            """Write a note."""
            done[context.idempotency_key] += 1
            return f"noted {text}"

        @tool(effect="write", integrity="trusted", confirm=True)
        async def publish(text: str, context: ToolContext) -> str:
            """Publish a text."""
            done[context.idempotency_key] += 1
            return f"published {text}"

        @tool(effect="write", integrity="trusted")
        async def hold(context: ToolContext) -> str:
            """Wait for the gate."""
            done[context.idempotency_key] += 1
            self.reached.set()
            await self.gate.wait()
            return "held"

        self.tools = [population, note, publish, hold]

    def agent(self, *script, **given):
        return Agent(ScriptedModel(script), self.tools, **given)


@pytest.fixture
def work():
    return Work()


def make_tree(work):
    """Two children side by side, one of which asks; the other has a child of its own."""
    inner = work.agent(call("note", text="inner"), "Noted inside.", name="inner")
    first = [call("population", city="Bern"), call("inner", task="note it")]
    model = ScriptedModel([first, "Bern has 134,794, dogs 777."])
    reader = Agent(model, [*work.tools, inner], name="reader")
    writer = work.agent(call("note", text="a"), call("publish", text="b"), "It is out.", name="writer")
    both = [call("reader", task="Bern?"), call("writer", task="publish")]
    return Agent(ScriptedModel([both, "Bern has 134,794 people and 777 dogs."]), [reader.as_tool(), writer.as_tool()])


def allow(request):
    return Approval(call_id=request.call.id, digest=request.digest, approved=True)


async def run_tree(work):
    """The whole tree to its end, and its log."""
    agent = make_tree(work)
    with pytest.raises(TurnPaused) as paused:
        await agent.run("How many live in Bern?")
    stream = agent.resume(paused.value.events, [allow(one) for one in paused.value.pending])
    return await stream.result(), stream.events


def replies(events):
    return [told for event in events if isinstance(told := e.innermost(event), e.ModelResponded)]


async def test_children_run_side_by_side_and_their_work_is_the_parents(work):
    result, events = await run_tree(work)
    assert [child.assistant for child in result.children] == ["reader", "writer"]
    assert [child.status for child in result.children] == ["completed", "completed"]
    assert result.children[0].steps[0].children[0].answer == "Noted inside."
    assert sorted(work.done.values()) == [1, 1, 1]
    used = [reply.usage for reply in replies(events)]
    assert result.usage.input_tokens == sum(one.input_tokens for one in used) == events[-1].input_tokens
    assert result.usage.output_tokens == sum(one.output_tokens for one in used)
    started = [told for event in events if isinstance(told := e.innermost(event), e.TurnStarted)]
    ids = {one.assistant: one.turn_id for one in started}
    assert {one.assistant: one.parent_turn_id for one in started} == {
        "assistant": None,
        "reader": ids["assistant"],
        "writer": ids["assistant"],
        "inner": ids["reader"],
    }


async def test_a_figure_of_a_childs_answer_is_traced_to_what_the_child_observed(work):
    result, _ = await run_tree(work)
    people, dogs = result.evidence.figures
    assert (people.source, people.origin) == ("1-call_1", "call")
    assert dogs.source is None


async def test_an_approval_inside_a_child_pauses_the_whole_turn_while_the_others_go_on(work):
    with pytest.raises(TurnPaused) as paused:
        await make_tree(work).run("How many live in Bern?")
    (request,) = paused.value.pending
    log = paused.value.events
    assert (request.call.tool, request.turn_id) == ("publish", log[0].turn_id)
    assert list(pending(log)) == [request]
    assert isinstance(log[-1], e.TurnWaiting)
    assert log[-1].call_ids == (request.call.id,)
    assert [event.call_id for event in log if isinstance(event, e.ToolReturned)] == ["call_1"]


async def test_a_tree_replays_without_a_difference(work):
    _, events = await run_tree(work)
    report = await replay(events, make_tree(Work()))
    assert not report.differences
    assert report.compared > len(replies(events))


@pytest.mark.parametrize("every", [6, pytest.param(1, marks=pytest.mark.slow)])
async def test_a_tree_cut_off_after_any_event_does_everything_once(work, every):
    _, whole = await run_tree(work)
    for cut in range(1, len(whole), every):
        again = Work()
        events, asked = whole[:cut], ()
        for _ in range(12):
            # A new process: its scripts go on where the log is.
            agent = make_tree(again)
            _skip(agent, events)
            stream = agent.resume(events, asked)
            await stream.drain()
            events = stream.events
            if not stream.paused:
                break
            asked = [allow(one) for one in stream.pending]
        assert events[-1].status == "completed", (cut, events[-1])
        intents = [told.call for event in events if isinstance(told := e.innermost(event), e.ToolCalled)]
        again_asked = [one for event in events if isinstance(one := e.innermost(event), e.ApprovalRequested)]
        doubted = sum(one.reason == "outcome_unknown" for one in again_asked)
        effects = [one for one in intents if one.tool in ("note", "publish")]
        assert len(effects) == 3 + doubted, cut
        assert events[-1].input_tokens == sum(reply.usage.input_tokens for reply in replies(events))
        assert len(replies(events)) == len(replies(whole))
        report = await replay(events, make_tree(Work()))
        assert not report.differences, (cut, report)


def _skip(agent, events):
    """Takes from each agent's script what its replies in the log are."""
    said = Counter()
    names = {}
    for event in events:
        told = e.innermost(event)
        if isinstance(told, e.TurnStarted):
            names[told.turn_id] = told.assistant
        elif isinstance(told, e.ModelResponded):
            said[names[told.turn_id]] += 1
    waiting = [agent]
    while waiting:
        one = waiting.pop()
        for _ in range(said[one.profile.name]):
            next(one.models["balanced"]._script)
        waiting += [each.agent for each in one._ports.sub_agents.values()]


async def test_one_cancel_ends_the_tree_with_every_call_closed(work):
    child = work.agent(call("hold"), "Held.", name="child")
    other = work.agent(call("publish", text="x"), "Out.", name="other")
    calls = [call("child", task="hold"), call("other", task="publish")]
    agent = Agent(ScriptedModel([calls, "Done."]), [child.as_tool(), other.as_tool()])
    stream = agent.stream("go")
    seen = []
    async for event in stream:
        seen.append(event)
        asked = isinstance(e.innermost(event), e.ApprovalRequested)
        if asked:
            await work.reached.wait()
            stream.cancel()
    ends = [(told.turn_id, told.status) for event in seen if isinstance(told := e.innermost(event), e.TurnFinished)]
    assert [status for _, status in ends] == ["cancelled"] * 3
    called = Counter(told.call.id for event in seen if isinstance(told := e.innermost(event), e.ToolCalled))
    returned = Counter(told.call_id for event in seen if isinstance(told := e.innermost(event), e.ToolReturned))
    assert called.keys() <= returned.keys()
    assert set(returned.values()) == {1}
    held = next(t for x in seen if isinstance(t := e.innermost(x), e.ToolReturned) and t.call_id == "1-call_1")
    assert held.result.effect_unknown
    assert not pending(stream.events)
    again = work.agent(call("hold"), "Held.", name="child"), work.agent(call("publish", text="x"), "Out.", name="other")
    assert not (await replay(stream.events, Agent(agent.models, [one.as_tool() for one in again]))).differences


async def test_a_paused_tree_can_be_cancelled(work):
    agent = make_tree(work)
    paused = agent.stream("How many live in Bern?")
    await paused.drain()
    stream = agent.resume(paused.events)
    stream.cancel()
    await stream.drain()
    assert stream.events[-1].status == "cancelled"
    assert not pending(stream.events)
    assert not (await replay(stream.events, make_tree(Work()))).differences


async def test_time_that_runs_out_during_a_childs_effect_asks_what_became_of_it(work):
    child = work.agent(call("hold"), "Held.", name="child")
    agent = Agent(ScriptedModel([call("child", task="hold"), "Done."]), [child.as_tool()], limits=Limits(seconds=0.2))
    stream = agent.stream("go")
    await stream.drain()
    assert stream.paused
    (request,) = stream.pending
    assert (request.call.tool, request.reason) == ("hold", "outcome_unknown")
    refused = Approval(call_id=request.call.id, digest=request.digest, approved=False)
    resumed = agent.resume(stream.events, [refused])
    await resumed.drain()
    assert resumed.events[-1].status == "completed"
    assert sum(work.done.values()) == 1


async def test_a_question_that_is_handed_over_is_answered_by_the_other_with_its_evidence(work):
    billing = work.agent(call("population", city="Basel"), "It is 178,120.", name="billing desk")
    model = ScriptedModel([call("transfer_to_billing_desk", note="asks for Basel")])
    result = await Agent(model, handoffs=[billing]).run("How many live in Basel?")
    assert result.text == "It is 178,120."
    assert len(model.requests) == 1
    assert result.evidence.figures[0].source == "1-call_1"
    assert result.children[0].question == "How many live in Basel?"


async def test_a_handed_over_conversation_is_told_to_the_other():
    other = ScriptedModel(["Your name is Ada."])
    agent = Agent(ScriptedModel(["Hello Ada.", call("transfer_to_other")]), handoffs=[Agent(other, name="other")])
    await agent.run("I am Ada.", session_id="s")
    result = await agent.run("Who am I?", session_id="s")
    assert result.text == "Your name is Ada."
    told = [getattr(message, "content", "") for message in other.requests[0].messages]
    assert "I am Ada." in told
    assert told[-1] == "Who am I?"


async def test_a_child_that_fails_is_an_error_that_the_parent_can_react_to():
    broken = Agent(ScriptedModel([]), name="broken")
    model = ScriptedModel([call("broken", task="try"), "It did not work."])
    result = await Agent(model, [broken.as_tool()]).run("go")
    assert result.text == "It did not work."
    observation = result.steps[0].observation
    assert not observation.success
    assert "'broken' did not answer" in observation.error


async def test_an_agent_that_calls_itself_ends_at_a_depth():
    model = ScriptedModel([*[call("again", task="deeper")] * 4, *["Done."] * 4])
    itself = Agent(model, name="again").as_tool()
    itself.agent = Agent(model, [itself], name="again")
    result = await itself.agent.run("go")
    depth, steps = 0, result.steps
    while steps and steps[0].children:
        depth, steps = depth + 1, steps[0].children[0].steps
    assert depth == 3
    assert "nested 3 deep" in steps[0].observation.error


async def test_a_childs_limits_are_its_share_of_what_is_left(work):
    child = work.agent("A.", name="child", limits=Limits(tool_calls=50, tokens=100_000))
    other = work.agent("B.", name="other")
    calls = [call("child", task="a"), call("other", task="b")]
    usage = Usage(input_tokens=900, output_tokens=100, cost=0.4)
    first = Reply(message=AssistantMessage(calls=tuple(calls)), usage=usage, stop="tool_use", model="scripted")
    limits = Limits(tokens=31_000, cost=1.0, tool_calls=12, seconds=60)
    agent = Agent(ScriptedModel([first, "Done."]), [child.as_tool(), other.as_tool()], limits=limits)
    stream = agent.stream("go")
    await stream.drain()
    given = [told.settings["limits"] for x in stream.events[1:] if isinstance(told := e.innermost(x), e.TurnStarted)]
    assert [one["tokens"] for one in given] == [10_000, 10_000]
    assert [one["tool_calls"] for one in given] == [5, 5]
    assert [round(one["cost"], 6) for one in given] == [0.2, 0.2]
    assert all(0 < one["seconds"] <= 60 for one in given)


async def test_of_two_profiles_the_stricter_approvals_count(work):
    child = work.agent(call("note", text="x"), "Noted.", name="child")
    model = ScriptedModel([call("child", task="note"), "Done."])
    agent = Agent(model, [child.as_tool()], profile=Profile(approvals="effects"))
    with pytest.raises(TurnPaused) as paused:
        await agent.run("go")
    assert [one.call.tool for one in paused.value.pending] == ["note"]


async def test_dependencies_go_down_and_a_typed_childs_value_comes_up():
    class City(BaseModel):
        name: str
        people: int

    class Wanted(BaseModel):
        city: str

    @tool(effect="read", integrity="trusted")
    async def count(context: ToolContext[dict[str, int]]) -> int:
        """Count."""
        return context.deps["Bern"]

    model = ScriptedModel([call("count"), '{"name": "Bern", "people": 7}'])
    child = Agent(model, [count], output_type=City, name="census")
    parent = ScriptedModel([call("census", city="Bern"), "7."])
    agent = Agent(parent, [child.as_tool(input=Wanted)])
    result = await agent.run("go", deps={"Bern": 7})
    assert result.steps[0].observation.data == {"name": "Bern", "people": 7}
    assert result.children[0].question == '{"city":"Bern"}'
    assert result.children[0].steps[0].observation.output == "7"


async def test_a_worker_that_must_go_leaves_children_where_their_phase_ends(work):
    child = work.agent(call("hold"), call("note", text="after"), "Held.", name="child")
    store = VolatileStore()
    model = ScriptedModel([call("child", task="hold"), "Done."])
    agent = Agent(model, [child.as_tool()], store=store)
    stream = agent.stream("go")
    running = asyncio.create_task(stream.drain())
    await work.reached.wait()
    stream._turn.stop_after_phase()
    work.gate.set()
    await running
    last = stream.events[-1]
    assert isinstance(last, e.ChildRecorded)
    assert isinstance(last.event, e.ToolReturned)
    resumed = agent.resume(stream.events)
    await resumed.drain()
    assert resumed.events[-1].status == "completed"
    assert sum(work.done.values()) == 2


async def test_a_question_of_a_child_is_answered_for_the_whole_turn(work):
    child = work.agent(call("ask_user", question="Which city?"), "Bern it is.", name="child", ask_user=True)
    agent = Agent(ScriptedModel([call("child", task="choose"), "Bern."]), [child.as_tool()])
    with pytest.raises(TurnPaused) as paused:
        await agent.run("go")
    (question,) = paused.value.questions
    assert (question.question, question.turn_id) == ("Which city?", paused.value.turn_id)
    assert unanswered(paused.value.events) == (question,)
    stream = agent.resume(paused.value.events, answers=[Answer(call_id=question.call_id, text="Bern")])
    result = await stream.result()
    assert result.text == "Bern."
    assert "Bern" in result.children[0].steps[0].observation.output
    again = work.agent(call("ask_user", question="Which city?"), "Bern it is.", name="child", ask_user=True)
    assert not (await replay(stream.events, Agent(agent.models, [again.as_tool()]))).differences


async def test_a_guardrail_of_the_parent_sees_what_a_child_answers(work):
    @guardrail("result")
    async def no_figures(result):
        return Stop("no figures") if "134" in result.output else None

    child = work.agent("There are 134.", name="child")
    model = ScriptedModel([call("child", task="count"), "I cannot say."])
    agent = Agent(model, [child.as_tool()], guardrails=[no_figures])
    result = await agent.run("go")
    assert "134" not in result.steps[0].observation.text


async def test_a_fork_keeps_the_children_that_are_done(work):
    _, events = await run_tree(work)
    forked = fork(events, step=2, new_id="f", session_id="s")
    agent = Agent(ScriptedModel(["Again."]), make_tree(Work()).tools)
    stream = agent.resume(forked)
    await stream.drain()
    assert stream.response().response == "Again."
    assert stream.events[-1].input_tokens == events[-1].input_tokens
