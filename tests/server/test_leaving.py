"""Clients that leave: the work of a dialect stops after a while, a native turn runs on; a server that stops says so."""

import asyncio
import json

import httpx
import pytest

from glassloop import ScriptedModel
from glassloop.core.messages import TextChunk
from glassloop.server.bound import Bound
from server.dialect_turns import WAITS, approve, chat, scripted
from server.sse_client import opened
from server.waiting import until


class Endless(ScriptedModel):
    """Writes, word by word, and never comes to an end."""

    def __init__(self):
        super().__init__([])
        self.asked = asyncio.Event()

    async def stream(self, request):
        self.asked.set()
        while True:
            yield TextChunk("and ")
            await asyncio.sleep(0.01)


STREAMS = {
    "agent": ("GET", "/api/agent/stream", {"params": {"query": "x"}}),
    "analyze": ("POST", "/api/analyze/stream", {"json": {"question": "x"}}),
    "chat_react": ("POST", "/chat/react", {"json": chat("x", stream=True)}),
    "openai": ("POST", "/v1/chat/completions", {"json": {"model": "general", **chat("x", stream=True)}}),
}
PLAIN = {
    "agent": ("POST", "/api/agent/execute", {"json": {"query": "x"}}),
    "analyze": ("POST", "/api/analyze", {"json": {"question": "x"}}),
    "chat_react": ("POST", "/chat/react", {"json": chat("x")}),
    "openai": ("POST", "/v1/chat/completions", {"json": {"model": "general", **chat("x")}}),
}


async def endless(serve, patience_s):
    model = Endless()
    served = await serve(script=model)
    served.app.state.bound = Bound(served.runtime, patience_s)
    return model, served


async def leave(served, model, method, path, options):
    """Asks, and hangs up as soon as the model works."""
    request = asyncio.create_task(consume(served, method, path, options))
    await asyncio.wait_for(model.asked.wait(), 10)
    request.cancel()
    await asyncio.wait([request])


async def consume(served, method, path, options):
    async with httpx.AsyncClient(base_url=served.url) as client, client.stream(method, path, **options) as answer:
        async for _ in answer.aiter_bytes():
            pass


async def the_turn(served):
    (row,) = await served.runtime.store.list_turns()
    return row


@pytest.mark.parametrize("asked", [*STREAMS.values(), *PLAIN.values()],
                         ids=[*(f"{name} stream" for name in STREAMS), *PLAIN])  # fmt: skip
async def test_a_disconnected_client_stops_the_work_after_a_while(serve, asked, caplog):
    model, served = await endless(serve, 0.1)
    await leave(served, model, *asked)

    async def is_cancelled():
        return (await the_turn(served)).status == "cancelled"

    await until(is_cancelled, "the end of the work")
    assert [record.getMessage() for record in caplog.records if record.levelname == "ERROR"] == []


async def test_work_goes_on_for_as_long_as_a_client_is_waited_for(serve):
    model, served = await endless(serve, 3600)
    await leave(served, model, *STREAMS["analyze"])
    await until(lambda: served.app.state.bound._timers, "the wait for its client")
    assert (await the_turn(served)).status == "running"


async def test_a_turn_whose_client_left_before_it_could_listen_is_stopped_too(serve):
    _, served = await endless(serve, 0.1)
    submitted = await served.runtime.submit("x")
    served.app.state.bound.expect(submitted.turn_id)

    async def is_cancelled():
        return (await the_turn(served)).status == "cancelled"

    await until(is_cancelled, "the end of the work")


async def test_a_native_turn_runs_on_when_its_client_leaves(serve):
    _, served = await endless(serve, 0.05)
    taken = (await served.client.post("/api/turns", json={"question": "x"})).json()
    async with opened(served.client, taken["events"]) as frames:
        await anext(frames)
    await until(lambda: not served.runtime.bus._queues, "the end of the stream")
    await served.client.get("/api/me")
    assert not served.app.state.bound._timers
    assert (await the_turn(served)).status == "running"


async def test_an_approval_that_is_waited_for_outlives_its_request(serve):
    _, served = await scripted(serve, WAITS)
    served.app.state.bound = Bound(served.runtime, 0.01)
    waits = (await served.client.post("/api/analyze", json={"question": "Write a."})).json()
    assert not served.app.state.bound._timers
    await approve(served.client, waits)


async def test_every_dialect_says_so_when_the_server_stops_before_the_answer(serve):
    _, served = await endless(serve, 3600)
    last = {}

    async def follow(name, method, path, options):
        async with opened(served.client, path, method=method, **options) as frames:
            last[name] = [frame async for frame in frames]

    following = [asyncio.create_task(follow(name, *asked)) for name, asked in STREAMS.items()]

    async def all_run():
        return len([row for row in await served.runtime.store.list_turns() if row.status == "running"]) == len(STREAMS)

    await until(all_run, "all four turns")
    await until(lambda: len(served.runtime.bus._queues) == len(STREAMS), "all four streams")
    await served.runtime.bus.aclose()
    await asyncio.wait_for(asyncio.gather(*following), 10)
    assert last["agent"][-1].event == "error"
    assert "ask again" in last["agent"][-1].json["error"]
    assert last["analyze"][-1].event == "error"
    assert "ask again" in last["analyze"][-1].json["detail"]
    assert [json.loads(last["chat_react"][-2].data)["type"], last["chat_react"][-1].data] == ["error", "[DONE]"]
    assert "ask again" in last["openai"][-2].json["error"]["message"]
    assert last["openai"][-1].data == "[DONE]"
