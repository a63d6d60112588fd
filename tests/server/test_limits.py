"""How much one may send, how slowly and how often; and that whoever tries more hurts nobody else."""

import asyncio
import json
from contextlib import AsyncExitStack, asynccontextmanager, suppress

import httpx
import pytest

from glassloop.server.auth.limits import ConcurrencyLimit, RateLimit, TooManyRequests, why_unfit
from glassloop.server.http.http_protocol import BoundedHttp
from hand_clock import Clock
from loop_clock import pass_time
from server.authenticated import bearer, client_of, gated, told
from server.listening import listening

WAIT_S = 60.0


@pytest.fixture
def clock():
    """Near nought, where sums of seconds are exact."""
    return Clock(1000.0)


@pytest.fixture
def open_app(settings, store):
    def make(stalled_s=30.0, **changes):
        return gated(settings(**changes), store, stalled_s=stalled_s)

    return make


async def pieces(*given):
    """A body without a length."""
    for piece in given:
        yield piece


# sizes


async def test_a_body_may_be_as_long_as_the_limit_and_no_longer(open_app):
    client = client_of(open_app(body_limit=1000))
    assert (await client.post("/api/raw", content=b"x" * 1000)).json() == {"bytes": 1000}
    told(await client.post("/api/raw", content=b"x" * 1001), 413, "1,000 bytes")
    assert (await client.post("/api/raw", content=pieces(b"x" * 500, b"x" * 500))).json() == {"bytes": 1000}
    told(await client.post("/api/raw", content=pieces(*[b"x" * 500] * 3)), 413, "1,000 bytes")
    for length in ("1001", "9" * 4000):
        told(await client.post("/api/raw", content=b"", headers={"content-length": length}), 413)


async def test_under_v1_too_much_is_told_as_other_clients_know_it(open_app):
    answer = await client_of(open_app(body_limit=10)).post("/v1/models", content=b"x" * 11)
    assert answer.status_code == 413
    assert answer.json()["error"]["type"] == "invalid_request_error"


async def test_who_is_not_signed_in_may_send_little(open_app, key):
    client = client_of(open_app(auth="keys"))
    told(await client.post("/api/sign-in", json={"key": "x" * 20_000}), 413, "16,384 bytes")
    told(await client.post("/api/raw", content=b"x" * 20_000), 401)
    assert (await client.post("/api/raw", content=b"x" * 20_000, headers=bearer(key))).status_code == 200


async def test_uploads_pass_in_pieces_up_to_a_limit_of_their_own(open_app):
    async with (
        listening(open_app(body_limit=1000, upload_limit=1_000_000)) as url,
        httpx.AsyncClient(base_url=url, timeout=WAIT_S) as client,
    ):
        answer = await client.post("/api/uploads", content=b"x" * 1_000_000)
        assert answer.json()["bytes"] == 1_000_000
        assert answer.json()["pieces"] > 1
        told(await client.post("/api/uploads", content=pieces(*[b"x" * 100_000] * 11)), 413, "1,000,000 bytes")
        told(await client.post("/api/uploads", content=b"x" * 1_000_001), 413)


async def test_a_client_is_told_though_it_went_on_sending(open_app):
    async with listening(open_app(body_limit=1000)) as url, httpx.AsyncClient(base_url=url, timeout=WAIT_S) as client:
        for _ in range(3):
            told(await client.post("/api/raw", content=b"x" * 3_000_000), 413)
            told(await client.post("/api/raw", content=pieces(*[b"x" * 60_000] * 50)), 413)
        assert (await client.post("/api/raw", content=b"x" * 1000)).status_code == 200


async def test_headers_are_few_and_short(open_app):
    client = client_of(open_app())
    told(await client.get("/api/who", headers={f"x-{number}": "1" for number in range(100)}), 431, "100")
    told(await client.get("/api/who", headers={"x-long": "1" * 40_000}), 431, "32,768")
    assert (await client.get("/api/who", headers={"x-long": "1" * 30_000})).status_code == 200


# JSON


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (b"[" * 101 + b"]" * 101, "deeper than 100"),
        (b'{"a":' * 101 + b"1" + b"}" * 101, "deeper than 100"),
        (b"[" * 500_000, "deeper than 100"),
        (b'["\\ud800"]', "surrogate"),
        (b'["\\udc00\\ud800"]', "surrogate"),
        (b'{"\\ud800": 1}', "JSON"),
        (b'["\xed\xa0\x80"]', "utf-8"),
        (b'["\xff"]', "utf-8"),
        ('["a"]'.encode("utf-16"), "JSON"),
        ('["a"]'.encode("utf-16-le"), "JSON"),
        (b"[NaN]", "JSON"),
        (b"[1e999]", "range"),
        (b"1" * 5000, "range"),
        (b'{"a": 1', "JSON"),
        (b'"' + b'\\"' * 400_000, "JSON"),
        (b'[' * 101 + b'"' + b'\\"' * 400_000 + b"\\", "deeper"),
    ],
)  # fmt: skip
async def test_json_that_would_do_harm_is_refused_before_it_is_read(open_app, body, words):
    client = client_of(open_app())
    for kind in ("application/json", "application/vnd.ours+JSON; charset=utf-8"):
        error = told(await client.post("/api/echo", content=body, headers={"content-type": kind}), 422)
        assert words in error or "JSON" in error
        assert len(error) < 400


@pytest.mark.parametrize(
    "value",
    [
        {"a": ["b", {"c": None}], "é": "😀", "n": -1.5e10, "big": 2**64},
        "]" * 200 + "[" * 200,
        '\\" [[[' * 100,
        [[]] * 500,
        "\\ud800",
        [0] * 50_000,
    ],
)
async def test_json_that_only_looks_like_it_passes_as_it_is(open_app, value):
    assert (await client_of(open_app()).post("/api/echo", json=value)).json() == value


async def test_a_second_kind_of_body_does_not_hide_the_first(open_app):
    client = client_of(open_app())
    kinds = [("content-type", "application/json"), ("content-type", "text/plain")]
    for order in (kinds, kinds[::-1]):
        told(await client.post("/api/echo", content=b"[" * 101 + b"]" * 101, headers=order), 422, "deeper than 100")


async def test_a_hundred_levels_are_fine(open_app):
    body = b"[" * 100 + b"]" * 100
    assert why_unfit(body) is None
    answer = await client_of(open_app()).post("/api/echo", content=body, headers={"content-type": "application/json"})
    assert answer.content.replace(b" ", b"") == body


async def test_what_is_no_json_is_not_looked_into(open_app):
    answer = await client_of(open_app()).post("/api/raw", content=b"\xff" + b"[" * 200)
    assert answer.json() == {"bytes": 201}


# rates


async def test_a_user_who_asks_too_often_is_told_when_to_ask_again_and_others_are_not(open_app, store, key):
    await store.users.add("bob")
    other, _ = await store.keys.create("bob")
    app = open_app(auth="keys", request_rate=3)
    client = client_of(app)
    for _ in range(3):
        assert (await client.get("/api/who", headers=bearer(key))).status_code == 200
    answer = await client.get("/api/who", headers=bearer(key))
    told(answer, 429, "'ann'", "GLASSLOOP_REQUEST_RATE", "try again")
    assert 1 <= int(answer.headers["retry-after"]) <= 20
    assert (await client.get("/api/who", headers=bearer(other))).status_code == 200
    assert (await client.get("/livez")).status_code == 200


async def test_without_a_rate_nobody_is_counted(open_app):
    client = client_of(open_app(request_rate=0))
    assert {(await client.get("/api/who")).status_code for _ in range(50)} == {200}


@pytest.mark.parametrize("a_minute", [1, 7, 10, 600])
def test_a_minute_has_room_for_exactly_so_many_and_gives_it_back_bit_by_bit(clock, a_minute):
    rate = RateLimit(a_minute, clock)
    assert [rate.take("a") for _ in range(a_minute)] == [0.0] * a_minute
    wait = rate.take("a")
    assert wait == pytest.approx(60 / a_minute)
    assert rate.take("b") == 0
    clock.now += wait / 2
    assert rate.take("a") == pytest.approx(wait / 2)
    clock.now += wait / 2
    assert (rate.take("a"), rate.take("a") > 0) == (0, True)
    clock.now += 1000
    assert [rate.take("a") for _ in range(a_minute)] == [0.0] * a_minute
    assert rate.take("a") > 0


def test_asking_how_long_to_wait_takes_nothing(clock):
    rate = RateLimit(1, clock)
    assert [rate.wait("a") for _ in range(3)] == [0.0] * 3
    assert rate.take("a") == 0
    assert rate.wait("a") == 60


def test_a_table_that_is_full_forgets_whom_it_heard_of_longest_ago(clock):
    rate = RateLimit(1, clock, most=3)
    for name in ("a", "b", "c"):
        rate.take(name)
    rate.take("d")
    assert len(rate) == 3
    assert [rate.wait(name) > 0 for name in "abcd"] == [False, True, True, True]


def test_places_are_few_and_given_back(clock):
    places = ConcurrencyLimit(each=2, together=3, refusal="Too many: wait.")
    with places.taken("a"), places.taken("a") as free:
        with pytest.raises(TooManyRequests), places.taken("a"):
            pass
        with places.taken("b"), pytest.raises(TooManyRequests), places.taken("c"):
            pass
        free()
        free()
        with places.taken("a"), pytest.raises(TooManyRequests), places.taken("a"):
            pass
    with places.taken("a"), places.taken("a"), places.taken("b"):
        pass


async def test_one_user_cannot_take_all_connections(settings, store):
    app = gated(settings(auth="keys", max_connections=100), store)
    users = {}
    for user in ("ann", "bob"):
        await store.users.add(user)
        users[user] = bearer((await store.keys.create(user))[0])
    async with listening(app) as url, AsyncExitStack() as streams:
        ann = await streams.enter_async_context(httpx.AsyncClient(base_url=url, headers=users["ann"], timeout=WAIT_S))
        for _ in range(10):
            stream = await streams.enter_async_context(ann.stream("GET", "/api/stream"))
            assert stream.status_code == 200
        refused = await ann.get("/api/who")
        told(refused, 429, "10 open requests and streams")
        assert refused.headers["retry-after"] == "1"
        assert (await ann.get("/api/who", headers=users["bob"])).status_code == 200
        app.state.gone_on.set()
        await stream.aread()
        assert (await ann.get("/api/who")).status_code == 200


# connections


class Raw:
    """A connection, and what one does with it that no client would."""

    def __init__(self, reader, writer):
        self.reader, self.writer = reader, writer

    @classmethod
    @asynccontextmanager
    async def open(cls, url):
        raw = cls(*await asyncio.open_connection("127.0.0.1", int(url.rpartition(":")[2])))
        try:
            yield raw
        finally:
            await raw.close()

    async def send(self, *given):
        for data in given:
            self.writer.write(data)
            await self.writer.drain()

    async def rest(self):
        """Everything until the other end closes, with a word or without."""
        said = b""
        with suppress(OSError):
            while more := await asyncio.wait_for(self.reader.read(65_536), WAIT_S):
                said += more
        return said

    async def close(self):
        self.writer.close()
        try:
            await self.writer.wait_closed()
        except OSError:
            # It was closed from the other side before.
            pass


def head(path="/api/raw", *more, method="POST"):
    lines = [f"{method} {path} HTTP/1.1", "host: 127.0.0.1", *more]
    return "\r\n".join([*lines, "", ""]).encode()


async def is_served(url):
    async with httpx.AsyncClient(base_url=url, timeout=WAIT_S) as client:
        return (await client.get("/api/who")).status_code == 200


@pytest.mark.parametrize("path", ["/api/raw", "/api/uploads"])
async def test_a_body_that_stops_coming_is_not_waited_for(open_app, path):
    async with listening(open_app(stalled_s=0.2)) as url, Raw.open(url) as raw:
        await raw.send(head(path, "content-length: 100"), b"x")
        answer = await raw.rest()
        assert answer.startswith(b"HTTP/1.1 408")
        assert json.loads(answer.rpartition(b"\r\n\r\n")[2])["error"].startswith("The body arrived too slowly")
        assert await is_served(url)


async def test_a_body_that_trickles_for_ever_is_not_waited_for_either(open_app):
    async with listening(open_app(stalled_s=0.5, body_limit=1000)) as url, Raw.open(url) as raw:
        await raw.send(head("/api/raw", "content-length: 1000"))
        answering = asyncio.ensure_future(raw.rest())
        while not answering.done():
            # It may be closed already, and the answer on its way.
            with suppress(OSError):
                await raw.send(b"x")
            await asyncio.wait([answering], timeout=0.05)
        assert answering.result().startswith(b"HTTP/1.1 408")


async def test_half_a_body_and_gone_hurts_nobody(open_app):
    async with listening(open_app()) as url:
        for more in (("content-length: 100",), ("transfer-encoding: chunked",), ()):
            async with Raw.open(url) as raw:
                await raw.send(head("/api/raw", *more), b"5\r\nxx")
            assert await is_served(url)


async def is_cut_off(raw, data):
    """Whether the other end closes before it has taken twenty megabytes of this."""
    try:
        for _ in range(20_000_000 // len(data)):
            await raw.send(data)
    except OSError:
        return True
    return False


async def test_a_head_without_end_is_cut_off(open_app):
    async with listening(open_app()) as url, Raw.open(url) as raw:
        await raw.send(b"GET / HTTP/1.1\r\nx-long: ")
        assert await is_cut_off(raw, b"x" * 10_000)
        assert await is_served(url)


async def test_trailers_without_end_are_cut_off(open_app):
    async with listening(open_app()) as url, Raw.open(url) as raw:
        await raw.send(head("/api/raw", "transfer-encoding: chunked"), b"1\r\nx\r\n0\r\n")
        assert await is_cut_off(raw, b"x-more: " + b"x" * 1000 + b"\r\n")
        assert await is_served(url)


class Impatient(BoundedHttp):
    head_s = 0.2


@pytest.mark.parametrize("sent", [b"", b"GET", b"GET / HTTP/1.1\r\nhost: 127.0.0.1\r\n", b"\r\n\r\n"])
async def test_a_head_that_never_comes_is_not_waited_for(open_app, sent):
    async with listening(open_app(), http=Impatient) as url, Raw.open(url) as raw:
        await raw.send(sent)
        await raw.rest()
        assert await is_served(url)


async def test_a_second_head_that_never_comes_is_not_waited_for(open_app):
    async with listening(open_app(), http=Impatient, timeout_keep_alive=60) as url, Raw.open(url) as raw:
        await raw.send(head("/api/who", method="GET"))
        await raw.reader.readuntil(b"}")
        await raw.send(b"GET /api")
        await raw.rest()


async def test_requests_one_after_the_other_and_long_answers_are_not_cut_off(open_app):
    app = open_app()
    async with listening(app) as url, httpx.AsyncClient(base_url=url, timeout=None) as client:
        async with client.stream("GET", "/api/stream") as stream:
            frames = stream.aiter_text()
            assert "first" in await anext(frames)
            # Longer than a head may take; what comes due by that is done when the next timer is.
            pass_time(2 * BoundedHttp.head_s)
            await asyncio.sleep(0.01)
            app.state.gone_on.set()
            assert "second" in await anext(frames)
        for _ in range(3):
            assert (await client.post("/api/raw", content=b"x" * 200_000)).json() == {"bytes": 200_000}


async def test_what_is_no_request_is_refused_and_others_are_served(open_app):
    async with listening(open_app()) as url:
        for garbage in (b"\x16\x03\x01\x02\x00", b"GET /\xff HTTP/1.1\r\n\r\n", b"X" * 1000 + b"\r\n\r\n"):
            async with Raw.open(url) as raw:
                await raw.send(garbage)
                assert b"400" in (await raw.rest())[:40]
            assert await is_served(url)
