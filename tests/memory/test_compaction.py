"""A turn whose context was compacted goes on from its log as it would have gone on: with the summary, and without what
left for it."""

import asyncio

import msgspec
import pytest

from glassloop import Agent, ScriptedModel, tool
from glassloop.core import events as e
from glassloop.core.loop.compaction import as_text
from glassloop.core.loop.fold import fold
from glassloop.core.loop.policy import Limits, Profile
from glassloop.core.messages import Abilities, AssistantMessage, ToolMessage
from glassloop.memory.search_text import ANSWER_CHARS, STEPS_CHARS, searchable_turn
from glassloop.models.scripted_model import call

PROFILE = Profile(context_tokens=300, keep_recent=2, limits=Limits(iterations=9))
VALVES = [f"V{number}" for number in range(1, 7)]


@tool(effect="read", volatile=True)
async def gauge(valve: str) -> str:
    """Reads a gauge."""
    return f"The gauge of {valve} shows {valve[1:]}711 millibar. " + "It hums. " * 40


class Reader(ScriptedModel):
    """Reads the valves that nothing in its messages tells of, then answers. What it says depends on what it is told."""

    def __init__(self):
        super().__init__(())

    def stream(self, request):
        self.requests.append(msgspec.structs.replace(request, messages=tuple(request.messages)))
        told = as_text(request.messages)
        read = [valve for valve in VALVES if f'"valve":"{valve}"' in told or f"read {valve}." in told]
        if request.purpose == "summarize":
            line = " ".join(f"They read {valve}." for valve in read)
        else:
            left = [valve for valve in VALVES if valve not in read]
            line = call("gauge", valve=left[0]) if left else "All were read."
        return ScriptedModel([line]).stream(request)


def sent(model):
    return [tuple(request.messages) for request in model.requests if request.purpose == "decide"]


async def played():
    model = Reader()
    stream = Agent(model, [gauge], profile=PROFILE).stream("Read all gauges.", session_id="s")
    await stream.drain()
    return list(stream.events), model


def test_a_turn_cut_off_after_any_event_of_a_compaction_goes_on_with_the_same_context():
    events, model = asyncio.run(played())
    assert events[-1].status == "completed"
    compactions = [place for place, event in enumerate(events) if isinstance(event, e.ContextCompacted)]
    assert len(compactions) > 1
    whole = sent(model)

    async def resumed(cut):
        other = Reader()
        stream = Agent(other, [gauge], profile=PROFILE).resume(events[:cut])
        response = await stream.drain()
        return response, sent(other), [event for event in stream.events if isinstance(event, e.ToolCalled)]

    for place in compactions:
        for cut in (place, place + 1, place + 2):
            response, told, calls = asyncio.run(resumed(cut))
            assert response.success
            assert response.response == "All were read."
            # Every request is one that the turn would have made had it not been cut off.
            assert told
            assert told == whole[-len(told) :]
            assert [event.call.args["valve"] for event in calls] == VALVES


def test_old_results_are_cleared_at_once_before_anything_is_summarised():
    events, model = asyncio.run(played())
    first, *others = [event for event in events if isinstance(event, e.ContextCompacted)]
    assert (first.left_out, first.summary) == (0, "")
    assert others[-1].left_out > 0
    assert first.tokens_after < first.tokens_before
    state = fold(events[: events.index(first) + 1])
    results = [message for message in state.messages if isinstance(message, ToolMessage)]
    assert results[0].content == '[cleared to save room; read_result(result="r1") shows it as it was]'
    assert "gauge of" in results[-1].content
    assert "gauge of V1 shows 1711" in state.cut_results["r1"]
    # From there on the model may ask for what was cleared.
    after = next(r for r in model.requests if any("cleared to save" in getattr(m, "content", "") for m in r.messages))
    assert "read_result" in [spec.name for spec in after.tools]


async def test_the_rest_of_a_result_that_was_cut_can_be_read_and_searched():
    @tool(effect="read")
    def orders() -> list[dict[str, object]]:
        """All orders."""
        return [{"order": f"SO-{number:04}", "status": "late" if number % 7 == 0 else "ok"} for number in range(600)]

    script = [
        call("orders"),
        call("read_result", result="r1", find="SO-0595"),
        call("read_result", result="r9"),
        "SO-0595 is late.",
    ]
    model = ScriptedModel(script)
    response = await Agent(model, [orders], profile=Profile(observation_chars=2_000)).run("Is SO-0595 late?")
    seen = [step.observation for step in response.steps if step.observation is not None]
    assert [spec.name for spec in model.requests[0].tools] == ["orders"]
    shown = model.requests[1].messages[-1].content
    assert shown.startswith('{"order":"SO-0000","status":"late"}')
    assert "of 600; read_result(" in shown
    assert len(shown) <= 2_000
    assert '"SO-0595","status":"late"' in seen[1].output
    assert "There is no result 'r9' that was cut: there are r1." in seen[2].error
    assert response.text == "SO-0595 is late."


async def test_pages_that_are_read_side_by_side_are_not_cut_again():
    @tool(effect="read")
    def orders() -> list[dict[str, object]]:
        """All orders."""
        return [{"order": f"SO-{number:04}", "status": "late" if number % 7 == 0 else "ok"} for number in range(600)]

    pages = [call("read_result", result="r1", offset=offset) for offset in (100, 200, 300)]
    model = ScriptedModel([call("orders"), pages, "Read."])
    await Agent(model, [orders], profile=Profile(observation_chars=3_000)).stream("Read on.").drain()
    shown = [message.content for message in model.requests[-1].messages[-3:]]
    assert sum(map(len, shown)) <= 3_000
    for text, offset in zip(shown, (100, 200, 300), strict=True):
        assert text.startswith(f'{{"order":"SO-{offset:04}"')
        assert text.count("[items") == 1
        assert 'result="r1"' in text


@pytest.mark.parametrize(("window", "whole"), [(32_000, False), (128_000, True)])
async def test_a_model_with_a_large_window_sees_several_results_of_a_step_whole(window: int, whole: bool):
    @tool(effect="read")
    def read_book(name: str) -> str:
        """A book of 7,000 characters, or of 100."""
        return "\n".join(f"{name} {number}. aaaaaaaaaaaaaaaaa" for number in range(4 if name == "short" else 280))

    calls = [call("read_book", name=name) for name in ("A", "B", "short", "C", "D")]
    model = ScriptedModel([calls, "Read."], abilities=Abilities(context_tokens=window))
    await Agent(model, [read_book]).stream("Read them.").drain()
    shown = [message.content for message in model.requests[-1].messages[-5:]]
    assert ["read_result(" in text for text in shown] == [not whole, not whole, False, not whole, not whole]
    assert min(len(text) for text in shown if "short" not in text) > (6_800 if whole else 3_500)


def test_what_left_for_a_summary_is_not_told_again_and_no_call_stands_without_its_result():
    events, _ = asyncio.run(played())
    last = max(place for place, event in enumerate(events) if isinstance(event, e.ContextCompacted))
    state = fold(events[: last + 1])
    assert state.messages[0].content.startswith("Summary of the conversation so far:\nThey read V1.")
    assert "Read all gauges." in state.messages[0].content
    assert not any("gauge of V1 shows" in getattr(message, "content", "") for message in state.messages)
    calls = {made.id for message in state.messages if isinstance(message, AssistantMessage) for made in message.calls}
    assert {message.call_id for message in state.messages if isinstance(message, ToolMessage)} == calls


def test_a_compacted_turn_is_kept_with_what_its_steps_saw():
    events, _ = asyncio.run(played())
    kept = searchable_turn(events)
    assert (kept.title, kept.ended) == ("Read all gauges.", True)
    assert "All were read." in kept.said
    assert "1711" not in kept.said
    assert all(f"gauge of {valve} shows" in kept.steps for valve in VALVES)


def test_while_it_runs_only_what_may_have_left_is_kept():
    events, _ = asyncio.run(played())
    first = next(place for place, event in enumerate(events) if isinstance(event, e.ContextCompacted))
    assert searchable_turn(events[:first]) is None
    running = searchable_turn(events[: first + 1])
    assert (running.said, running.ended) == ("", False)
    assert "gauge of V1 shows" in running.steps


@pytest.mark.parametrize("size", [10, 300_000])
async def test_what_is_kept_is_bounded(size):
    @tool(effect="read", volatile=True)
    async def pour(count: int) -> str:
        """Much."""
        return "much " * (size // 5)

    script = [call("pour", count=number) for number in range(6)]
    profile = Profile(context_tokens=200, keep_recent=2, observation_chars=400, limits=Limits(iterations=9))

    class Model(ScriptedModel):
        def stream(self, request):
            if request.purpose == "summarize":
                return ScriptedModel(["Poured."]).stream(request)
            return super().stream(request)

    stream = Agent(Model([*script, "x" * size]), [pour], profile=profile).stream("Pour " * 100)
    await stream.drain()
    kept = searchable_turn(stream.events)
    assert len(kept.said) < ANSWER_CHARS + 10_000
    assert 0 < len(kept.steps) <= STEPS_CHARS + 100


def test_nothing_and_commands_are_not_kept():
    assert searchable_turn([]) is None

    async def commanded():
        stream = Agent(ScriptedModel([])).stream("/tools")
        await stream.drain()
        return searchable_turn(stream.events)

    assert asyncio.run(commanded()) is None
