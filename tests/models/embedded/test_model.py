"""The embedded model on a real llama.cpp: what it says, what it remembers, whom it serves."""

import asyncio
import os
import signal
from collections.abc import AsyncGenerator, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

import msgspec
import pytest

from glassloop import Agent, tool
from glassloop.core import events as e
from glassloop.core.errors import ModelRejected, ModelUnavailable, ModelUnusable
from glassloop.core.loop.policy import Profile
from glassloop.core.messages import (
    Chunk,
    ModelRequest,
    PromptReading,
    QueueWaiting,
    Reply,
    TextChunk,
    ToolSpec,
    UserMessage,
    note,
)
from glassloop.core.protocols import get_protocol
from glassloop.extensions.embedded.engine import CompletionRequest, Engine
from glassloop.extensions.embedded.model import EmbeddedModel, chat
from glassloop.extensions.embedded.process import STARTS
from glassloop.models.resilient_model import ResilientModel
from glassloop.runtime.assistants.context_note import context_note
from models.embedded.conftest import MakeModel

TOOLS = {
    name: ToolSpec(
        name=name,
        description=f"Finds {name} of a thing, whatever it may be, and tells what is known about it.",
        parameters={
            "type": "object",
            "properties": {
                "item": {"type": "string", "maxLength": 20},
                "kind": {"type": "string", "enum": ["new", "old"]},
                "day": {"type": "string", "format": "date"},
                "tags": {"type": "array", "items": {"type": "string", "maxLength": 5}},
                "anything": {"title": "Anything"},
            },
            "required": ["item", "kind"],
        },
    )
    for name in ("height", "weight", "colour")
}


@tool(effect="read")
def height_of(thing: str) -> str:
    """How high a thing is."""
    return f"{thing}: 12 m"


PROMPT = "You answer questions about things, with care, and only from what the tools tell about them. " * 3


def request(model: EmbeddedModel, question: str, **fields: Any) -> ModelRequest:
    framing = get_protocol("json", model.abilities).frame(PROMPT, TOOLS)
    given = {"system": framing.system, "schema": framing.schema, "session": "s", "messages": (UserMessage(question),)}
    return ModelRequest(**given | fields)


async def reply(model: EmbeddedModel, question: str, **fields: Any) -> Reply:
    *_, last = await chunks(model, question, **fields)
    assert isinstance(last, Reply)
    return last


async def chunks(model: EmbeddedModel, question: str, **fields: Any) -> Sequence[Chunk]:
    async with asyncio.timeout(60):
        return [chunk async for chunk in model.stream(request(model, question, **fields))]


@pytest.mark.slow
async def test_even_a_model_that_knows_nothing_makes_readable_decisions(make: MakeModel) -> None:
    model = make()
    for number in range(6):
        said = await reply(model, f"What is the height of number {number * 37}?")
        decision = get_protocol("json", model.abilities).reader(TOOLS).finish(said)[1]
        assert said.stop == "end_turn"
        assert decision.complaint is None
        assert (len(decision.calls) == 1) != bool(decision.answer)
        for call in decision.calls:
            assert call.tool in TOOLS
            assert call.args["kind"] in ("new", "old")
            assert len(str(call.args["item"])) <= 20


async def test_text_streams_in_pieces_that_make_up_the_reply(make: MakeModel) -> None:
    found = await chunks(make(), "Hello?")
    pieces = [chunk.text for chunk in found if isinstance(chunk, TextChunk)]
    assert len(pieces) > 20
    last = found[-1]
    assert isinstance(last, Reply)
    assert "".join(pieces) == last.message.text
    assert last.usage.cost == 0.0
    assert last.usage.output_tokens >= len(pieces)


async def test_the_second_question_of_a_session_does_not_read_the_prefix_again(make: MakeModel) -> None:
    model = make(states=None)
    first = (await reply(model, "What is it?")).usage
    second = (await reply(model, "And what is that?")).usage
    assert first.cached_tokens == 0
    assert second.input_tokens - second.cached_tokens < 40 < second.cached_tokens


@pytest.mark.slow
async def test_while_a_prefix_is_read_it_is_told_how_far(make: MakeModel) -> None:
    told = [chunk for chunk in await chunks(make(), "How heavy?") if isinstance(chunk, PromptReading)]
    assert len(told) > 2
    assert [chunk.read for chunk in told] == sorted(chunk.read for chunk in told)
    assert all(0 <= chunk.read <= chunk.total for chunk in told)


@pytest.mark.slow
async def test_how_far_it_reads_is_shown_to_whoever_watches_the_turn(make: MakeModel) -> None:
    stream = Agent(make(), [height_of], prompt=PROMPT * 4, max_iterations=1).stream("How high is the tower?")
    shown = [event async for event in stream if isinstance(event, e.PromptProgressed)]
    assert shown
    assert shown[-1].total > 128


async def test_other_sessions_with_the_same_assistant_do_not_read_its_prefix_again(make: MakeModel) -> None:
    model = make()
    first = (await reply(model, "What is it?", session="a")).usage
    second = (await reply(model, "What is it?", session="b")).usage
    assert first.cached_tokens == 0
    assert second.cached_tokens > 0.9 * first.input_tokens


async def test_the_days_are_read_once_a_day_and_for_all_sessions(make: MakeModel, tmp_path: Path) -> None:
    model = make(conversations=4)
    read: list[int] = []
    for session, day, hour in (("a", 21, 8), ("b", 21, 9), ("b", 21, 10), ("c", 22, 8), ("d", 22, 9)):
        at = datetime(2030, 8, day, hour).timestamp()
        about = note("context", context_note(Profile(), (), at, "", small=True))
        usage = (await reply(model, "What is it?", session=session, messages=(about, UserMessage("What?")))).usage
        read.append(usage.input_tokens - usage.cached_tokens)
    first, *same_day, next_day, last = read
    assert first > next_day > 60
    assert all(tokens < 40 for tokens in (*same_day, last))
    assert len(list((tmp_path / "states").glob("*.state"))) == 1


async def test_a_new_process_finds_the_prefix_on_disk(make: MakeModel) -> None:
    model = make()
    before = (await reply(model, "What is it?")).usage
    await model.aclose()
    after = (await reply(model, "What is that?")).usage
    assert before.cached_tokens == 0
    assert after.input_tokens - after.cached_tokens < 40


@pytest.mark.slow
async def test_other_settings_have_states_of_their_own_and_leave_these_alone(make: MakeModel) -> None:
    one, other = make(), make(conversations=1)
    await reply(one, "What is it?")
    await reply(other, "What is it?")
    await one.aclose()
    await other.aclose()
    for model in (one, other):
        usage = (await reply(model, "What is that?")).usage
        assert usage.input_tokens - usage.cached_tokens < 40


@pytest.mark.slow
async def test_models_with_the_same_options_share_one_process_and_the_last_one_ends_it(make: MakeModel) -> None:
    one, other, different = make(), make(), make(context_tokens=2048)
    await asyncio.gather(*(reply(model, "What is it?") for model in (one, other, different)))
    pid = one.engine.child.pid
    assert pid is not None
    assert other.engine.child.pid == pid != different.engine.child.pid
    await one.aclose()
    assert _is_alive(pid)
    await other.aclose()
    assert not _is_alive(pid)


async def test_the_process_can_only_be_reached_by_its_owner(make: MakeModel) -> None:
    model = make()
    await reply(model, "What is it?")
    socket = Path(model.engine.child.socket)
    assert socket.is_socket()
    assert socket.parent.stat().st_mode & 0o077 == 0
    assert socket.stat().st_mode & 0o077 == 0
    folder = socket.parent
    await model.aclose()
    assert not folder.exists()


async def test_a_turn_whose_process_is_killed_is_told_so_and_tried_again(make: MakeModel) -> None:
    model = make()
    patient = ResilientModel(model, backoff_s=(0.0,))
    await reply(model, "What is it?")
    pid = model.engine.child.pid
    assert pid is not None
    found: list[Chunk] = []
    async with asyncio.timeout(60):
        async for chunk in patient.stream(request(model, "And that?")):
            found.append(chunk)
            if pid and isinstance(chunk, TextChunk):
                os.kill(pid, signal.SIGKILL)
                pid = 0
    retries = [chunk for chunk in found if not isinstance(chunk, TextChunk | Reply)]
    assert len(retries) == 1
    assert "SIGKILL" in str(retries[0])
    assert isinstance(found[-1], Reply)


async def test_a_process_that_always_dies_is_not_started_for_ever(weights: Path) -> None:
    import sys

    from glassloop.extensions.embedded.options import EmbeddedOptions

    dying = (sys.executable, "-c", "import sys; sys.stderr.write('out of luck\\n'); sys.exit(3)")
    engine = Engine(EmbeddedOptions(weights=weights), command=dying)
    work = CompletionRequest(session="s", messages=chat("S", (UserMessage("Q"),)), schema=None, max_tokens=5)
    for _ in range(STARTS):
        with pytest.raises(ModelUnavailable, match=r"exit code 3.*out of luck"):
            await anext(engine.generate(work))
    with pytest.raises(ModelUnusable, match="GLASSLOOP_EMBEDDED_CONTEXT"):
        await anext(engine.generate(work))
    await engine.stop()


async def test_a_call_that_waits_while_the_engine_is_stopped_starts_no_process(tmp_path: Path) -> None:
    import sys

    from glassloop.extensions.embedded.options import EmbeddedOptions

    weights, started = tmp_path / "weights.gguf", tmp_path / "started"
    weights.write_bytes(b"GGUF")
    command = (sys.executable, "-c", f"open({str(started)!r}, 'w')")
    engine = Engine(EmbeddedOptions(weights=weights), command=command)
    first = engine.queue.join("a")
    waiting = engine.generate(
        CompletionRequest(session="b", messages=chat("S", (UserMessage("Q"),)), schema=None, max_tokens=5)
    )
    assert isinstance(await anext(waiting), QueueWaiting)
    await engine.stop()
    first.leave()
    with pytest.raises(ModelUnavailable, match="closed while this waited"):
        await anext(waiting)
    assert not started.exists()


@pytest.mark.slow
async def test_a_process_that_hangs_is_ended_and_replaced(make: MakeModel) -> None:
    options = make().options
    engine = Engine(options, silence_s=3.0)
    work = CompletionRequest(session="s", messages=chat("S", (UserMessage("Q"),)), schema=None, max_tokens=2000)
    try:
        async with asyncio.timeout(60):
            stream = engine.generate(work)
            await anext(stream)
            pid = engine.child.pid
            assert pid is not None
            os.kill(pid, signal.SIGSTOP)
            with pytest.raises(ModelUnavailable, match="does not answer"):
                async for _ in stream:
                    pass
            assert not _is_alive(pid)
            async for _ in engine.generate(work):
                assert engine.child.pid not in (None, pid)
                break
    finally:
        await engine.stop()


async def test_giving_a_call_up_serves_the_next_one_at_once(make: MakeModel) -> None:
    model = make()
    endless = request(model, "Go on.", schema=None, session="a", max_tokens=1400)
    first = model.stream(endless)
    while not isinstance(await anext(first), TextChunk):
        pass
    waiting = asyncio.create_task(reply(model, "And me?", session="b", max_tokens=5))
    async with asyncio.timeout(120):
        while len(model.engine.queue) == 0:
            await asyncio.sleep(0)
        await first.aclose()
        assert (await waiting).usage.output_tokens <= 6


async def test_a_cancelled_task_gives_its_place_up(make: MakeModel) -> None:
    model = make()
    tasks = [asyncio.create_task(reply(model, "Q", session=name, schema=None, max_tokens=1400)) for name in "abc"]
    async with asyncio.timeout(120):
        while len(model.engine.queue) < 2:
            await asyncio.sleep(0)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        assert len(model.engine.queue) == 0
        assert (await reply(model, "Q", max_tokens=5)).usage.output_tokens <= 6


async def test_who_must_wait_is_told_its_position(make: MakeModel) -> None:
    model = make()
    found = await asyncio.gather(*(chunks(model, "Q", session=name, max_tokens=30) for name in "abc"))
    places = [[chunk.position for chunk in one if isinstance(chunk, QueueWaiting)] for one in found]
    assert places == [[], [1], [2, 1]]


async def test_a_conversation_that_does_not_fit_is_rejected_with_the_remedy(make: MakeModel) -> None:
    with pytest.raises(ModelRejected, match=r"1,024 tokens.*GLASSLOOP_EMBEDDED_CONTEXT"):
        await reply(make(context_tokens=1024), "Long. " * 2000)


async def test_weights_that_are_not_there_or_no_model_are_said_to_be(make: MakeModel, tmp_path: Path) -> None:
    with pytest.raises(ModelUnusable, match=r"nowhere.gguf.*glassloop models pull"):
        await reply(make(weights=tmp_path / "nowhere.gguf"), "Q")
    (tmp_path / "text.gguf").write_text("hello")
    with pytest.raises(ModelUnusable, match="no GGUF file"):
        await reply(make(weights=tmp_path / "text.gguf"), "Q")
    (tmp_path / "half.gguf").write_bytes(b"GGUF" + b"\1" * 100)
    with pytest.raises((ModelUnusable, ModelUnavailable), match=r"half.gguf|ended"):
        await reply(make(weights=tmp_path / "half.gguf"), "Q")


@pytest.mark.slow
async def test_turns_of_two_sessions_run_to_their_end_and_show_the_queue(make: MakeModel) -> None:
    @tool(effect="read")
    def height(item: str) -> dict[str, object]:
        """How tall a thing is."""
        return {"item": item[:5], "metres": 3}

    agent = Agent(make(), [height], max_iterations=1)

    async def ask(session: str) -> Sequence[e.AnyEvent]:
        return [event async for event in agent.stream("How tall?", session_id=session)]

    async with asyncio.timeout(60):
        found = await asyncio.gather(ask("a"), ask("b"))
    assert any(isinstance(event, e.QueueProgressed) for event in found[1])
    for events in found:
        last = events[-1]
        assert isinstance(last, e.TurnFinished)
        assert last.status == "completed"
        assert last.cost == 0.0
        assert any(isinstance(event, e.ThoughtDelta) for event in events)


@pytest.mark.slow
async def test_the_last_answer_at_a_limit_is_held_to_a_schema_and_reads_nothing_twice(make: MakeModel) -> None:
    @tool(effect="read")
    def height(item: str) -> dict[str, object]:
        """How tall a thing is."""
        return {"item": item[:5], "metres": 3}

    class OnlyCalls(EmbeddedModel):
        """As if it never came to an end by itself."""

        def stream(self, request: ModelRequest) -> AsyncGenerator[Chunk, None]:
            if request.purpose == "decide" and request.schema:
                branches: Any = request.schema["anyOf"]
                request = msgspec.structs.replace(request, schema={"anyOf": branches[:1]})
            return super().stream(request)

    model = OnlyCalls(make().options)
    events = [event async for event in Agent(model, [height], max_iterations=2).stream("How tall?")]
    await model.aclose()
    replies = [event for event in events if isinstance(event, e.ModelResponded)]
    assert [reply.purpose for reply in replies] == ["decide", "decide", "synthesize"]
    assert replies[-1].usage.cached_tokens >= replies[-2].usage.input_tokens
    (given,) = [event for event in events if isinstance(event, e.AnswerGiven)]
    assert given.reason == "iterations"
    assert not given.text.startswith("{")


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True
