"""Stopping a turn, at a yield or at an await: nothing new begins, nobody else is disturbed, the log is closed."""

import asyncio

import pytest

from glassloop import Agent, Limits, ScriptedModel, tool
from glassloop.core import events as e
from glassloop.core.messages import Abilities, AssistantMessage, Reply, TextChunk
from glassloop.models.scripted_model import call
from loop_clock import pass_time
from volatile_store import VolatileStore


class Hangs:
    """Says one word, then nothing; `closing` is what happens when it is given up."""

    name = "hangs"
    abilities = Abilities()

    def __init__(self, closing=None):
        self._closing = closing

    def quote(self, input_tokens, output_tokens):
        return 0.0

    async def stream(self, request):
        try:
            yield TextChunk("Well")
            await asyncio.Event().wait()
            yield Reply(message=AssistantMessage(text="never"))
        finally:
            if self._closing:
                raise self._closing


@pytest.fixture
def ran():
    return []


@pytest.fixture
def alter(ran):
    @tool(effect="write", integrity="trusted", confidentiality="public")
    async def alter(name: str = "x") -> str:
        """Changes something."""
        ran.append(name)
        return "changed"

    return alter


async def ended(stream, on=None, then=None):
    """Listens to the end, calling `then` at the first event of kind `on`."""
    seen = []
    async with asyncio.timeout(60):
        async for event in stream:
            seen.append(event)
            if on is not None and isinstance(event, on):
                on = None
                if (waits := then()) is not None:
                    await waits
    return seen


async def test_an_effect_does_not_start_after_the_turn_was_cancelled(alter, ran):
    stream = Agent(ScriptedModel([call("alter")]), [alter]).stream("Go")
    seen = await ended(stream, e.ToolCalled, stream.cancel)
    assert ran == []
    assert seen[-1].status == "cancelled"
    returned = next(event for event in seen if isinstance(event, e.ToolReturned))
    assert returned.result.never_ran


async def test_cancelling_between_two_events_stops_a_model_that_hangs():
    stream = Agent(Hangs(), []).stream("Go")
    seen = await ended(stream, e.TextDelta, stream.cancel)
    assert seen[-1].status == "cancelled"
    assert next(event for event in seen if isinstance(event, e.AnswerGiven)).partial


async def test_the_time_limit_holds_while_the_listener_is_slow():
    stream = Agent(Hangs(), [], limits=Limits(seconds=0.02)).stream("Go")
    seen = await ended(stream, e.TextDelta, lambda: asyncio.sleep(0.05))
    assert seen[-1].status == "completed"
    assert "limit of 0.02 seconds" in stream.response().response


async def test_a_tool_may_cancel_its_own_turn(ran):
    streams = []

    @tool(effect="read", integrity="trusted", confidentiality="public")
    async def stop() -> str:
        """Stops."""
        streams[0].cancel()
        return "stopped"

    streams.append(Agent(ScriptedModel([call("stop"), "Never said."]), [stop]).stream("Go"))
    seen = await ended(streams[0])
    assert seen[-1].status == "cancelled"
    assert asyncio.current_task().cancelling() == 0


async def test_a_tool_that_swallows_the_cancellation_does_not_leave_it_with_the_listener():
    begun = asyncio.Event()

    @tool(effect="read", integrity="trusted", confidentiality="public", volatile=True)
    async def stubborn() -> str:
        """Will not be stopped."""
        begun.set()
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            return "still here"
        return ""

    stream = Agent(ScriptedModel([call("stubborn"), "Never said."]), [stubborn]).stream("Go")

    async def cancel():
        await begun.wait()
        stream.cancel()

    async with asyncio.TaskGroup() as group:
        group.create_task(cancel())
        seen = await ended(stream)
    assert seen[-1].status == "cancelled"
    assert asyncio.current_task().cancelling() == 0


async def test_a_cleanup_that_fails_changes_nothing_about_a_cancellation():
    stream = Agent(Hangs(closing=ValueError("close failed")), []).stream("Go")
    seen = await ended(stream, e.TextDelta, lambda: asyncio.get_running_loop().call_soon(stream.cancel) and None)
    assert seen[-1].status == "cancelled"

    stream = Agent(Hangs(closing=ValueError("close failed")), []).stream("Go")
    heard = asyncio.Event()
    task = asyncio.create_task(ended(stream, e.TextDelta, heard.set))
    await heard.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert stream.events[-1].status == "cancelled"


async def test_closing_a_stream_that_somebody_listens_to_ends_it_for_them():
    stream = Agent(Hangs(), []).stream("Go")
    heard = asyncio.Event()
    task = asyncio.create_task(ended(stream, e.TextDelta, heard.set))
    await heard.wait()
    await asyncio.sleep(0)
    await stream.aclose()
    assert (await task)[-1].status == "cancelled"


async def test_a_cancellation_during_a_commit_loses_nothing_and_doubles_nothing():
    committing, go_on = asyncio.Event(), asyncio.Event()

    class Slow(VolatileStore):
        def append_now(self, turn_id, events):
            return False

        async def append(self, turn_id, events, *, sync=False):
            committing.set()
            await go_on.wait()
            await super().append(turn_id, events, sync=sync)

    store = Slow()
    stream = Agent(ScriptedModel(["Hello."]), [], store=store).stream("Go")
    task = asyncio.create_task(ended(stream))
    await committing.wait()
    task.cancel()
    await asyncio.sleep(0)
    go_on.set()
    with pytest.raises(asyncio.CancelledError):
        await task
    stored = await store.read(stream.turn_id)
    assert [event.seq for event in stored] == list(range(1, len(stored) + 1))
    assert stored[-1].status == "cancelled"
    assert list(stream.events) == list(stored)


async def test_an_effect_cut_off_by_the_time_limit_is_asked_about(ran):
    @tool(effect="external", integrity="trusted", confidentiality="public")
    async def send() -> str:
        """Sends, slowly."""
        ran.append("begun")
        pass_time(30)
        await asyncio.Event().wait()
        return "sent"

    stream = Agent(ScriptedModel([call("send")]), [send], limits=Limits(seconds=30)).stream("Go")
    seen = await ended(stream)
    assert stream.paused
    assert [event.reason for event in seen if isinstance(event, e.ApprovalRequested)] == ["outcome_unknown"]
    assert ran == ["begun"]


async def test_the_thought_before_a_call_is_not_kept_as_a_partial_answer(alter):
    reply = Reply(message=AssistantMessage(text="Let me look.", calls=(call("alter"),)))
    stream = Agent(ScriptedModel([reply, "Never said."]), [alter]).stream("Go")
    seen = await ended(stream, e.ToolReturned, stream.cancel)
    assert not any(isinstance(event, e.AnswerGiven) for event in seen)


@pytest.mark.parametrize("count", [1, 2])
async def test_an_executor_that_breaks_its_promise_does_not_hang_the_turn(alter, count):
    agent = Agent(ScriptedModel([[call("alter")] * count, "Done."]), [alter])

    class Broken:
        specs = agent.tools.specs

        async def execute_tool(self, call, context):
            raise ValueError("broken executor")

        async def preview(self, call, context):
            return None

        def check(self, call):
            return None

    broken = Agent(ScriptedModel([[call("alter")] * count, "Done."]), Broken())
    seen = await ended(broken.stream("Go"))
    assert sum(isinstance(event, e.TurnFinished) for event in seen) == 1
