"""Both engines of `grep_files`: the same lines for the same pattern, and no pattern that takes them long."""

import time
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from glassloop.core.errors import BadArguments
from glassloop.extensions.code.search.engines import Re2, Ripgrep, SearchEngine, SearchLimit, ripgrep_path
from glassloop.extensions.code.search.grep import GrepResult, grep
from glassloop.extensions.code.search.text_pattern import read_pattern
from glassloop.root_folder import RootFolder

LINES = (
    "", "a", "aaa", "ab", "Foo bar", "foo_bar = 1", "x\ty", "é è ü", "ſtrange K", "Ω ω", "12,5 %", "a.b*c", "[set]",
    "{brace}", "tail ", "\\back", "cr\r", "\r", "日本語", "\U0001f600 smile", "a-b_c", "(x)", "$x^", "AbC123", "\x0bv",
)  # fmt: skip
PIECES = (
    "a", "b", "F", "é", "Ω", "日", ".", r"\d", r"\w", r"\s", r"\W", r"\D", r"\S", r"\b", r"\B", "^", "$", "[a-c]",
    "[^a]",
    r"[\w-]", "[[:alpha:]]", r"\p{Lu}", r"\p{Greek}", r"\.", r"\<", "{", "}", r"\x41", r"\u00e9", "(a|b)", "(?i:foo)",
    "(?:ab)?", "|", "_", "-", "/", "#", "&&", "~", " ", "[]a]", r"[\]^]", r"\r", r"\t", "(?i)k", "[é-ü]", "()",
)  # fmt: skip
REPEATS = ("", "", "", "*", "+", "?", "{2}", "{1,3}", "{,2}", "*?", "+?")

HOSTILE = (
    "(a+)+$", "(a|a)*$", "(a|aa)+$", "(a*)*b", "(.*)*x", "(a+a+)+b", "([a-z]+)*$", r"(\w+\s?)*$", "(a?){30}a{30}",
    "(.+)+x", "(x+x+)+y", "^(a+)+$", "(a|b|ab)*c", "((a+)+)+$", r"(\d+)+x", "(.*a){12}x", "(a+){10}$",
    "(a{1,30}){1,30}$",
    r"^(([a-z])+.)+[A-Z]([a-z])+$", r"(.*)(.*)(.*)(.*)(.*)x", "a*a*a*a*a*a*a*b", "(a*)+$", "(aa|aab?)*$", ".*.*=.*",
    r"\s+$", r"(\s*)+$", r"^\s*\S+\s*$", "(a|a?)+$", "(?:a+)+?$", "a+a+a+a+a+$", "(ab|a)*c", r"(\w|\d)+$", "(.|a)*z$",
    r"([^x]*)*x", ".{1,500}x", "(.{1,30}){1,30}x", r"\w{1,300}!", "(a.*b)*c", "(a.*){8}!", r"(\S+\s+)*\S+!",
    "(?i)(A+)+$", "[a-z]*[a-z]*[a-z]*!", "((a*)*)*!", "(a+|b+|c+)*!", "(z|a+)+!", ".*a.*a.*a.*!", "(é+)+$", "x*x*x*$",
    "(a{2,5}){2,9}!", r"\b(\w+)+\b!", "(|a)+$",
)  # fmt: skip


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("work").resolve()
    (folder / "all.txt").write_text("\n".join(LINES) + "\n", "utf-8", newline="")
    (folder / "open.txt").write_text("\n".join(reversed(LINES)), "utf-8", newline="")
    (folder / "raw.txt").write_bytes(b"\xff\xfe-\n\xc3(\na\xe9b\n\nfoo\xff\n")
    (folder / "wide.txt").write_bytes("\n".join(LINES).encode("utf-16"))
    (folder / "blob").write_bytes(b"foo a\n\0a\n")
    (folder / "empty").touch()
    return folder


def engines(pattern: str, *, case: bool = True) -> tuple[SearchEngine, SearchEngine]:
    program, read = ripgrep_path(), read_pattern(pattern)
    assert program is not None
    return Ripgrep(program, read, case_sensitive=case), Re2(read, case_sensitive=case)


def found(root: Path, engine: SearchEngine, seconds: float = 60.0) -> GrepResult:
    files = sorted(path.name for path in root.iterdir())
    with RootFolder(root) as opened:
        return grep(opened, files, engine, SearchLimit(seconds, lambda: False), max_results=2_000)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    pieces=st.lists(st.tuples(st.sampled_from(PIECES), st.sampled_from(REPEATS)), min_size=1, max_size=5),
    case=st.booleans(),
)
def test_both_engines_find_the_same_lines(root: Path, pieces: list[tuple[str, str]], case: bool) -> None:
    pattern = "".join(piece + repeat for piece, repeat in pieces)
    try:
        ripgrep, re2 = engines(pattern, case=case)
    except BadArguments:
        return
    assert found(root, ripgrep) == found(root, re2)


def test_the_51_hostile_patterns_are_51() -> None:
    assert len(set(HOSTILE)) == 51


@pytest.mark.slow
@pytest.mark.parametrize("which", [0, 1], ids=["ripgrep", "re2"])
def test_no_hostile_pattern_takes_long_on_large_files(tmp_path: Path, which: int) -> None:
    (tmp_path / "line.txt").write_bytes(b"a" * 2_000_000 + b"!\n")
    (tmp_path / "lines.txt").write_bytes((b"aaab " * 12 + b"x=1\n") * 30_000)
    (tmp_path / "blank.txt").write_bytes(b" " * 1_000_000 + b"x\n")
    slow: dict[str, float] = {}
    for pattern in HOSTILE:
        engine = engines(pattern)[which]
        began = time.monotonic()
        result = found(tmp_path.resolve(), engine)
        took = time.monotonic() - began
        assert result.in_time
        if took > 2.0:
            slow[pattern] = round(took, 1)
    assert not slow
