"""`@path` in a line: completed from the files of the workspace, and read to go with the question. Blocks.

A word that names no file of the workspace is a word like any other.
"""

import re
import stat
from collections.abc import Sequence
from pathlib import Path

from glassloop.core.errors import ToolError, UsageError
from glassloop.extensions.code.access import open_workspace
from glassloop.extensions.code.files.changes import read_bytes
from glassloop.extensions.code.search.listing import WorkspaceListing
from glassloop.root_folder import PathError, RootFolder
from glassloop.runtime.attachments.parts import MAX_FILE_BYTES, File
from glassloop.runtime.workspaces import Workspace

MAX_FILES = 20
"""Of one question."""
MAX_OFFERED = 100
_WORD = re.compile(r'(?<!\S)@(?:"([^"\n]{1,4096})"|([^\s"]\S{0,4095}))')
_AFTER = ".,;:!?)]}"


class FileWords:
    """The files of one workspace, as lines name them."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._listing = WorkspaceListing()

    def complete(self, word: str) -> Sequence[str]:
        """What `@sr` may become: files that begin so, folder by folder, else those with it in their name."""
        if not word.startswith("@"):
            return ()
        begun = word[1:]
        try:
            with self._workspace.open() as root:
                files = self._listing.look(root).files
        except OSError:
            return ()
        usable = [name for name in files if not re.search(r"[\s\"\x00-\x1f\x7f]", name)]
        beginning = dict.fromkeys(_next_part(name, begun) for name in usable if name.startswith(begun))
        named = beginning or (name for name in usable if begun.lower() in name.rpartition("/")[2].lower())
        return [f"@{name}" for name in list(named)[:MAX_OFFERED]]

    def files(self, line: str) -> list[File]:
        """The files that a line names; raises `UsageError` for one that cannot go with a question."""
        found: dict[str, File] = {}
        with open_workspace(self._workspace) as opened:
            for match in _WORD.finditer(line):
                path = self._path(opened.root, match[1] or match[2])
                if path is None or path in found:
                    continue
                if len(found) == MAX_FILES:
                    raise UsageError(f"A question takes at most {MAX_FILES} files: name the rest without @.")
                try:
                    read = read_bytes(opened, path, MAX_FILE_BYTES)
                except ToolError as error:
                    raise UsageError(str(error)) from error
                found[path] = File(read.raw, name=Path(read.path).name)
        return list(found.values())

    def _path(self, root: RootFolder, word: str) -> str | None:
        for path in dict.fromkeys((word, word.rstrip(_AFTER))):
            try:
                if path and stat.S_ISREG(root.stat(path)[0].st_mode):
                    return path
            except (PathError, OSError):
                continue
        return None


def _next_part(name: str, begun: str) -> str:
    """The name up to the end of the folder that comes next."""
    end = name.find("/", len(begun))
    return name if end < 0 else name[: end + 1]
