"""Ignore rules of a folder, as in `.gitignore`: patterns to expressions, nested files, negation.

A rule in a deeper folder wins over one further up, a later line over an earlier one, and what lies in an ignored folder
cannot be taken back in. Patterns come from files that anybody may have written: matching takes time in proportion to
the path (`pathspec` needs a minute for `*a*a*a*a*a*ab` and a name of a hundred `a`). Pure, but for `read_rules`.
"""

import os
import re
import stat
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from pathlib import Path

FILES = (".gitignore", ".ignore")
"""The second counts more."""

EXCLUDE = Path(".git") / "info" / "exclude"
MAX_BYTES = 500_000
MAX_PATTERNS = 5_000
MAX_CHARS = 1_000

_NEVER = "(?!)"
_OPEN = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
_CLASSES = {
    "alnum": "a-zA-Z0-9", "alpha": "a-zA-Z", "blank": r" \t", "cntrl": r"\x00-\x1f\x7f", "digit": "0-9",
    "graph": r"\x21-\x7e", "lower": "a-z", "print": r"\x20-\x7e", "punct": r"!-/:-@\[-`{-~", "space": r"\s",
    "upper": "A-Z", "xdigit": "0-9a-fA-F",
}  # fmt: skip


class IgnoreRules:
    """The patterns of one file. `base`: the path of its folder, '' for the root, else with a slash at its end."""

    def __init__(self, base: str, lines: Iterable[str]) -> None:
        self.base = base
        read = [rule for line in lines if (rule := _rule(line)) is not None][:MAX_PATTERNS]
        # The last that fits decides, so the last come first; neighbours of one kind are one expression.
        groups = groupby(reversed(read), key=lambda rule: rule[0])
        self._steps = [
            (negated, re.compile("|".join(text for _, text in rules), re.DOTALL)) for negated, rules in groups
        ]

    def __bool__(self) -> bool:
        return bool(self._steps)

    def verdict(self, path: str, is_folder: bool) -> bool | None:
        """Whether the path, from the root, is left out; None where no pattern fits. A folder's path has no slash at
        its end."""
        below = path[len(self.base) :] + ("/" if is_folder else "")
        for negated, expression in self._steps:
            if expression.fullmatch(below):
                return not negated
        return None


def is_ignored(path: str, is_folder: bool, rules: Sequence[IgnoreRules]) -> bool:
    """By the rules of the folders above it, the outermost first."""
    for each in reversed(rules):
        verdict = each.verdict(path, is_folder)
        if verdict is not None:
            return verdict
    return False


def parse_rules(base: str, raw: bytes) -> IgnoreRules:
    """Those of one file, by what is in it."""
    return IgnoreRules(base, os.fsdecode(raw[:MAX_BYTES].removeprefix(b"\xef\xbb\xbf")).split("\n"))


def path_expression(glob: str) -> str:
    """An expression for whole paths of files that a pattern fits, in proportional time as well: from the root where it
    has a slash in it, else by the name at any depth."""
    if "/" not in glob:
        return _path(["**", glob] if glob != "**" else ["**"])
    return _path(glob.removeprefix("/").split("/"))


def read_rules(folder: Path, base: str) -> Sequence[IgnoreRules]:
    """Those that lie in a folder; what cannot be read has none."""
    names = (*((EXCLUDE,) if not base else ()), *map(Path, FILES))
    found = (parse_rules(base, _content(folder / name)) for name in names)
    return [rules for rules in found if rules]


def _content(path: Path) -> bytes:
    """As git does, not through a link; and not from a pipe, which would be waited for."""
    try:
        file = os.open(path, _OPEN)
    except OSError:
        return b""
    try:
        return os.read(file, MAX_BYTES) if stat.S_ISREG(os.fstat(file).st_mode) else b""
    except OSError:
        return b""
    finally:
        os.close(file)


def _rule(line: str) -> tuple[bool, str] | None:
    """Whether it takes back in, and an expression for paths, those of folders with a slash at their end."""
    line = line.removesuffix("\r")
    while line.endswith(" ") and not line.endswith("\\ "):
        line = line[:-1]
    negated = line.startswith("!")
    pattern = line[1:] if negated else line
    if not pattern or line.startswith("#") or len(pattern) > MAX_CHARS:
        return None
    only_folders = pattern.endswith("/")
    pattern = pattern.removesuffix("/")
    if not pattern:
        return None
    if "/" in pattern:
        segments = pattern.removeprefix("/").split("/")
    else:
        segments = ["**", pattern] if pattern != "**" else ["**"]
    return negated, _path(segments) + ("/" if only_folders else "/?")


def _path(segments: Sequence[str]) -> str:
    """Between two `**` the first place that fits is as good as any: nothing is tried twice."""
    blocks: list[list[str]] = [[]]
    for segment in segments:
        if segment == "**":
            blocks.append([])
        else:
            blocks[-1].append(_segment(segment))
    first, *rest = ("/".join(block) for block in blocks)
    if not rest:
        return first
    *between, last = rest
    found = f"{first}/" if first else ""
    found += "".join(f"(?>(?:[^/]+/)*?{block}/)" for block in between if block)
    return found + (f"(?:[^/]+/)*{last}" if last else ".+")


def _segment(glob: str) -> str:
    """A name. Between two stars, again, the first place is as good as any."""
    pieces = list(_pieces(glob))
    if _NEVER in pieces:
        return _NEVER
    first, *rest = "".join(piece if piece is not None else "\n" for piece in pieces).split("\n")
    if not rest:
        return first
    *between, last = rest
    if not any((first, *rest)):
        # The path of a folder ends with a slash, and after that comes no name.
        return "[^/]+"
    return first + "".join(f"(?>[^/]*?{piece})" for piece in between if piece) + f"[^/]*{last}"


def _pieces(glob: str) -> Iterator[str | None]:
    """Expressions for what it is made of; None for a star."""
    at = 0
    while at < len(glob):
        mark = glob[at]
        at += 1
        if mark == "*":
            yield None
        elif mark == "?":
            yield "[^/]"
        elif mark == "[":
            expression, at = _set(glob, at)
            yield expression
        elif mark == "\\":
            # At the end of a pattern it quotes nothing, and the pattern fits nothing.
            yield _quoted(glob[at]) if at < len(glob) else _NEVER
            at += 1
        else:
            yield _quoted(mark)


def _quoted(mark: str) -> str:
    return r"\x0a" if mark == "\n" else re.escape(mark)


def _set(glob: str, at: int) -> tuple[str, int]:
    """The characters in brackets from there on, and where they end. Without an end they are no set, and fit nothing."""
    negated = glob[at : at + 1] in ("!", "^")
    at += negated
    members: list[str] = []
    begin = at
    while at < len(glob) and (glob[at] != "]" or at == begin):
        named = re.match(r"\[:(\w+):\]", glob[at:])
        if named:
            members.append(_CLASSES.get(named[1], ""))
            at += named.end()
            continue
        mark, at = _member(glob, at)
        if glob[at : at + 1] == "-" and glob[at + 1 : at + 2] not in ("", "]"):
            last, at = _member(glob, at + 1)
            members.append(f"{_in_set(mark)}-{_in_set(last)}" if mark <= last else "")
        else:
            members.append(_in_set(mark))
    if at >= len(glob):
        return _NEVER, at
    inside = "".join(members)
    if negated:
        return f"[^/{inside}]", at + 1
    return f"(?!/)[{inside}]" if inside else _NEVER, at + 1


def _member(glob: str, at: int) -> tuple[str, int]:
    if glob[at] == "\\" and at + 1 < len(glob):
        at += 1
    return glob[at], at + 1


def _in_set(mark: str) -> str:
    return f"\\u{ord(mark):04x}" if ord(mark) < 0x10000 else f"\\U{ord(mark):08x}"
