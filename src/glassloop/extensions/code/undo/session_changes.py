"""File changes by turn, as people see them: a diff a file, from before its first change to after its last. Blocks."""

from collections.abc import Callable, Sequence

import msgspec

from glassloop.core.errors import ToolError
from glassloop.extensions.code.files.diff import DiffPreview, diff_preview
from glassloop.extensions.code.files.text import decode_to_change
from glassloop.extensions.code.undo.kept_store import FileVersion, KeptChange, KeptStore

MAX_TURNS = 50
MAX_FILES = 200
"""Of one turn."""


class TurnChanges(msgspec.Struct, frozen=True, kw_only=True):
    """The files that a turn changed. `undone`: it was taken back, except for the files in `conflicts`; `undoes`: it is
    itself an undo of that turn."""

    turn_id: str
    at: float
    undoes: str
    undone: bool
    files: list[DiffPreview]
    conflicts: list[str] = []
    """Paths that the undo left alone."""
    left_out: int = 0
    """Files beyond those listed."""


class _FileHistory(msgspec.Struct):
    path: str
    source: str | None
    before: FileVersion | None
    after: FileVersion | None


def session_changes(
    kept: KeptStore, user: str, session_id: str, redact: Callable[[str], str], only: str | None = None
) -> list[TurnChanges]:
    """The turns of a session that changed files, the newest first; `only` is one of them."""
    by_turn: dict[str, list[KeptChange]] = {}
    for each in kept.of_session(user, session_id):
        by_turn.setdefault(each.origin.turn_id, []).append(each)
    undone: dict[str, str] = {}
    for turn_id, changes in reversed(by_turn.items()):
        # An undo that was itself taken back does not count.
        if changes[0].origin.undoes and turn_id not in undone:
            undone[changes[0].origin.undoes] = turn_id
    conflicts: dict[str, list[str]] = {}
    for each in kept.conflicts(user, session_id):
        conflicts.setdefault(each.undo_id, []).append(each.path)
    newest = [turn_id for turn_id in reversed(by_turn) if only is None or turn_id == only][:MAX_TURNS]
    turns = [_turn(kept, turn_id, by_turn[turn_id], redact) for turn_id in newest]
    return [
        msgspec.structs.replace(turn, undone=True, conflicts=conflicts.get(undone[turn.turn_id], [])[:MAX_FILES])
        if turn.turn_id in undone
        else turn
        for turn in turns
    ]


def _turn(kept: KeptStore, turn_id: str, changes: Sequence[KeptChange], redact: Callable[[str], str]) -> TurnChanges:
    files = [each for each in _histories(changes) if each.before != each.after or each.source is not None]
    return TurnChanges(
        turn_id=turn_id,
        at=changes[-1].at,
        undoes=changes[0].origin.undoes,
        undone=False,
        files=[_preview(kept, each, redact) for each in files[:MAX_FILES]],
        left_out=max(0, len(files) - MAX_FILES),
    )


def _histories(changes: Sequence[KeptChange]) -> list[_FileHistory]:
    """Each file's first and last version within these changes, under its last name."""
    found: dict[str, _FileHistory] = {}
    for kept in changes:
        change = kept.change
        earlier = found.pop(change.source or change.path, None)
        source = change.source if earlier is None else earlier.source or change.source
        before = change.before if earlier is None else earlier.before
        found[change.path] = _FileHistory(
            path=change.path, source=None if source == change.path else source, before=before, after=change.after
        )
    return list(found.values())


def _preview(kept: KeptStore, file: _FileHistory, redact: Callable[[str], str]) -> DiffPreview:
    before, after = _text(kept, file.before), _text(kept, file.after)
    sha256 = None if file.before is None else file.before.sha256
    preview = diff_preview(file.path, before, after, sha256=sha256, source=file.source, redact=redact)
    lost = (file.before is not None and before is None) or (file.after is not None and after is None)
    if not lost:
        return preview
    # Binary, or not kept any more: nothing of it can be shown.
    kind = "create" if file.before is None else "delete" if file.after is None else "modify"
    return DiffPreview(file_path=file.path, change_type=kind, truncated=True, source_path=file.source)


def _text(kept: KeptStore, version: FileVersion | None) -> str | None:
    raw = None if version is None else kept.content(version.sha256)
    if raw is None:
        return None
    try:
        return decode_to_change(raw, None).text
    except ToolError:
        return None
