"""Working memory: each user's own, bounded, with a summary that is kept, extended and never lost to a bad moment."""

import msgspec
import pytest

from glassloop.core.messages import message_tokens
from glassloop.core.records import ConversationTurn, ReActStep, ToolCall, ToolResult
from glassloop.memory import conversation
from glassloop.memory import transcript as telling
from glassloop.memory import working_memory as working
from glassloop.memory.conversation import ConversationMemory


def turn(number, session="s", size=10, observation="", args=None):
    step = ReActStep(
        step_number=1,
        thought="Look.",
        action=ToolCall(id="c", tool="look", args=args or {}),
        observation=ToolResult(success=True, output=observation, data={"rows": observation}),
    )
    steps = (step,) if observation or args else ()
    return ConversationTurn(
        id=str(number),
        session_id=session,
        user_query=f"q{number} " + "q" * size,
        agent_response="a" * size,
        steps=steps,
    )


class Summarizer:
    """Writes numbered summaries, or none while it is away; keeps what it was asked."""

    def __init__(self):
        self.asked = []
        self.away = False

    async def __call__(self, text):
        self.asked.append(text)
        return None if self.away else f"Summary {len(self.asked)}."


class Time:
    now = 1_000_000.0

    def __call__(self):
        return self.now


@pytest.fixture
def summarizer():
    return Summarizer()


@pytest.fixture
def clock():
    return Time()


async def remember(memory, numbers, **kwargs):
    user = kwargs.pop("user", "anonymous")
    for number in numbers:
        await memory.save_interaction(turn(number, **kwargs), user=user)


async def test_another_users_session_id_gives_nothing(summarizer):
    memory = ConversationMemory()
    await remember(memory, range(12), user="ann")
    await memory.recall("s", summarizer, user="ann")
    assert await memory.get_history("s", user="bob") == ()
    assert await memory.recall("s", summarizer, user="bob") == []
    assert await memory.get_context_summary("s", user="bob") == ""
    assert not await memory.forget("s", user="eve")
    assert len(await memory.get_history("s", user="ann")) == 10
    assert await memory.get_context_summary("s", user="ann") == "Summary 1."


async def test_a_failed_summary_is_not_kept_and_made_the_next_time(summarizer):
    memory = ConversationMemory()
    await remember(memory, range(12))
    summarizer.away = True
    messages = await memory.recall("s", summarizer)
    assert "2 earlier turns were left out" in messages[0].content
    assert len(messages) == 21
    assert await memory.get_context_summary("s") == ""
    summarizer.away = False
    messages = await memory.recall("s", summarizer)
    assert messages[0].content.endswith("\nSummary 2.")


async def test_a_summary_outlives_the_failure_to_extend_it(summarizer):
    memory = ConversationMemory()
    await remember(memory, range(12))
    await memory.recall("s", summarizer)
    await remember(memory, range(12, 17))
    summarizer.away = True
    messages = await memory.recall("s", summarizer)
    assert "Summary 1." in messages[0].content
    assert "5 earlier turns were left out" in messages[0].content
    assert await memory.get_context_summary("s") == "Summary 1."


async def test_after_an_hour_the_summary_is_extended_and_not_made_anew(summarizer, clock):
    memory = ConversationMemory(clock=clock)
    await remember(memory, range(12))
    await memory.recall("s", summarizer)
    await remember(memory, [12])
    await memory.recall("s", summarizer)
    assert len(summarizer.asked) == 1
    clock.now += 3601
    await memory.recall("s", summarizer)
    assert "Summary 1." in summarizer.asked[1]
    assert "q2 " in summarizer.asked[1]
    assert "q0 " not in summarizer.asked[1]
    clock.now += 3601
    await memory.recall("s", summarizer)
    assert len(summarizer.asked) == 2


async def test_what_the_summarizer_reads_is_bounded_and_holds_the_newest_turns(summarizer):
    memory = ConversationMemory()
    await remember(memory, range(400), size=2000)
    await memory.recall("s", summarizer)
    assert len(summarizer.asked[0]) <= telling.SUMMARIZED_CHARS
    assert "q389 " in summarizer.asked[0]
    assert "left out" in summarizer.asked[0]


async def test_a_turn_that_is_saved_twice_is_remembered_once():
    memory = ConversationMemory()
    await remember(memory, [1, 2, 1, 2])
    assert [found.id for found in await memory.get_history("s")] == ["1", "2"]


async def test_forgetting_empties_a_session_and_says_whether_there_was_one(summarizer):
    memory = ConversationMemory()
    await remember(memory, range(12))
    await memory.recall("s", summarizer)
    assert await memory.forget("s")
    assert not await memory.forget("s")
    assert await memory.recall("s", summarizer) == []
    assert await memory.get_context_summary("s") == ""


async def test_a_session_stays_within_a_megabyte_with_its_newest_turns_whole():
    memory = ConversationMemory()
    for number in range(40):
        await memory.save_interaction(turn(number, observation="x" * 150_000))
    history = await memory.get_history("s", 500)
    assert len(msgspec.json.encode(history)) <= working.SESSION_BYTES
    assert [each.id for each in history] == [str(number) for number in range(40 - len(history), 40)]
    assert len(history) > 15
    assert all(each == turn(each.id, observation="x" * 150_000) for each in history[-2:])
    older = history[-3]
    assert older.user_query == turn(37).user_query
    assert older.steps[0].observation.data is None
    assert "characters left out" in older.steps[0].observation.output
    assert len(msgspec.json.encode(older)) <= working.TURN_BYTES


@pytest.mark.parametrize(
    "huge",
    [
        {"size": 2_000_000},
        {"observation": "库" * 1_000_000},
        {"args": {"text": "x" * 2_000_000, "rows": list(range(300_000))}},
        {"observation": "x", "args": {"number": 10**40}},
    ],
)
async def test_turns_of_any_size_stay_within_the_bound(huge):
    memory = ConversationMemory()
    await remember(memory, range(4), **huge)
    history = await memory.get_history("s")
    assert len(history) == 4
    assert sum(len(repr(each).encode()) for each in history) < 1.5 * working.SESSION_BYTES


async def test_a_summary_stays_when_all_its_turns_have_left(summarizer):
    memory = ConversationMemory()
    await remember(memory, range(12))
    await memory.recall("s", summarizer)
    await remember(memory, range(12, 80), size=15_000)
    assert (await memory.get_history("s", 500))[0].id != "0"
    assert await memory.get_context_summary("s") == "Summary 1."


async def test_all_sessions_together_are_bounded_in_bytes_the_idle_ones_leave_first():
    memory = ConversationMemory()
    sessions = conversation.MAX_BYTES // 390_000 + 20
    text = "x" * 380_000
    for number in range(sessions):
        kept = ConversationTurn(id="1", session_id=str(number), user_query=text, agent_response="")
        await memory.save_interaction(kept)
    assert not await memory.forget("0")
    assert await memory.forget(str(sessions - 1))


async def test_history_over_its_budget_is_summarised_once_in_five_turns(summarizer):
    memory = ConversationMemory()
    sizes = []
    for number in range(12):
        await remember(memory, [number], size=8000)
        messages = await memory.recall("s", summarizer, token_budget=14_000, keep_recent=4)
        sizes.append(sum(map(message_tokens, messages)))
    assert len(summarizer.asked) <= 3
    assert max(sizes) <= 14_200
    assert messages[-4].content == turn(10, size=8000).user_query
    assert messages[-1].text == "a" * 8000


async def test_history_within_its_budget_is_told_whole(summarizer):
    memory = ConversationMemory()
    await remember(memory, range(9))
    messages = await memory.recall("s", summarizer, token_budget=6000)
    assert len(messages) == 18
    assert summarizer.asked == []


def test_a_small_model_is_told_the_beginnings_of_what_was_said_and_done():
    memory = working.WorkingMemory()
    memory.turns.append(
        turn(1, size=900, observation="o" * 900, args={"content": "c" * 900, "lines": list(range(300))})
    )
    told = telling.brief_messages(telling.history_messages(memory))
    texts = [told[0].content, *told[1].calls[0].args.values(), told[2].content, told[3].text]
    assert all(200 < len(text) < 260 and "characters left out" in text for text in texts)
    short = telling.history_messages(working.WorkingMemory(turns=[turn(1, args={"n": 3}, observation="o")]))
    assert telling.brief_messages(short) == list(short)


async def test_idle_sessions_are_freed_while_others_are_saved(clock):
    memory = ConversationMemory(clock=clock)
    await remember(memory, [1], session="idle")
    clock.now += 25 * 3600
    await remember(memory, [1], session="busy")
    assert not await memory.forget("idle")
    assert await memory.forget("busy")


async def test_cleaning_up_frees_what_was_idle_for_that_long_and_says_how_many(clock):
    memory = ConversationMemory(clock=clock)
    await remember(memory, [1], session="a")
    await remember(memory, [1], session="b")
    clock.now += 3600
    await remember(memory, [2], session="a")
    assert memory.cleanup_expired_sessions(hours=0.5) == 1
    assert await memory.forget("a")
