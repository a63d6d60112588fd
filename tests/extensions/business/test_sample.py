"""The sample company's file: made when first needed, once, whole, and anew for a newer version."""

import asyncio
import sqlite3
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest

from glassloop.core.ports import CallContext
from glassloop.extensions.business.company.generator import VERSION
from glassloop.extensions.business.database.sample import IMPORTED, scheduled_in
from glassloop.extensions.business.database.writer import write_sqlite
from glassloop.extensions.business.tools import make_tools
from glassloop.tools.registry import ToolRegistry

NOW = datetime(2026, 11, 15, 9, tzinfo=UTC).timestamp()


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("home") / "inner"


def tools_in(home: Path) -> ToolRegistry:
    return ToolRegistry(make_tools(home, clock=lambda: NOW))


def stamp(path: Path, version: int | None = None) -> int:
    with closing(sqlite3.connect(path)) as connection:
        if version is not None:
            connection.execute(f"PRAGMA user_version = {version}")
        return connection.execute("PRAGMA user_version").fetchone()[0]


async def test_the_company_is_made_at_the_first_question_once_with_progress(home: Path) -> None:
    tools = tools_in(home)
    assert not home.exists()
    said: list[tuple[str, float | None]] = []
    context = CallContext(
        turn_id="t",
        session_id="s",
        user="ada",
        call_id="c",
        progress=lambda message, done: said.append((message, done)),
    )
    questions = [tools.execute("get_purchase_orders", {}, context)]
    questions += [tools.execute("get_leads", {}, context) for _ in range(3)]
    results = await asyncio.gather(*questions)
    assert all(result.success for result in results), [result.error for result in results]
    assert results[0].data["as_of"] == "2026-11-15"
    assert [entry.name for entry in home.iterdir()] == ["business.db"]
    assert stamp(home / "business.db") == VERSION
    made = (home / "business.db").stat().st_mtime_ns
    again = await tools_in(home).execute("get_purchase_orders", {})
    assert again.data == results[0].data
    assert (home / "business.db").stat().st_mtime_ns == made
    assert said[0] == ("Making the sample company: people and goods", 0.0)
    assert len({message for message, _ in said}) == len(said) > 3


async def test_the_file_is_readable_by_its_owner_only(home: Path) -> None:
    await tools_in(home).execute("get_leads", {})
    assert (home / "business.db").stat().st_mode & 0o077 == 0


async def test_a_newer_version_makes_the_file_anew_and_keeps_the_meetings(home: Path) -> None:
    tools = tools_in(home)
    found = await tools.execute("get_calendar", {"period": "all", "limit": 1})
    person = found.data["rows"][0]["organizer"]
    meeting = {"title": "Kept", "start": "2026-11-20 21:00", "attendees": [person]}
    done = await tools.execute("schedule_meeting", meeting)
    assert done.success, done.error
    with closing(sqlite3.connect(home / "business.db")) as connection:
        connection.execute("DELETE FROM biz_leads")
        connection.commit()
    stamp(home / "business.db", 0)
    tools = tools_in(home)
    assert (await tools.execute("get_leads", {"period": "all"})).data["totals"]["leads"] > 0
    assert stamp(home / "business.db") == VERSION
    kept = await tools.execute("get_calendar", {"person": person, "period": "all", "query": "Kept"})
    assert [row["event_id"] for row in kept.data["rows"]] == [done.data["event_id"]]


async def test_imported_data_is_never_made_anew(home: Path, tmp_path: Path) -> None:
    write_sqlite(tmp_path / "business.db", lambda sink: sink("company", ("Own", "EUR", None)), IMPORTED)
    found = await tools_in(tmp_path).execute("get_leads", {"period": "all"})
    assert found.data["as_of"] == "2026-11-15"
    assert "totals" not in found.data, "what was never imported is not none of it"
    assert found.data["notes"] == ["biz_leads is empty or was never imported: nothing is known of this."]


def test_a_failure_in_the_middle_leaves_what_was_there(tmp_path: Path) -> None:
    path = tmp_path / "business.db"
    write_sqlite(path, lambda sink: sink("company", ("Before", "EUR", None)), 1)

    def broken(sink) -> None:
        sink("company", ("After", "EUR", None))
        raise RuntimeError("in the middle")

    with pytest.raises(RuntimeError):
        write_sqlite(path, broken, 2)
    assert stamp(path) == 1
    assert [entry.name for entry in tmp_path.iterdir()] == ["business.db"]


def test_a_file_that_another_process_made_meanwhile_stays(tmp_path: Path) -> None:
    path = tmp_path / "business.db"
    write_sqlite(path, lambda sink: sink("company", ("First", "EUR", None)), 1)
    write_sqlite(path, lambda sink: sink("company", ("Second", "EUR", None)), 2, unless=lambda: True)
    assert stamp(path) == 1
    assert [entry.name for entry in tmp_path.iterdir()] == ["business.db"]


async def test_a_file_that_is_no_database_is_told_and_left_alone(tmp_path: Path) -> None:
    (tmp_path / "business.db").write_bytes(b"my diary, which is long enough to be taken for something else" * 10)
    result = await tools_in(tmp_path).execute("get_leads", {})
    assert "move it away to start over" in (result.error or "")
    assert (tmp_path / "business.db").read_bytes().startswith(b"my diary")


def test_an_empty_file_holds_nothing_that_must_be_kept(tmp_path: Path) -> None:
    (tmp_path / "business.db").touch()
    assert scheduled_in(tmp_path / "business.db") == []


async def test_another_database_of_that_name_is_told_and_left_alone(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "business.db")) as connection:
        connection.execute("CREATE TABLE diary (day)")
        connection.commit()
    result = await tools_in(tmp_path).execute("get_leads", {})
    assert "is not business data: move it away" in (result.error or "")
    with closing(sqlite3.connect(tmp_path / "business.db")) as connection:
        assert connection.execute("SELECT count(*) FROM diary").fetchone() == (0,)


async def test_a_home_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    (tmp_path / "home").write_text("a file where the folder should be")
    result = await tools_in(tmp_path / "home").execute("get_leads", {})
    assert "could not be written" in (result.error or "")
