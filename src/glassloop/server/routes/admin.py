"""`/admin`: everybody's sessions, ratings, figures, live turns, dead letters, eval runs, the audit.

Header `admin-token`, or a browser that signed in with it.
"""

import asyncio
import re
import time
from collections.abc import Sequence
from typing import Annotated, Literal

import msgspec
from fastapi import APIRouter, Path, Query, Request
from pydantic import Field
from starlette.responses import Response

from glassloop.core.records import Json
from glassloop.evals.comparison import RunComparison
from glassloop.evals.stored_runs import RunView, StoredRun, compare_runs, list_runs, view_run
from glassloop.evals.turn_case import AddedCase, add_turn, rating_of
from glassloop.models.probe import Examination
from glassloop.runtime.durable.dead_letters import Retried
from glassloop.runtime.models import examine_model
from glassloop.runtime.probed_models import store_probe
from glassloop.server.auth.identity import Admin
from glassloop.server.dependencies import (
    Body,
    Ident,
    Name,
    NewRating,
    Note,
    OwnSession,
    Reviewer,
    runtime_of,
    settings_of,
)
from glassloop.server.http.responses import JsonStream, view_of
from glassloop.server.http.routing import route
from glassloop.server.routes.sessions import Limit, Offset, rate_session
from glassloop.server.routes.turns import ActionResult
from glassloop.store.records import SessionMessage
from glassloop.store.tables.dead_letters import DeadLetter, LetterKind
from glassloop.store.tables.governance.audit import Action, AuditEntry
from glassloop.store.tables.ratings import StepRating
from glassloop.store.tables.search import ReviewedSession, ReviewStatus, SessionFilters
from glassloop.store.tables.statistics import PeriodFigures
from glassloop.store.tables.tool_statistics import ToolUseFigures

router = APIRouter(prefix="/admin", tags=["admin"])

Text = Annotated[str | None, Query(max_length=200)]
Moment = Annotated[float | None, Query(ge=0, le=1e11)]


class AdminSession(msgspec.Struct, frozen=True, kw_only=True):
    """A session with every message and trace."""

    id: str
    user_id: str
    channel: str
    started_at: str
    ended_at: str | None
    message_count: int
    status: str
    rating: str | None
    rating_note: str | None
    metadata: dict[str, Json]
    title: str
    assistant: str
    messages: Sequence[SessionMessage]


class Rated(msgspec.Struct, frozen=True, kw_only=True):
    """A rating was stored."""

    status: str = "ok"
    session_id: str
    rating: str


@route(router.get, "/sessions", "Newest first.", 400)
async def sessions(
    request: Request,
    _caller: Reviewer,
    limit: Limit = 50,
    offset: Offset = 0,
    user_id: Text = None,
    status: ReviewStatus | None = None,
    assistant: Text = None,
    rating: Literal["good", "bad", "none"] | None = None,
    q: Text = None,
    since: Moment = None,
    until: Moment = None,
) -> Sequence[ReviewedSession]:
    """Everybody's sessions, those that all filters let through: `q` by words, `since` and `until` in seconds since the
    epoch, `status` of the session, or `running`, `failed`, `cancelled` of one of its turns."""
    wanted = SessionFilters(
        user_id=user_id or None,
        assistant=assistant or None,
        status=status,
        rating=rating,
        words=tuple((q or "").split()),
        since=since,
        until=until,
    )
    return await runtime_of(request).store.search.review(wanted, limit, offset)


@route(router.get, "/sessions/{session_id}", "The complete session.", 404)
async def session(request: Request, _caller: Reviewer, session: OwnSession) -> AdminSession | Response:
    """One session with every trace, sent as quickly as it is read."""
    told = {name: getattr(session, name) for name in AdminSession.__struct_fields__ if name != "messages"}
    return JsonStream(
        {**told, "messages": runtime_of(request).store.sessions.message_pages(session.id, path_only=False)}
    )


@route(router.post, "/sessions/{session_id}/rating", "Stored.", 400, 404)
async def rate(request: Request, caller: Reviewer, session: OwnSession, body: NewRating) -> Rated:
    """Rate a session `good` or `bad`, with a note."""
    await rate_session(runtime_of(request), session, body, caller)
    return Rated(session_id=session.id, rating=body.rating)


DAY_S = 86_400
MAX_LIVE = 200
SUITES = "evals"


class LiveTurn(msgspec.Struct, frozen=True, kw_only=True):
    """A turn that runs or waits now."""

    id: str
    session_id: str
    user_id: str
    assistant: str
    status: str
    question: str
    started_at: float


class StepRated(NewRating):
    """What a reviewer thinks of one step."""

    target: Ident = Field(description="The id of its call, or the number of its event.")


class NewCase(Body):
    """A turn as a case of an eval suite; without a rating, that of its session counts."""

    rating: Annotated[str, Field(max_length=100)] | None = None
    note: Note = ""


class WantedModel(Body):
    """A model, by its name."""

    model: Name


@route(router.get, "/figures", "Day by day; days on which nothing happened are left out.", 400)
async def figures(request: Request, _caller: Reviewer, days: Annotated[int, Query(ge=1, le=366)] = 30) -> PeriodFigures:
    """Turns, latencies, tokens, cost, ratings, tools and errors of the last days."""
    return await runtime_of(request).store.statistics.since(time.time() - days * DAY_S)


@route(router.get, "/tools", "The most used first.", 400)
async def tool_use(
    request: Request, _caller: Reviewer, days: Annotated[int, Query(ge=1, le=366)] = 30, assistant: Text = None
) -> ToolUseFigures:
    """Calls, failures and times by tool and assistant, from the logs of the newest turns of the last days."""
    since = time.time() - days * DAY_S
    return await runtime_of(request).store.tool_statistics.since(since, assistant or None)


@route(router.get, "/live", "Those that run, then those that wait; newest first.")
async def live(request: Request, _caller: Admin) -> Sequence[LiveTurn]:
    """Turns that run or wait now, whoever asked."""
    store = runtime_of(request).store
    running = await store.turns.list(MAX_LIVE, status="running")
    rows = [*running, *await store.turns.list(MAX_LIVE, status="paused")]
    return [view_of(LiveTurn, row) for row in rows]


Kind = Annotated[LetterKind, Path(description="`turn` or `job`.")]


@route(router.get, "/dead-letters", "Newest first.", 400)
async def dead_letters(request: Request, _caller: Admin, limit: Limit = 50, offset: Offset = 0) -> Sequence[DeadLetter]:
    """Turns and jobs that were set aside because their process ended in their work twice."""
    return await runtime_of(request).dead_letters.list(limit, offset)


@route(
    router.post,
    "/dead-letters/{kind}/{ident}/retry",
    "Restarted as a new turn or job.",
    404,
    409,
    429,
    status=202,
)
async def retry(request: Request, kind: Kind, ident: Ident, caller: Admin) -> Retried:
    """Try again what was set aside: the same question in the same session, or the same job."""
    return await runtime_of(request).dead_letters.retry(kind, ident, by=caller.user)


@route(router.delete, "/dead-letters/{kind}/{ident}", "Dropped; the turn or job stays failed.", 404)
async def drop(request: Request, kind: Kind, ident: Ident, caller: Admin) -> ActionResult:
    """Drop what was set aside."""
    await runtime_of(request).dead_letters.drop(kind, ident, by=caller.user)
    return ActionResult(done=True)


@route(router.get, "/sessions/{session_id}/ratings", "Oldest first.", 404)
async def ratings(request: Request, _caller: Reviewer, session: OwnSession) -> Sequence[StepRating]:
    """What was thought of single steps of a session."""
    return await runtime_of(request).store.ratings.of_session(session.id)


@route(router.post, "/turns/{turn_id}/ratings", "Stored.", 400, 404)
async def rate_step(request: Request, turn_id: Ident, body: StepRated, caller: Reviewer) -> ActionResult:
    """Rate one step of a turn `good` or `bad`, with a note."""
    store = runtime_of(request).store
    await store.ratings.rate_step(turn_id, body.target, body.rating, body.note, caller.user)
    await store.audit.record("rated", turn_id, by=caller.user, detail=f"{body.rating}, step {body.target}")
    return ActionResult(done=True)


@route(router.post, "/turns/{turn_id}/case", "Written into the suite of its assistant.", 400, 404, status=201)
async def make_case(request: Request, turn_id: Ident, body: NewCase, caller: Reviewer) -> AddedCase:
    """Make an eval case of a turn, in the suite `evals/reviewed-ASSISTANT.toml` of the home folder."""
    runtime, home = runtime_of(request), settings_of(request).home_path
    row = await runtime.turn(turn_id)
    name = re.sub(r"[^a-z0-9-]+", "-", row.assistant.lower()).strip("-") or "assistant"
    path = home / SUITES / f"reviewed-{name}.toml"
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    added = await add_turn(
        runtime.store, turn_id, path, settings_of(request), rating=rating_of(body.rating), note=body.note
    )
    await runtime.store.audit.record("case_made", turn_id, by=caller.user, session_id=row.session_id, detail=added.case)
    return added


@route(router.post, "/models/examine", "What the model can do; stored.", 400, 404, 503)
async def examine(request: Request, body: WantedModel, _caller: Admin) -> Examination:
    """Find out by asking what a model can do. Takes as long as a dozen of its answers."""
    settings = settings_of(request)
    found = await examine_model(body.model, settings)
    store_probe(found, settings)
    return found


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
