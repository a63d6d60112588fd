"""What only Gemini's wire has: thought signatures, its own roles, schemas without references."""

import json
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from glassloop.core.errors import ModelRejected, ModelUnavailable, ModelUnusable
from glassloop.core.messages import AssistantMessage, ModelRequest, Reply, ToolMessage, ToolSpec, UserMessage
from glassloop.core.ports import Model
from glassloop.core.records import ToolCall

Ask = Callable[..., ModelRequest]
Listen = Callable[[Model, ModelRequest], Awaitable[tuple[list[Any], Reply]]]
OpenModel = Callable[..., Model]

SIGNED = [
    {"text": "Let me see.", "thought": True},
    {"text": "I look "},
    {"text": "it up."},
    {"functionCall": {"name": "look_up", "args": {"word": "a"}, "id": "c1"}, "thoughtSignature": "c2ln"},
    {"functionCall": {"name": "look_up", "args": {"word": "b"}, "id": "c2"}},
    {"text": "", "thoughtSignature": "bW9yZQ=="},
]


@pytest.fixture
def voice(voices: Any) -> Any:
    return next(kind for kind in voices if kind.name == "google")()


async def test_signatures_go_back_untouched_and_in_their_place(
    voice: Any, wire: Any, open_model: OpenModel, ask: Ask, listen: Listen, look_up: ToolSpec
) -> None:
    wire.plays(voice.frame(SIGNED, "STOP"))
    wire.plays(voice.text("ok"))
    model = open_model(voice, wire.url)
    _, reply = await listen(model, ask(tools=(look_up,)))
    assert (reply.message.thought, reply.message.text) == ("Let me see.", "I look it up.")
    json.dumps(reply.message.opaque)

    results = [ToolMessage(call_id=name, tool="look_up", content=name) for name in ("c2", "c1")]
    await listen(model, ask(messages=(UserMessage("hello"), reply.message, *results)))
    assert wire.bodies[1]["contents"][1:] == [
        {
            "role": "model",
            "parts": [
                {"text": "I look it up."},
                {"functionCall": {"name": "look_up", "args": {"word": "a"}, "id": "c1"}, "thoughtSignature": "c2ln"},
                {"functionCall": {"name": "look_up", "args": {"word": "b"}, "id": "c2"}},
                {"text": "", "thoughtSignature": "bW9yZQ=="},
            ],
        },
        {
            "role": "user",
            "parts": [
                {"functionResponse": {"name": "look_up", "response": {"output": "c1"}, "id": "c1"}},
                {"functionResponse": {"name": "look_up", "response": {"output": "c2"}, "id": "c2"}},
            ],
        },
    ]


async def test_a_call_from_elsewhere_carries_the_word_for_no_signature(
    voice: Any, wire: Any, open_model: OpenModel, ask: Ask, listen: Listen
) -> None:
    wire.plays(voice.text("ok"))
    call = ToolCall(id="c1", tool="look_up", args={})
    message = AssistantMessage(calls=(call,), provider="anthropic", opaque=[{"type": "call", "signature": "eA=="}])
    result = ToolMessage(call_id="c1", tool="look_up", content="no such word", is_error=True)
    await listen(open_model(voice, wire.url), ask(messages=(UserMessage("hello"), message, result)))
    asked, answered = wire.bodies[0]["contents"][1:]
    assert asked["parts"][0]["thoughtSignature"] == "skip_thought_signature_validator"
    assert answered["parts"][0]["functionResponse"]["response"] == {"error": "no such word"}


async def test_schemas_are_sent_without_references_and_cycles_end(
    voice: Any, wire: Any, open_model: OpenModel, ask: Ask, listen: Listen
) -> None:
    node = {"type": "object", "properties": {"next": {"$ref": "#/$defs/Node"}, "n": {"type": "integer", "default": 1}}}
    parameters = {
        "type": "object",
        "properties": {"first": {"$ref": "#/$defs/Node", "description": "where to begin"}, "kind": {"const": "list"}},
        "$defs": {"Node": node},
    }
    wire.plays(voice.text("ok"))
    tool = ToolSpec(name="walk", description="Walks.", parameters=parameters)
    await listen(open_model(voice, wire.url), ask(tools=(tool,)))
    (declared,) = wire.bodies[0]["tools"][0]["functionDeclarations"]
    # The SDK writes this one field with underscores; the API takes either form.
    assert declared.get("parameters_json_schema", declared.get("parametersJsonSchema")) == {
        "type": "object",
        "properties": {
            "first": {
                "type": "object",
                "properties": {"next": {"type": "object"}, "n": {"type": "integer"}},
                "description": "where to begin",
            },
            "kind": {"enum": ["list"]},
        },
    }


async def test_a_schema_made_to_explode_is_cut_short(
    voice: Any, wire: Any, open_model: OpenModel, ask: Ask, listen: Listen
) -> None:
    layers = {f"L{n}": {"anyOf": [{"$ref": f"#/$defs/L{n + 1}"}] * 10} for n in range(30)}
    parameters = {"type": "object", "properties": {"a": {"$ref": "#/$defs/L0"}}, "$defs": {**layers, "L30": {}}}
    wire.plays(voice.text("ok"))
    tool = ToolSpec(name="boom", description="Grows.", parameters=parameters)
    await listen(open_model(voice, wire.url), ask(tools=(tool,)))
    assert len(json.dumps(wire.bodies[0])) < 2_000_000


async def test_a_schema_for_the_reply_uses_the_json_schema_field(
    voice: Any, wire: Any, open_model: OpenModel, ask: Ask, listen: Listen
) -> None:
    schema = {"type": "object", "properties": {"n": {"anyOf": [{"type": "integer"}, {"type": "null"}]}}}
    wire.plays(voice.text("{}"))
    await listen(open_model(voice, wire.url), ask(schema=schema))
    config = wire.bodies[0]["generationConfig"]
    assert (config["responseMimeType"], config["responseJsonSchema"]) == ("application/json", schema)
    assert "temperature" not in config


async def test_thoughts_count_as_output_and_cached_tokens_as_input(
    voice: Any, wire: Any, open_model: OpenModel, ask: Ask, listen: Listen
) -> None:
    counts = {"promptTokenCount": 50, "candidatesTokenCount": 2, "thoughtsTokenCount": 5, "cachedContentTokenCount": 40}
    wire.plays(voice.text("ok", usage=counts))
    _, reply = await listen(open_model(voice, wire.url), ask())
    assert (reply.usage.input_tokens, reply.usage.output_tokens, reply.usage.cached_tokens) == (50, 7, 40)


async def test_a_call_the_model_garbled_is_told_and_not_made(
    voice: Any, wire: Any, open_model: OpenModel, ask: Ask, listen: Listen
) -> None:
    wire.plays(voice.frame([], "MALFORMED_FUNCTION_CALL"))
    _, reply = await listen(open_model(voice, wire.url), ask())
    assert (reply.message.calls, [call.text for call in reply.garbled]) == ((), ["MALFORMED_FUNCTION_CALL"])


async def test_a_reply_the_provider_calls_malformed_is_worth_another_try(
    voice: Any, wire: Any, open_model: OpenModel, ask: Ask, listen: Listen
) -> None:
    wire.plays(voice.frame([], "MALFORMED_RESPONSE"))
    with pytest.raises(ModelUnavailable):
        await listen(open_model(voice, wire.url), ask())


async def test_a_blocked_question_is_rejected(
    voice: Any, wire: Any, open_model: OpenModel, ask: Ask, listen: Listen
) -> None:
    wire.plays([b'data: {"promptFeedback": {"blockReason": "SAFETY"}}\n\n'])
    with pytest.raises(ModelRejected, match="SAFETY"):
        await listen(open_model(voice, wire.url), ask())


async def test_a_bad_key_is_recognised_behind_its_400(
    voice: Any, wire: Any, open_model: OpenModel, ask: Ask, listen: Listen
) -> None:
    error = {"code": 400, "message": "API key not valid. Please pass a valid API key.", "status": "INVALID_ARGUMENT"}
    wire.plays([json.dumps({"error": error}).encode()], status=400)
    with pytest.raises(ModelUnusable, match="GOOGLE_API_KEY"):
        await listen(open_model(voice, wire.url), ask())


async def test_the_wait_asked_for_in_the_body_is_honoured(
    voice: Any, wire: Any, open_model: OpenModel, ask: Ask, listen: Listen
) -> None:
    detail = {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "34.5s"}
    error = {"code": 429, "message": "quota", "status": "RESOURCE_EXHAUSTED", "details": [detail]}
    wire.plays([json.dumps({"error": error}).encode()], status=429)
    with pytest.raises(ModelUnavailable) as caught:
        await listen(open_model(voice, wire.url), ask())
    assert caught.value.retry_after == 34.5
