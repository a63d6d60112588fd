"""Three-way merge of texts by lines: what both sides made of the same base, or where they disagree. Pure."""

import re
from collections.abc import Sequence

import msgspec

from glassloop.extensions.code.files.diff import opcodes

_LINES = re.compile(r"[^\n]*\n|[^\n]+")


class MergeConflict(msgspec.Struct, frozen=True, gc=False):
    """Lines of the file as it is now, from 1 on, that were changed on both sides."""

    first_line: int
    last_line: int


class Merged(msgspec.Struct, frozen=True):
    """The text of both sides; None where they disagree, with where."""

    text: str | None
    conflicts: list[MergeConflict] = []


class _Region(msgspec.Struct, gc=False):
    """Lines of the base that a side made other lines of."""

    begin: int
    end: int
    lines: Sequence[str]
    first: int


def merge(base: str, mine: str, theirs: str) -> Merged:
    """What `theirs` changed of the base, done to `mine`."""
    if mine in (base, theirs):
        return Merged(theirs)
    if theirs == base:
        return Merged(mine)
    base_lines, mine_lines, their_lines = (_LINES.findall(text) for text in (base, mine, theirs))
    left = _regions(base_lines, mine_lines)
    right = _regions(base_lines, their_lines)
    merged: list[str] = []
    conflicts: list[MergeConflict] = []
    at = 0
    while left or right:
        ours, others = _next_group(left, right)
        begin = min(each.begin for each in (*ours, *others))
        end = max(each.end for each in (*ours, *others))
        merged += base_lines[at:begin]
        at = end
        now = _put(base_lines, begin, end, ours)
        then = _put(base_lines, begin, end, others)
        if not others or now == then:
            merged += now
        elif not ours:
            merged += then
        else:
            first = ours[0].first - (ours[0].begin - begin)
            conflicts.append(MergeConflict(first + 1, first + max(len(now), 1)))
    merged += base_lines[at:]
    return Merged(None, conflicts) if conflicts else Merged("".join(merged))


def _regions(base: Sequence[str], side: Sequence[str]) -> list[_Region]:
    """In order, the first at the end so that it can be taken off."""
    found = [_Region(a, b, side[c:d], c) for kind, a, b, c, d in opcodes(base, side) if kind != "equal"]
    return found[::-1]


def _next_group(left: list[_Region], right: list[_Region]) -> tuple[list[_Region], list[_Region]]:
    """The next regions of both sides that touch one another."""
    ours, others = list[_Region](), list[_Region]()
    takes_left = bool(left) and (not right or left[-1].begin <= right[-1].begin)
    first = left.pop() if takes_left else right.pop()
    (ours if takes_left else others).append(first)
    end = first.end
    while True:
        if left and left[-1].begin <= end:
            ours.append(left.pop())
            end = max(end, ours[-1].end)
        elif right and right[-1].begin <= end:
            others.append(right.pop())
            end = max(end, others[-1].end)
        else:
            return ours, others


def _put(base: Sequence[str], begin: int, end: int, regions: Sequence[_Region]) -> list[str]:
    """One side's lines of a stretch of the base."""
    lines: list[str] = []
    at = begin
    for each in regions:
        lines += base[at : each.begin]
        lines += each.lines
        at = each.end
    return [*lines, *base[at:end]]
