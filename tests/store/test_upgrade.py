"""A database of the version before is brought to this one with nothing lost, once, whoever comes first."""

import asyncio
import sqlite3

import msgspec
import psycopg
import pytest
import sqlalchemy as sa

from glassloop.core.errors import StoreError
from glassloop.store import open_store, sqlite, versions
from glassloop.store.packing import pack
from store.made_events import path_of, paused, started, thought, whole_turn

TABLES = ("events", "turns", "sessions", "messages")
SESSION = """INSERT INTO sessions (id, user_id, channel, started_at, last_active, message_count, status, metadata,
 title, assistant, rating, summary, summary_turn_id)
 VALUES (:id, 'ann', 'web', 1.0, 2.0, 2, :status, '{"a": 1}', 'What is it?', 'general', 'good', 'About it.', 't1')"""
TURN = """INSERT INTO turns (id, session_id, user_id, assistant, status, epoch, worker, lease_until, claimed_seq,
 claims_without_progress, started_at, question, answer, cost)
 VALUES (:id, :session, 'ann', 'general', :status, 2, 'w1', 0, 0, 1, 1.0, 'What is it?', :answer, 0.25)"""
EVENT = "INSERT INTO events (turn_id, seq, at, kind, body) VALUES (:turn_id, :seq, :at, :kind, :body)"
MESSAGE = "INSERT INTO messages (session_id, turn_id, role, created_at) VALUES (:session, :turn, 'user', 1.0)"

DONE, WAITING = whole_turn("t1"), [started("t2", session="s2"), thought("t2"), paused("t2", 3)]


def engine_of(url):
    if url.startswith("sqlite"):
        return sa.create_engine(url, poolclass=sa.pool.NullPool)
    creator = lambda: psycopg.connect(url)  # noqa: E731
    return sa.create_engine("postgresql+psycopg://", creator=creator, poolclass=sa.pool.NullPool)


def rows_of(engine, columns=None):
    """Everything there is, by table, of the columns that are asked for or of all."""
    with engine.connect() as connection:
        found = {}
        for table in TABLES:
            names = (columns or {}).get(table) or [column["name"] for column in sa.inspect(engine).get_columns(table)]
            rows = connection.execute(sa.text(f"SELECT {', '.join(names)} FROM {table}")).all()
            found[table] = (names, sorted(map(repr, rows)))
        return found


@pytest.fixture
def old(new_url):
    """A database as version 0001 left it, with a finished turn and one that waits."""
    if new_url.startswith("sqlite"):
        sqlite.prepare(str(path_of(new_url)))
    engine = engine_of(new_url)
    versions.upgrade(engine, new_url, lambda where, error: StoreError(f"{where}: {error}"), "0001")
    with engine.begin() as connection:
        for session, status in (("s1", "active"), ("s2", "awaiting_approval")):
            connection.execute(sa.text(SESSION), {"id": session, "status": status})
        for turn, session, status, events in (("t1", "s1", "completed", DONE), ("t2", "s2", "paused", WAITING)):
            answer = "It is 42." if status == "completed" else None
            values = {"id": turn, "session": session, "status": status, "answer": answer}
            connection.execute(sa.text(TURN), values)
            connection.execute(sa.text(MESSAGE), {"session": session, "turn": turn})
            for event in events:
                connection.execute(sa.text(EVENT), as_version_1(event))
    return engine


def as_version_1(event):
    """One event a row, with only that in its body which the columns do not tell."""
    values = msgspec.to_builtins(event)
    told = {"kind": values.pop("type"), **{name: values.pop(name) for name in ("turn_id", "seq", "at")}}
    return {**told, "body": pack(msgspec.json.encode(values))}


async def test_an_older_database_is_brought_up_to_date_with_nothing_lost(new_url, old):
    before = rows_of(old)
    assert "cancel_requested" not in before["turns"][0]
    async with await open_store(new_url) as store:
        assert rows_of(old, {table: names for table, (names, _) in before.items()}) == before
        assert [list(await store.read(turn)) for turn in ("t1", "t2")] == [DONE, WAITING]
        rows = [await store.turn(turn) for turn in ("t1", "t2")]
        assert [(row.status, row.epoch, row.cancel_requested) for row in rows] == [
            ("completed", 2, False), ("paused", 2, False),
        ]  # fmt: skip
        session = await store.get_session("s1")
        assert (session.rating, session.summary, session.metadata, session.forgotten_at) == (
            "good", "About it.", {"a": 1}, None,
        )  # fmt: skip
        assert (await store.check()).problems == ()
        await store.request_cancel("t2")
        await store.forget_session("s1")
        assert (await store.add_job("index", "ann", {})).status == "queued"
        assert (await store.turn("t2")).cancel_requested


async def test_what_an_older_program_still_writes_meanwhile_can_be_read(new_url, old):
    async with await open_store(new_url) as store:
        with old.begin() as connection:
            connection.execute(sa.text(TURN), {"id": "t3", "session": "s1", "status": "running", "answer": None})
        assert not (await store.turn("t3")).cancel_requested


async def test_of_many_that_come_at_once_one_upgrades_and_all_work(new_url, old):
    stores = await asyncio.gather(*(open_store(new_url) for _ in range(4)))
    for store in stores:
        assert list(await store.read("t1")) == DONE
        await store.aclose()
    with old.connect() as connection:
        found = connection.execute(sa.text(f"SELECT version_num FROM {versions.VERSION_TABLE}")).scalars().all()
    assert found == [versions.VERSIONS[-1]]


async def test_an_upgrade_that_fails_changes_nothing_and_says_what_is_in_the_way(new_url, old):
    with old.begin() as connection:
        connection.execute(sa.text("CREATE TABLE jobs (mine text)"))
    before = rows_of(old)
    with pytest.raises(StoreError, match=rf"brought to version '{versions.VERSIONS[-1]}'.*jobs") as refused:
        await open_store(new_url)
    assert "\n" not in str(refused.value)
    assert rows_of(old) == before
    with old.begin() as connection:
        connection.execute(sa.text("DROP TABLE jobs"))
    async with await open_store(new_url) as store:
        assert list(await store.read("t1")) == DONE


def tables_in(url, schema):
    with psycopg.connect(url) as connection:
        found = connection.execute("SELECT tablename FROM pg_tables WHERE schemaname = %s", [schema]).fetchall()
    return {row[0] for row in found}


async def test_the_servers_queue_lies_in_the_schema_of_the_log_and_nowhere_else(postgres_schema):
    with psycopg.connect(postgres_schema) as connection:
        schema = connection.execute("SELECT current_schema()").fetchone()[0]
    await (await open_store(postgres_schema)).aclose()
    queue = {"procrastinate_jobs", "procrastinate_events", "procrastinate_workers", "procrastinate_periodic_defers"}
    assert queue <= tables_in(postgres_schema, schema)
    assert not queue & tables_in(postgres_schema, "public")


async def test_a_queue_that_is_there_already_is_left_as_it_is(postgres_schema):
    from procrastinate.schema import SchemaManager

    with psycopg.connect(postgres_schema) as connection:
        connection.execute(SchemaManager.get_schema())
        connection.execute("INSERT INTO procrastinate_jobs (queue_name, task_name) VALUES ('theirs', 'work')")
    await (await open_store(postgres_schema)).aclose()
    with psycopg.connect(postgres_schema) as connection:
        assert connection.execute("SELECT queue_name FROM procrastinate_jobs").fetchall() == [("theirs",)]


async def test_work_can_be_queued_and_fetched_where_the_store_was_made(postgres_schema):
    await (await open_store(postgres_schema)).aclose()
    with psycopg.connect(postgres_schema) as connection:
        connection.execute("INSERT INTO procrastinate_jobs (queue_name, task_name) VALUES ('turns', 'run')")
        worker = connection.execute("SELECT worker_id FROM procrastinate_register_worker_v1()").fetchone()[0]
        found = connection.execute("SELECT task_name FROM procrastinate_fetch_job_v2(NULL, %s)", [worker]).fetchone()
    assert found == ("run",)


async def test_a_locked_file_is_not_upgraded_now_but_may_be_later(tmp_path):
    path = tmp_path / "log.db"
    sqlite.prepare(str(path))
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(StoreError, match="locked by another process") as refused:
        await open_store(f"sqlite:///{path}?busy_timeout=50")
    assert type(refused.value).__name__ == "StoreAway"
    other.execute("ROLLBACK")
    other.close()
    await (await open_store(str(path))).aclose()
