"""`/api/code-chat`: questions about code, their streams and sessions, in the words of the code chat."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Annotated, Any, Literal

import msgspec
from fastapi import APIRouter, Header, Request
from pydantic import Field
from starlette.responses import Response

from glassloop.core import events as e
from glassloop.core.errors import ApprovalMismatch, ErrorType, UnknownName, UsageError
from glassloop.core.records import Json
from glassloop.extensions.code.chat.events import CodeChatEvents, CodeChatStreamEvent, read_confirm_id
from glassloop.extensions.code.chat.file_routes import workspaces_of
from glassloop.extensions.code.chat.memory import ASSISTANT, MemoryManager
from glassloop.models.tiers import PRESETS
from glassloop.projections.pending_approvals import pending
from glassloop.runtime.assistants.access_checks import require_own_session
from glassloop.runtime.assistants.result import Approval
from glassloop.runtime.durable.runtime import Runtime
from glassloop.runtime.durable.submission import MAX_ITERATIONS, TurnOptions
from glassloop.server.auth.identity import User, check_not_forgeable
from glassloop.server.dependencies import (
    Body,
    Flag,
    FolderName,
    Ident,
    Name,
    Note,
    Text,
    runtime_of,
    wanted_of,
)
from glassloop.server.http.responses import EVENTS
from glassloop.server.http.routing import route
from glassloop.server.http.sse import EventStream, event_id, frame, read_last_id
from glassloop.server.routes.turns import ActionResult

router = APIRouter(prefix="/api/code-chat", tags=["code"])
WAIT_S = 600.0
"""How long a stream stays open while a person decides."""
MAX_LISTED = 500


class CodeChatQuery(Body):
    """A question about code."""

    query: Text
    session_id: Ident | None = None
    workspace_path: FolderName | None = None
    context_name: Name | None = None
    use_cgrag: Flag = False
    preset: Name = "balanced"
    max_iterations: Annotated[int, Field(ge=1, le=MAX_ITERATIONS)] = 15
    mode: Literal["plan", "read", "ask", "edits"] | None = None
    protocol: Literal["native", "json", "text"] | None = None
    model: Name | None = None
    assistant: Name = ASSISTANT


class Confirmation(Body):
    """A person's decision about what a `diff_preview` showed. `allow`: count it for the rest of the session."""

    approved: bool
    digest: Annotated[str, Field(min_length=64, max_length=64, pattern="^[0-9a-f]{64}$")]
    reason: Note | None = None
    args: dict[str, Any] | None = None
    allow: Literal["tool", "folder", "command"] | None = None


class Cleanup(Body):
    """How long a session must be idle."""

    hours: Annotated[float, Field(ge=0, le=100_000)] = 24.0


class Cancelled(msgspec.Struct, frozen=True, kw_only=True):
    """Whether anything ran or waited."""

    cancelled: bool


class Removed(msgspec.Struct, frozen=True, kw_only=True):
    """How many, or whether one was."""

    removed: int | bool


class CodeSession(msgspec.Struct, frozen=True, kw_only=True):
    """A session of the code assistant."""

    session_id: str
    title: str
    workspace: str
    context_name: str | None
    turns: int
    tools_used: tuple[str, ...]
    created_at: str
    last_activity: str
    active: bool
    state: str


class CodeTool(msgspec.Struct, frozen=True, kw_only=True):
    """A tool of the code assistant."""

    name: str
    description: str
    parameters: dict[str, Json]
    requires_confirmation: bool


def _memory(request: Request, user: str, hours: float = 24.0) -> MemoryManager:
    return MemoryManager(runtime_of(request).store, workspaces_of(request), user, hours)


@route(
    router.post,
    "/query",
    "Server-sent events, each a `CodeChatStreamEvent`; `id` is `turn_id:seq` where it stands for a durable event.",
    400,
    404,
    409,
    content=EVENTS,
)
async def query(
    request: Request,
    body: CodeChatQuery,
    caller: User,
    last_event_id: Annotated[str | None, Header(max_length=300)] = None,
) -> Response:
    """Ask about code, and see it happen. With `Last-Event-ID` the stream goes on after that event and nothing is asked
    twice."""
    check_not_forgeable(request)
    runtime = runtime_of(request)
    if last_event_id:
        turn_id = last_event_id.rpartition(":")[0]
        row = await runtime.turn(turn_id, caller.scope)
        return _stream(request, row.id, row.session_id, read_last_id(last_event_id, turn_id))
    await require_own_session(runtime.store, body.session_id, caller.user)
    submitted = await runtime.submit(
        body.query,
        session_id=body.session_id,
        user=caller.user,
        wanted=await wanted_of(request, body.assistant, body.model),
        ask_user=False,
        options=TurnOptions(
            mode=body.mode,
            preset=body.preset,
            max_iterations=body.max_iterations,
            workspace=body.workspace_path,
            context_name=body.context_name,
            protocol=body.protocol,
            retrieves=bool(body.use_cgrag),
        ),
    )
    return _stream(request, submitted.turn_id, submitted.session_id, 0)


def _stream(request: Request, turn_id: str, session_id: str, after: int) -> EventStream:
    frames = stream_frames(runtime_of(request), turn_id, after)
    return EventStream(frames, failed=_failed, headers={"x-session-id": session_id})


async def stream_frames(
    runtime: Runtime, turn_id: str, after: int, wait_s: float = WAIT_S
) -> AsyncGenerator[bytes, None]:
    """From the first event on, as later ones are told by earlier ones; those the client knows are left out. Ends after
    `wait_s` in which the turn only waited for a person."""
    chat, seen = CodeChatEvents(), 0
    deadline: float | None = None
    loop = asyncio.get_running_loop()
    async with aclosing(runtime.watch_batches(turn_id, through_pauses=True)) as batches:
        async for batch in batches:
            for event in batch:
                durable = type(event) not in e.TRANSIENT
                if durable and event.seq <= seen:
                    continue
                seen = event.seq if durable else seen
                deadline = loop.time() + wait_s if isinstance(event, e.TurnWaiting) else None if durable else deadline
                for told in chat.tell(event):
                    if not durable or event.seq > after:
                        yield frame(told, ident=event_id(event))
                if isinstance(event, e.TurnFinished):
                    return
            if deadline is not None and loop.time() > deadline:
                yield frame(CodeChatStreamEvent(type="state", state="executing", content="still waiting for you"))
                return


def _failed(text: str, _kind: ErrorType) -> bytes:
    return frame(CodeChatStreamEvent(type="error", state="error", content=text))


@route(router.post, "/cancel/{session_id}", "Whether anything ran or waited.", 404)
async def cancel(request: Request, session_id: Ident, caller: User) -> Cancelled:
    """Stop what a session does, wherever it runs."""
    runtime = runtime_of(request)
    await runtime.session(session_id, caller.scope)
    rows = await runtime.store.turns.of_session(session_id)
    stopped = [await runtime.cancel(row.id) for row in rows if row.status in ("running", "paused")]
    return Cancelled(cancelled=any(stopped))


@route(router.post, "/confirm/{confirm_id}", "Stored; `done` when the turn goes on.", 400, 404, 409)
async def confirm(request: Request, confirm_id: Ident, body: Confirmation, caller: User) -> ActionResult:
    """Decide about what a `diff_preview` showed."""
    runtime, read = runtime_of(request), read_confirm_id(confirm_id)
    if read is None:
        raise UnknownName(f"Nothing was asked under {confirm_id!r}.")
    turn_id, seq = read
    await runtime.turn(turn_id, caller.scope)
    events = await runtime.store.turns.read(turn_id, skip_unknown=True)
    asked = next((e.innermost(each) for each in events if each.seq == seq), None)
    if not isinstance(asked, e.ApprovalRequested):
        raise UnknownName(f"Nothing was asked under {confirm_id!r}.")
    if (asked.seq, asked.call.id) not in {(each.seq, each.call.id) for each in pending(events)}:
        raise ApprovalMismatch("This was decided already: reload to see what is waiting.")
    kind = "tool" if asked.allow is None else asked.allow.kind
    if body.allow is not None and body.allow != kind:
        raise UsageError(
            f"{asked.call.tool!r} cannot be allowed by {body.allow}: it can by {kind}, or approve it once."
        )
    approval = Approval(
        call_id=asked.call.id,
        digest=body.digest,
        approved=body.approved,
        by=caller.user,
        reason=body.reason or "",
        args=body.args,
        for_session=body.allow is not None,
    )
    return ActionResult(done=await runtime.approve(turn_id, [approval], caller.scope))


@route(router.get, "/sessions", "Your own, newest first.")
async def sessions(request: Request, caller: User) -> list[CodeSession]:
    """The sessions of the code assistant."""
    runtime, memory, found = runtime_of(request), _memory(request, caller.user), list[CodeSession]()
    for session in (await memory.sessions())[:MAX_LISTED]:
        kept = await memory.get(session.id, project=False)
        rows = await runtime.store.turns.of_session(session.id)
        active = any(row.status in ("running", "paused") for row in rows)
        if kept is not None:
            found.append(
                CodeSession(
                    session_id=session.id,
                    title=session.title,
                    workspace=kept.workspace,
                    context_name=kept.context_name,
                    turns=len(rows),
                    tools_used=kept.tools_used,
                    created_at=kept.created_at,
                    last_activity=kept.last_activity,
                    active=active,
                    state=rows[-1].status if rows else "completed",
                )
            )
    return found


@route(router.delete, "/sessions/{session_id}", "Whether there was anything to forget; the log stays.", 404)
async def forget(request: Request, session_id: Ident, caller: User) -> Removed:
    """Forget what was said and touched in a session."""
    return Removed(removed=await _memory(request, caller.user).remove(session_id))


@route(router.post, "/sessions/cleanup", "How many were forgotten.")
async def cleanup(request: Request, body: Cleanup, caller: User) -> Removed:
    """Forget the sessions that are idle for too long."""
    return Removed(removed=await _memory(request, caller.user, body.hours).cleanup_stale_sessions())


@route(router.get, "/tools", "By name.")
async def tools(request: Request, caller: User) -> list[CodeTool]:  # noqa: ARG001
    """The tools of the code assistant."""
    agent = await runtime_of(request).agents.for_key(await wanted_of(request, ASSISTANT))
    return [
        CodeTool(
            name=spec.name, description=spec.description, parameters=spec.parameters, requires_confirmation=spec.confirm
        )
        for spec in agent.tools.specs.values()
    ]


@route(router.get, "/presets", "Which tier does what, by preset.")
async def presets(request: Request, caller: User) -> dict[str, dict[str, str]]:  # noqa: ARG001
    """The presets there are."""
    return {name: {"planning": each.planning, "loop": each.loop, "small": each.small} for name, each in PRESETS.items()}
