"""Beginnings of files of a workspace, as they are now. Blocks."""

import os
from collections.abc import Iterable

from glassloop.core.errors import ToolError
from glassloop.extensions.code.access import is_secret, is_version_control
from glassloop.extensions.code.files.text import decode
from glassloop.root_folder import PathError, RootFolder
from glassloop.runtime.workspaces import Workspace

BYTES_PER_CHAR = 4
GONE = "(not there any more)"
NO_TEXT = "(no text)"


def file_heads(workspace: Workspace, paths: Iterable[str], chars: int) -> dict[str, str]:
    """The first characters of each; empty for what may hold secrets."""
    with workspace.open() as root:
        return {path: _head(root, path, chars) for path in paths}


def _head(root: RootFolder, path: str, chars: int) -> str:
    try:
        opened = root.open_file(path)
    except (PathError, OSError):
        return GONE
    with os.fdopen(opened.descriptor, "rb") as file:
        if is_secret(opened.path) or is_version_control(opened.path):
            return ""
        raw = file.read(chars * BYTES_PER_CHAR)
    # The last character may be cut.
    for cut in range(min(BYTES_PER_CHAR, len(raw) + 1)):
        try:
            return decode(raw[: len(raw) - cut]).text[:chars]
        except ToolError:
            continue
    return NO_TEXT
