"""A meeting asked for in words for a day: it reaches the tool with the right hour, and waits for somebody to agree."""

import sqlite3
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from glassloop import Agent
from glassloop.core import events as e
from glassloop.core.ports import CallContext
from glassloop.extensions.business.tools import make_tools
from glassloop.models.scripted_model import ScriptedModel, call
from glassloop.runtime.assistants.assistant_files import find_assistant, load_parts
from glassloop.runtime.assistants.result import Approval
from glassloop.runtime.settings import Settings
from glassloop.tools.registry import ToolRegistry


def at(text: str) -> float:
    return datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp()


@pytest.fixture
def home(made_file: Path, tmp_path: Path) -> Path:
    (tmp_path / "business.db").write_bytes(made_file.read_bytes())
    with closing(sqlite3.connect(tmp_path / "business.db")) as connection:
        # So that nobody is busy at the hours below.
        connection.execute("DELETE FROM biz_attendees")
        connection.commit()
    return tmp_path


def assistant(home: Path, **meeting: object) -> Agent:
    settings = Settings(home=str(home))
    found = find_assistant("business", settings, home)
    parts = load_parts(found, settings)
    scheduled = call("schedule_meeting", title="Review", attendees=["Nora Adler"], **meeting)
    model = ScriptedModel([scheduled, "It is in the calendar."])
    return Agent(model, parts.tools, profile=found.profile(settings), plugins=parts.plugins, protocol="native")


@pytest.mark.parametrize(
    ("meeting", "starts_at", "ends_at"),
    [
        ({"start": "tomorrow 10:00"}, "2026-11-16 10:00", "2026-11-16 10:30"),
        ({"start": "next Tuesday 14:30", "duration_minutes": 60}, "2026-11-17 14:30", "2026-11-17 15:30"),
    ],
)
async def test_it_asks_for_the_hour_that_was_meant_and_writes_it_when_approved(
    home: Path, meeting: dict[str, object], starts_at: str, ends_at: str
) -> None:
    agent = assistant(home, **meeting)
    stream = agent.stream("Schedule a meeting with Nora Adler", user="ada")
    events = [event async for event in stream]
    (asked,) = [event for event in events if isinstance(event, e.ApprovalRequested)]
    shown: Any = asked.preview
    assert (asked.call.tool, shown["schedule"]["starts_at"], shown["schedule"]["ends_at"]) == (
        "schedule_meeting", starts_at, ends_at,
    )  # fmt: skip
    assert [person["name"] for person in shown["schedule"]["attendees"]] == ["Nora Adler"]
    assert meetings(home) == []
    consent = Approval(call_id=asked.call.id, digest=asked.digest, approved=True)
    _ = [event async for event in agent.resume(stream.events, [consent])]
    assert meetings(home) == [(starts_at, ends_at)]


def meetings(home: Path) -> list[tuple[str, str]]:
    with closing(sqlite3.connect(home / "business.db")) as connection:
        return connection.execute("SELECT starts_at, ends_at FROM biz_calendar WHERE event_id LIKE 'MTG-%'").fetchall()


async def test_tomorrow_is_the_day_after_the_question_however_late_it_is_approved(home: Path) -> None:
    with closing(sqlite3.connect(home / "business.db")) as connection:
        connection.execute("UPDATE biz_company SET as_of = NULL")
        connection.commit()
    days = {"now": at("2026-12-01 09:00")}
    tools = ToolRegistry(make_tools(home, clock=lambda: days["now"], database_url=f"sqlite:///{home / 'business.db'}"))
    context = CallContext(turn_id="t", session_id="s", user="ada", call_id="c", asked_at=at("2026-12-01 09:00"))
    meeting = {"title": "Late", "start": "tomorrow 10:00", "attendees": ["Nora Adler"]}
    days["now"] = at("2026-12-02 08:00")
    done = await tools.execute("schedule_meeting", meeting, context)
    assert done.success, done.error
    assert meetings(home) == [("2026-12-02 10:00", "2026-12-02 10:30")]
    days["now"] = at("2026-12-09 08:00")
    past = await tools.execute("schedule_meeting", meeting, context)
    assert "is past" in (past.error or "")
