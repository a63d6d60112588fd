"""Cancelling, at any await: the transcript stays valid, the partial answer is kept, the turn ends exactly once."""

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from glassloop import Agent, ScriptedModel, tool
from glassloop.core import events as e
from glassloop.core.loop.fold import fold
from glassloop.core.messages import Abilities, AssistantMessage, Reply, TextChunk, ToolMessage
from glassloop.models.scripted_model import call
from loop_clock import pass_time


class Patient:
    """A model that takes `waits` turns of the event loop before each piece."""

    name = "patient"
    abilities = Abilities()

    def __init__(self, script, waits=1):
        self._inner = ScriptedModel(script, chunk=3)
        self._waits = waits

    def quote(self, input_tokens, output_tokens):
        return 0.0

    async def stream(self, request):
        async for chunk in self._inner.stream(request):
            for _ in range(self._waits):
                await asyncio.sleep(0)
            yield chunk


@tool(effect="read", integrity="trusted", volatile=True)
async def dawdle(turns: int = 3) -> str:
    """Takes its time."""
    for _ in range(turns):
        await asyncio.sleep(0)
    return "seen"


@tool(effect="write", integrity="trusted")
async def alter(turns: int = 3) -> str:
    """Changes something, slowly."""
    for _ in range(turns):
        await asyncio.sleep(0)
    return "changed"


SCRIPT = [
    [call("dawdle"), call("dawdle", turns=5), call("alter")],
    call("alter"),
    "A long answer that arrives in many small pieces.",
]


def assert_closed(events):
    """Exactly one end, every call answered, and the log folds to a transcript in which results follow their calls."""
    assert [event.seq for event in events] == list(range(1, len(events) + 1))
    assert sum(isinstance(event, e.TurnFinished) for event in events) == 1
    assert isinstance(events[-1], e.TurnFinished)
    state = fold(events)
    owed = []
    for message in state.messages:
        if isinstance(message, AssistantMessage) and message.calls:
            assert owed == []
            owed = [made.id for made in message.calls]
        elif isinstance(message, ToolMessage):
            assert message.call_id == owed.pop(0)
    assert owed == []


@given(st.integers(0, 60), st.sampled_from(["cancel", "task", "aclose"]))
def test_wherever_a_turn_is_cancelled_its_log_is_closed_properly(ticks, way):
    async def work():
        stream = Agent(Patient(SCRIPT), [dawdle, alter]).stream("Go")

        async def consume():
            async for _ in stream:
                await asyncio.sleep(0)

        task = asyncio.create_task(consume())
        for _ in range(ticks):
            await asyncio.sleep(0)
        if way == "cancel":
            stream.cancel()
            await task
        elif way == "task":
            task.cancel()
            await asyncio.wait([task])
            await stream.aclose()
        else:
            task.cancel()
            await asyncio.wait([task])
        await stream.aclose()
        return stream.events

    events = asyncio.run(asyncio.wait_for(work(), 60))
    if events:
        assert_closed(events)


@pytest.mark.parametrize("pieces", [1, 4, 9])
async def test_the_answer_so_far_is_kept_as_partial(pieces):
    stream = Agent(Patient(["Half of this is read."]), []).stream("Go")
    heard = ""
    async for event in stream:
        if isinstance(event, e.TextDelta):
            heard += event.text
            if event.offset // 3 >= pieces - 1 and not stream.response().error.startswith("cancelled"):
                stream.cancel()
    given_up = [event for event in stream.events if isinstance(event, e.AnswerGiven)]
    finished = stream.events[-1]
    assert finished.status == ("cancelled" if pieces < 9 else finished.status)
    if finished.status == "cancelled":
        assert given_up[0].partial
        assert given_up[0].text == heard


async def test_cancelling_does_not_cancel_the_one_who_listens():
    stream = Agent(Patient([call("dawdle", turns=1_000_000)]), [dawdle]).stream("Go")
    seen = []
    async for event in stream:
        seen.append(event)
        if isinstance(event, e.ToolCalled):
            asyncio.get_running_loop().call_soon(stream.cancel)
    assert seen[-1].status == "cancelled"
    assert asyncio.current_task().cancelling() == 0
    returned = next(event for event in seen if isinstance(event, e.ToolReturned))
    assert returned.result.never_ran


async def test_a_cancelled_effect_that_had_started_is_said_to_be_unknown():
    stream = Agent(Patient([call("alter", turns=1_000_000)]), [alter]).stream("Go")
    async for event in stream:
        if isinstance(event, e.ToolCalled):
            asyncio.get_running_loop().call_soon(stream.cancel)
    returned = next(event for event in stream.events if isinstance(event, e.ToolReturned))
    assert returned.result.effect_unknown
    assert "unknown" in returned.result.error


async def test_a_listener_that_asks_from_a_new_task_each_time_can_cancel_too():
    stream = Agent(Patient(["word " * 200]), []).stream("Go")
    seen = []
    while True:
        try:
            seen.append(await asyncio.wait_for(anext(stream), 60))
        except StopAsyncIteration:
            break
        if len(seen) == 5:
            asyncio.get_running_loop().call_soon(stream.cancel)
    assert seen[-1].status == "cancelled"


async def test_the_time_limit_stops_a_tool_and_still_answers():
    @tool(effect="read", integrity="trusted")
    async def forever() -> str:
        """Never returns."""
        pass_time(30)
        await asyncio.Event().wait()
        return ""

    from glassloop import Limits

    agent = Agent(ScriptedModel([call("forever")]), [forever], limits=Limits(seconds=30))
    response = await asyncio.wait_for(agent.run("Go"), 60)
    assert response.stop_reason == "seconds"
    assert "limit of 30 seconds" in response.text
    assert response.steps[0].observation.success is False


async def test_the_time_limit_stops_a_model_that_hangs():
    class Hanging:
        name = "hanging"
        abilities = Abilities()

        def quote(self, input_tokens, output_tokens):
            return 0.0

        async def stream(self, request):
            yield TextChunk("Well")
            pass_time(30)
            await asyncio.Event().wait()
            yield Reply(message=AssistantMessage(text="never"))

    from glassloop import Limits

    response = await asyncio.wait_for(Agent(Hanging(), [], limits=Limits(seconds=30)).run("Go"), 60)
    assert "Nothing was found yet." in response.text
