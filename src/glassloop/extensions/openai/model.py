"""Chat Completions: everything that speaks it, such as Ollama, vLLM, llama.cpp, LM Studio and OpenRouter.

Endpoints differ in small ways (which token limit, who takes a temperature, who wants reasoning back); those differences
live in `Dialect`. OpenAI's own endpoint is asked through `responses`.
"""

import re
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from types import ModuleType, SimpleNamespace
from typing import TYPE_CHECKING, Any, Unpack, cast
from urllib.parse import urlsplit

import msgspec
from msgspec.structs import replace

from glassloop.core.messages import Abilities, AssistantMessage, CallChunk, Chunk, ModelRequest, Reply, StopReason
from glassloop.core.records import Json
from glassloop.extensions.openai.attachments import chat_content, sees_at_openai, sees_by_name
from glassloop.extensions.openai.context_length import context_of, mapping_of, ollama_context
from glassloop.models.provider_kit.call_arguments import arguments_text, read_arguments, writable
from glassloop.models.provider_kit.failures import shown
from glassloop.models.provider_kit.http_client import said_done
from glassloop.models.provider_kit.remote_model import THINKING_ROOM, EventReader, RemoteModel, RemoteOptions, count
from glassloop.models.provider_kit.reply_builder import CallBuilder
from glassloop.models.provider_kit.strict_schema import is_strict, object_schema
from glassloop.models.provider_kit.transcript import Exchange, exchanges

if TYPE_CHECKING:
    import httpx2

BASE_URL = "https://api.openai.com/v1"

_STOPS: dict[str, StopReason] = {
    "stop": "end_turn",
    "tool_calls": "tool_use",
    "function_call": "tool_use",
    "length": "max_tokens",
    "content_filter": "filtered",
}
_OFFICIAL_HOSTS = (".openai.com", ".openai.azure.com", ".services.ai.azure.com")
_DONE = object()
_THINKING = re.compile(r"(?:gpt-(\d+)(?:\.(\d+))?|o\d)(?![\d])")
_REASONING = ("reasoning_content", "reasoning")
_DETAILS = "reasoning_details"


class Dialect(msgspec.Struct, frozen=True, kw_only=True):
    """What a request to this model at this endpoint may say."""

    limit: str = "max_tokens"
    temperature: bool = True
    thinks: bool = False
    no_effort_with_tools: bool = False
    native_tools: bool = True


class OpenAIModel(RemoteModel):
    """`local`: Ollama is what answers, and its name stands in the model's."""

    sdk = label = "openai"
    key_variable = "OPENAI_API_KEY"
    address = BASE_URL

    def __init__(self, model: str, *, local: bool = False, **options: Unpack[RemoteOptions]) -> None:
        super().__init__(model, **options)
        label, url = "ollama" if local else self.label, self._url
        host = urlsplit(url).hostname or url
        official = f".{host}".endswith(_OFFICIAL_HOSTS)
        place = f"the address {shown(url)}"
        self.origin = replace(
            self.origin,
            name=f"{label}:{model}",
            key_hint="the address of Ollama" if local else self.key_variable,
            missing_hint=f"get it with `ollama pull {model}`" if local else f"check the spelling and {place}",
            reach_hint=f"start it with `ollama serve`, or check {place}" if local else f"check the network and {place}",
        )
        # The tables know the provider's own endpoint by name and the others, Azure's too, by their address.
        own = host == urlsplit(BASE_URL).hostname
        self._price = replace(self._price, provider=label, base_url="" if own else url, local=local)
        self._local = local
        self._takes_effort = True
        self._dialect = dialect_of(model) if official else Dialect()
        assumed = _abilities(model, self._dialect, official=official, local=local)
        self._abilities = self._completed(options.get("abilities"), assumed)
        # Another endpoint's reasoning means nothing to this one, even under the same name.
        self.provider = label if official or local else f"{label}@{host}"

    def connect(self, sdk: ModuleType, http: "httpx2.AsyncClient") -> Any:
        return sdk.AsyncOpenAI(api_key=self.origin.secret, base_url=self._url, http_client=http, max_retries=0)

    def wire(self, request: ModelRequest) -> dict[str, Any]:
        dialect = self._dialect
        silent = dialect.no_effort_with_tools and bool(request.tools)
        thinking = THINKING_ROOM if dialect.thinks and not silent else 0
        wire: dict[str, Any] = {
            "model": self.origin.model,
            "messages": _messages(request, self.provider, self._abilities),
            "stream": True,
            "stream_options": {"include_usage": True},
            dialect.limit: request.max_tokens + thinking,
        }
        if dialect.temperature:
            wire["temperature"] = request.temperature
        if request.tools:
            if request.tool_choice == "none":
                wire["tool_choice"] = "none"
            wire["tools"] = [
                {
                    "type": "function",
                    "function": {
                        "name": tool.name,
                        "description": tool.description,
                        "parameters": object_schema(tool.parameters),
                    },
                }
                for tool in request.tools
            ]
        if silent:
            wire["reasoning_effort"] = "none"
        elif self._effort is not None and self._takes_effort:
            wire["reasoning_effort"] = self._effort
        if request.schema is not None and self.abilities.json_schema:
            shape = {"name": request.purpose, "schema": request.schema, "strict": is_strict(request.schema)}
            wire["response_format"] = {"type": "json_schema", "json_schema": shape}
        return wire

    async def stated_context(self, client: Any) -> int | None:
        if not self._local:
            return context_of(await client.models.retrieve(self.origin.model))
        if self._http is None:
            return None
        address = f"{self._url.removesuffix('/v1')}/api/show"
        return ollama_context((await self._http.post(address, json={"model": self.origin.model})).content)

    @asynccontextmanager
    async def events(self, client: Any, wire: dict[str, Any]) -> AsyncGenerator[AsyncIterator[Any], None]:
        from openai.types.chat import ChatCompletion

        stream = await client.chat.completions.create(**wire)
        async with self.sdk_events(
            stream, ChatCompletion.construct, lambda: _DONE if said_done(stream.response) else None
        ) as events:
            yield events

    def without_refused(self, request: ModelRequest, said: str) -> ModelRequest | None:
        dialect = self._dialect
        # A model under a name of the user's own is not known for one that thinks until it says so.
        if self._effort is not None and self._takes_effort and "effort" in said:
            self._takes_effort = False
        elif dialect.temperature and "temperature" in said:
            self._dialect = replace(dialect, temperature=False)
        elif dialect.limit == "max_tokens" and "max_completion_tokens" in said:
            self._dialect = replace(dialect, limit="max_completion_tokens")
        else:
            return super().without_refused(request, said)
        return request

    def reader(self) -> EventReader:
        return _Reader(self)


class _Reader(EventReader):
    """A reply of deltas. The usage comes after the end, in a chunk of its own."""

    def __init__(self, model: OpenAIModel) -> None:
        super().__init__(model)
        self._calls: dict[int, CallBuilder] = {}
        self._kept: dict[str, list[Any]] = {}
        self._usage: Any = None
        self._refused = False

    def read(self, event: Any) -> list[Chunk]:
        if event is _DONE:
            # Some servers never say why they stop; that this was all of it they do say.
            self.stop, self.ended = self.stop or "stop", True
            return []
        self._usage = getattr(event, "usage", None) or _groq_usage(event) or self._usage
        choices = event.choices
        if not choices:
            return []
        choice = choices[0]
        # What came in one piece is whole, whether it gives a reason or not.
        whole = "stop" if getattr(event, "object", "") == "chat.completion" else None
        self.stop = choice.finish_reason or self.stop or whole
        delta = getattr(choice, "delta", None) or getattr(choice, "message", None)
        if delta is None:
            return []
        made: list[Chunk] = []
        thought, text = _content(delta.content) if delta.content else ("", "")
        thought = self._reasoning(delta) or thought
        if thought:
            made.append(self._draft.add_thought(thought))
        if text:
            made.append(self._draft.add_text(text))
        if delta.refusal:
            self._refused = True
            made.append(self._draft.add_text(delta.refusal))
        for piece in delta.tool_calls or ():
            made.extend(self._call(piece.function, getattr(piece, "index", None), piece.id or ""))
        legacy = delta.function_call
        if legacy is not None and (legacy.name or legacy.arguments):
            made.extend(self._call(legacy, 0, ""))
        return made

    def reply(self, stop: str) -> Reply:
        usage = self._usage
        details = getattr(usage, "prompt_tokens_details", None)
        return self._draft.finish(
            "refusal" if self._refused else _STOPS.get(stop, "other"),
            self._model.usage(
                count(getattr(usage, "prompt_tokens", None)),
                count(getattr(usage, "completion_tokens", None)),
                count(getattr(details, "cached_tokens", None)),
                count(getattr(details, "cache_write_tokens", None)),
            ),
            provider=self._model.provider,
            opaque=self._opaque(),
            reason=stop,
        )

    def _opaque(self) -> dict[str, Json] | None:
        kept: dict[str, Json] = {word: "".join(self._kept[word]) for word in _REASONING if word in self._kept}
        if _DETAILS in self._kept:
            kept[_DETAILS] = self._kept[_DETAILS]
        return kept or None

    def _reasoning(self, delta: Any) -> str:
        """Thought under either of its names, kept under the one it came with; the SDK knows neither."""
        extra = cast("dict[str, Any]", delta.model_extra or {})
        thought = ""
        for word in _REASONING:
            text = extra.get(word)
            if isinstance(text, str) and text and not thought:
                thought = writable(text)
                self._kept.setdefault(word, []).append(thought)
        details = extra.get(_DETAILS)
        if isinstance(details, list):
            self._draft.count(len(msgspec.json.encode(details)))
            self._kept.setdefault(_DETAILS, []).extend(cast("list[Any]", details))
        return thought

    def _call(self, function: Any, index: int | None, call_id: str) -> list[Chunk]:
        name = getattr(function, "name", None) or ""
        arguments = arguments_text(getattr(function, "arguments", None))
        if not isinstance(index, int):
            index = len(self._calls) - (0 if name else 1)
        call = self._calls.get(index)
        made: list[Chunk] = []
        if call is None or (name and self._is_another(call, call_id, arguments)):
            call = self._calls[index] = self._draft.open_call(call_id, name)
            made.append(CallChunk(call.index, call.name))
        elif name:
            made.append(self._draft.name_call(call, name))
        if arguments:
            made.append(self._draft.add_arguments(call, arguments))
        return made

    def _is_another(self, call: CallBuilder, call_id: str, arguments: str) -> bool:
        """Some servers give every call the same index: another id with a name is another call, and so is a name with
        arguments after whole ones. Without either it is more of the name, or the name again."""
        if call_id and call.id:
            return call_id != call.id
        return bool(arguments and call.pieces) and read_arguments(call.text, mend=False) is not None


def _groq_usage(event: Any) -> Any:
    """Where Groq puts the tokens of a stream."""
    extra = cast("dict[str, Any]", event.model_extra or {})
    return SimpleNamespace(**mapping_of(mapping_of(extra.get("x_groq")).get("usage"))) if "x_groq" in extra else None


def _content(content: Any) -> tuple[str, str]:
    """Thought and text of content that is a text, or a list of parts as some reasoning models have it."""
    if isinstance(content, str):
        return "", content
    thought, text = "", ""
    for part in cast("list[Any]", content) if isinstance(content, list) else ():
        given = mapping_of(part)
        inner = given.get("thinking")
        if inner is not None:
            thought += _content(inner)[1]
        else:
            text += str(given.get("text") or "")
    return thought, text


def takes_responses(model: str, base_url: str | None) -> bool:
    """Whether the endpoint speaks the Responses API for certain: OpenAI's own for all, Azure's for what it runs of
    OpenAI's thinking models."""
    host = f".{urlsplit(base_url or BASE_URL).hostname}"
    return host.endswith(".openai.com") or (host.endswith(_OFFICIAL_HOSTS) and dialect_of(model).thinks)


def dialect_of(model: str) -> Dialect:
    """OpenAI's own rules by model name. From 5.6 on, Chat Completions takes tools only from a model told not to reason;
    those that cannot be told so take none, and are better asked for JSON."""
    found = _THINKING.match(model)
    if found is None:
        return Dialect(limit="max_completion_tokens")
    version = (int(found.group(1) or 0), int(found.group(2) or 0))
    if found.group(1) is not None and version < (5, 0):
        return Dialect(limit="max_completion_tokens")
    silent = version >= (5, 6)
    deaf = model.startswith(("gpt-6-astra", "gpt-6.1-sol"))
    return Dialect(
        limit="max_completion_tokens",
        temperature=False,
        thinks=True,
        no_effort_with_tools=silent and not deaf,
        native_tools=not deaf,
    )


def _abilities(model: str, dialect: Dialect, *, official: bool, local: bool) -> Abilities:
    if official:
        sees = sees_at_openai(model)
        return Abilities(
            native_tools=dialect.native_tools, json_schema=True, context_tokens=128_000, images=sees, documents=sees
        )
    # Of other servers nothing is known for certain: tools are usual, schemas are not, and names tell who sees.
    context = 8_192 if local else 32_768
    return Abilities(native_tools=True, json_schema=local, context_tokens=context, images=sees_by_name(model))


def _messages(request: ModelRequest, provider: str, abilities: Abilities) -> list[dict[str, Any]]:
    made: list[dict[str, Any]] = []
    if request.system.strip():
        made.append({"role": "system", "content": request.system})
    for exchange in exchanges(request.messages):
        if exchange.assistant is not None:
            made.append(_assistant(exchange, exchange.assistant, provider))
        made.extend(
            {"role": "tool", "tool_call_id": call.id, "content": observation(result.content, result.is_error)}
            for call, result in exchange.results
        )
        if content := chat_content(exchange, request, abilities):
            made.append({"role": "user", "content": content})
    return made


def _assistant(exchange: Exchange, message: AssistantMessage, provider: str) -> dict[str, Any]:
    made: dict[str, Any] = {"role": "assistant", "content": message.text or (None if message.calls else "")}
    if message.calls:
        made["tool_calls"] = [
            {
                "id": call.id,
                "type": "function",
                "function": {"name": call.tool, "arguments": msgspec.json.encode(call.args).decode()},
            }
            for call in message.calls
        ]
    # Endpoints that send reasoning want it back while the turn runs, and some refuse it afterwards.
    if exchange.open and message.provider == provider and isinstance(message.opaque, dict):
        kept = cast("dict[str, Json]", message.opaque)
        made.update({word: kept[word] for word in (*_REASONING, _DETAILS) if word in kept})
    return made


def observation(content: str, is_error: bool) -> str:
    """The API has no field for failure, so the text must say it."""
    return f"Error: {content}" if is_error and not content.lower().startswith("error") else content
