"""Undo of what commands change: the files of a workspace as they are before a command, and what it did to them.

Files that git has as they are need no copy; of the others, the small ones first, copies are made up to a limit. The
copies of a workspace stay for the next command, so that only what changed is copied again; they are in a file without a
name, which goes with the process. What has neither is not covered, and is told before and after. Blocks.
"""

import os
import stat
import tempfile
import threading
import weakref
from collections import OrderedDict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import msgspec

from glassloop.core.errors import ToolError
from glassloop.extensions.code.access import shown
from glassloop.extensions.code.sandbox.snapshot import FileMark, FileSnapshot
from glassloop.extensions.code.undo.git_objects import IndexState, index_state, read_blobs, unchanged_blobs
from glassloop.extensions.code.undo.kept_store import MAX_FILE_BYTES, ChangeOrigin, FileChange, FileVersion, KeptStore
from glassloop.own_folder import make_own
from glassloop.root_folder import RootFolder

COPY_BYTES = 50_000_000
"""Of the files of a workspace that git does not have as they are."""
KEPT_BYTES = 50_000_000
"""Of what one command replaced and wrote."""
HASHED_BYTES = 200_000_000
"""Of new files, which are known by their hash alone where they are too much to be kept."""
MAX_CHANGES = 1_000
MAX_WORKSPACES = 4
"""Whose copies stay for their next commands."""
MAX_NAMED = 5


class CoverPlan(msgspec.Struct, frozen=True, kw_only=True):
    """How the ordinary files of a workspace are covered. `blobs`: the ids of git's objects, by path."""

    blobs: Mapping[str, str]
    copied: Sequence[str]
    uncovered: Sequence[str]


class CommandChanges(msgspec.Struct, frozen=True, kw_only=True):
    """What a command did that can be taken back, and the paths of what cannot."""

    changes: Sequence[FileChange] = ()
    not_undoable: Sequence[str] = ()


def plan_cover(root: Path, files: Mapping[str, FileMark], copy_bytes: int = COPY_BYTES) -> CoverPlan:
    blobs = unchanged_blobs(root, files)
    others = [path for path, mark in files.items() if path not in blobs and stat.S_ISREG(mark.mode)]
    copied = _within(copy_bytes, others, files)
    uncovered = set(others).difference(copied)
    return CoverPlan(blobs=blobs, copied=copied, uncovered=sorted(uncovered))


def uncovered_warning(plan: CoverPlan, snapshot: FileSnapshot) -> str | None:
    """What a person is told before a command runs; None where all files are covered."""
    if not snapshot.whole:
        return f"The folder has more than {len(snapshot.files):,} files: not all that it changes can be undone."
    if not plan.uncovered:
        return None
    count, size = len(plan.uncovered), sum(snapshot.files[path].size for path in plan.uncovered)
    what = "1 file" if count == 1 else f"{count:,} files"
    how = "it is" if count == 1 else "they are"
    much = f"{size / 1_000_000:,.0f} MB" if size >= 1_000_000 else f"{size / 1_000:,.0f} kB"
    names = ", ".join(shown(path) for path in plan.uncovered[:MAX_NAMED]) + (", …" if count > MAX_NAMED else "")
    return f"Undo does not cover {what} ({much}), which git does not have as {how}: {names}."


class _Copies:
    """Contents in a file without a name."""

    def __init__(self, folder: Path) -> None:
        make_own(folder)
        self._file, path = tempfile.mkstemp(dir=folder)
        Path(path).unlink()
        weakref.finalize(self, os.close, self._file)
        self.size = 0
        self.places: dict[str, tuple[FileMark, int]] = {}

    def add(self, path: str, mark: FileMark, content: bytes) -> None:
        written = 0
        while written < len(content):
            written += os.pwrite(self._file, content[written:], self.size + written)
        self.places[path] = mark, self.size
        self.size += len(content)

    def read(self, offset: int, size: int) -> bytes:
        parts: list[bytes] = []
        while size and (part := os.pread(self._file, size, offset)):
            parts.append(part)
            offset, size = offset + len(part), size - len(part)
        return b"".join(parts)


class CommandCover:
    """The files of a workspace before one command."""

    def __init__(self, root: Path, before: FileSnapshot, plan: CoverPlan, copies: _Copies) -> None:
        self.root, self.before = root, before
        self._blobs = plan.blobs
        self._copies = copies
        places = ((path, copies.places.get(path)) for path in plan.copied)
        self._places = {path: at[1] for path, at in places if at is not None and at[0] == before.files[path]}

    def contents(self, paths: Iterable[str]) -> dict[str, bytes]:
        """What files held before the command, of those that are covered."""
        found: dict[str, bytes] = {}
        wanted: dict[str, str] = {}
        for path in paths:
            size = self.before.files[path].size
            if path in self._places:
                content = self._copies.read(self._places[path], size)
                if len(content) == size:
                    found[path] = content
            elif path in self._blobs:
                wanted[path] = self._blobs[path]
        sizes = {blob: self.before.files[path].size for path, blob in wanted.items()}
        blobs = read_blobs(self.root, sizes) if sizes else {}
        return found | {path: blobs[blob] for path, blob in wanted.items() if blob in blobs}


class CommandUndo:
    """Covers commands, and records what they changed. For any thread."""

    def __init__(self, home: Path, kept: KeptStore, copy_bytes: int = COPY_BYTES) -> None:
        self._folder = home / "code"
        self._kept = kept
        self._copy_bytes = copy_bytes
        self._lock = threading.Lock()
        self._copies: OrderedDict[Path, _Copies] = OrderedDict()
        self._last: OrderedDict[Path, tuple[IndexState | None, CommandCover]] = OrderedDict()
        """Of each workspace, to be used again where no file changed since."""

    def warning(self, root: Path, snapshot: FileSnapshot) -> str | None:
        return uncovered_warning(plan_cover(root, snapshot.files, self._copy_bytes), snapshot)

    def cover(self, root: Path, before: FileSnapshot) -> CommandCover:
        """Before a command starts: copies what git does not have."""
        index = index_state(root)
        with self._lock:
            last = self._last.get(root)
            if last is not None and last[0] == index and last[1].before is before:
                return last[1]
        plan = plan_cover(root, before.files, self._copy_bytes)
        with self._lock, RootFolder(root) as opened:
            copies = self._copies.pop(root, None)
            if copies is None or copies.size > 2 * self._copy_bytes:
                copies = _Copies(self._folder)
            self._copies[root] = copies
            while len(self._copies) > MAX_WORKSPACES:
                self._copies.popitem(last=False)
            for path in plan.copied:
                mark, known = before.files[path], copies.places.get(path)
                if known is not None and known[0] == mark:
                    continue
                read = _read(opened, path, mark.size)
                if read is not None and read[1] == mark:
                    copies.add(path, mark, read[0])
            cover = CommandCover(root, before, plan, copies)
            self._last[root] = index, cover
            self._last.move_to_end(root)
            while len(self._last) > MAX_WORKSPACES:
                self._last.popitem(last=False)
            return cover

    def record(self, origin: ChangeOrigin, cover: CommandCover, after: FileSnapshot) -> CommandChanges:
        """After a command: keeps what it replaced, so that undoing its turn takes it back."""
        paths = cover.before.changes(after)
        here = [path for path in paths if path in cover.before.files]
        before = cover.contents(_within(KEPT_BYTES, here, cover.before.files))
        changes: list[FileChange] = []
        contents: list[bytes] = []
        left_out: list[str] = []
        kept = KEPT_BYTES
        readable = set(_within(HASHED_BYTES, (path for path in paths if path in after.files), after.files))
        with RootFolder(cover.root) as opened:
            for path in paths:
                was, now = cover.before.files.get(path), after.files.get(path)
                read = _read(opened, path, now.size) if now is not None and path in readable else None
                lost = (was is not None and path not in before) or (now is not None and read is None)
                old, new = before.get(path), None if read is None else read[0]
                # A new file is taken back by its hash alone.
                needed = 0 if old is None else len(old) + len(new or b"")
                if lost or needed > kept or len(changes) == MAX_CHANGES:
                    left_out.append(path)
                    continue
                change = _change(path, old, new, was, now)
                if change is None:
                    continue
                changes.append(change)
                for content in (old, new):
                    if content is not None and len(content) <= kept:
                        contents.append(content)
                        kept -= len(content)
        try:
            if changes:
                self._kept.record(origin, changes, contents)
        except (ToolError, OSError):
            return CommandChanges(not_undoable=paths)
        return CommandChanges(changes=changes, not_undoable=left_out)


def _within(room: int, paths: Iterable[str], files: Mapping[str, FileMark]) -> list[str]:
    """As many of them as there is room for, the small ones first."""
    found: list[str] = []
    for path in sorted(paths, key=lambda path: files[path].size):
        room -= files[path].size
        if room < 0 or files[path].size > MAX_FILE_BYTES:
            break
        found.append(path)
    return found


def _read(root: RootFolder, path: str, size: int) -> tuple[bytes, FileMark] | None:
    """A file that has this size, with its mark; None for anything else."""
    if size > MAX_FILE_BYTES:
        return None
    try:
        file = root.open_file(path, links=False).descriptor
    except (OSError, ValueError):
        return None
    with os.fdopen(file, "rb") as opened:
        mark = FileMark.of(os.fstat(opened.fileno()))
        content = opened.read(size + 1)
    return (content, mark) if len(content) == size else None


def _change(
    path: str, old: bytes | None, new: bytes | None, before: FileMark | None, after: FileMark | None
) -> FileChange | None:
    """None where only times changed."""
    was = None if old is None or before is None else FileVersion.of(old, stat.S_IMODE(before.mode))
    now = None if new is None or after is None else FileVersion.of(new, stat.S_IMODE(after.mode))
    if was == now:
        return None
    kind = "create" if was is None else "delete" if now is None else "modify"
    return FileChange(path=path, change_type=kind, before=was, after=now)
