"""Patterns for names and paths of files: `*`, `?`, `[…]`, `**` and `{a,b}`, as git reads them. Pure.

Without a slash a pattern is for the name at any depth, else for the path from the folder that is searched. Matching
takes time in proportion to the path, whatever the pattern.
"""

import re
from collections.abc import Callable
from operator import methodcaller

from glassloop.core.errors import BadArguments
from glassloop.retrieval.code.ignore_rules import path_expression

MAX_CHARS = 500
MAX_ALTERNATIVES = 200

_ENDING = re.compile(r"(?:\*\*/)?\*(\.[\w.-]+)")
"""The patterns that are asked for most, for which no expression is needed."""


def file_matcher(pattern: str) -> Callable[[str], object]:
    """Says of a path whether the pattern fits, by what is true. Raises `BadArguments`."""
    if not pattern.strip() or len(pattern) > MAX_CHARS or "\0" in pattern:
        raise BadArguments(f"A file pattern has 1 to {MAX_CHARS} characters, as in '*.py' or 'src/**/*.{{ts,tsx}}'.")
    if pattern in ("*", "**", "**/*"):
        return lambda _: True
    if ending := _ENDING.fullmatch(pattern):
        return methodcaller("endswith", ending[1])
    expressions = [path_expression(each.removeprefix("./")) for each in expand_braces(pattern)]
    return re.compile("|".join(f"(?:{each})" for each in expressions), re.DOTALL).fullmatch


def expand_braces(pattern: str) -> list[str]:
    """All that `{a,b}` stands for, nested ones too; a brace without its other, or without a comma, is a character."""
    done: list[str] = []
    left = [pattern]
    while left:
        each = left.pop()
        group = _first_group(each)
        if group is None:
            done.append(each)
        else:
            begin, end, choices = group
            left.extend(each[:begin] + choice + each[end:] for choice in reversed(choices))
        if len(done) + len(left) > MAX_ALTERNATIVES:
            raise BadArguments(f"{pattern[:80]!r} stands for more than {MAX_ALTERNATIVES} patterns: use fewer braces.")
    return done


def _first_group(pattern: str) -> tuple[int, int, list[str]] | None:
    """Where the first one with a comma begins and ends, and what it chooses from."""
    at = 0
    while (begin := _next(pattern, "{", at)) >= 0:
        depth, commas, place = 0, [begin], begin
        while place < len(pattern):
            mark = pattern[place]
            if mark == "\\":
                place += 1
            elif mark == "{":
                depth += 1
            elif mark == "," and depth == 1:
                commas.append(place)
            elif mark == "}":
                depth -= 1
                if not depth:
                    break
            place += 1
        if place < len(pattern) and len(commas) > 1:
            ends = [*commas[1:], place]
            return begin, place + 1, [pattern[one + 1 : two] for one, two in zip(commas, ends, strict=True)]
        at = begin + 1
    return None


def _next(pattern: str, mark: str, at: int) -> int:
    while at < len(pattern):
        if pattern[at] == "\\":
            at += 2
        elif pattern[at] == mark:
            return at
        else:
            at += 1
    return -1
