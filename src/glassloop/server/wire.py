"""The connection itself: heads of requests that never end, or never come, are cut off before they are requests.

uvicorn counts neither the bytes of a head nor the time it takes; everything after the head is the application's.
For `uvicorn.Config(http=BoundedHttp)`.
"""

import asyncio
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

MOST_HEAD_BYTES = 65_536
HEAD_S = 20.0


class BoundedHttp(HttpToolsProtocol):
    """HTTP/1.1 with a limit on how large a head may be and how long it may take."""

    head_s = HEAD_S
    _head: int | None = 0
    _trailers = 0
    _deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # pyright: ignore[reportIncompatibleMethodOverride]
        super().connection_made(transport)
        self._await_head()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_waiting()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        if self._deadline is None and (not self.cycle or self.cycle.response_complete):
            self._await_head()
        if self._head is not None:
            if self._head > MOST_HEAD_BYTES:
                self._refuse()
                return
            # A body may come with it: so the bound is this and what is read at once.
            self._head += len(data)
        super().data_received(data)

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self._head = self._trailers = 0
        if self._deadline is None:
            self._await_head()

    def on_header(self, name: bytes, value: bytes) -> None:
        if self._head is None:
            # After the body: nobody asks for these.
            self._trailers += len(name) + len(value)
            if self._trailers > MOST_HEAD_BYTES:
                self._refuse()
            return
        super().on_header(name, value)

    def on_headers_complete(self) -> None:
        self._head = None
        self._stop_waiting()
        super().on_headers_complete()

    def _await_head(self) -> None:
        self._deadline = self.loop.call_later(self.head_s, self._refuse)

    def _stop_waiting(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _refuse(self) -> None:
        self._stop_waiting()
        transport: Any = self.transport
        if not transport.is_closing():
            transport.close()
