"""`append_now`: at once or not at all, in the order of the calls, with the refusals of `append`."""

import asyncio
import sqlite3

import pytest

from glassloop.core.errors import StoreError
from glassloop.store import open_store
from glassloop.store.engine.sqlite import SqliteDatabase, prepare
from glassloop.store.errors import Superseded
from store.made_events import answered, finished, started, thought, whole_turn
from waiting import until


async def at_once(store, turn, events, *epoch):
    """A commit that was slow, as on a busy machine, sends those after it to the writer for a while."""
    await until(lambda: store.turns.append_now(turn, events, *epoch), "a commit at once")


async def store_by_any_way(log, turn, events, **options):
    if not log.append_now(turn, events):
        await log.append(turn, events, **options)


async def test_whatever_cannot_be_stored_at_once_is_left_for_append(log):
    turn = whole_turn()
    for event in turn:
        await store_by_any_way(log, "t1", [event])
    assert list(await log.read("t1")) == turn
    assert log.append_now("t1", [])


async def test_what_is_stored_at_once_is_there_for_every_reader(file_store):
    await at_once(file_store, "t1", [started()])
    await at_once(file_store, "t1", [thought(), thought(seq=3)], 0)
    await at_once(file_store, "t1", [answered(seq=4), finished(seq=5)], 0)
    assert len(await file_store.turns.read("t1")) == 5
    assert (await file_store.turns.get("t1")).answer == "It is 42."
    assert (await file_store.maintenance.check()).problems == ()


async def test_what_append_refuses_is_refused_at_once_in_the_same_words(file_store, clock):
    await at_once(file_store, "t1", [started()])
    await file_store.turns.claim("t1", "w1", 30)
    for events, epoch in (([thought()], None), ([thought(seq=4)], None), ([thought(seq=3)], 0), ([finished()], 0)):
        with pytest.raises(Superseded) as quickly:
            await at_once(file_store, "t1", events, epoch)
        with pytest.raises(Superseded) as waited:
            await file_store.turns.append("t1", events, epoch=epoch)
        assert str(quickly.value) == str(waited.value)
    await at_once(file_store, "t1", [finished()], 1)
    with pytest.raises(StoreError, match="completed"):
        await at_once(file_store, "t1", [thought(seq=4)])
    assert len(await file_store.turns.read("t1")) == 3


async def test_nothing_overtakes_what_waits_to_be_written(file_store):
    await file_store.turns.append("t1", [started()])
    waiting = asyncio.create_task(file_store.turns.append("t1", [thought()], sync=True))
    await asyncio.sleep(0)
    assert not file_store.turns.append_now("t1", [thought(seq=3)])
    await waiting
    await file_store.turns.append("t1", [thought(seq=3)])
    assert [event.seq for event in await file_store.turns.read("t1")] == [1, 2, 3]


async def test_a_lock_of_another_process_is_never_waited_for(tmp_path):
    path = tmp_path / "log.db"
    async with await open_store(str(path)) as store:
        await store.turns.append("t1", [started()])
        await at_once(store, "t1", [thought()])
        other = sqlite3.connect(path, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        for events in ([thought(seq=3)], [answered(seq=3)]):
            assert not store.turns.append_now("t1", events)
        other.execute("ROLLBACK")
        other.close()
        await at_once(store, "t1", [thought(seq=3)])
        assert len(await store.turns.read("t1")) == 3


@pytest.mark.parametrize("events", [[thought(text="x" * 100_000)], [thought(seq=seq) for seq in range(2, 40)]])
async def test_what_is_large_is_left_to_the_writer(file_store, events):
    await file_store.turns.append("t1", [started()])
    assert not file_store.turns.append_now("t1", events)
    await file_store.turns.append("t1", events)
    assert len(await file_store.turns.read("t1")) == 1 + len(events)


@pytest.mark.parametrize("kind", ["memory", "postgres"])
async def test_a_database_that_may_wait_never_stores_at_once(request, kind):
    url = "sqlite:///:memory:" if kind == "memory" else request.getfixturevalue("postgres_tables")
    async with await open_store(url) as store:
        assert not store.turns.append_now("t1", [started()])
        assert list(await store.turns.read("t1")) == []


async def test_a_closed_store_stores_nothing_at_once(tmp_path):
    store = await open_store(str(tmp_path / "log.db"))
    await at_once(store, "t1", [started()])
    await store.aclose()
    assert not store.turns.append_now("t1", [thought()])


async def test_both_ways_leave_the_same_log(file_store):
    await file_store.turns.append("t1", [started()])
    quickly = 0
    for seq in range(2, 600):
        if seq % 97 and file_store.turns.append_now("t1", [thought(seq=seq)], 0):
            quickly += 1
        else:
            await file_store.turns.append("t1", [thought(seq=seq)], sync=seq % 97 == 0, epoch=0)
    assert quickly
    assert [event.seq for event in await file_store.turns.read("t1")] == list(range(1, 600))
    assert (await file_store.maintenance.check()).problems == ()


async def test_a_connection_that_never_waits_is_still_opened_while_another_process_closes_the_file(tmp_path):
    path = str(tmp_path / "log.db")
    prepare(path)
    closing = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    closing.execute("PRAGMA locking_mode=EXCLUSIVE")
    closing.execute("CREATE TABLE other (x)")
    asyncio.get_running_loop().call_later(0.3, closing.close)
    opened = await asyncio.to_thread(SqliteDatabase, path, {"busy_timeout": 0}, inline=True)
    assert opened.run("PRAGMA busy_timeout") == [(0,)]
    opened.close()
