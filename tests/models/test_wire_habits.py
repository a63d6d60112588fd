"""Habits of servers that are not in any specification: what they mean is read, and nothing of it is lost."""

import json
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from glassloop import Agent, tool
from glassloop.core import events as e
from glassloop.core.errors import ModelUnavailable
from glassloop.core.messages import Abilities, ModelRequest, Reply, TextChunk, ToolSpec
from glassloop.core.ports import Model
from glassloop.core.records import ToolCall
from glassloop.extensions.openai import OpenAISettings
from glassloop.models.resilient_model import ResilientModel
from glassloop.runtime.models import named_models
from glassloop.runtime.probed_models import find_probe, store_learned
from glassloop.runtime.settings import Settings

Ask = Callable[..., ModelRequest]
Listen = Callable[[Model, ModelRequest], Awaitable[tuple[list[Any], Reply]]]
OpenModel = Callable[..., Model]

SCHEMA = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"], "additionalProperties": False}
NONE = {
    "anthropic": ("tool_choice", {"type": "none"}),
    "openai": ("tool_choice", "none"),
    "responses": ("tool_choice", "none"),
    "google": ("toolConfig", {"functionCallingConfig": {"mode": "NONE"}}),
}


def chat(*choices: dict[str, Any], done: bool = True) -> list[bytes]:
    base = {"id": "c", "object": "chat.completion.chunk", "created": 0, "model": "m"}
    made = [f"data: {json.dumps({**base, 'choices': [{'index': 0, **choice}]})}\n\n".encode() for choice in choices]
    return [*made, b"data: [DONE]\n\n"] if done else made


def gemini(*candidates: dict[str, Any]) -> list[bytes]:
    return [f"data: {json.dumps({'candidates': [one]})}\n\n".encode() for one in candidates]


@pytest.fixture
def of(voices: Any) -> Callable[[str], Any]:
    return lambda name: next(kind for kind in voices if kind.name == name)()


async def test_forbidden_calls_are_told_with_the_tools_and_the_providers_word_for_none(
    voice: Any, wire: Any, open_model: OpenModel, ask: Ask, listen: Listen, look_up: ToolSpec
) -> None:
    model, (word, value) = open_model(voice, wire.url), NONE[voice.name]
    for choice in ("auto", "none"):
        wire.plays(voice.text("ok"))
        await listen(model, ask(tools=(look_up,), tool_choice=choice))
    free, bound = wire.bodies
    assert word not in free
    assert bound[word] == value
    assert bound["tools"] == free["tools"]
    wire.plays(voice.text("ok"))
    await listen(model, ask(tool_choice="none"))
    assert word not in wire.bodies[-1], "without tools there is nothing to forbid"


def say(text: str, finish: str | None) -> dict[str, Any]:
    return {"delta": {"content": text}, "finish_reason": finish}


def call(name: str, finish: str | None = None, **more: Any) -> dict[str, Any]:
    piece = {"index": 0, "function": {"name": name, "arguments": more.pop("arguments", "")}, **more}
    return {"delta": {"tool_calls": [piece]}, "finish_reason": finish}


@pytest.mark.parametrize(
    "choices",
    [
        [say("The total is", "stop"), say(" 12.", "stop")],
        [say("", "stop"), say("The total", None), say(" is 12.", "stop")],
        [say("The total is", None), say(" 12.", None)],
        [
            say([{"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]}], None),  # type: ignore[arg-type]
            say([{"type": "text", "text": "The total is 12."}], "stop"),  # type: ignore[arg-type]
        ],
    ],
    ids=["a reason with every chunk", "a reason before the text", "never a reason", "content as a list"],
)
async def test_text_of_chat_completions_is_read_to_its_end(
    of: Any, wire: Any, open_model: OpenModel, ask: Ask, listen: Listen, choices: list[Any]
) -> None:
    wire.plays(chat(*choices))
    chunks, reply = await listen(open_model(of("openai"), wire.url), ask())
    assert (reply.message.text, reply.stop) == ("The total is 12.", "end_turn")
    assert "".join(chunk.text for chunk in chunks if isinstance(chunk, TextChunk)) == reply.message.text


async def test_text_without_a_reason_and_without_an_end_is_not_a_reply(
    of: Any, wire: Any, open_model: OpenModel, ask: Ask, listen: Listen
) -> None:
    wire.plays(chat(say("The total is", None), done=False))
    with pytest.raises(ModelUnavailable, match="broke off"):
        await listen(open_model(of("openai"), wire.url), ask())


async def test_a_reason_with_every_chunk_does_not_make_half_a_reply_whole(
    of: Any, wire: Any, open_model: OpenModel, ask: Ask, listen: Listen
) -> None:
    wire.plays(chat(say("The total", "stop"), say(" is", "stop"), done=False), end="cut")
    with pytest.raises(ModelUnavailable):
        await listen(open_model(of("openai"), wire.url), ask())


WORD = '{"word": "glass"}'


@pytest.mark.parametrize(
    ("choices", "expected"),
    [
        ([call("look_up", "tool_calls", id="a", arguments=WORD), call("two", "tool_calls", id="b", index=1)], 2),
        ([call("look", id="a"), call("_up"), call("", arguments=WORD)], 1),
        ([call("look", id="a"), call("look_up", id="a", arguments=WORD)], 1),
        ([call("look_up", id="a", arguments='{"word":'), call("look_up", id="a", arguments=' "glass"}')], 1),
        ([call("look_up", arguments=WORD), call("two", arguments="{}")], 2),
        ([{"delta": {"function_call": {"name": "look_up", "arguments": WORD}}, "finish_reason": "function_call"}], 1),
        (
            [
                {"delta": {"function_call": {"name": "look_up", "arguments": ""}}, "finish_reason": None},
                {"delta": {"function_call": {"arguments": WORD}}, "finish_reason": "function_call"},
            ],
            1,
        ),
    ],
    ids=[
        "finished twice",
        "name in pieces",
        "name growing",
        "name again",
        "one index, no ids",
        "legacy",
        "legacy pieces",
    ],
)
async def test_calls_of_chat_completions_are_put_together(
    of: Any,
    wire: Any,
    open_model: OpenModel,
    ask: Ask,
    listen: Listen,
    look_up: ToolSpec,
    choices: list[Any],
    expected: int,
) -> None:
    wire.plays(chat(*choices))
    _, reply = await listen(open_model(of("openai"), wire.url), ask(tools=(look_up,)))
    assert [(call.tool, call.args) for call in reply.message.calls] == [("look_up", {"word": "glass"}), ("two", {})][
        :expected
    ]
    assert reply.stop == "tool_use"


PART = {"role": "model"}


@pytest.mark.parametrize(
    "candidates",
    [
        [
            {"content": {**PART, "parts": [{"text": "The total is"}]}, "finishReason": "STOP"},
            {"content": {**PART, "parts": [{"text": " 12."}]}, "finishReason": "STOP"},
        ],
        [
            {"content": {**PART, "parts": []}, "finishReason": "STOP"},
            {"content": {**PART, "parts": [{"text": "The total is 12."}]}, "finishReason": "STOP"},
        ],
    ],
    ids=["with every chunk", "early"],
)
async def test_gemini_may_say_stop_before_the_end(
    of: Any, wire: Any, open_model: OpenModel, ask: Ask, listen: Listen, candidates: list[Any]
) -> None:
    wire.plays(gemini(*candidates))
    _, reply = await listen(open_model(of("google"), wire.url), ask())
    assert (reply.message.text, reply.stop) == ("The total is 12.", "end_turn")


PLAIN = {
    "anthropic": {
        "type": "message",
        "role": "assistant",
        "stop_reason": "tool_use",
        "usage": {"input_tokens": 7, "output_tokens": 3},
        "content": [
            {"type": "thinking", "thinking": "hm", "signature": "c2ln"},
            {"type": "text", "text": "I look."},
            {"type": "tool_use", "id": "c1", "name": "look_up", "input": {"word": "glass"}},
        ],
    },
    "openai": {
        "object": "chat.completion",
        "usage": {"prompt_tokens": 7, "completion_tokens": 3},
        "choices": [
            {
                "index": 0,
                "finish_reason": "tool_calls",
                "message": {
                    "role": "assistant",
                    "content": "I look.",
                    "reasoning_content": "hm",
                    "tool_calls": [
                        {"id": "c1", "type": "function", "function": {"name": "look_up", "arguments": WORD}}
                    ],
                },
            }
        ],
    },
    "responses": {
        "object": "response",
        "status": "completed",
        "usage": {"input_tokens": 7, "output_tokens": 3},
        "output": [
            {"type": "reasoning", "id": "r", "summary": [{"type": "summary_text", "text": "hm"}]},
            {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "I look."}]},
            {"type": "function_call", "call_id": "c1", "name": "look_up", "arguments": WORD, "status": "completed"},
        ],
    },
    "google": {
        "usageMetadata": {"promptTokenCount": 7, "candidatesTokenCount": 3},
        "candidates": [
            {
                "finishReason": "STOP",
                "content": {
                    "role": "model",
                    "parts": [
                        {"text": "hm", "thought": True},
                        {"text": "I look."},
                        {"functionCall": {"id": "c1", "name": "look_up", "args": {"word": "glass"}}},
                    ],
                },
            }
        ],
    },
}


@pytest.mark.parametrize("indent", [None, 2])
async def test_one_json_object_where_a_stream_was_asked_for_is_a_reply(
    voice: Any, wire: Any, open_model: OpenModel, ask: Ask, listen: Listen, look_up: ToolSpec, indent: int | None
) -> None:
    body = json.dumps(PLAIN[voice.name], indent=indent).encode()
    wire.plays([body[:50], body[50:]], headers={"content-type": "application/json; charset=utf-8"})
    _, reply = await listen(open_model(voice, wire.url), ask(tools=(look_up,)))
    assert (reply.message.thought, reply.message.text, reply.stop) == ("hm", "I look.", "tool_use")
    assert reply.message.calls == (ToolCall(id="c1", tool="look_up", args={"word": "glass"}),)
    assert (reply.usage.input_tokens, reply.usage.output_tokens) == (7, 3)


async def test_an_error_with_the_status_of_a_success_is_an_error(
    of: Any, wire: Any, open_model: OpenModel, ask: Ask, listen: Listen
) -> None:
    body = b'{"error": {"code": 429, "message": "slow down"}}'
    for name in ("openai", "responses", "anthropic"):
        wire.plays([body], headers={"content-type": "application/json"})
        with pytest.raises(ModelUnavailable, match="slow down"):
            await listen(open_model(of(name), wire.url), ask())


async def test_a_schema_that_is_refused_is_left_out_once_and_for_all(
    voice: Any, wire: Any, open_model: OpenModel, ask: Ask, listen: Listen
) -> None:
    learned: list[Any] = []
    able = Abilities(json_schema=True)
    model = open_model(voice, wire.url, abilities=able, learned=learned.append)
    wire.plays([b'{"error": {"message": "The compiled grammar of your schema is too large."}}'], status=400)
    wire.plays(voice.text("{}"))
    wire.plays(voice.text("{}"))
    await listen(model, ask(schema=SCHEMA))
    await listen(model, ask(schema=SCHEMA))
    assert ['"n"' in json.dumps(body) for body in wire.bodies] == [True, False, False]
    assert [found.json_schema for found in learned] == [False]
    assert not model.abilities.json_schema


async def test_a_callers_schema_that_is_refused_is_left_out_and_others_are_still_sent(
    voice: Any, wire: Any, open_model: OpenModel, ask: Ask, listen: Listen
) -> None:
    learned: list[Any] = []
    model = open_model(voice, wire.url, abilities=Abilities(json_schema=True), learned=learned.append)
    other = {**SCHEMA, "properties": {"m": {"type": "integer"}}, "required": ["m"]}
    wire.plays([b'{"error": {"message": "Invalid schema for response_format"}}'], status=400)
    for _ in range(3):
        wire.plays(voice.text("{}"))
    for schema in (SCHEMA, SCHEMA, other):
        await listen(model, ask(schema=schema, answer_schema=True))
    assert ['"n"' in json.dumps(body) for body in wire.bodies] == [True, False, False, False]
    assert '"m"' in json.dumps(wire.bodies[-1])
    assert not learned
    assert model.abilities.json_schema


async def test_what_is_learned_of_a_model_is_known_to_the_next_process(
    of: Any, wire: Any, ask: Ask, listen: Listen, tmp_path: Any
) -> None:
    settings = Settings(home=str(tmp_path)).having(
        OpenAISettings(base_url=f"{wire.url}/v1", api="responses", api_key="k")
    )
    store_learned("openai:m", Abilities(json_schema=True), settings)
    voice = of("responses")
    for _ in range(2):
        model = named_models("openai:m", settings)["balanced"]
        if not wire.bodies:
            wire.plays([b'{"error": {"message": "Invalid schema for response_format"}}'], status=400)
        wire.plays(voice.text("{}"))
        await listen(model, ask(schema=SCHEMA))
        await model.aclose()  # type: ignore[attr-defined]
    assert ["text" in body for body in wire.bodies] == [True, False, False]
    found = find_probe("openai:m", settings)
    assert found is not None
    assert not found.abilities.json_schema


async def test_a_refusal_of_anything_else_is_not_asked_again(
    voice: Any, wire: Any, open_model: OpenModel, ask: Ask, listen: Listen
) -> None:
    wire.plays([b'{"error": {"message": "The prompt is too long."}}'], status=400)
    with pytest.raises(Exception, match="too long"):
        await listen(open_model(voice, wire.url), ask())
    assert len(wire.bodies) == 1


@pytest.mark.parametrize(("said", "kept"), [("temperature", "max_tokens"), ("max_completion_tokens", "temperature")])
async def test_a_parameter_that_a_model_does_not_take_is_left_out_or_renamed(
    of: Any, wire: Any, open_model: OpenModel, ask: Ask, listen: Listen, said: str, kept: str
) -> None:
    message = f"Unsupported parameter: use {said} instead" if said[0] == "m" else "Unsupported value: 'temperature'"
    wire.plays([json.dumps({"error": {"message": message}}).encode()], status=400)
    wire.plays(of("openai").text("ok"))
    await listen(open_model(of("openai"), wire.url), ask())
    first, second = wire.bodies
    assert kept in first
    assert kept in second
    assert (said in first) is not (said in second)


@tool(effect="read")
async def stock_of(sku: str) -> dict[str, int]:
    """Units on hand."""
    return {"units": 140}


@pytest.mark.parametrize("cut", ["cut_short", "refusal"])
async def test_an_answer_that_was_cut_is_partial_and_says_so(
    voice: Any, wire: Any, open_model: OpenModel, cut: str
) -> None:
    wire.plays(voice.text("The total is 1,2", stop=getattr(voice, cut)))
    agent = Agent(ResilientModel(open_model(voice, wire.url)), [stock_of])
    events = [event async for event in agent.stream("What is the total?")]
    (given,) = [event for event in events if isinstance(event, e.AnswerGiven)]
    assert (given.partial, given.reason) == (True, "length" if cut == "cut_short" else "filtered")
    assert given.text.startswith("The total is 1,2\n\n(Stopped at")
    assert isinstance(events[-1], e.TurnFinished)
    assert events[-1].status == "completed"
