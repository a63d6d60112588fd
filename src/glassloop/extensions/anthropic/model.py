"""Claude, through the official `anthropic` SDK (Messages API).

Thinking blocks, signed and redacted ones alike, go back to the provider untouched and in their place. Sampling
parameters are never sent: this version of the API refuses them for every model. What the next request repeats is
cached: tools, system prompt, and the messages up to the last two blocks.
"""

import re
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from types import ModuleType
from typing import TYPE_CHECKING, Any, Unpack

from glassloop.core.errors import ModelUnavailable
from glassloop.core.messages import Abilities, AssistantMessage, CallChunk, Chunk, ModelRequest, Reply, StopReason
from glassloop.models.provider_kit.attachments import shown_with
from glassloop.models.provider_kit.call_arguments import arguments_text
from glassloop.models.provider_kit.remote_model import THINKING_ROOM, EventReader, RemoteModel, RemoteOptions, count
from glassloop.models.provider_kit.reply_builder import CallBuilder
from glassloop.models.provider_kit.strict_schema import is_closed, object_schema, without_type_lists
from glassloop.models.provider_kit.transcript import Exchange, append_parts, exchanges, pieces

if TYPE_CHECKING:
    import httpx2

_STOPS: dict[str, StopReason] = {
    "end_turn": "end_turn",
    "stop_sequence": "end_turn",
    "tool_use": "tool_use",
    "max_tokens": "max_tokens",
    "model_context_window_exceeded": "max_tokens",
    "refusal": "filtered",
}
_ODD = re.compile(r"[^a-zA-Z0-9_-]")
_CACHE = {"type": "ephemeral"}
_VERSION = re.compile(r"claude-[a-z]+-(\d{1,2})(?:-(\d{1,2}))?(?![\d])")


class AnthropicModel(RemoteModel):
    """`thinking` None asks for visible thoughts where the model takes that request, True always, False never."""

    sdk = label = "anthropic"
    key_variable = "ANTHROPIC_API_KEY"
    example = "claude-sonnet-5-5"
    address = "https://api.anthropic.com"
    assumed = Abilities(json_schema=True, context_tokens=200_000, images=True, documents=True)

    def __init__(self, model: str, *, thinking: bool | None = None, **options: Unpack[RemoteOptions]) -> None:
        super().__init__(model, **options)
        self._thinking = thinks_adaptively(model) if thinking is None else thinking

    def connect(self, sdk: ModuleType, http: "httpx2.AsyncClient") -> Any:
        return sdk.AsyncAnthropic(
            api_key=self.origin.secret, base_url=self._url, http_client=http, max_retries=0, open_telemetry=False
        )

    def wire(self, request: ModelRequest) -> dict[str, Any]:
        wire: dict[str, Any] = {
            "model": self.origin.model,
            "max_tokens": request.max_tokens + (THINKING_ROOM if self._thinking else 0),
            "messages": _messages(request, self.provider, self._abilities),
            "stream": True,
        }
        if request.system.strip():
            wire["system"] = [{"type": "text", "text": request.system, "cache_control": _CACHE}]
        if request.tools:
            if request.tool_choice == "none":
                wire["tool_choice"] = {"type": "none"}
            wire["tools"] = [
                {"name": tool.name, "description": tool.description, "input_schema": object_schema(tool.parameters)}
                for tool in request.tools
            ]
            wire["tools"][-1]["cache_control"] = _CACHE
        if self._thinking:
            wire["thinking"] = {"type": "adaptive", "display": "summarized"}
        output: dict[str, Any] = {}
        if self._thinking and self._effort is not None:
            output["effort"] = self._effort
        schema = without_type_lists(request.schema) if self.abilities.json_schema else None
        if schema is not None and is_closed(schema):
            from anthropic import transform_schema

            output["format"] = {"type": "json_schema", "schema": transform_schema(schema)}
        if output:
            wire["output_config"] = output
        return wire

    async def stated_context(self, client: Any) -> int | None:
        found = await client.models.retrieve(self.origin.model)
        return count(getattr(found, "max_input_tokens", None)) or None

    @asynccontextmanager
    async def events(self, client: Any, wire: dict[str, Any]) -> AsyncGenerator[AsyncIterator[Any], None]:
        from anthropic.types import Message

        stream = await client.messages.create(**wire)
        async with self.sdk_events(stream, Message.construct) as events:
            yield events

    def reader(self) -> EventReader:
        return _Reader(self)


class _Reader(EventReader):
    """A reply of content blocks, each with a number."""

    def __init__(self, model: AnthropicModel) -> None:
        super().__init__(model)
        self._calls: dict[int, CallBuilder] = {}
        self._inputs: dict[int, str] = {}
        self._blocks: dict[int, dict[str, Any]] = {}
        self._thoughts: dict[int, list[str]] = {}
        self._started: set[int] = set()
        self._tokens = {"input_tokens": 0, "output_tokens": 0, "cache_read_input_tokens": 0}
        self._tokens["cache_creation_input_tokens"] = 0

    def read(self, event: Any) -> list[Chunk]:
        match event.type:
            case "content_block_delta":
                return self._delta(event.index, event.delta)
            case "content_block_start":
                return self._start(event.index, event.content_block)
            case "content_block_stop":
                return self._end(event.index)
            case "message_start":
                self._count(event.message.usage)
            case "message_delta":
                self.stop = event.delta.stop_reason or self.stop
                self._count(event.usage)
            case "message_stop":
                self.ended = True
            case "message":
                return self._whole(event)
            case _:
                # New kinds of events may come at any time; none of them changes what a reply says.
                pass
        return []

    def reply(self, stop: str) -> Reply:
        tokens = self._tokens
        cached, written = tokens["cache_read_input_tokens"], tokens["cache_creation_input_tokens"]
        draft = self._draft
        for index in list(self._inputs):
            self._use_input(index)
        for index, thoughts in self._thoughts.items():
            self._blocks[index]["thinking"] = "".join(thoughts)
        return draft.finish(
            _STOPS.get(stop, "other"),
            self._model.usage(tokens["input_tokens"] + cached + written, tokens["output_tokens"], cached, written),
            provider=self._model.provider,
            opaque=draft.layout if self._blocks else None,
            reason=stop,
        )

    def _whole(self, message: Any) -> list[Chunk]:
        made: list[Chunk] = []
        for index, block in enumerate(message.content):
            made += self._start(index, block)
            made += self._end(index)
        self.stop, self.ended = message.stop_reason or "end_turn", True
        self._count(message.usage)
        return made

    def _start(self, index: int, block: Any) -> list[Chunk]:
        self._started.add(index)
        match block.type:
            case "text":
                return [self._draft.add_text(block.text)] if block.text else []
            case "tool_use":
                call = self._calls[index] = self._draft.open_call(block.id or "", block.name)
                if block.input:
                    self._inputs[index] = arguments_text(block.input)
                return [CallChunk(call.index, call.name)]
            case "thinking":
                signature = block.signature or ""
                self._blocks[index] = self._draft.place("thinking", thinking="", signature=signature)
                self._thoughts[index] = []
                return self._think(index, block.thinking)
            case "redacted_thinking":
                self._draft.count(len(block.data))
                self._blocks[index] = self._draft.place("redacted_thinking", data=block.data)
            case _:
                pass
        return []

    def _end(self, index: int) -> list[Chunk]:
        if index not in self._calls:
            return []
        self._calls[index].whole = True
        return self._use_input(index)

    def _use_input(self, index: int) -> list[Chunk]:
        """Input that came whole with the start of its block counts where no delta brought any."""
        given, call = self._inputs.pop(index, ""), self._calls[index]
        return [self._draft.add_arguments(call, given)] if given and not call.text.strip() else []

    def _delta(self, index: int, delta: Any) -> list[Chunk]:
        match delta.type:
            case "text_delta":
                return [self._draft.add_text(delta.text)] if delta.text else []
            case "input_json_delta":
                call = self._calls.get(index)
                if call is None and index in self._started:
                    # Of a tool that runs at the provider: no business of ours.
                    return []
                if call is None:
                    raise ModelUnavailable(f"{self._model.name} sent arguments for a call it never opened: try again.")
                return [self._draft.add_arguments(call, delta.partial_json)] if delta.partial_json else []
            case "thinking_delta":
                return self._think(index, delta.thinking)
            case "signature_delta":
                self._draft.count(len(delta.signature))
                block = self._blocks[index]
                block["signature"] = block.get("signature", "") + delta.signature
            case _:
                pass
        return []

    def _think(self, index: int, text: str) -> list[Chunk]:
        if not text:
            return []
        chunk = self._draft.add_thought(text)
        self._thoughts[index].append(chunk.text)
        return [chunk]

    def _count(self, usage: Any) -> None:
        # Later events repeat the totals, or leave out what did not change.
        for word in self._tokens:
            self._tokens[word] = count(getattr(usage, word, None)) or self._tokens[word]


def thinks_adaptively(model: str) -> bool:
    """Whether the model takes `thinking: adaptive`: those from 4.6 on, by their name."""
    found = _VERSION.match(model)
    return found is not None and (int(found.group(1)), int(found.group(2) or 0)) >= (4, 6)


def _messages(request: ModelRequest, provider: str, abilities: Abilities) -> list[dict[str, Any]]:
    """Alternating roles, as the API wants them."""
    made: list[dict[str, Any]] = []
    for exchange in exchanges(request.messages):
        if exchange.assistant is not None:
            append_parts(made, "assistant", "content", _assistant_blocks(exchange.assistant, provider))
        append_parts(made, "user", "content", _user_blocks(exchange, request, abilities))
    _mark(made)
    return made


def _mark(messages: list[dict[str, Any]]) -> None:
    """Caches up to the last block and up to the one before: what comes last may not be said again."""
    blocks = [(message["content"], at) for message in messages[-2:] for at in range(len(message["content"]))]
    left = 2
    for content, at in reversed(blocks):
        if left and "thinking" not in content[at]["type"]:
            content[at] = {**content[at], "cache_control": _CACHE}
            left -= 1


def _assistant_blocks(message: AssistantMessage, provider: str) -> list[dict[str, Any]]:
    blocks: list[dict[str, Any]] = []
    for piece in pieces(message, provider):
        if piece.call is not None:
            call = piece.call
            blocks.append({"type": "tool_use", "id": _id(call.id), "name": call.tool, "input": call.args})
        elif piece.text.strip():
            blocks.append({"type": "text", "text": piece.text})
        elif piece.entry.get("signature") or piece.entry.get("type") == "redacted_thinking":
            blocks.append(piece.entry)
    return blocks


def _user_blocks(exchange: Exchange, request: ModelRequest, abilities: Abilities) -> list[dict[str, Any]]:
    blocks: list[dict[str, Any]] = [
        {"type": "tool_result", "tool_use_id": _id(call.id), "content": result.content, "is_error": result.is_error}
        for call, result in exchange.results
    ]
    shown, text = shown_with(exchange, request.loaded, abilities)
    for each in shown:
        media_type = each.attachment.media_type
        source = {"type": "base64", "media_type": media_type, "data": each.base64}
        if each.attachment.is_image:
            blocks.append({"type": "image", "source": source})
        else:
            blocks.append({"type": "document", "source": source, "title": each.attachment.name})
    if text:
        blocks.append({"type": "text", "text": text})
    return blocks


def _id(call_id: str) -> str:
    """Other providers' ids have characters that this one refuses."""
    return _ODD.sub("_", call_id) or "_"
