"""`glassloop code --acp` as an editor meets it: the client of the protocol's own SDK, and a model that is played."""

import asyncio
import json
import os
import socket
import subprocess
import sys
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import acp
import pytest
from acp import schema

from extensions.code.conftest import BROKEN
from glassloop.cli.resources import load_settings
from glassloop.extensions.code.acp.connection import MAX_LINE_BYTES
from glassloop.extensions.code.acp.prompt_parts import named
from glassloop.extensions.code.acp.server import AcpServer
from glassloop.extensions.code.acp.tool_calls import absolute
from glassloop.runtime.assistants.agents import AgentKey
from glassloop.runtime.build import open_runtime

FIXED = "def add(a, b):\n    return a + b\n"
EDIT = {"edit_file": {"path": "src/calc.py", "old": "a - b", "new": "a + b"}}
COMMAND = ("code", "--acp", "-m", "openai:played")
WAIT_S = 120.0


class Editor:
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
def open_editor(project: Path, environment: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> Any:
    """An editor at the other end of a pair of streams, which has said hello."""

    @asynccontextmanager
    async def start() -> AsyncGenerator[tuple[Any, Any]]:
        monkeypatch.chdir(project)
        for name in os.environ.keys() - environment.keys():
            monkeypatch.delenv(name)
        for name, value in environment.items():
            monkeypatch.setenv(name, value)
        here, there = socket.socketpair()
        editor: Any = Editor()
        reader, writer = await asyncio.open_connection(sock=here, limit=MAX_LINE_BYTES)
        coming, going = await asyncio.open_connection(sock=there, limit=MAX_LINE_BYTES)
        async with asyncio.timeout(WAIT_S), await open_runtime(load_settings(), recovers_turns=False) as runtime:
            assert runtime.workspaces is not None
            wanted = AgentKey("code", "openai:played")
            serving = asyncio.create_task(AcpServer(runtime, runtime.workspaces, wanted, reader, writer).run())
            agent = acp.connect_to_agent(editor, going, coming)
            await agent.initialize(protocol_version=acp.PROTOCOL_VERSION)
            yield editor, agent
            going.close()
            await serving
            await agent.close()
            writer.close()

    return start


@pytest.fixture
def start_editor(project: Path, environment: dict[str, str]) -> Any:
    """Starts the command as an editor does, and says hello."""

    @asynccontextmanager
    async def start() -> AsyncGenerator[tuple[Any, Any]]:
        editor: Any = Editor()
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
    start_editor: Any, project: Path, played: Any
) -> None:
    played({"fix": [EDIT, "It adds now."]})
    async with start_editor() as (editor, agent):
        session = (await agent.new_session(cwd=str(project), mcp_servers=[])).session_id
        assert await ask(agent, session, "fix add") == "end_turn"
    assert (project / "src/calc.py").read_text() == FIXED
    assert editor.said() == "It adds now."
    asked = editor.asked[0].tool_call
    diff = asked.content[-1]
    assert (diff.path, diff.old_text, diff.new_text) == (str(project / "src/calc.py"), BROKEN, FIXED)
    assert (asked.kind, asked.locations[0].path, asked.locations[0].line) == ("edit", diff.path, 2)
    assert [option.kind for option in editor.asked[0].options] == ["allow_once", "allow_always", "reject_once"]
    assert "src/" in editor.asked[0].options[1].name
    assert [call.status for call in editor.calls()] == ["pending", "in_progress", "completed"]
    assert len({call.tool_call_id for call in editor.calls()} | {asked.tool_call_id}) == 1


async def test_a_refused_edit_changes_nothing_and_the_model_is_told(
    open_editor: Any, project: Path, played: Any
) -> None:
    server = played({"fix": [EDIT, "Then I leave it."]})
    async with open_editor() as (editor, agent):
        session = (await agent.new_session(cwd=str(project), mcp_servers=[])).session_id
        editor.choice = "reject_once"
        assert await ask(agent, session, "fix add") == "end_turn"
    assert (project / "src/calc.py").read_text() == BROKEN
    assert editor.said() == "Then I leave it."
    assert editor.calls()[-1].status == "failed"
    told = [message for message in server.requests[-1]["messages"] if message["role"] == "tool"]
    assert "The person refused this call" in told[-1]["content"]


async def test_what_is_allowed_always_does_not_ask_again(open_editor: Any, project: Path, played: Any) -> None:
    back = {"edit_file": {"path": "src/calc.py", "old": "a + b", "new": "a * b"}}
    played({"fix": [EDIT, back, "Done."]})
    async with open_editor() as (editor, agent):
        session = (await agent.new_session(cwd=str(project), mcp_servers=[])).session_id
        editor.choice = "allow_always"
        assert await ask(agent, session, "fix add") == "end_turn"
    assert len(editor.asked) == 1
    assert "a * b" in (project / "src/calc.py").read_text()


async def test_a_cancel_ends_the_prompt_while_the_model_writes_and_while_a_person_is_asked(
    open_editor: Any, project: Path, played: Any
) -> None:
    server = played({"fix": [EDIT, "never"], "again": ["Here I am."]})
    async with open_editor() as (editor, agent):
        session = (await agent.new_session(cwd=str(project), mcp_servers=[])).session_id
        server.hold = "model:1"
        prompt = asyncio.create_task(ask(agent, session, "fix add"))
        assert await asyncio.to_thread(server.held.wait, WAIT_S)
        await agent.cancel(session_id=session)
        assert await prompt == "cancelled"
        server.released.set()

        editor.before_choice = lambda: agent.cancel(session_id=session)
        assert await ask(agent, session, "fix add") == "cancelled"
        editor.before_choice, editor.choice = None, None
        assert await ask(agent, session, "fix add") == "cancelled"
        assert len(editor.asked) == 2
        assert editor.calls()[-1].status == "failed"
        assert await ask(agent, session, "again") == "end_turn"
    assert (project / "src/calc.py").read_text() == BROKEN


async def test_an_editor_that_leaves_while_a_person_is_asked_leaves_no_turn_behind(
    open_editor: Any, project: Path, played: Any
) -> None:
    played({"fix": [EDIT, "never"]})
    asked, never = asyncio.Event(), asyncio.Event()

    async def wait() -> None:
        asked.set()
        await never.wait()

    async with open_editor() as (editor, agent):
        session = (await agent.new_session(cwd=str(project), mcp_servers=[])).session_id
        editor.before_choice = wait
        prompt = asyncio.create_task(ask(agent, session, "fix add"))
        await asked.wait()
    with pytest.raises(ConnectionError):
        await prompt
    async with open_editor() as (editor, agent):
        await agent.load_session(cwd=str(project), session_id=session, mcp_servers=[])
        assert editor.calls()[-1].status == "failed"
    assert (project / "src/calc.py").read_text() == BROKEN


async def test_a_session_is_loaded_by_another_process_and_goes_on(
    open_editor: Any, project: Path, tmp_path: Path, played: Any
) -> None:
    todo = {"todo": {"action": "add", "text": "Look at calc"}}
    server = played({"fix": [todo, EDIT, "It adds now."], "What did": ["I fixed add."]})
    async with open_editor() as (editor, agent):
        session = (await agent.new_session(cwd=str(project), mcp_servers=[])).session_id
        await agent.set_session_mode(session_id=session, mode_id="edits")
        assert await ask(agent, session, "fix add") == "end_turn"
        before = [kind for kind in editor.kinds() if kind != "agent_message_chunk"]
        assert "plan" in before
    async with open_editor() as (editor, agent):
        with pytest.raises(acp.RequestError, match="another folder"):
            await agent.load_session(cwd=str(project / "src"), session_id=session, mcp_servers=[])
        with pytest.raises(acp.RequestError, match="no session"):
            await agent.load_session(cwd=str(project), session_id="nobodys", mcp_servers=[])
        (listed,) = (await agent.list_sessions(cwd=str(project))).sessions
        assert (listed.session_id, listed.cwd, listed.title) == (session, str(project), "fix add")
        assert (await agent.list_sessions(cwd=str(project / "src"))).sessions == []
        loaded = await agent.load_session(cwd=str(project), session_id=session, mcp_servers=[])
        assert loaded.modes.current_mode_id == "edits"
        assert editor.said("user_message_chunk") == "fix add"
        assert editor.said() == "It adds now."
        assert [kind for kind in editor.kinds()[1:] if kind != "agent_message_chunk"] == before
        assert await ask(agent, session, "What did you do?") == "end_turn"
        assert "It adds now." in json.dumps(server.requests[-1]["messages"])
    assert tmp_path.exists()


async def test_a_mode_and_files_of_the_editor_count_for_the_prompt(
    open_editor: Any, project: Path, played: Any
) -> None:
    server = played({"Look": ["Seen."]})
    async with open_editor() as (_, agent):
        new = await agent.new_session(cwd=str(project), mcp_servers=[])
        assert [mode.id for mode in new.modes.available_modes] == ["plan", "read", "ask", "edits"]
        await agent.set_session_mode(session_id=new.session_id, mode_id="read")
        with pytest.raises(acp.RequestError, match="no mode"):
            await agent.set_session_mode(session_id=new.session_id, mode_id="loud")
        uri = (project / "src" / "calc.py").as_uri()
        prompt = [
            acp.text_block("Look at"),
            acp.resource_block(acp.embedded_text_resource(uri, "unsaved text")),
            acp.resource_link_block("other", f"{uri}#L2"),
        ]
        assert (await agent.prompt(session_id=new.session_id, prompt=prompt)).stop_reason == "end_turn"
    asked = json.dumps(server.requests[-1]["messages"][-1])
    assert "unsaved text" in asked
    assert "@src/calc.py#L2" in asked
    assert str(project) not in asked
    offered = {each["function"]["name"] for each in server.requests[-1]["tools"]}
    assert "read_file" in offered
    assert offered.isdisjoint({"write_file", "edit_file", "run_command"})


async def test_a_plan_is_shown_whole_and_its_approval_lets_changes_ask(
    open_editor: Any, project: Path, played: Any
) -> None:
    played({"fix": [EDIT, {"present_plan": {"plan": "1. Turn the sign."}}, EDIT, "It adds now."]})
    async with open_editor() as (editor, agent):
        session = (await agent.new_session(cwd=str(project), mcp_servers=[])).session_id
        await agent.set_session_mode(session_id=session, mode_id="plan")
        assert await ask(agent, session, "fix add") == "end_turn"
    plan, edit = editor.asked
    assert (plan.tool_call.kind, plan.tool_call.content[-1].content.text) == ("switch_mode", "1. Turn the sign.")
    assert [option.kind for option in plan.options] == ["allow_once", "reject_once"]
    assert edit.tool_call.kind == "edit"
    assert (project / "src/calc.py").read_text() == FIXED


def test_places_outside_of_the_workspace_are_told_neither_to_the_editor_nor_to_the_model() -> None:
    for path in ("../x", "/etc/passwd", "a/../../x", "a\0b", ".."):
        assert absolute("/w", path) is None
    assert absolute("/w", "a/../b.py") == "/w/b.py"
    assert named("file:///w/a%20b.py#L3", "/w") == "a b.py#L3"
    assert named("file:///srv/keys/id_rsa", "/w") == "id_rsa"
    assert named("file:///w/../etc/passwd", "/w") == "passwd"


async def test_a_turn_that_used_up_its_steps_says_so(open_editor: Any, project: Path, played: Any) -> None:
    played({"loop": [{"read_file": {"path": "src/calc.py", "last_line": number + 1}} for number in range(40)]})
    async with open_editor() as (_, agent):
        session = (await agent.new_session(cwd=str(project), mcp_servers=[])).session_id
        assert await ask(agent, session, "loop") == "max_turn_requests"


def test_what_is_no_message_is_answered_with_an_error_and_the_next_one_is_read(
    project: Path,
    environment: dict[str, str],
) -> None:
    deep = b"[" * 100_000
    lines = (
        b"no json",
        b'{"jsonrpc": "2.0", "id": 1, "method": "session/new", "params": {"cwd": "/"}}',
        b'{"jsonrpc": "2.0", "id": 2, "method": "initialize", "params": {"protocolVersion": 7}}',
        b'{"jsonrpc": "2.0", "id": 3, "method": "session/new", "params": ' + deep,
        b'{"jsonrpc": "2.0", "id": 4, "method": "session/new", "params": {"cwd": "relative"}}',
        b'{"jsonrpc": "2.0", "id": 5, "method": "session/new", "params": {"cwd": "/proc"}}',
        b'{"jsonrpc": "2.0", "id": 6, "method": "session/prompt", "params": {"sessionId": "x", "prompt": 3}}',
        b'{"jsonrpc": "2.0", "id": 7, "method": "nothing"}',
        b'{"jsonrpc": "2.0", "id": 8, "result": {}}',
        b'{"jsonrpc": "2.0", "method": "session/cancel", "params": {"sessionId": "x"}}',
        b'"' + b"x" * 33_000_000,
        b'{"jsonrpc": "2.0", "id": 9, "method": "initialize", "params": {"protocolVersion": 1}}',
    )
    process = subprocess.Popen(
        [sys.executable, "-m", "glassloop", *COMMAND],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=project,
        env={**environment, "OPENAI_API_KEY": "sk-a-secret-of-the-host"},
    )
    assert process.stdin is not None
    assert process.stdout is not None
    answers: list[Any] = []
    with process:
        # One at a time: requests are answered side by side.
        for line in lines:
            process.stdin.write(line + b"\n")
            process.stdin.flush()
            if not any(silent in line for silent in (b"session/cancel", b'"result"')):
                answers.append(json.loads(process.stdout.readline()))
        process.stdin.close()
        rest, complaints = process.stdout.read(), process.stderr.read() if process.stderr else b""
    told = [(answer["id"], answer.get("error", {}).get("code")) for answer in answers]
    assert told == [
        (None, -32700), (1, -32600), (2, None), (None, -32700), (4, -32602), (5, -32602), (6, -32602), (7, -32601),
        (None, -32700), (9, None),
    ]  # fmt: skip
    assert answers[2]["result"]["protocolVersion"] == 1
    assert (process.returncode, rest) == (0, b"")
    assert b"sk-a-secret" not in json.dumps(answers).encode() + complaints
