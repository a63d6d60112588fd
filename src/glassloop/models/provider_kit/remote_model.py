"""Base of models behind an SDK: name, price, one HTTP client per event loop, and errors that are all ours.

An adapter adds how its SDK client is made, how a request is written, and a reader of the events that come back.
`resilient_model` retries.
"""

import asyncio
import hashlib
import warnings
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, AsyncExitStack, aclosing, asynccontextmanager
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType
from typing import TYPE_CHECKING, Any, ClassVar, Required, TypedDict, Unpack

import msgspec
from msgspec.structs import replace

from glassloop.core.errors import ModelError, ModelRejected, UsageError
from glassloop.core.messages import Abilities, AssistantMessage, Chunk, ModelRequest, Reply, Usage
from glassloop.core.records import Json
from glassloop.models.prices import PriceTag
from glassloop.models.provider_kit.attachments import load_attachments
from glassloop.models.provider_kit.effort import Effort
from glassloop.models.provider_kit.failures import FailureOrigin, from_body, refusal_of, shown, translate, unfinished
from glassloop.models.provider_kit.http_client import HttpTimeouts, open_client, plain_body
from glassloop.models.provider_kit.reply_builder import ReplyBuilder

if TYPE_CHECKING:
    import httpx2

THINKING_ROOM = 8_192
"""Tokens on top of a request's limit for models that think: providers count thoughts and reply together, and a limit
meant for the reply would often be spent before its first word."""

_TAIL_S = 1.0
_SILENCE_S = 10.0
_TELL_S = 15.0
_MAX_REFUSED = 64
_SCHEMA_WORDS = ("schema", "response_format", "output_config", "output_format", "text.format", "grammar", "json mode")
_KEPT_WORDS = ("encrypted", "signature", "thinking", "reasoning")


class RemoteOptions(TypedDict, total=False):
    """Options of every model behind an SDK. `per_million`: the user's own price, dollars for input and for output.
    `images`: the user's own word that it sees them. `learned` is told when the model turns out to be able to do less;
    it runs in a thread. `effort`: how long it may reason, where it does."""

    api_key: Required[str]
    base_url: str | None
    abilities: Abilities | None
    images: bool
    per_million: tuple[float, float] | None
    patience: HttpTimeouts | None
    learned: Callable[[Abilities], None] | None
    effort: Effort | None


class RemoteModel(ABC):
    """A `Model` behind an official SDK. `provider` names who can read a message's opaque part."""

    sdk: ClassVar[str]
    label: ClassVar[str]
    """The provider's name in the models' names, and of the extra that installs its SDK."""
    key_variable: ClassVar[str]
    address: ClassVar[str]
    example: ClassVar[str] = ""
    assumed: ClassVar[Abilities] = Abilities()

    def __init__(self, model: str, **options: Unpack[RemoteOptions]) -> None:
        require_sdk(self.sdk, self.label)
        self._url = options.get("base_url") or self.address
        self.origin = FailureOrigin(
            name=f"{self.label}:{model}",
            model=model,
            key_hint=self.key_variable,
            missing_hint=f"check the spelling, for example '{self.label}:{self.example}'",
            reach_hint=f"check the network and the address {shown(self._url)}",
            secret=options["api_key"],
        )
        self.provider = self.label
        self._price = PriceTag(provider=self.label, model=model, per_million=options.get("per_million"))
        self._images = options.get("images", False)
        self._abilities = self._completed(options.get("abilities"), self.assumed)
        self._patience = options.get("patience") or HttpTimeouts()
        self._learned = options.get("learned")
        self._effort = options.get("effort")
        self._refused_schemas: deque[bytes] = deque(maxlen=_MAX_REFUSED)
        self._client: Any = None
        self._http: httpx2.AsyncClient | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._opening: asyncio.Lock | None = None

    @property
    def name(self) -> str:
        return self.origin.name

    @property
    def abilities(self) -> Abilities:
        return self._abilities

    def _completed(self, given: Abilities | None, assumed: Abilities) -> Abilities:
        """What was found out, with what is assumed where nobody looked, and what the user says."""
        able = given or assumed
        images = True if self._images else assumed.images if able.images is None else able.images
        return replace(able, images=images, documents=assumed.documents if able.documents is None else able.documents)

    def quote(self, input_tokens: int, output_tokens: int) -> float | None:
        return self._price.cost(input_tokens, output_tokens)

    async def stream(self, request: ModelRequest) -> AsyncGenerator[Chunk, None]:
        try:
            client = await self._connect()
            request = await load_attachments(request, self._abilities)
            async with AsyncExitStack() as stack:
                reader, stream = self.reader(), await self._ask(stack, client, request)
                async for event in stream:
                    for chunk in reader.read(event):
                        yield chunk
                    if reader.stop is not None:
                        break
                async for event in _tail(stream, reader):
                    for chunk in reader.read(event):
                        reader.went_on = True
                        yield chunk
                if reader.stop is None:
                    raise unfinished(self.origin)
                yield reader.reply(reader.stop)
        except ModelError:
            raise
        except Exception as error:
            # Without the SDK's error behind it: that one may quote the key, and would be logged along.
            raise translate(error, self.origin) from None

    async def context_length(self) -> int | None:
        """The longest prompt in tokens, as the endpoint itself tells; None where it does not."""
        try:
            async with asyncio.timeout(_TELL_S):
                return await self.stated_context(await self._connect())
        except Exception:
            return None

    async def stated_context(self, client: Any) -> int | None:  # noqa: ARG002
        """For those who can ask; may raise anything."""
        return None

    async def aclose(self) -> None:
        """Closes the connections. The model can be used again and then opens new ones."""
        http, self._http, self._client = self._http, None, None
        if http is not None and self._loop is asyncio.get_running_loop():
            await http.aclose()

    @abstractmethod
    def connect(self, sdk: ModuleType, http: "httpx2.AsyncClient") -> Any:
        """The SDK's client on `http`, its own retries switched off. Runs in a thread."""

    @abstractmethod
    def wire(self, request: ModelRequest) -> dict[str, Any]:
        """`request` as the arguments of the SDK's call."""

    @abstractmethod
    def events(self, client: Any, wire: dict[str, Any]) -> AbstractAsyncContextManager[AsyncIterator[Any]]:
        """Sends `wire`; the SDK's events as they come. May raise anything, and closes its response when left."""

    @abstractmethod
    def reader(self) -> "EventReader":
        """Reads the events of one reply."""

    def usage(self, input_tokens: int, output_tokens: int, cached_tokens: int, written_tokens: int = 0) -> Usage:
        return Usage(
            input_tokens=input_tokens,
            output_tokens=output_tokens,
            cached_tokens=cached_tokens,
            cost=self._price.cost(
                input_tokens, output_tokens, cached_tokens=cached_tokens, written_tokens=written_tokens
            ),
        )

    def without_refused(self, request: ModelRequest, said: str) -> ModelRequest | None:
        """`request` to be sent once more after the provider refused it with these words, lowered; None where nothing
        in it could be left out. What is never taken is remembered, and `wire` no longer writes it."""
        if request.schema is not None and self._abilities.json_schema and any(word in said for word in _SCHEMA_WORDS):
            if request.answer_schema:
                self._refused_schemas.append(_digest(request.schema))
                return replace(request, schema=None)
            self._abilities = replace(self._abilities, json_schema=False)
            return request
        kept = any(isinstance(one, AssistantMessage) and one.opaque is not None for one in request.messages)
        if not kept or not any(word in said for word in _KEPT_WORDS):
            return None
        # Thoughts of another account or of a model that is gone: only these are refused, so nothing is remembered.
        bare = [replace(one, opaque=None) if isinstance(one, AssistantMessage) else one for one in request.messages]
        return replace(request, messages=bare)

    @asynccontextmanager
    async def sdk_events(
        self, events: Any, whole_reply: Callable[..., Any], at_end: Callable[[], Any] = lambda: None
    ) -> AsyncGenerator[AsyncIterator[Any], None]:
        """The events of an SDK's stream, or one `whole_reply` from a server that does not stream; then what `at_end`
        makes, unless that is None. Closes the stream."""

        async def told() -> AsyncGenerator[Any, None]:
            body = await plain_body(events.response)
            if body is not None and body.get("error"):
                raise from_body(body, self.origin)
            if body is not None:
                yield whole_reply(**body)
                return
            async for event in events:
                yield event
            if (last := at_end()) is not None:
                yield last

        try:
            async with aclosing(told()) as stream:
                yield stream
        finally:
            await events.close()

    async def _ask(self, stack: AsyncExitStack, client: Any, request: ModelRequest) -> AsyncIterator[Any]:
        """Sends the request; once more without what the provider refused in it, where that can be left out."""
        if request.answer_schema and request.schema and self._refused_schemas:
            request = replace(request, schema=None) if _digest(request.schema) in self._refused_schemas else request
        try:
            return aiter(await stack.enter_async_context(self.events(client, await self._written(request))))
        except ModelError:
            raise
        except Exception as error:
            said, before = refusal_of(error), self._abilities
            lesser = self.without_refused(request, said.lower()) if said else None
            if lesser is None:
                raise
        if self._learned is not None and self._abilities != before:
            await asyncio.to_thread(self._learned, self._abilities)
        return aiter(await stack.enter_async_context(self.events(client, await self._written(lesser))))

    async def _written(self, request: ModelRequest) -> dict[str, Any]:
        """Megabytes of images are written in a thread."""
        return await asyncio.to_thread(self._write, request) if request.loaded else self._write(request)

    def _write(self, request: ModelRequest) -> dict[str, Any]:
        try:
            return self.wire(request)
        except Exception as error:
            raise ModelRejected(
                f"{self.name}: this request cannot be written down ({self.origin.clean(str(error))}): "
                "check the tools' schemas."
            ) from None

    async def _connect(self) -> Any:
        loop = asyncio.get_running_loop()
        if self._loop is not loop:
            # Connections belong to the loop they were opened on; that one is gone.
            self._loop, self._opening = loop, asyncio.Lock()
            self._client = self._http = None
        if self._client is None and self._opening is not None:
            async with self._opening:
                if self._client is None:
                    # SDKs take seconds to import: other turns go on meanwhile.
                    self._http, self._client = await asyncio.to_thread(self._open)
        return self._client

    def _open(self) -> "tuple[httpx2.AsyncClient, Any]":
        sdk = _import(self.sdk)
        self._price.prepare()
        http = open_client(self._patience)
        return http, self.connect(sdk, http)


class EventReader(ABC):
    """The events of one stream, read one by one. `stop` is why the reply ended, in the provider's word."""

    def __init__(self, model: RemoteModel) -> None:
        self._model = model
        self._draft = ReplyBuilder(model.origin)
        self.stop: str | None = None
        self.ended = False
        """The stream itself said that it is over: no word of the reply can follow."""
        self.went_on = False
        """Words followed the reason to stop: it was none."""

    @abstractmethod
    def read(self, event: Any) -> list[Chunk]:
        """The chunks that an event brings."""

    @abstractmethod
    def reply(self, stop: str) -> Reply:
        """The whole reply, once it has ended."""


async def _tail(events: AsyncIterator[Any], reader: EventReader) -> AsyncGenerator[Any, None]:
    """What comes after the reason to stop: mostly the usage. Some servers give a reason with every piece, or too early,
    so it is read like all the rest. Neither silence nor a failure takes the reply back, unless it went on."""
    try:
        while reader.stop is not None:
            async with asyncio.timeout(_TAIL_S if reader.ended else _SILENCE_S):
                event = await anext(events)
            yield event
    except StopAsyncIteration:
        return
    except Exception:
        if reader.went_on and not reader.ended:
            raise


def _digest(schema: dict[str, Json]) -> bytes:
    return hashlib.sha256(msgspec.json.encode(schema)).digest()


def count(value: Any) -> int:
    """A number of tokens as a provider reported it, or 0 for anything else."""
    return value if isinstance(value, int) and value > 0 else 0


def require_sdk(module: str, extra: str) -> None:
    """Raises `UsageError` where the SDK is not installed; looks for it without importing it."""
    try:
        found = find_spec(module)
    except ModuleNotFoundError:
        found = None
    if found is None:
        raise UsageError(f"The package {module!r} is not installed: pip install 'glassloop[{extra}]'.")


def _import(module: str) -> ModuleType:
    with warnings.catch_warnings():
        # google-genai has such a literal; where warnings are errors, its first import would fail.
        warnings.filterwarnings("ignore", message="invalid escape sequence")
        return import_module(module)
