"""Gemini, through the official `google-genai` SDK (generateContent).

Thought signatures go back to the provider untouched and in their place; a call that came from elsewhere gets the
documented word that stands for none. Tools and schemas use the SDK's JSON-schema fields, references written out.
"""

import base64
import re
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing, asynccontextmanager
from types import ModuleType
from typing import TYPE_CHECKING, Any, Unpack

from glassloop.core.errors import ModelUnavailable
from glassloop.core.json_schema import without_references
from glassloop.core.messages import (
    Abilities,
    AssistantMessage,
    CallChunk,
    Chunk,
    GarbledCall,
    ModelRequest,
    Reply,
    StopReason,
)
from glassloop.models.provider_kit.attachments import shown_with
from glassloop.models.provider_kit.call_arguments import arguments_text
from glassloop.models.provider_kit.failures import blocked
from glassloop.models.provider_kit.http_client import opening
from glassloop.models.provider_kit.remote_model import THINKING_ROOM, EventReader, RemoteModel, RemoteOptions, count
from glassloop.models.provider_kit.strict_schema import is_closed, object_schema
from glassloop.models.provider_kit.transcript import Exchange, append_parts, exchanges, pieces

if TYPE_CHECKING:
    import httpx2

_STOPS: dict[str, StopReason] = {
    "STOP": "end_turn",
    "MAX_TOKENS": "max_tokens",
    "CONTINUATION": "max_tokens",
    "SAFETY": "filtered",
    "RECITATION": "filtered",
    "LANGUAGE": "filtered",
    "BLOCKLIST": "filtered",
    "PROHIBITED_CONTENT": "filtered",
    "SPII": "filtered",
    "MODEL_ARMOR": "filtered",
}
_BAD_CALLS = frozenset({"MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL", "TOO_MANY_TOOL_CALLS"})
_VERSION = re.compile(r"gemini-(\d+)(?:\.(\d+))?")
API_VERSION = re.compile(r"/(v\d\w*+)/?$")

# For calls made by another provider: the newer models refuse a call that has no signature at all.
_NO_SIGNATURE = base64.urlsafe_b64decode("skip_thought_signature_validator")


_BUDGETS = {"low": 1_024, "medium": 4_096, "high": THINKING_ROOM}


class GoogleModel(RemoteModel):
    """`base_url` may end in a version of the API, such as `/v1beta`; without one the SDK's own is used."""

    sdk = "google.genai"
    label = "google"
    key_variable = "GOOGLE_API_KEY"
    example = "gemini-3.8-flash"
    address = "https://generativelanguage.googleapis.com/"
    assumed = Abilities(json_schema=True, context_tokens=1_000_000, images=True, documents=True)

    def __init__(self, model: str, **options: Unpack[RemoteOptions]) -> None:
        super().__init__(model, **options)
        self._version = version_of(model)

    def connect(self, sdk: ModuleType, http: "httpx2.AsyncClient") -> Any:
        # Without `retry_options` the SDK asks once.
        options: dict[str, Any] = {"base_url": API_VERSION.sub("", self._url), "httpx_async_client": http}
        version = API_VERSION.search(self._url)
        if version is not None:
            options["api_version"] = version.group(1)
        return sdk.Client(api_key=self.origin.secret, vertexai=False, http_options=options)

    def wire(self, request: ModelRequest) -> dict[str, Any]:
        from google.genai import types

        thinks = self._version >= (2, 5)
        config: dict[str, Any] = {
            "max_output_tokens": request.max_tokens + (THINKING_ROOM if thinks else 0),
            "automatic_function_calling": {"disable": True},
            "automatic_continuation": False,
        }
        if request.system.strip():
            config["system_instruction"] = request.system
        if thinks:
            config["thinking_config"] = {"include_thoughts": True, **self._thinking()}
        if self._version < (3, 0):
            # Later ones are tuned for their own temperature and have given the parameter up.
            config["temperature"] = request.temperature
        if request.tools:
            if request.tool_choice == "none":
                config["tool_config"] = {"function_calling_config": {"mode": "NONE"}}
            config["tools"] = [
                {
                    "function_declarations": [
                        {
                            "name": tool.name,
                            "description": tool.description,
                            "parameters_json_schema": without_references(object_schema(tool.parameters)),
                        }
                        for tool in request.tools
                    ]
                }
            ]
        elif request.schema is not None and self.abilities.json_schema:
            config["response_mime_type"] = "application/json"
            if is_closed(request.schema):
                config["response_json_schema"] = without_references(request.schema)
        signs = self._version >= (3, 0)
        return {
            "model": self.origin.model,
            "contents": [
                types.Content.model_validate(one)
                for one in _contents(request, self.provider, self._abilities, signs=signs)
            ],
            "config": types.GenerateContentConfig.model_validate(config),
        }

    def _thinking(self) -> dict[str, Any]:
        """The effort asked for: later models take a level, those before a number of tokens."""
        if self._effort is None:
            return {}
        if self._version >= (3, 0):
            # Not every model has the middle level, and it is what all of them do unasked.
            return {} if self._effort == "medium" else {"thinking_level": self._effort.upper()}
        return {"thinking_budget": _BUDGETS[self._effort]}

    async def stated_context(self, client: Any) -> int | None:
        found = await client.aio.models.get(model=self.origin.model)
        return count(getattr(found, "input_token_limit", None)) or None

    @asynccontextmanager
    async def events(self, client: Any, wire: dict[str, Any]) -> AsyncGenerator[AsyncIterator[Any], None]:
        stream = aiter(await client.aio.models.generate_content_stream(**wire))
        first, opened = await opening(anext(stream, None))

        async def whole() -> AsyncGenerator[Any, None]:
            if first is not None:
                yield first
                async for event in stream:
                    yield event

        try:
            async with aclosing(whole()) as events:
                yield events
        finally:
            # The SDK nests generators that close their response only when collected; this closes it now.
            for response in opened:
                await response.aclose()

    def reader(self) -> EventReader:
        return _Reader(self)


class _Reader(EventReader):
    """A reply of parts; the last event says why it ended."""

    def __init__(self, model: GoogleModel) -> None:
        super().__init__(model)
        self._usage: Any = None
        self._said = ""

    def read(self, event: Any) -> list[Chunk]:
        self._usage = event.usage_metadata or self._usage
        feedback = event.prompt_feedback
        if feedback is not None and feedback.block_reason is not None:
            raise blocked(self._model.origin, str(feedback.block_reason.value))
        if not event.candidates:
            return []
        candidate = event.candidates[0]
        if candidate.finish_reason is not None:
            self.stop = str(candidate.finish_reason.value)
            self._said = candidate.finish_message or ""
        made: list[Chunk] = []
        for part in (candidate.content.parts or ()) if candidate.content is not None else ():
            made.extend(self._part(part))
        return made

    def reply(self, stop: str) -> Reply:
        draft, usage = self._draft, self._usage
        if stop == "MALFORMED_RESPONSE":
            raise ModelUnavailable(f"{self._model.name} garbled its own reply: try again.")
        if stop in _BAD_CALLS:
            draft.garbled.append(GarbledCall(id="", tool="", text=self._model.origin.clean(self._said or stop)))
        signed = any("signature" in entry for entry in draft.layout)
        read = count(getattr(usage, "prompt_token_count", None))
        written = count(getattr(usage, "candidates_token_count", None))
        other: StopReason = "filtered" if stop.startswith("IMAGE_") else "other"
        return draft.finish(
            "tool_use" if stop in _BAD_CALLS else _STOPS.get(stop, other),
            self._model.usage(
                read + count(getattr(usage, "tool_use_prompt_token_count", None)),
                written + count(getattr(usage, "thoughts_token_count", None)),
                count(getattr(usage, "cached_content_token_count", None)),
            ),
            provider=self._model.provider,
            opaque=draft.layout if signed else None,
            reason=stop,
        )

    def _part(self, part: Any) -> list[Chunk]:
        signature = base64.b64encode(part.thought_signature).decode() if part.thought_signature else ""
        if part.function_call is not None:
            asked = part.function_call
            call = self._draft.open_call(asked.id or "", asked.name or "", signature)
            if asked.partial_args or asked.will_continue:
                # Pieces are not asked for and cannot be put together: what came is an object that nothing closed.
                arguments = "{"
            else:
                arguments, call.whole = arguments_text(asked.args), True
            return [CallChunk(call.index, call.name), self._draft.add_arguments(call, arguments)]
        text = part.text or ""
        if part.thought:
            if signature:
                self._draft.place("thought", signature, text=text)
            return [self._draft.add_thought(text)] if text else []
        if not text and not signature:
            return []
        chunk = self._draft.add_text(text, signature)
        return [chunk] if text else []


def version_of(model: str) -> tuple[int, int]:
    """Of a Gemini model, by its name; (0, 0) where the name does not say."""
    found = _VERSION.search(model)
    return (int(found.group(1)), int(found.group(2) or 0)) if found else (0, 0)


def _contents(request: ModelRequest, provider: str, abilities: Abilities, *, signs: bool) -> list[dict[str, Any]]:
    """Alternating roles; the assistant is called `model` here."""
    made: list[dict[str, Any]] = []
    for exchange in exchanges(request.messages):
        if exchange.assistant is not None:
            append_parts(made, "model", "parts", _model_parts(exchange.assistant, provider, signs=signs))
        append_parts(made, "user", "parts", _user_parts(exchange, request, abilities))
    return made


def _model_parts(message: AssistantMessage, provider: str, *, signs: bool) -> list[dict[str, Any]]:
    parts: list[dict[str, Any]] = []
    called = False
    for piece in pieces(message, provider):
        part: dict[str, Any] = {}
        signature = piece.entry.get("signature")
        if signature:
            part["thought_signature"] = base64.b64decode(signature)
        if piece.call is not None:
            call = piece.call
            part["function_call"] = {"id": call.id or None, "name": call.tool, "args": call.args}
            if signs and not called and not signature:
                part["thought_signature"] = _NO_SIGNATURE
            called = True
        elif piece.entry.get("type") == "thought":
            part |= {"text": piece.entry.get("text", ""), "thought": True}
        elif piece.text or signature:
            part["text"] = piece.text
        else:
            continue
        parts.append(part)
    return parts


def _user_parts(exchange: Exchange, request: ModelRequest, abilities: Abilities) -> list[dict[str, Any]]:
    parts: list[dict[str, Any]] = []
    for call, result in exchange.results:
        response = {"error" if result.is_error else "output": result.content}
        parts.append({"function_response": {"id": call.id or None, "name": call.tool, "response": response}})
    shown, text = shown_with(exchange, request.loaded, abilities)
    parts += [{"inline_data": {"mime_type": each.attachment.media_type, "data": each.data}} for each in shown]
    if text:
        parts.append({"text": text})
    return parts
