"""What operators look at beside sessions: runs of `glassloop eval`, and who did what. Header `admin-token`."""

import asyncio
from typing import Annotated, Literal

from fastapi import APIRouter, Path, Query, Request
from starlette.responses import Response

from glassloop.evals.comparison import Comparison
from glassloop.evals.stored import RunLine, RunView, compare_runs, list_runs, view_run
from glassloop.server.answers import json_answer, shows
from glassloop.server.caller import Admin
from glassloop.server.errors import failures
from glassloop.server.given import Reviewer, runtime_of, settings_of
from glassloop.server.routes.sessions import Limit, Offset
from glassloop.store.tables.audit import Action, AuditEntry

router = APIRouter(prefix="/admin", tags=["admin"])

RunName = Annotated[str, Query(max_length=200)]


@router.get(
    "/evals",
    responses={**shows(list[RunLine], "Newest first; the last hundred."), **failures()},
    response_class=Response,
)
async def evals(request: Request, _caller: Admin) -> Response:
    """Runs of `glassloop eval` in the home folder, each with its shares and their 95 % intervals."""
    return json_answer(await asyncio.to_thread(list_runs, settings_of(request).home_path))


@router.get(
    "/evals/compare",
    responses={**shows(Comparison, "The second run against the first."), **failures(400, 404)},
    response_class=Response,
)
async def compared(request: Request, _caller: Admin, before: RunName, after: RunName) -> Response:
    """Two runs beside each other: differences with their intervals, and the cases that flipped."""
    return json_answer(await asyncio.to_thread(compare_runs, settings_of(request).home_path, before, after))


@router.get(
    "/evals/{run}",
    responses={**shows(RunView, "The run, with its misses."), **failures(400, 404)},
    response_class=Response,
)
async def run_of(request: Request, _caller: Admin, run: Annotated[str, Path(max_length=200)]) -> Response:
    """One run: its shares, by tag too, and what went wrong, each with its session."""
    return json_answer(await asyncio.to_thread(view_run, settings_of(request).home_path, run))


@router.get("/audit", responses={**shows(list[AuditEntry], "Newest first."), **failures(400)}, response_class=Response)
async def audit(
    request: Request,
    _caller: Reviewer,
    limit: Limit = 50,
    offset: Offset = 0,
    user_id: Annotated[str | None, Query(max_length=200)] = None,
    action: Action | Literal[""] | None = None,
) -> Response:
    """Who approved, refused, allowed, rated, deleted what, and whose keys were made or revoked."""
    found = await runtime_of(request).store.audit.list(limit, offset, by=user_id or None, action=action or None)
    return json_answer(found)
