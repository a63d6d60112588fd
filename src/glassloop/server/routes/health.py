"""Health probes, metrics, and the API reference."""

import asyncio
import time
from typing import Literal

import msgspec
from fastapi import APIRouter, Request
from starlette.responses import HTMLResponse, Response

from glassloop import __version__
from glassloop.core.errors import GlassloopError
from glassloop.runtime.models import default_model
from glassloop.runtime.settings import Settings
from glassloop.runtime.stores import store_url
from glassloop.server.auth.identity import User, admin_of
from glassloop.server.dependencies import runtime_of, settings_of
from glassloop.server.http import api_reference as reference
from glassloop.server.http.errors import SwitchedOff
from glassloop.server.http.responses import json_response
from glassloop.server.http.root_path import mounted_at
from glassloop.server.http.routing import route
from glassloop.server.observability.metrics import CONTENT_TYPE, Metrics
from glassloop.store.engine.urls import MEMORY, file_of, is_postgres
from glassloop.store.store import Store

router = APIRouter(tags=["health"])

PROBE_S = 2.0
FRESH_S = 1.0

StoreKind = Literal["sqlite", "postgresql", "memory"]


class Alive(msgspec.Struct, frozen=True, kw_only=True):
    """The process answers."""

    status: Literal["ok"] = "ok"


class Ready(msgspec.Struct, frozen=True, kw_only=True):
    """Whether requests should be sent here, and why not."""

    status: Literal["ready", "not ready"]
    reason: str | None = None


class Health(msgspec.Struct, frozen=True, kw_only=True):
    """The server in short. `store` is what holds the turns, `model` the one in force, `running_turns` those here.
    `left_out` counts the installed extensions and assistants that cannot be used: the log names them."""

    status: Literal["ok", "degraded"]
    version: str
    store: StoreKind
    model: str
    running_turns: int
    left_out: int = 0
    reason: str | None = None


class Probe:
    """Whether the store answers, within `wait_s` seconds. Looked up at most every `fresh_s` seconds, once at a time,
    however many ask."""

    def __init__(self, store: Store, *, fresh_s: float = FRESH_S, wait_s: float = PROBE_S) -> None:
        self._store = store
        self._fresh_s, self._wait_s = fresh_s, wait_s
        self._found = False
        self._looked = -fresh_s
        self._looking: asyncio.Task[bool] | None = None

    async def __call__(self) -> bool:
        if self._looking is None and time.monotonic() - self._looked < self._fresh_s:
            return self._found
        if self._looking is None:
            self._looking = asyncio.create_task(self._look())
            self._looking.add_done_callback(self._note)
        done, _ = await asyncio.wait([self._looking], timeout=self._wait_s)
        return bool(done) and self._found

    async def _look(self) -> bool:
        try:
            await self._store.turns.get("nothing")
        except GlassloopError:
            return False
        return True

    def _note(self, looking: "asyncio.Task[bool]") -> None:
        self._looking = None
        self._looked = time.monotonic()
        self._found = not looking.cancelled() and looking.exception() is None and looking.result()


@route(router.get, "/livez", "The server is up.")
async def livez() -> Alive:
    """The process is up. Where this fails, start it anew."""
    return Alive()


@route(router.get, "/readyz", "Ready.", also={503: (Ready, "Not ready, with the reason.")})
async def readyz(request: Request) -> Ready | Response:
    """Whether to send requests here: the store can be reached, and the server is not about to stop."""
    why = await _why_not(request)
    return json_response(Ready(status="not ready" if why else "ready", reason=why), 503 if why else 200)


@route(router.get, "/health", "Healthy.", also={503: (Health, "Unhealthy.")})
async def health(request: Request) -> Health | Response:
    """The server in short, for people."""
    why, settings = await _why_not(request), settings_of(request)
    shown = Health(
        status="degraded" if why else "ok",
        version=__version__,
        store=_kind(settings),
        model=default_model(settings),
        running_turns=runtime_of(request).running,
        left_out=len(settings.extensions.problems),
        reason=why,
    )
    return json_response(shown, 503 if why else 200)


@route(router.get, "/metrics", "In the format of Prometheus.", content={"text/plain": {"schema": {"type": "string"}}})
async def metrics(request: Request, caller: User) -> Response:
    """What is measured, for Prometheus. For the operator; in `local` mode for everybody on this machine."""
    if not caller.admin and request.app.state.authenticator.mode != "local":
        admin_of(request)
    found: Metrics | None = getattr(request.app.state, "metrics", None)
    if found is None:
        raise SwitchedOff("No metrics are collected here: use `glassloop serve`.")
    return Response(found.text(), media_type=CONTENT_TYPE)


@router.get("/openapi.json", include_in_schema=False)
async def openapi(request: Request, _caller: User) -> Response:
    """The same for programs."""
    found, root = await asyncio.to_thread(request.app.openapi), mounted_at(request.scope)
    return json_response({**found, "servers": [{"url": root}]} if root else found)


@router.get("/docs", include_in_schema=False)
async def docs(request: Request, _caller: User) -> Response:
    """What the API takes and answers."""
    state = request.app.state
    if not hasattr(state, "docs"):
        state.docs = await asyncio.to_thread(lambda: reference.page(request.app.openapi()))
    return HTMLResponse(state.docs)


@router.get("/docs/style.css", include_in_schema=False)
async def style(_caller: User) -> Response:
    return Response(reference.STYLE, media_type="text/css")


async def _why_not(request: Request) -> str | None:
    """Why requests should not be sent here, in words that tell strangers nothing."""
    if getattr(request.app.state, "stopping", False):
        return "The server is shutting down."
    return None if await request.app.state.probe() else "The database does not respond."


def _kind(settings: Settings) -> StoreKind:
    url = store_url(settings)
    return "postgresql" if is_postgres(url) else "memory" if file_of(url) == MEMORY else "sqlite"
