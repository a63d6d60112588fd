"""Files beneath a folder: no path, link or swap of a link leads out of it, with the kernel's own call and without."""

import itertools
import os
import socket
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from glassloop.openat2 import openat2
from glassloop.root_folder import MAX_LINKS, NotOrdinaryError, OutsideRootError, PathError, RootFolder

SECRET = "secret outside"


@pytest.fixture(params=[openat2, None], ids=["openat2", "steps"])
def root(tmp_path, request):
    base = tmp_path.resolve() / "work"
    (base / "a" / "b").mkdir(parents=True)
    (base / "a" / "b" / "file.txt").write_text("inside")
    (tmp_path / "work-sibling").mkdir()
    (tmp_path / "work-sibling" / "file.txt").write_text(SECRET)
    (tmp_path / "outside.txt").write_text(SECRET)
    with RootFolder(base, request.param) as opened:
        yield opened


def read(root, path, **options):
    opened = root.open_file(path, **options)
    with os.fdopen(opened.descriptor, "rb") as file:
        return file.read().decode(), opened.path


@pytest.mark.parametrize(
    "path",
    [
        "a/b/file.txt",
        "./a//b/./file.txt",
        "a/../a/b/file.txt",
        "inner/file.txt",
        "whole/b/file.txt",
        "inner/../b/file.txt",
    ],
)
def test_what_lies_inside_is_read_by_any_way_that_stays_inside(root, path):
    (root.path / "inner").symlink_to("a/b")
    (root.path / "whole").symlink_to(root.path / "a")
    assert read(root, path) == ("inside", "a/b/file.txt")
    assert read(root, str(root.path / path)) == ("inside", "a/b/file.txt")


def ways_out(base: Path):
    """Paths that lead outside, alone and behind a folder or a link that is there."""
    ends = ["../outside.txt", "../work-sibling/file.txt", "../../../../../../etc/passwd", "..", "out/outside.txt"]
    ends += [
        "far/passwd",
        "up",
        "up/work-sibling/file.txt",
        "dangling",
        "chain",
        "root/etc/passwd",
        "mixed/../outside.txt",
    ]
    for before, end in itertools.product(["", "./", "a/../", "a/b/../../", "inner/../../"], ends):
        yield before + end
    yield from ("/etc/passwd", "/proc/self/root/etc/passwd", "/proc/self/environ", "//etc/passwd", "/", "/dev/zero")
    yield f"{base}-sibling/file.txt"
    yield f"{base}/../outside.txt"
    yield f"{base}/../work-sibling/file.txt"


def test_no_path_leads_outside(root):
    base = root.path
    (base / "inner").symlink_to("a/b")
    for name, target in {
        "out": "..",
        "far": "/etc",
        "up": "a/../..",
        "dangling": "../not-there-yet.txt",
        "chain": "chain2",
        "chain2": "../outside.txt",
        "root": "/proc/self/root",
        "mixed": str(base.parent / "work-sibling"),
    }.items():
        (base / name).symlink_to(target)
    before = sorted(base.parent.rglob("*"))
    paths = list(ways_out(base))
    for path in paths:
        for act in (
            lambda path=path: read(root, path),
            lambda path=path: os.close(root.open_folder(path).descriptor),
            lambda path=path: root.stat(path),
            lambda path=path: root.write(path, b"written", replace=True),
            lambda path=path: root.write(path + "/new.txt", b"written", replace=False),
        ):
            with pytest.raises(OSError) as raised:
                act()
            assert str(base.parent) not in str(raised.value)
    assert len(paths) > 60
    assert sorted(base.parent.rglob("*")) == before
    assert (base.parent / "outside.txt").read_text() == SECRET


@pytest.mark.parametrize("path", ["a\0b", "x" * 256, "é" * 128, "a/" * 2_100, "\ud800"])
def test_what_no_file_can_be_called_is_refused(root, path):
    with pytest.raises(PathError):
        root.open_file(path)


def test_a_link_is_followed_only_where_that_is_wanted(root):
    (root.path / "inner").symlink_to("a/b")
    (root.path / "last").symlink_to("a/b/file.txt")
    for path in ("inner/file.txt", "last"):
        with pytest.raises(OSError):
            root.open_file(path, links=False)
    facts, path = root.stat("last", links=False)
    assert (stat.S_ISLNK(facts.st_mode), path) == (True, "last")


def test_a_circle_of_links_ends(root):
    (root.path / "one").symlink_to("two")
    (root.path / "two").symlink_to("one")
    for number in range(MAX_LINKS + 2):
        (root.path / f"n{number}").symlink_to(f"n{number + 1}")
    for path in ("one", "one/x", "n0"):
        with pytest.raises(OSError):
            root.open_file(path)


def test_devices_pipes_and_sockets_are_refused_without_being_waited_for(root):
    os.mkfifo(root.path / "pipe")
    with socket.socket(socket.AF_UNIX) as server:
        folder = os.open(root.path, os.O_RDONLY)
        try:
            server.bind(f"/proc/self/fd/{folder}/socket")
        finally:
            os.close(folder)
        for name in ("pipe", "socket"):
            with pytest.raises(OSError):
                root.open_file(name)
            for act in (root.delete, lambda name: root.write(name, b"", replace=True)):
                with pytest.raises(NotOrdinaryError):
                    act(name)
    with pytest.raises(IsADirectoryError):
        root.open_file("a")


def test_a_write_makes_folders_keeps_the_mode_and_leaves_another_name_of_the_file_alone(root):
    assert root.write("new/deep/file.txt", b"one", replace=False, mode=0o640) == "new/deep/file.txt"
    path = root.path / "new" / "deep" / "file.txt"
    path.chmod(0o755)
    os.link(path, root.path / "other.txt")
    root.write("new/deep/file.txt", b"two", replace=True)
    assert (path.read_bytes(), stat.S_IMODE(path.stat().st_mode)) == (b"two", 0o755)
    assert (root.path / "other.txt").read_bytes() == b"one"
    assert [each.name for each in path.parent.iterdir()] == ["file.txt"]


def test_a_new_file_never_takes_the_place_of_one_that_is_there(root):
    for act in (
        lambda: root.write("a/b/file.txt", b"other", replace=False),
        lambda: root.move("new.txt", "a/b/file.txt"),
    ):
        (root.path / "new.txt").write_text("new")
        with pytest.raises(FileExistsError):
            act()
        assert read(root, "a/b/file.txt")[0] == "inside"
    assert {each.name for each in root.path.iterdir()} == {"a", "new.txt"}


def test_a_write_through_a_link_changes_what_it_points_to_and_says_so(root):
    (root.path / "link").symlink_to("a/b/file.txt")
    assert root.write("link", b"changed", replace=True) == "a/b/file.txt"
    assert (root.path / "link").is_symlink()
    assert (root.path / "a" / "b" / "file.txt").read_text() == "changed"


def test_a_link_is_moved_and_deleted_itself(root):
    (root.path / "link").symlink_to("../outside.txt")
    assert root.move("link", "sub/link") == ("link", "sub/link")
    assert root.delete("sub/link") == "sub/link"
    assert (root.path.parent / "outside.txt").read_text() == SECRET


def test_a_folder_is_neither_written_moved_nor_deleted(root):
    for act in (lambda: root.write("a", b"", replace=True), lambda: root.move("a", "c"), lambda: root.delete("a")):
        with pytest.raises(IsADirectoryError):
            act()


SWAP = """
import os, sys
for _ in range(int(sys.argv[1])):
    os.rename("swap", "kept")
    os.rename("to-outside", "swap")
    os.rename("swap", "to-outside")
    os.rename("kept", "swap")
"""


@pytest.mark.parametrize("swaps", [5_000, pytest.param(50_000, marks=pytest.mark.slow)])
def test_a_link_swapped_in_at_any_moment_leads_nowhere_outside(root, swaps):
    """Two swaps a round: a folder on the way turns into a link and back while files in it are worked on."""
    outside = root.path.parent / "work-sibling"
    (root.path / "swap").mkdir()
    (root.path / "swap" / "file.txt").write_text("inside")
    (root.path / "to-outside").symlink_to(outside)
    acts = (
        lambda: read(root, "swap/file.txt")[0],
        lambda: root.write("swap/file.txt", b"inside", replace=True, create=False),
        lambda: read(root, "swap/file.txt")[0],
        lambda: root.move("swap/file.txt", "swap/moved.txt", create=False),
        lambda: root.move("swap/moved.txt", "swap/file.txt", create=False),
        lambda: root.delete("swap/new.txt"),
        lambda: root.write("swap/new.txt", b"inside", replace=False, create=False),
    )
    refused = 0
    with subprocess.Popen([sys.executable, "-c", SWAP, str(swaps)], cwd=root.path) as swapping:
        for act in itertools.cycle(acts):
            try:
                assert act() != SECRET
            except OSError as error:
                refused += isinstance(error, OutsideRootError)
            if swapping.poll() is not None:
                break
    assert swapping.returncode == 0
    assert refused or swaps < 50_000
    assert {path.name: path.read_text() for path in outside.iterdir()} == {"file.txt": SECRET}
