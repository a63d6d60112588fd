"""Application: routes, errors, permissions. Its runtime is passed in, so that tests and tools can pass their own."""

from fastapi import FastAPI

from glassloop import __version__
from glassloop.runtime.durable.runtime import Runtime
from glassloop.runtime.settings import Settings
from glassloop.runtime.uploads import Uploads
from glassloop.server.auth.authentication import Authenticator, AuthMiddleware
from glassloop.server.auth.limits import LimitsMiddleware
from glassloop.server.http import errors, responses
from glassloop.server.request_turns import RequestTurns
from glassloop.server.routes import ROUTERS
from glassloop.server.routes.health import Probe

DESCRIPTION = (
    "A ReAct agent runtime whose every step can be seen: think, act, observe, answer; live, stored, replayable."
)


def create_app(runtime: Runtime, settings: Settings, authenticator: Authenticator) -> FastAPI:
    """The server around a `runtime` that is open, with its `settings`; whoever opened it closes it. `authenticator`
    says who a request comes from."""
    app = FastAPI(
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
    app.state.uploads = Uploads(settings)
    app.state.probe = Probe(runtime.store)
    errors.install(app)
    *own, page = ROUTERS
    brought = (router for extension in settings.extensions for router in extension.routers())
    # The page answers whatever no other route does, and so comes last.
    for router in (*own, *brought, page):
        app.include_router(router)
    responses.document(app)
    # The last one added is the first one asked: limits count by who it is.
    app.add_middleware(LimitsMiddleware, settings=settings)
    app.add_middleware(AuthMiddleware, authenticator=authenticator)
    return app
