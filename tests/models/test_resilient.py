"""Retries, waits, the fallback: as many as allowed, never more, and never less patient than the provider asked."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from glassloop.core.errors import ModelError, ModelRejected, ModelUnavailable, ModelUnusable
from glassloop.core.messages import (
    Abilities,
    AssistantMessage,
    Chunk,
    ModelRequest,
    Reply,
    Retrying,
    TextChunk,
    UserMessage,
)
from glassloop.models.provider_kit.failures import MAX_WAIT_S
from glassloop.models.resilient_model import ResilientModel
from glassloop.models.scripted_model import ScriptedModel

REQUEST = ModelRequest(system="", messages=(UserMessage("hi"),))
WAITS = st.none() | st.floats(0, 500)


class Naps:
    """Remembers the waits instead of waiting."""

    def __init__(self) -> None:
        self.taken: list[float] = []

    async def __call__(self, seconds: float) -> None:
        self.taken.append(seconds)


class Coin:
    def __init__(self, value: float) -> None:
        self._value = value

    def random(self) -> float:
        return self._value


def away(retry_after: float | None = None, text: str = "is away") -> ModelUnavailable:
    return ModelUnavailable(text, retry_after=retry_after)


async def hear(model: Any) -> tuple[list[Retrying], str]:
    retries: list[Retrying] = []
    text = ""
    async for chunk in model.stream(REQUEST):
        if isinstance(chunk, Retrying):
            retries.append(chunk)
        elif isinstance(chunk, Reply):
            text = chunk.message.text
    return retries, text


@given(
    failures=st.lists(WAITS, max_size=12),
    retries=st.integers(0, 4),
    chance=st.floats(0, 0.999),
    with_fallback=st.booleans(),
)
async def test_it_tries_as_often_as_allowed_and_waits_as_long_as_asked(
    failures: list[float | None], retries: int, chance: float, with_fallback: bool
) -> None:
    script = [away(wait) for wait in failures]
    first, spare = ScriptedModel([*script, "yes"], name="first"), ScriptedModel(["spare"], name="spare")
    naps = Naps()
    model = ResilientModel(first, spare if with_fallback else None, retries=retries, sleep=naps, rng=Coin(chance))
    expected = "yes" if len(failures) <= retries else "spare" if with_fallback else None
    if expected is None:
        with pytest.raises(ModelUnavailable):
            await hear(model)
    else:
        heard, text = await hear(model)
        assert text == expected
        assert [one.attempt for one in heard] == list(range(2, len(heard) + 2))
        assert [one.wait_s for one in heard if one.model == "first"] == naps.taken
    assert len(first.requests) == min(len(failures), retries) + 1
    assert len(naps.taken) == min(len(failures), retries)
    for number, (nap, asked) in enumerate(zip(naps.taken, failures, strict=False)):
        backoff = (1, 2, 4)[min(number, 2)]
        assert nap >= max(backoff, min(asked or 0, MAX_WAIT_S))
        assert nap <= max(backoff * 1.25, MAX_WAIT_S)


async def test_the_fallback_has_retries_of_its_own_and_both_are_named_at_the_end() -> None:
    first = ScriptedModel([away(text="first is away")] * 9, name="first")
    spare = ScriptedModel([away(9, text="spare is away")] * 9, name="spare")
    model = ResilientModel(first, spare, retries=2, sleep=Naps())
    with pytest.raises(ModelUnavailable, match=r"first is away.*spare is away") as caught:
        await hear(model)
    assert (len(first.requests), len(spare.requests), caught.value.retry_after) == (3, 3, 9)


async def test_a_rejected_request_is_neither_retried_nor_given_to_the_fallback() -> None:
    first, spare = ScriptedModel([ModelRejected("bad schema")]), ScriptedModel(["spare"])
    with pytest.raises(ModelRejected, match="bad schema"):
        await hear(ResilientModel(first, spare, sleep=Naps()))
    assert (len(first.requests), len(spare.requests)) == (1, 0)


async def test_a_bad_key_goes_to_the_fallback_at_once() -> None:
    first, spare = ScriptedModel([ModelUnusable("no key")], name="first"), ScriptedModel(["spare"], name="spare")
    naps = Naps()
    retries, text = await hear(ResilientModel(first, spare, sleep=naps))
    assert (text, naps.taken, [(one.model, one.reason) for one in retries]) == ("spare", [], [("spare", "no key")])


@pytest.mark.parametrize(
    ("first", "spare", "kind"),
    [
        (ModelUnusable("no key"), ModelUnusable("no such model"), ModelRejected),
        (ModelUnusable("no key"), away(), ModelUnavailable),
        (away(), ModelUnusable("no key"), ModelUnavailable),
    ],
)
async def test_what_is_raised_at_the_end_is_passing_if_anything_was(
    first: ModelError, spare: ModelError, kind: type[ModelError]
) -> None:
    model = ResilientModel(ScriptedModel([first]), ScriptedModel([spare]), retries=0, sleep=Naps())
    with pytest.raises(kind) as caught:
        await hear(model)
    assert str(first) in str(caught.value)
    assert str(spare) in str(caught.value)


class Broken:
    """Says half a word, then breaks off; after that it answers. Counts how many speak at once."""

    name = "broken"
    abilities = Abilities()

    def __init__(self, breaks: int = 1) -> None:
        self.breaks = breaks
        self.speaking = 0
        self.most = 0
        self.closed = 0
        self.crowded = asyncio.Event()
        self.gate = asyncio.Event()
        self.gate.set()

    def quote(self, input_tokens: int, output_tokens: int) -> float | None:
        return None

    async def stream(self, request: ModelRequest) -> AsyncGenerator[Chunk, None]:
        self.speaking += 1
        self.most = max(self.most, self.speaking)
        if self.speaking == 2:
            self.crowded.set()
        try:
            yield TextChunk("hal")
            await self.gate.wait()
            if self.breaks > 0:
                self.breaks -= 1
                raise away()
            yield TextChunk("hello")
            yield Reply(message=AssistantMessage(text="hello"))
        finally:
            self.speaking -= 1
            self.closed += 1

    async def aclose(self) -> None:
        self.closed += 100


async def test_a_break_in_the_middle_is_announced_before_the_reply_begins_anew() -> None:
    chunks = [chunk async for chunk in ResilientModel(Broken(), sleep=Naps()).stream(REQUEST)]
    assert [type(chunk) for chunk in chunks] == [TextChunk, Retrying, TextChunk, TextChunk, Reply]


async def test_no_more_calls_run_at_once_than_the_shared_limit_allows() -> None:
    model, limit = Broken(breaks=0), asyncio.Semaphore(2)
    model.gate.clear()
    async with asyncio.timeout(60), asyncio.TaskGroup() as tasks:
        heard = [tasks.create_task(hear(ResilientModel(model, concurrency=limit))) for _ in range(6)]
        await model.crowded.wait()
        model.gate.set()
    assert [task.result()[1] for task in heard] == ["hello"] * 6
    assert model.most == 2


async def test_a_call_that_waits_for_its_next_try_gives_its_place_away() -> None:
    limit, locked = asyncio.Semaphore(1), list[bool]()

    async def nap(_: float) -> None:
        locked.append(limit.locked())

    await hear(ResilientModel(Broken(breaks=2), concurrency=limit, sleep=nap))
    assert locked == [False, False]


async def test_leaving_the_stream_closes_the_model_beneath_and_frees_its_place() -> None:
    model, limit = Broken(breaks=0), asyncio.Semaphore(1)
    async with aclosing(ResilientModel(model, concurrency=limit).stream(REQUEST)) as chunks:
        await anext(chunks)
        assert limit.locked()
    assert (model.closed, limit.locked()) == (1, False)


async def test_closing_it_closes_both_models() -> None:
    first, spare = Broken(), Broken()
    await ResilientModel(first, spare).aclose()
    assert (first.closed, spare.closed) == (100, 100)


async def test_it_answers_for_the_model_it_wraps() -> None:
    inner = ScriptedModel([], name="inner", price=0.5)
    model = ResilientModel(inner)
    assert (model.name, model.abilities, model.quote(1, 1)) == ("inner", inner.abilities, 1.0)


@pytest.mark.parametrize(
    ("first", "spare", "quoted"), [(0.5, 2.0, 4.0), (2.0, 0.5, 4.0), (0.5, None, 1.0), (None, 0.5, None)]
)
def test_it_quotes_the_dearer_of_the_two_that_may_answer(first: Any, spare: Any, quoted: Any) -> None:
    model = ResilientModel(ScriptedModel([], price=first), ScriptedModel([], price=spare))
    assert model.quote(1, 1) == quoted
