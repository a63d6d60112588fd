"""Calls of tools as editors show them: a title, a kind, the places they are about, and diffs."""

import posixpath
from collections.abc import Sequence
from typing import cast

import msgspec

from glassloop.cli.ui.approval import bounded
from glassloop.cli.ui.safe_text import exact, exact_json, one_line
from glassloop.core.events import ApprovalRequested
from glassloop.core.labels import why_asked
from glassloop.core.loop.approvals.modes import PRESENT_PLAN
from glassloop.core.records import Json, ToolCall, ToolResult
from glassloop.extensions.code.acp.messages import (
    ContentPart,
    DiffPart,
    Location,
    TextBlock,
    ToolContent,
    ToolKind,
)
from glassloop.extensions.code.files.diff import DiffPreview, as_text
from glassloop.runtime.tools.todos import TODO

TITLE_CHARS = 200
MAX_LOCATIONS = 50
_KINDS: dict[str, ToolKind] = {
    **dict.fromkeys(("write_file", "edit_file", "multi_edit", "apply_patch"), "edit"),
    **dict.fromkeys(("glob", "grep_files", "list_directory", "code_map", "find_symbol", "find_references"), "search"),
    **dict.fromkeys(("search_code", "search_past_conversations"), "search"),
    "read_file": "read",
    "delete_file": "delete",
    "move_file": "move",
    "run_command": "execute",
    PRESENT_PLAN: "switch_mode",
    TODO: "think",
}
_SHOWN_ARGUMENTS = ("command", "path", "source", "pattern", "query", "name", "text")


def call_kind(call: ToolCall) -> ToolKind:
    return _KINDS.get(call.tool, "other")


def call_title(call: ToolCall) -> str:
    """The tool with what it is mostly about."""
    about = next((call.args[name] for name in _SHOWN_ARGUMENTS if isinstance(call.args.get(name), str)), "")
    return one_line(f"{call.tool} {about}", TITLE_CHARS)


def call_locations(call: ToolCall, folder: str) -> list[Location]:
    """The files that the arguments name, as absolute paths; those outside of the folder are left out."""
    line = call.args.get("first_line")
    named = [call.args.get(name) for name in ("path", "source", "target")]
    edits = call.args.get("edits")
    each_edit = cast("list[Json]", edits) if isinstance(edits, list) else ()
    named += [cast("dict[str, Json]", edit).get("path") for edit in each_edit if isinstance(edit, dict)]
    paths = dict.fromkeys(path for each in named if isinstance(each, str) and (path := absolute(folder, each)))
    first = line if isinstance(line, int) and line > 0 else None
    return [Location(path=path, line=first) for path in list(paths)[:MAX_LOCATIONS]]


def absolute(folder: str, path: str) -> str | None:
    """A path of the workspace as the editor knows it; None where it leads out of it."""
    clean = posixpath.normpath(path)
    if clean.startswith(("/", "../")) or clean == ".." or "\0" in path:
        return None
    return posixpath.normpath(posixpath.join(folder, clean))


def changes_in(shown: Json) -> Sequence[DiffPreview]:
    """The changes in a preview, `{"files": […]}` or a single one; none where it is something else."""
    several = cast("dict[str, Json]", shown).get("files") if isinstance(shown, dict) else shown
    try:
        return msgspec.convert(several if isinstance(several, list) else [shown], list[DiffPreview])
    except msgspec.ValidationError:
        return ()


def change_locations(changes: Sequence[DiffPreview], folder: str) -> list[Location]:
    """Where each file first changes."""
    places: list[Location] = []
    for change in changes[:MAX_LOCATIONS]:
        line = next((each.line_number for each in change.diff_lines if each.type != "context"), None)
        if path := absolute(folder, change.file_path):
            places.append(Location(path=path, line=line))
    return places


def diff_parts(changes: Sequence[DiffPreview], folder: str) -> list[ToolContent]:
    """Each change as a diff of whole files, or as text where they are too long for that."""
    return [_diff_part(change, folder) for change in changes]


def _diff_part(change: DiffPreview, folder: str) -> ToolContent:
    path, old, new = absolute(folder, change.file_path), change.original_content, change.new_content
    if change.change_type == "delete" and old is not None:
        new = ""
    is_whole = new is not None and (old is not None or change.change_type == "create")
    if path is None or new is None or not is_whole or change.change_type == "move":
        return text_part(as_text(change))
    return DiffPart(path=path, old_text=old, new_text=new)


def request_parts(request: ApprovalRequested, folder: str) -> list[ToolContent]:
    """Everything that a person decides about, beside the arguments."""
    parts: list[ToolContent] = []
    if request.doubt:
        parts.append(text_part(f"{request.doubt}\nIt may have run already: allow it to run it again."))
    if request.why is not None and request.why.passage:
        parts.append(text_part(f"{why_asked(request.why)}\n{request.why.passage}"))
    preview = request.preview
    if changes := changes_in(preview):
        return parts + diff_parts(changes, folder)
    if isinstance(preview, dict) and isinstance(plan := cast("dict[str, Json]", preview).get("plan"), str):
        return [*parts, text_part(plan)]
    return parts if preview is None else [*parts, text_part(exact_json(preview))]


def result_parts(result: ToolResult, folder: str) -> list[ToolContent]:
    """What became of a call: diffs of what it changed, else its output."""
    if not result.success:
        return [text_part(result.error or result.output)]
    data = cast("dict[str, Json]", result.data) if isinstance(result.data, dict) else {}
    changes = changes_in(data.get("diff_preview") or data.get("diff_previews"))
    return diff_parts(changes, folder) if changes else [text_part(result.output)]


def text_part(text: str) -> ContentPart:
    """Text of a tool or a file, bounded; invisible characters are written out."""
    return ContentPart(content=TextBlock(text=bounded(exact(text))))
