"""The database of places: nothing but its own views in reach, and no query without bounds."""

import asyncio
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from extensions.places.conftest import NO_LIMIT_S
from glassloop.core.errors import ToolError, ToolTimedOut
from glassloop.extensions.places.data_set.data_sets import DataSets
from glassloop.extensions.places.data_set.database import MAX_RESULT_ROWS, MAX_ROWS, QUERY_S, PlacesDatabase

ENDLESS = "SELECT sum(a.range * b.range % 7) FROM range(10000000) a, range(10000000) b"
ATTACKS = {
    "another database": "ATTACH '/tmp/other.db' AS other",
    "a file written": "COPY (SELECT 1) TO '/tmp/stolen.csv'",
    "a file written from a view": "COPY poi_places TO '/tmp/stolen.parquet' (FORMAT parquet)",
    "an extension installed": "INSTALL httpfs",
    "an extension loaded": "LOAD httpfs",
    "a setting": "SET enable_external_access = true",
    "the lock of settings": "SET lock_configuration = false",
    "a pragma": "PRAGMA enable_external_access",
    "a pragma with a value": "PRAGMA memory_limit='100GB'",
    "a table": "CREATE TABLE mine AS SELECT 1",
    "a row": "INSERT INTO poi_about SELECT * FROM poi_about",
    "a row in a WITH": "WITH gone AS (DELETE FROM poi_about RETURNING *) SELECT * FROM gone",
    "a view replaced": "CREATE OR REPLACE VIEW poi_places AS SELECT 1",
    "rows removed": "DELETE FROM poi_about",
    "two statements": "SELECT 1; SELECT 2",
    "a statement after a comment": "SELECT 1 /* one */; DROP TABLE poi_about",
    "a file of text": "SELECT * FROM read_csv('/etc/passwd')",
    "a file by its name": "SELECT * FROM '/etc/passwd'",
    "a file as text": "SELECT * FROM read_text('/etc/passwd')",
    "bytes of a file": "SELECT * FROM read_blob('/etc/hostname')",
    "a folder listed": "SELECT * FROM glob('/etc/*')",
    "Parquet from elsewhere": "SELECT * FROM read_parquet('/tmp/*.parquet')",
    "JSON from elsewhere": "SELECT * FROM read_json('/etc/passwd')",
    "the network": "SELECT * FROM read_csv('http://127.0.0.1:9/x.csv')",
    "the network, encrypted": "SELECT * FROM read_parquet('https://example.com/x.parquet')",
    "a Python variable": "SELECT * FROM ATTACKS",
    "the environment": "SELECT getenv('PATH')",
    "nothing": "",
}


@pytest.fixture
def database(made_home):
    opened = PlacesDatabase(DataSets(made_home).current("anybody"), query_s=NO_LIMIT_S)
    yield opened
    opened.close()


@pytest.mark.parametrize("what", ATTACKS)
async def test_a_query_reaches_nothing_else(database, what):
    with pytest.raises(ToolError) as refused:
        await database.rows(ATTACKS[what])
    assert "/etc" not in str(refused.value) and "passwd" not in str(refused.value)
    assert (await database.rows("SELECT count(*) AS number FROM poi_about")) == [{"number": 1}]


async def test_values_are_never_read_as_sql(database):
    text = "'; DROP TABLE poi_about; --"
    assert await database.rows("SELECT $a AS a", {"a": text}) == [{"a": text}]
    assert await database.rows("SELECT name FROM poi_places WHERE id = $a", {"a": "x' OR 'a'='a"}) == []


async def test_a_result_has_a_limit_of_rows(database):
    with pytest.raises(ToolError, match="more than"):
        await database.table(f"SELECT range FROM range({MAX_ROWS + 1})")
    assert len((await database.table(f"SELECT range FROM range({MAX_ROWS})")).rows) == MAX_ROWS


async def test_a_query_that_takes_too_long_is_ended_with_what_to_do(made_home):
    opened = PlacesDatabase(DataSets(made_home).current("anybody"), query_s=0.2)
    with pytest.raises(ToolTimedOut, match="smaller region"):
        await opened.rows(ENDLESS)
    await _assert_idle()
    assert await opened.rows("SELECT 1 AS a") == [{"a": 1}]
    opened.close()


def test_a_query_has_ten_seconds_by_the_clock():
    assert QUERY_S == 10


async def test_a_query_that_needs_too_much_memory_is_told_so(made_home):
    opened = PlacesDatabase(DataSets(made_home).current("anybody"), memory="60MB", query_s=NO_LIMIT_S)
    with pytest.raises(ToolError, match="more memory"):
        await opened.rows("SELECT max(len(a)) FROM (SELECT list(range::VARCHAR) AS a FROM range(9000000))")
    assert await opened.rows("SELECT 1 AS a") == [{"a": 1}]
    opened.close()


async def test_a_cancelled_query_stops_computing(database):
    running = asyncio.ensure_future(database.rows(ENDLESS))
    before = time.process_time()
    while time.process_time() - before < 0.1:
        await asyncio.sleep(0.01)
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    await _assert_idle()


async def test_a_query_that_is_cancelled_before_it_begins_is_ended_when_it_does(database):
    loop, begin = asyncio.get_running_loop(), threading.Event()
    loop.set_default_executor(ThreadPoolExecutor(1))
    before = loop.run_in_executor(None, begin.wait)
    running = asyncio.ensure_future(database.rows(ENDLESS))
    await asyncio.sleep(0.05)
    running.cancel()
    await asyncio.sleep(0.05)
    begin.set()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert await before
    await _assert_idle()


async def test_many_at_once_are_all_answered(database):
    sql = "SELECT $n::INT AS n, count(*) AS places FROM poi_places"
    found = await asyncio.gather(*(database.rows(sql, {"n": number}) for number in range(60)))
    assert [rows[0]["n"] for rows in found] == list(range(60))
    assert len({rows[0]["places"] for rows in found}) == 1


async def test_cancelled_queries_leave_room_for_others(database):
    running = [asyncio.ensure_future(database.rows(ENDLESS)) for _ in range(12)]
    await asyncio.sleep(0.05)
    for each in running:
        each.cancel()
    await asyncio.gather(*running, return_exceptions=True)
    assert await database.rows("SELECT 1 AS a") == [{"a": 1}]


async def _assert_idle() -> None:
    """The process computes next to nothing while it waits."""
    before = time.process_time()
    await asyncio.sleep(0.3)
    assert time.process_time() - before < 0.15


async def test_the_same_query_is_run_once(made_home):
    drawn = "SELECT random() AS number, $least AS least"
    data_set = DataSets(made_home).current("anybody")
    database = PlacesDatabase(data_set, query_s=NO_LIMIT_S, max_results=2)
    first = await database.rows(drawn, {"least": 1})
    first[0]["number"] = -1.0
    again = await database.rows(drawn, {"least": 1})
    assert again == await database.rows(drawn, {"least": 1}) != first
    other = await database.rows(drawn, {"least": 2})
    assert other[0]["number"] != again[0]["number"]
    await database.rows(drawn, {"least": 3})
    assert await database.rows(drawn, {"least": 1}) != again, "the one unused for the longest is gone"
    database.close()


async def test_a_long_result_is_not_kept(database):
    drawn = f"SELECT random() AS number FROM range({MAX_RESULT_ROWS + 1})"
    assert await database.rows(drawn) != await database.rows(drawn)
