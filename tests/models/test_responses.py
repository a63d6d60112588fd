"""What only the Responses API has: items, reasoning that goes back encrypted, phases, and who is asked through it."""

from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from glassloop.core.errors import ModelRejected, ModelUnavailable
from glassloop.core.messages import AssistantMessage, ModelRequest, Reply, ToolMessage, ToolSpec, UserMessage
from glassloop.core.ports import Model
from glassloop.core.records import ToolCall
from glassloop.extensions.openai import OpenAISettings
from glassloop.extensions.openai.responses import OpenAIResponsesModel
from glassloop.runtime.providers import ModelOptions, make_model
from glassloop.runtime.settings import Settings

Ask = Callable[..., ModelRequest]
Listen = Callable[[Model, ModelRequest], Awaitable[tuple[list[Any], Reply]]]
OpenModel = Callable[..., Model]

REASONING = {
    "type": "reasoning",
    "id": "rs_1",
    "summary": [{"type": "summary_text", "text": "Look."}, {"type": "summary_text", "text": "Then say."}],
    "encrypted_content": "gAAAA",
}
STARTED = {**REASONING, "summary": [], "encrypted_content": "gA"}
SUMMARY = [
    {"type": "response.reasoning_summary_text.delta", "delta": "Look."},
    {"type": "response.reasoning_summary_part.added", "summary_index": 1, "part": {}},
    {"type": "response.reasoning_summary_text.delta", "summary_index": 1, "delta": "Then say."},
]
CALL = {"type": "function_call", "id": "fc_1", "call_id": "call_1", "name": "look_up", "arguments": '{"word":"glass"}'}
PIECES = [{"type": "response.function_call_arguments.delta", "delta": piece} for piece in ('{"word":', '"glass"}')]


def message(text: str, phase: str | None = None) -> dict[str, Any]:
    content = [{"type": "output_text", "text": text, "annotations": []}]
    return {"type": "message", "id": "msg_1", "role": "assistant", "content": content, "phase": phase}


@pytest.fixture
def voice(voices: Any) -> Any:
    return next(kind for kind in voices if kind.name == "responses")()


async def test_reasoning_and_commentary_are_thought_and_go_back_in_their_place(
    voice: Any, wire: Any, open_model: OpenModel, ask: Ask, listen: Listen, look_up: ToolSpec
) -> None:
    said = message("I look it up.", "commentary")
    delta = {"type": "response.output_text.delta", "delta": "I look it up."}
    items = [
        (STARTED, SUMMARY, REASONING),
        ({**said, "content": []}, [delta], said),
        ({**CALL, "arguments": ""}, PIECES, {**CALL, "status": "completed"}),
    ]
    wire.plays(voice.frame(items, "completed"))
    wire.plays(voice.text("See-through."))
    model = open_model(voice, wire.url)
    _, reply = await listen(model, ask(tools=(look_up,)))
    assert reply.message.thought == "Look.\n\nThen say.\n\nI look it up."
    assert reply.message.text == ""
    assert reply.message.calls == (ToolCall(id="call_1", tool="look_up", args={"word": "glass"}),)
    result = ToolMessage(call_id="call_1", tool="look_up", content="a solid")
    await listen(model, ask(messages=(UserMessage("hello"), reply.message, result), tools=(look_up,)))
    first, second = wire.bodies
    assert (first["store"], first["include"]) == (False, ["reasoning.encrypted_content"])
    assert (first["reasoning"], "temperature" in first, "reasoning_effort" in first) == (
        {"summary": "auto"},
        False,
        False,
    )
    assert first["tools"][0]["name"] == "look_up"
    assert second["input"] == [
        {"role": "user", "content": "hello"},
        REASONING,
        {"role": "assistant", "content": "I look it up.", "phase": "commentary"},
        {"type": "function_call", "call_id": "call_1", "name": "look_up", "arguments": '{"word":"glass"}'},
        {"type": "function_call_output", "call_id": "call_1", "output": "a solid"},
    ]


async def test_items_without_deltas_are_read_whole_and_a_final_answer_keeps_its_phase(
    voice: Any, wire: Any, open_model: OpenModel, ask: Ask, listen: Listen
) -> None:
    said = message("It is see-through.", "final_answer")
    wire.plays(voice.frame([(REASONING, [], REASONING), (said, [], said)], "completed"))
    wire.plays(voice.text("ok"))
    model = open_model(voice, wire.url)
    _, reply = await listen(model, ask())
    assert (reply.message.thought, reply.message.text) == ("Look.\n\nThen say.", "It is see-through.")
    await listen(model, ask(messages=(UserMessage("hello"), reply.message, UserMessage("more"))))
    kept = [REASONING, {"role": "assistant", "content": "It is see-through.", "phase": "final_answer"}]
    assert wire.bodies[1]["input"][1:3] == kept


async def test_reasoning_that_led_to_nothing_is_not_sent(
    voice: Any, wire: Any, open_model: OpenModel, ask: Ask, listen: Listen
) -> None:
    wire.plays(voice.text("ok"))
    message = AssistantMessage(text="", provider="openai@127.0.0.1/responses", opaque=[REASONING])
    await listen(open_model(voice, wire.url), ask(messages=(UserMessage("a"), message, UserMessage("b"))))
    assert wire.bodies[0]["input"] == [{"role": "user", "content": "a"}, {"role": "user", "content": "b"}]


async def test_a_refusal_in_words_is_shown_and_marked(
    voice: Any, wire: Any, open_model: OpenModel, ask: Ask, listen: Listen
) -> None:
    said = {**message(""), "content": [{"type": "refusal", "refusal": "I cannot."}]}
    wire.plays(voice.frame([(said, [{"type": "response.refusal.delta", "delta": "I cannot."}], said)], "completed"))
    _, reply = await listen(open_model(voice, wire.url), ask())
    assert (reply.message.text, reply.stop) == ("I cannot.", "refusal")


@pytest.mark.parametrize(
    ("code", "kind"),
    [("server_error", ModelUnavailable), ("rate_limit_exceeded", ModelUnavailable), ("invalid_prompt", ModelRejected)],
)
async def test_a_response_that_failed_is_an_error_of_its_kind(
    voice: Any, wire: Any, open_model: OpenModel, ask: Ask, listen: Listen, code: str, kind: type[Exception]
) -> None:
    end = voice.frame([], "completed")[-1].replace(b"response.completed", b"response.failed")
    error = b'"status": "failed", "error": {"code": "%b", "message": "went wrong"}' % code.encode()
    wire.plays([end.replace(b'"status": "completed"', error)])
    with pytest.raises(kind, match="went wrong"):
        await listen(open_model(voice, wire.url), ask())


async def test_summaries_that_an_organization_may_not_see_are_no_longer_asked_for(
    voice: Any, wire: Any, open_model: OpenModel, ask: Ask, listen: Listen
) -> None:
    refused = b'{"error": {"message": "Your organization must be verified to generate reasoning summaries."}}'
    wire.plays([refused], status=400)
    wire.plays(voice.text("one"))
    wire.plays(voice.text("two"))
    model = open_model(voice, wire.url)
    await listen(model, ask())
    await listen(model, ask())
    assert ["reasoning" in body for body in wire.bodies] == [True, False, False]


async def test_reasoning_of_another_account_is_left_out_once_it_is_refused(
    voice: Any, wire: Any, open_model: OpenModel, ask: Ask, listen: Listen
) -> None:
    wire.plays([b'{"error": {"message": "The encrypted content for item rs_1 could not be verified."}}'], status=400)
    wire.plays(voice.text("ok"))
    said = AssistantMessage(
        text="hi", provider="openai@127.0.0.1/responses", opaque=[REASONING, {"type": "text", "chars": 2}]
    )
    _, reply = await listen(open_model(voice, wire.url), ask(messages=(UserMessage("a"), said, UserMessage("b"))))
    assert reply.message.text == "ok"
    assert [REASONING in body["input"] for body in wire.bodies] == [True, False]


async def test_ids_of_other_providers_are_shortened_alike_in_call_and_result(
    voice: Any, wire: Any, open_model: OpenModel, ask: Ask, listen: Listen
) -> None:
    wire.plays(voice.text("ok"))
    call = ToolCall(id="x" * 200, tool="look_up", args={})
    result = ToolMessage(call_id=call.id, tool="look_up", content="no", is_error=True)
    await listen(open_model(voice, wire.url), ask(messages=(UserMessage("a"), AssistantMessage(calls=(call,)), result)))
    asked, answered = wire.bodies[0]["input"][1:]
    assert len(asked["call_id"]) <= 64
    assert (asked["call_id"], answered["output"]) == (answered["call_id"], "Error: no")


AZURE = "https://mine.openai.azure.com/openai/v1"


@pytest.mark.parametrize(
    ("model", "base_url", "api", "responses"),
    [
        ("gpt-6.1-terra", None, "auto", True),
        ("gpt-4o", None, "auto", True),
        ("gpt-6.1-sol", None, "chat", False),
        ("gpt-6-luna", AZURE, "auto", True),
        ("my-deployment", AZURE, "auto", False),
        ("my-deployment", AZURE, "responses", True),
        ("gpt-oss-20b", "http://127.0.0.1:8000/v1", "auto", False),
        ("gpt-oss-20b", "http://127.0.0.1:8000/v1", "responses", True),
    ],
)
def test_openai_is_asked_through_responses_and_compatible_servers_through_chat(
    model: str, base_url: str | None, api: Any, responses: bool
) -> None:
    settings = Settings().having(OpenAISettings(api_key="k", base_url=base_url, api=api))
    made = make_model(f"openai:{model}", ModelOptions(settings=settings))
    assert isinstance(made, OpenAIResponsesModel) is responses
    if responses:
        assert made.abilities.native_tools
