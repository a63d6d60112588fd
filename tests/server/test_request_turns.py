"""Clients that leave: the work of a dialect stops after a while, a native turn runs on; a server that stops says so."""

import asyncio
import json
from contextlib import aclosing
from types import SimpleNamespace

import httpx
import pytest

from glassloop import ScriptedModel
from glassloop.core.events import TurnWaiting
from glassloop.core.messages import TextChunk
from glassloop.extensions.dialects.submission import follow
from glassloop.models.scripted_model import call
from glassloop.server.request_turns import RequestTurns
from server.dialect_turns import LOOKED, WAITS, approve, chat, is_error, scripted
from server.sse_client import opened, read
from waiting import until


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
    served.app.state.request_turns = RequestTurns(served.runtime, patience_s)
    return model, served


async def leave(served, model, method, path, options):
    """Asks, and hangs up as soon as the model works."""
    request = asyncio.create_task(consume(served, method, path, options))
    await asyncio.wait_for(model.asked.wait(), 60)
    request.cancel()
    await asyncio.wait([request])


async def consume(served, method, path, options):
    async with httpx.AsyncClient(base_url=served.url) as client, client.stream(method, path, **options) as answer:
        async for _ in answer.aiter_bytes():
            pass


async def the_turn(served):
    (row,) = await served.runtime.store.turns.list()
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
    await until(lambda: served.app.state.request_turns._timers, "the wait for its client")
    assert (await the_turn(served)).status == "running"


async def test_a_turn_whose_client_left_before_it_could_listen_is_stopped_too(serve):
    _, served = await endless(serve, 0.1)
    submitted = await served.runtime.submit("x")
    served.app.state.request_turns.expect(submitted.turn_id)

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
    assert not served.app.state.request_turns._timers
    assert (await the_turn(served)).status == "running"


async def test_an_approval_that_is_waited_for_outlives_its_request(serve):
    _, served = await scripted(serve, WAITS)
    served.app.state.request_turns = RequestTurns(served.runtime, 0.01)
    waits = (await served.client.post("/api/analyze", json={"question": "Write a."})).json()
    assert not served.app.state.request_turns._timers
    await approve(served.client, waits)


async def test_who_hangs_up_at_the_last_word_does_not_stop_what_is_approved_next(serve):
    _, served = await scripted(serve, WAITS)
    submitted = await served.runtime.submit("Write a.")
    async with aclosing(follow(SimpleNamespace(app=served.app), submitted)) as batches:
        async for batch in batches:
            if isinstance(batch[-1], TurnWaiting):
                break
            assert served.app.state.request_turns.has(submitted.turn_id)
    assert not served.app.state.request_turns.has(submitted.turn_id)


async def test_every_dialect_says_so_when_the_server_stops_before_the_answer(serve):
    _, served = await endless(serve, 3600)
    last = {}

    async def follow(name, method, path, options):
        async with opened(served.client, path, method=method, **options) as frames:
            last[name] = [frame async for frame in frames]

    following = [asyncio.create_task(follow(name, *asked)) for name, asked in STREAMS.items()]

    async def all_run():
        return len([row for row in await served.runtime.store.turns.list() if row.status == "running"]) == len(STREAMS)

    await until(all_run, "all four turns")
    await until(lambda: len(served.runtime.bus._queues) == len(STREAMS), "all four streams")
    await served.runtime.bus.aclose()
    await asyncio.wait_for(asyncio.gather(*following), 60)
    assert last["agent"][-1].event == "error"
    assert "ask again" in last["agent"][-1].json["error"]
    assert last["analyze"][-1].event == "error"
    assert "ask again" in last["analyze"][-1].json["detail"]
    assert [json.loads(last["chat_react"][-2].data)["type"], last["chat_react"][-1].data] == ["error", "[DONE]"]
    assert "ask again" in last["openai"][-2].json["error"]["message"]
    assert last["openai"][-1].data == "[DONE]"


# A browser connects again by itself


async def connect(client, last=None, *, most=None):
    """The frames of one connection of an `EventSource`, and the id it comes back with."""
    headers = {"last-event-id": last} if last else {}
    async with client.stream("GET", "/api/agent/stream", params={"query": "Write a."}, headers=headers) as answer:
        if answer.status_code == 204:
            return None, last
        assert answer.status_code == 200, await answer.aread()
        found = []
        async for line in answer.aiter_lines():
            if line.startswith("id: "):
                last = line.removeprefix("id: ")
            elif line.startswith("event: "):
                found.append(line.removeprefix("event: "))
            elif not line and len(found) == most:
                break
        return found, last


async def test_a_browser_that_connects_again_asks_nothing_again_and_is_told_to_stop(serve):
    model, served = await scripted(serve, LOOKED)
    frames, last = await connect(served.client)
    assert frames[-1] == "response"
    assert await connect(served.client, last) == (None, last)
    assert len(await served.runtime.store.turns.list()) == 1
    assert len(model.requests) == 2


async def test_a_browser_that_was_cut_off_anywhere_gets_exactly_the_rest(serve):
    _, served = await scripted(serve, LOOKED)
    whole = await read(served.client, "/api/agent/stream", params={"query": "What is it?"})
    assert whole[-1].id is not None
    for number, frame in enumerate(whole[:-1]):
        if frame.id is not None:
            given = {"params": {"query": "What is it?"}, "headers": {"last-event-id": frame.id}}
            assert await read(served.client, "/api/agent/stream", **given) == whole[number + 1 :]
    assert len(await served.runtime.store.turns.list()) == 1


async def test_a_browser_cut_off_before_the_first_step_finds_its_turn(serve):
    _, served = await endless(serve, 3600)
    _, last = await connect(served.client, most=0)
    assert last.endswith(":0")
    task = asyncio.create_task(connect(served.client, last))
    turn = await the_turn(served)
    await served.client.post(f"/api/turns/{turn.id}/cancel")
    frames, _ = await task
    assert frames[-2:] == ["error", "response"]
    assert len(await served.runtime.store.turns.list()) == 1


async def test_a_browser_goes_on_after_an_approval_and_asks_for_what_waits_now(serve):
    _, served = await scripted(serve, [call("write", text="a"), call("write", text="b"), "Written."])
    frames = await read(served.client, "/api/agent/stream", params={"query": "Write a."})
    last = frames[-1].id
    assert await connect(served.client, last) == (None, last)
    await approve(served.client, frames[-2].json)
    given = {"params": {"query": "Write a."}, "headers": {"last-event-id": last}}
    frames = await read(served.client, "/api/agent/stream", **given)
    assert [asked["call"]["args"] for asked in frames[-2].json["approvals"]] == [{"text": "b"}]


async def test_a_turn_that_is_not_there_cannot_be_gone_on_with(serve):
    _, served = await scripted(serve, LOOKED)
    for last, status in (("nothing:1", 404), ("nothing", 404), (":", 404)):
        answer = await served.client.get("/api/agent/stream", params={"query": "x"}, headers={"last-event-id": last})
        is_error(answer, status, "validation_error")
    _, last = await connect(served.client)
    given = {"params": {"query": "x"}, "headers": {"last-event-id": last, "x-user-id": "bob"}}
    is_error(await served.client.get("/api/agent/stream", **given), 404, "validation_error")
    given["headers"] = {"last-event-id": f"{last}x"}
    is_error(await served.client.get("/api/agent/stream", **given), 400, "validation_error", "omit it")
