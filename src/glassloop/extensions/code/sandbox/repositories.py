"""Places of the version control of a workspace, for what stays read-only and what of it is elsewhere. Blocks."""

import os
from pathlib import Path
from typing import Final

NAMES: Final = frozenset((".git", ".hg", ".svn"))
MAX_PROTECTED = 200
_MAX_BYTES = 4_096


def outer_repository(root: Path) -> list[str]:
    """The repository outside of the workspace that it is a work tree of, so that `git` can read it.

    Only one that names the workspace as its own: what a file in the workspace says is anybody's.
    """
    own = root / ".git"
    if not own.is_file() or own.is_symlink():
        return []
    said = _line(own)
    if not said.startswith("gitdir: "):
        return []
    folder = Path(os.path.realpath(root / said.removeprefix("gitdir: ").strip()))
    if folder.parent.name != "worktrees" or _line(folder / "gitdir") != str(own):
        return []
    common = folder.parent.parent
    return [str(common)] if (common / "objects").is_dir() and not common.is_relative_to(root) else []


def _line(path: Path) -> str:
    try:
        with path.open("rb") as file:
            return file.read(_MAX_BYTES).decode("utf-8", "replace").partition("\n")[0]
    except OSError:
        return ""
