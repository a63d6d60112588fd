"""A server from its settings to its end: the socket, the runtime, the application, uvicorn, and an orderly stop.

Stopping: nothing new is accepted, streams that clients can resume elsewhere end at once, other requests may finish,
the turns of those that do not are stopped, then the runtime hands the others over. Signals are the command's business.
"""

import asyncio
import errno
import os
import socket
import sys
from collections.abc import AsyncGenerator, Generator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from typing import NamedTuple, TypedDict, Unpack

import msgspec
import uvicorn
from fastapi import FastAPI

from glassloop.core.errors import UsageError
from glassloop.runtime.assistants.agent import Agent
from glassloop.runtime.assistants.agent_parts.prefixes import PrefixReader
from glassloop.runtime.assistants.agents import Make
from glassloop.runtime.build import open_runtime
from glassloop.runtime.child_processes.cpu_child import cpu_child
from glassloop.runtime.durable.runtime import Runtime
from glassloop.runtime.extensions import Extension
from glassloop.runtime.models import default_model
from glassloop.runtime.settings import Settings
from glassloop.server.app import create_app
from glassloop.server.auth.authentication import Authenticator
from glassloop.server.auth.startup import check_binding, ensure_admin_token
from glassloop.server.gc_tuning import tuned_gc
from glassloop.server.http.access_middleware import AccessMiddleware
from glassloop.server.http.http_protocol import BoundedHttp
from glassloop.server.http.root_path import check_root_path
from glassloop.server.http.sockets import SOCKET_OPTIONS, BoundedSocket
from glassloop.server.observability.metrics import Telemetry

BACKLOG = 2048
KEEP_ALIVE_S = 5
OTHER_FILES = 256
"""Files that are open beside connections: the database, logs, models."""
_NOT_HERE = "--host {!r} is not an address of this machine: use 127.0.0.1, or 0.0.0.0 for all interfaces."


class StopTimes(msgspec.Struct, frozen=True, kw_only=True):
    """How long things may take when the server stops, in seconds."""

    drain_s: float = 0.0
    """Whoever spreads requests, to notice that none should be sent here any more."""
    requests_s: int = 10
    """Requests, to finish."""
    answers_s: float = 8.0
    """Turns that only their request waits for: what is left is for telling its client."""
    turns_s: float = 10.0
    """Other turns after that, to end the phase they are in."""


class _Server(uvicorn.Server):
    @contextmanager
    def capture_signals(self) -> Generator[None, None, None]:
        """Leaves them to the command."""
        yield


class RuntimeOptions(TypedDict, total=False):
    """Options of `open_runtime` that servers take too."""

    agents: Sequence[Agent]
    extensions: Sequence[Extension]
    make: Make | None
    queue: bool
    runs_turns: bool


class OpenedApp(NamedTuple):
    """The application around a runtime that is open; `access` is called in its place, counts requests and ends them."""

    app: FastAPI
    access: AccessMiddleware


class RunningServer:
    """A server that is open. `admin_token` is there on the first start only, to be told once."""

    def __init__(
        self,
        opened: OpenedApp,
        sockets: Sequence[socket.socket],
        settings: Settings,
        host: str,
        grace: StopTimes,
    ) -> None:
        self.app, self._access = opened
        self.runtime: Runtime = self.app.state.runtime
        self.model = default_model(settings)
        self.admin_token: str | None = None
        address = f"{f'[{host}]' if ':' in host else host}:{sockets[0].getsockname()[1]}"
        self.url = f"http://{address}{(settings.root_path or '').rstrip('/')}"
        self._sockets = list(sockets)
        self._grace = grace
        config = uvicorn.Config(
            self._access,
            http=BoundedHttp,
            ws=BoundedSocket,
            **SOCKET_OPTIONS,
            loop="none",
            lifespan="off",
            log_config=None,
            access_log=False,
            proxy_headers=False,
            server_header=False,
            backlog=BACKLOG,
            limit_concurrency=room_for(settings.max_connections),
            timeout_keep_alive=KEEP_ALIVE_S,
            timeout_graceful_shutdown=grace.requests_s,
        )
        self._server = _Server(config)

    async def run(self, stopping: asyncio.Event, draining: asyncio.Event | None = None) -> None:
        """Serves until `stopping` is set, then lets requests end. Where `draining` is set first, requests are still
        answered for a while, and `/readyz` says that there should be none."""
        with tuned_gc():
            serving = asyncio.create_task(self._server.serve(self._sockets))
            stopped = asyncio.create_task(stopping.wait())
            drains = asyncio.create_task((draining or stopping).wait())
            try:
                await asyncio.wait([serving, stopped, drains], return_when=asyncio.FIRST_COMPLETED)
                self.app.state.stopping = True
                if self._grace.drain_s:
                    await asyncio.wait(
                        [serving, stopped], timeout=self._grace.drain_s, return_when=asyncio.FIRST_COMPLETED
                    )
                self._access.close()
                self._server.should_exit = True
                await asyncio.wait([serving], timeout=self._grace.answers_s)
                await self.app.state.request_turns.aclose()
                await serving
            finally:
                stopped.cancel()
                drains.cancel()


@asynccontextmanager
async def open_serving(
    settings: Settings, host: str, port: int, *, grace: StopTimes | None = None, **options: Unpack[RuntimeOptions]
) -> AsyncGenerator[RunningServer, None]:
    """A server that listens at `host` and `port`; at the end its turns are handed over and everything is closed.

    The options are those of `open_runtime`. Raises `UsageError` for an address that cannot be had, and for one where
    strangers would be let in.
    """
    check_binding(host, settings)
    grace = grace or StopTimes(drain_s=settings.drain_s)
    async with AsyncExitStack() as stack:
        sockets = await listen(host, port)
        for each in sockets:
            stack.callback(each.close)
        await stack.enter_async_context(cpu_child())
        opened = await stack.enter_async_context(open_app(settings, turns_s=grace.turns_s, **options))
        serving = RunningServer(opened, sockets, settings, host, grace)
        # Last, as it is shown only once: nothing after it may fail.
        serving.admin_token = await ensure_admin_token(settings, serving.runtime.store)
        yield serving


@asynccontextmanager
async def open_app(
    settings: Settings, *, turns_s: float = StopTimes().turns_s, **options: Unpack[RuntimeOptions]
) -> AsyncGenerator[OpenedApp, None]:
    """The application with a runtime of its own; at the end its turns are handed over, and may take so long for the
    phase they are in."""
    async with AsyncExitStack() as stack:
        telemetry = Telemetry(settings)
        stack.push_async_callback(telemetry.aclose)
        runtime = await open_runtime(
            settings, observers=telemetry.observers, titles=settings.titles, enforces_access=True, **options
        )
        stack.push_async_callback(runtime.aclose, turns_s)
        telemetry.attach(runtime)
        stack.push_async_callback(telemetry.detach)
        settings = runtime.context.settings
        app = create_app(runtime, settings, Authenticator(settings, runtime.store))
        app.state.metrics = telemetry.metrics
        root_path = check_root_path(settings.root_path or "", (getattr(each, "path", "") for each in app.routes))
        if settings.retention_days:
            keeping = asyncio.create_task(app.state.uploads.keep_young(settings.retention_days * 86_400))
            stack.callback(keeping.cancel)
        reading = asyncio.create_task(PrefixReader(settings, runtime.agents).repeat())
        stack.callback(reading.cancel)
        yield OpenedApp(app, AccessMiddleware(app, telemetry.metrics, root_path))


async def listen(host: str, port: int) -> list[socket.socket]:
    """Sockets on every address of that name, which nobody else can have from now on."""
    loop = asyncio.get_running_loop()
    try:
        found = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    except (OSError, UnicodeError):
        raise UsageError(_NOT_HERE.format(host)) from None
    opened: list[socket.socket] = []
    try:
        for family, _, _, _, address in dict.fromkeys(found):
            # A name with several addresses has the same port at each.
            chosen = opened[0].getsockname()[1] if opened else port
            opened.append(_bound(family, (address[0], chosen, *address[2:])))
    except OSError as error:
        # What has no IPv6, or half of it, still serves by the first address.
        if opened and error.errno in (errno.EADDRNOTAVAIL, errno.EAFNOSUPPORT):
            return opened
        for each in opened:
            each.close()
        raise UsageError(_why(error, host, port)) from None
    return opened


def _bound(family: int, address: tuple[object, ...]) -> socket.socket:
    # Not only bound: else another server that starts at the same moment could have it too.
    made = socket.create_server(address, family=family, backlog=BACKLOG)
    # Made anew it knows its protocol, which connections inherit: only of those asyncio switches off waiting for acks.
    found = socket.socket(fileno=made.detach())
    found.setblocking(False)
    return found


def _why(error: OSError, host: str, port: int) -> str:
    if error.errno == errno.EADDRINUSE:
        return f"Port {port} at {host!r} is already in use: stop the other program, or choose another port with --port."
    if error.errno == errno.EACCES:
        return f"Port {port} needs administrator rights: choose one above 1023 with --port."
    if error.errno == errno.EADDRNOTAVAIL:
        return _NOT_HERE.format(host)
    return f"Cannot listen on {host!r}, port {port} ({os.strerror(error.errno or 0)}): choose another host or port."


def room_for(connections: int) -> int:
    """How many connections there can be: as many as asked for, or as the system has files for."""
    if sys.platform == "win32":
        return connections
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = connections + OTHER_FILES
    if soft != resource.RLIM_INFINITY and soft < wanted:
        soft = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    return connections if soft == resource.RLIM_INFINITY else max(1, min(connections, soft - OTHER_FILES))
