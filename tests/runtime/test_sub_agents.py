"""Sub-agents on every store and scheduler: approvals, grants, secrets and totals go through the one log of a turn."""

import pytest

from glassloop import Agent, Approval, ScriptedModel
from glassloop.core import events as e
from glassloop.core.errors import ApprovalMismatch, UsageError
from glassloop.models.scripted_model import call
from glassloop.projections.pending_approvals import pending
from waiting import until

SECRET = "sk-" + "a1B2c3D4" * 4


async def told(runtime, submitted, after=0):
    return [event async for event in runtime.watch(submitted.turn_id, after=after) if type(event) not in e.TRANSIENT]


def add_child(bench, *script):
    child = Agent(ScriptedModel(script), list(bench.tools), name="clerk")
    bench.tools.append(child.as_tool())


async def test_what_a_sub_agent_asks_is_decided_for_the_turn_and_may_count_for_the_session(place, opens, bench):
    add_child(bench, call("write", text=SECRET), "Written.", call("write", text="again"), "Written again.")
    script = [call("clerk", task="write"), "1.", call("clerk", task="write again"), "2."]
    runtime = await opens(place, script)
    submitted = await runtime.submit("Write", session_id="s", user="ann")
    events = await told(runtime, submitted)
    (request,) = pending(events)
    assert SECRET not in str(events)
    assert request.turn_id == submitted.turn_id
    decision = Approval(call_id=request.call.id, digest=request.digest, approved=True, by="ann", for_session=True)
    assert await runtime.approve(submitted.turn_id, [decision])
    events = await told(runtime, submitted, after=events[-1].seq)
    assert events[-1].status == "completed"
    assert bench.written == [SECRET]
    row = await runtime.turn(submitted.turn_id)
    assert (row.input_tokens, row.output_tokens) == (events[-1].input_tokens, events[-1].output_tokens)
    stored = await runtime.store.turns.read(submitted.turn_id)
    used = [x.usage for event in stored if isinstance(x := e.innermost(event), e.ModelResponded)]
    assert row.input_tokens == sum(usage.input_tokens for usage in used)
    assert len(used) == 4
    again = await told(runtime, await runtime.submit("Write again", session_id="s", user="ann"))
    assert again[-1].status == "completed"
    assert bench.written == [SECRET, "again"]
    decided = [x.scope for event in again if isinstance(x := e.innermost(event), e.ApprovalDecided)]
    assert decided == ["granted"]


async def test_what_a_sub_agent_asks_is_decided_only_when_the_whole_turn_waits(place, opens, bench):
    add_child(bench, call("write", text="x"), "Written.")
    holder = Agent(ScriptedModel([call("strike", text="h"), "Held."]), list(bench.tools), name="holder")
    bench.tools.append(holder.as_tool())
    runtime = await opens(place, [[call("clerk", task="write"), call("holder", task="hold")], "Done."])
    submitted = await runtime.submit("go", session_id="s")

    async def asked():
        return pending(await runtime.store.turns.read(submitted.turn_id))

    (request,) = await until(asked, "the clerk asks")
    await bench.reached.wait()
    decision = Approval(call_id=request.call.id, digest=request.digest, approved=True)
    with pytest.raises(ApprovalMismatch, match="is not waiting yet"):
        await runtime.approve(submitted.turn_id, [decision])
    bench.gate.set()
    events = await told(runtime, submitted)
    assert isinstance(events[-1], e.TurnWaiting)
    assert await runtime.approve(submitted.turn_id, [decision])
    assert (await told(runtime, submitted, after=events[-1].seq))[-1].status == "completed"
    assert sorted(bench.written) == ["h", "x"]


def test_an_agent_with_its_own_executor_cannot_hand_over():
    class Executor:
        specs = {}

        async def execute_tool(self, call, context): ...

    with pytest.raises(UsageError, match="tools as a list"):
        Agent(ScriptedModel([]), Executor(), handoffs=[Agent(ScriptedModel([]))])
