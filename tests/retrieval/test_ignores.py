"""What `.gitignore` says, read as git reads it."""

import os
import shutil
import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as st

from glassloop.retrieval.code.ignore_rules import IgnoreRules, is_ignored, read_rules


def left_out(path, *patterns, folder=False):
    return is_ignored(path, folder, [IgnoreRules("", patterns)])


@pytest.mark.parametrize(
    ("pattern", "path", "expected"),
    [
        ("*.log", "a.log", True),
        ("*.log", "deep/er/a.log", True),
        ("*.log", "a.log.txt", False),
        ("/a.log", "a.log", True),
        ("/a.log", "deep/a.log", False),
        ("deep/a.log", "deep/a.log", True),
        ("deep/a.log", "more/deep/a.log", False),
        ("**/deep/a.log", "more/deep/a.log", True),
        ("**/deep/a.log", "deep/a.log", True),
        ("deep/**", "deep/a", True),
        ("deep/**", "deep/er/a", True),
        ("deep/**", "deep", False),
        ("a/**/b", "a/b", True),
        ("a/**/b", "a/x/y/b", True),
        ("a/**/b", "a/x/y/c", False),
        ("a/**/b/**/c", "a/b/x/b/c", True),
        ("**", "any/thing", True),
        ("a**b", "axxb", True),
        ("a**b", "a/b", False),
        ("a?c", "abc", True),
        ("a?c", "a/c", False),
        ("[a-c].py", "b.py", True),
        ("[!a-c].py", "b.py", False),
        ("[!a-c].py", "x.py", True),
        ("[]x].py", "].py", True),
        ("[[:digit:]].py", "7.py", True),
        ("[a-.py", "a.py", False),
        ("[z-a].py", "m.py", False),
        ("a[^b]c", "a/c", False),
        (r"\#a", "#a", True),
        ("#a", "#a", False),
        (r"\!a", "!a", True),
        (r"a\ ", "a ", True),
        ("a  ", "a", True),
        (r"a\*", "a*", True),
        (r"a\*", "ab", False),
        ("a\\", "a", False),
        ("", "a", False),
        ("/", "a", False),
        ("a\r", "a", True),
        ("毛边.*", "毛边.txt", True),
    ],
)
def test_a_pattern_fits_what_git_says_it_fits(pattern, path, expected):
    assert left_out(path, pattern) is expected


def test_a_pattern_with_a_slash_at_its_end_is_for_folders():
    assert left_out("build", "build/", folder=True)
    assert not left_out("build", "build/")
    assert left_out("deep/build", "build/", folder=True)


def test_the_last_line_that_fits_decides():
    assert not left_out("keep.log", "*.log", "!keep.log")
    assert left_out("keep.log", "!keep.log", "*.log")
    assert left_out("keep.log", "*.log", "!keep.log", "keep.*")


def test_a_deeper_file_wins_over_one_further_up():
    rules = [IgnoreRules("", ["*.log"]), IgnoreRules("deep/", ["!*.log", "/only.txt"])]
    assert not is_ignored("deep/a.log", False, rules)
    assert is_ignored("deep/only.txt", False, rules)
    assert not is_ignored("deep/er/only.txt", False, rules)


def test_what_cannot_be_read_has_no_rules(tmp_path):
    (tmp_path / "else").write_text("*")
    (tmp_path / ".gitignore").symlink_to(tmp_path / "else")
    os.mkfifo(tmp_path / ".ignore")
    assert read_rules(tmp_path, "") == []
    (tmp_path / ".ignore").unlink()
    (tmp_path / ".ignore").mkdir()
    assert read_rules(tmp_path, "") == []
    (tmp_path / ".gitignore").unlink()
    (tmp_path / ".gitignore").write_bytes(b"\xef\xbb\xbf*.tmp\n\xff\xfe\n")
    (rules,) = read_rules(tmp_path, "")
    assert rules.verdict("a.tmp", False)
    assert rules.verdict(os.fsdecode(b"\xff\xfe"), False)


@given(st.text("ab*?[]!^-\\/ #.", max_size=30), st.text("ab*[]!-\\/.", min_size=1, max_size=30))
def test_no_pattern_breaks_it(pattern, path):
    assert left_out(path, pattern, folder=True) in (True, False)


@pytest.mark.parametrize("pattern", ["*a" * 400 + "b", "**/a/" * 190 + "b", "*" * 999, "?*" * 300 + "x"])
def test_a_hostile_pattern_comes_to_an_end(pattern):
    # One that tried everything would take years.
    fits = [left_out(path, pattern) for path in ("a" * 250, "a/" * 1000 + "c")]
    assert fits == [pattern.strip("*") == ""] * 2


TREE = [
    *("a.py", "a.log", "keep.log", "build/out.py", "src/build/x.py", "src/a.log", "src/keep.log", "src/gen/a_pb2.py"),
    *("src/gen/.gitkeep", "docs/a/b/c.md", "docs/a/c.md", "docs/c.md", "docs/x.tmp", "foo/bar/baz.txt", "foo/qux.txt"),
    *(
        "vendor/lib/one.js",
        "vendor/mine/two.js",
        "weird [x].txt",
        "weird x.txt",
        "#hash",
        "!bang",
        "sp ace ",
        "deep/a/b",
    ),
    *("日本/毛边.txt", "x1.c", "x2.c", "xa.c", "logs/a/debug.log", "logs/debug.log", "Caps.TXT", "caps.txt"),
]
IGNORES = {
    ".gitignore": "*.log\n!keep.log\n/build/\nvendor/*\n!vendor/mine\n\\#hash\n\\!bang\nsp ace\\ \nweird \\[x\\].txt\n"
    "x[0-9].c\ndocs/**/c.md\n!docs/a/c.md\n*.TXT\nlogs/**/debug.log\n",
    "src/.gitignore": "gen/*\n!gen/.gitkeep\n!a.log\n",
    "foo/.gitignore": "bar\n# a comment\n\n   \n",
    "日本/.gitignore": "毛*\n",
}


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
def test_it_leaves_out_what_git_leaves_out(tmp_path):
    from glassloop.retrieval.code.workspace import IndexedFiles

    for name in TREE:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("x")
    for name, text in IGNORES.items():
        (tmp_path / name).write_text(text)
    environment = {**os.environ, "HOME": str(tmp_path), "GIT_CONFIG_NOSYSTEM": "1", "XDG_CONFIG_HOME": str(tmp_path)}

    def git(*arguments):
        done = subprocess.run(["git", *arguments], cwd=tmp_path, env=environment, capture_output=True, check=True)
        return done.stdout.decode()

    git("init", "-q")
    (tmp_path / ".git" / "info" / "exclude").write_text("caps.txt\n")
    expected = set(git("ls-files", "-z", "--others", "--exclude-standard").split("\0")) - {""}
    assert 10 < len(expected) < len(TREE) + len(IGNORES)
    assert set(IndexedFiles(tmp_path, pytest.fail).walk()) == expected
