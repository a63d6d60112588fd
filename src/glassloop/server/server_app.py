"""`ServerApp`: the API and the page as an ASGI application, to be mounted in one of your own.

Owns when its runtime opens and closes. Sockets, https and the limits of connections are those of the server that runs
the application.
"""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Unpack

from starlette.routing import Router
from starlette.types import Receive, Scope, Send

from glassloop.core.errors import UsageError
from glassloop.runtime.durable.runtime import Runtime
from glassloop.runtime.settings import Settings, load_settings
from glassloop.server.lifecycle import OpenedApp, RuntimeOptions, open_app


class ServerApp:
    """`app = FastAPI(lifespan=glassloop.lifespan)` and `app.mount("/agent", glassloop)`, or by itself under any ASGI
    server. Without `settings` they are read as commands read them; the options are those of `open_runtime`."""

    def __init__(self, settings: Settings | None = None, **options: Unpack[RuntimeOptions]) -> None:
        self._settings = settings
        self._options = options
        self._opened: OpenedApp | None = None
        self._lifespan = Router(lifespan=self.lifespan)

    @property
    def runtime(self) -> Runtime:
        """Its runtime, while it is open."""
        return self._open.app.state.runtime

    @asynccontextmanager
    async def lifespan(self, _app: object = None) -> AsyncGenerator[None, None]:
        """Opens the runtime, and closes it at the end: turns that run then are handed over."""
        settings = self._settings or load_settings()
        async with open_app(settings, **self._options) as opened:
            self._opened = opened
            try:
                yield
            finally:
                opened.app.state.stopping = True
                opened.access.close()
                await opened.app.state.request_turns.aclose()
                self._opened = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._lifespan(scope, receive, send)
        else:
            await self._open.access(scope, receive, send)

    @property
    def _open(self) -> OpenedApp:
        if self._opened is None:
            raise UsageError(
                "This ServerApp was not opened: create your application with `lifespan=glassloop.lifespan`, or enter "
                "`async with glassloop.lifespan():` in your own lifespan."
            )
        return self._opened
