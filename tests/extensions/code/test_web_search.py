"""`web_search` against servers on this machine: results, refusals, and where redirects may lead."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Any

import pytest

from glassloop.core.errors import BadArguments, ToolError
from glassloop.core.records import ToolResult
from glassloop.extensions.code.web_search import MAX_TEXT, web_tools
from glassloop.tools.public_address import is_public, resolve
from glassloop.tools.tool import FunctionTool, ToolContext

FOUND = {
    "results": [
        {"title": "A\u202e title", "url": "https://example.org/a", "content": "x" * 5_000, "engines": ["one", "two"]},
        {"title": "No address", "url": "javascript:alert(1)", "content": ""},
        {"title": "B", "url": "http://example.org/b", "content": "text", "engine": "three"},
        "nonsense",
    ]
}


def answer(status: int, body: bytes = b"", **headers: str) -> bytes:
    lines = [f"HTTP/1.1 {status} X", f"content-length: {len(body)}", "connection: close"]
    lines += [f"{name}: {value}" for name, value in headers.items()]
    return "\r\n".join([*lines, "", ""]).encode() + body


@asynccontextmanager
async def serving(reply: Callable[[str], bytes]) -> AsyncIterator[tuple[str, list[str]]]:
    """A server that answers each request by its head; its address, and the heads it was sent."""
    heads: list[str] = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        heads.append(head)
        writer.write(reply(head))
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    async with server:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}", heads


async def search(url: str, resolver: Any = resolve, public: Any = is_public, **arguments: Any) -> ToolResult:
    (found,) = web_tools(url, resolver, public)
    assert isinstance(found, FunctionTool)
    return await found.execute({"query": "berths", **arguments}, ToolContext())


async def test_results_are_bounded_marked_and_told_with_their_engines() -> None:
    async with serving(lambda _: answer(200, json.dumps(FOUND).encode())) as (url, heads):
        found = await search(url)
    assert heads[0].startswith("GET /search?q=berths&format=json ")
    assert found.data["result_count"] == 2 and found.data["engines_used"] == ["one", "two", "three"]
    assert found.data["results"][0]["title"] == "A title" and len(found.data["results"][0]["text"]) == MAX_TEXT
    assert "never orders" in found.output and "javascript" not in found.output
    assert found.metadata == {"query": "berths"} and found.data["search_time_ms"] >= 0


async def test_no_more_results_than_asked_for_and_none_is_a_success() -> None:
    async with serving(lambda _: answer(200, json.dumps(FOUND).encode())) as (url, _):
        assert (await search(url, max_results=1)).data["result_count"] == 1
    async with serving(lambda _: answer(200, b'{"results": []}')) as (url, _):
        nothing = await search(url)
    assert nothing.success and "Nothing was found" in nothing.output


@pytest.mark.parametrize(
    ("reply", "says"),
    [
        (answer(403), "settings.yml"),
        (answer(500), "error \\(500\\)"),
        (answer(200, b"<html>"), "no search results"),
        (answer(200, b"[" * 100_000), "no search results"),
        (answer(200, b'{"results": 3}'), "no search results"),
        (answer(200, b"x" * 2_100_000), "more than 2 MB"),
        (b"nonsense\r\n\r\n", "cannot be reached"),
        (answer(302, location="file:///etc/passwd"), "no web address"),
        (answer(302, location="http://[::1"), "cannot be reached"),
        (answer(302, location="http://user@example.org/"), "no web address"),
        (answer(302), "not public"),
    ],
)
async def test_what_is_wrong_with_the_server_is_one_sentence(reply: bytes, says: str) -> None:
    async with serving(lambda _: reply) as (url, _):
        with pytest.raises(ToolError, match=says):
            await search(url)


async def test_a_server_that_is_away_is_told_with_the_remedy() -> None:
    async with serving(lambda _: b"") as (url, _):
        pass
    with pytest.raises(ToolError, match="SEARXNG_URL"):
        await search(url)


@pytest.mark.parametrize("query", ["", " ", "x" * 600])
async def test_a_query_beyond_bounds_is_refused(query: str) -> None:
    with pytest.raises(BadArguments):
        await search("http://127.0.0.1:1", query=query)


@pytest.mark.parametrize(
    "addresses",
    [
        ["127.0.0.1"], ["10.0.0.1"], ["192.168.1.1"], ["172.16.0.1"], ["169.254.169.254"], ["100.64.0.1"], ["0.0.0.0"],
        ["224.0.0.1"], ["240.0.0.1"], ["::1"], ["::"], ["fe80::1%eth0"], ["fc00::1"], ["ff02::1"], ["::ffff:127.0.0.1"],
        ["::ffff:10.0.0.1"], ["64:ff9b::7f00:1"], ["2002:7f00:1::"], ["::127.0.0.1"], ["93.184.216.34", "127.0.0.1"],
        [], ["nonsense"],
    ],
)  # fmt: skip
async def test_a_redirect_to_what_is_not_public_is_not_followed(addresses: Sequence[str]) -> None:
    asked: list[str] = []

    async def resolver(host: str, port: int) -> Sequence[str]:
        asked.append(host)
        return addresses

    async with serving(lambda _: answer(302, location="http://inner.example/x")) as (url, heads):
        with pytest.raises(ToolError, match="not public"):
            await search(url, resolver)
    assert asked == ["inner.example"] and len(heads) == 1


def test_public_addresses_are_public() -> None:
    assert all(map(is_public, ["93.184.216.34", "2606:2800:220:1::1", "::ffff:93.184.216.34"]))


async def test_more_than_three_redirects_are_not_followed_and_each_name_is_resolved_once() -> None:
    asked: list[str] = []

    async def resolver(host: str, port: int) -> Sequence[str]:
        asked.append(host)
        return ["127.0.0.1"]

    async with serving(lambda head: answer(302, location=f"http://hop{len(asked)}.example:{port_of(head)}/")) as (
        url, heads,
    ):  # fmt: skip
        with pytest.raises(ToolError, match="more than 3 times"):
            # The one address that tests can serve at stands for a public one.
            await search(url, resolver, lambda _: True)
    assert asked == ["hop0.example", "hop1.example", "hop2.example", "hop3.example"]
    assert [head.lower().partition("host: ")[2].partition(":")[0] for head in heads[1:]] == asked[:3]


def port_of(head: str) -> str:
    return head.lower().partition("host: ")[2].partition("\r\n")[0].rpartition(":")[2]
