"""Keeping history within its budget: over it, all but the last few messages become one summary."""

from hypothesis import given
from hypothesis import strategies as st

from glassloop.core.loop.compaction import compress_if_needed, cut_point
from glassloop.core.messages import AssistantMessage, ToolMessage, UserMessage
from glassloop.models.scripted_model import call
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
    from glassloop import Agent, ScriptedModel

    model = ScriptedModel(["They talked.", "Yes."])
    await Agent(model, [], history_tokens=6000).stream("And?", history=long(10)).drain()
    assert [request.purpose for request in model.requests] == ["summarize", "decide"]
    sent = model.requests[1].messages
    assert len(sent) == 6
    assert "They talked." in sent[0].content
