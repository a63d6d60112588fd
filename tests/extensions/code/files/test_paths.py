"""Paths: whatever string a model gives to any tool, nothing outside the workspace is read, written or named."""

import itertools
import os
import subprocess
import sys
import unicodedata

import pytest

SECRET = "secret outside"
UNSEEN = "in no argument"
SOURCE = "def unseen_name():\n    return unseen_name\n"
SWAP = """
import os, sys
def put(source, target):
    while True:
        try:
            return os.rename(source, target)
        except OSError:
            # A tool made the folder that was missing for a moment.
            os.rename(target, f"made-{os.urandom(8).hex()}")
for _ in range(int(sys.argv[1])):
    put("swap", "kept")
    put("to-outside", "swap")
    put("swap", "to-outside")
    put("kept", "swap")
"""


def calls(path):
    """One call of each tool that takes a path, in each place where it takes one."""
    yield "read_file", {"path": path}
    yield "write_file", {"path": path, "content": "written"}
    yield "edit_file", {"path": path, "old": SECRET, "new": "written"}
    yield "multi_edit", {"edits": [{"path": path, "old": SECRET, "new": "written"}]}
    yield "apply_patch", {"patch": f"--- a/{path}\n+++ b/{path}\n@@ -1,1 +1,1 @@\n-{SECRET}\n+written\n"}
    yield "apply_patch", {"patch": f"*** Begin Patch\n*** Add File: {path}\n+written\n*** End Patch\n"}
    yield "move_file", {"source": path, "target": "moved.txt"}
    yield "move_file", {"source": "inside.txt", "target": path}
    yield "delete_file", {"path": path}
    yield "list_directory", {"path": path, "recursive": True, "max_depth": 10}
    yield "glob", {"pattern": "**", "path": path}
    yield "glob", {"pattern": path}
    yield "grep_files", {"pattern": "[a-z]", "path": path}
    yield "grep_files", {"pattern": "[a-z]", "file_pattern": path}
    yield "code_map", {"path": path}
    yield "find_references", {"name": "unseen_name", "path": path}


def ways_out(base):
    ends = ["outside.txt", "work-sibling/file.txt", "../../../../../../etc/passwd", "new.txt", "new/deep.txt"]
    ends += ["work-sibling/new.txt", "hard.txt", "work-sibling/../outside.txt"]
    befores = [
        "../",
        "./../",
        "a/../../",
        "a/b/../../../",
        "inner/../../../",
        "a//..//..//",
        "nothing/../../",
        "../work/../",
        "a/../a/../../",
    ]
    yield from (before + end for before, end in itertools.product(befores, ends))
    for link in ("out", "far", "up", "chain", "root", "mixed", "self"):
        yield from (
            f"{before}{link}/{end}"
            for before, end in itertools.product(("", "a/../", "./", "a/b/../../", "inner/../b/../../"), ends)
        )
    yield from ("dangling", "a/../dangling", "chain2", "./dangling", "out", "far", "up", "root", "mixed")
    for place in ("/etc/passwd", "/proc/self/root/etc/passwd", "/proc/self/environ", "//etc/passwd", "/", "/dev/zero"):
        yield from (place, f"/{place}", f"{place}/", f"a/../..{place}", f"../..{place}", f"{place}/../{place}")
    for end in ("-sibling/file.txt", "/../outside.txt", "/../work-sibling/file.txt", "/a/../../outside.txt", "/.."):
        yield from (f"{base}{end}", f"/{base}{end}", f"{base}/.{end}" if end.startswith("/") else f"{base}x{end}")
    for dots in ("\u2024\u2024", "\uff0e\uff0e", "..\u200b", "\u202e..", ".\u0307.", "%2e%2e", "..%2f", "..\\"):
        for end in ends:
            yield f"{dots}/{end}"
            yield unicodedata.normalize("NFKC", f"{dots}/{end}")
    yield from (f"a{char}b/../../outside.txt" for char in map(chr, (*range(1, 32), 127, 0x202E, 0x2066, 0xFEFF)))
    yield from (f"x\0{end}" for end in ends)
    yield from (
        "a" * 256,
        "é" * 128,
        "a/" * 2100 + "x",
        "../" * 1000 + "etc/passwd",
        "\ud800",
        "",
        ".",
        "./",
        "a",
        "..",
    )
    yield from (
        f"/proc/{who}/{what}" for who in ("self", "1", "thread-self") for what in ("root", "cwd", "mem", "fd/0")
    )
    yield from (f"/dev/{name}" for name in ("null", "tty", "stdin", "fd/0", "random", "mem"))
    yield from ("pipe", "./pipe", "a/../pipe", "~/.ssh/id_rsa", "$HOME/x/../../../..", "file:///etc/passwd")


def snapshot(folder):
    return {
        str(path): (str(path.readlink()) if path.is_symlink() else path.read_bytes() if path.is_file() else None)
        for path in folder.rglob("*")
        if not str(path).startswith((str(folder / "work") + os.sep, str(folder / "home")))
    }


@pytest.mark.parametrize("step", [12, pytest.param(1, marks=pytest.mark.slow)])
async def test_no_path_leads_any_tool_outside(pack, step):
    base = pack.root
    (base / "a" / "b").mkdir(parents=True)
    (base.parent / "work-sibling").mkdir()
    (base.parent / "work-sibling" / "file.txt").write_text(f"{SECRET}\n{UNSEEN}\n")
    (base.parent / "outside.txt").write_text(f"{SECRET}\n{UNSEEN}\n")
    (base.parent / "work-sibling" / "unseen.py").write_text(SOURCE)
    os.link(base.parent / "outside.txt", base.parent / "hard.txt")
    os.mkfifo(base / "pipe")
    links = {
        "inner": "a/b", "out": "..", "far": "/etc", "up": "a/../..", "dangling": "../not-there.txt", "chain": "chain2",
        "chain2": "../work-sibling", "root": "/proc/self/root", "mixed": str(base.parent / "work-sibling"),
        "self": "/proc/self/cwd",
    }  # fmt: skip
    for name, target in links.items():
        (base / name).symlink_to(target)
    outside = snapshot(base.parent)
    paths = list(dict.fromkeys(ways_out(base)))
    assert len(paths) >= 500
    for path in paths[::step]:
        pack.put("inside.txt", "inside\n")
        for tool, args in calls(path):
            context = pack.context()
            result = await pack.call(tool, context, **args)
            said = f"{result.output} {result.error} {result.metadata} {result.data}"
            assert UNSEEN not in said, (tool, path)
            assert "root:" not in said, (tool, path)
            assert "unseen.py" not in said and "def unseen_name" not in said, (tool, path)
            assert str(base.parent) not in said.replace(path, ""), (tool, path, said)
    assert snapshot(base.parent) == outside


@pytest.mark.parametrize("swaps", [2_000, pytest.param(100_000, marks=pytest.mark.slow)])
async def test_a_link_swapped_in_at_any_moment_leads_no_tool_outside(pack, swaps):
    """In each swap a folder on the way turns into a link to the outside and back, by four renames."""
    outside = pack.root.parent / "work-sibling"
    outside.mkdir()
    (outside / "file.txt").write_text(SECRET)
    (outside / "unseen.txt").write_text(SECRET)
    pack.put("swap/file.txt", "inside\n")
    pack.put("swap/deep/file.txt", "inside\n")
    (outside / "deep").mkdir()
    (outside / "deep" / "unseen.txt").write_text(SECRET)
    (pack.root / "to-outside").symlink_to(outside)
    acts = itertools.cycle((
        ("read_file", {"path": "swap/file.txt"}),
        ("write_file", {"path": "swap/new.txt", "content": "inside\n"}),
        ("move_file", {"source": "swap/new.txt", "target": "swap/moved.txt"}),
        ("delete_file", {"path": "swap/moved.txt"}),
        ("list_directory", {"path": ".", "recursive": True, "max_depth": 4}),
        ("list_directory", {"path": "swap", "recursive": True}),
        ("glob", {"pattern": "**/*.txt"}),
        ("grep_files", {"pattern": "outside|inside", "path": "swap"}),
    ))  # fmt: skip
    tried = refused = 0
    with subprocess.Popen([sys.executable, "-c", SWAP, str(swaps)], cwd=pack.root) as swapping:
        while swapping.poll() is None:
            tool, args = next(acts)
            result = await pack.call(tool, **args)
            tried += 1
            refused += "outside the workspace" in (result.error or "")
            said = f"{result.output} {result.error} {result.data}"
            assert SECRET not in said
            assert "unseen.txt" not in said
    assert swapping.returncode == 0
    print(f"{tried} calls, {refused} of them met the link")
    assert tried
    left = {str(path.relative_to(outside)): path.read_text() for path in outside.rglob("*.txt")}
    assert left == {"file.txt": SECRET, "unseen.txt": SECRET, "deep/unseen.txt": SECRET}
    assert len(list(outside.rglob("*"))) == 4


@pytest.mark.parametrize(
    "path",
    [
        *(".git/config", ".git/hooks/pre-commit", ".GIT/config", "sub/.hg/x", ".svn/new/x", "hooks/x"),
        ".g\u200bit/x",
    ],
)
async def test_version_control_is_never_written_moved_or_deleted(pack, path):
    pack.put(".git/config", "kept\n")
    pack.put(".git/hooks/x", "kept\n")
    pack.put("a.txt", "a\n")
    (pack.root / "hooks").symlink_to(".git/hooks")
    before = pack.files()
    for tool, args in (
        ("write_file", {"path": path, "content": "x"}),
        ("edit_file", {"path": path, "old": "kept", "new": "x"}),
        ("move_file", {"source": "a.txt", "target": path}),
        ("delete_file", {"path": path}),
    ):
        assert not (await pack.call(tool, **args)).success
    assert pack.files() == before
    assert not (pack.root / ".svn").exists()
    assert pack.text(".git/config") == "kept\n"


async def test_a_name_with_characters_that_nobody_sees_is_shown_written_out(pack):
    error = await pack.refused("read_file", path="a\u202etxt.exe\n")
    assert "\u202e" not in error
    assert "a\\u202etxt.exe\\n" in error
