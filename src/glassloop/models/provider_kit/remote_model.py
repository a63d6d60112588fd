"""Base of models behind an SDK: name, price, one HTTP client per event loop, and errors that are all ours.

An adapter adds two things: how its SDK client is made, and how a request becomes chunks. `resilient_model` retries.
"""

import asyncio
import warnings
from abc import ABC, abstractmethod
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import aclosing
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType
from typing import TYPE_CHECKING, Any

from glassloop.core.errors import ModelError, ModelRejected, UsageError
from glassloop.core.messages import Abilities, Chunk, ModelRequest, Usage
from glassloop.models.prices import PriceTag
from glassloop.models.provider_kit.failures import FailureOrigin, translate
from glassloop.models.provider_kit.http_client import HttpTimeouts, open_client

if TYPE_CHECKING:
    import httpx2

THINKING_ROOM = 8_192
"""Tokens on top of a request's limit for models that think: providers count thoughts and reply together, and a limit
meant for the reply would often be spent before its first word."""

_TAIL_S = 1.0
_TELL_S = 15.0


class RemoteModel(ABC):
    """A `Model` behind an official SDK. `provider` names who can read a message's opaque part."""

    sdk: str
    extra: str

    def __init__(
        self,
        origin: FailureOrigin,
        price: PriceTag,
        *,
        abilities: Abilities,
        provider: str,
        patience: HttpTimeouts | None = None,
    ) -> None:
        require_sdk(self.sdk, self.extra)
        self.origin = origin
        self.provider = provider
        self._price = price
        self._abilities = abilities
        self._patience = patience or HttpTimeouts()
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
            async with aclosing(self.converse(client, wire)) as chunks:
                async for chunk in chunks:
                    yield chunk
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
    def converse(self, client: Any, wire: dict[str, Any]) -> AsyncGenerator[Chunk, None]:
        """Sends `wire` and reads the stream to its `Reply`; may raise anything, and closes its response when closed."""

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


async def read_tail(events: AsyncIterator[Any], note: Callable[[Any], None] | None = None) -> None:
    """Reads what still comes after the end marker, so that the connection can be used again; waits only briefly.

    Nothing that goes wrong here can take the reply back.
    """
    try:
        async with asyncio.timeout(_TAIL_S):
            async for event in events:
                if note is not None:
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
