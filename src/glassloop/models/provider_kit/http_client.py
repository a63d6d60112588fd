"""The HTTP client under an SDK: its timeouts, its bound on what a server may send, and closing what is open.

One per model object and event loop. It knows nothing of providers; the SDK on top speaks their protocols.
`httpx2` is what all three SDKs stand on; it is imported here only once one of them is in use.
"""

from collections.abc import AsyncIterator, Awaitable
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, TypeVar, cast

import msgspec

from glassloop.core.errors import ModelRejected

if TYPE_CHECKING:
    import httpx2

MAX_BYTES = 256 * 1024 * 1024
"""Of one response, framing and all: tokens that each come in an event of their own weigh a hundredfold."""

MAX_EVENT_BYTES = 4 * 1024 * 1024
"""Of one event of a stream. SDKs collect an event before anyone can look at it, some in quadratic time."""

_LAST_BYTES = 64
_T = TypeVar("_T")
_opened: ContextVar["list[httpx2.Response] | None"] = ContextVar("_opened", default=None)


class HttpTimeouts(msgspec.Struct, frozen=True, kw_only=True):
    """How long to wait for a server, in seconds. `read_s` is the longest silence between two pieces of a reply."""

    connect_s: float = 10.0
    read_s: float = 120.0
    write_s: float = 30.0
    pool_s: float = 30.0


def open_client(patience: HttpTimeouts) -> "httpx2.AsyncClient":
    """A client whose every response is bounded, for an SDK to use. The caller closes it."""
    import httpx2

    timeout = httpx2.Timeout(
        connect=patience.connect_s, read=patience.read_s, write=patience.write_s, pool=patience.pool_s
    )

    class Bounded(httpx2.AsyncByteStream):
        def __init__(self, inner: httpx2.AsyncByteStream) -> None:
            self._inner = inner
            self.meter = _Meter()

        async def __aiter__(self) -> AsyncIterator[bytes]:
            async for piece in self._inner:
                self.meter.count(piece)
                yield piece

        async def aclose(self) -> None:
            await self._inner.aclose()

    async def set_timeouts(request: httpx2.Request) -> None:
        # An SDK's own idea of a timeout (none at all, for one of them) would otherwise win over the client's.
        request.extensions = {**request.extensions, "timeout": timeout.as_dict()}

    async def bound(response: httpx2.Response) -> None:
        if isinstance(response.stream, httpx2.AsyncByteStream):
            response.stream = Bounded(response.stream)
        opened = _opened.get()
        if opened is not None:
            opened.append(response)

    return httpx2.AsyncClient(
        timeout=timeout,
        limits=httpx2.Limits(max_connections=1000, max_keepalive_connections=100),
        # Compressed streams would be bounded before they grow, not after.
        headers={"accept-encoding": "identity"},
        event_hooks={"request": [set_timeouts], "response": [bound]},
    )


class _Meter:
    """Counts what comes, in all and since the last blank line, which is where an event ends; keeps the last bytes."""

    __slots__ = ("_all", "_event", "last")

    def __init__(self) -> None:
        self._all = self._event = 0
        self.last = b""

    def count(self, piece: bytes) -> None:
        self._all += len(piece)
        # The end of an event may itself be cut in two.
        seen = self.last + piece
        end = max(seen.rfind(b"\n\n"), seen.rfind(b"\n\r\n"))
        self._event = self._event + len(piece) if end < 0 else len(seen) - end
        self.last = seen[-_LAST_BYTES:]
        if self._all > MAX_BYTES or self._event > MAX_EVENT_BYTES:
            raise ModelRejected(
                f"The server sent more than a reply can be, {self._all} bytes so far: ask for less at once, "
                "or use another model."
            )


async def opening(first: Awaitable[_T]) -> "tuple[_T, list[httpx2.Response]]":
    """Awaits what opens a stream and hands back the responses it opened, for SDKs that keep theirs to themselves."""
    opened: list[httpx2.Response] = []
    token = _opened.set(opened)
    try:
        return await first, opened
    finally:
        _opened.reset(token)


async def plain_body(response: "httpx2.Response") -> dict[str, Any] | None:
    """The one JSON object that some servers send where a stream was asked for; None where a stream came, whatever it
    is called."""
    if not response.headers.get("content-type", "").lower().startswith("application/json"):
        return None
    body = await response.aread()
    return cast("dict[str, Any]", msgspec.json.decode(body)) if body.lstrip()[:1] == b"{" else None


def said_done(response: "httpx2.Response") -> bool:
    """Whether the stream ended with `[DONE]`, which SDKs keep to themselves."""
    meter = getattr(response.stream, "meter", None)
    return isinstance(meter, _Meter) and b"[DONE]" in meter.last
