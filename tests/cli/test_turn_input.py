"""`answer` and `steer`: what a person tells a turn that waits or runs, from another process."""

import asyncio
import io
from pathlib import Path
from typing import Any

import pytest

from cli.here import refused
from glassloop import Agent, ScriptedModel
from glassloop.cli.ui.console import make_console
from glassloop.cli.ui.question import QuestionPrompt
from glassloop.core import events as e
from glassloop.core.events import QuestionAsked, decode
from glassloop.core.loop.user_question import ASK_USER
from glassloop.models.scripted_model import call
from glassloop.runtime.build import open_runtime
from glassloop.runtime.settings import Settings

ASKS = call(ASK_USER, question="Which \x1b[31mcity?", options=["Bern", "Basel"])


@pytest.fixture
def asking(environment: dict[str, str]) -> str:
    """A turn that asks its person something."""

    async def ask() -> str:
        home = Path(environment["GLASSLOOP_HOME"])
        url = environment.get("DATABASE_URL") or f"sqlite:///{home / 'glassloop.db'}"
        agent = Agent(ScriptedModel([ASKS]), ask_user=True, name="general")
        runtime = await open_runtime(Settings(home=str(home), database_url=url), make=lambda _: agent)
        async with runtime:
            submitted = await runtime.submit("How far?", user="local", session_id="s-1")
            async for _ in runtime.watch(submitted.turn_id):
                pass
        return submitted.turn_id

    return asyncio.run(ask())


def test_an_option_is_chosen_by_its_number_and_the_turn_goes_on(here: Any, asking: str) -> None:
    waits = here("answer", asking)
    assert waits.code == 3
    for part in ("The assistant has a question", "city?", "1  Bern", "2  Basel"):
        assert part in waits.out
    assert "\x1b" not in waits.out
    assert f"glassloop answer {asking}" in waits.err
    refused(here("approve", asking, "--yes"), f"glassloop answer {asking}")
    told = here("steer", asking, "Quickly")
    assert told.code == 0, told.err
    assert "Message 1" in told.out
    done = here("answer", asking, "2", "--json")
    events = [event for line in done.out.splitlines() if type(event := decode(line)) not in e.TRANSIENT]
    assert [event.text for event in events if isinstance(event, e.QuestionAnswered)] == ["Basel"]
    assert [event.text for event in events if isinstance(event, e.MessageReceived)] == ["Quickly"]
    assert isinstance(events[-1], e.TurnFinished)
    refused(here("answer", asking, "2"), "nothing to answer")
    refused(here("steer", asking, "More"), "ask again")


@pytest.mark.parametrize(
    ("lines", "said"),
    [(["2"], "Basel"), (["", "9"], "9"), (["the first"], "the first"), ([], None)],
    ids=["number", "own number", "own words", "nobody"],
)
def test_a_person_answers_with_a_number_or_in_their_own_words(lines: list[str], said: str | None) -> None:
    def ask(_prompt: str, _begin: str) -> str:
        if not lines:
            raise EOFError
        return lines.pop(0)

    asked = QuestionAsked(turn_id="t", seq=1, at=0, step=1, call_id="c", question="Which?", options=("Bern", "Basel"))
    given = QuestionPrompt(make_console(io.StringIO()), ask, user="me").answer(asked)
    assert (given and (given.call_id, given.text, given.by)) == (said and ("c", said, "me"))
