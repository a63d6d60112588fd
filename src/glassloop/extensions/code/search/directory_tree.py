"""The entries of a folder and of those in it, with their sizes and times. Blocks."""

import os
from collections.abc import Iterator, Sequence

from glassloop.core.records import Json
from glassloop.extensions.code.search.listing import Listing
from glassloop.root_folder import RootFolder
from glassloop.root_walk import PASS

Entry = dict[str, Json]


class DirectoryTree:
    """In the order of a tree: the folders of each folder with what is in them, then its files and links.

    Looked at as it is iterated over: what nobody asks for costs nothing.
    """

    def __init__(self, root: RootFolder, listing: Listing, path: str, depth: int) -> None:
        self._root = root
        self._folders = listing.folders
        self._path = path
        self._depth = depth

    def __iter__(self) -> Iterator[Entry]:
        opened = self._root.open_folder(self._path, links=False).descriptor
        try:
            yield from self._inside(opened, self._path, 1)
        finally:
            os.close(opened)

    def _inside(self, opened: int, path: str, level: int) -> Iterator[Entry]:
        folder = self._folders.get(path)
        if folder is None:
            return
        prefix = f"{path}/" if path else ""
        if level == self._depth:
            yield from _named(opened, prefix, folder.folders, "folder")
        else:
            for name in folder.folders:
                yield from self._folder(opened, prefix + name, name, level)
        yield from _named(opened, prefix, folder.files, "file")
        yield from _named(opened, prefix, folder.links, "link")

    def _folder(self, opened: int, path: str, name: str, level: int) -> Iterator[Entry]:
        """Opened from the folder it lies in: a link that took its place is none."""
        try:
            inner = os.open(name, PASS, dir_fd=opened)
        except OSError:
            return
        try:
            yield _entry(path, "folder", os.fstat(inner))
            yield from self._inside(inner, path, level + 1)
        finally:
            os.close(inner)


def _named(opened: int, prefix: str, names: Sequence[str], kind: str) -> Iterator[Entry]:
    for name in names:
        try:
            facts = os.stat(name, dir_fd=opened, follow_symlinks=False)
        except OSError:
            continue
        yield _entry(prefix + name, kind, facts)


def _entry(path: str, kind: str, facts: os.stat_result) -> Entry:
    # Whole seconds: a time with its fraction would be another number on every system.
    return {"path": path, "kind": kind, "size": facts.st_size, "modified": int(facts.st_mtime)}
