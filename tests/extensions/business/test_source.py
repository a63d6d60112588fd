"""Databases are read within limits, never written by a read, and tell what is wrong without telling where they are."""

import asyncio
import sqlite3
import threading
from contextlib import closing
from pathlib import Path

import psycopg
import pytest

from glassloop.core.errors import ToolError, ToolTimedOut, ToolUnavailable
from glassloop.extensions.business.database.source import MAX_ROWS, PostgresSource, SqliteSource, open_source
from glassloop.extensions.business.tools import make_tools
from glassloop.tools.registry import ToolRegistry

ENDLESS = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT count(*) AS many FROM n"


@pytest.fixture(params=["sqlite", "postgres"])
def url(request, made_file: Path, made_tables: str) -> str:
    return f"sqlite:///{made_file}" if request.param == "sqlite" else made_tables


def never() -> bool:
    return False


def test_a_query_that_takes_too_long_is_stopped(url, made_file) -> None:
    quick = SqliteSource(made_file, 0.2) if url.startswith("sqlite") else PostgresSource(url, 0.2)
    with pytest.raises(ToolTimedOut, match=r"longer than 0\.2 s"), quick.reading(never) as statements:
        statements.rows(ENDLESS, {})
    with quick.reading(never) as statements:
        assert statements.rows("SELECT 1 AS one", {}) == [{"one": 1}]


def test_a_cancelled_call_stops_its_query(made_file) -> None:
    given = threading.Event()
    source = SqliteSource(made_file, 60.0)
    threading.Timer(0.1, given.set).start()
    with pytest.raises(ToolTimedOut), source.reading(given.is_set) as statements:
        statements.rows(ENDLESS, {})


def test_reading_cannot_write(url) -> None:
    with pytest.raises(ToolError), open_source(url).reading(never) as statements:
        statements.change("DELETE FROM biz_vendors", {})
    with open_source(url).reading(never) as statements:
        assert statements.rows("SELECT count(*) AS many FROM biz_vendors", {}) == [{"many": 32}]


def test_only_so_many_rows_are_read(url) -> None:
    with open_source(url).reading(never) as statements:
        assert len(statements.rows("SELECT * FROM biz_ledger", {})) == MAX_ROWS


def test_a_write_that_fails_leaves_nothing(url, tmp_path, made_file) -> None:
    if url.startswith("sqlite"):
        copy = tmp_path / "copy.db"
        copy.write_bytes(made_file.read_bytes())
        url = f"sqlite:///{copy}"
    source = open_source(url)
    with pytest.raises(RuntimeError), source.writing() as statements:
        assert statements.change("DELETE FROM biz_servers", {}) == 24
        raise RuntimeError("in the middle")
    with source.reading(never) as statements:
        assert statements.rows("SELECT count(*) AS many FROM biz_servers", {}) == [{"many": 24}]


async def test_a_missing_view_or_column_is_named(tmp_path) -> None:
    path = tmp_path / "own.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE biz_company (name, currency, as_of)")
        connection.execute("CREATE TABLE biz_servers (server_id, hostname)")
        connection.execute("INSERT INTO biz_servers VALUES ('SRV-001', 'db-01')")
        connection.commit()
    tools = ToolRegistry(make_tools(tmp_path, database_url=str(path)))
    gone = await tools.execute("get_leads", {})
    assert (
        gone.error == "The business database has no 'biz_leads': docs/business.md lists the views and columns needed."
    )
    half = await tools.execute("get_server_status", {})
    assert "has no 's.status'" in (half.error or "")


async def test_a_missing_view_is_named_on_postgres_too(postgres_schema, tmp_path) -> None:
    with psycopg.connect(postgres_schema) as connection:
        connection.execute("CREATE TABLE biz_company (name text, currency text, as_of text)")
    tools = ToolRegistry(make_tools(tmp_path, database_url=postgres_schema))
    gone = await tools.execute("get_leads", {})
    assert "has no 'biz_leads'" in (gone.error or "")


async def test_a_database_that_is_away_is_told_without_its_address(tmp_path) -> None:
    secret = "hunter2"
    for url in (f"postgresql://ada:{secret}@127.0.0.1:1/company", f"sqlite:///{tmp_path / 'gone' / secret}.db"):
        tools = ToolRegistry(make_tools(tmp_path, database_url=url))
        result = await tools.execute("get_leads", {})
        assert not result.success
        assert "try again later" in (result.error or "")
        assert secret not in (result.error or "")
        assert "127.0.0.1" not in (result.error or "")
    assert not (tmp_path / "business.db").exists()


def test_a_file_that_is_no_database_is_told(tmp_path) -> None:
    path = tmp_path / "junk.db"
    path.write_bytes(b"not a database, but long enough to be taken for one " * 20)
    with pytest.raises(ToolError, match="no SQLite file"), open_source(str(path)).reading(never) as statements:
        statements.rows("SELECT 1 AS one FROM biz_company", {})


def test_a_connection_that_was_cut_is_replaced(made_tables) -> None:
    source = PostgresSource(made_tables)
    with source.reading(never) as statements:
        (row,) = statements.rows("SELECT pg_backend_pid() AS pid", {})
    with psycopg.connect(made_tables, autocommit=True) as connection:
        connection.execute("SELECT pg_terminate_backend(%s)", (row["pid"],))
    with pytest.raises(ToolUnavailable), source.reading(never) as statements:
        statements.rows("SELECT 1 AS one", {})
    with source.reading(never) as statements:
        assert statements.rows("SELECT 1 AS one", {}) == [{"one": 1}]


async def test_many_questions_at_once_are_all_answered(registry) -> None:
    results = await asyncio.gather(*(registry.execute("get_purchase_orders", {"period": "all"}) for _ in range(40)))
    assert all(result.success for result in results)
    assert len({result.output for result in results}) == 1


async def test_views_over_tables_of_another_shape_serve_as_well(postgres_schema, tmp_path) -> None:
    """As the docs show it: a company's own tables with dates and decimals, seen through views."""
    with psycopg.connect(postgres_schema) as connection:
        connection.execute("CREATE TABLE firm (id serial, title text, branch text)")
        connection.execute("CREATE TABLE bestellung (id int, firm int, am date, bis date, netto numeric(12, 2))")
        connection.execute("INSERT INTO firm (title, branch) VALUES ('Nordlicht GmbH', 'Resins')")
        connection.execute(
            "INSERT INTO bestellung VALUES (1, 1, '2026-11-02', '2026-11-10', 1234.56), "
            "(2, 1, '2026-10-02', '2026-10-10', 0.44)"
        )
        connection.execute("CREATE VIEW biz_company AS SELECT 'Ours' AS name, 'EUR' AS currency, '2026-11-15' AS as_of")
        connection.execute(
            "CREATE VIEW biz_vendors AS SELECT id::text AS vendor_id, title AS name, branch AS category, "
            "'Germany' AS country, 'active' AS status, 30::bigint AS payment_days FROM firm"
        )
        connection.execute(
            "CREATE VIEW biz_purchase_orders AS SELECT 'B' || id AS order_id, firm::text AS vendor_id, 'W' AS "
            "warehouse_id, 'Resins' AS category, 'open' AS status, am::text AS ordered_on, bis::text AS due_on, "
            "NULL::text AS received_on, '' AS buyer, (netto * 100)::bigint AS total_cents, 0::bigint AS received_cents "
            "FROM bestellung"
        )
    tools = ToolRegistry(make_tools(tmp_path, database_url=postgres_schema))
    result = await tools.execute("get_purchase_orders", {"status": "late", "vendor": "nordlicht", "trend": "month"})
    assert result.success, result.error
    assert result.data["totals"] == {"orders": 2, "ordered": 1235.0, "received": 0.0, "not_complete": 2, "late": 2}
    assert result.data["currency"] == "EUR"
    assert [row["month"] for row in result.data["trend"]] == ["2026-10", "2026-11"]
