"""Keeping history within its budget: over it, all but the last few messages become one summary."""

from hypothesis import given
from hypothesis import strategies as st

from glassloop import Agent, ScriptedModel, tool
from glassloop.core.loop.compaction import MAX_PARTS, compress_if_needed, cut_point, paired, text_parts
from glassloop.core.loop.policy import Profile
from glassloop.core.messages import Abilities, AssistantMessage, ToolMessage, UserMessage, note
from glassloop.core.records import ToolCall
from glassloop.models.scripted_model import call
from glassloop.runtime.assistants.turn_stream import TurnStream
from properties.strategies import run, words

exchange = st.builds(
    lambda question, ids: [
        UserMessage(question),
        AssistantMessage(calls=tuple(call("look") for _ in ids)) if ids else AssistantMessage(text="yes"),
        *(ToolMessage(call_id=str(i), tool="look", content="seen") for i in ids),
    ],
    words,
    st.lists(st.integers(), max_size=4),
)
transcripts = st.lists(exchange, max_size=6).map(lambda parts: [message for part in parts for message in part])


async def summarize(messages):
    return f"{len(messages)} messages"


async def away(messages):
    return None


def long(count):
    return [UserMessage("x" * 4000) for _ in range(count)]


def test_within_budget_nothing_changes():
    messages = [UserMessage("short")] * 9
    assert run(compress_if_needed(messages, summarize)) is messages


def test_four_messages_or_fewer_stay_as_they_are_whatever_their_size():
    messages = long(4)
    assert run(compress_if_needed(messages, summarize, token_budget=10)) is messages


def test_over_budget_all_but_the_last_four_become_one_summary():
    compressed = run(compress_if_needed(long(10), summarize))
    assert len(compressed) == 5
    assert "6 messages" in compressed[0].content


def test_without_a_summary_a_note_says_how_many_were_left_out():
    compressed = run(compress_if_needed(long(10), away))
    assert "6 earlier messages were left out" in compressed[0].content


@given(transcripts, st.integers(1, 6))
def test_a_result_is_never_parted_from_its_call(messages, keep):
    cut = cut_point(messages, keep)
    assert 0 <= cut <= max(0, len(messages) - keep)
    assert not (cut < len(messages) and isinstance(messages[cut], ToolMessage))


async def test_a_long_history_from_outside_is_compressed_before_the_model_sees_it():
    model = ScriptedModel(["They talked.", "Yes."])
    await Agent(model, [], history_tokens=6000).stream("And?", history=long(10)).drain()
    assert [request.purpose for request in model.requests] == ["summarize", "decide"]
    sent = model.requests[1].messages
    assert len(sent) == 6
    assert "They talked." in sent[0].content


def test_instructions_stay_whole_when_the_rest_is_summarised():
    instructions = note("context", "In French.")
    compressed = run(compress_if_needed([instructions, *long(10)], summarize))
    assert compressed[0] is instructions
    assert "6 messages" in compressed[1].content


async def test_instructions_stay_whole_when_a_turn_fills_its_window():
    @tool(effect="read")
    async def look(key: str) -> str:
        """Looks."""
        return "seen"

    script = [*(call("look", key=f"{number} " + "word " * 1_000) for number in range(4)), "Yes."]

    class Looking(ScriptedModel):
        async def stream(self, request):
            script = ScriptedModel(["Looked up."]) if request.purpose == "summarize" else super()
            async for chunk in script.stream(request):
                yield chunk

    model = Looking(script)
    agent = Agent(model, [look], profile=Profile(context_tokens=3_000, keep_recent=2))
    started = agent.started("Look.", session_id="s", settings={"instructions": "In French."})
    stream = TurnStream(agent.turn([started], store=None))
    response = await stream.drain()
    assert response.response == "Yes."
    assert any(event.summary.startswith("Looked up.") for event in stream.events if hasattr(event, "summary"))
    assert str(model.requests[-1].messages).count("In French.") == 1


@given(st.lists(st.lists(st.integers(0, 2), max_size=4), min_size=1, max_size=8), st.booleans())
def test_results_belong_to_the_calls_before_them_whatever_their_ids(steps, answered):
    """Servers that number the calls of each reply from 0, and some twice."""
    history = []
    for step, ids in enumerate(steps):
        history.append(UserMessage(f"Question {step}"))
        history.append(AssistantMessage(calls=tuple(ToolCall(id=f"call_{i}", tool=f"t{step}", args={}) for i in ids)))
        for place, i in enumerate(ids):
            if answered or place:
                history.append(ToolMessage(call_id=f"call_{i}", tool="", content=f"{step} {i} of {place}"))
    made = paired(history)
    calls = [one for message in made if isinstance(message, AssistantMessage) for one in message.calls]
    results = [message for message in made if isinstance(message, ToolMessage)]
    assert [(one.id, one.tool) for one in calls] == [(message.call_id, message.tool) for message in results]
    assert len({one.id for one in calls}) == len(calls)
    assert all(message.content.split()[0] == message.tool[1:] for message in results)
    if answered:
        given_results = [message.content for message in history if isinstance(message, ToolMessage)]
        assert sorted(message.content for message in results) == sorted(given_results)


@given(st.lists(st.integers(0, 5_000), min_size=1, max_size=40), st.integers(500, 5_000))
def test_a_conversation_is_summarised_in_parts_that_a_window_takes(sizes, room):
    parts = list(text_parts([UserMessage("x" * size) for size in sizes], room))
    assert len(parts) <= 2 * MAX_PARTS + 1
    assert all(len(part) <= room + 100 for part in parts)
    if sum(sizes) + 20 * len(sizes) < room:
        assert sum(part.count("x") for part in parts) == sum(sizes)


async def test_a_history_longer_than_the_window_is_summarised_part_by_part():
    model = ScriptedModel(["First.", "First and second.", "Yes."], abilities=Abilities(context_tokens=8_000))
    history = [UserMessage(f"{number} " + "x" * 1_000) for number in range(12)]
    await Agent(model, [], history_tokens=2_000).stream("And?", history=history).drain()
    assert [request.purpose for request in model.requests] == ["summarize", "summarize", "decide"]
    assert "First." in model.requests[1].messages[0].content
    assert "First and second." in model.requests[2].messages[0].content
