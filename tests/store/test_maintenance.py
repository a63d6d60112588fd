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
        await store.turns.append(turn, [
            started(turn, session=turn, user=user, question=text), thought(turn, 2, text), answered(turn, 3, text),
            finished(turn, 4),
        ])  # fmt: skip
        await store.sessions.add_message(turn, "tool", text)


def without_ids(lines):
    """Exported lines as values; a message's number is each database's own."""
    values = [msgspec.json.decode(line) for line in lines]
    for value in values:
        value.get("message", {}).pop("id", None)
    return values


async def test_deleting_a_session_leaves_nothing_of_it_and_all_of_the_others(store):
    await store.turns.append("t1", whole_turn("t1", session="s1"))
    await store.turns.append("t2", whole_turn("t2", session="s2"))
    assert await store.sessions.delete("s1")
    assert not await store.sessions.delete("s1")
    assert await store.sessions.get("s1") is None
    assert list(await store.turns.read("t1")) == []
    assert list(await store.sessions.messages("s1")) == []
    assert list(await store.turns.read("t2")) == whole_turn("t2", session="s2")
    health = await store.maintenance.check()
    assert (health.ok, health.counts) == (
        True,
        {"sessions": 1, "turns": 1, "events": 5, "messages": 2, "jobs": 0, "schedules": 0},
    )


async def test_deleting_a_user_takes_everything_of_that_user_and_nothing_else(store):
    await fill(store)
    theirs = [await store.jobs.enqueue("index", user, {"of": user}) for user in ("ann", "bob")]
    assert await store.maintenance.delete_user("ann") == 6
    assert await store.maintenance.delete_user("ann") == 0
    assert [await store.jobs.get(job.id) for job in theirs] == [None, theirs[1]]
    assert list(await store.sessions.list(user_id="ann")) == []
    assert len(await store.sessions.list(user_id="bob")) == 6
    health = await store.maintenance.check()
    counts = {"sessions": 6, "turns": 6, "events": 24, "messages": 18, "jobs": 1, "schedules": 0}
    assert (health.ok, health.counts) == (True, counts)


async def test_nothing_a_deleted_user_said_is_left_in_the_file(tmp_path):
    path = tmp_path / "log.db"
    async with await open_store(str(path)) as store:
        await fill(store, sessions=30)
        for user in ("ann", "bob"):
            job = await store.jobs.enqueue("index", user, {"text": f"{user} likes {MARK}"})
            await store.jobs.claim(job.id, "w1", 30)
            await store.jobs.finish(job.id, 1, "failed", {"text": f"{user} likes it"}, f"{user} likes nothing")
        await store.maintenance.delete_user("ann")
        files = [file for file in tmp_path.iterdir() if file.name.startswith("log.db")]
        left = b"".join(file.read_bytes() for file in files)
        assert b"ann likes" not in left
        assert b"bob likes" in left


async def test_what_is_older_than_wanted_goes_and_what_is_under_way_stays(store, clock):
    await store.turns.append("old", whole_turn("old", session="old", at=1000.0))
    await store.turns.append("waiting", [started("waiting", session="waiting", at=1000.0), paused("waiting")])
    await store.turns.append("new", whole_turn("new", session="new"))
    empty = await store.sessions.create("ann")
    assert await store.maintenance.purge(1_700_000_100.0) == 3
    assert [session.id for session in await store.sessions.list()] == ["waiting"]
    assert await store.sessions.get(empty.id) is None
    assert await store.maintenance.purge(1_700_000_100.0) == 0


async def test_jobs_that_were_over_before_then_go_and_others_stay(store, clock):
    old, running, queued, recent = [(await store.jobs.enqueue("index", "ann", {})).id for _ in range(4)]
    for job in (old, running, recent):
        await store.jobs.claim(job, "w1", 30)
    await store.jobs.finish(old, 1, "failed", error="No disk.")
    clock.now += 1000
    await store.jobs.finish(recent, 1, "completed")
    assert await store.maintenance.purge(clock.now - 500) == 0
    assert {job.id for job in await store.jobs.list()} == {running, queued, recent}
    assert await store.maintenance.purge(clock.now + 1) == 0
    assert {job.id for job in await store.jobs.list()} == {running, queued}


async def test_a_user_with_jobs_alone_leaves_nothing_in_the_file(tmp_path):
    async with await open_store(str(tmp_path / "log.db")) as store:
        await store.jobs.enqueue("index", "ann", {"text": f"ann likes {MARK}"})
        assert await store.maintenance.delete_user("ann") == 0
        assert all(MARK.encode() not in file.read_bytes() for file in tmp_path.iterdir())


async def test_a_session_taken_elsewhere_is_the_same_there(store, tmp_path):
    await store.turns.append("t1", whole_turn("t1", at=1_700_000_000.0))
    await store.sessions.add_message("s1", "tool", "In between.", None, [{"id": "x"}], {"latency_ms": 2.0})
    await store.turns.append("t2", whole_turn("t2", at=1_700_000_010.0))
    await store.sessions.add_rating("s1", "good", "Fine.")
    await store.sessions.save_summary("s1", "About 42.", "t1")
    await store.sessions.forget("s1")
    await store.sessions.update_status("s1", "completed")
    lines = await store.exports.dump("s1")
    assert all(msgspec.json.decode(line) for line in lines)
    async with await open_store(str(tmp_path / "other.db")) as other:
        assert await other.exports.load(lines) == "s1"
        assert await other.sessions.get("s1") == await store.sessions.get("s1")
        for turn in await store.turns.ids("s1"):
            first, *rest = await store.turns.read(turn)
            marked = msgspec.structs.replace(first, settings={**first.settings, "imported": True})
            assert list(await other.turns.read(turn)) == [marked, *rest]
        assert await other.turns.ids("s1") == await store.turns.ids("s1")
        same = [[msgspec.structs.replace(message, id=0) for message in await place.sessions.messages("s1")]
                for place in (store, other)]  # fmt: skip
        assert same[0] == same[1]
        assert without_ids(await other.exports.dump("s1")) == without_ids(lines)
        with pytest.raises(UsageError, match="already exists"):
            await other.exports.load(lines)


async def test_an_imported_session_may_become_another_users(store):
    await store.turns.append("t1", whole_turn())
    lines = await store.exports.dump("s1")
    await store.sessions.delete("s1")
    await store.exports.load(lines, user_id="bob")
    assert (await store.sessions.get("s1")).user_id == "bob"
    assert (await store.turns.get("t1")).user_id == "bob"
    assert (await store.turns.read("t1"))[0].user == "bob"


async def test_a_turn_that_is_not_finished_is_not_imported(store):
    await store.turns.append("t1", [started(), paused()])
    lines = await store.exports.dump("s1")
    await store.sessions.delete("s1")
    with pytest.raises(UsageError, match="not finished"):
        await store.exports.load(lines)


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
    yield [lines[0], lines[1].replace(b"2023-", b"x"), *lines[2:]], "not a time"
    yield [lines[0], lines[1].replace(b'"forgotten_at":null', b'"forgotten_at":"soon"'), *lines[2:]], "not a time"
    yield [lines[0], lines[1].replace(b'"active"', b'"asleep"'), *lines[2:]], "Line 2"
    yield [*lines, *lines[2:]], "in order"


async def test_what_is_no_export_is_refused_whole(store):
    await store.turns.append("t1", whole_turn())
    lines = list(await store.exports.dump("s1"))
    await store.sessions.delete("s1")
    for bad, says in broken(lines):
        with pytest.raises((UsageError, StoreError), match=says):
            await store.exports.load(bad)
    assert set((await store.maintenance.check()).counts.values()) == {0}
    await store.exports.load([line.decode() + "\n" for line in lines])


async def test_a_backup_is_a_whole_store_of_one_moment(tmp_path):
    path, copy = tmp_path / "log.db", tmp_path / "copy.db"
    async with await open_store(str(path)) as store:
        await store.turns.append("t1", whole_turn())
        await store.maintenance.backup(str(copy))
        await store.turns.append("t2", whole_turn("t2"))
        with pytest.raises(UsageError, match="already exists"):
            await store.maintenance.backup(str(copy))
    assert sorted(file.name for file in tmp_path.iterdir()) == ["copy.db", "log.db"]
    async with await open_store(str(copy)) as restored:
        assert list(await restored.turns.read("t1")) == whole_turn()
        assert list(await restored.turns.read("t2")) == []
        assert (await restored.maintenance.check()).ok


async def test_a_backup_of_the_server_is_refused_with_the_remedy(postgres_tables, tmp_path):
    async with await open_store(postgres_tables) as store:
        with pytest.raises(UsageError, match="pg_dump"):
            await store.maintenance.backup(str(tmp_path / "copy.db"))
    assert list(tmp_path.iterdir()) == []


async def test_the_check_names_rows_without_events_and_events_without_rows(tmp_path):
    url = f"sqlite:///{tmp_path / 'log.db'}"
    async with await open_store(url) as store:
        await store.turns.append("t1", whole_turn())
        await store.turns.append("t2", whole_turn("t2", session="s2"))
        connection = sqlite3.connect(path_of(url))
        connection.execute("DELETE FROM turns WHERE id = 't1'")
        connection.execute("DELETE FROM events WHERE turn_id = 't2'")
        connection.commit()
        connection.close()
        problems = (await store.maintenance.check()).problems
    assert problems == ("Turn 't1' has events and no row.", "Turn 't2' has a row and no events.")


async def test_the_check_names_jobs_that_cannot_be_read(tmp_path):
    url = f"sqlite:///{tmp_path / 'log.db'}"
    async with await open_store(url) as store:
        good, bad, worse = [(await store.jobs.enqueue("index", "ann", {})).id for _ in range(3)]
        connection = sqlite3.connect(path_of(url))
        connection.execute("UPDATE jobs SET params = '[1]' WHERE id = ?", [bad])
        connection.execute("UPDATE jobs SET result = '{' WHERE id = ?", [worse])
        connection.commit()
        connection.close()
        problems = (await store.maintenance.check()).problems
        assert len(problems) == 2
        for job in (bad, worse):
            assert any(f"Job '{job}' is damaged" in problem for problem in problems)
            with pytest.raises(StoreError, match="is damaged"):
                await store.jobs.get(job)
        assert (await store.jobs.get(good)).params == {}
