"""Replies that providers really sent, as pydantic-ai recorded them, read by our adapters: nothing of them is lost.

The recordings are not ours and stay outside: `git clone --depth 1 https://github.com/pydantic/pydantic-ai
.cache/pydantic-ai`, or GLASSLOOP_CASSETTES names a folder with them. Without them these tests are skipped.
"""

import json
import os
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import pytest

from glassloop.core.errors import ModelError, ModelRejected
from glassloop.core.messages import ModelRequest, Reply, ToolMessage, ToolSpec, UserMessage
from glassloop.core.ports import Model
from glassloop.extensions.anthropic.model import AnthropicModel
from glassloop.extensions.google.model import GoogleModel
from glassloop.extensions.openai.model import OpenAIModel
from glassloop.extensions.openai.responses import OpenAIResponsesModel

pytestmark = pytest.mark.slow

Listen = Callable[[Model, ModelRequest], Awaitable[tuple[list[Any], Reply]]]
FOLDER = Path(os.environ.get("GLASSLOOP_CASSETTES") or Path(__file__).parents[2] / ".cache" / "pydantic-ai")
MAX_BYTES = 3_000_000
LOOK_UP = ToolSpec(name="look_up", description="Looks up.", parameters={"type": "object", "properties": {}})
WORDS_KEPT = ("signature", "encrypted_content", "thoughtSignature")


class Recorded(NamedTuple):
    """One reply: where it stands, whose it is, and what came."""

    where: str
    provider: str
    model: str
    status: int
    kind: str
    body: str

    @property
    def streamed(self) -> bool:
        return "event-stream" in self.kind


class Told(NamedTuple):
    """What a reply says, in any adapter's words."""

    text: str
    calls: list[tuple[str, Any]]
    tokens: tuple[int, int]


def recordings(provider: str) -> Iterator[Recorded]:
    yaml = pytest.importorskip("yaml")
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    for path in sorted(FOLDER.glob("**/cassettes/**/*.yaml")):
        if path.stat().st_size > MAX_BYTES:
            continue
        loaded = yaml.load(path.read_text("utf-8"), loader)
        for number, one in enumerate(loaded.get("interactions") or () if isinstance(loaded, dict) else ()):
            found = _recorded(f"{path.parent.name}/{path.stem}#{number}", one)
            if found is not None and found.provider == provider:
                yield found


def _recorded(where: str, one: dict[str, Any]) -> Recorded | None:
    if "request" not in one:
        return None
    asked, answer = one["request"], one["response"]
    provider = _provider(urlsplit(asked["uri"]))
    if provider is None or asked["method"] != "POST":
        return None
    kind = next((value[0] for name, value in answer["headers"].items() if name.lower() == "content-type"), "")
    body = answer.get("parsed_body")
    if "json" not in kind and "event-stream" not in kind:
        return None
    raw = answer["body"]["string"] if body is None else json.dumps(body)
    if isinstance(raw, bytes):
        raw = raw.decode("utf-8", "replace")
    model = (asked.get("parsed_body") or {}).get("model") or urlsplit(asked["uri"]).path.split("/")[-1].split(":")[0]
    return Recorded(where, provider, model, answer["status"]["code"], kind, raw)


def _provider(uri: Any) -> str | None:
    if uri.path.endswith("/chat/completions"):
        return "chat"
    if uri.path.endswith("/responses"):
        return "responses"
    if uri.path.endswith("/v1/messages"):
        return "anthropic"
    if uri.path.endswith((":generateContent", ":streamGenerateContent")) and "google" in str(uri.hostname):
        return "google"
    return None


def events_of(recorded: Recorded) -> list[Any]:
    """The JSON that came: one object, or those of the stream. None at all where it is no reply but a failure."""
    lines = [recorded.body]
    if recorded.streamed:
        lines = [line[5:].strip() for line in recorded.body.splitlines() if line.startswith("data:")]
    events = [json.loads(line) for line in lines if line and line != "[DONE]"]
    reply = {"choices", "type", "object", "candidates", "promptFeedback", "usageMetadata"}
    return events if all(reply & set(event) and not event.get("error") for event in events) else []


def told_by_chat(events: list[Any]) -> Told:
    text, calls, usage = "", dict[Any, list[str]](), dict[str, Any]()
    for event in events:
        usage = event.get("usage") or (event.get("x_groq") or {}).get("usage") or usage
        for choice in event.get("choices", [])[:1]:
            said = choice.get("delta") or choice.get("message") or {}
            content = said.get("content") or ""
            if isinstance(content, list):
                content = "".join(part.get("text") or "" for part in content if part["type"] == "text")
            text += content + (said.get("refusal") or "")
            for at, call in enumerate(said.get("tool_calls") or ()):
                made = calls.setdefault(call.get("index", at), ["", ""])
                made[0] += call["function"].get("name") or ""
                made[1] += call["function"].get("arguments") or ""
    tokens = usage.get("prompt_tokens") or 0, usage.get("completion_tokens") or 0
    return Told(text, [(name, json.loads(args or "{}")) for name, args in calls.values()], tokens)


def told_by_responses(events: list[Any]) -> Told:
    end = events[-1].get("response") or events[-1]
    output = end["output"] or [event["item"] for event in events if event.get("type") == "response.output_item.done"]
    texts = [
        "".join(part.get("text") or part.get("refusal") or "" for part in item["content"])
        for item in output
        if item["type"] == "message" and item.get("phase") != "commentary"
    ]
    calls = [(item["name"], json.loads(item["arguments"])) for item in output if item["type"] == "function_call"]
    usage = end.get("usage") or {}
    tokens = usage.get("input_tokens", 0), usage.get("output_tokens", 0)
    return Told("\n\n".join(text for text in texts if text), calls, tokens)


def told_by_anthropic(events: list[Any]) -> Told:
    blocks: dict[int, Any] = {}
    usage: dict[str, Any] = {}
    if events[0]["type"] == "message":
        blocks, usage = dict(enumerate(events[0]["content"])), events[0]["usage"]
    for event in events:
        usage = {**usage, **{k: v for k, v in (event.get("usage") or {}).items() if v}}
        match event["type"]:
            case "message_start":
                usage = event["message"]["usage"]
            case "content_block_start":
                blocks[event["index"]] = {**event["content_block"], "json": ""}
            case "content_block_delta":
                block, delta = blocks[event["index"]], event["delta"]
                block["text"] = block.get("text", "") + delta.get("text", "")
                block["json"] += delta.get("partial_json", "")
            case _:
                pass
    text = "".join(block["text"] for block in blocks.values() if block["type"] == "text")
    used = [block for block in blocks.values() if block["type"] == "tool_use"]
    calls = [(block["name"], json.loads(block["json"]) if block.get("json") else block["input"]) for block in used]
    words = ("input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens")
    return Told(text, calls, (sum(usage.get(word) or 0 for word in words), usage.get("output_tokens") or 0))


def told_by_google(events: list[Any]) -> Told:
    text, calls, usage = "", list[tuple[str, Any]](), dict[str, Any]()
    for event in events:
        usage = event.get("usageMetadata") or usage
        for candidate in event.get("candidates", [])[:1]:
            for part in (candidate.get("content") or {}).get("parts") or ():
                if "functionCall" in part:
                    calls.append((part["functionCall"]["name"], part["functionCall"].get("args") or {}))
                elif not part.get("thought"):
                    text += part.get("text", "")
    read = usage.get("promptTokenCount", 0) + usage.get("toolUsePromptTokenCount", 0)
    return Told(text, calls, (read, usage.get("candidatesTokenCount", 0) + usage.get("thoughtsTokenCount", 0)))


ADAPTERS: dict[str, tuple[Callable[..., Model], str, Callable[[list[Any]], Told]]] = {
    "chat": (OpenAIModel, "/v1", told_by_chat),
    "responses": (OpenAIResponsesModel, "/v1", told_by_responses),
    "anthropic": (AnthropicModel, "", told_by_anthropic),
    "google": (GoogleModel, "", told_by_google),
}


def kept_words(value: Any) -> set[str]:
    """The signatures and encrypted parts anywhere in it, which must go back."""
    if isinstance(value, list):
        return set[str]().union(*map(kept_words, value))
    if not isinstance(value, dict):
        return set()
    # Those of tools that run at the provider are not asked for by us, so they never come.
    if value.get("type") not in (None, "thinking", "redacted_thinking", "reasoning"):
        return set[str]().union(*(kept_words(one) for one in value.values() if isinstance(one, (dict, list))))
    words = (*WORDS_KEPT, "data") if value.get("type") == "redacted_thinking" else WORDS_KEPT
    found = {value[word] for word in words if isinstance(value.get(word), str) and value[word]}
    return found.union(*(kept_words(one) for one in value.values()))


def differences(recorded: Recorded, reply: Reply, expected: Told) -> list[str]:
    calls = [(call.tool, call.args) for call in reply.message.calls]
    found = Told(reply.message.text, calls, (reply.usage.input_tokens, reply.usage.output_tokens))
    return [
        f"{recorded.where}: {name} is {ours!r:.300}, not {theirs!r:.300}"
        for name, ours, theirs in zip(Told._fields, found, expected, strict=True)
        if ours != theirs
    ]


@pytest.mark.filterwarnings("ignore:.* is not a valid FinishReason")
@pytest.mark.parametrize("provider", ADAPTERS)
async def test_nothing_of_a_recorded_reply_is_lost(provider: str, wire: Any, listen: Listen) -> None:
    make, path, told = ADAPTERS[provider]
    model = make("some-model", api_key="k", base_url=wire.url + path)
    wrong: list[str] = []
    count = streams = blocked = 0
    for recorded in recordings(provider):
        if recorded.status != 200:
            continue
        events = events_of(recorded)
        if not events:
            continue
        wire.plays([recorded.body.encode()], headers={"content-type": recorded.kind})
        count, streams = count + 1, streams + recorded.streamed
        try:
            _, reply = await listen(model, ModelRequest(system="", messages=(UserMessage("hi"),)))
        except ModelRejected:
            blocked += 1
            if told(events).text or told(events).calls:
                wrong.append(f"{recorded.where}: refused")
            continue
        except ModelError as error:
            wrong.append(f"{recorded.where}: {error}")
            continue
        wrong += differences(recorded, reply, told(events))
        wrong += await _lost_parts(recorded, events, reply, model, wire, listen)
    await model.aclose()  # type: ignore[attr-defined]
    if not count:
        pytest.skip(f"there are no recordings in {FOLDER}")
    print(f"{provider}: {count} replies, {streams} of them streams, {blocked} blocked by the provider")
    assert not wrong, "\n".join(wrong)


async def _lost_parts(
    recorded: Recorded, events: list[Any], reply: Reply, model: Any, wire: Any, listen: Listen
) -> list[str]:
    """The signatures and encrypted parts of a reply that do not go back with it."""
    said = reply.message
    if recorded.streamed or not (said.text.strip() or said.calls):
        return []
    results = [ToolMessage(call_id=call.id, tool=call.tool, content="ok") for call in said.calls]
    again = (UserMessage("hi"), said, *(results or [UserMessage("And now?")]))
    wire.plays([recorded.body.encode()], headers={"content-type": recorded.kind})
    await listen(model, ModelRequest(system="", messages=again, tools=(LOOK_UP,)))
    sent = json.dumps(wire.bodies[-1]).replace("-", "+").replace("_", "/")
    return [
        f"{recorded.where}: {word[:40]!r} is not sent back"
        for word in kept_words(events)
        if word.replace("-", "+").replace("_", "/") not in sent
    ]
