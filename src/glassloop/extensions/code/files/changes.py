"""Changes of files: planned from what is there now, shown, kept, then written; all of them or none. Blocks."""

import os
import stat
from collections.abc import Sequence
from contextlib import suppress

import msgspec

from glassloop.core.errors import ToolError
from glassloop.extensions.code.access import WorkspaceFiles, guard_change, shown
from glassloop.extensions.code.files.text import MAX_BYTES
from glassloop.extensions.code.files.text_match import Match
from glassloop.extensions.code.undo.kept_store import MAX_FILE_BYTES, ChangeOrigin, FileChange, FileVersion, KeptStore
from glassloop.root_folder import FileChangedError

NEW_MODE = 0o644


class PlannedFile(msgspec.Struct, frozen=True, kw_only=True):
    """What is to become of one file. `path` is without links, from the workspace; None is a file that is not there."""

    given: str
    path: str
    before: bytes | None
    after: bytes | None
    mode: int = NEW_MODE
    new_mode: int | None = None
    """Where it changes."""
    source: str | None = None
    create_dirs: bool = True
    match: Match | None = None
    """Of an edit: where its text was found."""

    @property
    def change(self) -> FileChange:
        before = None if self.before is None else FileVersion.of(self.before, self.mode)
        mode = self.mode if self.new_mode is None else self.new_mode
        after = None if self.after is None else FileVersion.of(self.after, mode)
        kind = "move" if self.source else "create" if before is None else "delete" if after is None else "modify"
        return FileChange(path=self.path, change_type=kind, before=before, after=after, source=self.source)

    @property
    def contents(self) -> list[bytes]:
        """What is to be kept. What was only moved is still there."""
        if self.source is not None and self.before == self.after:
            return []
        return [each for each in (self.before, self.after) if each is not None]


class ReadFile(msgspec.Struct, frozen=True):
    """The bytes of a file, its path without links, and its mode."""

    raw: bytes
    path: str
    mode: int


def read_bytes(files: WorkspaceFiles, path: str, limit: int = MAX_BYTES) -> ReadFile:
    """An ordinary file of the workspace; raises as `root_folder` does, and `ToolError` where it is too large."""
    opened = files.root.open_file(path)
    with os.fdopen(opened.descriptor, "rb") as file:
        facts = os.fstat(file.fileno())
        if facts.st_size <= limit:
            raw = file.read(limit + 1)
            if len(raw) <= limit:
                return ReadFile(raw, opened.path, stat.S_IMODE(facts.st_mode))
    raise ToolError(
        f"{shown(path)} has {max(facts.st_size, limit + 1):,} bytes: {limit:,} is the limit. Look for lines in it with "
        "grep_files."
    )


def read_if_there(files: WorkspaceFiles, path: str) -> ReadFile | None:
    """The same; None for a file that is not there and may be made. Checks that it may be changed."""
    with files.refusing(path):
        place = files.root.locate(path)
        guard_change(place)
        try:
            return read_bytes(files, path)
        except FileNotFoundError:
            return None


def read_own(files: WorkspaceFiles, path: str) -> ReadFile:
    """A file to move or delete: the thing itself and no link, small enough to be kept."""
    with files.refusing(path):
        with files.root.resolve(path, last=False) as found:
            guard_change(found.path)
            if found.name and stat.S_ISLNK(os.stat(found.name, dir_fd=found.folder, follow_symlinks=False).st_mode):
                raise ToolError(f"{shown(path)} is a link: tools move and delete files only. Ask the user.")
            resolved = found.path
        read = read_bytes(files, path, MAX_FILE_BYTES)
        if read.path != resolved:
            raise FileChangedError
        return read


def apply_changes(
    files: WorkspaceFiles, kept: KeptStore, origin: ChangeOrigin, planned: Sequence[PlannedFile]
) -> list[FileChange]:
    """Keeps what is replaced, then writes. Where a file cannot be written, those before it go back."""
    changes = [each.change for each in planned]
    kept.record(origin, changes, [content for each in planned for content in each.contents])
    done: list[PlannedFile] = []
    for each in planned:
        try:
            with files.refusing(each.given):
                write_planned(files, each)
        except ToolError:
            _put_back(files, done)
            raise
        done.append(each)
    return changes


def write_planned(files: WorkspaceFiles, planned: PlannedFile) -> None:
    """One change of the disk; raises `ToolError` where the file is not what it was when the change was planned."""
    root, before, after = files.root, planned.before, planned.after
    sha256 = None if before is None else FileVersion.of(before, 0).sha256
    try:
        if planned.source is not None:
            root.move(planned.source, planned.path, links=False, create=planned.create_dirs)
        if after is None:
            root.delete(planned.path, links=False, instead_of=sha256)
        elif before is None:
            mode = planned.mode if planned.new_mode is None else planned.new_mode
            root.write(planned.path, after, replace=False, links=False, create=planned.create_dirs, mode=mode)
        elif planned.source is None or after != before:
            mode = planned.new_mode
            root.write(planned.path, after, replace=True, create=False, links=False, instead_of=sha256, mode=mode)
    except FileChangedError:
        raise ToolError(f"{shown(planned.given)} changed in this very moment: read it again, then repeat it.") from None


def _put_back(files: WorkspaceFiles, done: Sequence[PlannedFile]) -> None:
    """Each as it was, unless somebody changed it in between: what was replaced is kept."""
    for each in reversed(done):
        with suppress(ToolError, OSError):
            name, source = (each.path, None) if each.source is None else (each.source, each.path)
            back = PlannedFile(
                given=name, path=name, source=source, before=each.after, after=each.before, mode=each.mode,
                new_mode=None if each.new_mode is None else each.mode,
            )  # fmt: skip
            write_planned(files, back)
