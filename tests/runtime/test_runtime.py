"""The contract of the runtime, on both stores and both schedulers."""

import asyncio

import msgspec
import pytest

from glassloop import Approval
from glassloop.core import events as e
from glassloop.core.errors import ApprovalMismatch, TooManyTurns, UnknownName, UsageError
from glassloop.models.scripted_model import call
from glassloop.projections.response import respond
from glassloop.runtime.assistants.agents import AgentKey
from glassloop.runtime.settings import Settings
from glassloop.store.errors import SessionBusy
from runtime.conftest import close
from waiting import until


def durable(events):
    return [event for event in events if type(event) not in e.TRANSIENT]


async def watched(runtime, turn_id, **options):
    async with asyncio.timeout(60):
        return [event async for event in runtime.watch(turn_id, **options)]


async def status_of(runtime, turn_id):
    return (await runtime.store.turns.get(turn_id)).status


async def test_a_turn_runs_to_its_answer_and_everything_shown_is_stored(place, opens):
    runtime = await opens(place, [call("look"), "It is 42."])
    submitted = await runtime.submit("What is a?")
    events = durable(await watched(runtime, submitted.turn_id))
    assert list(await runtime.store.turns.read(submitted.turn_id)) == events
    assert respond(events).response == "It is 42."
    assert events[-1].status == "completed"
    assert await status_of(runtime, submitted.turn_id) == "completed"
    assert await until(lambda: runtime.running == 0)


async def test_a_turn_runs_on_when_nobody_watches(place, opens):
    runtime = await opens(place, ["Done."])
    submitted = await runtime.submit("Hi")

    async def finished():
        return await status_of(runtime, submitted.turn_id) == "completed"

    await until(finished)


async def test_watchers_see_the_same_and_a_late_one_goes_on_where_it_left_off(place, opens, bench):
    runtime = await opens(place, [call("look"), call("hold"), "Done."])
    submitted = await runtime.submit("Hi")
    first = asyncio.create_task(watched(runtime, submitted.turn_id))
    second = asyncio.create_task(watched(runtime, submitted.turn_id))
    await bench.reached.wait()
    bench.gate.set()
    whole = durable(await first)
    assert durable(await second) == whole
    for cut in range(len(whole)):
        rest = durable(await watched(runtime, submitted.turn_id, after=cut))
        assert [e.encode(event) for event in rest] == [e.encode(event) for event in whole[cut:]]


async def test_what_is_shown_live_is_what_is_stored_without_secrets(place, opens):
    runtime = await opens(place, ["Your key is sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789."])
    submitted = await runtime.submit("My key is sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789, remember it")
    live = durable(await watched(runtime, submitted.turn_id))
    assert live == list(await runtime.store.turns.read(submitted.turn_id))
    assert "abcdefghijklmnop" not in str(live)


async def test_a_second_question_waits_for_the_first_unless_it_supersedes_it(place, opens, bench):
    runtime = await opens(place, [call("hold"), "Second."])
    first = await runtime.submit("One", session_id="s")
    await bench.reached.wait()
    with pytest.raises(SessionBusy, match="supersede") as refused:
        await runtime.submit("Two", session_id="s")
    assert refused.value.turn_id == first.turn_id
    second = await runtime.submit("Two", session_id="s", supersedes=True)
    events = await watched(runtime, second.turn_id)
    assert respond(durable(events)).response == "Second."
    ended = await watched(runtime, first.turn_id)
    assert ended[-1].status == "cancelled"


async def test_a_session_may_ask_so_often_a_minute_and_no_more(place, opens):
    settings, queue = place
    few = msgspec.structs.replace(settings, session_rate=2)
    runtime = await opens((few, queue), ["1", "2", "3"])
    for _ in range(2):
        await watched(runtime, (await runtime.submit("Hi", session_id="s")).turn_id)
    with pytest.raises(TooManyTurns) as refused:
        await runtime.submit("Hi", session_id="s")
    assert 0 < refused.value.retry_after <= 60
    await watched(runtime, (await runtime.submit("Hi", session_id="other")).turn_id)


async def test_a_user_may_have_so_many_turns_at_once_and_waiting_ones_do_not_count(place, opens, bench):
    settings, queue = place
    few = msgspec.structs.replace(settings, user_turns=1)
    runtime = await opens((few, queue), [call("write", text="x"), call("hold"), "Done.", "Other."])
    waiting = await runtime.submit("Write", user="ann")
    await watched(runtime, waiting.turn_id)
    holding = await runtime.submit("Hold", user="ann")
    await bench.reached.wait()
    with pytest.raises(TooManyTurns):
        await runtime.submit("More", user="ann")
    bench.gate.set()
    await watched(runtime, holding.turn_id)
    await watched(runtime, (await runtime.submit("More", user="ann")).turn_id)


async def test_an_approval_survives_a_restart_and_the_call_runs_exactly_once(shared, opens, bench):
    first = await opens(shared, [call("write", text="x")])
    submitted = await first.submit("Write x", session_id="s")
    events = durable(await watched(first, submitted.turn_id))
    assert isinstance(events[-1], e.TurnWaiting)
    assert await until(lambda: first.running == 0)
    request = next(event for event in events if isinstance(event, e.ApprovalRequested))
    await close(first)
    second = await opens(shared, ["Written."])
    assert bench.written == []
    with pytest.raises(ApprovalMismatch):
        await second.approve(submitted.turn_id, [Approval(call_id=request.call.id, digest="0" * 64, approved=True)])
    approval = Approval(call_id=request.call.id, digest=request.digest, approved=True, by="ann")
    assert await second.approve(submitted.turn_id, [approval])
    rest = durable(await watched(second, submitted.turn_id, after=events[-1].seq))
    assert respond([*events, *rest]).response == "Written."
    assert bench.written == ["x"]
    with pytest.raises(UsageError):
        await second.approve(submitted.turn_id, [approval])
    assert bench.written == ["x"]


async def test_a_refused_call_never_runs(place, opens, bench):
    runtime = await opens(place, [call("write", text="x"), "I left it."])
    submitted = await runtime.submit("Write x")
    events = durable(await watched(runtime, submitted.turn_id))
    request = next(event for event in events if isinstance(event, e.ApprovalRequested))
    refusal = Approval(call_id=request.call.id, digest=request.digest, approved=False, reason="not today")
    await runtime.approve(submitted.turn_id, [refusal])
    rest = durable(await watched(runtime, submitted.turn_id, after=events[-1].seq))
    assert rest[-1].status == "completed"
    assert bench.written == []


async def test_two_effects_of_a_step_are_asked_about_one_after_the_other(place, opens, bench):
    runtime = await opens(place, [[call("write", text="x"), call("write", text="y")], "Done."])
    submitted = await runtime.submit("Write both")
    events = durable(await watched(runtime, submitted.turn_id))
    (x,) = (event for event in events if isinstance(event, e.ApprovalRequested))
    assert await runtime.approve(submitted.turn_id, [Approval(call_id=x.call.id, digest=x.digest, approved=True)])
    more = durable(await watched(runtime, submitted.turn_id, after=events[-1].seq))
    (y,) = (event for event in more if isinstance(event, e.ApprovalRequested))
    assert bench.written == ["x"]
    assert await runtime.approve(submitted.turn_id, [Approval(call_id=y.call.id, digest=y.digest, approved=False)])
    await watched(runtime, submitted.turn_id, after=more[-1].seq)
    assert bench.written == ["x"]


async def test_cancel_ends_a_turn_whose_tool_hangs(place, opens, bench):
    runtime = await opens(place, [call("hold")])
    submitted = await runtime.submit("Hold")
    watching = asyncio.create_task(watched(runtime, submitted.turn_id))
    await bench.reached.wait()
    assert await runtime.cancel(submitted.turn_id)
    assert (await watching)[-1].status == "cancelled"
    assert not await runtime.cancel(submitted.turn_id)


async def test_cancel_ends_a_turn_that_waits_for_people(place, opens, bench):
    runtime = await opens(place, [call("write", text="x")])
    submitted = await runtime.submit("Write")
    events = await watched(runtime, submitted.turn_id)
    await runtime.cancel(submitted.turn_id)
    assert (await watched(runtime, submitted.turn_id, after=events[-1].seq))[-1].status == "cancelled"
    assert bench.written == []


async def test_a_turn_that_waits_is_ended_though_whoever_cancelled_it_was_killed_before_that(place, opens, bench):
    runtime = await opens(place, [call("write", text="x")])
    submitted = await runtime.submit("Write")
    assert durable(await watched(runtime, submitted.turn_id))[-1].reason == "approval"
    await runtime.store.turns.request_cancel(submitted.turn_id)

    async def is_over():
        await runtime.reconcile()
        return await status_of(runtime, submitted.turn_id) == "cancelled"

    await until(is_over)
    assert bench.written == []


async def test_cancel_from_another_worker_reaches_the_one_that_runs_the_turn(shared, opens, bench):
    runs = await opens(shared, [call("hold")])
    submitted = await runs.submit("Hold")
    await bench.reached.wait()
    settings, queue = shared
    other = await opens((settings, queue), runs_turns=False) if queue else await opens(shared)
    assert await other.cancel(submitted.turn_id)
    assert (await watched(other, submitted.turn_id))[-1].status == "cancelled"
    assert await until(lambda: runs.running == 0)


async def test_another_users_turn_and_session_do_not_exist(place, opens):
    runtime = await opens(place, ["Hello."])
    submitted = await runtime.submit("Hi", user="ann", session_id="s")
    await watched(runtime, submitted.turn_id)
    for attempt in (
        runtime.turn(submitted.turn_id, "bob"),
        runtime.session("s", "bob"),
        runtime.cancel(submitted.turn_id, "bob"),
        runtime.approve(submitted.turn_id, [], "bob"),
        runtime.resume(submitted.turn_id, "bob"),
        runtime.replay(submitted.turn_id, "bob"),
        runtime.fork(submitted.turn_id, 1, user="bob"),
    ):
        with pytest.raises(UnknownName, match="There is no"):
            await attempt
    with pytest.raises(UsageError, match="There is no session"):
        await runtime.submit("Hi", user="bob", session_id="s")


async def test_a_turn_left_by_a_worker_that_stops_is_taken_up_by_the_next(shared, opens, bench):
    first = await opens(shared, [call("look"), call("hold")])
    submitted = await first.submit("Go", session_id="s")
    await bench.reached.wait()
    await close(first)
    second = await opens(shared, ["Done after all."])
    bench.gate.set()
    events = durable(await watched(second, submitted.turn_id))
    assert events[-1].status == "completed"
    assert [event.seq for event in events] == list(range(1, len(events) + 1))
    assert sum(isinstance(event, e.TurnFinished) for event in events) == 1
    assert any(isinstance(event, e.TurnClaimed) for event in events)


async def test_a_worker_that_stops_hands_its_turn_to_another_at_once(postgres_tables, tmp_path, opens, bench):
    place = Settings(home=str(tmp_path), database_url=postgres_tables), True
    first = await opens(place, [call("hold"), "Never said."])
    submitted = await first.submit("Go")
    await bench.reached.wait()
    second = await opens(place, ["Done by the other."], recovers_turns=False)
    closing = asyncio.create_task(close(first, 5.0))
    await asyncio.sleep(0)
    bench.gate.set()
    await closing
    events = durable(await watched(second, submitted.turn_id))
    assert respond(events).response == "Done by the other."


async def test_an_effect_whose_worker_stopped_is_asked_about_and_not_repeated(shared, opens, bench):
    first = await opens(shared, [call("strike", text="x")])
    submitted = await first.submit("Strike")
    await bench.reached.wait()
    await close(first)
    second = await opens(shared, ["It was done."])
    events = durable(await watched(second, submitted.turn_id))
    assert isinstance(events[-1], e.TurnWaiting)
    assert events[-1].reason == "outcome_unknown"
    assert bench.written == ["x"]
    request = next(event for event in reversed(events) if isinstance(event, e.ApprovalRequested))
    leave = Approval(call_id=request.call.id, digest=request.digest, approved=False, reason="it is there")
    await second.approve(submitted.turn_id, [leave])
    rest = durable(await watched(second, submitted.turn_id, after=events[-1].seq))
    assert rest[-1].status == "completed"
    assert bench.written == ["x"]


async def test_the_next_turn_of_a_session_knows_the_last_one_even_in_another_process(shared, opens):
    first = await opens(shared, ["The name is Ada."])
    await watched(first, (await first.submit("What is my name?", session_id="s")).turn_id)
    await close(first, 1.0)
    second = await opens(shared, ["Ada, as I said."])
    submitted = await second.submit("Again?", session_id="s")
    events = await watched(second, submitted.turn_id)
    loaded = next(event for event in events if isinstance(event, e.HistoryLoaded))
    assert "The name is Ada." in str(loaded.messages)


async def test_a_fork_goes_on_from_a_step_and_its_effects_ask(place, opens, bench):
    bench.gate.set()
    runtime = await opens(place, [call("look"), "First.", call("strike", text="x")])
    submitted = await runtime.submit("Go")
    await watched(runtime, submitted.turn_id)
    forked = await runtime.fork(submitted.turn_id, 2)
    events = durable(await watched(runtime, forked.turn_id))
    assert events[0].forked_from.startswith(submitted.turn_id)
    assert isinstance(events[-1], e.TurnWaiting)
    assert bench.written == []
    assert forked.session_id != submitted.session_id


async def test_whoever_asks_is_told_at_once_where_nobody_would_take_the_turn_up_again(place, opens):
    if place[1]:
        pytest.skip("the worker that cannot run it is another process")
    runtime = await opens(place, [], recovers_turns=False)
    runtime.agents.for_turn = None
    submitted = await runtime.submit("Go")
    end = (await watched(runtime, submitted.turn_id))[-1]
    assert (end.status, end.error_type) == ("failed", "system_error")
    del runtime.agents.for_turn


async def test_a_turn_that_nobody_can_run_fails_after_three_claims(shared, opens):
    first = await opens(shared, [])
    started = first.agents.with_own_tools(AgentKey()).started(
        "Go", session_id="s", settings={"limits": {"iterations": "many"}}
    )
    await first.store.turns.begin([started])

    async def failed():
        await first.reconcile()
        return await status_of(first, started.turn_id) == "failed"

    await until(failed)
    row = await first.store.turns.get(started.turn_id)
    assert "none made progress" in row.error
    assert sum(isinstance(event, e.TurnClaimed) for event in await first.store.turns.read(started.turn_id)) == 3
    await close(first)
