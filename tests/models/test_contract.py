"""What every provider's model does alike, against a real server on a real port."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import aclosing
from typing import Any

import pytest

from glassloop.core.messages import (
    CallChunk,
    ModelRequest,
    Reply,
    TextChunk,
    ThoughtChunk,
    ToolMessage,
    ToolSpec,
    UserMessage,
)
from glassloop.core.ports import Model
from glassloop.core.records import ToolCall
from glassloop.extensions.anthropic import AnthropicSettings
from glassloop.extensions.google import GoogleSettings
from glassloop.extensions.openai import OpenAISettings
from glassloop.extensions.openai.ollama import OllamaSettings
from glassloop.runtime.providers import ModelOptions, make_model
from glassloop.runtime.settings import Settings

Ask = Callable[..., ModelRequest]
Listen = Callable[[Model, ModelRequest], Awaitable[tuple[list[Any], Reply]]]
OpenModel = Callable[..., Model]


def _calls(voice: Any, *calls: dict[str, Any], **more: Any) -> dict[str, Any]:
    # Gemini ends a reply with calls like any other; aimock's own word for it is one the API does not have.
    return {"toolCalls": list(calls), **({"finishReason": "stop"} if voice.name == "google" else {}), **more}


async def test_text_arrives_in_pieces_and_whole_at_the_end(
    voice: Any, aimock: Any, open_model: OpenModel, ask: Ask, listen: Listen
) -> None:
    aimock.add({"match": {"userMessage": "hello"}, "response": {"content": "Good day to you, dear friend of ours."}})
    chunks, reply = await listen(open_model(voice, aimock.url), ask())
    assert len(chunks) > 1
    assert "".join(chunk.text for chunk in chunks if isinstance(chunk, TextChunk)) == reply.message.text
    assert reply.message.text == "Good day to you, dear friend of ours."
    provider = "openai" if voice.name == "responses" else voice.name
    assert (reply.stop, reply.model) == ("end_turn", f"{provider}:{voice.model_name}")
    assert reply.message.provider.startswith(provider)


async def test_a_call_comes_back_with_its_result_and_leads_to_the_answer(
    voice: Any, aimock: Any, open_model: OpenModel, ask: Ask, listen: Listen, look_up: ToolSpec
) -> None:
    asked = {"name": "look_up", "arguments": {"word": "glass"}, "id": "call_7"}
    aimock.add(
        {"match": {"userMessage": "look", "hasToolResult": False}, "response": _calls(voice, asked)},
        {"match": {"userMessage": "look", "hasToolResult": True}, "response": {"content": "It is see-through."}},
    )
    model, first = open_model(voice, aimock.url), UserMessage("look it up")
    chunks, reply = await listen(model, ask(messages=(first,), tools=(look_up,)))
    assert reply.message.calls == (ToolCall(id="call_7", tool="look_up", args={"word": "glass"}),)
    assert reply.stop == "tool_use"
    pieces = [chunk for chunk in chunks if isinstance(chunk, CallChunk)]
    assert pieces[0].name == "look_up"
    assert "".join(piece.arguments for piece in pieces).replace(" ", "") == '{"word":"glass"}'

    result = ToolMessage(call_id="call_7", tool="look_up", content="a see-through solid")
    _, answer = await listen(model, ask(messages=(first, reply.message, result), tools=(look_up,)))
    assert answer.message.text == "It is see-through."
    sent = aimock.journal()[-1]["body"]["messages"]
    assert [message["role"] for message in sent] == ["system", "user", "assistant", "tool"]
    assert sent[2]["tool_calls"][0]["id"] == "call_7"
    assert "a see-through solid" in sent[3]["content"]


async def test_several_calls_of_one_reply_keep_their_order_and_their_arguments(
    voice: Any, aimock: Any, open_model: OpenModel, ask: Ask, listen: Listen, look_up: ToolSpec
) -> None:
    words = ["one", "two", "three"]
    calls = [{"name": "look_up", "arguments": {"word": word}, "id": f"call_{word}"} for word in words]
    aimock.add({"match": {"userMessage": "all"}, "response": _calls(voice, *calls)})
    chunks, reply = await listen(open_model(voice, aimock.url), ask("all of them", tools=(look_up,)))
    assert [(call.id, call.args) for call in reply.message.calls] == [
        (f"call_{word}", {"word": word}) for word in words
    ]
    assert [chunk.index for chunk in chunks if isinstance(chunk, CallChunk) and chunk.name] == [0, 1, 2]


async def test_thinking_is_streamed_and_kept_apart_from_the_text(
    voice: Any, aimock: Any, open_model: OpenModel, ask: Ask, listen: Listen
) -> None:
    thought = "They greet me, so I greet them."
    aimock.add({"match": {"userMessage": "hello"}, "response": {"content": "Hi!", "reasoning": thought}})
    chunks, reply = await listen(open_model(voice, aimock.url), ask())
    assert "".join(chunk.text for chunk in chunks if isinstance(chunk, ThoughtChunk)) == thought
    assert (reply.message.thought, reply.message.text) == (thought, "Hi!")


async def test_usage_is_counted(voice: Any, aimock: Any, open_model: OpenModel, ask: Ask, listen: Listen) -> None:
    usage = {"prompt_tokens": 21, "completion_tokens": 4}
    aimock.add({"match": {"userMessage": "hello"}, "response": {"content": "Hi!", "usage": usage}})
    model = open_model(voice, aimock.url, per_million=(1.0, 10.0))
    _, reply = await listen(model, ask())
    assert (reply.usage.input_tokens, reply.usage.output_tokens) == (21, 4)
    assert reply.usage.cost == model.quote(21, 4) == pytest.approx(61e-6)


async def test_a_reply_cut_at_the_token_limit_says_so(
    voice: Any, aimock: Any, open_model: OpenModel, ask: Ask, listen: Listen
) -> None:
    aimock.add({"match": {"userMessage": "hello"}, "response": {"content": "Good d", "finishReason": "length"}})
    _, reply = await listen(open_model(voice, aimock.url), ask())
    assert (reply.message.text, reply.stop) == ("Good d", "max_tokens")


async def test_leaving_a_stream_closes_the_connection_at_once(
    voice: Any, wire: Any, open_model: OpenModel, ask: Ask
) -> None:
    wire.plays(voice.beginning("Good", " day"), end="hang")
    async with aclosing(open_model(voice, wire.url).stream(ask())) as chunks:
        async for _ in chunks:
            break
    async with asyncio.timeout(60):
        await wire.left.wait()


@pytest.mark.parametrize(
    "name", ["anthropic:claude-haiku-5-5", "openai:m", "google:gemini-3.8-flash", "ollama:qwen3:8b"]
)
def test_a_model_made_by_name_answers_on_one_event_loop_after_the_other(name: str, aimock: Any, ask: Ask) -> None:
    aimock.add({"match": {"userMessage": "hello"}, "response": {"content": "Hi!"}})
    settings = Settings().having(
        AnthropicSettings(api_key="a-key", base_url=aimock.url),
        OpenAISettings(base_url=f"{aimock.url}/v1"),
        GoogleSettings(api_key="a-key", base_url=f"{aimock.url}/v1beta"),
        OllamaSettings(host=aimock.url),
    )
    model: Any = make_model(name, ModelOptions(settings=settings))

    async def once() -> str:
        async with asyncio.timeout(60):
            *_, reply = [chunk async for chunk in model.stream(ask())]
            await model.aclose()
        return reply.message.text

    assert [asyncio.run(once()), asyncio.run(once())] == ["Hi!", "Hi!"]
    assert aimock.journal()[-1]["body"]["model"] == name.partition(":")[2]
