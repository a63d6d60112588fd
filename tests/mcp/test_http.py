"""Servers at an address that refuse, break off, forget or flood."""

import asyncio
import gzip
import json
from collections.abc import AsyncIterator
from typing import Any

import pytest

from glassloop import Agent, McpServer, ScriptedModel, call
from glassloop.tools.registry import ToolRegistry
from waiting import until

JSON, EVENTS = "application/json", "text/event-stream"


class Address:
    """A small HTTP server that speaks MCP, and does with a call what it is told to."""

    def __init__(self) -> None:
        self.habit = ""
        self.url = ""
        self.requests: list[tuple[str, dict[str, str], dict[str, Any]]] = []
        self.session = 0

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
                headers = {key.lower(): value for key, _, value in (row.partition(": ") for row in head.split("\r\n"))}
                body = json.loads(await reader.readexactly(int(headers.get("content-length", "0"))) or b"{}")
                self.requests.append((head.split(" ")[0], headers, body))
                await self.answer(writer, head.split(" ")[0], headers, body)
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()

    async def answer(self, writer: asyncio.StreamWriter, method: str, headers: dict[str, str], body: Any) -> None:
        kind = body.get("method")
        if method != "POST":
            await self.reply(writer, 405)
        elif kind == "initialize" and self.habit == "locked":
            await self.reply(writer, 401)
        elif kind == "initialize":
            self.session += 1
            info = {"serverInfo": {"name": "address", "version": "1"}, "capabilities": {"tools": {}}}
            told = {"protocolVersion": "2025-06-18", **info}
            await self.reply(writer, 200, result(body, told), **{"mcp-session-id": str(self.session)})
        elif kind == "tools/list":
            await self.reply(writer, 200, result(body, {"tools": [{"name": "do", "inputSchema": {"type": "object"}}]}))
        elif kind == "tools/call":
            await self.call(writer, headers, body)
        else:
            await self.reply(writer, 202)

    async def call(self, writer: asyncio.StreamWriter, headers: dict[str, str], body: Any) -> None:
        done = result(body, {"content": [{"type": "text", "text": "done"}]})
        if self.habit == "huge":
            await self.reply(writer, 200, b"{" + b" " * 2_000_000 + b"}")
        elif self.habit == "huge event":
            await self.reply(writer, 200, b"data: " + b"x" * 2_000_000 + b"\n\n", kind=EVENTS)
        elif self.habit == "event":
            await self.reply(writer, 200, b"data: " + done + b"\n\n", kind=EVENTS)
        elif self.habit == "empty event":
            await self.reply(writer, 200, b": nothing\n\n", kind=EVENTS)
        elif self.habit == "drops":
            writer.transport.abort()
        elif self.habit == "hangs":
            await asyncio.sleep(3600)
        elif self.habit == "redirects":
            await self.reply(writer, 307, location="http://127.0.0.2:9/elsewhere")
        elif self.habit.isdecimal():
            await self.reply(writer, int(self.habit), b"<html>token=hunter2hunter2</html>", kind="text/html")
        elif self.habit == "forgets" and headers.get("mcp-session-id") == "1":
            await self.reply(writer, 404)
        elif self.habit == "compresses":
            await self.reply(writer, 200, gzip.compress(done), **{"content-encoding": "gzip"})
        elif self.habit == "nonsense":
            await self.reply(writer, 200, b"<html>")
        else:
            await self.reply(writer, 200, done)

    async def reply(
        self, writer: asyncio.StreamWriter, status: int, body: bytes = b"", kind: str = JSON, **headers: str
    ) -> None:
        rows = [f"HTTP/1.1 {status} X", f"content-type: {kind}", f"content-length: {len(body)}"]
        rows += [f"{key}: {value}" for key, value in headers.items()]
        writer.write("\r\n".join(rows).encode() + b"\r\n\r\n" + body)
        await writer.drain()


def result(body: Any, value: Any) -> bytes:
    return json.dumps({"jsonrpc": "2.0", "id": body["id"], "result": value}).encode()


@pytest.fixture
async def address() -> AsyncIterator[Address]:
    made = Address()
    server = await asyncio.start_server(made.serve, "127.0.0.1", 0)
    host, port = server.sockets[0].getsockname()[:2]
    made.url = f"http://{host}:{port}/mcp"
    yield made
    server.close()


async def tools_of(place: Any, address: Address, **options: Any) -> ToolRegistry:
    entry = {"type": "http", "url": f"{address.url}?key=1", "headers": {"authorization": "Bearer ${TOKEN}"}}
    place.write(place.home, away={**entry, "glassloop": {"confirm": False, "max_bytes": 100_000, **options}})
    servers = await place.open(environ={"TOKEN": "hunter2hunter2"})
    assert servers.status[0].reason == ""
    return ToolRegistry(servers.tools)


async def test_headers_go_to_the_server_and_nothing_compressed_is_asked_for(place: Any, address: Address) -> None:
    tools = await tools_of(place, address)
    assert (await tools.execute("away__do")).output == "done"
    assert {headers["authorization"] for _, headers, _ in address.requests} == {"Bearer hunter2hunter2"}
    assert {headers["accept-encoding"] for _, headers, _ in address.requests} == {"identity"}
    launch = place.opened[0].status[0].launch
    assert launch == {"type": "http", "url": f"{address.url}?***", "headers": {"authorization": "***"}}


async def test_an_answer_may_come_as_an_event(place: Any, address: Address) -> None:
    address.habit = "event"
    tools = await tools_of(place, address)
    assert (await tools.execute("away__do")).output == "done"


@pytest.mark.parametrize("habit", ["huge", "huge event"])
async def test_an_answer_beyond_the_limit_fails_its_call_only(place: Any, address: Address, habit: str) -> None:
    tools = await tools_of(place, address)
    address.habit = habit
    large = await tools.execute("away__do")
    assert "ran the call, but the answer has more than 100,000 bytes" in (large.error or "")
    assert large.metadata == {}
    address.habit = ""
    assert (await tools.execute("away__do")).output == "done"


@pytest.mark.parametrize("habit", ["drops", "500", "empty event", "nonsense", "compresses"])
async def test_an_effect_whose_answer_is_lost_has_an_unknown_outcome(place: Any, address: Address, habit: str) -> None:
    tools = await tools_of(place, address)
    address.habit = habit
    lost = await tools.execute("away__do")
    assert "The answer of the MCP server 'away' was lost" in (lost.error or "")
    assert lost.cause == "in_doubt"
    address.habit = ""
    assert (await tools.execute("away__do")).output == "done"


@pytest.mark.parametrize(("habit", "said"), [("401", "wants credentials"), ("429", "too many requests")])
async def test_a_refusal_names_its_remedy_and_nothing_was_done(
    place: Any, address: Address, habit: str, said: str
) -> None:
    tools = await tools_of(place, address)
    address.habit = habit
    refused = await tools.execute("away__do")
    assert said in (refused.error or "")
    assert "hunter2" not in (refused.error or "")
    assert refused.metadata == {}


async def test_a_redirect_to_elsewhere_is_not_followed(place: Any, address: Address) -> None:
    tools = await tools_of(place, address)
    address.habit = "redirects"
    refused = await tools.execute("away__do")
    assert "Redirect to http://127.0.0.2:9/elsewhere not followed" in (refused.error or "")


async def test_a_server_that_forgot_the_session_is_greeted_anew(place: Any, address: Address) -> None:
    tools = await tools_of(place, address)
    address.habit = "forgets"
    first = await tools.execute("away__do")
    assert "the next call opens a new one" in (first.error or "")
    assert first.metadata == {}
    assert (await tools.execute("away__do")).output == "done"
    assert address.session == 2


async def test_giving_up_a_call_tells_the_server(place: Any, address: Address) -> None:
    tools = await tools_of(place, address, timeout_s=0.3)
    address.habit = "hangs"
    late = await tools.execute("away__do")
    assert "took longer than 0.3 s" in (late.error or "")
    await until(lambda: any(body.get("method") == "notifications/cancelled" for _, _, body in address.requests))


async def test_a_server_that_wants_credentials_at_its_door_says_so(place: Any, address: Address) -> None:
    address.habit = "locked"
    place.write(place.home, away={"url": address.url})
    (status,) = (await place.open()).status
    assert (status.state, status.reason) == (
        "failed",
        "The MCP server 'away' could not be started: HTTP status 401: "
        'it wants credentials: give them under "headers" in its entry.',
    )


async def test_an_address_where_nobody_listens_is_a_failure_of_its_server_only(place: Any) -> None:
    place.write(place.home, away={"url": "http://127.0.0.1:9/mcp"}, odd=place.odd("plain"))
    servers = await place.open()
    away, odd = servers.status
    assert (away.state, odd.state) == ("failed", "running")
    assert "it cannot be reached" in away.reason


async def test_a_program_names_an_address_with_headers_among_the_tools_of_its_agent(address: Address) -> None:
    server = McpServer(url=address.url, headers={"authorization": "Bearer hunter2"}, name="away", confirm=False)
    async with Agent(ScriptedModel([call("away__do"), "Done."]), [server]) as agent:
        result = await agent.run("Go")
    assert result.steps[0].observation is not None
    assert result.steps[0].observation.output == "done"
    assert {headers["authorization"] for _, headers, _ in address.requests} == {"Bearer hunter2"}
