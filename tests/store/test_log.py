"""The log's contract, on everything that fills the port: order, all or nothing, no event twice."""

import asyncio
import uuid

import pytest
from hypothesis import given
from hypothesis import strategies as st

from glassloop import Agent, ScriptedModel
from glassloop.core import events as e
from glassloop.core.errors import StoreError, UsageError
from glassloop.models.scripted_model import call
from glassloop.store import open_store
from glassloop.store.errors import Superseded
from properties.strategies import TOOLS, scripts
from store.made_events import answered, called, finished, returned, started, thought, whole_turn


async def test_what_was_appended_reads_back_equal_and_in_order(log):
    turn = whole_turn()
    await log.append("t1", turn[:2])
    await log.append("t1", turn[2:], sync=True)
    assert list(await log.read("t1")) == turn
    assert list(await log.read("t1", 3)) == turn[3:]
    assert list(await log.read("t1", 5)) == []


async def test_a_turn_nobody_knows_has_no_events(log):
    assert list(await log.read("nothing")) == []
    assert list(await log.ids("nothing")) == []


async def test_the_turns_of_a_session_are_listed_oldest_first_and_apart_from_others(log):
    for number, (turn, session) in enumerate([("b", "s1"), ("a", "s1"), ("c", "s2")]):
        await log.append(turn, [started(turn, session=session, at=1_700_000_000.0 + number), finished(turn, 2)])
    assert list(await log.ids("s1")) == ["b", "a"]
    assert list(await log.ids("s2")) == ["c"]


@pytest.mark.parametrize("seq", [1, 2, 4, 9])
async def test_a_taken_or_skipping_number_is_refused_and_nothing_of_the_batch_is_stored(log, seq):
    await log.append("t1", [started(), called()])
    with pytest.raises(Superseded, match="another worker runs this turn"):
        await log.append("t1", [thought(seq=seq), thought(seq=seq + 1)])
    assert len(await log.read("t1")) == 2


async def test_nothing_appended_is_nothing_stored(log):
    await log.append("t1", [])
    assert list(await log.read("t1")) == []


async def test_an_agents_turn_is_in_the_log_as_it_was_shown(log):
    model = ScriptedModel([call("look"), call("look", key="b"), "Done."])
    stream = Agent(model, TOOLS, store=log).stream("Hi", session_id="s1")
    shown = [event async for event in stream if type(event) not in e.TRANSIENT]
    assert list(await log.read(stream.turn_id)) == shown
    assert list(await log.ids("s1")) == [stream.turn_id]


async def test_many_turns_at_once_are_all_stored(log):
    async def work(turn):
        await log.append(turn, [started(turn, session=turn)])
        for seq in range(2, 12):
            await log.append(turn, [thought(turn, seq)])

    await asyncio.gather(*(work(f"t{number}") for number in range(40)))
    for number in range(40):
        assert [event.seq for event in await log.read(f"t{number}")] == list(range(1, 12))


async def test_of_two_writers_of_one_number_exactly_one_is_told_it_is_stored(store):
    await store.turns.append("t1", [started()])
    told = await asyncio.gather(
        *(store.turns.append("t1", [thought(seq=2, text=f"writer {number}")]) for number in range(20)),
        return_exceptions=True,
    )
    assert sum(result is None for result in told) == 1
    assert all(isinstance(result, Superseded) for result in told if result is not None)
    kept = (await store.turns.read("t1"))[1]
    assert kept.text == f"writer {told.index(None)}"


async def test_a_refused_append_does_not_disturb_those_that_share_its_commit(store):
    await store.turns.append("t1", [started(), thought()])
    good = [
        store.turns.append(f"g{n}", [started(f"g{n}", session=f"g{n}"), thought(f"g{n}")], sync=True) for n in range(10)
    ]
    bad = [store.turns.append("t1", [thought(seq=2, text="late")], sync=True) for _ in range(5)]
    told = await asyncio.gather(*good[:5], *bad, *good[5:], return_exceptions=True)
    assert [type(result) for result in told] == [type(None)] * 5 + [Superseded] * 5 + [type(None)] * 5
    assert [len(await store.turns.read(f"g{n}")) for n in range(10)] == [2] * 10


async def test_long_and_short_events_read_back_equal(log):
    turn = [started(question="q" * 100_000), thought(text="日本語" * 3000), returned(seq=3, output="7" * 199)]
    await log.append("t1", turn)
    assert list(await log.read("t1")) == turn


async def test_a_batch_of_unknown_fate_may_be_sent_again(store):
    turn = whole_turn()
    await store.turns.append("t1", turn[:1])
    await store.turns.append("t1", turn[1:3])
    await store.turns.append("t1", turn[1:3], again=True)
    assert len(await store.turns.read("t1")) == 3
    with pytest.raises(Superseded):
        await store.turns.append("t1", [called(key="other"), returned()], again=True)


async def test_a_turn_must_start_with_its_question(store):
    with pytest.raises(StoreError, match="'turn_started'"):
        await store.turns.append("t1", [thought(seq=1)])


async def test_nothing_follows_the_end(store):
    await store.turns.append("t1", whole_turn())
    with pytest.raises(StoreError, match="completed"):
        await store.turns.append("t1", [thought(seq=6)])


async def test_events_of_another_turn_and_transient_ones_are_refused(store):
    with pytest.raises(UsageError, match="in order"):
        await store.turns.append("t1", [started("t2")])
    delta = e.TextDelta(turn_id="t1", seq=1, at=1.0, block=1, offset=0, text="x")
    with pytest.raises(UsageError, match="transient"):
        await store.turns.append("t1", [delta])


async def test_a_cancelled_append_is_stored_whole_or_not_at_all_and_leaves_no_gap(store):
    await store.turns.append("t1", [started()])
    seq = 2
    for spins in range(12):
        task = asyncio.create_task(store.turns.append("t1", [thought(seq=seq), thought(seq=seq + 1)], sync=True))
        for _ in range(spins % 4):
            await asyncio.sleep(0)
        task.cancel()
        try:
            await task
        except asyncio.CancelledError:
            pass
        stored = len(await store.turns.read("t1"))
        assert stored in (seq - 1, seq + 1)
        seq = stored + 1
    await store.turns.append("t1", [thought(seq=seq)])
    assert (await store.maintenance.check()).problems == ()


@pytest.fixture
def opened():
    """A store for all examples of a test, and what runs them: opening one takes longer than most examples."""
    with asyncio.Runner() as runner:
        store = runner.run(open_store("sqlite:///:memory:"))
        yield runner.run, store
        runner.run(store.aclose())


@given(scripts)
def test_every_turn_the_engine_makes_reads_back_equal(opened, script):
    run, store = opened

    async def work():
        stream = Agent(ScriptedModel([*script, *["The end."] * 20]), TOOLS, store=store.turns).stream("What?")
        await stream.drain()
        assert list(await store.turns.read(stream.turn_id)) == list(stream.events)

    run(work())


awkward = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)


@given(awkward, awkward, awkward)
def test_any_text_survives(opened, question, text, answer):
    run, store = opened
    turn_id, session = str(uuid.uuid4()), str(uuid.uuid4())

    async def work():
        turn = [
            started(turn_id, session=session, question=question),
            thought(turn_id, text=text),
            answered(turn_id, seq=3, text=answer),
            finished(turn_id, seq=4),
        ]
        await store.turns.append(turn_id, turn)
        assert list(await store.turns.read(turn_id)) == turn
        said = [message.content for message in await store.sessions.messages(session)]
        assert said == [part.replace("\x00", "\ufffd") for part in (question, answer)]

    run(work())


async def test_text_that_a_column_cannot_hold_is_no_obstacle(store):
    turn = [started(question="a\x00b", user="u\x00"), answered(text="c\x00d"), finished()]
    await store.turns.append("t1", turn)
    assert list(await store.turns.read("t1")) == turn
    assert [message.content for message in await store.sessions.messages("s1")] == ["a\ufffdb", "c\ufffdd"]


async def test_text_that_no_encoding_can_hold_is_refused_with_a_reason(store):
    with pytest.raises(StoreError, match="cannot be written as JSON"):
        await store.turns.append("t1", [started(question="\ud800")])
    assert list(await store.turns.read("t1")) == []
