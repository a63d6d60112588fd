"""What only Chat Completions has: two kinds of endpoints, reasoning under three names, calls with odd indices."""

from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from glassloop.core.messages import AssistantMessage, ModelRequest, Reply, ToolMessage, ToolSpec, UserMessage
from glassloop.core.ports import Model
from glassloop.core.records import ToolCall
from glassloop.extensions.openai.model import OpenAIModel

Ask = Callable[..., ModelRequest]
Listen = Callable[[Model, ModelRequest], Awaitable[tuple[list[Any], Reply]]]
OpenModel = Callable[..., Model]


@pytest.fixture
def voice(voices: Any) -> Any:
    return next(kind for kind in voices if kind.name == "openai")()


@pytest.mark.parametrize(
    "kept",
    [
        {"reasoning_content": "hmm"},
        {"reasoning": "hmm"},
        {"reasoning": "hmm", "reasoning_details": [{"type": "reasoning.text", "text": "hmm", "signature": "s"}]},
    ],
)
async def test_reasoning_is_thought_and_goes_back_while_the_turn_runs(
    voice: Any, wire: Any, open_model: OpenModel, ask: Ask, listen: Listen, look_up: ToolSpec, kept: dict[str, Any]
) -> None:
    call = {"index": 0, "id": "c1", "type": "function", "function": {"name": "look_up", "arguments": "{}"}}
    wire.plays(voice.frame([kept, {"tool_calls": [call]}], "tool_calls"))
    for _ in range(3):
        wire.plays(voice.text("ok"))
    model = open_model(voice, wire.url)
    _, reply = await listen(model, ask(tools=(look_up,)))
    assert (reply.message.thought, reply.message.opaque) == ("hmm", kept)

    turn = (UserMessage("hello"), reply.message, ToolMessage(call_id="c1", tool="look_up", content="x"))
    await listen(model, ask(messages=turn))
    await listen(model, ask(messages=(*turn, AssistantMessage(text="done"), UserMessage("and now?"))))
    elsewhere = AssistantMessage(calls=reply.message.calls, provider="openai@elsewhere.example", opaque=kept)
    await listen(model, ask(messages=(turn[0], elsewhere, turn[2])))
    running, over, foreign = (body["messages"][2] for body in wire.bodies[1:])
    assert {word: running[word] for word in kept} == kept
    assert not set(kept) & set(over)
    assert not set(kept) & set(foreign)


async def test_a_failed_tool_says_so_in_words(
    voice: Any, wire: Any, open_model: OpenModel, ask: Ask, listen: Listen
) -> None:
    wire.plays(voice.text("ok"))
    call = ToolCall(id="c1", tool="look_up", args={"word": "ä"})
    result = ToolMessage(call_id="c1", tool="look_up", content="no such word", is_error=True)
    messages = (UserMessage("hello"), AssistantMessage(calls=(call,)), result)
    await listen(open_model(voice, wire.url), ask(messages=messages))
    assert wire.bodies[0]["messages"][1:] == [
        {"role": "user", "content": "hello"},
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [
                {"id": "c1", "type": "function", "function": {"name": "look_up", "arguments": '{"word":"ä"}'}}
            ],
        },
        {"role": "tool", "tool_call_id": "c1", "content": "Error: no such word"},
    ]


@pytest.mark.parametrize(
    "pieces",
    [
        [(0, "a", "one", "{}"), (1, "b", "two", "{}")],
        [(0, "a", "one", "{}"), (0, "b", "two", "{}")],
        [(None, "a", "one", "{"), (None, None, None, "}"), (None, "b", "two", "{}")],
        [(0, "a", "one", ""), (0, None, None, "{}"), (1, "b", "two", None)],
        [(0, "a", "one", {}), (1, "b", "two", {})],
    ],
    ids=["usual", "one index for all", "no index", "in pieces", "objects instead of text"],
)
async def test_calls_are_told_apart_however_a_server_numbers_them(
    voice: Any, wire: Any, open_model: OpenModel, ask: Ask, listen: Listen, pieces: list[Any]
) -> None:
    deltas = [
        {"tool_calls": [{"index": index, "id": call_id, "function": {"name": name, "arguments": arguments}}]}
        for index, call_id, name, arguments in pieces
    ]
    wire.plays(voice.frame(deltas, "tool_calls"))
    _, reply = await listen(open_model(voice, wire.url), ask())
    assert [(call.id, call.tool, call.args) for call in reply.message.calls] == [("a", "one", {}), ("b", "two", {})]


async def test_a_call_without_an_id_keeps_none(
    voice: Any, wire: Any, open_model: OpenModel, ask: Ask, listen: Listen
) -> None:
    wire.plays(voice.frame([{"tool_calls": [{"index": 0, "function": {"name": "one", "arguments": "{}"}}]}], "stop"))
    _, reply = await listen(open_model(voice, wire.url), ask())
    assert reply.message.calls == (ToolCall(id="", tool="one", args={}),)
    assert reply.stop == "tool_use"


async def test_a_refusal_in_words_is_shown_and_marked(
    voice: Any, wire: Any, open_model: OpenModel, ask: Ask, listen: Listen
) -> None:
    wire.plays(voice.frame([{"refusal": "I cannot"}, {"refusal": " do that."}], "stop"))
    _, reply = await listen(open_model(voice, wire.url), ask())
    assert (reply.message.text, reply.stop) == ("I cannot do that.", "refusal")


async def test_cached_tokens_are_part_of_the_prompt(
    voice: Any, wire: Any, open_model: OpenModel, ask: Ask, listen: Listen
) -> None:
    usage = {"prompt_tokens": 50, "completion_tokens": 2, "prompt_tokens_details": {"cached_tokens": 40}}
    wire.plays(voice.text("ok", usage=usage))
    _, reply = await listen(open_model(voice, wire.url), ask())
    assert (reply.usage.input_tokens, reply.usage.cached_tokens, reply.usage.output_tokens) == (50, 40, 2)
    assert reply.usage.cost is None, "a server on this machine may be a proxy to one that is paid"


async def test_a_server_that_never_says_done_is_not_waited_for_beyond_the_end(
    voice: Any, wire: Any, open_model: OpenModel, ask: Ask, listen: Listen
) -> None:
    wire.plays(voice.text("ok")[:-1], end="cut")
    _, reply = await listen(open_model(voice, wire.url), ask())
    assert (reply.message.text, reply.usage.input_tokens) == ("ok", 7)


SCHEMA = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"], "additionalProperties": False}


def _wire(name: str, base_url: str | None = None, **fields: Any) -> dict[str, Any]:
    model = OpenAIModel(name, api_key="k", base_url=base_url)
    return model.wire(ModelRequest(system="s", messages=(UserMessage("hi"),), **fields))


def test_the_official_endpoint_and_the_compatible_ones_get_their_own_token_limit() -> None:
    official, compatible = _wire("gpt-4o"), _wire("gpt-4o", "https://llm.example.org/v1")
    assert (official["max_completion_tokens"], "max_tokens" in official) == (4096, False)
    assert (compatible["max_tokens"], "max_completion_tokens" in compatible) == (4096, False)
    assert official["temperature"] == compatible["temperature"] == 0.3
    assert official["stream_options"] == {"include_usage": True}


@pytest.mark.parametrize("name", ["o3", "o4-mini", "gpt-5", "gpt-5.4-mini", "gpt-6-luna", "gpt-6.1-terra"])
def test_thinking_models_get_no_temperature_and_room_to_think(name: str) -> None:
    wire = _wire(name)
    assert "temperature" not in wire
    assert wire["max_completion_tokens"] > 4096


@pytest.mark.parametrize(
    ("name", "effort", "native_tools"),
    [
        ("gpt-4o", None, True),
        ("gpt-5.4", None, True),
        ("gpt-5.6-luna", "none", True),
        ("gpt-6.1-terra", "none", True),
        ("gpt-6.1-sol", None, False),
    ],
)
def test_newer_models_are_told_not_to_reason_where_tools_are_sent(
    name: str, effort: str | None, native_tools: bool, look_up: ToolSpec
) -> None:
    assert _wire(name, tools=(look_up,)).get("reasoning_effort") == effort
    assert "reasoning_effort" not in _wire(name)
    assert OpenAIModel(name, api_key="k").abilities.native_tools is native_tools


def test_a_schema_becomes_a_response_format_and_strict_where_it_can_be() -> None:
    closed = _wire("gpt-4o", schema=SCHEMA)["response_format"]["json_schema"]
    loose = _wire("gpt-4o", schema={"type": "object", "properties": {"n": {}}})["response_format"]["json_schema"]
    assert (closed["schema"], closed["strict"], loose["strict"]) == (SCHEMA, True, False)
    assert "response_format" not in _wire("any", "https://llm.example.org/v1", schema=SCHEMA)
