"""The tools of the code assistant that read and change files.

Owns the wording a model reads and the shape of the results. What a call would do is planned by `planning` from what is
there now, both for the preview that a person approves and again before it is done.
"""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated

import msgspec
from pydantic import BaseModel, ConfigDict, Field

from glassloop.core.errors import ToolError
from glassloop.core.records import Json, ToolResult
from glassloop.extensions.code.access import Access, RateLimit, WorkspaceFiles, is_secret, shown
from glassloop.extensions.code.extension import CodeSettings
from glassloop.extensions.code.files.changes import PlannedFile, apply_changes
from glassloop.extensions.code.files.diagnostics import ChangedText, diagnose
from glassloop.extensions.code.files.diff import DiffPreview, diff_preview
from glassloop.extensions.code.files.planning import MAX_EDITS, ChangePlanner, TextEdit
from glassloop.extensions.code.files.reading import read
from glassloop.extensions.code.files.seen import SeenFiles
from glassloop.extensions.code.files.text import decode_to_change
from glassloop.extensions.code.undo.kept import ChangeOrigin, KeptStore, sha256_of
from glassloop.runtime.settings.settings import Settings
from glassloop.runtime.workspaces import Workspaces
from glassloop.store.log.redaction import Redactor
from glassloop.tools.tool import Tool, ToolContext, tool

Plan = Callable[[ChangePlanner], list[PlannedFile]]

MAX_PATH_CHARS = 5_000
MAX_CONTENT_CHARS = 10_000_000
FilePath = Annotated[str, Field(max_length=MAX_PATH_CHARS)]
Content = Annotated[str, Field(max_length=MAX_CONTENT_CHARS)]


class EditInput(BaseModel):
    """One of several edits."""

    model_config = ConfigDict(extra="forbid")

    path: FilePath
    old: Content
    new: Content
    count: int = 1


class FileTools:
    """What the tools share: the way to the files, what was read, and what is kept."""

    def __init__(self, access: Access, kept: KeptStore, redact: Callable[[str], str]) -> None:
        self._access = access
        self._kept = kept
        self._redact = redact
        self._seen = SeenFiles()

    async def read(
        self, context: ToolContext, path: str, first_line: int, last_line: int | None, encoding: str
    ) -> ToolResult:
        def work(files: WorkspaceFiles) -> ToolResult:
            result = read(files, self._seen, path, first_line, last_line, encoding)
            # A link may have been swapped in since the person was asked, or was not.
            if is_secret(str(result.metadata["path"])) and self._seen.shown(context.idempotency_key) is None:
                raise ToolError(f"{shown(path)} may hold secrets and nobody was asked: call read_file again.")
            return result

        return await self._access.run(context, work)

    async def preview_read(self, context: ToolContext, path: str) -> Json:
        """What a person is shown before a file is read that may hold secrets; None for any other."""

        def work(files: WorkspaceFiles) -> str | None:
            with files.refusing(path):
                _, found = files.root.stat(path)
                return found if is_secret(found) else None

        found = await self._access.run(context, work, counted=False)
        if found is None:
            return None
        self._seen.put_shown(context.idempotency_key, ())
        return {"file_path": found, "reason": f"{shown(found)} may hold keys or passwords: the model would read them."}

    async def preview(self, context: ToolContext, plan: Plan) -> Json:
        """What each file becomes. Refuses what cannot be done, so that nobody is asked."""

        def work(files: WorkspaceFiles) -> list[DiffPreview]:
            planner = ChangePlanner(files, self._seen)
            planned = plan(planner)
            if self._seen.shown(context.idempotency_key) is None:
                planner.check_unchanged(planned)
            self._seen.put_shown(context.idempotency_key, _versions(planned))
            return [self._shown(each) for each in planned]

        previews = await self._access.run(context, work, counted=False)
        return msgspec.to_builtins(previews[0] if len(previews) == 1 else {"files": previews})

    async def change(self, context: ToolContext, plan: Plan, done: str) -> ToolResult:
        """Does what was planned, unless the files are not those that were shown."""

        def work(files: WorkspaceFiles) -> tuple[list[PlannedFile], list[Json]]:
            planner = ChangePlanner(files, self._seen)
            planned = plan(planner)
            approved = self._seen.shown(context.idempotency_key)
            if approved is None:
                planner.check_unchanged(planned)
            elif approved != _versions(planned):
                raise ToolError(
                    "A file changed after this was approved, so nothing was written: read it, then repeat it."
                )
            workspace = files.workspace
            origin = ChangeOrigin(
                user=workspace.user,
                session_id=workspace.session_id,
                turn_id=context.turn_id,
                call_id=context.call_id,
                root=str(workspace.root),
            )
            changes = apply_changes(files, self._kept, origin, planned)
            planner.remember(planned)
            return planned, [msgspec.to_builtins(each) for each in changes]

        planned, changes = await self._access.run(context, work)
        return await self._result(planned, changes, done)

    async def _result(self, planned: Sequence[PlannedFile], changes: list[Json], done: str) -> ToolResult:
        previews = [self._shown(each) for each in planned]
        texts = [(each, _text(each.before), _text(each.after)) for each in planned]
        found = await diagnose([ChangedText(each.path, old, new) for each, old, new in texts if new is not None])
        shown_previews: list[Json] = [msgspec.to_builtins(each) for each in previews]
        data: dict[str, Json] = {"diagnostics": [msgspec.to_builtins(each) for each in found]}
        if len(planned) == 1:
            data |= {"diff_preview": shown_previews[0], "change": changes[0]}
        else:
            data |= {"diff_previews": shown_previews, "changes": changes}
        if (match := planned[0].match) is not None:
            data |= {"matched": match.form, "lines": [[each.first_line, each.last_line] for each in match.spans]}
        lines = [_sentence(each, new, preview, done) for (each, _, new), preview in zip(texts, previews, strict=True)]
        lines += [f"{shown(each.path)} line {each.line}: {each.message} ({each.source})" for each in found]
        metadata: dict[str, Json] = {"path": planned[0].path, "change_type": previews[0].change_type}
        if len(planned) > 1:
            metadata["paths"] = [each.path for each in planned]
        return ToolResult(success=True, output="\n".join(lines), data=data, metadata=metadata)

    def _shown(self, planned: PlannedFile) -> DiffPreview:
        before, after = _text(planned.before), _text(planned.after)
        sha256 = None if planned.before is None else sha256_of(planned.before)
        preview = diff_preview(planned.path, before, after, sha256=sha256, source=planned.source, redact=self._redact)
        kind = planned.change.change_type
        # A binary file has no text to be shown.
        return msgspec.structs.replace(preview, change_type=kind) if preview.change_type != kind else preview


def _versions(planned: Sequence[PlannedFile]) -> tuple[str, ...]:
    return tuple("" if each.before is None else sha256_of(each.before) for each in planned)


def _text(raw: bytes | None) -> str | None:
    if raw is None:
        return None
    try:
        return decode_to_change(raw, None).text
    except ToolError:
        return None


def _sentence(planned: PlannedFile, text: str | None, preview: DiffPreview, done: str) -> str:
    name = shown(planned.path)
    match preview.change_type:
        case "delete":
            return f"Deleted {name}."
        case "move":
            return f"Moved {shown(planned.source or '')} to {name}."
        case "create":
            return f"{done} {len(text or ''):,} characters to the new file {name}."
        case "modify":
            match = planned.match
            how = f", matched by {match.form}" if match is not None and match.form != "exact" else ""
            counts = f"+{preview.added} −{preview.removed} lines"
            return f"{done} {len(text or ''):,} characters to {name}: {counts}{how}."


def make_tools(
    home: Path,
    workspaces: Workspaces | None = None,
    settings: Settings | None = None,
    redact: Callable[[str], str] | None = None,
    rate: RateLimit | None = None,
) -> Sequence[Tool]:
    """All of them. What changes replace is kept in `code/kept` of the home folder."""
    told = CodeSettings() if settings is None else settings.of(CodeSettings)
    kept = KeptStore(home, days=told.keep_days, max_bytes=told.keep_bytes)
    shared = FileTools(Access(workspaces, rate), kept, redact or Redactor().text)
    return (_read_tool(shared), *_writing_tools(shared), *_moving_tools(shared))


def _read_tool(shared: FileTools) -> Tool:
    async def preview_read(
        path: FilePath,
        context: ToolContext,
        first_line: Annotated[int, Field(ge=1)] = 1,
        last_line: Annotated[int, Field(ge=1)] | None = None,
        encoding: Annotated[str, Field(max_length=40)] = "utf-8",
    ) -> Json:
        del first_line, last_line, encoding
        return await shared.preview_read(context, path)

    @tool(effect="read", volatile=True, domain="code", confirm_previewed=True, grant="never", preview=preview_read)
    async def read_file(
        path: FilePath,
        context: ToolContext,
        first_line: Annotated[int, Field(ge=1)] = 1,
        last_line: Annotated[int, Field(ge=1)] | None = None,
        encoding: Annotated[str, Field(max_length=40)] = "utf-8",
    ) -> ToolResult:
        """Read a text file of the workspace, with the numbers of its lines.

        Args:
            path: From the workspace, such as "src/app.py".
            first_line: Where to begin.
            last_line: Where to end; left out: as far as there is room, and it says how to go on.
            encoding: Only where it is not UTF-8 or UTF-16.
        """
        return await shared.read(context, path, first_line, last_line, encoding)

    return read_file


def _writing_tools(shared: FileTools) -> Sequence[Tool]:
    async def preview_write(path: FilePath, content: Content, context: ToolContext, create_dirs: bool = True) -> Json:
        return await shared.preview(context, lambda planner: planner.write(path, content, create_dirs))

    @tool(effect="write", volatile=True, domain="code", confirm=True, grant="folder", preview=preview_write)
    async def write_file(
        path: FilePath, content: Content, context: ToolContext, create_dirs: bool = True
    ) -> ToolResult:
        """Write a whole file: a new one, or all of one that is there. To change a part of one use edit_file.

        Args:
            path: From the workspace.
            content: All of its text.
            create_dirs: Whether missing folders are made.
        """
        return await shared.change(context, lambda planner: planner.write(path, content, create_dirs), "Wrote")

    async def preview_edit(path: FilePath, old: Content, new: Content, context: ToolContext, count: int = 1) -> Json:
        edit = TextEdit(path=path, old=old, new=new, count=count)
        return await shared.preview(context, lambda planner: planner.edit([edit]))

    @tool(effect="write", volatile=True, domain="code", confirm=True, grant="folder", preview=preview_edit)
    async def edit_file(path: FilePath, old: Content, new: Content, context: ToolContext, count: int = 1) -> ToolResult:
        """Replace a piece of a file. Read the file first and give enough of it that the place is clear.

        Args:
            path: From the workspace.
            old: The lines to be replaced as the file has them, without line numbers.
            new: What comes in their place.
            count: How often `old` is in the file; all of them are replaced.
        """
        edit = TextEdit(path=path, old=old, new=new, count=count)
        return await shared.change(context, lambda planner: planner.edit([edit]), "Wrote")

    async def preview_edits(
        edits: Annotated[list[EditInput], Field(min_length=1, max_length=MAX_EDITS)], context: ToolContext
    ) -> Json:
        return await shared.preview(context, lambda planner: planner.edit(_edits(edits)))

    @tool(effect="write", volatile=True, domain="code", confirm=True, grant="folder", preview=preview_edits)
    async def multi_edit(
        edits: Annotated[list[EditInput], Field(min_length=1, max_length=MAX_EDITS)], context: ToolContext
    ) -> ToolResult:
        """Replace several pieces of one or more files at once, one after the other: all of them or none.

        Args:
            edits: Each as the arguments of edit_file.
        """
        return await shared.change(context, lambda planner: planner.edit(_edits(edits)), "Wrote")

    async def preview_patch(patch: Content, context: ToolContext) -> Json:
        return await shared.preview(context, lambda planner: planner.patch(patch))

    @tool(effect="write", volatile=True, domain="code", confirm=True, grant="folder", preview=preview_patch)
    async def apply_patch(patch: Content, context: ToolContext) -> ToolResult:
        """Apply a patch to the files of the workspace: all of it or nothing.

        Args:
            patch: A unified diff, or the form that begins with "*** Begin Patch".
        """
        return await shared.change(context, lambda planner: planner.patch(patch), "Wrote")

    return write_file, edit_file, multi_edit, apply_patch


def _edits(given: Sequence[EditInput]) -> list[TextEdit]:
    return [TextEdit(path=each.path, old=each.old, new=each.new, count=each.count) for each in given]


def _moving_tools(shared: FileTools) -> Sequence[Tool]:
    async def preview_move(source: FilePath, target: FilePath, context: ToolContext) -> Json:
        return await shared.preview(context, lambda planner: planner.move(source, target))

    @tool(effect="write", volatile=True, domain="code", confirm=True, grant="folder", preview=preview_move)
    async def move_file(source: FilePath, target: FilePath, context: ToolContext) -> ToolResult:
        """Move or rename a file. Missing folders are made; a file that is there is never replaced.

        Args:
            source: Where it is, from the workspace.
            target: Where it shall be, with its name.
        """
        return await shared.change(context, lambda planner: planner.move(source, target), "Moved")

    async def preview_delete(path: FilePath, context: ToolContext) -> Json:
        return await shared.preview(context, lambda planner: planner.delete(path))

    @tool(effect="write", volatile=True, domain="code", confirm=True, grant="never", preview=preview_delete)
    async def delete_file(path: FilePath, context: ToolContext) -> ToolResult:
        """Delete a file. The user is asked each time.

        Args:
            path: From the workspace; no folder.
        """
        return await shared.change(context, lambda planner: planner.delete(path), "Deleted")

    return move_file, delete_file
