"""Memory on a real store: what was said comes back after a restart and from other processes, and `/clear` stays."""

import asyncio
import itertools
import time
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from glassloop import Agent, ScriptedModel, TurnFailed
from glassloop.core.errors import StoreAway
from glassloop.memory.conversation import ConversationMemory
from glassloop.memory.working_memory import MAX_TURNS
from glassloop.runtime.conversations.archive import StoreArchive
from glassloop.store import open_store
from properties.strategies import TOOLS, said, scripts
from store.conftest import shared_url  # noqa: F401
from store.made_events import (
    answered,
    called,
    damaged,
    finished,
    paused,
    renamed,
    returned,
    spoil,
    started,
    thought,
    whole_turn,
)

AT = 1_700_000_000.0


class Clock:
    """Never tells the same moment twice."""

    def __init__(self):
        self.now = time.time()

    def __call__(self):
        self.now += 1
        return self.now


class Process:
    """One process: its own connections, its own working memory, its own model; the database is shared."""

    def __init__(self, store, clock, replies=(), **options):
        self.model = ScriptedModel([*replies, *["Noted."] * 40])
        self.store = store
        self.archive = StoreArchive(store)
        self.memory = ConversationMemory(clock=clock, archive=self.archive)
        self.agent = Agent(self.model, TOOLS, memory=self.memory, store=store.turns, clock=clock, **options)

    async def ask(self, question, session="s", user="ann"):
        return await self.agent.run(question, session_id=session, user=user)

    async def history(self, limit=MAX_TURNS, session="s", user="ann"):
        return await self.memory.get_history(session, limit, user=user)

    async def questions(self, session="s", user="ann"):
        return [turn.user_query for turn in await self.history(session=session, user=user)]

    def told(self):
        """The questions of earlier turns that the model was shown with the last request."""
        return [message.content for message in self.model.requests[-1].messages[:-1] if hasattr(message, "content")]


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
async def started_process(shared_url, clock):  # noqa: F811
    """Starts processes on one database; they end with the test."""
    stores = []

    async def start(replies=(), **options):
        stores.append(await open_store(shared_url, clock=clock))
        return Process(stores[-1], clock, replies, **options)

    yield start
    for store in stores:
        await store.aclose()


@pytest.fixture
async def store(tmp_path):
    async with await open_store(str(tmp_path / "log.db"), clock=lambda: AT) as opened:
        yield opened


@pytest.fixture
def opened(tmp_path, put_store):
    """A store for all examples of a test, and what runs them."""
    with asyncio.Runner() as runner:
        store = runner.run(open_store(str(put_store(tmp_path / "log.db"))))
        yield runner.run, store
        runner.run(store.aclose())


numbers = itertools.count()


@pytest.mark.property(8)
@given(st.lists(st.tuples(said, scripts), min_size=1, max_size=3), st.booleans())
def test_a_turn_reads_back_from_the_store_as_it_was_remembered(opened, turns, thorough):
    run, store = opened
    session = f"session {next(numbers)}"

    async def work():
        memory = ConversationMemory()
        for question, script in turns:
            model = ScriptedModel([*script, *["The end."] * 40])
            agent = Agent(model, TOOLS, memory=memory, store=store.turns, planner=thorough, reflection=thorough)
            await agent.stream(question, session_id=session).drain()
        read = ConversationMemory(archive=StoreArchive(store))
        return await memory.get_history(session), await read.get_history(session)

    remembered, read = run(work())
    assert read == remembered
    assert len(read) == sum(not question.startswith("/") for question, _ in turns)


async def test_the_model_is_told_after_a_restart_what_was_said_before_it(started_process):
    await (await started_process()).ask("My name is Ann.")
    process = await started_process()
    await process.ask("What is my name?")
    assert process.told() == ["My name is Ann."]


async def test_two_processes_that_take_turns_tell_the_same_conversation(started_process):
    one, two = await started_process(), await started_process()
    for number in range(6):
        process = (one, two)[number % 2]
        await process.ask(f"Question {number}")
        assert process.told() == [f"Question {earlier}" for earlier in range(number)]
    assert await one.history() == await two.history()


async def test_a_clear_is_noticed_by_other_processes_and_outlives_a_restart(started_process):
    one, two = await started_process(), await started_process()
    await one.ask("My name is Ann.")
    await two.ask("And I am 40.")
    await two.ask("/clear")
    assert await one.questions() == []
    await one.ask("Who am I?")
    assert one.told() == []
    assert await two.questions() == ["Who am I?"]
    assert await (await started_process()).questions() == ["Who am I?"]


async def test_a_summary_is_kept_over_a_restart(started_process):
    questions = [f"Hello {number} " + "there " * 20 for number in range(13)]
    process = await started_process([*["Noted."] * 11, "They greeted each other."], history_tokens=440)
    for question in questions:
        await process.ask(question)
    assert [r.purpose for r in process.model.requests].index("summarize") == 11
    restarted = await started_process(history_tokens=440)
    await restarted.ask("Hello again")
    assert [request.purpose for request in restarted.model.requests] == ["decide"]
    assert restarted.told()[0].endswith("\nThey greeted each other.</system-note>")
    assert restarted.told()[1:] == questions[1:]


async def test_a_summary_from_before_a_clear_is_not_told(started_process):
    process = await started_process()
    await process.ask("One")
    (turn,) = await process.history()
    await process.memory.forget("s", user="ann")
    await process.archive.save_summary("s", "ann", "They talked about one.", turn.id)
    assert (await process.archive.standing("s", "ann")).summary is None
    await process.ask("Two")
    newer = (await process.history())[-1]
    await process.archive.save_summary("s", "ann", "They talked about two.", newer.id)
    assert (await process.archive.standing("s", "ann")).summary == ("They talked about two.", newer.id)


async def test_a_session_of_another_user_gives_nothing_and_takes_nothing(started_process):
    process = await started_process()
    await process.ask("My secret is out.")
    (turn,) = await process.history()
    archive = process.archive
    assert await archive.standing("s", "bob") is None
    assert await archive.turns("s", "bob", None) == []
    assert await archive.turns("s", "bob", turn.id) == []
    await archive.save_summary("s", "bob", "Nothing happened.", turn.id)
    await archive.forget("s", "bob")
    assert await process.questions(user="bob") == []
    assert await (await started_process()).questions() == ["My secret is out."]
    assert (await archive.standing("s", "ann")).summary is None


async def test_a_session_that_does_not_exist_is_forgotten_and_summarised_without_a_word(started_process):
    process = await started_process()
    await process.archive.forget("nowhere", "ann")
    await process.archive.save_summary("nowhere", "ann", "Nothing.", "t1")
    assert not await process.memory.forget("nowhere", user="ann")


async def test_only_finished_turns_with_an_answer_that_are_no_commands_are_told(store):
    await store.turns.append("running", [started("running", at=AT)])
    await store.turns.append("paused", [started("paused", at=AT + 1), paused("paused")])
    await store.turns.append("failed", [started("failed", at=AT + 2), finished("failed", 2, "failed", "It broke.")])
    await store.turns.append("command", [started("command", at=AT + 3, question="/help"), answered("command", 2)])
    await store.turns.append("command", [finished("command", 3)])
    await store.turns.append("open", [started("open", at=AT + 4), answered("open", 2)])
    cut_off = [started("partial", at=AT + 5), answered("partial", 2, "It i"), finished("partial", 3, "cancelled")]
    await store.turns.append("partial", cut_off)
    told = await StoreArchive(store).turns("s1", "ann", None)
    assert [(turn.id, turn.agent_response) for turn in told] == [("partial", "It i")]


async def test_turns_after_one_are_told_and_after_one_that_is_unknown_all(store):
    for number in range(4):
        await store.turns.append(f"t{number}", whole_turn(f"t{number}", at=AT + number))
    archive = StoreArchive(store)
    assert [turn.id for turn in await archive.turns("s1", "ann", "t1")] == ["t2", "t3"]
    assert await archive.turns("s1", "ann", "t3") == []
    assert [turn.id for turn in await archive.turns("s1", "ann", "gone")] == ["t0", "t1", "t2", "t3"]


async def test_the_newest_have_their_steps_and_the_older_what_was_said(started_process):
    process = await started_process()
    archive = StoreArchive(process.store, whole_turns=12)
    for number in range(15):
        await process.ask(f"Hello {number}")
    told = await archive.turns("s", "ann", None)
    assert [turn.user_query for turn in told] == [f"Hello {number}" for number in range(15)]
    assert [bool(turn.steps) for turn in told] == [False] * 3 + [True] * 12
    assert all(turn.agent_response and turn.created_at for turn in told)
    known = await process.archive.turns("s", "ann", told[-2].id, known={told[-1].id})
    assert [(turn.id, turn.steps) for turn in known] == [(told[-1].id, ())]


async def test_of_a_very_long_session_the_newest_turns_are_told(store):
    count = MAX_TURNS + 7
    for number in range(count):
        name = f"t{number:04}"
        await store.turns.append(name, [started(name, at=AT + number), answered(name, 2), finished(name, 3)])
    told = await StoreArchive(store).turns("s1", "ann", None)
    assert [turn.id for turn in told] == [f"t{number:04}" for number in range(7, count)]


async def test_events_of_a_later_version_are_skipped(store, tmp_path):
    await store.turns.append("t1", [*_thinking("t1"), answered("t1", 4), finished("t1", 5)])
    spoil(tmp_path / "log.db", 2, renamed)
    (turn,) = await StoreArchive(store).turns("s1", "ann", None)
    assert (turn.user_query, turn.agent_response, len(turn.steps)) == ("What is it?", "It is 42.", 1)


@pytest.mark.parametrize("damage", [damaged, None])
async def test_a_turn_whose_events_make_no_sense_is_told_by_question_and_answer(store, tmp_path, caplog, damage):
    # A call that nobody decided on: no step can be made of it.
    await store.turns.append(
        "t1", [started(), called("t1", 2), returned("t1", 3), answered("t1", 4), finished("t1", 5)]
    )
    if damage is not None:
        spoil(tmp_path / "log.db", 2, damage)
    (turn,) = await StoreArchive(store).turns("s1", "ann", None)
    assert (turn.user_query, turn.agent_response, turn.steps) == ("What is it?", "It is 42.", ())
    assert "turn t1 is remembered without its steps" in caplog.text


class Broken:
    """A log that cannot be read for now."""

    def __init__(self, turns):
        self.turns = turns
        self.away = True

    def __getattr__(self, name):
        return getattr(self.turns, name)

    async def read(self, turn_id, **options):
        if self.away:
            raise StoreAway("The database is away: start it.")
        return await self.turns.read(turn_id, **options)


async def test_a_turn_read_while_the_database_went_away_gets_its_steps_when_it_is_back(started_process, clock):
    process = await started_process()
    await process.ask("Hello")
    broken = Broken(process.store.turns)
    store = SimpleNamespace(turns=broken, sessions=process.store.sessions)
    memory = ConversationMemory(clock=clock, archive=StoreArchive(store))
    assert await memory.get_history("s", user="ann") == ()
    broken.away = False
    assert await memory.get_history("s", user="ann") == await process.history()


async def test_a_turn_goes_on_in_working_memory_while_the_log_cannot_be_read(shared_url, clock, caplog):  # noqa: F811
    away = await open_store(shared_url, clock=clock)
    await away.aclose()
    async with await open_store(shared_url, clock=clock) as store:
        process = Process(store, clock)
        memory = ConversationMemory(clock=clock, archive=StoreArchive(away))
        agent = Agent(process.model, TOOLS, memory=memory, store=store.turns, clock=clock)
        await agent.run("My name is Ann.", session_id="s")
        await agent.run("What is my name?", session_id="s")
        assert process.told() == ["My name is Ann."]
        assert "goes on with what is remembered here" in caplog.text
        with pytest.raises(TurnFailed):
            await agent.run("/clear", session_id="s")
        assert await process.questions(user="anonymous") == ["My name is Ann.", "What is my name?"]


def _thinking(turn):
    return [started(turn, at=AT), thought(turn, 2), thought(turn, 3)]
