"""Answers and messages to turns of a runtime, on every store and scheduler, also those that another process runs."""

import asyncio

import pytest

from glassloop import ScriptedModel, UsageError
from glassloop.core import events as e
from glassloop.core.errors import ApprovalMismatch, UnknownName
from glassloop.core.loop.inbox import MAX_MESSAGES
from glassloop.core.loop.user_question import ASK_USER
from glassloop.models.scripted_model import call
from runtime.conftest import close
from waiting import until

ASKS = {"profile": {"ask_user": True}}


async def told(runtime, turn_id, after=0):
    async with asyncio.timeout(60):
        return [event async for event in runtime.watch(turn_id, after=after) if type(event) not in e.TRANSIENT]


def received(events):
    return [(event.number, event.text, event.by) for event in events if isinstance(event, e.MessageReceived)]


async def test_an_answer_goes_on_with_a_turn_that_another_process_asked_for(shared, opens):
    first = await opens(shared, [call(ASK_USER, question="Which?", options=["a", "b"])], **ASKS)
    submitted = await first.submit("Take one", session_id="s", user="ann")
    events = await told(first, submitted.turn_id)
    assert isinstance(events[-1], e.TurnWaiting)
    row = await first.turn(submitted.turn_id)
    assert (row.status, row.lease_until) == ("paused", 0)
    await close(first)
    second = await opens(shared, ["It is b."], **ASKS)
    [asked] = [event for event in events if isinstance(event, e.QuestionAsked)]
    with pytest.raises(UnknownName):
        await second.answer(submitted.turn_id, asked.call_id, "b", user="bob")
    with pytest.raises(ApprovalMismatch):
        await second.answer(submitted.turn_id, "nonesuch", "b", user="ann")
    await second.steer(submitted.turn_id, "Be brief", user="ann")
    assert await second.answer(submitted.turn_id, asked.call_id, "b", user="ann")
    events = await told(second, submitted.turn_id, after=events[-1].seq)
    assert events[-1].status == "completed"
    assert received(events) == [(1, "Be brief", "ann")]
    assert [type(each) for each in events[:2]] == [e.QuestionAnswered, e.TurnResumed]
    with pytest.raises(UsageError, match="ask again"):
        await second.answer(submitted.turn_id, asked.call_id, "a", user="ann")
    notes = [(note.action, note.by_user, note.session_id) for note in await second.store.audit.list()]
    assert notes == [("answered", "ann", "s"), ("steered", "ann", "s")]


async def test_messages_reach_a_turn_wherever_it_runs_and_not_one_that_is_over(shared, opens, bench):
    running = await opens(shared, [call("hold"), "Done."])
    other = await opens(shared, runs_turns=False, recovers_turns=False)
    submitted = await running.submit("Go", user="ann")
    await bench.reached.wait()
    with pytest.raises(UnknownName):
        await other.steer(submitted.turn_id, "Stop that", user="bob")
    for number in range(1, MAX_MESSAGES + 1):
        assert await other.steer(submitted.turn_id, f"message {number}") == number
    with pytest.raises(UsageError, match="limit"):
        await other.steer(submitted.turn_id, "one more")
    bench.gate.set()
    events = await told(running, submitted.turn_id)
    assert received(events) == [(n, f"message {n}", "ann") for n in range(1, MAX_MESSAGES + 1)]
    assert events[-1].messages == MAX_MESSAGES
    with pytest.raises(UsageError, match="ask again"):
        await other.steer(submitted.turn_id, "too late")
    left = await other.store.engine.read(lambda db: db.run("SELECT count(*) FROM turn_messages"))
    assert left[0][0] == 0


async def test_a_message_is_withdrawn_until_it_is_taken_in_and_the_turn_ends_without_it(shared, opens, bench):
    running = await opens(shared, [call("hold"), call("hold"), "Done."])
    other = await opens(shared, runs_turns=False, recovers_turns=False)
    turn_id = (await running.submit("Go", user="ann")).turn_id
    await bench.reached.wait()
    for text in ("first", "second", "third"):
        await other.steer(turn_id, text)
    messages = other.store.turn_messages
    assert await messages.withdraw(turn_id, 3)
    assert await messages.withdraw(turn_id, 1)
    assert not await messages.withdraw(turn_id, 1)
    assert not await messages.withdraw(turn_id, 0)
    assert [(each.number, each.text, each.by) for each in await messages.waiting(turn_id)] == [(2, "second", "ann")]
    bench.gate.set()
    events = await told(running, turn_id)
    assert received(events) == [(2, "second", "ann")]
    assert events[-1].status == "completed"


async def test_a_message_that_was_read_for_the_turn_cannot_be_withdrawn(place, opens, bench):
    runtime = await opens(place, [call("hold"), "Done."])
    turn_id = (await runtime.submit("Go", user="ann")).turn_id
    await bench.reached.wait()
    messages = runtime.store.turn_messages
    await messages.send(turn_id, "first", "ann")
    assert [each.number for each in await messages.after(turn_id, 0)] == [1]
    assert await messages.waiting(turn_id) == []
    assert not await messages.withdraw(turn_id, 1)
    assert [each.number for each in await messages.after(turn_id, 0)] == [1]
    bench.gate.set()
    await told(runtime, turn_id)


class Interrupted(ScriptedModel):
    """Has a message stored, and nobody told of it, while it writes its answer."""

    send = None

    async def stream(self, request):
        if self.send is not None:
            send, self.send = self.send, None
            await send()
        async for chunk in super().stream(request):
            yield chunk


async def test_a_message_that_nobody_told_of_keeps_the_turn_from_ending_without_it(place, opens):
    model = Interrupted(["A draft.", "All of it."])
    runtime = await opens(place, model, profile={"max_iterations": 1})
    turn_ids = list[str]()
    known = asyncio.Event()

    async def send():
        await known.wait()
        await runtime.store.turn_messages.send(turn_ids[0], "and sk-0123456789abcdefghij", "ann")

    model.send = send
    turn_ids.append((await runtime.submit("Go", user="ann")).turn_id)
    known.set()
    events = await told(runtime, turn_ids[0])
    assert [event.text for event in events if isinstance(event, e.AnswerGiven)] == ["All of it."]
    assert events[-1].status == "completed"
    [(number, text, _)] = received(events)
    assert (number, "sk-0123" in text) == (1, False)
    assert "sk-0123" in model.requests[-1].messages[-2].content


async def test_where_nobody_could_answer_the_model_cannot_ask(place, opens):
    model = ScriptedModel(["Fine.", "Fine."])
    runtime = await opens(place, model, **ASKS)
    for asks in (True, False):
        await told(runtime, (await runtime.submit("Go", ask_user=asks)).turn_id)
    offered = [ASK_USER in [spec.name for spec in request.tools] for request in model.requests]
    assert offered == [True, False]


async def test_a_turn_that_asks_can_be_cancelled(place, opens):
    runtime = await opens(place, [call(ASK_USER, question="Which?")], **ASKS)
    submitted = await runtime.submit("Take one")
    await told(runtime, submitted.turn_id)
    assert await runtime.cancel(submitted.turn_id)

    async def is_over():
        return (await runtime.turn(submitted.turn_id)).status == "cancelled"

    await until(is_over)
