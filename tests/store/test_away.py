"""What passes is told apart from what does not, and a store works again as soon as its database does."""

import asyncio
import sqlite3
from contextlib import closing
from itertools import count

import psycopg
import pytest

from glassloop.core.errors import StoreAway, StoreError, text_for_users
from glassloop.store import open_store
from glassloop.store.engine import sqlite
from store.conditions import DEADLINE_S, until, waiting
from store.made_events import path_of, started, thought, whole_turn


@pytest.mark.slow
async def test_a_killed_server_that_comes_back_has_all_that_was_acknowledged(own_postgres):
    async with await open_store(own_postgres.url) as store:
        stored, under_way = {}, asyncio.Event()

        async def work(name):
            await store.turns.append(name, [started(name, session=name)])
            for seq in count(2):
                stored[name] = seq - 1
                await store.turns.append(name, [thought(name, seq)])
                if seq == 20:
                    under_way.set()

        tasks = [asyncio.create_task(work(f"t{number}")) for number in range(4)]
        await asyncio.wait_for(under_way.wait(), 60)
        await asyncio.to_thread(own_postgres.kill)
        told = await asyncio.gather(*tasks, return_exceptions=True)
        assert all(isinstance(error, StoreAway) for error in told)
        with pytest.raises(StoreAway, match="cannot be reached"):
            await store.turns.read("t0")
        await asyncio.to_thread(own_postgres.start)
        for name, seq in stored.items():
            assert len(await store.turns.read(name)) in (seq, seq + 1)
            await store.turns.append(name, [thought(name, seq + 1)], again=True)
        assert (await store.maintenance.check()).problems == ()


async def test_a_store_that_stays_locked_says_so_and_works_again_later(tmp_path):
    url = f"sqlite:///{tmp_path / 'log.db'}?busy_timeout=50"
    async with await open_store(url) as store:
        await store.turns.append("t1", [started()])
        other = sqlite3.connect(path_of(url), isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreAway, match="locked by another process"):
            await store.turns.append("t1", [thought()])
        other.execute("ROLLBACK")
        other.close()
        await store.turns.append("t1", [thought()])
        assert len(await store.turns.read("t1")) == 2


async def test_a_server_that_was_restarted_meanwhile_is_not_noticed(own_postgres):
    async with await open_store(own_postgres.url) as store:
        await store.turns.append("t1", [started()])
        await asyncio.gather(*(store.turns.read("t1") for _ in range(12)))
        await asyncio.to_thread(own_postgres.stop)
        await asyncio.to_thread(own_postgres.start)
        for _ in range(12):
            assert len(await store.turns.read("t1")) == 1
        await store.turns.append("t1", [thought()])
        assert len(await store.turns.read("t1")) == 2


async def test_a_server_that_ends_our_sessions_is_not_noticed(postgres_tables):
    async with await open_store(f"{postgres_tables}&application_name=ended") as store:
        await store.turns.append("t1", [started()])
        for seq in range(2, 6):
            await store.turns.read("t1")
            with psycopg.connect(postgres_tables, autocommit=True) as other:
                ended = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'ended'"
                assert len(other.execute(ended).fetchall()) >= 2
            assert len(await store.turns.read("t1")) == seq - 1
            await store.turns.append("t1", [thought(seq=seq)])


async def test_a_lock_that_is_not_given_in_time_is_a_reason_to_try_again(postgres_tables):
    url = postgres_tables.replace("options=", "options=-c%20lock_timeout%3D100ms%20")
    async with await open_store(url) as store:
        await store.turns.append("t1", [started()])
        with psycopg.connect(postgres_tables) as other:
            other.execute("SELECT pg_advisory_xact_lock(hashtextextended('session s1', 7))")
            with pytest.raises(StoreAway, match="locked by other workers"):
                await store.turns.begin([started("t2")], supersedes=True)
        await store.turns.begin([started("t2")], supersedes=True)


async def test_commits_that_block_one_another_are_untangled_and_nobody_loses_a_write(postgres_tables):
    url = postgres_tables.replace("options=", "options=-c%20deadlock_timeout%3D100ms%20")
    async with await open_store(url) as store:
        for name in ("first", "a", "b"):
            await store.turns.append(name, [started(name, session=name)])
        mark = "UPDATE turns SET error = 'other' WHERE id = %s"
        with psycopg.connect(postgres_tables) as blocker, psycopg.connect(postgres_tables) as other:
            blocker.execute(mark, ["first"])
            other.execute("SET deadlock_timeout = '60s'")
            other.execute(mark, ["b"])
            # Both of these are queued behind the first, and so share a commit.
            tasks = [asyncio.create_task(store.turns.request_cancel("first"))]
            await until(lambda: waiting(postgres_tables) == 1)
            tasks += [asyncio.create_task(store.turns.request_cancel(name)) for name in ("a", "b")]
            await asyncio.sleep(0)
            blocker.rollback()
            await asyncio.wait_for(tasks[0], DEADLINE_S)
            await until(lambda: waiting(postgres_tables) == 1)
            await asyncio.to_thread(other.execute, mark, ["a"])
            other.commit()
        await asyncio.wait_for(asyncio.gather(*tasks), DEADLINE_S)
        rows = [await store.turns.get(name) for name in ("a", "b")]
        assert [(row.cancel_requested, row.error) for row in rows] == [(True, "other"), (True, "other")]


async def test_a_server_that_only_reads_for_now_is_away(postgres_tables):
    await (await open_store(postgres_tables)).aclose()
    url = postgres_tables.replace("options=", "options=-c%20default_transaction_read_only%3Don%20")
    async with await open_store(url) as store:
        with pytest.raises(StoreAway, match="read-only"):
            await store.turns.append("t1", [started()])
        assert list(await store.turns.read("t1")) == []


async def test_a_server_that_is_not_there_is_away_and_is_named_without_its_password():
    with pytest.raises(StoreAway, match="cannot be reached") as refused:
        await open_store("postgresql://ann:hunter2@127.0.0.1:1/db")
    assert "hunter2" not in str(refused.value)
    assert text_for_users(refused.value) == "The database cannot be reached: try again in a moment."


async def test_a_database_that_does_not_exist_is_not_said_to_be_away(postgres_url):
    with pytest.raises(StoreError, match="does not let us in") as refused:
        await open_store(postgres_url.replace("/postgres?", "/nowhere?"))
    assert not isinstance(refused.value, StoreAway)


def drivers_error(path, mode):
    """What the driver itself says when everything is to be deleted."""
    with (
        pytest.raises(sqlite3.Error) as raised,
        closing(sqlite3.connect(f"file:{path}?mode={mode}", uri=True)) as other,
    ):
        other.execute("DELETE FROM events")
    return raised.value


@pytest.mark.parametrize(("how", "away"), [("read-only", True), ("no folder", True), ("overwritten", False)])
async def test_what_may_pass_with_a_file_is_told_from_what_does_not(tmp_path, how, away):
    path = tmp_path / "log.db"
    async with await open_store(str(path)) as store:
        await store.turns.append("t1", whole_turn())
    if how == "overwritten":
        with path.open("r+b") as file:
            file.seek(100)
            file.write(b"\xff" * 8000)
    where = tmp_path / "none" / "log.db" if how == "no folder" else path
    told = sqlite.explain(str(path), drivers_error(where, "ro" if how == "read-only" else "rw"))
    assert isinstance(told, StoreError)
    assert isinstance(told, StoreAway) == away


async def test_a_path_through_a_file_is_refused_for_good(tmp_path):
    (tmp_path / "file").write_text("x")
    with pytest.raises(StoreError, match="cannot be made") as refused:
        await open_store(str(tmp_path / "file" / "log.db"))
    assert not isinstance(refused.value, StoreAway)
