"""The files of a workspace at one moment, to tell what a command changed. By size, time and number, not by content.

Leaves out folders that hold what was fetched or made, and version control's, which it only names. Bounded: of a larger
workspace it says that it is not whole. A look at what is known costs a `stat` for each file and folder; only a folder
whose own time changed is listed again. Blocks.
"""

import os
import stat
import threading
import time
from collections import OrderedDict
from pathlib import Path
from typing import NamedTuple

import msgspec

from glassloop.extensions.code.sandbox.repositories import MAX_PROTECTED, NAMES
from glassloop.retrieval.code.workspace import MAX_DEPTH, NEVER

MAX_FILES = 50_000
MAX_WORKSPACES = 4
SETTLED_NS = 2_000_000_000
"""A folder that changed this recently may change again without its time telling: it is listed once more."""

_PASS = os.O_PATH | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_LIST = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


class FileMark(NamedTuple):
    """What changes when a file does."""

    size: int
    modified_ns: int
    changed_ns: int
    inode: int
    mode: int
    """With the kind of file."""

    @classmethod
    def of(cls, facts: os.stat_result) -> "FileMark":
        return cls(facts.st_size, facts.st_mtime_ns, facts.st_ctime_ns, facts.st_ino, facts.st_mode)


class FileSnapshot(msgspec.Struct, frozen=True, kw_only=True):
    """`files` by path from the root; `repositories` are where version control lies; `sockets` those of other programs;
    `whole`: nothing was left out."""

    files: dict[str, FileMark]
    repositories: tuple[str, ...]
    sockets: tuple[str, ...]
    whole: bool

    def same_places(self, other: "FileSnapshot") -> bool:
        """Whether version control and other programs' sockets lie where they do in the other."""
        return (self.repositories, self.sockets) == (other.repositories, other.sockets)

    def changes(self, later: "FileSnapshot") -> list[str]:
        """Paths that were made, changed or are gone, in order."""
        before, after = self.files, later.files
        if before is after:
            return []
        changed = [path for path, mark in after.items() if (was := before.get(path)) is not mark and was != mark]
        return sorted([*changed, *(path for path in before if path not in after)])


class _Folder(msgspec.Struct):
    """A folder as it was listed; names in it, `repositories` those of version control."""

    inode: int
    changed_ns: int
    marks: dict[str, FileMark]
    folders: list[str]
    repositories: list[str]


class Snapshots:
    """Takes snapshots, and knows the last one of each of the workspaces that were looked at last. For any thread."""

    def __init__(self, max_files: int = MAX_FILES) -> None:
        self._max_files = max_files
        self._lock = threading.Lock()
        self._known: OrderedDict[Path, _Workspace] = OrderedDict()

    def last(self, root: Path) -> FileSnapshot | None:
        """The last one, however the folder is now."""
        known = self._known.get(root)
        return None if known is None else known.snapshot

    def take(self, root: Path) -> FileSnapshot:
        """Of the folder as it is; the last one itself where nothing changed."""
        with self._lock:
            known = self._known.pop(root, None) or _Workspace()
            snapshot = known.look(root, self._max_files)
            if snapshot.whole:
                self._known[root] = known
            while len(self._known) > MAX_WORKSPACES:
                self._known.popitem(last=False)
            return snapshot


def take_snapshot(root: Path, max_files: int = MAX_FILES) -> FileSnapshot:
    """Of the folder as it is, with nothing known of it."""
    return _Workspace().look(root, max_files)


class _Workspace:
    """Folders by their paths from the root, and the snapshot made of them."""

    def __init__(self) -> None:
        self._folders: dict[str, _Folder] = {}
        self.snapshot: FileSnapshot | None = None

    def look(self, root: Path, max_files: int) -> FileSnapshot:
        """Links are not followed, so that nothing outside is looked at."""
        walk = _Walk(self._folders, max_files)
        descriptor = os.open(root, _PASS)
        try:
            walk.enter(descriptor, "", 0)
        finally:
            os.close(descriptor)
        same = self.snapshot is not None and not walk.changed and walk.folders.keys() == self._folders.keys()
        self._folders = walk.folders
        if self.snapshot is None or not same:
            self.snapshot = _snapshot(walk.folders, walk.left >= 0, max_files)
        return self.snapshot


def _is_same(folder: _Folder, listed: _Folder) -> bool:
    """Whether the same is in it, whatever its own time."""
    mine, theirs = ((each.marks, each.folders, each.repositories) for each in (folder, listed))
    return mine == theirs


def _snapshot(folders: dict[str, _Folder], whole: bool, max_files: int) -> FileSnapshot:
    files: dict[str, FileMark] = {}
    repositories: list[str] = []
    sockets: list[str] = []
    for path, folder in folders.items():
        prefix = f"{path}/" if path else ""
        repositories += (prefix + name for name in folder.repositories)
        for name, mark in folder.marks.items():
            if stat.S_ISSOCK(mark.mode):
                sockets.append(prefix + name)
            elif len(files) < max_files:
                files[prefix + name] = mark
    return FileSnapshot(
        files=files,
        repositories=tuple(sorted(repositories)[:MAX_PROTECTED]),
        sockets=tuple(sorted(sockets)[:MAX_PROTECTED]),
        whole=whole,
    )


class _Walk:
    """One look, with what the last one found."""

    def __init__(self, known: dict[str, _Folder], max_files: int) -> None:
        self.folders: dict[str, _Folder] = {}
        self.changed = False
        self.left = max_files
        self._known = known
        self._settled = time.time_ns() - SETTLED_NS

    def enter(self, opened: int, path: str, depth: int) -> None:
        facts, folder = os.fstat(opened), self._known.get(path)
        current = folder is not None and (folder.inode, folder.changed_ns) == (facts.st_ino, facts.st_ctime_ns)
        if folder is None or not current or not self._refresh(folder, opened):
            try:
                listed = self._list(opened, facts)
            except OSError:
                listed = _Folder(0, 0, {}, [], [])
            self.changed |= folder is None or not _is_same(folder, listed)
            folder = listed
        self.folders[path] = folder
        self.left -= len(folder.marks)
        for name in folder.folders if depth < MAX_DEPTH else ():
            if self.left < 0:
                return
            try:
                inner = os.open(name, _PASS, dir_fd=opened)
            except OSError:
                continue
            try:
                self.enter(inner, f"{path}/{name}" if path else name, depth + 1)
            finally:
                os.close(inner)

    def _refresh(self, folder: _Folder, opened: int) -> bool:
        """The marks of a folder whose names are the same; false where one of them is gone after all."""
        look, changed = os.stat, list[tuple[str, FileMark]]()
        try:
            for name, mark in folder.marks.items():
                facts = look(name, dir_fd=opened, follow_symlinks=False)
                # The time of change is the kernel's own: nothing can write, rename or set times without it.
                if facts.st_ctime_ns != mark.changed_ns or facts.st_size != mark.size or facts.st_ino != mark.inode:
                    changed.append((name, FileMark.of(facts)))
        except OSError:
            return False
        if changed:
            folder.marks |= changed
            self.changed = True
        return True

    def _list(self, opened: int, facts: os.stat_result) -> _Folder:
        # Not the time of its last change of names, which a command can set.
        settled = facts.st_ctime_ns < self._settled
        folder = _Folder(facts.st_ino, facts.st_ctime_ns if settled else 0, {}, [], [])
        descriptor = os.open(".", _LIST, dir_fd=opened)
        try:
            with os.scandir(descriptor) as entries:
                for entry in entries:
                    if entry.name in NAMES:
                        if not entry.is_symlink():
                            folder.repositories.append(entry.name)
                    elif entry.is_dir(follow_symlinks=False):
                        if entry.name not in NEVER:
                            folder.folders.append(entry.name)
                    else:
                        try:
                            folder.marks[entry.name] = FileMark.of(entry.stat(follow_symlinks=False))
                        except OSError:
                            continue
        finally:
            os.close(descriptor)
        folder.folders.sort()
        folder.repositories.sort()
        return folder
