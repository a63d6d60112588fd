"""State is the fold of the events: a turn cut off anywhere goes on from its log alone."""

import asyncio

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from glassloop import Agent, ScriptedModel, tool
from glassloop.core import events as e
from glassloop.core.errors import UsageError
from glassloop.core.loop.fold import fold
from glassloop.core.messages import AssistantMessage, ToolMessage, UserMessage
from glassloop.core.records import ToolCall
from glassloop.models.scripted_model import call
from properties.strategies import TOOLS, scripts
from volatile_store import VolatileStore


def play(script):
    async def work():
        stream = Agent(ScriptedModel([*script, *["The end."] * 20]), TOOLS).stream("What is it?")
        return [event async for event in stream if type(event) not in e.TRANSIENT], stream

    return asyncio.run(work())


@given(scripts)
def test_events_survive_the_trip_through_json(script):
    events, _ = play(script)
    assert [e.decode(e.encode(event)) for event in events] == events


@given(scripts)
def test_folding_the_log_gives_the_state_the_turn_ended_with(script):
    events, stream = play(script)
    assert msgspec.to_builtins(fold(events)) == msgspec.to_builtins(stream._turn.state)


@given(scripts, st.data())
def test_a_turn_cut_off_after_any_event_reaches_its_end(script, data):
    events, _ = play(script)
    cut = data.draw(st.integers(1, len(events) - 1))

    async def work():
        agent = Agent(ScriptedModel(["Going on."] * 20), TOOLS)
        stream = agent.resume(events[:cut])
        await stream.drain()
        return stream

    stream = asyncio.run(work())
    assert list(stream.events[:cut]) == events[:cut]
    if stream.paused:
        called = events[cut - 1] if isinstance(events[cut - 1], e.ToolCalled) else None
        assert called is not None
        assert called.effect != "read"
    else:
        assert stream.events[-1].status == "completed"
        assert sum(isinstance(event, e.TurnFinished) for event in stream.events) == 1


def test_a_log_with_a_gap_is_refused():
    events, _ = play(["Hello."])
    with pytest.raises(UsageError, match="gap"):
        fold([events[0], events[2]])


async def test_every_durable_event_is_stored_before_it_is_shown():
    store = VolatileStore()
    stream = Agent(ScriptedModel(["Hello."]), TOOLS, store=store).stream("Hi")
    async for event in stream:
        if type(event) not in e.TRANSIENT:
            assert event in await store.read(stream.turn_id)
    assert list(await store.read(stream.turn_id)) == list(stream.events)
    assert await store.ids(stream.session_id) == (stream.turn_id,)


class Counting(VolatileStore):
    def __init__(self):
        super().__init__()
        self.commits = []

    def append_now(self, turn_id, events):
        return False

    async def append(self, turn_id, events, *, sync=False):
        self.commits.append([type(event).__name__ for event in events])
        await super().append(turn_id, events, sync=sync)


async def test_a_read_that_returns_at_once_shares_the_commit_of_its_call():
    store = Counting()
    model = ScriptedModel([call("look"), call("look", key="b"), "Done."])
    await Agent(model, TOOLS, store=store).run("Hi")
    assert store.commits[1:3] == [["ModelResponded", "ThoughtRecorded", "ToolCalled", "ToolReturned"]] * 2
    assert len(store.commits) == 4


async def test_a_read_that_could_wait_and_does_not_shares_the_commit_too():
    @tool(effect="read", volatile=True)
    async def glance(key: str = "a") -> str:
        """Look without waiting."""
        return await ready(key)

    async def ready(key):
        return key.upper()

    store = Counting()
    await Agent(ScriptedModel([call("glance"), "Done."]), [glance], store=store).run("Hi")
    assert glance.spec.waits
    assert store.commits[1] == ["ModelResponded", "ThoughtRecorded", "ToolCalled", "ToolReturned"]


async def test_a_turn_in_which_nothing_ever_waits_leaves_others_the_event_loop_and_can_be_stopped():
    script = [call("look", key=str(number)) for number in range(3_000)]
    agent = Agent(ScriptedModel(script), TOOLS, max_iterations=len(script) + 1, store=VolatileStore())
    stream = agent.stream("Hi")
    turn = asyncio.ensure_future(stream.drain())
    while not stream.events or stream.events[-1].seq < 2:
        await asyncio.sleep(0)
    assert not turn.done()
    stream.cancel()
    await turn
    assert stream.events[-1].status == "cancelled"
    assert stream.events[-1].tool_calls < len(script)


async def test_a_step_whose_tool_takes_time_is_stored_while_it_runs_and_takes_two_commits():
    store, seen = Counting(), []

    @tool(effect="read")
    async def dawdle() -> str:
        """Takes its time."""
        seen.append([list(names) for names in store.commits])
        await asyncio.sleep(0.01)
        seen.append([list(names) for names in store.commits])
        return "done"

    await Agent(ScriptedModel([call("dawdle"), "Done."]), [dawdle], store=store).run("Hi")
    assert store.commits[1:3] == [["ModelResponded", "ThoughtRecorded", "ToolCalled"], ["ToolReturned"]]
    assert "ToolCalled" not in str(seen[0])
    assert "ToolCalled" in str(seen[1])


async def test_a_turn_cut_off_at_once_still_knows_its_session():
    agent = Agent(ScriptedModel(["First.", "Second.", "Third."]), TOOLS)
    await agent.run("One", session_id="s")
    stream = agent.stream("Two", session_id="s")
    first = await anext(stream)
    resumed = agent.resume([first])
    await resumed.drain()
    loaded = next(event for event in resumed.events if isinstance(event, e.HistoryLoaded))
    assert [message.content for message in loaded.messages if hasattr(message, "content")] == ["One"]
    assert len(await agent.memory.get_history("s")) == 2


@pytest.mark.parametrize("text", ["half \ud800 a pair", "\udfff"])
async def test_what_is_not_unicode_never_reaches_the_log(text):
    script = [call("look", key=text), f"It is {text}."]
    stream = Agent(ScriptedModel(script), TOOLS).stream(f"What is {text}?")
    events = [event async for event in stream]
    assert events[-1].status == "completed"
    for event in events:
        assert e.decode(e.encode(event)) == event


async def test_a_history_from_outside_is_made_valid():
    orphan = AssistantMessage(calls=(call("look"),))
    stray = ToolMessage(call_id="nobody", tool="look", content="x")
    model = ScriptedModel(["Yes."])
    await Agent(model, TOOLS).stream("And?", history=[UserMessage("Hi"), orphan, stray]).drain()
    sent = model.requests[0].messages
    assert not any(getattr(message, "calls", ()) or isinstance(message, ToolMessage) for message in sent)


@pytest.mark.parametrize("mended", ["closed", "guessed", "absent"])
async def test_a_call_with_mended_arguments_is_refused_also_where_a_stored_turn_goes_on(mended):
    sent = []

    @tool
    async def send(to: str = "all") -> str:
        """Sends."""
        sent.append(to)
        return "sent"

    asked = ToolCall(id="c", tool="send", args={"to": "a"}, mended=mended)
    stream = Agent(ScriptedModel([asked, "Well."]), [send]).stream("Send it.")
    events = [event async for event in stream if type(event) not in e.TRANSIENT]
    replied = next(at for at, event in enumerate(events) if isinstance(event, e.ModelResponded))
    stored = [e.decode(e.encode(event)) for event in events[: replied + 1]]
    again = Agent(ScriptedModel(["Well."]), [send]).resume(stored)
    await again.drain()
    for log in (events, again.events):
        (returned,) = (event for event in log if isinstance(event, e.ToolReturned))
        assert returned.result.cause == "refused"
        assert not any(isinstance(event, e.ToolCalled) for event in log)
    assert sent == []


async def test_a_read_that_asks_first_is_not_shown_with_mended_arguments():
    @tool(effect="read", confirm=True)
    async def open_door(name: str = "all") -> str:
        """Opens."""
        return name

    asked = ToolCall(id="c", tool="open_door", args={"name": "a"}, mended="closed")
    stream = Agent(ScriptedModel([asked, "Well."]), [open_door]).stream("Open it.")
    await stream.drain()
    assert not stream.paused


async def test_history_keeps_calls_whose_ids_are_the_same_in_every_message():
    said = []
    for word in ("one", "two", "three"):
        call = ToolCall(id="call_0", tool="look", args={"word": word})
        said += [UserMessage(word), AssistantMessage(calls=(call,))]
        said += [ToolMessage(call_id="call_0", tool="look", content=f"found {word}")]
    model = ScriptedModel(["Done."])
    await Agent(model, TOOLS).stream("And?", history=said).drain()
    told = model.requests[0].messages
    asked = [call for message in told if isinstance(message, AssistantMessage) for call in message.calls]
    found = {message.call_id: message.content for message in told if isinstance(message, ToolMessage)}
    assert [found[call.id] for call in asked] == [f"found {call.args['word']}" for call in asked]
    assert len({call.id for call in asked}) == 3
