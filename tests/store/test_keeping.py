"""Deleting, retention, taking a session elsewhere, checking and backing up."""

import random
import sqlite3

import msgspec
import pytest

from glassloop.core.errors import StoreError, UsageError
from glassloop.store import open_store
from store.made_events import answered, finished, path_of, paused, started, thought, whole_turn

MARK = "purple elephants"


async def fill(store, users=("ann", "bob"), sessions=6):
    """Turns of several users, in mixed order, each naming its user."""
    names = [(user, number) for user in users for number in range(sessions)]
    random.Random(3).shuffle(names)
    for user, number in names:
        turn = f"{user}-{number}"
        text = f"{user} likes {MARK} " * 3
        await store.append(turn, [
            started(turn, session=turn, user=user, question=text), thought(turn, 2, text), answered(turn, 3, text),
            finished(turn, 4),
        ])  # fmt: skip
        await store.add_message(turn, "tool", text)


def without_ids(lines):
    """Exported lines as values; a message's number is each database's own."""
    values = [msgspec.json.decode(line) for line in lines]
    for value in values:
        value.get("message", {}).pop("id", None)
    return values


async def test_deleting_a_session_leaves_nothing_of_it_and_all_of_the_others(store):
    await store.append("t1", whole_turn("t1", session="s1"))
    await store.append("t2", whole_turn("t2", session="s2"))
    assert await store.delete_session("s1")
    assert not await store.delete_session("s1")
    assert await store.get_session("s1") is None
    assert list(await store.read("t1")) == []
    assert list(await store.messages("s1")) == []
    assert list(await store.read("t2")) == whole_turn("t2", session="s2")
    health = await store.check()
    assert (health.ok, health.counts) == (True, {"sessions": 1, "turns": 1, "events": 5, "messages": 2, "jobs": 0})


async def test_deleting_a_user_takes_everything_of_that_user_and_nothing_else(store):
    await fill(store)
    theirs = [await store.add_job("index", user, {"of": user}) for user in ("ann", "bob")]
    assert await store.delete_user("ann") == 6
    assert await store.delete_user("ann") == 0
    assert [await store.job(job.id) for job in theirs] == [None, theirs[1]]
    assert list(await store.list_sessions(user_id="ann")) == []
    assert len(await store.list_sessions(user_id="bob")) == 6
    health = await store.check()
    assert (health.ok, health.counts) == (True, {"sessions": 6, "turns": 6, "events": 24, "messages": 18, "jobs": 1})


async def test_nothing_a_deleted_user_said_is_left_in_the_file(tmp_path):
    path = tmp_path / "log.db"
    async with await open_store(str(path)) as store:
        await fill(store, sessions=30)
        for user in ("ann", "bob"):
            job = await store.add_job("index", user, {"text": f"{user} likes {MARK}"})
            await store.claim_job(job.id, "w1", 30)
            await store.finish_job(job.id, 1, "failed", {"text": f"{user} likes it"}, f"{user} likes nothing")
        await store.delete_user("ann")
        files = [file for file in tmp_path.iterdir() if file.name.startswith("log.db")]
        left = b"".join(file.read_bytes() for file in files)
        assert b"ann likes" not in left
        assert b"bob likes" in left


async def test_what_is_older_than_wanted_goes_and_what_is_under_way_stays(store, clock):
    await store.append("old", whole_turn("old", session="old", at=1000.0))
    await store.append("waiting", [started("waiting", session="waiting", at=1000.0), paused("waiting")])
    await store.append("new", whole_turn("new", session="new"))
    empty = await store.create_session("ann")
    assert await store.purge(1_700_000_100.0) == 3
    assert [session.id for session in await store.list_sessions()] == ["waiting"]
    assert await store.get_session(empty.id) is None
    assert await store.purge(1_700_000_100.0) == 0


async def test_jobs_that_were_over_before_then_go_and_others_stay(store, clock):
    old, running, queued, recent = [(await store.add_job("index", "ann", {})).id for _ in range(4)]
    for job in (old, running, recent):
        await store.claim_job(job, "w1", 30)
    await store.finish_job(old, 1, "failed", error="No disk.")
    clock.now += 1000
    await store.finish_job(recent, 1, "completed")
    assert await store.purge(clock.now - 500) == 0
    assert {job.id for job in await store.list_jobs()} == {running, queued, recent}
    assert await store.purge(clock.now + 1) == 0
    assert {job.id for job in await store.list_jobs()} == {running, queued}


async def test_a_user_with_jobs_alone_leaves_nothing_in_the_file(tmp_path):
    async with await open_store(str(tmp_path / "log.db")) as store:
        await store.add_job("index", "ann", {"text": f"ann likes {MARK}"})
        assert await store.delete_user("ann") == 0
        assert all(MARK.encode() not in file.read_bytes() for file in tmp_path.iterdir())


async def test_a_session_taken_elsewhere_is_the_same_there(store, tmp_path):
    await store.append("t1", whole_turn("t1", at=1_700_000_000.0))
    await store.add_message("s1", "tool", "In between.", None, [{"id": "x"}], {"latency_ms": 2.0})
    await store.append("t2", whole_turn("t2", at=1_700_000_010.0))
    await store.add_rating("s1", "good", "Fine.")
    await store.save_summary("s1", "About 42.", "t1")
    await store.forget_session("s1")
    await store.update_session_status("s1", "completed")
    lines = await store.export_session("s1")
    assert all(msgspec.json.decode(line) for line in lines)
    async with await open_store(str(tmp_path / "other.db")) as other:
        assert await other.import_session(lines) == "s1"
        assert await other.get_session("s1") == await store.get_session("s1")
        for turn in await store.turns("s1"):
            first, *rest = await store.read(turn)
            marked = msgspec.structs.replace(first, settings={**first.settings, "imported": True})
            assert list(await other.read(turn)) == [marked, *rest]
        assert await other.turns("s1") == await store.turns("s1")
        same = [[msgspec.structs.replace(message, id=0) for message in await place.messages("s1")]
                for place in (store, other)]  # fmt: skip
        assert same[0] == same[1]
        assert without_ids(await other.export_session("s1")) == without_ids(lines)
        with pytest.raises(UsageError, match="already here"):
            await other.import_session(lines)


async def test_an_imported_session_may_become_another_users(store):
    await store.append("t1", whole_turn())
    lines = await store.export_session("s1")
    await store.delete_session("s1")
    await store.import_session(lines, user_id="bob")
    assert (await store.get_session("s1")).user_id == "bob"
    assert (await store.turn("t1")).user_id == "bob"
    assert (await store.read("t1"))[0].user == "bob"


async def test_a_turn_that_is_not_finished_is_not_imported(store):
    await store.append("t1", [started(), paused()])
    lines = await store.export_session("s1")
    await store.delete_session("s1")
    with pytest.raises(UsageError, match="not finished"):
        await store.import_session(lines)


def broken(lines):
    """Exports that are not, and what is said of them."""
    newer = lines[0].replace(b'"version":1', b'"version":2')
    yield [], "Line 1"
    yield [b"hello"], "Line 1"
    yield [b'{"format":"other","version":1}', *lines[1:]], "'other'"
    yield [newer, *lines[1:]], "version 2"
    yield lines[:1], "Line 2"
    yield [lines[0], *lines[2:]], "Line 2"
    yield [*lines[:2], *lines[3:]], "does not start"
    yield [*lines[:3], *lines[4:]], "in order"
    yield [*lines[:-1]], "not finished"
    yield [*lines[:2], lines[2].replace(b'"session_id":"s1"', b'"session_id":"s9"'), *lines[3:]], "does not start"
    yield [*lines, b'{"event":{"type":"dream"}}'], "Line 8"
    yield [*lines, b'{"event":' * 5000], "Line 8"
    yield [*lines, b'{"other":1}'], "Line 8"
    yield [lines[0], lines[1].replace(b"2023-", b"x"), *lines[2:]], "no time"
    yield [lines[0], lines[1].replace(b'"forgotten_at":null', b'"forgotten_at":"soon"'), *lines[2:]], "no time"
    yield [lines[0], lines[1].replace(b'"active"', b'"asleep"'), *lines[2:]], "Line 2"
    yield [*lines, *lines[2:]], "in order"


async def test_what_is_no_export_is_refused_whole(store):
    await store.append("t1", whole_turn())
    lines = list(await store.export_session("s1"))
    await store.delete_session("s1")
    for bad, says in broken(lines):
        with pytest.raises((UsageError, StoreError), match=says):
            await store.import_session(bad)
    assert set((await store.check()).counts.values()) == {0}
    await store.import_session([line.decode() + "\n" for line in lines])


async def test_a_backup_is_a_whole_store_of_one_moment(tmp_path):
    path, copy = tmp_path / "log.db", tmp_path / "copy.db"
    async with await open_store(str(path)) as store:
        await store.append("t1", whole_turn())
        await store.backup(str(copy))
        await store.append("t2", whole_turn("t2"))
        with pytest.raises(UsageError, match="overwrite"):
            await store.backup(str(copy))
    assert sorted(file.name for file in tmp_path.iterdir()) == ["copy.db", "log.db"]
    async with await open_store(str(copy)) as restored:
        assert list(await restored.read("t1")) == whole_turn()
        assert list(await restored.read("t2")) == []
        assert (await restored.check()).ok


async def test_a_backup_of_the_server_is_refused_with_the_remedy(postgres_tables, tmp_path):
    async with await open_store(postgres_tables) as store:
        with pytest.raises(UsageError, match="pg_dump"):
            await store.backup(str(tmp_path / "copy.db"))
    assert list(tmp_path.iterdir()) == []


async def test_the_check_names_rows_without_events_and_events_without_rows(tmp_path):
    url = f"sqlite:///{tmp_path / 'log.db'}"
    async with await open_store(url) as store:
        await store.append("t1", whole_turn())
        await store.append("t2", whole_turn("t2", session="s2"))
        connection = sqlite3.connect(path_of(url))
        connection.execute("DELETE FROM turns WHERE id = 't1'")
        connection.execute("DELETE FROM events WHERE turn_id = 't2'")
        connection.commit()
        connection.close()
        problems = (await store.check()).problems
    assert problems == ("Turn 't1' has events and no row.", "Turn 't2' has a row and no events.")


async def test_the_check_names_jobs_that_cannot_be_read(tmp_path):
    url = f"sqlite:///{tmp_path / 'log.db'}"
    async with await open_store(url) as store:
        good, bad, worse = [(await store.add_job("index", "ann", {})).id for _ in range(3)]
        connection = sqlite3.connect(path_of(url))
        connection.execute("UPDATE jobs SET params = '[1]' WHERE id = ?", [bad])
        connection.execute("UPDATE jobs SET result = '{' WHERE id = ?", [worse])
        connection.commit()
        connection.close()
        problems = (await store.check()).problems
        assert len(problems) == 2
        for job in (bad, worse):
            assert any(f"Job '{job}' is damaged" in problem for problem in problems)
            with pytest.raises(StoreError, match="is damaged"):
                await store.job(job)
        assert (await store.job(good)).params == {}
