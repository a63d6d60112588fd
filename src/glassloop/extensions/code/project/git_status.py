"""State of a git work tree: are there changes that are not committed? Blocks.

Git is asked with settings of our own and a copy of the index, in a repository that borrows the objects: nothing that
the folder's settings name is run (monitors, filters, hooks), and nothing of it is written.
"""

import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

from glassloop.extensions.code.undo.git_objects import read_index
from glassloop.root_folder import RootFolder

STATUS_S = 3.0
MAX_BYTES = 1_000_000
"""Of a file that names commits."""
_REF = re.compile(r"ref: (refs/[^\s\x00-\x1f]{1,200})\n?")
_COMMIT = re.compile(r"[0-9a-f]{40}")
_WORDS = (
    *("git", "--no-optional-locks", "status", "--porcelain", "-z", "--untracked-files=normal", "--no-renames"),
    "--ignore-submodules=all",
)


def is_dirty(folder: Path) -> bool | None:
    """Whether a tracked file differs from the last commit, or an untracked one is there that is not ignored; None where
    it cannot be told: without git, for a work tree of a repository elsewhere, or when it takes too long."""
    index = read_index(folder)
    if index is None or shutil.which("git") is None:
        return None
    try:
        with tempfile.TemporaryDirectory(prefix="glassloop-git-") as made:
            own = Path(made)
            for name in ("refs", "objects", "info"):
                (own / name).mkdir()
            (own / "index").write_bytes(index)
            with RootFolder(folder) as root:
                (own / "HEAD").write_text(_head(root))
                (own / "info" / "exclude").write_text(_text(root, ".git/info/exclude"))
            return bool(_status(folder, own))
    except (OSError, ValueError, subprocess.SubprocessError):
        return None


def _status(folder: Path, own: Path) -> bytes:
    env = {
        "PATH": os.environ.get("PATH", os.defpath),
        "HOME": str(own),
        "GIT_DIR": str(own),
        "GIT_WORK_TREE": str(folder),
        "GIT_OBJECT_DIRECTORY": str(folder / ".git" / "objects"),
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_ATTR_NOSYSTEM": "1",
        "GIT_NO_REPLACE_OBJECTS": "1",
    }
    return subprocess.run(  # noqa: S603
        _WORDS, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, cwd=folder, env=env, timeout=STATUS_S, check=True
    ).stdout


def _head(root: RootFolder) -> str:
    """The commit that is checked out; a branch without one where there is none yet."""
    said = _text(root, ".git/HEAD")
    named = _REF.fullmatch(said)
    if named is None:
        if _COMMIT.fullmatch(said.strip()) is None:
            raise ValueError("no commit is named")
        return said
    own = _text(root, f".git/{named[1]}").strip()
    packed = (line.split(" ", 1) for line in _text(root, ".git/packed-refs").splitlines() if " " in line)
    commit = own or next((parts[0] for parts in packed if parts[1] == named[1]), "")
    return f"{commit}\n" if _COMMIT.fullmatch(commit) else "ref: refs/heads/none\n"


def _text(root: RootFolder, path: str) -> str:
    try:
        file = root.open_file(path, links=False).descriptor
    except (OSError, ValueError):
        return ""
    try:
        return os.read(file, MAX_BYTES).decode("utf-8", "replace")
    finally:
        os.close(file)
