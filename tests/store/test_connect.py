"""What a store refuses to open, in one clear sentence, changing nothing; and what importing it costs."""

import hashlib
import os
import sqlite3
import stat
import subprocess
import sys
from contextlib import closing

import psycopg
import pytest

from glassloop.core.errors import StoreError, UsageError
from glassloop.store import open_store
from store.made_events import damaged, path_of, renamed, spoil, whole_turn


def digest(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


async def make(path, turns=1):
    async with await open_store(str(path)) as store:
        for number in range(turns):
            await store.turns.append(f"t{number}", whole_turn(f"t{number}", session=f"s{number}"))


async def refuse(path, match):
    before = digest(path)
    with pytest.raises(StoreError, match=match) as refused:
        await open_store(str(path))
    assert "\n" not in str(refused.value)
    assert digest(path) == before


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such modes")
async def test_a_home_that_the_store_makes_is_for_its_owner_only(tmp_path):
    tmp_path.chmod(0o755)
    await make(tmp_path / "people" / "home" / "glassloop.db")
    for made in (tmp_path / "people", tmp_path / "people" / "home"):
        assert stat.S_IMODE(made.stat().st_mode) == 0o700
    assert stat.S_IMODE(tmp_path.stat().st_mode) == 0o755, "what was there stays as it is"


async def test_a_store_opens_again_with_all_it_had(new_url):
    async with await open_store(new_url) as store:
        await store.turns.append("t1", whole_turn())
    async with await open_store(new_url) as store:
        assert list(await store.turns.read("t1")) == whole_turn()


async def test_folders_on_the_way_are_made_and_the_file_is_its_owners_alone(tmp_path):
    path = tmp_path / "a" / "b" / "log.db"
    await make(path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


async def test_a_database_of_a_newer_version_is_refused(new_url):
    await (await open_store(new_url)).aclose()
    connection = sqlite3.connect(path_of(new_url)) if new_url.startswith("sqlite") else psycopg.connect(new_url)
    connection.execute("UPDATE glassloop_version SET version_num = 'v9999'")
    connection.commit()
    connection.close()
    with pytest.raises(StoreError, match=r"'v9999'.*update glassloop"):
        await open_store(new_url)


async def test_anything_but_a_database_is_refused(tmp_path):
    path = tmp_path / "notes.txt"
    path.write_text("Dear diary, " * 100)
    await refuse(path, "not a SQLite database")
    path.write_bytes(b"SQLite format 3\x00")
    await refuse(path, "not a SQLite database")


async def test_a_database_of_someone_else_is_refused(tmp_path):
    path = tmp_path / "other.db"
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE sessions (id TEXT)")
    connection.commit()
    connection.close()
    await refuse(path, "not one of Glassloop's")


async def test_tables_of_someone_else_on_the_server_are_refused(postgres_schema):
    with psycopg.connect(postgres_schema) as connection:
        connection.execute("CREATE TABLE sessions (id text)")
    with pytest.raises(StoreError, match="'sessions' that is not Glassloop's"):
        await open_store(postgres_schema)


@pytest.mark.parametrize("keep", [0.3, 0.6, 0.95])
async def test_a_file_that_is_cut_off_is_refused(tmp_path, keep):
    path = tmp_path / "log.db"
    await make(path, turns=50)
    os.truncate(path, int(path.stat().st_size * keep))
    await refuse(path, "cut off")


async def test_a_file_whose_first_pages_are_overwritten_is_refused(tmp_path):
    path = tmp_path / "log.db"
    await make(path, turns=20)
    with path.open("r+b") as file:
        file.seek(100)
        file.write(b"\xff" * 8000)
    await refuse(path, "damaged")


async def test_damage_inside_is_found_by_the_check_and_never_read_as_events(tmp_path):
    path = tmp_path / "log.db"
    await make(path)
    spoil(path, 2, damaged)
    async with await open_store(str(path)) as store:
        with pytest.raises(StoreError, match="Event 2 of turn 't0' is damaged"):
            await store.turns.read("t0")
        problems = (await store.maintenance.check()).problems
    assert any("is damaged" in problem for problem in problems)


@pytest.mark.parametrize("body", [b"{", b"x\x01\x00\xff", b"\x00", b"", b"{}"])
async def test_a_row_that_is_not_what_was_stored_is_never_read_as_events(tmp_path, body):
    path = tmp_path / "log.db"
    await make(path)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE events SET body = ?", [body])
    async with await open_store(str(path)) as store:
        with pytest.raises(StoreError, match="of turn 't0' is damaged"):
            await store.turns.read("t0")


@pytest.mark.parametrize("change", [lambda item: item + b"," + item, lambda item: item.replace(b"[2,", b"[3,", 1)])
async def test_an_event_too_many_or_of_another_place_is_damage(tmp_path, change):
    path = tmp_path / "log.db"
    await make(path)
    spoil(path, 2, change)
    async with await open_store(str(path)) as store:
        with pytest.raises(StoreError, match="of turn 't0' is damaged"):
            await store.turns.read("t0")


async def test_a_gap_in_the_log_is_found_by_the_check(tmp_path):
    path = tmp_path / "log.db"
    async with await open_store(str(path)) as store:
        for event in whole_turn():
            await store.turns.append("t1", [event])
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("DELETE FROM events WHERE seq = 4")
    async with await open_store(str(path)) as store:
        (problem,) = (await store.maintenance.check()).problems
    assert problem == "Turn 't1' has 4 events numbered 1 to 5: the log has a gap."


async def test_an_unknown_kind_is_refused_for_running_and_skipped_for_looking(tmp_path):
    path = tmp_path / "log.db"
    await make(path)
    spoil(path, 3, renamed)
    async with await open_store(str(path)) as store:
        with pytest.raises(StoreError, match="unknown kind 'dream_dreamt': update glassloop"):
            await store.turns.read("t0")
        assert [event.seq for event in await store.turns.read("t0", skip_unknown=True)] == [1, 2, 4, 5]
        assert len(await store.sessions.messages("s0")) == 2
        assert len((await store.maintenance.check()).problems) == 1


@pytest.mark.parametrize(
    "url",
    ["mysql://host/db", "sqlite://", "sqlite://host/x.db", "sqlite:///x.db?colour=1", "sqlite:///x.db?busy_timeout=x"],
)
async def test_a_url_that_names_no_store_is_refused(url):
    with pytest.raises(UsageError):
        await open_store(url)


async def test_a_folder_is_no_store(tmp_path):
    with pytest.raises(UsageError, match="not a file"):
        await open_store(str(tmp_path))


async def test_a_closed_store_says_so_and_closes_again_without_complaint(store):
    await store.aclose()
    await store.aclose()
    for work in (store.turns.append("t1", whole_turn()), store.turns.read("t1")):
        with pytest.raises(StoreError, match="closed"):
            await work


def test_importing_the_store_loads_no_driver_and_opening_a_current_one_no_migration_tool(tmp_path):
    script = """
import asyncio, sys
import glassloop.store
heavy = {"sqlite3", "sqlalchemy", "alembic", "psycopg"}
assert not heavy & set(sys.modules), heavy & set(sys.modules)
async def work(expected):
    store = await glassloop.store.open_store(sys.argv[1])
    await store.aclose()
    assert ("alembic" in sys.modules) == expected
asyncio.run(work(sys.argv[2] == "new"))
"""
    for state in ("new", "current"):
        command = [sys.executable, "-c", script, str(tmp_path / "log.db"), state]
        # What counts lines keeps its counts in SQLite.
        uncounted = {name: value for name, value in os.environ.items() if not name.startswith("COVERAGE")}
        subprocess.run(command, check=True, timeout=60, env=uncounted)
