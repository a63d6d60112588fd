"""A new database gets the tables of this version, once, whoever comes first; extensions add theirs on a branch."""

import asyncio
import sqlite3

import psycopg
import pytest
import sqlalchemy as sa

from glassloop.core.errors import StoreError
from glassloop.store import open_store
from glassloop.store.engine import migrate, sqlite
from glassloop.store.engine.migrate import MigrationBranch
from store.made_events import path_of, whole_turn

TABLES = {
    "access_rules", "api_keys", "audit_counts", "audit_entries", "audit_head",
    "encrypted_events", "events", "grants", "jobs", "messages", "schedule_runs", "schedules",
    "secrets", "sessions", "sign_ins", "step_ratings", "turns", "spending", "user_groups", "users",
    migrate.VERSION_TABLE,
}  # fmt: skip
TOY_REVISION = """
import sqlalchemy as sa
from alembic import op

revision = "toy_{number}"
down_revision = {before}
branch_labels = {labels}


def upgrade():
    {upgrade}
"""


def engine_of(url):
    if url.startswith("sqlite"):
        return sa.create_engine(url, poolclass=sa.pool.NullPool)
    creator = lambda: psycopg.connect(url)  # noqa: E731
    return sa.create_engine("postgresql+psycopg://", creator=creator, poolclass=sa.pool.NullPool)


def tables_of(url):
    return set(sa.inspect(engine_of(url)).get_table_names())


def versions_of(url):
    with engine_of(url).connect() as connection:
        return set(connection.execute(sa.text(f"SELECT version_num FROM {migrate.VERSION_TABLE}")).scalars())


def run(url, sql):
    with engine_of(url).begin() as connection:
        connection.execute(sa.text(sql))


@pytest.fixture
def toy(tmp_path):
    """The branch of an extension, with its first revision or with both."""
    folder = tmp_path / "100 % toys"
    folder.mkdir()
    make = 'op.create_table("toys", sa.Column("name", sa.Text()))'
    first = TOY_REVISION.format(number="0001", before=None, labels='("toy",)', upgrade=make)
    (folder / "toy_0001.py").write_text(first)

    def branch(revisions=1):
        if revisions == 2:
            more = 'op.add_column("toys", sa.Column("price", sa.Integer()))'
            second = TOY_REVISION.format(number="0002", before='"toy_0001"', labels=None, upgrade=more)
            (folder / "toy_0002.py").write_text(second)
        return MigrationBranch("toy", folder, f"toy_000{revisions}")

    return branch


async def test_a_new_database_gets_the_tables_of_this_version(new_url):
    async with await open_store(new_url) as store:
        await store.turns.append("t1", whole_turn())
        assert (await store.maintenance.check()).problems == ()
    assert tables_of(new_url) >= TABLES
    assert versions_of(new_url) == {migrate.VERSIONS[-1]}


async def test_of_many_that_come_at_once_one_makes_the_tables_and_all_work(new_url):
    stores = await asyncio.gather(*(open_store(new_url) for _ in range(4)))
    for number, store in enumerate(stores):
        await store.turns.append(f"t{number}", whole_turn(f"t{number}", session=f"s{number}"))
        await store.aclose()
    assert versions_of(new_url) == {migrate.VERSIONS[-1]}


@pytest.mark.parametrize("version", ["0001", "0008"])
async def test_a_database_of_a_development_version_is_refused_with_the_remedy(new_url, version):
    await (await open_store(new_url)).aclose()
    run(new_url, f"UPDATE {migrate.VERSION_TABLE} SET version_num = '{version}'")
    with pytest.raises(StoreError, match=rf"development version \('{version}'\).*sessions export.*new database"):
        await open_store(new_url)
    assert versions_of(new_url) == {version}


async def test_making_tables_that_fails_changes_nothing_and_says_what_is_in_the_way(new_url):
    if new_url.startswith("sqlite"):
        sqlite.prepare(str(path_of(new_url)))
        run(new_url, f"PRAGMA application_id={sqlite.APPLICATION_ID}")
    run(new_url, "CREATE TABLE audit (mine text)")
    run(new_url, f"CREATE TABLE {migrate.VERSION_TABLE} (version_num varchar(32) PRIMARY KEY)")
    with pytest.raises(StoreError, match=rf"brought to version '{migrate.VERSIONS[-1]}'.*audit") as refused:
        await open_store(new_url)
    assert "\n" not in str(refused.value)
    assert tables_of(new_url) == {"audit", migrate.VERSION_TABLE}
    run(new_url, "DROP TABLE audit")
    await (await open_store(new_url)).aclose()


async def test_an_extensions_tables_are_made_beside_ours_and_upgraded_on_their_own(new_url, toy):
    await (await open_store(new_url)).aclose()
    await (await open_store(new_url, branches=[toy()])).aclose()
    assert versions_of(new_url) == {migrate.VERSIONS[-1], "toy_0001"}
    run(new_url, "INSERT INTO toys VALUES ('bear')")
    await (await open_store(new_url, branches=[toy(2)])).aclose()
    assert versions_of(new_url) == {migrate.VERSIONS[-1], "toy_0002"}
    run(new_url, "UPDATE toys SET price = 3")


async def test_ours_and_an_extensions_tables_are_made_together(new_url, toy):
    await (await open_store(new_url, branches=[toy(2)])).aclose()
    assert tables_of(new_url) >= {*TABLES, "toys"}
    assert versions_of(new_url) == {migrate.VERSIONS[-1], "toy_0002"}


async def test_a_database_opens_without_an_extension_it_has_tables_of(new_url, toy, tmp_path):
    await (await open_store(new_url, branches=[toy()])).aclose()
    await (await open_store(new_url)).aclose()
    other = tmp_path / "other"
    other.mkdir()
    made = 'op.create_table("games", sa.Column("name", sa.Text()))'
    text = TOY_REVISION.format(number="0001", before=None, labels='("game",)', upgrade=made)
    (other / "game_0001.py").write_text(text.replace("toy_", "game_"))
    await (await open_store(new_url, branches=[MigrationBranch("game", other, "game_0001")])).aclose()
    assert versions_of(new_url) == {migrate.VERSIONS[-1], "toy_0001", "game_0001"}
    assert tables_of(new_url) >= {"toys", "games"}


async def test_an_extensions_tables_of_a_newer_version_are_refused(new_url, toy):
    await (await open_store(new_url, branches=[toy()])).aclose()
    run(new_url, f"UPDATE {migrate.VERSION_TABLE} SET version_num = 'toy_0009' WHERE version_num = 'toy_0001'")
    with pytest.raises(StoreError, match="toy_0009"):
        await open_store(new_url, branches=[toy()])


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


async def test_entries_of_an_earlier_audit_begin_the_chain(new_url):
    # As a version before this one left it.
    upgrade = migrate._config
    from alembic import command

    with engine_of(new_url).begin() as connection:
        command.upgrade(upgrade(connection, []), "v0005")
    columns = "(at, by_user, action, subject, session_id, detail)"
    run(new_url, f"INSERT INTO audit {columns} VALUES (2, 'bob', 'rated', 's1', 's1', 'good')")
    run(new_url, f"INSERT INTO audit {columns} VALUES (1, 'ann', 'approved', 'edit', NULL, '')")
    async with await open_store(new_url) as store:
        await store.audit.record("refused", "drop", by="ann")
        assert [(note.id, note.action, note.by_user) for note in await store.audit.list()] == [
            (3, "refused", "ann"),
            (2, "rated", "bob"),
            (1, "approved", "ann"),
        ]
        assert (await store.audit.verify()).problems == ()
