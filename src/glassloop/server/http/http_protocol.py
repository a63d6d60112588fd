"""HTTP connection: cuts off request heads that are too long or never complete, bounds how many connections of an
address wait without one, and disconnects clients that do not read.

uvicorn counts neither the bytes of a head nor the time it takes, waits for ever for a client that does not read, and
tells only the last of several requests of a connection that it is gone; everything after the head is the application's.
For `uvicorn.Config(http=BoundedHttp)`.
"""

import asyncio
from typing import Any

from fastapi import Request
from uvicorn.protocols.http.flow_control import service_unavailable
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle

from glassloop.server.auth.request_info import counted_as
from glassloop.server.http import errors
from glassloop.server.http.responses import ALWAYS, SecurityHeaders
from glassloop.server.http.waiting_connections import waiting_connections

MAX_HEAD_BYTES = 65_536
HEAD_S = 20.0
STALLED_S = 60.0
"""A client that takes nothing of what waits for it is let go after this long."""


FULL = "This server has reached its connection limit (GLASSLOOP_MAX_CONNECTIONS): try again in a moment."
_FULL_HEADERS = {"connection": "close", "retry-after": "1"}


async def refuse_full(scope: Any, receive: Any, send: Any) -> None:
    """In place of uvicorn's own answer at its limit, which has none of our headers."""
    answer = errors.answer(Request(scope), 503, FULL, "system_error", headers=_FULL_HEADERS)
    await answer(scope, receive, SecurityHeaders(send))


def _full_handshake() -> bytes:
    """The same to a handshake, which no application answers."""
    lines = [b"HTTP/1.1 503 Service Unavailable", b"content-type: text/plain; charset=utf-8", b"connection: close"]
    lines += [b"%s: %s" % header for header in ALWAYS]
    return b"\r\n".join([*lines, b"content-length: %d" % len(FULL), b"", FULL.encode()])


class BoundedHttp(HttpToolsProtocol):
    """HTTP/1.1 with a limit on how large a head may be and how long it may take."""

    head_s = HEAD_S
    stalled_s = STALLED_S
    _answering: RequestResponseCycle | None = None
    _stalled: asyncio.TimerHandle | None = None
    _head: int | None = 0
    _trailers = 0
    _address = ""
    _deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # pyright: ignore[reportIncompatibleMethodOverride]
        super().connection_made(transport)
        self._address = counted_as(self.client[0]) if self.client else ""
        self._wait()
        self._await_head()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_waiting()
        self._wait_no_more()
        self._stop_watching()
        super().connection_lost(exc)
        answering = self._answering
        if answering is not None and not answering.response_complete:
            # The request that is being answered need not be the last that came.
            answering.disconnected = True
            answering.message_event.set()

    def pause_writing(self) -> None:
        super().pause_writing()
        self._watch(self.transport.get_write_buffer_size())

    def resume_writing(self) -> None:
        self._stop_watching()
        super().resume_writing()

    def data_received(self, data: bytes) -> None:
        if self._deadline is None and (not self.cycle or self.cycle.response_complete):
            self._await_head()
        if self._head is not None:
            if self._head > MAX_HEAD_BYTES:
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
            if self._trailers > MAX_HEAD_BYTES:
                self._refuse()
            return
        super().on_header(name, value)

    def on_headers_complete(self) -> None:
        self._head = None
        self._stop_waiting()
        self._wait_no_more()
        super().on_headers_complete()

    def handle_websocket_upgrade(self) -> None:
        """uvicorn counts connections that become sockets, and refuses none."""
        under_way = max(len(self.connections), len(self.tasks))
        if self.limit_concurrency is not None and under_way >= self.limit_concurrency:
            self.transport.write(_full_handshake())
            self.transport.close()
        else:
            super().handle_websocket_upgrade()

    def _start_asgi_task(self, cycle: RequestResponseCycle, app: Any) -> None:
        self._answering = cycle
        super()._start_asgi_task(cycle, refuse_full if app is service_unavailable else app)

    def on_response_complete(self) -> None:
        super().on_response_complete()
        if self.cycle.response_complete and not self.transport.is_closing():
            self._wait()

    def close_waiting(self) -> None:
        """Another connection of the same address needs the place."""
        self._refuse()

    def _wait(self) -> None:
        waiting_connections(self.server_state, self.limit_concurrency).add(self._address, self)

    def _wait_no_more(self) -> None:
        waiting_connections(self.server_state, self.limit_concurrency).remove(self._address, self)

    def _watch(self, waiting: int) -> None:
        self._stalled = self.loop.call_later(self.stalled_s, self._check, waiting)

    def _check(self, waited: int) -> None:
        waiting = self.transport.get_write_buffer_size()
        if waiting < waited:
            self._watch(waiting)
        else:
            # Closing would wait for what is never taken.
            self.transport.abort()

    def _stop_watching(self) -> None:
        if self._stalled is not None:
            self._stalled.cancel()
            self._stalled = None

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
