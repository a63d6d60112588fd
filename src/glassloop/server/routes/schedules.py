"""Schedules: add, list, look, change, pause, resume, cancel, run; and the inbox, where results wait for their user."""

from collections.abc import Sequence
from datetime import datetime
from typing import Annotated, Literal

import msgspec
from fastapi import APIRouter, Query, Request
from pydantic import Field

from glassloop.runtime.assistants.agents import AgentKey
from glassloop.runtime.durable.runtime import Runtime
from glassloop.runtime.schedules.recurrence import MAX_EVERY_CHARS, MAX_ZONE_CHARS
from glassloop.runtime.schedules.schedules import MAX_CONDITION_CHARS, MAX_RUNS
from glassloop.server.auth.identity import User
from glassloop.server.dependencies import Body, Ident, Name, Text, runtime_of, wanted_of
from glassloop.server.http.responses import view_of
from glassloop.server.http.routing import route
from glassloop.server.routes.turns import AcceptedTurn, ActionResult, accepted_turn
from glassloop.store.records import ScheduleReason, ScheduleRow, ScheduleRun, ScheduleStatus

router = APIRouter(prefix="/api", tags=["schedules"])

MAX_MARKED = 200

Every = Annotated[str, Field(min_length=1, max_length=MAX_EVERY_CHARS)]
Zone = Annotated[str, Field(min_length=1, max_length=MAX_ZONE_CHARS)]
Limit = Annotated[int, Query(ge=0, le=1000)]


class NewSchedule(Body):
    """A question to be asked later: once `at` a time, or `every` so often."""

    question: Text
    at: datetime | None = Field(None, description="Run once at this time; without an offset, in the time zone.")
    every: Every | None = Field(None, description="Five cron fields, an interval such as `2h`, or `@daily`.")
    until: Annotated[str, Field(min_length=1, max_length=MAX_CONDITION_CHARS)] | None = Field(
        None, description="Asked at the `every` interval (default: every hour) until this is true."
    )
    timezone: Zone | None = Field(None, description="An IANA name, such as `Europe/Paris`. Default: the setting.")
    max_runs: Annotated[int, Field(ge=1, le=MAX_RUNS)] | None = Field(None, description="Maximum number of runs.")
    ends_at: datetime | None = Field(None, description="Do not run after this time.")
    assistant: Name | None = Field(None, description="The assistant. Default: that of `GET /api/assistants`.")
    model: Name | None = Field(None, description="A model to use instead of the assistant's, as `provider:model`.")
    session_id: Ident | None = Field(None, description="The conversation that runs belong to. Default: a new one.")


class ScheduleChange(Body):
    """What is to be different from now on."""

    question: Text | None = None
    at: datetime | None = None
    every: Every | None = None
    timezone: Zone | None = None


class SeenEntries(Body):
    """What was looked at in the inbox, by the ids of turns and schedules; absent is all."""

    ids: Annotated[list[Ident], Field(max_length=MAX_MARKED)] | None = None


class ScheduleView(msgspec.Struct, frozen=True, kw_only=True):
    """A schedule. `when` tells its times in words; `next_at` is the next of them, and `due_at` that of the last run,
    whose turn is `turn_id`. `reason` and `note` tell why it is paused or ended, or what became of the last run."""

    id: str
    question: str
    assistant: str
    model: str | None
    session_id: str
    when: str
    at: float | None
    every: str | None
    until: str | None
    timezone: str
    max_runs: int | None
    ends_at: float | None
    created_at: float
    status: ScheduleStatus
    reason: ScheduleReason | None
    note: str
    next_at: float | None
    due_at: float | None
    turn_id: str | None
    runs: int
    failures: int


class ScheduleDetails(msgspec.Struct, frozen=True, kw_only=True):
    """A schedule, and what became of its due times, the latest first."""

    schedule: ScheduleView
    runs: Sequence[ScheduleRun]


class InboxTurn(msgspec.Struct, frozen=True, kw_only=True):
    """A turn that waits for a decision (`paused`), or whose result was not looked at."""

    id: str
    session_id: str
    assistant: str
    status: str
    question: str
    answer: str | None
    error: str | None
    started_at: float
    finished_at: float | None


class InboxView(msgspec.Struct, frozen=True, kw_only=True):
    """What waits for you; `count` is how much there is, also of what is not listed. `schedules` are those that paused
    or ended by themselves."""

    count: int
    turns: Sequence[InboxTurn]
    schedules: Sequence[ScheduleView]


def schedule_view(runtime: Runtime, row: ScheduleRow) -> ScheduleView:
    wanted = msgspec.convert(row.wanted, AgentKey)
    return view_of(
        ScheduleView, row, assistant=wanted.assistant, model=wanted.model, when=runtime.schedules.describe(row)
    )


@route(router.get, "/schedules", "Newest first.", 400)
async def list_schedules(
    request: Request,
    caller: User,
    limit: Limit = 50,
    status: Literal["active", "paused", "ended"] | None = None,
) -> Sequence[ScheduleView]:
    """Your schedules."""
    runtime = runtime_of(request)
    rows = await runtime.schedules.list(caller.user, limit=limit, status=status)
    return [schedule_view(runtime, row) for row in rows]


@route(router.post, "/schedules", "Added.", 400, 404, status=201)
async def add(request: Request, body: NewSchedule, caller: User) -> ScheduleView:
    """Have a question asked at a time, again and again, or until a condition holds."""
    runtime = runtime_of(request)
    given = body.model_dump(exclude={"question", "assistant", "model"})
    wanted = await wanted_of(request, body.assistant, body.model)
    return schedule_view(runtime, await runtime.schedules.add(body.question, user=caller.user, wanted=wanted, **given))


@route(router.get, "/schedules/{schedule_id}", "The schedule and its runs.", 404)
async def show(request: Request, schedule_id: Ident, caller: User) -> ScheduleDetails:
    """A schedule, and what became of its due times."""
    runtime = runtime_of(request)
    row = await runtime.schedules.get(schedule_id, caller.scope)
    return ScheduleDetails(schedule=schedule_view(runtime, row), runs=await runtime.schedules.runs(schedule_id))


@route(router.patch, "/schedules/{schedule_id}", "The updated record.", 400, 404, 409)
async def change(request: Request, schedule_id: Ident, body: ScheduleChange, caller: User) -> ScheduleView:
    """Ask something else, or at other times, from now on."""
    runtime = runtime_of(request)
    return schedule_view(runtime, await runtime.schedules.change(schedule_id, caller.scope, **body.model_dump()))


@route(router.delete, "/schedules/{schedule_id}", "Ended; false if it already had.", 404, 409)
async def cancel(request: Request, schedule_id: Ident, caller: User) -> ActionResult:
    """End a schedule. A run under way goes on; it can be stopped as any turn."""
    return ActionResult(done=await runtime_of(request).schedules.cancel(schedule_id, caller.scope, by=caller.user))


@route(router.post, "/schedules/{schedule_id}/pause", "Paused.", 400, 404, 409)
async def pause(request: Request, schedule_id: Ident, caller: User) -> ScheduleView:
    """Start no runs from now on."""
    runtime = runtime_of(request)
    return schedule_view(runtime, await runtime.schedules.pause(schedule_id, caller.scope))


@route(router.post, "/schedules/{schedule_id}/resume", "Resumed; runs at its next time.", 400, 404, 409)
async def resume(request: Request, schedule_id: Ident, caller: User) -> ScheduleView:
    """Run again from now on. What was due in the meantime is not made up for."""
    runtime = runtime_of(request)
    return schedule_view(runtime, await runtime.schedules.resume(schedule_id, caller.scope))


@route(router.post, "/schedules/{schedule_id}/run", "A run was started.", 400, 404, 409, 429, 503, status=202)
async def run(request: Request, schedule_id: Ident, caller: User) -> AcceptedTurn:
    """Have it run at once, beside its times."""
    return accepted_turn(request, await runtime_of(request).schedules.run_now(schedule_id, caller.scope))


@route(router.get, "/inbox", "Your inbox.", 400)
async def inbox(request: Request, caller: User, limit: Limit = 50) -> InboxView:
    """Turns that wait for you, results of turns that you did not watch, and schedules that stopped by themselves."""
    runtime = runtime_of(request)
    found = await runtime.inbox.read(caller.user, limit)
    return InboxView(
        count=found.count,
        turns=[view_of(InboxTurn, row) for row in found.turns],
        schedules=[schedule_view(runtime, row) for row in found.schedules],
    )


@route(router.post, "/inbox/seen", "Removed from the inbox; false if it was not there.", 400)
async def mark_seen(request: Request, body: SeenEntries, caller: User) -> ActionResult:
    """Take results out of your inbox. What waits for a decision stays until it is decided."""
    return ActionResult(done=await runtime_of(request).inbox.mark_seen(caller.user, body.ids) > 0)
