"""A real server on a port of this machine, for what can only be seen on a connection: streams, cuts, abuse."""

import asyncio
import socket
import time
from contextlib import asynccontextmanager, nullcontext

import uvicorn

from glassloop.server.http.http_protocol import BoundedHttp
from glassloop.server.http.sockets import SOCKET_OPTIONS, BoundedSocket

START_S = 60.0


class _Server(uvicorn.Server):
    def capture_signals(self):
        """Signals stay the test's."""
        return nullcontext()


@asynccontextmanager
async def listening(app, *, port=0, http=BoundedHttp, **options):
    """The address of a server of this app; at the end it is gone, with whatever was still open."""
    # Named, the protocol is inherited by its connections, and only of those asyncio switches off waiting for acks.
    place = socket.socket(proto=socket.IPPROTO_TCP)
    place.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    place.bind(("127.0.0.1", port))
    config = uvicorn.Config(
        app,
        http=http,
        ws=BoundedSocket,
        log_config=None,
        lifespan="off",
        access_log=False,
        proxy_headers=False,
        timeout_graceful_shutdown=1,
        **{**SOCKET_OPTIONS, **options},
    )
    server = _Server(config)
    task = asyncio.ensure_future(server.serve(sockets=[place]))
    end = time.monotonic() + START_S
    while not server.started:
        assert time.monotonic() < end and not task.done(), "the server did not start"
        await asyncio.sleep(0.005)
    try:
        yield f"http://127.0.0.1:{place.getsockname()[1]}"
    finally:
        server.should_exit = True
        await task
        place.close()
