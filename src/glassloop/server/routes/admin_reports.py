"""Reports for operators: runs of `glassloop eval`, and who did what. Header `admin-token`."""

import asyncio
from collections.abc import Sequence
from typing import Annotated, Literal

from fastapi import APIRouter, Path, Query, Request

from glassloop.evals.comparison import RunComparison
from glassloop.evals.stored_runs import RunView, StoredRun, compare_runs, list_runs, view_run
from glassloop.server.auth.identity import Admin
from glassloop.server.dependencies import Reviewer, runtime_of, settings_of
from glassloop.server.http.routing import route
from glassloop.server.routes.sessions import Limit, Offset
from glassloop.store.tables.audit import Action, AuditEntry

router = APIRouter(prefix="/admin", tags=["admin"])

RunName = Annotated[str, Query(max_length=200)]


@route(router.get, "/evals", "Newest first; the last hundred.")
async def evals(request: Request, _caller: Admin) -> Sequence[StoredRun]:
    """Runs of `glassloop eval` in the home folder, each with its shares and their 95 % intervals."""
    return await asyncio.to_thread(list_runs, settings_of(request).home_path)


@route(router.get, "/evals/compare", "The second run against the first.", 400, 404)
async def compared(request: Request, _caller: Admin, before: RunName, after: RunName) -> RunComparison:
    """Two runs beside each other: differences with their intervals, and the cases that flipped."""
    return await asyncio.to_thread(compare_runs, settings_of(request).home_path, before, after)


@route(router.get, "/evals/{run}", "The run, with its misses.", 400, 404)
async def run_of(request: Request, _caller: Admin, run: Annotated[str, Path(max_length=200)]) -> RunView:
    """One run: its shares, by tag too, and what went wrong, each with its session."""
    return await asyncio.to_thread(view_run, settings_of(request).home_path, run)


@route(router.get, "/audit", "Newest first.", 400)
async def audit(
    request: Request,
    _caller: Reviewer,
    limit: Limit = 50,
    offset: Offset = 0,
    user_id: Annotated[str | None, Query(max_length=200)] = None,
    action: Action | Literal[""] | None = None,
) -> Sequence[AuditEntry]:
    """Who approved, refused, allowed, rated, deleted what, and whose keys were made or revoked."""
    return await runtime_of(request).store.audit.list(limit, offset, by=user_id or None, action=action or None)
