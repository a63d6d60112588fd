"""Jobs: list, look, follow, cancel."""

from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from typing import Annotated, Literal

import msgspec
from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from glassloop.core.records import Json
from glassloop.runtime.durable.runtime import Runtime
from glassloop.server.auth.identity import User
from glassloop.server.dependencies import Ident, runtime_of
from glassloop.server.http.responses import EVENTS, view_of
from glassloop.server.http.routing import route
from glassloop.server.http.sse import EventStream, frame
from glassloop.server.routes.turns import ActionResult

router = APIRouter(prefix="/api/jobs", tags=["jobs"])


class JobView(msgspec.Struct, frozen=True, kw_only=True):
    """A job as it stands; `fraction` is None where nobody can tell."""

    id: str
    kind: str
    status: str
    message: str
    fraction: float | None
    result: Json
    error: str | None
    version: int
    created_at: float
    started_at: float | None
    finished_at: float | None


@route(router.get, "", "Newest first.", 400)
async def list_jobs(
    request: Request,
    caller: User,
    limit: Annotated[int, Query(ge=0, le=1000)] = 50,
    status: Literal["queued", "running", "completed", "failed", "cancelled"] | None = None,
) -> Sequence[JobView]:
    """Your jobs."""
    rows = await runtime_of(request).store.jobs.list(limit, caller.scope, status)
    return [view_of(JobView, row) for row in rows]


@route(router.get, "/{job_id}", "The current state of the job.", 404)
async def show(request: Request, job_id: Ident, caller: User) -> JobView:
    """A job as it stands."""
    return view_of(JobView, await runtime_of(request).jobs.get(job_id, caller.scope))


@route(
    router.get,
    "/{job_id}/events",
    "Server-sent events: the job whenever it changes, until it ends.",
    404,
    content=EVENTS,
)
async def events(request: Request, job_id: Ident, caller: User) -> Response:
    """A job while it goes on."""
    runtime = runtime_of(request)
    await runtime.jobs.get(job_id, caller.scope)
    return EventStream(_frames(runtime, job_id))


async def _frames(runtime: Runtime, job_id: str) -> AsyncGenerator[bytes, None]:
    async with aclosing(runtime.jobs.watch(job_id)) as rows:
        async for row in rows:
            yield frame(view_of(JobView, row), event="job", ident=f"{row.id}:{row.version}")


@route(router.post, "/{job_id}/cancel", "Cancelled, or already over.", 404)
async def cancel(request: Request, job_id: Ident, caller: User) -> ActionResult:
    """Stop a job."""
    return ActionResult(done=await runtime_of(request).jobs.cancel(job_id, caller.scope))
