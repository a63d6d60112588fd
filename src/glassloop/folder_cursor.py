"""Folders beneath a root opened one after the other, each from the one it lies in, for walks over many files. Blocks.

A link on the way is an error, so that no facts about anything outside are ever told.
"""

import os
from typing import Self

from glassloop.root_folder import RootFolder
from glassloop.root_walk import PASS


class FolderCursor:
    """Holds the way to one folder open; going on to a folder beside or below it costs one step. Used by `with`."""

    def __init__(self, root: RootFolder) -> None:
        self._open = [root.open_folder("").descriptor]
        self._ways: list[str] = []
        """Of each that is open below the root its path with a slash."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for descriptor in self._open:
            os.close(descriptor)

    def at(self, path: str) -> int:
        """The descriptor of a folder, until the next call; `path` is from the root and without links."""
        wanted = f"{path}/" if path else ""
        ways, opened = self._ways, self._open
        while ways and not wanted.startswith(ways[-1]):
            ways.pop()
            os.close(opened.pop())
        way = ways[-1] if ways else ""
        for name in wanted[len(way) :].split("/")[:-1]:
            opened.append(os.open(name, PASS, dir_fd=opened[-1]))
            way += f"{name}/"
            ways.append(way)
        return opened[-1]
