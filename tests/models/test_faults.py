"""What goes wrong at a provider ends in the right error, or, with patience, in success."""

import asyncio
import socket
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import httpx
import pytest

from glassloop.core.errors import ModelError, ModelRejected, ModelUnavailable, ModelUnusable
from glassloop.core.messages import ModelRequest, Reply, Retrying
from glassloop.core.ports import Model
from glassloop.models.provider_kit.failures import FailureOrigin, translate
from glassloop.models.provider_kit.http_client import HttpTimeouts
from glassloop.models.resilient_model import ResilientModel

Ask = Callable[..., ModelRequest]
Listen = Callable[[Model, ModelRequest], Awaitable[tuple[list[Any], Reply]]]
OpenModel = Callable[..., Model]

HELLO = {"userMessage": "hello"}
ANSWER = {"content": "Good day to you, dear friend of ours."}
FAULTS = {
    "server error": {"chaos": {"dropRate": 1}},
    "rate limit": {"chaos": {"rateLimitRate": 1}},
    "connection dropped": {"chaos": {"disconnectRate": 1}},
    "malformed reply": {"chaos": {"malformedRate": 1}},
    "stream cut in the middle": {"truncateAfterChunks": 2, "chunkSize": 5},
}

ORIGIN = FailureOrigin(name="openai:m", model="m", key_hint="the key", missing_hint="", reach_hint="check the address")


class Naps:
    """Remembers the waits instead of waiting."""

    def __init__(self) -> None:
        self.taken: list[float] = []

    async def __call__(self, seconds: float) -> None:
        self.taken.append(seconds)


@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS)
async def test_a_passing_fault_makes_the_model_unavailable(
    voice: Any, aimock: Any, open_model: OpenModel, ask: Ask, listen: Listen, fault: dict[str, Any]
) -> None:
    aimock.add({"match": HELLO, "response": ANSWER, **fault})
    with pytest.raises(ModelUnavailable, match=voice.model_name):
        await listen(open_model(voice, aimock.url), ask())
    assert len(aimock.journal()) == 1, "the SDK retried on its own"


@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS)
async def test_a_passing_fault_is_overcome_by_trying_again(
    voice: Any, aimock: Any, open_model: OpenModel, ask: Ask, listen: Listen, fault: dict[str, Any]
) -> None:
    aimock.add(
        {"match": {**HELLO, "sequenceIndex": 0}, "response": ANSWER, **fault},
        {"match": {**HELLO, "sequenceIndex": 1}, "response": ANSWER, **fault},
        {"match": {**HELLO, "sequenceIndex": 2}, "response": ANSWER},
    )
    naps = Naps()
    model = ResilientModel(open_model(voice, aimock.url), sleep=naps)
    chunks, reply = await listen(model, ask())
    assert reply.message.text == ANSWER["content"]
    assert [chunk.attempt for chunk in chunks if isinstance(chunk, Retrying)] == [2, 3]
    assert len(naps.taken) == 2


async def test_a_rate_limit_says_how_long_to_wait(
    voice: Any, aimock: Any, open_model: OpenModel, ask: Ask, listen: Listen
) -> None:
    limit = {"error": {"message": "slow down", "type": "rate_limit_error"}, "status": 429, "retryAfter": 7}
    aimock.add({"match": HELLO, "response": limit})
    with pytest.raises(ModelUnavailable) as caught:
        await listen(open_model(voice, aimock.url), ask())
    assert caught.value.retry_after == 7


@pytest.mark.parametrize(
    ("headers", "expected"),
    [
        ({"retry-after": "2.5"}, 2.5),
        ({"retry-after-ms": "1500", "retry-after": "9"}, 1.5),
        ({"retry-after": "86400"}, 60),
        ({"retry-after": "soon"}, None),
        ({}, None),
    ],
)
async def test_every_form_of_retry_after_is_read_and_capped(
    voice: Any,
    wire: Any,
    open_model: OpenModel,
    ask: Ask,
    listen: Listen,
    headers: dict[str, str],
    expected: float | None,
) -> None:
    wire.plays([b'{"error": {"message": "busy"}}'], status=503, headers=headers)
    with pytest.raises(ModelUnavailable) as caught:
        await listen(open_model(voice, wire.url), ask())
    assert caught.value.retry_after == expected


async def test_retry_after_may_be_a_date(
    voice: Any, wire: Any, open_model: OpenModel, ask: Ask, listen: Listen
) -> None:
    date = format_datetime(datetime.now(UTC) + timedelta(seconds=40), usegmt=True)
    wire.plays([b"{}"], status=429, headers={"retry-after": date})
    with pytest.raises(ModelUnavailable) as caught:
        await listen(open_model(voice, wire.url), ask())
    assert caught.value.retry_after is not None
    assert 0 < caught.value.retry_after <= 40


@pytest.mark.parametrize("status", [408, 409, 425, 429, 500, 502, 503, 504, 529])
async def test_passing_statuses_make_the_model_unavailable(
    voice: Any, wire: Any, open_model: OpenModel, ask: Ask, listen: Listen, status: int
) -> None:
    wire.plays([b"<html>not even JSON</html>"], status=status)
    with pytest.raises(ModelUnavailable, match=str(status)):
        await listen(open_model(voice, wire.url), ask())
    assert len(wire.bodies) == 1


@pytest.mark.parametrize(
    ("status", "kind", "remedy"),
    [
        (400, ModelRejected, "use another model"),
        (401, ModelUnusable, "_API_KEY"),
        (403, ModelUnusable, "_API_KEY"),
        (404, ModelUnusable, "check the spelling"),
        (413, ModelRejected, "Shorten"),
        (422, ModelRejected, "use another model"),
    ],
)
async def test_final_statuses_reject_with_a_remedy_and_never_show_the_key(
    voice: Any,
    wire: Any,
    open_model: OpenModel,
    ask: Ask,
    listen: Listen,
    status: int,
    kind: type[ModelError],
    remedy: str,
) -> None:
    wire.plays([b'{"error": {"message": "no luck with sk-test-0123456789 today"}}'], status=status)
    with pytest.raises(kind) as caught:
        await listen(open_model(voice, wire.url), ask())
    assert remedy in str(caught.value)
    assert "sk-test-0123456789" not in str(caught.value)
    assert voice.model_name in str(caught.value)
    assert type(caught.value) is kind


async def test_a_model_the_provider_does_not_have_is_named(
    voice: Any, aimock: Any, open_model: OpenModel, ask: Ask, listen: Listen
) -> None:
    with pytest.raises(ModelUnusable, match=f"there is no model '{voice.model_name}'"):
        await listen(open_model(voice, aimock.url), ask("nothing is set up for this"))


async def test_an_error_inside_the_stream_makes_the_model_unavailable(
    voice: Any, wire: Any, open_model: OpenModel, ask: Ask, listen: Listen
) -> None:
    wire.plays([*voice.beginning("Good"), voice.error()])
    with pytest.raises(ModelUnavailable, match="Overloaded"):
        await listen(open_model(voice, wire.url), ask())


@pytest.mark.parametrize(("code", "kind"), [(socket.EAI_NONAME, ModelUnusable), (socket.EAI_AGAIN, ModelUnavailable)])
def test_a_host_that_nobody_knows_is_not_asked_again(code: int, kind: type[ModelError]) -> None:
    found = httpx.ConnectError("wrapped twice")
    found.__cause__ = ConnectionError("by the transport")
    found.__cause__.__cause__ = socket.gaierror(code, "as the resolver said")
    failure = translate(found, ORIGIN)
    assert type(failure) is kind
    assert "check the address" in str(failure)


async def test_a_stream_without_its_end_marker_is_not_taken_for_a_reply(
    voice: Any, wire: Any, open_model: OpenModel, ask: Ask, listen: Listen
) -> None:
    wire.plays(voice.beginning("Good", " day"))
    with pytest.raises(ModelUnavailable, match="broke off"):
        await listen(open_model(voice, wire.url), ask())


async def test_a_connection_lost_after_the_end_marker_does_not_lose_the_reply(
    voice: Any, wire: Any, open_model: OpenModel, ask: Ask, listen: Listen
) -> None:
    wire.plays(voice.text("Good", " day"), end="cut")
    _, reply = await listen(open_model(voice, wire.url), ask())
    assert reply.message.text == "Good day"


@pytest.mark.parametrize("junk", [b"data: {half\n\n", b"data: [1, 2]\n\n", b'data: "x"\n\n', b"data: \xff\xfe\n\n"])
async def test_a_malformed_chunk_makes_the_model_unavailable(
    voice: Any, wire: Any, open_model: OpenModel, ask: Ask, listen: Listen, junk: bytes
) -> None:
    named = b"event: content_block_delta\n" + junk
    wire.plays([*voice.beginning("Good"), named if voice.name == "anthropic" else junk])
    with pytest.raises(ModelUnavailable):
        await listen(open_model(voice, wire.url), ask())


async def test_a_silent_server_is_given_up(
    voice: Any, wire: Any, open_model: OpenModel, ask: Ask, listen: Listen
) -> None:
    wire.plays(voice.beginning("Good", " day"), end="hang")
    model = open_model(voice, wire.url, patience=HttpTimeouts(read_s=0.2))
    with pytest.raises(ModelUnavailable, match="in time"):
        await listen(model, ask())
    async with asyncio.timeout(60):
        await wire.left.wait()


async def test_a_server_that_is_not_there_makes_the_model_unavailable(
    voice: Any, open_model: OpenModel, ask: Ask, listen: Listen
) -> None:
    with pytest.raises(ModelUnavailable, match="check the network and the address http://127") as caught:
        await listen(open_model(voice, "http://someone:hunter22@127.0.0.1:1"), ask())
    assert "hunter22" not in str(caught.value)


async def test_a_key_that_no_header_can_hold_is_refused_without_being_shown(
    voice: Any, wire: Any, open_model: OpenModel, ask: Ask, listen: Listen
) -> None:
    with pytest.raises(ModelUnusable, match="_API_KEY") as caught:
        await listen(open_model(voice, wire.url, api_key="sk-broken-\n-0123456789"), ask())
    assert "0123456789" not in str(caught.value)


async def test_a_reply_without_end_is_cut_off(
    voice: Any, wire: Any, open_model: OpenModel, ask: Ask, listen: Listen
) -> None:
    pieces = voice.text(*["x" * 50_000] * 41)
    wire.plays(pieces, end="hang")
    with pytest.raises(ModelRejected, match="2000000 characters"):
        await listen(open_model(voice, wire.url), ask())
    async with asyncio.timeout(60):
        await wire.left.wait()


async def test_an_endless_line_does_not_fill_the_memory(
    voice: Any, wire: Any, open_model: OpenModel, ask: Ask, listen: Listen
) -> None:
    wire.plays([b"data: ", *[b"x" * 1_000_000] * 5], end="hang")
    with pytest.raises(ModelRejected, match="more than a reply can be"):
        await listen(open_model(voice, wire.url), ask())


async def test_a_refusal_without_a_word_is_an_error_and_with_words_a_reply(
    voice: Any, wire: Any, open_model: OpenModel, ask: Ask, listen: Listen
) -> None:
    wire.plays(voice.frame([], voice.refusal))
    wire.plays(voice.text("I would rather not.", stop=voice.refusal))
    model = open_model(voice, wire.url)
    with pytest.raises(ModelRejected, match="rephrase"):
        await listen(model, ask())
    _, reply = await listen(model, ask())
    assert (reply.message.text, reply.stop) == ("I would rather not.", "filtered")


# The SDK of one warns of words that it does not know, and passes them on.
@pytest.mark.filterwarnings("ignore:PAUSE_FOR_TEA")
async def test_an_unknown_reason_to_stop_is_an_error_without_a_word_and_kept_with_words(
    voice: Any, wire: Any, open_model: OpenModel, ask: Ask, listen: Listen
) -> None:
    wire.plays(voice.frame([], "PAUSE_FOR_TEA"))
    wire.plays(voice.text("So far.", stop="PAUSE_FOR_TEA"))
    model = open_model(voice, wire.url)
    with pytest.raises(ModelRejected, match=r"PAUSE_FOR_TEA.*ask again"):
        await listen(model, ask())
    _, reply = await listen(model, ask())
    assert (reply.message.text, reply.stop, reply.stop_detail) == ("So far.", "other", "PAUSE_FOR_TEA")


async def test_cancelling_in_the_middle_closes_the_connection_and_passes_through(
    voice: Any, wire: Any, open_model: OpenModel, ask: Ask, listen: Listen
) -> None:
    started = asyncio.Event()
    wire.plays(voice.beginning("Good", " day"), end="hang")
    model = open_model(voice, wire.url)

    async def read() -> None:
        async for _ in model.stream(ask()):
            started.set()

    task = asyncio.create_task(read())
    async with asyncio.timeout(60):
        await started.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await wire.left.wait()


async def test_one_connection_serves_one_reply_after_the_other(
    voice: Any, wire: Any, open_model: OpenModel, ask: Ask, listen: Listen
) -> None:
    model = open_model(voice, wire.url)
    for _ in range(3):
        wire.plays(voice.text("Good day"))
        await listen(model, ask())
    assert wire.connections == 1


async def test_a_closed_model_opens_again_when_it_is_asked(
    voice: Any, wire: Any, open_model: OpenModel, ask: Ask, listen: Listen
) -> None:
    model: Any = open_model(voice, wire.url)
    wire.plays(voice.text("one"))
    wire.plays(voice.text("two"))
    await listen(model, ask())
    await model.aclose()
    _, reply = await listen(model, ask())
    assert (reply.message.text, wire.connections) == ("two", 2)
