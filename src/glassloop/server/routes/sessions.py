"""A user's own sessions: list, look, rate, export, delete; and the tools that need not ask in one."""

import re
from collections.abc import AsyncGenerator, AsyncIterable, Mapping, Sequence
from typing import Annotated, Literal
from urllib.parse import quote

import msgspec
from fastapi import APIRouter, Path, Query, Request
from starlette.responses import Response, StreamingResponse

from glassloop.core.errors import UsageError
from glassloop.core.loop.approvals.grants import MAX_SCOPE_CHARS
from glassloop.memory.search_text import MAX_QUERY
from glassloop.runtime.chat_imports.conversation_importer import IMPORT
from glassloop.runtime.durable.runtime import Runtime
from glassloop.server.auth.identity import Caller, User
from glassloop.server.dependencies import (
    ConversationFile,
    FolderChange,
    Ident,
    NewRating,
    NewSession,
    OwnSession,
    SessionChange,
    runtime_of,
)
from glassloop.server.http.responses import JsonStream, view_of
from glassloop.server.http.routing import route
from glassloop.server.routes.jobs import JobView
from glassloop.server.routes.turns import ActionResult
from glassloop.server.routes.uploads import uploads_of
from glassloop.server.session_markdown import markdown_head, markdown_messages
from glassloop.store.records import Rating, Session, SessionMessage, TurnRow
from glassloop.store.tables.grants import Grant
from glassloop.store.tables.search import excerpt_of
from glassloop.store.tables.sessions import MAX_FOLDER_CHARS, SessionFolder, SessionPlaces, SessionTable

router = APIRouter(prefix="/api", tags=["sessions"])

FILE_NAME_CHARS = 60
_WORD = re.compile(r"\w+")

WHOLE_TURN = "turn"
"""What a rating of a turn as a whole is for, where others are for one of its steps."""

ExportFormat = Literal["jsonl", "json", "markdown"]
_ENDINGS: Mapping[ExportFormat, str] = {"jsonl": "jsonl", "json": "json", "markdown": "md"}
Status = Literal["active", "completed", "awaiting_approval"]
Limit = Annotated[int, Query(ge=0, le=1000)]
SearchLimit = Annotated[int, Query(ge=1, le=50)]
Words = Annotated[str, Query(max_length=MAX_QUERY)]
Offset = Annotated[int, Query(ge=0, le=1_000_000_000)]


class TurnLine(msgspec.Struct, frozen=True, kw_only=True):
    """A turn in a list."""

    id: str
    assistant: str
    status: str
    question: str
    answer: str | None
    error: str | None
    started_at: float
    finished_at: float | None
    input_tokens: int | None
    output_tokens: int | None
    cost: float | None
    previous_turn_id: str
    """The turn that it follows, empty for the first. Turns that follow the same one are versions of each other."""
    on_path: bool
    """Whether it leads to the newest turn: then `messages` has what it said, and models are told of it."""


class RunningSessions(msgspec.Struct, frozen=True, kw_only=True):
    """Sessions with a turn that runs, by id."""

    sessions: Sequence[str]


class FoundPassage(msgspec.Struct, frozen=True, kw_only=True):
    """A passage of a conversation, around the words that were looked for. Without `turn_id` it is of its title."""

    session_id: str
    turn_id: str | None
    title: str
    at: str
    passage: str


class SessionView(msgspec.Struct, frozen=True, kw_only=True):
    """A session with everything said in it, each answer with its trace; `turns` are all versions of them, `messages`
    those that lead to the newest, `ratings` those of whole turns, by id."""

    session: Session
    messages: Sequence[SessionMessage]
    turns: Sequence[TurnLine]
    ratings: Mapping[str, Rating]


@route(router.get, "/sessions", "Newest first; with `q` best first.", 400)
async def list_sessions(
    request: Request,
    caller: User,
    limit: Limit = 50,
    offset: Offset = 0,
    status: Status | None = None,
    q: Words | None = None,
    pinned: bool | None = None,
    archived: bool = False,
    folder: Annotated[str | None, Query(max_length=MAX_FOLDER_CHARS)] = None,
) -> Sequence[Session]:
    """Your sessions: those that are not archived, or those that are; `folder` empty: those in none. Temporary ones are
    not listed. With `q`, those that have its words or are about it, wherever they are listed, best first."""
    runtime = runtime_of(request)
    if q is not None and q.strip():
        found = await runtime.conversation_search.sessions(q, user=caller.user, limit=limit)
        return [session for session, _ in found]
    listed = SessionPlaces(pinned=pinned, archived=archived, folder=folder)
    return await runtime.store.sessions.list(limit, offset, caller.user, status, listed=listed)


@route(router.get, "/sessions/folders", "By name.")
async def folders(request: Request, caller: User) -> Sequence[SessionFolder]:
    """The folders of your sessions, with how many each has that are not archived."""
    return await runtime_of(request).store.sessions.folders(caller.user)


@route(router.patch, "/sessions/folders", "Renamed; false where there was no such folder.", 400)
async def rename_folder(request: Request, body: FolderChange, caller: User) -> ActionResult:
    """Give a folder of yours another name; an empty one takes its sessions out of it, and the folder is gone."""
    moved = await runtime_of(request).store.sessions.rename_folder(caller.user, body.name, body.new_name)
    return ActionResult(done=moved > 0)


@route(router.get, "/running", "The newest first.")
async def running(request: Request, caller: User) -> RunningSessions:
    """Which of your sessions are being worked on."""
    runtime = runtime_of(request)
    # A page asks this again and again while it is in view: nobody who looks at it is notified elsewhere.
    await runtime.notifier.note_page(caller.user)
    return RunningSessions(sessions=await runtime.store.sessions.running(caller.user))


@route(router.get, "/search", "Best first.", 400)
async def search(request: Request, caller: User, q: Words, limit: SearchLimit = 10) -> Sequence[FoundPassage]:
    """The passages of your conversations that have these words or are about them, the best of each conversation."""
    found = await runtime_of(request).conversation_search.sessions(q, user=caller.user, limit=limit)
    return [
        FoundPassage(
            session_id=session.id,
            turn_id=passage.turn_id,
            title=session.title,
            at=passage.at,
            passage=excerpt_of(passage.passage or passage.question, q.split()),
        )
        for session, passage in found
    ]


@route(router.post, "/sessions", "Made.", 400, status=201)
async def create(request: Request, body: NewSession, caller: User) -> Session:
    """Make an empty session; asking without one makes one too."""
    channel = "web" if request.scope.get("by_cookie") else "api"
    sessions, metadata = runtime_of(request).store.sessions, body.metadata or {}
    return await sessions.create(caller.user, channel, metadata, temporary=bool(body.temporary))


@route(router.post, "/sessions/import", "A job reads it; `GET /api/jobs/{id}` tells how far.", 400, 404, status=202)
async def import_conversations(request: Request, body: ConversationFile, caller: User) -> JobView:
    """Import conversations of ChatGPT or Open WebUI from an upload of yours: their export as JSON, or ChatGPT's zip.
    Those that were imported before stay as they are; the upload is deleted after it."""
    await uploads_of(request).get(caller.user, body.upload_id)
    job = await runtime_of(request).jobs.submit(IMPORT, {"upload_id": body.upload_id}, user=caller.user)
    return view_of(JobView, job)


@route(router.get, "/sessions/{session_id}", "The complete session.", 404)
async def show(request: Request, session: OwnSession) -> SessionView | Response:
    """A session with its messages and turns, sent as quickly as it is read."""
    return await _whole(request, session)


async def _whole(request: Request, session: Session) -> JsonStream:
    store = runtime_of(request).store
    rated = await store.ratings.of_session(session.id)
    return JsonStream(
        {
            "session": session,
            "messages": store.sessions.message_pages(session.id),
            "turns": _lines(store.turns.session_pages(session.id)),
            "ratings": {each.turn_id: each.rating for each in rated if each.target == WHOLE_TURN},
        }
    )


async def _lines(pages: AsyncIterable[Sequence[TurnRow]]) -> AsyncGenerator[Sequence[TurnLine], None]:
    before = ""
    async for page in pages:
        lines = list[TurnLine]()
        for row in page:
            previous = before if row.previous_turn_id is None else row.previous_turn_id
            lines.append(view_of(TurnLine, row, previous_turn_id=previous))
            before = row.id
        yield lines


@route(router.patch, "/sessions/{session_id}", "The updated record.", 400, 404)
async def change(request: Request, session: OwnSession, body: SessionChange) -> Session:
    """Give a session another title, say that it is over, or say where it is listed."""
    runtime = runtime_of(request)
    if body.status is not None:
        if session.status == "awaiting_approval":
            raise UsageError(f"Session {session.id!r} is waiting for you: answer it or cancel the turn first.")
        await runtime.store.sessions.update_status(session.id, body.status)
    if body.title is not None:
        await runtime.store.sessions.rename(session.id, body.title.strip())
    await runtime.store.sessions.place(session.id, pinned=body.pinned, archived=body.archived, folder=body.folder)
    return await runtime.session(session.id)


@route(router.post, "/sessions/{session_id}/rating", "Stored.", 400, 404)
async def rate(request: Request, session: OwnSession, body: NewRating, caller: User) -> ActionResult:
    """Say whether a session was good or bad, and why."""
    await rate_session(runtime_of(request), session, body, caller)
    return ActionResult(done=True)


async def rate_session(runtime: Runtime, session: Session, body: NewRating, caller: Caller) -> None:
    await runtime.store.sessions.add_rating(session.id, body.rating, body.note)
    await runtime.store.audit.record("rated", session.id, by=caller.user, session_id=session.id, detail=body.rating)


@route(router.post, "/turns/{turn_id}/rating", "Stored.", 400, 404)
async def rate_turn(request: Request, turn_id: Ident, body: NewRating, caller: User) -> ActionResult:
    """Say whether an answer was good or bad, and why. Its session is then rated so, too: the last word counts."""
    runtime = runtime_of(request)
    row = await runtime.turn(turn_id, caller.scope)
    await runtime.store.ratings.rate_step(turn_id, WHOLE_TURN, body.rating, body.note, caller.user)
    await runtime.store.sessions.add_rating(row.session_id, body.rating, body.note)
    await runtime.store.audit.record("rated", turn_id, by=caller.user, session_id=row.session_id, detail=body.rating)
    return ActionResult(done=True)


@route(
    router.get,
    "/sessions/{session_id}/export",
    "A file: JSON lines as `glassloop sessions import` takes them, Markdown to read, or JSON as the session is shown.",
    404,
    content={"application/x-ndjson": {"schema": {"type": "string"}}, "text/markdown": {"schema": {"type": "string"}}},
)
async def export(
    request: Request, session: OwnSession, as_format: Annotated[ExportFormat, Query(alias="format")] = "jsonl"
) -> Response:
    """Take a session with you, sent as quickly as it is read."""
    store = runtime_of(request).store
    if as_format == "json":
        response: Response = await _whole(request, session)
    elif as_format == "markdown":
        response = StreamingResponse(_markdown(store.sessions, session), media_type="text/markdown")
    else:
        response = StreamingResponse(store.exports.pieces(session.id), media_type="application/x-ndjson")
    called = quote("-".join(_WORD.findall(session.title))[:FILE_NAME_CHARS] or session.id, safe="")
    ending = _ENDINGS[as_format]
    named = f"attachment; filename=\"{session.id}.{ending}\"; filename*=UTF-8''{called}.{ending}"
    response.headers["content-disposition"] = named
    return response


async def _markdown(sessions: SessionTable, session: Session) -> AsyncGenerator[str, None]:
    yield markdown_head(session)
    async for page in sessions.message_pages(session.id):
        yield "".join(markdown_messages(page))


@route(router.delete, "/sessions/{session_id}", "Gone.", 404, 409)
async def delete(request: Request, session: OwnSession, caller: User) -> ActionResult:
    """Delete a session with everything in it; what still runs in it is stopped first."""
    gone = await runtime_of(request).erasure.erase_sessions([session.id], by=caller.user)
    return ActionResult(done=gone > 0)


@route(router.delete, "/me", "Everything of yours was deleted.")
async def erase_me(request: Request, caller: User) -> ActionResult:
    """Delete everything of yours: sessions, turns, events, jobs, uploads, documents, and then your keys and whatever
    browsers you signed in. What still runs is stopped first."""
    return ActionResult(done=await runtime_of(request).erasure.erase_user(caller.user, by=caller.user))


ToolName = Annotated[str, Path(max_length=200)]


@route(router.get, "/sessions/{session_id}/grants", "By the name of the tool.", 404)
async def grants(request: Request, session: OwnSession) -> Sequence[Grant]:
    """The tools that need not ask in this session, and until when (seconds since the epoch)."""
    return await runtime_of(request).store.grants.of_session(session.id)


@route(
    router.delete,
    "/sessions/{session_id}/grants/{tool}",
    "Revoked; false if the tool already asked.",
    404,
)
async def revoke(
    request: Request,
    session: OwnSession,
    tool: ToolName,
    caller: User,
    scope: Annotated[str | None, Query(max_length=MAX_SCOPE_CHARS)] = None,
) -> ActionResult:
    """Have a tool ask again, also in a turn that runs: for one scope of `grants`, or for all of them."""
    store = runtime_of(request).store
    done = await store.grants.revoke(session.id, tool, scope)
    if done:
        await store.audit.record("revoked", tool, by=caller.user, session_id=session.id)
    return ActionResult(done=done)
