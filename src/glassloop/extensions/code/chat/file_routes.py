"""`/api/code-chat`: folders to work in, files of a session's workspace to look at, and changes to take back."""

import asyncio
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import msgspec
from fastapi import APIRouter, Query, Request
from pydantic import Field

from glassloop.core.errors import ToolError, UnknownName, UsageError
from glassloop.core.events import TurnStarted
from glassloop.extensions.code.access import WorkspaceFiles, is_secret, is_version_control, open_workspace, shown
from glassloop.extensions.code.extension import CodeSettings
from glassloop.extensions.code.files.changes import read_bytes
from glassloop.extensions.code.files.text import decode
from glassloop.extensions.code.project.project_info import ProjectInfo, describe, project_kind
from glassloop.extensions.code.undo.kept_store import KeptStore
from glassloop.extensions.code.undo.session_changes import TurnChanges, session_changes
from glassloop.extensions.code.undo.undo import Undo, UndoPlan
from glassloop.retrieval.code.workspace import NEVER
from glassloop.root_folder import RootFolder
from glassloop.runtime.assistants.access_checks import require_own_session
from glassloop.runtime.workspaces import SessionWorkspaces, Workspace
from glassloop.server.auth.identity import User
from glassloop.server.dependencies import Body, Ident, OwnSession, runtime_of
from glassloop.server.http.routing import route
from glassloop.store.log.redaction import Redactor

router = APIRouter(prefix="/api/code-chat", tags=["code"])

MAX_FOLDERS = 500
SHOWN_BYTES = 1_000_000
FilePath = Annotated[str, Query(min_length=1, max_length=4_096)]


class FolderEntry(msgspec.Struct, frozen=True, kw_only=True):
    """A folder that may be chosen; `path` is how it is named."""

    name: str
    path: str
    is_git: bool
    project_type: str


class FolderListing(msgspec.Struct, frozen=True, kw_only=True):
    """The folders in one, or the roots where `path` is empty. `left_out` more are not listed."""

    path: str
    parent: str | None
    entries: Sequence[FolderEntry]
    left_out: int


class WorkspaceFile(msgspec.Struct, frozen=True, kw_only=True):
    """A text file of a workspace, as it is now."""

    path: str
    text: str
    size: int


class SessionFiles(msgspec.Struct, frozen=True, kw_only=True):
    """What a session works on: its folder as the user names it, its index, its mode, and what its turns changed."""

    workspace: str
    context_name: str
    mode: str
    turns: Sequence[TurnChanges]


class UndoConfirmation(Body):
    """The digest of the plan that was shown."""

    digest: Annotated[str, Field(min_length=64, max_length=64, pattern="^[0-9a-f]{64}$")]


def workspaces_of(request: Request) -> SessionWorkspaces:
    found = runtime_of(request).workspaces
    if found is None:
        raise UsageError("This server keeps no workspaces: open it with a runtime that does.")
    return found


def kept_of(request: Request) -> KeptStore:
    settings = runtime_of(request).context.settings
    told = settings.of(CodeSettings)
    return KeptStore(settings.home_path, days=told.keep_days, max_bytes=told.keep_bytes)


@route(router.get, "/workspaces", "The roots, or the folders in one.", 400)
async def list_workspaces(
    request: Request, caller: User, path: Annotated[str, Query(max_length=4_096)] = ""
) -> FolderListing:
    """Folders that you may have an assistant work in."""
    return await asyncio.to_thread(_folders, workspaces_of(request), caller.user, path)


@route(router.get, "/workspaces/info", "What is known by its manifests and version control.", 400)
async def describe_workspace(request: Request, caller: User, path: FilePath) -> ProjectInfo:
    """What kind of project a folder is."""
    return await asyncio.to_thread(_project, workspaces_of(request), caller.user, path)


@route(router.get, "/workspaces/file", "The file.", 400, 404)
async def show_workspace_file(request: Request, caller: User, session_id: Ident, path: FilePath) -> WorkspaceFile:
    """A text file of your session's workspace. None that may hold secrets is shown."""
    await require_own_session(runtime_of(request).store, session_id, caller.user)
    workspace = await workspaces_of(request).of(caller.user, session_id)
    redact = Redactor(runtime_of(request).context.settings.secrets).text
    try:
        found = await asyncio.to_thread(_read, workspace, path)
    except ToolError as error:
        raise UsageError(str(error)) from error
    return msgspec.structs.replace(found, text=redact(found.text))


@route(router.get, "/sessions/{session_id}/files", "What the session works on, and what it changed.", 404)
async def session_files(request: Request, session: OwnSession, caller: User) -> SessionFiles:
    """A session's folder, index and mode, and the files that its turns changed, the newest turn first."""
    workspaces = workspaces_of(request)
    row = await workspaces.find(caller.user, session.id)
    redact = Redactor(runtime_of(request).context.settings.secrets).text
    turns = await asyncio.to_thread(session_changes, kept_of(request), caller.user, session.id, redact)
    return SessionFiles(
        workspace=await workspaces.name_of(caller.user, row.path) if row is not None else "",
        context_name=row.context_name if row is not None else "",
        mode=(row.mode if row is not None else "") or "ask",
        turns=turns,
    )


@route(router.get, "/changes/{turn_id}", "The files.", 404)
async def turn_changes(request: Request, turn_id: Ident, caller: User) -> TurnChanges:
    """The files that a turn, or an undo, changed, with their diffs."""
    kept = kept_of(request)
    redact = Redactor(runtime_of(request).context.settings.secrets).text
    changes = await asyncio.to_thread(kept.of_turn, caller.user, turn_id)
    session = changes[0].origin.session_id if changes else ""
    found = await asyncio.to_thread(session_changes, kept, caller.user, session, redact, turn_id)
    if found:
        return found[0]
    started = await _own_turn(request, turn_id, caller.user)
    return TurnChanges(turn_id=turn_id, at=started.at, undoes="", undone=False, files=[])


async def _own_turn(request: Request, turn_id: str, user: str) -> TurnStarted:
    started = await runtime_of(request).store.turns.first(turn_id)
    if started is None or started.user != user:
        raise UnknownName(f"There is no turn {turn_id!r} of yours: what it changed is kept for some weeks only.")
    return started


@route(router.get, "/changes/{turn_id}/undo", "What taking it back would do.", 400, 404)
async def plan_undo(request: Request, turn_id: Ident, caller: User) -> UndoPlan:
    """What taking back a turn's changes would do to each file. Changes nothing."""
    await _require_changes(request, turn_id, caller.user)
    return await Undo(kept_of(request), workspaces_of(request)).plan(caller.user, turn_id)


@route(router.post, "/changes/{turn_id}/undo", "What was done to each file.", 400, 404, 409)
async def undo_changes(request: Request, turn_id: Ident, body: UndoConfirmation, caller: User) -> UndoPlan:
    """Take back a turn's changes, exactly as they were shown. An undo can be undone by its own id."""
    await _require_changes(request, turn_id, caller.user)
    return await Undo(kept_of(request), workspaces_of(request)).apply(caller.user, turn_id, body.digest)


async def _require_changes(request: Request, turn_id: str, user: str) -> None:
    """A turn of the user's own that changed nothing is another mistake than one that is not there."""
    if not await asyncio.to_thread(kept_of(request).of_turn, user, turn_id):
        await _own_turn(request, turn_id, user)
        raise UsageError(f"Turn {turn_id!r} changed no files: there is nothing to take back.")


def _folders(workspaces: SessionWorkspaces, user: str, path: str) -> FolderListing:
    roots = workspaces.roots.of(user)
    if not path:
        entries = [_entry(root.name, root.name, root.path) for root in roots[:MAX_FOLDERS]]
        return FolderListing(path="", parent=None, entries=entries, left_out=0)
    name, folder = workspaces.roots.find(user, path)
    try:
        with os.scandir(folder) as found:
            names = sorted(
                each.name
                for each in found
                if each.is_dir(follow_symlinks=False) and not each.name.startswith(".") and each.name not in NEVER
            )
    except OSError:
        raise UsageError(f"The folders in {name!r} cannot be listed: choose another one.") from None
    entries = [_entry(each, f"{name}/{each}", folder / each) for each in names[:MAX_FOLDERS]]
    is_root = any(root.name == name for root in roots)
    parent = "" if is_root else name.rpartition("/")[0]
    return FolderListing(path=name, parent=parent, entries=entries, left_out=max(0, len(names) - MAX_FOLDERS))


def _entry(name: str, path: str, folder: Path) -> FolderEntry:
    try:
        with RootFolder(folder) as root:
            is_git, kind = project_kind(root)
    except OSError:
        is_git, kind = False, "unknown"
    return FolderEntry(name=name, path=path, is_git=is_git, project_type=kind)


def _project(workspaces: SessionWorkspaces, user: str, path: str) -> ProjectInfo:
    name, folder = workspaces.roots.find(user, path)
    try:
        return describe(folder)
    except OSError:
        raise UsageError(f"{name!r} cannot be read: choose another folder.") from None


def _read(workspace: Workspace, path: str) -> WorkspaceFile:
    with open_workspace(workspace) as files:
        return _text_file(files, path)


def _text_file(files: WorkspaceFiles, path: str) -> WorkspaceFile:
    with files.refusing(path):
        found = read_bytes(files, path, SHOWN_BYTES)
    if is_secret(found.path) or is_version_control(found.path):
        raise ToolError(f"{shown(path)} may hold secrets, or belongs to version control: open it on your own machine.")
    try:
        text = decode(found.raw).text
    except ToolError as error:
        raise ToolError(f"{shown(path)} cannot be shown: {error}.") from None
    return WorkspaceFile(path=found.path, text=text, size=len(found.raw))
