"""`/api/code-chat/contexts`: the indexes of a user's folders, which a job makes."""

import asyncio
from collections.abc import Sequence
from typing import Annotated, Literal

import msgspec
from fastapi import APIRouter, Path, Request
from pydantic import Field

from glassloop.core.errors import UnknownName, UsageError
from glassloop.core.records import Json
from glassloop.extensions.code.chat.file_routes import workspaces_of
from glassloop.extensions.code.chat.routes import Removed
from glassloop.runtime.code_indexes import EMBED, INDEX, MAX_NAME, CodeIndexes, IndexedFolder, index_name
from glassloop.server.auth.identity import User
from glassloop.server.dependencies import Body, FolderName, runtime_of
from glassloop.server.http.responses import view_of
from glassloop.server.http.routing import route
from glassloop.server.routes.jobs import JobView
from glassloop.store.records import JobRow

router = APIRouter(prefix="/api/code-chat/contexts", tags=["code"])

MAX_JOBS = 200
"""Jobs of a user that are looked at for the states of their indexes."""

ContextState = Literal["indexing", "embedding", "ready", "failed", "unavailable"]


class ContextView(msgspec.Struct, frozen=True, kw_only=True):
    """An index. `embedded`: how many of its passages are found by their meaning too. `unavailable`: its folder is not
    there any more, or may not be worked in."""

    name: str
    workspace: str
    files: int
    passages: int
    embedded: int
    updated_at: float | None
    state: ContextState


class NewContext(Body):
    """A folder to index, as `GET /api/code-chat/workspaces` names it. Without a `name` it is called like its folder."""

    name: Annotated[str, Field(min_length=1, max_length=MAX_NAME)] | None = None
    workspace_path: FolderName


def indexes_of(request: Request) -> CodeIndexes:
    found = runtime_of(request).context.code_indexes
    if found is None:
        raise UsageError("This server keeps no indexes of folders: open it with a runtime that does.")
    return found


@route(router.get, "", "Yours, by name.")
async def list_contexts(request: Request, caller: User) -> Sequence[ContextView]:
    """The indexes of your folders."""
    jobs = await runtime_of(request).store.jobs.list(MAX_JOBS, caller.user)
    return [
        ContextView(
            name=each.name,
            workspace=workspace,
            files=each.files,
            passages=each.passages,
            embedded=each.embedded,
            updated_at=each.updated_at or None,
            state=_state(each.name, bool(workspace), each.updated_at > 0, jobs),
        )
        for each, workspace in await indexes_of(request).of(caller.user)
    ]


@route(router.post, "", "A job reads the folder; `GET /api/jobs/{id}` tells how far.", 400, status=202)
async def add_context(request: Request, body: NewContext, caller: User) -> JobView:
    """Have a folder indexed, or brought up to date. When the job is completed it is found by its words; by its meaning
    later."""
    if body.name is not None and (not body.name.strip() or not body.name.isprintable()):
        raise UsageError(f"{body.name!r} cannot name an index: use printable characters.")
    workspace, _ = await asyncio.to_thread(workspaces_of(request).roots.find, caller.user, body.workspace_path)
    params: dict[str, Json] = msgspec.to_builtins(
        IndexedFolder(name=body.name or index_name(workspace), workspace=workspace)
    )
    return view_of(JobView, await runtime_of(request).jobs.submit(INDEX, params, user=caller.user))


@route(router.delete, "/{name}", "Gone; the folder stays as it is.", 404)
async def remove_context(
    request: Request, name: Annotated[str, Path(min_length=1, max_length=MAX_NAME)], caller: User
) -> Removed:
    """Remove an index of yours."""
    if not await indexes_of(request).remove(caller.user, name):
        raise UnknownName(f"There is no index {name!r}.")
    return Removed(removed=True)


def _state(name: str, available: bool, read: bool, jobs: Sequence[JobRow]) -> ContextState:
    alive = {job.kind for job in jobs if job.status in ("queued", "running") and job.params.get("name") == name}
    if INDEX in alive:
        return "indexing"
    if not available:
        return "unavailable"
    if EMBED in alive:
        return "embedding"
    return "ready" if read else "failed"
