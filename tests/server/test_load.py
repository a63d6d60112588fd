"""One user or stranger who takes much: bounded, and others are served meanwhile."""

import asyncio
import inspect
import random
from contextlib import AsyncExitStack

import msgspec
import pytest

from glassloop.core import events as e
from glassloop.projections.bounded_response import MAX_BYTES
from glassloop.server.app import create_app
from glassloop.server.auth.authentication import Authenticator
from glassloop.server.http.bytes_under_way import AnswerCutOff, ByteBudget, PacedSend
from glassloop.server.http.waiting_connections import MIN_EACH
from server.listening import listening
from server.raw import Raw, head
from waiting import until

PAGES = 40
HALF_A_HEAD = b"GET /livez HTTP/1.1\r\nhost: 127.0.0.1\r\nx-half: "


async def test_half_heads_of_one_address_lock_nobody_out(serve):
    served = await serve()
    app = create_app(served.runtime, served.settings, Authenticator(served.settings, served.runtime.store))
    async with listening(app, limit_concurrency=40) as url, AsyncExitStack() as stack:
        held = [await stack.enter_async_context(Raw.open(url)) for _ in range(60)]
        for raw in held:
            await raw.send(HALF_A_HEAD)
        # Each of them was let in; the oldest had to go.
        gone = await asyncio.gather(*(raw.rest() for raw in held[: 60 - MIN_EACH]))
        assert set(gone) == {b""}
        async with Raw.open(url) as other:
            await other.send(head("/livez", method="GET"))
            assert b" 200 " in await other.until(b"\r\n\r\n")


async def test_a_full_server_says_so_with_our_headers(serve):
    served = await serve()
    app = create_app(served.runtime, served.settings, Authenticator(served.settings, served.runtime.store))
    async with listening(app, limit_concurrency=1) as url, Raw.open(url) as raw:
        await raw.send(head("/livez", method="GET"))
        told = await raw.rest()
    assert b" 503 " in told
    for name in (b"content-security-policy", b"x-content-type-options", b"retry-after: 1", b"cache-control: no-store"):
        assert name in told.lower()
    assert b"GLASSLOOP_MAX_CONNECTIONS" in told


@pytest.mark.slow
async def test_a_session_is_sent_as_quickly_as_it_is_read_and_is_whole(serve):
    served = await serve(script=["A"] * 40)
    asked = []
    for number in range(40):
        body = {"question": f"{number} {'x' * 60_000}", **({"session_id": asked[0]} if asked else {})}
        answer = await served.client.post("/api/turns", json=body)
        asked.append(answer.json()["session_id"])
        await served.client.get(answer.json()["events"])
    whole = (await served.client.get(f"/api/sessions/{asked[0]}")).json()
    assert [len(whole["messages"]), len(whole["turns"])] == [80, 40]
    assert [each["question"].split()[0] for each in whole["turns"]] == [str(number) for number in range(40)]
    reads = 0

    async def count_pages(*given, pages=served.runtime.store.sessions.message_pages):
        nonlocal reads
        async for page in pages(*given):
            reads += 1
            yield page

    served.runtime.store.sessions.message_pages = count_pages
    async with Raw.open(served.url, limit=1024) as idle:
        await idle.send(head(f"/api/sessions/{asked[0]}", method="GET"))
        await until(lambda: reads, "the first page to be read")
        assert (await served.client.get("/livez")).status_code == 200
        # 2.4 MB do not fit between the server and a client that reads nothing.
        assert reads < 5


async def add_long_turn(store, texts=PAGES * 4, chars=60_000):
    """A finished turn of so many messages; random words, as equal ones would be small in the store."""
    words = random.Random(1)
    turn = {"turn_id": "long", "at": 1.0}
    started = e.TurnStarted(**turn, seq=1, question="Long?", user="anonymous", session_id="s", assistant="general",
                            model="m", protocol="native")  # fmt: skip
    said = [
        e.MessageReceived(**turn, seq=number, step=1, number=number, text=words.randbytes(chars // 2).hex(), by="local")
        for number in range(2, texts + 2)
    ]
    finished = e.TurnFinished(**turn, seq=texts + 2, status="cancelled", iterations=0, tool_calls=0, input_tokens=0,
                              output_tokens=0, cost=0.0, unpriced_calls=0, seconds=0.0, error=None)  # fmt: skip
    events = [started, *said, finished]
    await store.turns.begin(events)
    return events


def count_pieces(owner, name, counted):
    """Has `counted` grow with each page that this method gives, or with each call of it."""
    method = getattr(owner, name)

    async def pieces(*given, **named):
        async for piece in method(*given, **named):
            counted.append(len(counted))
            yield piece

    async def call(*given, **named):
        counted.append(len(counted))
        return await method(*given, **named)

    setattr(owner, name, pieces if inspect.isasyncgenfunction(method) else call)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("path", "part", "method"),
    [
        ("/api/sessions/s/export", "exports", "pieces"),
        ("/api/turns/long/events?format=json", "turns", "page"),
        ("/api/turns/long/events", "turns", "page"),
    ],
)
async def test_a_long_turn_is_sent_as_quickly_as_it_is_read_and_is_whole(serve, path, part, method):
    served = await serve()
    store = served.runtime.store
    events = await add_long_turn(store)
    whole = (await served.client.get(path)).content
    decode = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode
    if "format=json" in path:
        found = msgspec.json.decode(whole, type=list[msgspec.Raw])
    elif "export" in path:
        found = [line["event"] for line in map(decode, whole.splitlines()) if "event" in line]
    else:
        found = [line.removeprefix(b"data: ") for line in whole.splitlines() if line.startswith(b"data: ")]
    assert [e.decode(bytes(line)) for line in found] == events
    reads = []
    count_pieces(getattr(store, part), method, reads)
    async with Raw.open(served.url, limit=1024) as idle:
        await idle.send(head(path, method="GET"))
        await until(lambda: reads, "the first page to be read")
        for _ in range(20):
            assert (await served.client.get("/livez")).status_code == 200
        # What does not fit between the server and a client that reads nothing is not read.
        assert len(reads) < PAGES // 2


async def test_of_a_long_turn_a_bounded_part_is_shown_and_the_rest_is_counted(serve):
    served = await serve()
    events = await add_long_turn(served.runtime.store, texts=200)
    shown = await served.client.get("/api/turns/long")
    assert len(shown.content) < MAX_BYTES
    assert sum(len(event.text) for event in events[1:-1]) > MAX_BYTES
    assert 0 < shown.json()["left_out"] < 200


async def test_a_watcher_that_was_behind_reads_what_it_missed_in_pages(serve):
    served = await serve()
    events = await add_long_turn(served.runtime.store)
    batches = [batch async for batch in served.runtime.watch_batches("long", after=1) if batch]
    assert [event for batch in batches for event in batch] == events[1:]
    assert max(sum(map(len, map(e.encode, batch))) for batch in batches) < 600_000


async def test_parts_of_streams_that_nobody_reads_are_bounded_for_each_user():
    budget, sent, reading = ByteBudget(1_000_000), [], asyncio.Event()

    async def send(message):
        sent.append(message)
        await reading.wait()

    async def stream(size, room_s=30.0):
        with budget.account("ann") as account:
            await PacedSend(send, account, room_s)(
                {"type": "http.response.body", "body": b"x" * size, "more_body": True}
            )

    waiting = asyncio.ensure_future(stream(900_000))
    await until(lambda: sent, "the first stream to wait for its reader")
    with pytest.raises(AnswerCutOff):
        await stream(200_000, room_s=0.05)
    patient = asyncio.ensure_future(stream(200_000))
    await asyncio.sleep(0.05)
    assert not patient.done()
    reading.set()
    await waiting
    await patient


async def test_large_answers_that_nobody_reads_are_bounded_for_each_user():
    budget, sent = ByteBudget(1_000_000), []

    async def send(message):
        sent.append(message)

    async def answer(account, size):
        paced = PacedSend(send, account)
        await paced({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"%d" % size)]})
        await paced({"type": "http.response.body", "body": b"x" * size})
        return paced.refused

    with budget.account("ann") as first, budget.account("ann") as second, budget.account("bob") as other:
        assert not await answer(first, 900_000)
        assert await answer(second, 200_000)
        assert not await answer(other, 2_000_000)
    pieces = [message for message in sent if message["type"] == "http.response.body"]
    assert sum(len(piece["body"]) for piece in pieces) == 2_900_000
    assert max(len(piece["body"]) for piece in pieces) <= 65_536
    assert [piece["more_body"] for piece in pieces].count(False) == 2
    with budget.account("ann") as third:
        assert not await answer(third, 200_000)


async def test_bodies_of_one_user_are_bounded_together(serve, settings):
    from glassloop.server.auth import limits

    served = await serve(script=["Yes."] * 3, settings=msgspec.structs.replace(settings(), request_rate=0))
    most = max(limits.BYTES_UNDER_WAY, 2 * max(served.settings.body_limit, served.settings.attachment_limit))
    size = served.settings.body_limit - 1
    start = head("/api/turns", "content-type: application/json", f"content-length: {size}")
    async with AsyncExitStack() as stack:
        held = [await stack.enter_async_context(Raw.open(served.url)) for _ in range(most // size + 3)]
        for raw in held:
            await raw.send(start, b" " * (size - 10))
        done, _ = await asyncio.wait(
            [asyncio.ensure_future(raw.until(b"\r\n\r\n")) for raw in held], return_when=asyncio.FIRST_COMPLETED
        )
        assert b" 429 " in next(iter(done)).result()
        for each in asyncio.all_tasks() - {asyncio.current_task()}:
            if each.get_coro().__qualname__ == "Raw.until":
                each.cancel()
