"""Base of models behind an SDK: name, price, one HTTP client per event loop, and errors that are all ours.

An adapter adds how its SDK client is made, how a request is written, and a reader of the events that come back.
`resilient_model` retries.
"""

import asyncio
import warnings
from abc import ABC, abstractmethod
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType
from typing import TYPE_CHECKING, Any, ClassVar, Required, TypedDict, Unpack

from glassloop.core.errors import ModelError, ModelRejected, UsageError
from glassloop.core.messages import Abilities, Chunk, ModelRequest, Reply, Usage
from glassloop.models.prices import PriceTag
from glassloop.models.provider_kit.failures import FailureOrigin, shown, translate, unfinished
from glassloop.models.provider_kit.http_client import HttpTimeouts, open_client
from glassloop.models.provider_kit.reply_builder import ReplyBuilder

if TYPE_CHECKING:
    import httpx2

THINKING_ROOM = 8_192
"""Tokens on top of a request's limit for models that think: providers count thoughts and reply together, and a limit
meant for the reply would often be spent before its first word."""

_TAIL_S = 1.0
_TELL_S = 15.0


class RemoteOptions(TypedDict, total=False):
    """Options of every model behind an SDK. `per_million`: the user's own price, dollars for input and for output."""

    api_key: Required[str]
    base_url: str | None
    abilities: Abilities | None
    per_million: tuple[float, float] | None
    patience: HttpTimeouts | None


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
        self._abilities = options.get("abilities") or self.assumed
        self._patience = options.get("patience") or HttpTimeouts()
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

    def quote(self, input_tokens: int, output_tokens: int) -> float | None:
        return self._price.cost(input_tokens, output_tokens)

    async def stream(self, request: ModelRequest) -> AsyncGenerator[Chunk, None]:
        try:
            client = await self._connect()
            try:
                wire = self.wire(request)
            except Exception as error:
                raise ModelRejected(
                    f"{self.name}: this request cannot be written down ({self.origin.clean(str(error))}): "
                    "check the tools' schemas."
                ) from None
            async with self.events(client, wire) as events:
                reader, stream = self.reader(), aiter(events)
                async for event in stream:
                    for chunk in reader.read(event):
                        yield chunk
                    if reader.ended:
                        await _read_tail(stream, reader.count_usage)
                        break
                if not reader.ended or reader.stop is None:
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

    @property
    def ended(self) -> bool:
        return self.stop is not None

    @abstractmethod
    def read(self, event: Any) -> list[Chunk]:
        """The chunks that an event brings."""

    @abstractmethod
    def count_usage(self, event: Any) -> None:
        """Takes the tokens of an event, also of those after the end."""

    @abstractmethod
    def reply(self, stop: str) -> Reply:
        """The whole reply, once it has ended."""


async def _read_tail(events: AsyncIterator[Any], note: Callable[[Any], None]) -> None:
    """Reads what still comes after the end marker, so that the connection can be used again; waits only briefly.

    Nothing that goes wrong here can take the reply back.
    """
    try:
        async with asyncio.timeout(_TAIL_S):
            async for event in events:
                note(event)
    except Exception:
        return


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
