"""OpenAI's Responses API: reasoning and tools together, which its Chat Completions refuses for newer models.

Nothing is stored at the provider: the transcript is sent each time, and reasoning items, encrypted, go back untouched
and in their place. What a model says between its calls ("commentary") is thought.
"""

from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from hashlib import sha256
from typing import Any, Unpack

import msgspec

from glassloop.core.errors import ModelError
from glassloop.core.messages import Abilities, AssistantMessage, CallChunk, Chunk, ModelRequest, Reply, StopReason
from glassloop.extensions.openai.attachments import response_content
from glassloop.extensions.openai.model import OpenAIModel, dialect_of, observation
from glassloop.models.provider_kit.call_arguments import arguments_text
from glassloop.models.provider_kit.failures import from_body
from glassloop.models.provider_kit.remote_model import THINKING_ROOM, EventReader, RemoteOptions, count
from glassloop.models.provider_kit.reply_builder import CallBuilder
from glassloop.models.provider_kit.strict_schema import is_strict, object_schema
from glassloop.models.provider_kit.transcript import exchanges, pieces

MAX_CALL_ID_CHARS = 64

_STOPS: dict[str, StopReason] = {
    "completed": "end_turn",
    "max_output_tokens": "max_tokens",
    "incomplete": "max_tokens",
    "content_filter": "filtered",
}
_FAILURES = {"rate_limit_exceeded": 429, "invalid_prompt": 400}


class OpenAIResponsesModel(OpenAIModel):
    """A model asked through the Responses API, at OpenAI or where else it is spoken."""

    def __init__(self, model: str, **options: Unpack[RemoteOptions]) -> None:
        super().__init__(model, **options)
        # Its parts differ from those of Chat Completions, and neither can read the other's.
        self.provider = f"{self.provider}/responses"
        self._dialect, self._summaries = dialect_of(model), True
        if options.get("abilities") is None:
            self._abilities = msgspec.structs.replace(self._abilities, native_tools=True)

    def wire(self, request: ModelRequest) -> dict[str, Any]:
        thinks = self._dialect.thinks
        wire: dict[str, Any] = {
            "model": self.origin.model,
            "input": _items(request, self.provider, self._abilities),
            "max_output_tokens": request.max_tokens + (THINKING_ROOM if thinks else 0),
            "store": False,
            "stream": True,
        }
        if request.system.strip():
            wire["instructions"] = request.system
        if self._dialect.temperature:
            wire["temperature"] = request.temperature
        if thinks:
            wire["include"] = ["reasoning.encrypted_content"]
            reasoning = {"summary": "auto"} if self._summaries else {}
            if self._effort is not None and self._takes_effort:
                reasoning["effort"] = self._effort
            if reasoning:
                wire["reasoning"] = reasoning
        if request.tools:
            if request.tool_choice == "none":
                wire["tool_choice"] = "none"
            wire["tools"] = [
                {
                    "type": "function",
                    "name": tool.name,
                    "description": tool.description,
                    "parameters": object_schema(tool.parameters),
                    "strict": False,
                }
                for tool in request.tools
            ]
        if request.schema is not None and self.abilities.json_schema:
            shape = {"name": request.purpose, "schema": request.schema, "strict": is_strict(request.schema)}
            wire["text"] = {"format": {"type": "json_schema", **shape}}
        return wire

    def without_refused(self, request: ModelRequest, said: str) -> ModelRequest | None:
        if self._summaries and "summar" in said:
            # Only verified organizations may see summaries of some models.
            self._summaries = False
            return request
        return super().without_refused(request, said)

    @asynccontextmanager
    async def events(self, client: Any, wire: dict[str, Any]) -> AsyncGenerator[AsyncIterator[Any], None]:
        from openai.types.responses import Response

        stream = await client.responses.create(**wire)
        async with self.sdk_events(stream, Response.construct) as events:
            yield events

    def reader(self) -> EventReader:
        return _Reader(self)


class _Reader(EventReader):
    """A reply of output items, each with a number. Its last event has all of it once more, and the usage."""

    def __init__(self, model: OpenAIResponsesModel) -> None:
        super().__init__(model)
        self._calls: dict[int, CallBuilder] = {}
        self._blocks: dict[int, dict[str, Any]] = {}
        self._closed: set[int] = set()
        self._spoken: set[int] = set()
        self._last: dict[str, int] = {}
        self._usage: Any = None
        self._refused = False

    def read(self, event: Any) -> list[Chunk]:
        match getattr(event, "type", None):
            case "response.output_text.delta" | "response.refusal.delta":
                self._refused = self._refused or event.type == "response.refusal.delta"
                return self._say(event.output_index, event.delta)
            case "response.reasoning_summary_text.delta" | "response.reasoning_text.delta":
                return self._think(event.output_index, event.delta)
            case "response.reasoning_summary_part.added":
                return self._think(event.output_index, "\n\n") if event.summary_index else []
            case "response.function_call_arguments.delta":
                call = self._calls.get(event.output_index)
                return [self._draft.add_arguments(call, event.delta)] if call is not None and event.delta else []
            case "response.output_item.added":
                return self._open(event.output_index, event.item)
            case "response.output_item.done":
                return self._close(event.output_index, event.item)
            case "response.completed" | "response.incomplete" | "response.failed":
                return self._end(event.response)
            case "error":
                raise self._failure({"message": event.message, "code": event.code})
            case None if getattr(event, "object", None) == "response":
                return self._end(event)
            case _:
                return []

    def reply(self, stop: str) -> Reply:
        usage, draft = self._usage, self._draft
        details = getattr(usage, "input_tokens_details", None)
        return draft.finish(
            "refusal" if self._refused else _STOPS.get(stop, "other"),
            self._model.usage(
                count(getattr(usage, "input_tokens", None)),
                count(getattr(usage, "output_tokens", None)),
                count(getattr(details, "cached_tokens", None)),
                count(getattr(details, "cache_write_tokens", None)),
            ),
            provider=self._model.provider,
            opaque=draft.layout if self._blocks else None,
            reason=stop,
        )

    def _open(self, index: int, item: Any) -> list[Chunk]:
        match item.type:
            case "function_call":
                call = self._calls[index] = self._draft.open_call(item.call_id or "", item.name or "")
                return [CallChunk(call.index, call.name)]
            case "reasoning":
                self._blocks[index] = self._draft.place("reasoning", id=item.id or "")
            case "message" if getattr(item, "phase", None):
                self._blocks[index] = self._draft.place("message", phase=item.phase, said="", chars=0)
            case _:
                pass
        return []

    def _close(self, index: int, item: Any) -> list[Chunk]:
        """An item as a whole: what no delta brought is taken from here."""
        if index in self._closed:
            return []
        self._closed.add(index)
        made = [] if index in self._blocks or index in self._calls else self._open(index, item)
        call, block = self._calls.get(index), self._blocks.get(index)
        match item.type:
            case "function_call" if call is not None:
                given = arguments_text(item.arguments)
                if given and not call.pieces:
                    made.append(self._draft.add_arguments(call, given))
                call.whole = item.status != "incomplete"
            case "reasoning" if block is not None:
                kept = item.to_dict()
                self._draft.count(len(msgspec.json.encode(kept)))
                block.update({word: kept[word] for word in ("id", "summary", "encrypted_content") if kept.get(word)})
                if index not in self._spoken:
                    parts = item.summary or getattr(item, "content", None) or ()
                    made.extend(self._think(index, "\n\n".join(part.text for part in parts)))
            case "message" if index not in self._spoken:
                for part in item.content or ():
                    self._refused = self._refused or part.type == "refusal"
                    made.extend(self._say(index, getattr(part, "text", None) or getattr(part, "refusal", None) or ""))
            case _:
                pass
        return made

    def _end(self, response: Any) -> list[Chunk]:
        if response.status == "failed" or response.error is not None:
            raise self._failure(response.error.to_dict() if response.error is not None else {})
        made = [chunk for index, item in enumerate(response.output or ()) for chunk in self._close(index, item)]
        details = response.incomplete_details
        self.stop = (details.reason if details is not None else None) or response.status or "completed"
        self.ended, self._usage = True, response.usage
        return made

    def _say(self, index: int, text: str) -> list[Chunk]:
        block = self._blocks.get(index)
        if block is not None and block["phase"] == "commentary":
            block["said"] += text
            return self._think(index, text)
        text = self._apart("text", index, text)
        return [self._draft.add_text(text, place=block)] if text else []

    def _think(self, index: int, text: str) -> list[Chunk]:
        text = self._apart("thought", index, text)
        return [self._draft.add_thought(text)] if text else []

    def _apart(self, kind: str, index: int, text: str) -> str:
        """Text of another item than the last one of its kind begins a paragraph."""
        self._spoken.add(index)
        if not text:
            return ""
        last, self._last[kind] = self._last.get(kind, index), index
        return text if last == index else f"\n\n{text}"

    def _failure(self, error: dict[str, Any]) -> ModelError:
        code = error.get("code")
        return from_body({"error": {**error, "code": _FAILURES.get(str(code), 500)}}, self._model.origin)


def _items(request: ModelRequest, provider: str, abilities: Abilities) -> list[dict[str, Any]]:
    made: list[dict[str, Any]] = []
    for exchange in exchanges(request.messages):
        if exchange.assistant is not None:
            made.extend(_assistant_items(exchange.assistant, provider))
        made.extend(
            {
                "type": "function_call_output",
                "call_id": _id(call.id),
                "output": observation(result.content, result.is_error),
            }
            for call, result in exchange.results
        )
        if content := response_content(exchange, request, abilities):
            made.append({"role": "user", "content": content})
    return made


def _assistant_items(message: AssistantMessage, provider: str) -> list[dict[str, Any]]:
    items: list[dict[str, Any]] = []
    for piece in pieces(message, provider):
        entry = piece.entry
        text = piece.text or entry.get("said", "")
        if piece.call is not None:
            call, arguments = piece.call, msgspec.json.encode(piece.call.args).decode()
            items.append({"type": "function_call", "call_id": _id(call.id), "name": call.tool, "arguments": arguments})
        elif entry.get("type") == "reasoning":
            if entry.get("encrypted_content"):
                items.append({"summary": [], **entry})
        elif text.strip():
            phase = {"phase": entry["phase"]} if entry.get("phase") else {}
            items.append({"role": "assistant", "content": text, **phase})
    while items and items[-1].get("type") == "reasoning":
        # What it led to was left out, and without that it is refused.
        items.pop()
    return items


def _id(call_id: str) -> str:
    """Other providers' ids may be longer than this one takes."""
    return call_id if len(call_id) <= MAX_CALL_ID_CHARS else sha256(call_id.encode()).hexdigest()
