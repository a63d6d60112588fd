"""Whether a work tree is dirty, without anything of it being run."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from glassloop.extensions.code.project.git_status import is_dirty
from glassloop.extensions.code.project.project_info import describe

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="needs git")


def git(root: Path, *words: str) -> None:
    env = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    own = ("-c", "user.name=a", "-c", "user.email=a@example.org")
    subprocess.run(["git", *own, *words], cwd=root, env=env, check=True, capture_output=True)


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    root = (tmp_path / "tree").resolve()
    root.mkdir()
    git(root, "init", "-q", "-b", "main")
    (root / "a.py").write_text("x = 1\n")
    (root / ".gitignore").write_text("*.log\n")
    git(root, "add", ".")
    git(root, "commit", "-qm", "first")
    return root


def test_a_clean_tree_is_clean_also_with_files_that_are_ignored(tree: Path) -> None:
    (tree / "out.log").write_text("1\n")
    (tree / ".git" / "info" / "exclude").write_text("own/\n")
    (tree / "own").mkdir()
    (tree / "own" / "a").write_text("1")
    assert describe(tree).dirty is False
    git(tree, "pack-refs", "--all")
    assert is_dirty(tree) is False
    git(tree, "checkout", "-q", "--detach")
    assert is_dirty(tree) is False


@pytest.mark.parametrize("change", ["modified", "untracked", "staged", "deleted", "unborn"])
def test_what_is_not_committed_is_dirty(tree: Path, change: str) -> None:
    if change == "modified":
        (tree / "a.py").write_text("x = 2\n")
    elif change == "untracked":
        (tree / "b.py").write_text("")
    elif change == "staged":
        (tree / "a.py").write_text("x = 2\n")
        git(tree, "add", "a.py")
    elif change == "deleted":
        (tree / "a.py").unlink()
    else:
        git(tree, "checkout", "-q", "--orphan", "other")
    found = describe(tree)
    assert (found.dirty, "not committed" in found.summary) == (True, True)


def test_nothing_that_the_folder_names_is_run_and_nothing_of_it_is_written(tree: Path, tmp_path: Path) -> None:
    trap, sprung = tmp_path / "trap.sh", tmp_path / "sprung"
    trap.write_text(f"#!/bin/sh\necho $0 $@ >> {sprung}\ncat\n")
    trap.chmod(0o755)
    (tree / ".gitattributes").write_text("*.py filter=trap diff=trap\n")
    for name in ("core.fsmonitor", "filter.trap.clean", "filter.trap.process", "diff.trap.textconv", "core.pager"):
        git(tree, "config", name, str(trap))
    git(tree, "config", "core.hooksPath", str(tmp_path))
    shutil.copy(trap, tmp_path / "post-index-change")
    (tree / "a.py").write_text("x = 3\n")
    before = {path: path.stat().st_mtime_ns for path in (tree / ".git").rglob("*")}
    assert is_dirty(tree) is True
    assert not sprung.exists()
    assert before == {path: path.stat().st_mtime_ns for path in (tree / ".git").rglob("*")}


def test_what_cannot_be_told_is_not(tree: Path, tmp_path: Path) -> None:
    assert is_dirty(tmp_path) is None
    (tree / ".git" / "index").write_bytes(b"DIRC broken")
    assert is_dirty(tree) is None
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / ".git").write_text(f"gitdir: {tree}/.git\n")
    found = describe(elsewhere)
    assert (found.is_git, found.dirty) == (True, None)
