"""The files of a workspace at one moment, to tell what a command changed. By size, time and number, not by content.

Leaves out folders that hold what was fetched or made, and version control's, which it only names. Bounded: of a larger
workspace it says that it is not whole. Blocks.
"""

import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import msgspec

from glassloop.extensions.code.sandbox.repositories import MAX_PROTECTED, NAMES
from glassloop.retrieval.code.workspace import MAX_DEPTH, NEVER

MAX_FILES = 50_000


class FileMark(NamedTuple):
    """What changes when a file does."""

    size: int
    modified_ns: int
    changed_ns: int
    inode: int
    mode: int


class FileSnapshot(msgspec.Struct, frozen=True, kw_only=True):
    """`files` by path from the root; `repositories` are where version control lies; `sockets` those of other programs;
    `whole`: nothing was left out."""

    files: dict[str, FileMark]
    repositories: tuple[str, ...]
    sockets: tuple[str, ...]
    whole: bool

    def changes(self, later: "FileSnapshot") -> list[str]:
        """Paths that were made, changed or are gone, in order."""
        paths = self.files.keys() | later.files.keys()
        return sorted(path for path in paths if self.files.get(path) != later.files.get(path))


def take_snapshot(root: Path, max_files: int = MAX_FILES) -> FileSnapshot:
    """Of the folder as it is. Links are not followed, so that nothing outside is looked at."""
    files: dict[str, FileMark] = {}
    repositories: list[str] = []
    sockets: list[str] = []
    whole = True
    descriptor = os.open(root, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        for path, facts in _walk(descriptor, "", 0):
            if facts is None:
                repositories.append(path)
            elif len(files) == max_files:
                whole = False
                break
            elif stat.S_ISSOCK(facts.st_mode):
                sockets.append(path)
            else:
                files[path] = FileMark(
                    facts.st_size, facts.st_mtime_ns, facts.st_ctime_ns, facts.st_ino, stat.S_IMODE(facts.st_mode)
                )
    finally:
        os.close(descriptor)
    return FileSnapshot(
        files=files,
        repositories=tuple(sorted(repositories)[:MAX_PROTECTED]),
        sockets=tuple(sorted(sockets)[:MAX_PROTECTED]),
        whole=whole,
    )


def _walk(folder: int, path: str, depth: int) -> Iterator[tuple[str, os.stat_result | None]]:
    """Files and links with their facts, and version control's folders and files without."""
    inside: list[str] = []
    with os.scandir(folder) as entries:
        for entry in entries:
            below = f"{path}/{entry.name}" if path else entry.name
            if entry.name in NAMES:
                if not entry.is_symlink():
                    yield below, None
            elif entry.is_dir(follow_symlinks=False):
                if entry.name not in NEVER:
                    inside.append(entry.name)
            else:
                try:
                    yield below, entry.stat(follow_symlinks=False)
                except OSError:
                    continue
    for name in sorted(inside) if depth < MAX_DEPTH else ():
        try:
            opened = os.open(name, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=folder)
        except OSError:
            continue
        try:
            yield from _walk(opened, f"{path}/{name}" if path else name, depth + 1)
        finally:
            os.close(opened)
