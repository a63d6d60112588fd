"""MCP servers that a program names among the tools of an agent."""

import sys
from pathlib import Path
from typing import Any

import pytest

from glassloop import Agent, McpServer, ScriptedModel, Settings, TurnPaused, UsageError, call, open_runtime
from glassloop.core.errors import ToolUnavailable
from glassloop.core.records import Json
from tools.processes import gone

ODD = Path(__file__).with_name("odd_server.py")


def server(place: Any, **options: Any) -> McpServer:
    return McpServer(sys.executable, "-S", "-E", str(ODD), "plain", str(place.notes), name="odd", **options)


def said(text: str) -> list[Any]:
    return [call("odd__echo", text=text), "Done."]


def test_its_tools_stand_beside_functions_and_it_is_started_once_and_ended_with_the_agent(place: Any) -> None:
    def plain(text: str) -> Json:
        """Say it."""
        return text

    with Agent(ScriptedModel([*said("hi"), *said("ho")]), [plain, server(place, confirm=False)]) as agent:
        assert not place.pids
        for text in ("hi", "ho"):
            result = agent.run_sync("Go")
            assert result.steps[0].observation is not None
            assert result.steps[0].observation.output == text
        assert len(place.pids) == 1
    assert all(gone(pid) for pid in place.pids)


async def test_its_tools_ask_first_unless_the_program_says_otherwise(place: Any) -> None:
    async with Agent(ScriptedModel(said("hi")), [server(place)]) as agent:
        with pytest.raises(TurnPaused) as paused:
            await agent.run("Go")
    assert paused.value.pending[0].call.tool == "odd__echo"


async def test_a_served_agent_has_them_and_they_end_with_the_runtime(place: Any) -> None:
    agent = Agent(ScriptedModel(said("hi")), [server(place, confirm=False)], name="odd")
    async with await open_runtime(Settings(home=str(place.home)), agents=[agent]) as runtime:
        response = await runtime.ask("Go")
        assert response.steps[0].observation is not None
        assert response.steps[0].observation.output == "hi"
    assert all(gone(pid) for pid in place.pids)


async def test_one_that_cannot_be_started_or_named_is_told_with_the_remedy(place: Any) -> None:
    async with Agent(ScriptedModel(["Hi"]), [McpServer("no-such-program")]) as agent:
        with pytest.raises(ToolUnavailable, match="install it, or give its full path"):
            await agent.run("Go")
    async with Agent(ScriptedModel(["Hi"]), [server(place), server(place)]) as agent:
        with pytest.raises(UsageError, match="its own name"):
            await agent.run("Go")
    for wrong in ({}, {"url": "ftp://x"}, {"url": "http://x", "timeout_s": -1.0}):
        with pytest.raises(UsageError):
            McpServer(**wrong)
    names = [("npx", "-y", "@scope/server-files@1.2", "."), ("uvx", "git-server"), ("python", "-m", "my.server")]
    assert [McpServer(*command).name for command in names] == ["server-files", "git-server", "my.server"]
