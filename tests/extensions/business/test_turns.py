"""The tools in a turn: figures come with their evidence, and nothing is scheduled before a person agrees."""

import shutil
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from glassloop import Agent, ScriptedModel
from glassloop.core.events import AnswerEvaluated, ApprovalRequested, ToolReturned
from glassloop.extensions.business.tools import make_tools
from glassloop.models.scripted_model import call
from glassloop.runtime.assistants.result import Approval

NOW = datetime(2026, 11, 15, 9, tzinfo=UTC).timestamp()


@pytest.fixture
def tools(made_file: Path, tmp_path: Path):
    copy = tmp_path / "company.db"
    shutil.copy(made_file, copy)
    return make_tools(tmp_path, clock=lambda: NOW, database_url=str(copy))


def agent_of(tools, *script: Any) -> Agent:
    return Agent(ScriptedModel(script), tools, planner=False, reflection=False)


async def meetings(tools, title: str) -> int:
    calendar = next(tool for tool in tools if tool.name == "get_calendar")
    return (await calendar.execute({"query": title, "period": "all"})).data["totals"]["events"]


async def test_figures_of_the_answer_are_found_in_the_data(tools) -> None:
    orders = next(tool for tool in tools if tool.name == "get_purchase_orders")
    totals = (await orders.execute({"status": "late"})).data["totals"]
    text = f"{totals['orders']} orders are late, worth {totals['ordered']:,.2f} USD, as of 2026-11-15."
    stream = agent_of(tools, call("get_purchase_orders", status="late"), text).stream("Which orders are late?")
    (checked,) = [event async for event in stream if isinstance(event, AnswerEvaluated)]
    assert checked.evidence.unsupported == ()
    assert checked.evidence.sourced == 3


async def test_a_mail_that_gives_orders_schedules_nothing_where_the_model_obeys_and_the_person_does_not(
    tools, company
) -> None:
    meeting = {"title": "Obeyed", "start": "2026-11-16 06:00", "attendees": [company["employees"][0].email]}
    agent = agent_of(
        tools,
        call("get_emails", query="ignore your previous instructions"),
        call("schedule_meeting", **meeting),
        "It was refused.",
    )
    stream = agent.stream("What is new?")
    events = [event async for event in stream]
    (asked,) = [event for event in events if isinstance(event, ApprovalRequested)]
    assert asked.preview["schedule"]["title"] == "Obeyed"
    assert stream.paused
    assert await meetings(tools, "Obeyed") == 0
    refusal = Approval(call_id=asked.call.id, digest=asked.digest, approved=False)
    after = [event async for event in agent.resume(stream.events, [refusal])]
    assert not any(isinstance(event, ToolReturned) and event.result.success for event in after)
    assert await meetings(tools, "Obeyed") == 0


async def test_an_approved_meeting_is_written(tools, company) -> None:
    meeting = {"title": "Agreed", "start": "2026-11-16 21:00", "attendees": [company["employees"][0].email]}
    agent = agent_of(tools, call("schedule_meeting", **meeting), "Done.")
    stream = agent.stream("Schedule it", user="ada")
    events = [event async for event in stream]
    (asked,) = [event for event in events if isinstance(event, ApprovalRequested)]
    consent = Approval(call_id=asked.call.id, digest=asked.digest, approved=True)
    _ = [event async for event in agent.resume(stream.events, [consent])]
    assert await meetings(tools, "Agreed") == 1
