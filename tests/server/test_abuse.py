"""Whatever comes over a connection: it is answered or cut off, never with 5xx, and others are served meanwhile."""

import asyncio
import gzip
import json
import logging
from contextlib import AsyncExitStack
from itertools import repeat

import pytest

from glassloop import ScriptedModel
from glassloop.core.messages import TextChunk
from glassloop.server.http.http_protocol import BoundedHttp
from loop_clock import pass_time
from server.listening import listening
from server.raw import Raw, head, post
from waiting import until

ASK = "/api/turns"
QUESTION = b'{"question": "Are you there?"}'


@pytest.fixture
async def served(serve, caplog):
    """A server whose model always answers. At the end it still does, and it has not logged a single error."""
    caplog.set_level(logging.ERROR)
    made = await serve(script=repeat("Yes."), settings=None)
    yield made
    assert await answers(made)
    assert [record.getMessage() for record in caplog.records] == []


async def answers(served):
    """Whether somebody else gets an answer now."""
    answer = await served.client.post("/api/analyze", json={"question": "Are you there?"})
    return answer.json() == {"answer": "Yes."}


def status_of(said):
    """The status of what was answered; None where the connection was just cut."""
    assert not said or said.startswith(b"HTTP/1.1 "), said[:200]
    return int(said[9:12]) if said else None


JSON_BODIES = {
    "nothing": b"",
    "a space": b" ",
    "not JSON": b"question=1",
    "half of it": b'{"question": "Are',
    "a list": b"[]",
    "null": b"null",
    "a number": b"1" * 5000,
    "no number": b'{"question": NaN}',
    "too large a number": b'{"question": 1e999}',
    "a lone surrogate": b'{"question": "\\ud800"}',
    "surrogates the wrong way round": b'{"question": "\\udc00\\ud800"}',
    "a lone surrogate as bytes": b'{"question": "\xed\xa0\x80"}',
    "a surrogate as a name": b'{"question": "x", "\\ud800": 1}',
    "no UTF-8": b'{"question": "\xff\xfe"}',
    "UTF-16": '{"question": "x"}'.encode("utf-16"),
    "deep lists": b'{"question": ' + b"[" * 100_000 + b"]" * 100_000 + b"}",
    "deep objects": b'{"a":' * 100_000 + b"1" + b"}" * 100_000,
    "unknown fields": b'{"question": "x", "colour": "red"}',
    "a field twice": b'{"question": "x", "question": 1}',
    "an id with a line break": b'{"question": "x", "session_id": "a\\nb"}',
    "a path as an id": b'{"question": "x", "session_id": "../../etc"}',
    "a path as an assistant": b'{"question": "x", "assistant": "../../../etc/passwd"}',
    "zeros as an assistant": b'{"question": "x", "assistant": "\\u0000"}',
    "an empty question": b'{"question": "   "}',
    "a question too long": b'{"question": "' + b"x" * 200_001 + b'"}',
    "more than is taken": b'{"question": "' + b"x" * 1_100_000 + b'"}',
    "packed": gzip.compress(QUESTION),
}


async def told(url, request_bytes):
    """What one request is answered with: its status, and its body as JSON."""
    async with Raw.open(url) as raw:
        await raw.send(request_bytes)
        said = await raw.until(b"\r\n\r\n")
        length = int(said.lower().partition(b"content-length: ")[2].partition(b"\r\n")[0])
        return status_of(said), json.loads(await raw.reader.readexactly(length))


async def test_a_body_that_makes_no_sense_is_refused_with_a_reason(served):
    for name, body in JSON_BODIES.items():
        status, refused = await told(served.url, post(ASK, body))
        assert status in (400, 404, 413, 422), name
        assert refused["success"] is False, name
        assert 0 < len(refused["error"]) < 2_000, name
        assert refused["details"]["code"] in ("makes_no_sense", "not_found", "too_large", "does_not_fit"), name
    assert not await served.runtime.store.turns.list()


KINDS = (
    "",
    "content-type:",
    "content-type: text/plain",
    "content-type: a/b; charset=utf-7",
    "content-type: application/json; charset=utf-16",
    "content-type: multipart/form-data; boundary=x",
    "content-encoding: gzip",
)


async def test_what_is_not_called_json_is_never_taken_for_more_than_it_is(served):
    for kind in KINDS:
        for body in (QUESTION, b'{"question": "\\ud800"}', b"\xff\xfe", b"--x\r\n\r\n"):
            status, _ = await told(served.url, head(ASK, kind, f"content-length: {len(body)}") + body)
            assert status == 422 or (status == 202 and body == QUESTION), (kind, body)


REQUESTS = {
    "no host": head(ASK, host=""),
    "two hosts": head("/api/me", "host: other.example", method="GET"),
    "another host": head("/api/me", method="GET", host="host: other.example"),
    "garbage as host": head("/api/me", method="GET", host="host: \x00\xff"),
    "two lengths": head(ASK, "content-length: 1", "content-length: 2"),
    "a length and pieces": head(ASK, "content-length: 5", "transfer-encoding: chunked") + b"0\r\n\r\n",
    "a length below zero": head(ASK, "content-length: -1"),
    "a length that is none": head(ASK, "content-length: many"),
    "a length beyond all": head(ASK, f"content-length: {'9' * 300}"),
    "a piece with a bad size": head(ASK, "transfer-encoding: chunked") + b"zz\r\n",
    "a piece beyond all": head(ASK, "transfer-encoding: chunked") + b"ffffffffffffffff\r\n",
    "another coding": head(ASK, "transfer-encoding: gzip") + b"x",
    "a header without a name": head("/api/me", ": x", method="GET"),
    "a header without an end": b"GET /api/me HTTP/1.1\r\nhost: 127.0.0.1\r\nx\r\n\r\n",
    "a folded header": b"GET /api/me HTTP/1.1\r\nhost: 127.0.0.1\r\nx: a\r\n b\r\n\r\n",
    "many headers": head("/api/me", *[f"x-{number}: 1" for number in range(2_000)], method="GET"),
    "a long header": head("/api/me", f"x: {'x' * 60_000}", method="GET"),
    "a long path": head(f"/{'x' * 60_000}", method="GET"),
    "a path out of the root": head("/../../etc/passwd", method="GET"),
    "an escaped path out of the root": head("/assets/%2e%2e%2f%2e%2e%2fetc/passwd", method="GET"),
    "a path with a zero": head("/api/turns/%00", method="GET"),
    "a path that is no UTF-8": head("/api/turns/%ff%fe", method="GET"),
    "a path with half an escape": head("/api/turns/%f", method="GET"),
    "a path with a line break": head("/api/turns/a%0d%0aset-cookie:%20a=b", method="GET"),
    "a query that is no UTF-8": head("/api/agent/stream?query=%ff%fe", method="GET"),
    "a query of surrogates": head("/api/agent/stream?query=%ed%a0%80", method="GET"),
    "a query with a zero": head("/api/sessions?status=%00", method="GET"),
    "numbers that are none": head("/api/sessions?limit=%D9%A1&offset=1e3", method="GET"),
    "an event id of nothing": head("/api/turns/x/events", "last-event-id: \xff\xfe:1", method="GET"),
    "an upgrade": head("/api/me", "connection: upgrade", "upgrade: websocket", "sec-websocket-key: x",
                       "sec-websocket-version: 13", method="GET"),
    "an upgrade to something else": head("/api/me", "connection: upgrade", "upgrade: h2c", method="GET"),
    "a promise of a body": head(ASK, "expect: 100-continue", "content-length: 5"),
    "TRACE": head("/api/me", method="TRACE"),
    "CONNECT": b"CONNECT other.example:443 HTTP/1.1\r\nhost: other.example\r\n\r\n",
    "a method nobody knows": head("/api/me", method="PLEASE"),
    "another server's address": head("http://other.example/api/me", method="GET"),
    "an older version": b"GET /api/me\r\n\r\n",
    "a newer version": b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    "an encrypted greeting": b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(512),
    "zeros": bytes(10_000),
    "lines without end": b"\r\n" * 10_000,
}  # fmt: skip


async def test_a_request_that_makes_no_sense_is_answered_or_cut_off(served):
    for name, request_bytes in REQUESTS.items():
        async with Raw.open(served.url) as raw:
            await raw.send(request_bytes)
            raw.writer.write_eof()
            status = status_of(await raw.rest())
        assert status is None or status < 500, name


async def test_garbage_behind_a_good_request_spoils_only_itself(served):
    async with Raw.open(served.url) as raw:
        await raw.send(head("/api/me", method="GET") + b"\x00garbage\r\n\r\n" + head("/api/me", method="GET"))
        said = await raw.rest()
    assert said.count(b"HTTP/1.1 200") <= 1
    assert status_of(said) in (200, 400)


@pytest.mark.slow
async def test_a_thousand_requests_in_one_breath_are_all_answered(served):
    async with Raw.open(served.url) as raw:
        await raw.send(head("/api/me", method="GET") * 999 + head("/api/me", "connection: close", method="GET"))
        said = await raw.rest()
    assert said.count(b"HTTP/1.1 200") == 1_000


async def test_two_hundred_who_say_nothing_keep_nobody_waiting(served):
    async with AsyncExitStack() as stack:
        for number in range(200):
            raw = await stack.enter_async_context(Raw.open(served.url))
            await raw.send(head(ASK, "content-length: 100")[: number // 2])
        for _ in range(3):
            assert await answers(served)


async def test_two_hundred_half_bodies_keep_nobody_waiting_and_ask_nothing(served):
    async with AsyncExitStack() as stack:
        for _ in range(200):
            raw = await stack.enter_async_context(Raw.open(served.url))
            await raw.send(
                head(ASK, "content-type: application/json", f"content-length: {len(QUESTION)}"), QUESTION[:-1]
            )
        for _ in range(3):
            assert await answers(served)
    assert {row.question for row in await served.runtime.store.turns.list(1000)} == {"Are you there?"}
    assert len(await served.runtime.store.turns.list(1000)) == 3


async def test_a_request_of_a_byte_at_a_time_is_answered_while_others_are(served):
    async with Raw.open(served.url) as raw:
        for byte in post(ASK, QUESTION, "connection: close"):
            await raw.send(bytes((byte,)))
            await asyncio.sleep(0)
        assert await answers(served)
        assert status_of(await raw.rest()) == 202


async def test_who_hangs_up_at_any_moment_of_a_stream_hurts_nobody(served):
    taken = (await served.client.post(ASK, json={"question": "Are you there?"})).json()
    asked = head(taken["events"], method="GET")
    for length in (1, len(asked) // 2, len(asked)):
        for rude in (False, True):
            async with Raw.open(served.url) as raw:
                await raw.send(asked[:length])
                if rude:
                    raw.reset()
    assert await answers(served)


class Hasty(BoundedHttp):
    """Lets go of who takes nothing almost at once."""

    stalled_s = 0.2
    here = set()

    def connection_made(self, transport):
        self.here.add(self)
        super().connection_made(transport)

    def connection_lost(self, exc):
        self.here.discard(self)
        super().connection_lost(exc)


LONG = "x" * 6_000_000


@pytest.fixture
async def long_turn(serve):
    """A server with a turn whose events are more than connections hold, and where these are."""
    served = await serve(script=ScriptedModel([LONG], chunk=len(LONG)))
    taken = (await served.client.post(ASK, json={"question": "Tell me all."})).json()
    await until(lambda: is_over(served, taken["turn_id"]), "the turn's end")
    return served, taken["events"]


@pytest.mark.slow
async def test_who_takes_nothing_is_let_go_and_holds_nothing(long_turn, caplog):
    served, events = long_turn
    caplog.set_level(logging.ERROR)
    async with listening(served.app, http=Hasty) as url, AsyncExitStack() as stack:
        stalled = [await stack.enter_async_context(Raw.open(url, limit=1_000)) for _ in range(10)]
        for raw in stalled:
            await raw.send(head(events, method="GET"))
        # Somebody who reads is served meanwhile.
        assert b"turn_finished" in (await served.client.get(events)).content
        await until(lambda: not Hasty.here, "the end of who takes nothing")
        for raw in stalled:
            assert b"turn_finished" not in await raw.rest()
    assert not caplog.records


async def is_over(served, turn_id):
    return (await served.runtime.turn(turn_id)).status == "completed"


class Endless(ScriptedModel):
    """Writes, word by word, and never comes to an end."""

    async def stream(self, request):
        while True:
            yield TextChunk("and ")
            await asyncio.sleep(0.01)


async def test_a_stream_ends_with_its_connection_though_another_request_came_behind_it(serve):
    served = await serve(script=Endless([]))
    taken = (await served.client.post(ASK, json={"question": "Are you there?"})).json()
    watchers = served.runtime.bus._queues
    async with Raw.open(served.url) as raw:
        await raw.send(head(taken["events"], method="GET"))
        await raw.until(b"text_delta")
        assert taken["turn_id"] in watchers
        await raw.send(head("/api/me", method="GET"))
        raw.reset()
    await until(lambda: taken["turn_id"] not in watchers, "the end of the stream")
    assert (await served.runtime.turn(taken["turn_id"])).status == "running"


@pytest.mark.slow
async def test_a_client_that_reads_slowly_gets_every_event(long_turn):
    served, events = long_turn
    async with listening(served.app) as url, Raw.open(url, limit=65_536) as raw:
        await raw.send(head(events, "connection: close", method="GET"))
        said = b""
        while piece := await raw.reader.read(2**20):
            said += piece
            pass_time(BoundedHttp.stalled_s / 10)
            await asyncio.sleep(0.001)
    assert b"event: turn_finished" in said
    assert len(said) > 2 * len(LONG)
