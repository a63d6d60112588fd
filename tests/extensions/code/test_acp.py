"""`glassloop code --acp` as an editor meets it: the client of the protocol's own SDK, and a model that is played."""

import asyncio
import sys
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import acp
import pytest
from acp import schema

from cli.conftest import environment, folder  # noqa: F401
from model_server import ModelServer, Reply, model_server

BROKEN = "def add(a, b):\n    return a - b\n"
FIXED = "def add(a, b):\n    return a + b\n"
EDIT = {"edit_file": {"path": "src/calc.py", "old": "a - b", "new": "a + b"}}
COMMAND = ("code", "--acp", "-m", "openai:played")
WAIT_S = 120.0


class Editor(acp.Client):
    """Keeps what it is told, and answers permissions with `choice`: a kind of option, or None for a cancel."""

    def __init__(self) -> None:
        self.updates: list[Any] = []
        self.asked: list[schema.RequestPermissionRequest] = []
        self.choice: str | None = "allow_once"
        self.before_choice: Callable[[], Any] | None = None

    async def request_permission(self, session_id: str, tool_call: Any, options: Any, **_: Any) -> Any:
        self.asked.append(schema.RequestPermissionRequest(session_id=session_id, tool_call=tool_call, options=options))
        if self.before_choice is not None:
            await self.before_choice()
        if self.choice is None:
            return schema.RequestPermissionResponse(outcome=schema.DeniedOutcome(outcome="cancelled"))
        chosen = next(option for option in options if option.kind == self.choice)
        return schema.RequestPermissionResponse(
            outcome=schema.AllowedOutcome(outcome="selected", option_id=chosen.option_id)
        )

    async def session_update(self, session_id: str, update: Any, **_: Any) -> None:
        assert session_id
        self.updates.append(update)

    def on_connect(self, conn: Any) -> None: ...

    def kinds(self) -> list[str]:
        return [update.session_update for update in self.updates]

    def said(self, kind: str = "agent_message_chunk") -> str:
        return "".join(each.content.text for each in self.updates if each.session_update == kind)

    def calls(self) -> list[Any]:
        return [each for each in self.updates if each.session_update in ("tool_call", "tool_call_update")]


@pytest.fixture
def project(folder: Path) -> Path:  # noqa: F811
    (folder / "src").mkdir()
    (folder / "src" / "calc.py").write_text(BROKEN)
    return folder


@pytest.fixture
def played(environment: dict[str, str]) -> Iterator[Any]:  # noqa: F811
    """A model that replies by a script."""
    script: dict[str, Sequence[Reply]] = {}
    with model_server(script) as server:
        environment |= {"OPENAI_API_KEY": "test", "OPENAI_BASE_URL": server.url}

        def play(replies: Mapping[str, Sequence[Reply]]) -> ModelServer:
            script.update(replies)
            return server

        yield play


@pytest.fixture
def open_editor(project: Path, environment: dict[str, str]) -> Any:  # noqa: F811
    """Starts the command as an editor does, and says hello."""

    @asynccontextmanager
    async def start() -> AsyncIterator[tuple[Editor, Any]]:
        editor = Editor()
        process = acp.spawn_agent_process(
            editor, sys.executable, "-m", "glassloop", *COMMAND, env=environment, cwd=project
        )
        async with asyncio.timeout(WAIT_S), process as (agent, _):
            await agent.initialize(protocol_version=acp.PROTOCOL_VERSION)
            yield editor, agent

    return start


async def ask(agent: Any, session: str, text: str) -> str:
    return (await agent.prompt(session_id=session, prompt=[acp.text_block(text)])).stop_reason


async def test_an_edit_asks_with_a_diff_and_runs_once_it_is_allowed(
    open_editor: Any, project: Path, played: Any
) -> None:
    played({"fix": [EDIT, "It adds now."]})
    async with open_editor() as (editor, agent):
        session = (await agent.new_session(cwd=str(project), mcp_servers=[])).session_id
        assert await ask(agent, session, "fix add") == "end_turn"
    assert (project / "src/calc.py").read_text() == FIXED
    assert editor.said() == "It adds now."
    asked = editor.asked[0].tool_call
    print(asked.content)
    (diff,) = asked.content
    assert (diff.path, diff.old_text, diff.new_text) == (str(project / "src/calc.py"), BROKEN, FIXED)
    assert (asked.kind, asked.locations[0].path, asked.locations[0].line) == ("edit", diff.path, 2)
    assert [option.kind for option in editor.asked[0].options] == ["allow_once", "allow_always", "reject_once"]
    assert "src/" in editor.asked[0].options[1].name
    assert [call.status for call in editor.calls()] == ["pending", "in_progress", "completed"]
    assert len({call.tool_call_id for call in editor.calls()} | {asked.tool_call_id}) == 1
