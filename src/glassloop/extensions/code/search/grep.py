"""`grep_files` without its words: which files are searched, which lines are shown, and what was left out. Blocks."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, suppress

import msgspec

from glassloop.extensions.code.search.engines import (
    COMPARED_BYTES,
    FileMatches,
    LineMatch,
    SearchEngine,
    SearchLimit,
    SearchStopped,
    read_text,
)
from glassloop.root_folder import RootFolder

BATCH_BYTES = 500_000
"""Of paths given to a program at once: systems allow about two million."""
MAX_LINE_CHARS = 500


class ShownLine(msgspec.Struct, frozen=True):
    """A line of the result; `matched` is false for one that is shown beside a match."""

    path: str
    line: int
    text: str
    matched: bool = True


class GrepResult(msgspec.Struct, frozen=True, kw_only=True):
    """`match_count` is of lines, those without a place in `lines` included; `counts` has it by file. `changed`: lines
    that were not there when read again."""

    lines: Sequence[ShownLine]
    match_count: int
    shown: int
    counts: Mapping[str, int]
    searched: int
    in_time: bool
    changed: int
    left_out: int


def grep(
    root: RootFolder,
    files: Sequence[str],
    engine: SearchEngine,
    limit: SearchLimit,
    *,
    max_results: int,
    context_lines: int = 0,
    leave_out: Callable[[str], bool] = lambda _: False,
) -> GrepResult:
    """Lines in the order of their paths. Of files that are to be left out nothing is told but how many match."""
    kept = _Kept(max_results)
    searched, left_out, in_time = 0, 0, True
    try:
        for batch in _batches(files):
            with closing(engine.search(root, batch, limit)) as matches:
                for found in matches:
                    if leave_out(found.path):
                        left_out += 1
                    else:
                        kept.add(found)
            searched += len(batch)
    except SearchStopped:
        in_time = False
    first = kept.first()
    lines, changed = _shown(root, first, context_lines)
    return GrepResult(
        lines=lines,
        match_count=kept.count - changed,
        shown=len(first) - changed,
        counts=kept.counts,
        searched=searched,
        in_time=in_time,
        changed=changed,
        left_out=left_out,
    )


class _Kept:
    """The first matches of all, in the order of their paths, whichever came first; of the others only how many."""

    def __init__(self, limit: int) -> None:
        self.count = 0
        self.counts: dict[str, int] = {}
        self._limit = limit
        self._matches: list[LineMatch] = []
        self._last: str | None = None
        """Files after this one are only counted."""

    def add(self, found: FileMatches) -> None:
        self.count += found.lines
        self.counts[found.path] = self.counts.get(found.path, 0) + found.lines
        if self._last is not None and found.path > self._last:
            return
        self._matches += found.first(self._limit)
        if len(self._matches) > 2 * self._limit:
            self._matches = self.first()
            self._last = self._matches[-1].path

    def first(self) -> list[LineMatch]:
        return sorted(self._matches)[: self._limit]


def _batches(files: Sequence[str]) -> Iterator[Sequence[str]]:
    batch: list[str] = []
    size = 0
    for path in files:
        if "\n" in path:
            # No program's lines could be told apart.
            continue
        size += len(path.encode()) + 10
        if size > BATCH_BYTES and batch:
            yield batch
            batch, size = [], 0
        batch.append(path)
    if batch:
        yield batch


def _shown(root: RootFolder, found: Sequence[LineMatch], context_lines: int) -> tuple[list[ShownLine], int]:
    """The lines as they are in the files now, and how many of those found are no longer there."""
    shown: list[ShownLine] = []
    changed = 0
    for path, matches in _by_path(found):
        text = None
        with suppress(OSError, ValueError):
            text = read_text(root, path)
        lines = [] if text is None else text.split(b"\n")
        there = {match.line: match for match in matches if _is_there(match, lines)}
        changed += len(matches) - len(there)
        for number in _with_context(there, context_lines, len(lines)):
            match = there.get(number)
            column = match.column if match else 0
            shown.append(ShownLine(path, number, cut_line(lines[number - 1], column), match is not None))
    return shown, changed


def _by_path(found: Sequence[LineMatch]) -> Iterator[tuple[str, list[LineMatch]]]:
    counts = Counter(match.path for match in found)
    at = 0
    for path, count in counts.items():
        yield path, list(found[at : at + count])
        at += count


def _is_there(match: LineMatch, lines: Sequence[bytes]) -> bool:
    """Whether the root holds what an engine said that it does."""
    if match.line > len(lines):
        return False
    begin = lines[match.line - 1][:COMPARED_BYTES]
    return begin == match.begin or (len(match.begin) >= COMPARED_BYTES and begin.startswith(match.begin))


def _with_context(numbers: Iterable[int], context: int, last: int) -> list[int]:
    near = {each for number in numbers for each in range(number - context, number + context + 1)}
    return sorted(number for number in near if 1 <= number <= last)


def cut_line(raw: bytes, column: int, limit: int = MAX_LINE_CHARS) -> str:
    """A line within `limit` characters, around the match at that byte."""
    # A character has four bytes at most: more than these are not looked at.
    begin = max(0, column - 4 * limit)
    before = raw[begin:column].decode("utf-8", "replace")
    text = before + raw[column : column + 4 * limit].decode("utf-8", "replace").rstrip("\r")
    whole = begin == 0 and column + 4 * limit >= len(raw)
    if whole and len(text) <= limit:
        return text
    room = limit - 2
    first = max(0, min(len(before) - room // 3, len(text) - room))
    head = "…" if first or begin else ""
    tail = "…" if first + room < len(text) or not whole else ""
    return head + text[first : first + room] + tail
