"""Working memory that stands on a log which other processes write, summarise, clear and lose sight of."""

import asyncio
import logging

import pytest

from glassloop.core.errors import StoreError
from glassloop.memory.conversation import MAX_BYTES, SUMMARY_TTL_S, ConversationMemory
from glassloop.memory.working_memory import MAX_TURNS
from memory.shared_log import Log, turn


class Summarizer:
    """Writes numbered summaries, without a name none; `meanwhile` happens while it writes."""

    def __init__(self, name="Summary"):
        self.asked = []
        self.name = name
        self.meanwhile = None

    async def __call__(self, text):
        self.asked.append(text)
        if self.meanwhile is not None:
            await self.meanwhile()
        return f"{self.name} {len(self.asked)}." if self.name else None


@pytest.fixture
def log():
    return Log()


@pytest.fixture
def summarizer():
    return Summarizer()


async def ids(memory, session="s", user="anonymous"):
    return [found.id for found in await memory.get_history(session, 500, user=user)]


async def test_turns_of_another_process_are_told_at_the_next_look(log, summarizer):
    memory = ConversationMemory(archive=log)
    log.finish(1)
    assert await ids(memory) == ["1"]
    log.finish(2)
    messages = await memory.recall("s", summarizer)
    assert [message.content for message in messages[::2]] == ["q1 ", "q2 "]


async def test_nothing_new_costs_one_question(log):
    memory = ConversationMemory(archive=log)
    log.finish(1)
    await ids(memory)
    log.asked.clear()
    assert await ids(memory) == ["1"]
    assert log.asked == ["standing"]


async def test_a_saved_turn_is_not_doubled_by_the_log_and_stays_as_it_was_saved(log):
    memory = ConversationMemory(archive=log)
    for name in (1, 2, 3):
        await ids(memory)
        await memory.save_interaction(log.finish(name))
    assert await memory.get_history("s") == (turn(1), turn(2), turn(3))
    assert log.known == {"3"}


async def test_a_turn_that_the_log_had_first_is_not_doubled_when_it_is_saved(log):
    memory = ConversationMemory(archive=log)
    made = log.finish(1)
    await ids(memory)
    await memory.save_interaction(made)
    assert await ids(memory) == ["1"]


async def test_a_saved_turn_is_kept_while_the_log_does_not_have_it_yet(log):
    memory = ConversationMemory(archive=log)
    log.finish(1)
    await ids(memory)
    await memory.save_interaction(turn(3))
    log.finish(2)
    assert await ids(memory) == ["1", "2", "3"]
    log.finish(4)
    log.finish(3)
    assert await ids(memory) == ["1", "2", "4", "3"]


async def test_a_turn_that_was_overtaken_is_told_where_it_started(log):
    memory = ConversationMemory(archive=log)
    log.finish(1)
    log.start(2)
    await ids(memory)
    log.start(3)
    await memory.save_interaction(log.finish(3))
    log.finish(2)
    assert await memory.get_history("s") == (turn(1), turn(2), turn(3))


async def test_turns_told_late_take_no_more_room_than_others(log):
    memory = ConversationMemory(archive=log)
    text = "x" * 100_000
    for name in range(0, 24, 2):
        log.start(name)
        await ids(memory)
        await memory.save_interaction(log.finish(name + 1, text=text))
        log.finish(name, text=text)
        assert await ids(memory) == [str(number) for number in range(name + 2)]


async def test_after_a_restart_the_summary_goes_on_and_is_not_made_anew(log, summarizer):
    for name in range(12):
        log.finish(name)
    await ConversationMemory(archive=log).recall("s", summarizer)
    assert log.session()["summary"] == ("Summary 1.", "1")
    for name in range(12, 15):
        log.finish(name)
    restarted = ConversationMemory(archive=log)
    messages = await restarted.recall("s", summarizer)
    assert messages[0].content.endswith("\nSummary 1.")
    assert messages[1].content == "q2 "
    assert len(summarizer.asked) == 1
    log.finish(15)
    log.finish(16)
    messages = await restarted.recall("s", summarizer)
    assert "Summary 1." in summarizer.asked[1]
    assert "q1 " not in summarizer.asked[1]
    assert log.session()["summary"] == ("Summary 2.", "6")
    assert len(messages) == 21


async def test_a_summary_that_another_process_extended_is_taken_and_not_written_twice(log, summarizer):
    memory, elsewhere = ConversationMemory(archive=log), ConversationMemory(archive=log)
    for name in range(12):
        log.finish(name)
    await memory.recall("s", summarizer)
    for name in range(12, 20):
        log.finish(name)
    await elsewhere.recall("s", Summarizer("Longer"))
    messages = await memory.recall("s", summarizer)
    assert messages[0].content.endswith("\nLonger 1.")
    assert len(summarizer.asked) == 1


async def test_a_summary_that_came_from_elsewhere_while_ours_was_written_stands_if_it_tells_more(log, summarizer):
    memory, elsewhere = ConversationMemory(archive=log), ConversationMemory(archive=log)
    for name in range(12):
        log.finish(name)

    async def overtake():
        for name in range(12, 20):
            log.finish(name)
        await elsewhere.recall("s", Summarizer("Longer"))
        await ids(memory)

    summarizer.meanwhile = overtake
    messages = await memory.recall("s", summarizer)
    assert messages[0].content.endswith("\nLonger 1.")
    assert log.session()["summary"] == ("Longer 1.", "9")


async def test_a_summary_from_the_log_is_extended_after_an_hour(log, summarizer):
    now = [1_000_000.0]
    memory = ConversationMemory(clock=lambda: now[0], archive=log)
    for name in range(12):
        log.finish(name)
    log.session()["summary"] = "As before.", "1"
    log.finish(12)
    await memory.recall("s", summarizer)
    assert summarizer.asked == []
    now[0] += SUMMARY_TTL_S + 1
    await memory.recall("s", summarizer)
    assert "As before." in summarizer.asked[0]


async def test_a_summary_of_turns_too_old_to_be_remembered_is_told(log, summarizer):
    for name in range(MAX_TURNS + 20):
        log.finish(name)
    log.session()["summary"] = "Long ago.", "3"
    memory = ConversationMemory(archive=log)
    assert await memory.get_context_summary("s") == "Long ago."
    await memory.recall("s", summarizer)
    assert "Long ago." in summarizer.asked[0]


async def test_what_another_process_forgot_is_not_told(log, summarizer):
    memory, elsewhere = ConversationMemory(archive=log), ConversationMemory(archive=log)
    for name in range(12):
        await memory.save_interaction(log.finish(name))
    await memory.recall("s", summarizer)
    await elsewhere.forget("s")
    assert await memory.recall("s", summarizer) == []
    assert await memory.get_context_summary("s") == ""
    log.finish(12)
    assert await ids(memory) == ["12"]


async def test_what_was_forgotten_before_the_first_look_is_not_told(log):
    memory = ConversationMemory(archive=log)
    await memory.save_interaction(log.finish(1))
    await ConversationMemory(archive=log).forget("s")
    assert await ids(memory) == []


async def test_what_was_forgotten_stays_forgotten_after_a_restart(log):
    log.finish(1)
    await ConversationMemory(archive=log).forget("s")
    log.finish(2)
    assert await ids(ConversationMemory(archive=log)) == ["2"]


async def test_a_session_deleted_from_the_log_is_not_told_any_more(log):
    memory = ConversationMemory(archive=log)
    await memory.save_interaction(log.finish(1))
    assert await ids(memory) == ["1"]
    log.sessions.clear()
    assert await ids(memory) == []


async def test_a_session_begun_anew_under_the_same_id_tells_nothing_of_the_deleted_one(log):
    memory = ConversationMemory(archive=log)
    log.finish(1)
    await ids(memory)
    log.sessions.clear()
    log.session()["began"] = "2"
    log.finish(2)
    assert await ids(memory) == ["2"]


async def test_sessions_of_two_users_with_one_id_stay_apart(log):
    memory = ConversationMemory(archive=log)
    log.finish(1, user="ann")
    log.finish(2, user="bob")
    assert await ids(memory, user="ann") == ["1"]
    assert await ids(memory, user="bob") == ["2"]
    await memory.forget("s", user="bob")
    assert await ids(memory, user="ann") == ["1"]
    assert await ids(memory, user="bob") == []


@pytest.mark.parametrize("failing", ["standing", "turns"])
async def test_while_the_log_is_away_memory_goes_on_with_what_it_has_and_catches_up_later(log, caplog, failing):
    memory = ConversationMemory(archive=log)
    log.finish(1)
    await ids(memory)
    log.finish(2)
    log.away.add(failing)
    with caplog.at_level(logging.WARNING, "glassloop"):
        assert await ids(memory) == ["1"]
    assert "The database is away" in caplog.text
    log.away.clear()
    assert await ids(memory) == ["1", "2"]


async def test_what_was_cleared_is_not_told_even_when_the_rest_cannot_be_read(log):
    memory = ConversationMemory(archive=log)
    log.finish(1)
    await ids(memory)
    await ConversationMemory(archive=log).forget("s")
    log.finish(2)
    log.away.add("turns")
    assert await ids(memory) == []
    log.away.clear()
    assert await ids(memory) == ["2"]


async def test_a_summary_that_cannot_be_kept_is_told_all_the_same(log, summarizer, caplog):
    memory = ConversationMemory(archive=log)
    for name in range(12):
        log.finish(name)
    log.away.add("save_summary")
    messages = await memory.recall("s", summarizer)
    assert messages[0].content.endswith("\nSummary 1.")
    assert "is not kept" in caplog.text


async def test_forgetting_is_refused_while_the_log_is_away_and_then_nothing_is_forgotten(log):
    memory = ConversationMemory(archive=log)
    log.finish(1)
    await ids(memory)
    log.away.add("forget")
    with pytest.raises(StoreError):
        await memory.forget("s")
    assert await ids(memory) == ["1"]


async def test_a_look_that_was_under_way_while_a_session_was_forgotten_does_not_bring_it_back(log):
    memory = ConversationMemory(archive=log)
    log.finish(1)
    log.gate = asyncio.Event()
    looking = asyncio.create_task(ids(memory))
    while "turns" not in log.asked:
        await asyncio.sleep(0)
    await memory.forget("s")
    log.gate.set()
    await looking
    assert await ids(memory) == []


async def test_sessions_let_go_while_they_were_looked_up_take_no_room(log):
    memory = ConversationMemory(archive=log)
    text = "x" * 390_000
    for number in range(MAX_BYTES // 390_000 + 20):
        name = str(number)
        log.finish(1, session=name, text=text)
        log.gate = asyncio.Event()
        log.asked.clear()
        looking = asyncio.create_task(ids(memory, name))
        while "turns" not in log.asked:
            await asyncio.sleep(0)
        await memory.forget(name)
        log.gate.set()
        await looking
        log.sessions.clear()
    log.gate = None
    await memory.save_interaction(turn(1, "a"))
    await memory.save_interaction(turn(1, "b"))
    assert await ids(memory, "a") == ["1"]


async def test_a_summary_written_while_the_session_was_forgotten_is_not_told(log, summarizer):
    memory = ConversationMemory(archive=log)
    for name in range(12):
        log.finish(name)

    async def clear():
        await memory.forget("s")

    summarizer.meanwhile = clear
    await memory.recall("s", summarizer)
    assert await memory.get_context_summary("s") == ""
    assert await ids(memory) == []


@pytest.mark.parametrize("name", ["Summary", None])
@pytest.mark.parametrize(("more", "first"), [(3, 2), (MAX_TURNS - 5, 7)])
async def test_turns_that_come_and_go_while_a_summary_is_written_are_all_told(name, more, first):
    memory, summarizer = ConversationMemory(), Summarizer(name)
    for number in range(12):
        await memory.save_interaction(turn(number))

    async def talk():
        for number in range(12, 12 + more):
            await memory.save_interaction(turn(number))

    summarizer.meanwhile = talk
    messages = await memory.recall("s", summarizer)
    said = [message.content for message in messages if hasattr(message, "content") and message.content[0] == "q"]
    assert said == [f"q{number} " for number in range(first, 12 + more)]
