"""Changes of a file as tools preview them, line by line: read from a preview, and shown in colour."""

from typing import Literal, cast

import msgspec
from rich.text import Text

from glassloop.cli.ui.safe_text import exact
from glassloop.core.records import Json

MAX_FILES = 50
_SIGNS = {"add": ("+", "observe"), "remove": ("-", "trouble"), "context": (" ", "soft")}


class FileDiffLine(msgspec.Struct, frozen=True, gc=False):
    """A line; its number is of the new file, and of the old one where it is removed."""

    line_number: int
    type: Literal["add", "remove", "context"]
    content: str


class FileDiff(msgspec.Struct, frozen=True, kw_only=True):
    """What becomes of one file. `truncated`: not all of it is here."""

    file_path: str
    change_type: str
    diff_lines: list[FileDiffLine]
    truncated: bool = False
    source_path: str | None = None


def file_diffs(preview: Json) -> list[FileDiff]:
    """The changes in a preview, `{"files": […]}` or a single one; none where it is something else."""
    if not isinstance(preview, dict):
        return []
    fields = cast("dict[str, Json]", preview)
    several = fields.get("files")
    found: list[Json] = cast("list[Json]", several) if isinstance(several, list) and len(fields) == 1 else [fields]
    try:
        return msgspec.convert(found, list[FileDiff]) if len(found) <= MAX_FILES else []
    except msgspec.ValidationError:
        return []


def diff_text(diff: FileDiff, max_chars: int) -> Text:
    """The change, with line numbers; what is not shown is said."""
    added, removed = (sum(line.type == kind for line in diff.diff_lines) for kind in ("add", "remove"))
    where = diff.file_path if diff.source_path is None else f"{diff.source_path} → {diff.file_path}"
    shown = Text(overflow="fold")
    shown.append(f"{exact(diff.change_type)} {exact(where)}", "bold")
    shown.append(f"  +{added:,} −{removed:,}", "faint")
    width = len(str(max((line.line_number for line in diff.diff_lines), default=0)))
    last, left = 0, max_chars
    for number, line in enumerate(diff.diff_lines):
        left -= len(line.content) + 1
        if left < 0:
            shown.append(
                f"\n({len(diff.diff_lines) - number:,} more lines not shown: read them before you approve.)", "think"
            )
            return shown
        if line.type != "remove":
            if last and line.line_number > last + 1:
                shown.append(f"\n{'…':>{width}}", "faint")
            last = line.line_number
        sign, style = _SIGNS[line.type]
        shown.append(f"\n{line.line_number:>{width}} ", "faint")
        shown.append(f"{sign} {exact(line.content)}", style)
    if diff.truncated:
        shown.append("\n(Truncated.)", "think")
    return shown
