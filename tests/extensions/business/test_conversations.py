"""Ten conversations from beginning to end: the right tool each time, what was said before kept, figures that hold."""

from importlib.resources import files
from pathlib import Path

import pytest

from extensions.business.conversations import CONVERSATIONS, Asked
from extensions.business.suite_figures import Rows
from glassloop.core import events as e
from glassloop.core.evidence.figures import read_figures
from glassloop.evals.asked import defaults_of
from glassloop.evals.suites.company.plugins import FOLDER
from glassloop.runtime.agent import Agent
from glassloop.runtime.build import build_agent
from glassloop.runtime.settings import Settings

COMPANY = str(files("glassloop.evals.suites") / "company")
FREE = {"query", "top_k"}
"""What is searched for is said in many ways."""


@pytest.fixture
def settings(made_file: Path, tmp_path: Path) -> Settings:
    """With the company in its place, so that none has to be made."""
    (tmp_path / FOLDER).mkdir(parents=True)
    (tmp_path / FOLDER / "business.db").write_bytes(made_file.read_bytes())
    return Settings(home=str(tmp_path))


def values_in(text: str) -> set[float]:
    marks = [one for mark in read_figures(text) for one in (mark, *mark.parts)]
    return {reading.value for mark in marks if mark.kind == "number" for reading in mark.readings}


async def play(agent: Agent, session: str, asked: Asked, company: Rows) -> None:
    events = [event async for event in agent.stream(asked.question, session_id=session, user="ada")]
    calls = [event.call for event in events if isinstance(event, e.ToolCalled)]
    assert [call.tool for call in calls] == [asked.tool], asked.question
    defaults = defaults_of(agent.tools.specs)[asked.tool]
    said = {name: value for name, value in calls[0].args.items() if defaults.get(name) != value and name not in FREE}
    assert said == asked.args, asked.question
    (answer,) = [event.text for event in events if isinstance(event, e.AnswerGiven)]
    missing = [figure for figure in asked.figures(company) if figure not in values_in(answer)]
    assert not missing, (asked.question, missing, answer[:600])
    (checked,) = [event.evidence for event in events if isinstance(event, e.AnswerEvaluated)]
    assert checked.unsupported == (), asked.question
    assert any(isinstance(event, e.RouteDecided) for event in events)


@pytest.mark.parametrize("name", CONVERSATIONS)
async def test_a_conversation_goes_on_from_what_was_said(name: str, settings: Settings, company: Rows) -> None:
    agent = build_agent(COMPANY, settings, "reflex")
    try:
        for asked in CONVERSATIONS[name]:
            await play(agent, name, asked, company)
    finally:
        await agent.aclose()


def test_there_are_ten_of_five_questions_at_least() -> None:
    assert len(CONVERSATIONS) >= 10
    assert all(len(turns) >= 5 for turns in CONVERSATIONS.values())
