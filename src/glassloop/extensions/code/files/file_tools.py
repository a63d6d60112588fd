"""Common parts of the tools for files: the way to them, what was read, what is kept, and how changes are told.

What a call would do is planned from what is there now, both for the preview that a person approves and again before it
is done.
"""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Protocol

import msgspec

from glassloop.core.call_terms import CallTerms
from glassloop.core.errors import ToolError
from glassloop.core.records import CHANGED, UNDO, Json, ToolResult
from glassloop.extensions.code.access import Access, WorkspaceFiles, is_secret, shown
from glassloop.extensions.code.files.changes import PlannedFile, apply_changes
from glassloop.extensions.code.files.diagnostics import ChangedText, diagnose
from glassloop.extensions.code.files.diff import DiffPreview, diff_preview, hunks
from glassloop.extensions.code.files.file_reader import read
from glassloop.extensions.code.files.planning import ChangePlanner
from glassloop.extensions.code.files.read_memory import SeenFiles
from glassloop.extensions.code.files.text import decode_to_change
from glassloop.extensions.code.undo.kept_store import UNDO_COMMAND, ChangeOrigin, KeptStore, sha256_of
from glassloop.tools.tool import ToolContext

WRITTEN_LINES = 60
WRITTEN_PLACES = 20
WRITTEN_CHARS = 300
"""Of what is shown of a change whose place was not found exactly: how many lines, and how much of each."""

Plan = Callable[[ChangePlanner], list[PlannedFile]]


class ChangeListener(Protocol):
    """Whoever shall know of changed files at once."""

    def note_changes(self, root: Path, paths: Sequence[str]) -> None: ...


class FileTools:
    """What the tools share: the way to the files, what was read, and what is kept."""

    def __init__(
        self, access: Access, kept: KeptStore, redact: Callable[[str], str], listener: ChangeListener | None = None
    ) -> None:
        self._access = access
        self._kept = kept
        self._redact = redact
        self._listener = listener
        self._seen = SeenFiles()

    async def read(
        self, context: ToolContext, path: str, first_line: int, last_line: int | None, encoding: str
    ) -> ToolResult:
        def work(files: WorkspaceFiles) -> ToolResult:
            result = read(files, self._seen, path, first_line, last_line, encoding, context.shown_chars)
            # A link may have been swapped in since the person was asked, or was not.
            if is_secret(str(result.metadata["path"])) and self._seen.shown(context.idempotency_key) is None:
                raise ToolError(f"{shown(path)} may hold secrets and nobody was asked: call read_file again.")
            return result

        return await self._access.run(context, work)

    async def read_terms(self, context: ToolContext, path: str) -> CallTerms:
        """A person is asked before a file is read that may hold secrets, and for no other."""
        return CallTerms(asks=is_secret(await self._place(context, path)), grant="never")

    async def preview_read(self, context: ToolContext, path: str) -> Json:
        """What a person is shown before a file is read that may hold secrets; None for any other."""
        found = await self._place(context, path)
        if not is_secret(found):
            return None
        self._seen.put_shown(context.idempotency_key, ())
        return {"file_path": found, "reason": f"{shown(found)} may hold keys or passwords: the model would read them."}

    async def _place(self, context: ToolContext, path: str) -> str:
        """The path without links."""

        def work(files: WorkspaceFiles) -> str:
            with files.refusing(path):
                return files.root.stat(path)[1]

        return await self._access.run(context, work, counted=False)

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

    async def terms(self, context: ToolContext, plan: Plan) -> CallTerms:
        """Which files a call changes, by their paths without links: what it may be allowed for."""

        def work(files: WorkspaceFiles) -> tuple[str, ...]:
            planned = plan(ChangePlanner(files, self._seen))
            return tuple(name for each in planned for name in (each.path, each.source) if name)

        return CallTerms(scopes=await self._access.run(context, work, counted=False))

    async def change(self, context: ToolContext, plan: Plan) -> ToolResult:
        """Does what was planned, unless the files are not those that were shown."""

        def work(files: WorkspaceFiles) -> tuple[Path, list[PlannedFile], list[Json]]:
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
            return workspace.root, planned, [msgspec.to_builtins(each) for each in changes]

        root, planned, changes = await self._access.run(context, work)
        if self._listener is not None:
            names = [name for each in planned for name in (each.path, each.source) if name]
            self._listener.note_changes(root, names)
        return await self._result(planned, changes)

    async def _result(self, planned: Sequence[PlannedFile], changes: list[Json]) -> ToolResult:
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
        lines = [_sentence(each, new, preview) for (each, _, new), preview in zip(texts, previews, strict=True)]
        lines += [f"{shown(each.path)} line {each.line}: {each.message} ({each.source})" for each in found]
        metadata: dict[str, Json] = {"path": planned[0].path, "change_type": previews[0].change_type}
        if len(planned) > 1:
            metadata["paths"] = [each.path for each in planned]
        metadata |= {CHANGED: [each.path for each in planned], UNDO: UNDO_COMMAND}
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


def _sentence(planned: PlannedFile, text: str | None, preview: DiffPreview) -> str:
    name = shown(planned.path)
    match preview.change_type:
        case "delete":
            return f"Deleted {name}."
        case "move":
            return f"Moved {shown(planned.source or '')} to {name}."
        case "create":
            return f"Wrote {len(text or ''):,} characters to the new file {name}."
        case "modify":
            match = planned.match
            counts = f"+{preview.added} −{preview.removed} lines{_where(preview)}"
            wrote = f"Wrote {len(text or ''):,} characters to {name}: {counts}"
            if match is None or match.form == "exact":
                return f"{wrote}."
            return f"{wrote}, matched by {match.form}.{_as_written(preview)}"


def _where(preview: DiffPreview) -> str:
    """The numbers that changed lines have in the file now."""
    spans = [hunk.written for hunk in hunks(preview.diff_lines) if any(line.type != "context" for line in hunk.lines)]
    told = [
        f"after line {first - 1}" if last < first else f"line {first}" if first == last else f"lines {first}–{last}"
        for first, last in spans[:WRITTEN_PLACES]
    ]
    more = f", and {len(spans) - WRITTEN_PLACES} places more" if len(spans) > WRITTEN_PLACES else ""
    return f", now {', '.join(told)}{more}" if told else ""


def _as_written(preview: DiffPreview) -> str:
    """The lines that are new, each with its neighbours, and their numbers."""
    near = {each.line_number + step for each in preview.diff_lines if each.type == "add" for step in (-1, 0, 1)}
    lines = [each for each in preview.diff_lines if each.type != "remove" and each.line_number in near]
    if not lines:
        return ""
    written = "\n".join(f"{each.line_number:>6}\t{each.content[:WRITTEN_CHARS]}" for each in lines[:WRITTEN_LINES])
    return f" As written:\n{written}{'…' if len(lines) > WRITTEN_LINES else ''}"
