"""Other people's servers as they are: those of the MCP project from npm, over both transports, through a real turn."""

import asyncio
import os
import re
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from glassloop import Agent, Approval, ScriptedModel
from glassloop.core import events as e
from glassloop.models.scripted_model import call
from glassloop.tools.registry import ToolRegistry
from ports import free_port

NpmServers = tuple[str, Path]


def everything(npm_servers: NpmServers, *args: str, **options: Any) -> dict[str, Any]:
    node, folder = npm_servers
    return {"command": node, "args": [str(folder / "server-everything/dist/index.js"), *args], "glassloop": options}


@pytest.mark.slow
async def test_the_everything_server_gives_its_tools_and_answers_calls(place: Any, npm_servers: NpmServers) -> None:
    place.write(place.home, everything=everything(npm_servers))
    servers = await place.open()
    (status,) = servers.status
    assert (status.state, status.reason) == ("running", "")
    assert {tool.state for tool in status.tools} == {"offered"}
    assert {(tool.effect, tool.confirm) for tool in status.tools} == {("external", True)}
    tools = ToolRegistry(servers.tools)
    assert (await tools.execute("everything__echo", {"message": "hé"})).output == "Echo: hé"
    assert "is 5" in (await tools.execute("everything__get-sum", {"a": 2, "b": 3})).output
    assert "a picture, image/png" in (await tools.execute("everything__get-tiny-image")).output
    wrong = await tools.execute("everything__get-sum", {"a": 2, "b": "three"})
    assert wrong.error == (
        "Bad arguments for 'everything__get-sum': 'b': should be number, not 'three'. Allowed: a, b."
    )
    structured = await tools.execute("everything__get-structured-content", {"location": "Chicago"})
    assert set(structured.data) == {"temperature", "conditions", "humidity"}


async def test_the_filesystem_server_reads_and_writes_its_folder_and_nothing_else(
    place: Any, npm_servers: NpmServers
) -> None:
    node, folder = npm_servers
    args = [str(folder / "server-filesystem/dist/index.js"), str(place.folder)]
    place.write(place.home, files={"command": node, "args": args, "glassloop": {"trust_hints": True}})
    (place.folder / "a.txt").write_text("forty-two")
    tools = ToolRegistry((await place.open()).tools)
    assert tools.get("files__read_text_file").spec.effect == "read"
    assert tools.get("files__write_file").spec.effect == "external"
    assert (await tools.execute("files__read_text_file", {"path": str(place.folder / "a.txt")})).output == "forty-two"
    written = await tools.execute("files__write_file", {"path": str(place.folder / "b.txt"), "content": "new"})
    assert written.success
    assert (place.folder / "b.txt").read_text() == "new"
    outside = await tools.execute("files__read_text_file", {"path": str(place.home / ".mcp.json")})
    assert not outside.success
    assert "outside allowed directories" in (outside.error or "")


async def test_a_turn_asks_before_it_calls_a_server_and_shows_its_progress(place: Any, npm_servers: NpmServers) -> None:
    place.write(place.home, everything=everything(npm_servers))
    servers = await place.open()
    work = call("everything__trigger-long-running-operation", duration=0.2, steps=2)
    agent = Agent(ScriptedModel([work, "Done in 2 steps."]), servers.tools)
    stream = agent.stream("Work for a while.")
    await stream.drain()
    assert stream.paused
    request = next(event for event in stream.events if isinstance(event, e.ApprovalRequested))
    assert request.preview == {"server": "everything", "tool": "trigger-long-running-operation"}
    decision = Approval(call_id=request.call.id, digest=request.digest, approved=True)
    told = [event async for event in agent.resume(stream.events, [decision])]
    assert [event.fraction for event in told if isinstance(event, e.ToolProgressed)][:2] == [0.5, 1.0]
    assert isinstance(told[-1], e.TurnFinished)
    returned = next(event for event in told if isinstance(event, e.ToolReturned))
    assert "Long running operation completed" in returned.result.output


@pytest.fixture
def at_address(npm_servers: NpmServers) -> Iterator[tuple[str, "subprocess.Popen[bytes]"]]:
    """The everything server over HTTP: where it listens, and its process."""
    node, folder = npm_servers
    command = [node, str(folder / "server-everything/dist/index.js"), "streamableHttp"]
    port = free_port()
    process = subprocess.Popen(command, env={**os.environ, "PORT": str(port)}, stderr=subprocess.PIPE)
    assert process.stderr is not None
    try:
        until = time.monotonic() + 60
        while not re.search(rb"listening on port", process.stderr.readline()):
            assert time.monotonic() < until and process.poll() is None
        yield f"http://127.0.0.1:{port}/mcp", process
    finally:
        process.kill()
        process.communicate()


async def test_the_everything_server_answers_over_http_and_its_end_is_told(place: Any, at_address: Any) -> None:
    url, process = at_address
    place.write(place.home, away={"type": "http", "url": url, "glassloop": {"effects": {"echo": "read"}}})
    servers = await place.open()
    (status,) = servers.status
    assert (status.state, status.reason) == ("running", "")
    tools = ToolRegistry(servers.tools)
    assert (await tools.execute("away__echo", {"message": "hi"})).output == "Echo: hi"
    assert tools.get("away__echo").spec.effect == "read"
    process.kill()
    await asyncio.to_thread(process.wait)
    lost = await tools.execute("away__get-sum", {"a": 1, "b": 1})
    assert not lost.success
    # Nothing was sent, so nobody need ask what became of it.
    assert "cannot be reached" in (lost.error or "")
    assert lost.metadata == {}


async def test_a_server_that_knows_only_the_newest_protocol_is_spoken_to_in_it(place: Any) -> None:
    tools = await place.odd_tools("modern")
    assert (await tools.execute("odd__echo", {"text": "new"})).output == "new"
    methods = [message.get("method") for message in place.heard]
    assert methods == ["initialize", "server/discover", "tools/list", "tools/call"]
    assert "2026-07-28" in place.heard[-1]["params"]["_meta"].values()
