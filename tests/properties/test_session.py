"""Properties of sessions and their memory: 6–9."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from glassloop import Agent, ScriptedModel
from glassloop.core import events as e
from glassloop.core.records import (
    ConversationTurn,
    ExecutionPlan,
    PlanStep,
    QualityEvaluation,
    ReActStep,
    ToolCall,
    ToolResult,
)
from glassloop.memory.conversation import ConversationMemory
from properties.strategies import TOOLS, agent, run, said, words


@pytest.mark.property(6)
@given(st.integers(2, 12))
def test_no_two_sessions_share_an_id(count):
    async def work():
        made = agent([])
        return [(await made.run("Hello")).session_id for _ in range(count)]

    assert len(set(run(work()))) == count


@pytest.mark.property(7)
@given(st.lists(said, min_size=1, max_size=4), said)
def test_history_is_loaded_before_anything_runs(earlier, question):
    async def work():
        model = ScriptedModel(["noted"] * 20)
        made = Agent(model, TOOLS)
        for text in earlier:
            await made.stream(f"About {text}", session_id="s").drain()
        stream = made.stream(f"And {question}", session_id="s")
        return [event async for event in stream], model.requests[-1]

    seen, request = run(work())
    loaded = next(event for event in seen if isinstance(event, e.HistoryLoaded))
    first = next(event for event in seen if isinstance(event, e.ModelResponded | e.ToolCalled))
    assert loaded.seq < first.seq
    assert [m.content for m in loaded.messages if hasattr(m, "content")] == [f"About {text}" for text in earlier]
    assert request.messages[: len(loaded.messages)] == loaded.messages


steps = st.builds(
    ReActStep,
    step_number=st.integers(1, 9),
    thought=said,
    action=st.none() | st.builds(ToolCall, id=said, tool=said, args=st.dictionaries(words, words, max_size=2)),
    observation=st.none() | st.builds(ToolResult, success=st.booleans(), output=words, error=st.none() | words),
    status=st.sampled_from(["pending", "running", "completed", "failed"]),
    timestamp=said,
)
plans = st.builds(
    ExecutionPlan,
    query=words,
    complexity=st.sampled_from(["simple", "medium", "complex"]),
    steps=st.lists(
        st.builds(PlanStep, step_number=st.integers(1, 5), description=words, tool_name=said), max_size=3
    ).map(tuple),
    estimated_iterations=st.integers(1, 9),
)
evaluations = st.builds(
    QualityEvaluation, completeness_score=st.floats(0, 10), quality_score=st.floats(0, 10), needs_retry=st.booleans()
)
turns = st.builds(
    ConversationTurn,
    id=said,
    session_id=said,
    user_query=words,
    agent_response=words,
    steps=st.lists(steps, max_size=3).map(tuple),
    plan=st.none() | plans,
    evaluation=st.none() | evaluations,
    created_at=words,
)


@pytest.mark.property(8)
@given(turns)
def test_a_saved_turn_reads_back_equal(turn):
    async def work():
        memory = ConversationMemory()
        await memory.save_interaction(turn)
        return await memory.get_history(turn.session_id)

    assert list(run(work())) == [turn]
    assert msgspec.json.decode(msgspec.json.encode(turn), type=ConversationTurn) == turn


@pytest.mark.property(9)
@given(st.integers(0, 40))
def test_beyond_ten_interactions_the_older_ones_are_summarised(count):
    asked = []

    async def summarize(text):
        asked.append(text)
        return "They talked."

    async def work():
        memory = ConversationMemory()
        for number in range(count):
            turn = ConversationTurn(
                id=str(number), session_id="s", user_query=f"q{number}", agent_response=f"a{number}"
            )
            await memory.save_interaction(turn)
        return await memory.recall("s", summarize), await memory.get_context_summary("s")

    messages, summary = run(work())
    if count > 10:
        assert len(asked) == 1
        assert summary == "They talked."
        assert len(messages) == 1 + 2 * 10
        assert "They talked." in messages[0].content
        assert "q0" in asked[0]
        assert messages[1].content == f"q{count - 10}"
    else:
        assert asked == []
        assert summary == ""
        assert len(messages) == 2 * count
