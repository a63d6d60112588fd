"""Taking back the file changes of a turn: first what would be done, then that and nothing else.

The changes are undone in memory, the last first: a file that is as the turn left it goes back exactly, one that changed
since is merged, and one where that conflicts is left alone. Only then is anything written. An undo is recorded like any
other change, under a turn of its own, so that it can be undone. Nothing else is ever looked at or cleaned.
"""

import asyncio
import hashlib
import uuid
from collections.abc import Sequence
from typing import Literal

import msgspec

from glassloop.core.errors import ApprovalMismatch, ToolError, UnknownName, UsageError
from glassloop.extensions.code.access import WorkspaceFiles, guard_change, open_workspace, shown
from glassloop.extensions.code.files.changes import PlannedFile, apply_changes, read_bytes
from glassloop.extensions.code.files.diff import DiffLine, DiffPreview, diff_preview
from glassloop.extensions.code.files.text import decode_to_change
from glassloop.extensions.code.undo.kept_store import MAX_FILE_BYTES, FileVersion, KeptChange, KeptStore
from glassloop.extensions.code.undo.merge import MergeConflict, merge
from glassloop.runtime.workspaces import Workspace, Workspaces

PLAN_CHARS = 64_000
"""Of the diffs of all files of a plan; each shows at least its first line."""
LINE_CHARS = 50
"""What a line takes besides its text."""

UndoAction = Literal["restore", "merge", "remove", "move", "conflict", "none"]


class UndoneFile(msgspec.Struct, frozen=True, kw_only=True):
    """What an undo does to one file. `why` says it in a sentence."""

    path: str
    action: UndoAction
    why: str
    diff_preview: DiffPreview | None = None
    conflicts: list[MergeConflict] = []


class UndoPlan(msgspec.Struct, frozen=True, kw_only=True):
    """What an undo would do; `digest` stands for exactly that. `undo_id` is set once it is done: undo it by that."""

    turn_id: str
    files: list[UndoneFile]
    digest: str
    undo_id: str = ""


class _State(msgspec.Struct, frozen=True):
    """A file in memory; `raw` is None where it is not there."""

    raw: bytes | None
    mode: int = 0o644


class Undo:
    """Undoes turns of the sessions whose workspaces it is given."""

    def __init__(self, kept: KeptStore, workspaces: Workspaces) -> None:
        self._kept = kept
        self._workspaces = workspaces

    async def plan(self, user: str, turn_id: str) -> UndoPlan:
        """What taking a turn back would do. Raises `UnknownName` for one that changed nothing, or is too long ago."""
        workspace, changes = await self._found(user, turn_id)
        return await asyncio.to_thread(self._in_workspace, workspace, changes, None)

    async def apply(self, user: str, turn_id: str, digest: str) -> UndoPlan:
        """Does what was shown; raises `ApprovalMismatch` where it would be something else by now."""
        workspace, changes = await self._found(user, turn_id)
        return await asyncio.to_thread(self._in_workspace, workspace, changes, digest)

    async def latest(self, user: str, session_id: str) -> str:
        """The last turn of a session that changed files and was not taken back; raises `UnknownName`."""
        changes = await asyncio.to_thread(self._kept.of_session, user, session_id)
        found = latest_turn(changes)
        if found is None:
            raise UnknownName("No turn of this session has changes that can be taken back.")
        return found

    async def _found(self, user: str, turn_id: str) -> tuple[Workspace, list[KeptChange]]:
        changes = await asyncio.to_thread(self._kept.of_turn, user, turn_id)
        if not changes:
            raise UnknownName(f"Turn {turn_id[:100]!r} changed no files that can be taken back: see those that did.")
        origin = changes[0].origin
        workspace = await self._workspaces.of(user, origin.session_id)
        if str(workspace.root) != origin.root:
            raise UsageError("The session works in another folder by now: its earlier changes are not taken back.")
        return workspace, changes

    def _in_workspace(self, workspace: Workspace, changes: list[KeptChange], digest: str | None) -> UndoPlan:
        try:
            with open_workspace(workspace) as files:
                rewind = _Rewind(files, self._kept)
                for each in reversed(changes):
                    rewind.undo(each)
                plan = rewind.plan(changes[0].origin.turn_id)
                if digest is None:
                    return plan
                if digest != plan.digest:
                    raise ApprovalMismatch("The files changed since this undo was shown: look at it again.")
                undo_id = f"undo_{uuid.uuid4().hex}"
                if rewind.planned:
                    origin = msgspec.structs.replace(
                        changes[0].origin, turn_id=undo_id, call_id="", undoes=plan.turn_id
                    )
                    apply_changes(files, self._kept, origin, rewind.planned)
                    left = [(each.path, each.why) for each in plan.files if each.action == "conflict"]
                    self._kept.record_conflicts(origin, left)
                return msgspec.structs.replace(plan, undo_id=undo_id if rewind.planned else "")
        except ToolError as error:
            raise UsageError(str(error)) from error


def latest_turn(changes: Sequence[KeptChange]) -> str | None:
    """The last turn among changes that was not taken back."""
    undone: set[str] = set()
    for each in reversed(changes):
        origin = each.origin
        if origin.turn_id in undone:
            continue
        if not origin.undoes:
            return origin.turn_id
        undone |= {origin.undoes, origin.turn_id}
    return None


class _Rewind:
    """The files of a turn, going back in memory."""

    def __init__(self, files: WorkspaceFiles, kept: KeptStore) -> None:
        self._files = files
        self._kept = kept
        self._now: dict[str, _State] = {}
        self._then: dict[str, _State] = {}
        self._stuck: dict[str, UndoneFile] = {}
        self._merged: set[str] = set()
        self._moved: dict[str, str] = {}
        self._room = PLAN_CHARS
        self.planned: list[PlannedFile] = []

    def undo(self, kept: KeptChange) -> None:
        """One change, on top of those after it that are undone already."""
        change = kept.change
        names = [name for name in (change.path, change.source) if name]
        for name in names:
            if name not in self._now:
                self._now[name] = self._then[name] = self._read(name)
        stuck = next((self._stuck[name] for name in names if name in self._stuck), None)
        if stuck is not None:
            for name in names:
                self._stuck.setdefault(name, msgspec.structs.replace(stuck, path=name))
            return
        if change.source is not None:
            self._undo_move(change.path, change.source, change.before, change.after)
        else:
            self._undo_content(change.path, change.before, change.after)

    def _undo_move(self, path: str, source: str, before: FileVersion | None, after: FileVersion | None) -> None:
        here, there = self._then[path], self._then[source]
        if here.raw is None:
            if not _is(there, before):
                self._give_up(path, f"{shown(path)} is gone, so it is not moved back to {shown(source)}.")
        elif there.raw is not None:
            self._give_up(path, f"{shown(source)} is there again, so {shown(path)} is not moved back.")
        else:
            if before != after:
                self._undo_content(path, before, after)
                if path in self._stuck:
                    return
            self._then[source], self._then[path] = self._then[path], _State(None)
            self._moved[source] = path

    def _undo_content(self, path: str, before: FileVersion | None, after: FileVersion | None) -> None:
        now, mode = self._then[path], self._then[path].mode
        if before is not None and after is not None and mode == after.mode:
            mode = before.mode
        if _is(now, before):
            self._then[path] = _State(now.raw, mode)
            return
        if not _is(now, after):
            self._merge(path, now, before, after)
            return
        raw = None if before is None else self._kept.content(before.sha256)
        if before is not None and raw is None:
            self._give_up(path, f"What {shown(path)} was before is not kept any more.")
            return
        self._then[path] = _State(raw, before.mode if before is not None and after is None else mode)

    def _merge(self, path: str, now: _State, before: FileVersion | None, after: FileVersion | None) -> None:
        """The file is neither as the turn left it nor as it was before."""
        if now.raw is None:
            self._give_up(path, f"{shown(path)} was deleted since, so it is left so.")
        elif before is None:
            self._give_up(path, f"{shown(path)} was made by the turn and changed since, so it is left as it is.")
        elif after is None:
            self._give_up(
                path, f"{shown(path)} was deleted by the turn and created again since, so it is left as it is."
            )
        else:
            base, theirs = (self._kept.content(each.sha256) for each in (after, before))
            if base is None or theirs is None:
                self._give_up(path, f"{shown(path)} changed since, and what it was is not kept any more.")
                return
            try:
                texts = [decode_to_change(raw, None) for raw in (base, now.raw, theirs)]
            except ToolError:
                self._give_up(path, f"{shown(path)} is no text and changed since, so it is left as it is.")
                return
            merged = merge(texts[0].text, texts[1].text, texts[2].text)
            if merged.text is None:
                lines = ", ".join(f"{each.first_line}–{each.last_line}" for each in merged.conflicts[:20])
                why = f"{shown(path)} was changed since in the same lines ({lines}), so it is left as it is."
                self._give_up(path, why, merged.conflicts)
                return
            self._then[path] = _State(texts[1].encode(merged.text), now.mode)
            self._merged.add(path)

    def _give_up(self, path: str, why: str, conflicts: Sequence[MergeConflict] = ()) -> None:
        self._stuck[path] = UndoneFile(path=path, action="conflict", why=why, conflicts=list(conflicts))

    def _read(self, path: str) -> _State:
        with self._files.refusing(path):
            guard_change(path)
            try:
                found = read_bytes(self._files, path, MAX_FILE_BYTES)
            except (FileNotFoundError, NotADirectoryError):
                return _State(None)
        if found.path != path:
            raise ToolError(f"{shown(path)} is a link by now: nothing was taken back.")
        return _State(found.raw, found.mode)

    def plan(self, turn_id: str) -> UndoPlan:
        """All files in the order they are put back: what goes first makes room for what comes."""
        told: list[UndoneFile] = list(self._stuck.values())
        moves = {new: old for new, old in self._moved.items() if self._is_plain_move(new, old)}
        for path in sorted(self._now, key=lambda name: (self._then[name].raw is not None, name)):
            now, then = self._now[path], self._then[path]
            if path in self._stuck or path in moves.values():
                continue
            if now == then or (now.raw is None and then.raw is None):
                told.append(UndoneFile(path=path, action="none", why=f"{shown(path)} is as it was before the turn."))
                continue
            source = moves.get(path)
            before = self._now[source] if source is not None else now
            planned = PlannedFile(
                given=path, path=path, before=before.raw, after=then.raw, mode=before.mode, source=source,
                new_mode=then.mode,
            )  # fmt: skip
            self.planned.append(planned)
            told.append(self._told(planned))
        shown_now = [(each.path, _sha(self._now[each.path].raw), _sha(self._then[each.path].raw)) for each in told]
        digest = hashlib.sha256(msgspec.json.encode([turn_id, [each.action for each in told], shown_now])).hexdigest()
        return UndoPlan(turn_id=turn_id, files=told, digest=digest)

    def _bounded(self, preview: DiffPreview) -> DiffPreview:
        """Its lines alone, which tell all that is decided about; not all of them where a plan has many."""
        room, kept = self._room, list[DiffLine]()
        for line in preview.diff_lines:
            room -= len(line.content) + LINE_CHARS
            if room < 0 and kept:
                break
            kept.append(line)
        self._room = max(room, 0)
        cut = preview.truncated or len(kept) < len(preview.diff_lines)
        return msgspec.structs.replace(preview, original_content=None, new_content=None, diff_lines=kept, truncated=cut)

    def _is_plain_move(self, new: str, old: str) -> bool:
        """Whether a file only goes back to its name: then it is moved, and not made anew."""
        goes = self._now[old].raw is not None and self._then[old].raw is None
        comes = self._now[new].raw is None and self._then[new].raw is not None
        return goes and comes and old not in self._stuck and new not in self._stuck

    def _told(self, planned: PlannedFile) -> UndoneFile:
        name = shown(planned.path)
        before, after = _text(planned.before), _text(planned.after)
        preview = diff_preview(planned.path, before, after, sha256=_sha(planned.before), source=planned.source)
        preview = self._bounded(preview)
        action: UndoAction = "restore"
        why = f"{name} goes back to what it was."
        if planned.source is not None:
            action, why = "move", f"{shown(planned.source)} goes back to its name {name}."
        elif planned.after is None:
            action, why = "remove", f"{name} was made by the turn and is removed."
        elif planned.path in self._merged:
            action, why = "merge", f"{name} changed since: what the turn did is taken back, the rest stays."
        return UndoneFile(path=planned.path, action=action, why=why, diff_preview=preview)


def _is(state: _State, version: FileVersion | None) -> bool:
    if version is None or state.raw is None:
        return version is None and state.raw is None
    return _sha(state.raw) == version.sha256


def _sha(raw: bytes | None) -> str | None:
    return None if raw is None else hashlib.sha256(raw).hexdigest()


def _text(raw: bytes | None) -> str | None:
    if raw is None:
        return None
    try:
        return decode_to_change(raw, None).text
    except ToolError:
        return None
