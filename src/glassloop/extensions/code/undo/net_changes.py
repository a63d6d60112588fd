"""Sum of the changes of a session, file by file: from before the first of them to after the last. Blocks.

What people changed in between, or since, is not looked at.
"""

from collections.abc import Iterable
from typing import NamedTuple

from glassloop.core.errors import ToolError
from glassloop.extensions.code.files.diff import DiffPreview, diff_preview
from glassloop.extensions.code.files.text import decode_to_change
from glassloop.extensions.code.undo.kept_store import FileVersion, KeptChange, KeptStore


class NetChange(NamedTuple):
    """A file, where it was before, and both versions; None is a file that is not there."""

    path: str
    was: str
    before: FileVersion | None
    after: FileVersion | None


def net_changes(changes: Iterable[KeptChange]) -> list[NetChange]:
    """Without those that cancel each other out, by path."""
    found: dict[str, NetChange] = {}
    for each in changes:
        change = each.change
        came_from = change.source or change.path
        first = found.pop(came_from, None) or NetChange(came_from, came_from, change.before, change.before)
        found[change.path] = first._replace(path=change.path, after=change.after)
    kept = [each for each in found.values() if each.before != each.after or each.was != each.path]
    return sorted(kept, key=lambda each: each.path)


def as_diff(change: NetChange, kept: KeptStore) -> DiffPreview | None:
    """The change line by line; None where it is no text, or not kept any more."""
    texts: list[str | None] = []
    for version in (change.before, change.after):
        raw = None if version is None else kept.content(version.sha256)
        if version is not None and raw is None:
            return None
        try:
            texts.append(None if raw is None else decode_to_change(raw, None).text)
        except ToolError:
            return None
    return diff_preview(change.path, *texts, source=None if change.was == change.path else change.was)
