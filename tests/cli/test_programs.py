"""Code of one's own in commands: agents that are asked where they are written, and hooks that do not work."""

import re
import shlex
from pathlib import Path
from typing import Any

import pytest

from cli.here import refused

APP = """
from glassloop import Agent, ScriptedModel
support = Agent(ScriptedModel(["On its way."]), name="support")
nothing = 3
"""
TILL = """
from glassloop import Agent, ScriptedModel, call, tool

@tool(effect="write", confirm=True)
def charge() -> str:
    "Charge it."
    return "charged"

till = Agent(ScriptedModel([call("charge"), "It is charged."] * 2), [charge], name="till")
"""
HOOKS = """
from glassloop import Plugin
class Bad(Plugin):
    name = "bad"
    async def before_model_call(self, turn, request): raise ValueError("boom")
"""
PROFILE = 'name = "clerk"\nprompt = "Help."\nlike = "general"\nplugins = ["bad_hooks:Bad"]\n'


def test_a_hook_that_raises_is_told_once_in_one_line_and_the_question_is_answered(
    here: Any, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "bad_hooks.py").write_text(HOOKS, "utf-8")
    (folder / "clerk").mkdir()
    (folder / "clerk" / "assistant.toml").write_text(PROFILE, "utf-8")
    monkeypatch.syspath_prepend(str(folder))
    here("trust", "--yes")
    done = here("ask", "-a", "./clerk", "-m", "reflex", "What is 18% of 2,450?")
    assert done.code == 0, done
    assert done.err.splitlines() == ["the hook before_model_call of plugin 'bad' was skipped: ValueError: boom"]


def test_an_agent_of_a_program_is_asked_where_it_is_written(here: Any, folder: Path) -> None:
    (folder / "app_of_test.py").write_text(APP, "utf-8")
    done = here("ask", "-a", "app_of_test.py:support", "Where is it?")
    assert done.code == 0, done
    assert "On its way." in done.out
    refused(here("ask", "-a", "app_of_test.py:nobody", "x"), "no attribute 'nobody'")
    refused(here("ask", "-a", "app_of_test:nothing", "x"), "not an agent", "app.py:agent")
    refused(here("serve", "nowhere.py:support"), "no file 'nowhere.py'")
    refused(here("serve", "support"), "does not name an agent")
    refused(here("ask", "-a", "app_of_test.py:support", "-m", "reflex", "x"), "has its own model")


def test_the_command_that_decides_names_the_program_again(here: Any, folder: Path) -> None:
    (folder / "till_of_test.py").write_text(TILL, "utf-8")
    asked = here("ask", "-a", "till_of_test.py:till", "Charge it")
    assert asked.code == 3, asked
    [told] = re.findall("`glassloop (approve .*?)`", asked.err)
    unknown = here("approve", told.split()[1], "--yes")
    assert unknown.code == 2, unknown
    assert "needs the assistant 'till'" in unknown.err
    assert "`--assistant app.py:till`" in unknown.err
    done = here(*shlex.split(told), "--yes")
    assert done.code == 0, done
    assert "It is charged." in done.out
