"""The folder that a session works in, for tools that read and change files.

A session has one, chosen with its first question and kept with the session. Tools learn it from here, offered to
their factories as `workspaces`, never from arguments or the process's working folder.
"""

from pathlib import Path
from typing import Protocol

import msgspec

from glassloop.root_folder import RootFolder


class Workspace(msgspec.Struct, frozen=True, kw_only=True):
    """One session's folder. `root` is its path without links; no message for a user or a model has it."""

    root: Path
    user: str
    session_id: str
    context_name: str | None = None
    """The index of it that the session searches."""

    def open(self) -> RootFolder:
        """The folder, for `with`. Blocks."""
        return RootFolder(self.root)


class Workspaces(Protocol):
    """Finds the folder of a session."""

    async def of(self, user: str, session_id: str) -> Workspace:
        """Raises `UsageError` where the session has none, with the remedy."""
        ...
