"""Application: routes, errors, permissions. Its runtime is passed in, so that tests and tools can pass their own."""

from fastapi import FastAPI
from starlette.responses import RedirectResponse
from starlette.types import Receive, Scope, Send

from glassloop import __version__
from glassloop.runtime.catalogue.model_catalogue import ModelCatalogue
from glassloop.runtime.durable.runtime import Runtime
from glassloop.runtime.settings import Settings
from glassloop.runtime.uploads import Uploads
from glassloop.server.auth.authentication import Authenticator, AuthMiddleware
from glassloop.server.auth.limits import SOCKET_MESSAGES_A_MINUTE, LimitsMiddleware, RateLimit
from glassloop.server.http import errors, responses
from glassloop.server.http.root_path import local_scope, mounted_at
from glassloop.server.http.routing import paths_with_files
from glassloop.server.request_turns import RequestTurns
from glassloop.server.routes import ROUTERS
from glassloop.server.routes.health import Probe
from glassloop.server.routes.shares import OPENED_A_MINUTE

DESCRIPTION = (
    "A ReAct agent runtime whose every step can be seen: think, act, observe, answer; live, stored, replayable."
)


class _Application(FastAPI):
    """Works under any path it is mounted at."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        scope = local_scope(scope)
        if scope["type"] == "http" and not scope["path"]:
            # What the page names lies beside it: its own address must end in a slash.
            await RedirectResponse(f"{mounted_at(scope)}/", 307)(scope, receive, send)
            return
        await super().__call__(scope, receive, send)


def create_app(runtime: Runtime, settings: Settings, authenticator: Authenticator) -> FastAPI:
    """The server around a `runtime` that is open, with its `settings`; whoever opened it closes it. `authenticator`
    says who a request comes from."""
    app = _Application(
        title="Glassloop",
        version=__version__,
        description=DESCRIPTION,
        docs_url=None,
        redoc_url=None,
        # FastAPI's own route would make the document on the event loop, which takes hundreds of milliseconds.
        openapi_url=None,
        # What is told of turns is ours to tell, and only where it is configured.
        telemetry={"tracing": False, "metrics": False, "logs": False},
    )
    app.state.runtime = runtime
    app.state.settings = settings
    app.state.authenticator = authenticator
    app.state.request_turns = RequestTurns(runtime)
    app.state.socket_messages = RateLimit(SOCKET_MESSAGES_A_MINUTE)
    app.state.link_readers = RateLimit(OPENED_A_MINUTE)
    app.state.uploads = Uploads(settings)
    app.state.catalogue = ModelCatalogue(settings)
    app.state.probe = Probe(runtime.store)
    errors.install(app)
    *own, page = ROUTERS
    brought = [router for extension in settings.extensions for router in extension.routers()]
    # The page answers whatever no other route does, and so comes last. `include_router` would make every route anew, on
    # the event loop, when the first request is matched.
    for router in (*own, *brought, page):
        app.router.routes.extend(router.routes)
    responses.document(app)
    # The last one added is the first one asked: limits count by who it is.
    app.add_middleware(LimitsMiddleware, settings=settings, paths_with_files=paths_with_files((*own, *brought)))
    app.add_middleware(AuthMiddleware, authenticator=authenticator)
    return app
