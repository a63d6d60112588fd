"""Indentation of a replacement: what a model wrote at its own depth, with its own width, as the file has it. Pure."""

import re
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from math import gcd

_BLANKS = re.compile(r"[ \t]*")


def indent_of(line: str) -> str:
    found = _BLANKS.match(line)
    return found.group() if found else ""


def reindented(old: Sequence[str], there: Sequence[str], new: Sequence[str], lines: Sequence[str]) -> list[str] | None:
    """`new` as the file indents `there`, which is what it has for `old`. None where the depths cannot be told."""
    pairs = [(indent_of(mine), indent_of(their)) for mine, their in zip(old, there, strict=True) if mine.strip()]
    known: dict[str, str] = {}
    if any(known.setdefault(mine, their) != their for mine, their in pairs):
        return _line_by_line(old, there, new)
    unit_there = _unit([indent_of(line) for line in lines if line.strip()])
    unit_mine = _step([*known, *(indent_of(line) for line in new if line.strip())])
    depths = _Depths(known, unit_mine, unit_there)
    written: list[str] = []
    for line in new:
        if not line.strip():
            written.append("" if not line.strip(" \t") else line)
            continue
        indent = depths.of(indent_of(line))
        if indent is None:
            return None
        written.append(indent + line[len(indent_of(line)) :])
    return written


class _Depths:
    """Translates indentations; `known` is how the file has those of `old`."""

    def __init__(self, known: dict[str, str], unit_mine: str, unit_there: str) -> None:
        self._known = dict(known)
        self._mine, self._there = unit_mine, unit_there

    def of(self, indent: str) -> str | None:
        if (found := self._known.get(indent)) is not None:
            return found
        inner = [mine for mine in self._known if indent.startswith(mine)]
        if inner:
            nearest = max(inner, key=len)
            return self._known[nearest] + self._scaled(indent[len(nearest) :])
        outer = [mine for mine in self._known if mine.startswith(indent)]
        if not outer:
            return None
        nearest = min(outer, key=len)
        less = self._scaled(nearest[len(indent) :])
        theirs = self._known[nearest]
        # Less deep than anything that is replaced: as much less as the file has room for.
        return theirs[: len(theirs) - len(less)] if theirs.endswith(less) else None

    def _scaled(self, blanks: str) -> str:
        if not self._mine:
            return blanks
        depth, rest = divmod(len(blanks), len(self._mine)) if set(blanks) == set(self._mine) else (0, len(blanks))
        return self._there * depth + (blanks[len(blanks) - rest :] if rest else "")


def _step(indents: Sequence[str]) -> str:
    """The same of a few lines, which may all be deeper than they should: by what they differ in."""
    widths = sorted({len(indent) for indent in indents})
    steps = [wide - narrow for narrow, wide in pairwise(widths)]
    return (("\t" if any("\t" in indent for indent in indents) else " ") * gcd(*steps)) if steps else ""


def _unit(indents: Sequence[str]) -> str:
    """What one more depth is: a tab, or so many blanks."""
    used = [indent for indent in indents if indent]
    if not used:
        return ""
    if sum(indent.startswith("\t") for indent in used) * 2 > len(used):
        return "\t"
    widths = Counter(len(indent) for indent in used if not indent.startswith("\t"))
    # Single odd widths are continuation lines.
    common = [width for width, times in widths.items() if times * 20 >= sum(widths.values())] or list(widths)
    return " " * max(gcd(*common), 1)


def _line_by_line(old: Sequence[str], there: Sequence[str], new: Sequence[str]) -> list[str] | None:
    """Where `old` lost its depths: each line takes those of the line it stands for. None where lines come or go."""
    if len(old) != len(new):
        return None
    return [
        indent_of(their) + mine.lstrip(" \t") if mine.strip() else "" for mine, their in zip(new, there, strict=True)
    ]
