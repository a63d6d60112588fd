"""`DiffPreview`: what a change does to a file, line by line, for people and pages."""

from collections.abc import Callable, Iterator, Sequence
from difflib import SequenceMatcher
from typing import Literal, NamedTuple

import msgspec

from glassloop.core.records import REDACTED
from glassloop.extensions.code.files.text import split_lines

CONTENT_BYTES = 200_000
"""Longer contents are left out of a preview."""
MAX_LINES = 5_000
MAX_LINE_CHARS = 2_000
CONTEXT_LINES = 3
MAX_COMPARED = 2_000
"""Lines that are compared one by one; a longer stretch that differs is shown as replaced."""

ChangeType = Literal["create", "modify", "delete", "move"]
LineType = Literal["add", "remove", "context"]
SIGNS = {"add": "+", "remove": "-", "context": " "}
Opcode = tuple[Literal["equal", "replace", "delete", "insert"], int, int, int, int]


class DiffLine(msgspec.Struct, frozen=True, gc=False):
    """A line; its number is of the new file, and of the old one where it is removed."""

    line_number: int
    type: LineType
    content: str


class DiffPreview(msgspec.Struct, frozen=True, kw_only=True):
    """What becomes of one file. `sha256` is of the file before, so that an approval counts for that file only."""

    file_path: str
    change_type: ChangeType
    original_content: str | None = None
    new_content: str | None = None
    diff_lines: list[DiffLine] = []
    truncated: bool = False
    sha256: str | None = None
    source_path: str | None = None
    """Of a move: where it was."""

    @property
    def added(self) -> int:
        return sum(line.type == "add" for line in self.diff_lines)

    @property
    def removed(self) -> int:
        return sum(line.type == "remove" for line in self.diff_lines)


def diff_preview(
    path: str,
    before: str | None,
    after: str | None,
    *,
    sha256: str | None = None,
    source: str | None = None,
    redact: Callable[[str], str] = str,
) -> DiffPreview:
    """The preview of a change from one text to another; None is a file that is not there."""
    kind: ChangeType = "move" if source else "create" if before is None else "delete" if after is None else "modify"
    contents = [None if text is None else redact(text) for text in (before, after)]
    # A secret of several lines is none in any of them: only what is left of the whole text is shown.
    told = {line for text in contents for line in split_lines(text or "")}
    lines: list[DiffLine] = []
    truncated = False
    for line in diff_lines(split_lines(before or ""), split_lines(after or "")):
        if len(lines) == MAX_LINES:
            truncated = True
            break
        content = line.content
        if content not in told:
            content = redact(content) if redact(content) in told else REDACTED
        if len(content) > MAX_LINE_CHARS:
            content, truncated = f"{content[:MAX_LINE_CHARS]}…", True
        lines.append(DiffLine(line.line_number, line.type, content))
    shown = [None if text is None or _is_long(text) else text for text in contents]
    truncated |= shown != contents
    return DiffPreview(
        file_path=path,
        change_type=kind,
        original_content=shown[0],
        new_content=shown[1],
        diff_lines=lines,
        truncated=truncated,
        sha256=sha256,
        source_path=source,
    )


def _is_long(text: str) -> bool:
    return len(text) > CONTENT_BYTES or len(text.encode("utf-8", "replace")) > CONTENT_BYTES


def diff_lines(old: Sequence[str], new: Sequence[str]) -> Iterator[DiffLine]:
    """Changed lines with those around them."""
    codes = opcodes(old, new)
    for place, (kind, a, b, c, d) in enumerate(codes):
        if kind == "equal":
            first = c if place else max(c, d - CONTEXT_LINES)
            last = d if place < len(codes) - 1 else min(d, c + CONTEXT_LINES)
            if len(codes) == 1:
                return
            for number in range(first, last):
                if number < c + CONTEXT_LINES or number >= d - CONTEXT_LINES:
                    yield DiffLine(number + 1, "context", new[number])
            continue
        for number in range(a, b):
            yield DiffLine(number + 1, "remove", old[number])
        for number in range(c, d):
            yield DiffLine(number + 1, "add", new[number])


def opcodes(old: Sequence[str], new: Sequence[str]) -> list[Opcode]:
    """How one list of lines becomes the other, as `difflib` says it, in bounded time."""
    start, end = 0, 0
    shorter = min(len(old), len(new))
    while start < shorter and old[start] == new[start]:
        start += 1
    while end < shorter - start and old[-1 - end] == new[-1 - end]:
        end += 1
    middle_old, middle_new = old[start : len(old) - end], new[start : len(new) - end]
    codes: list[Opcode] = [("equal", 0, start, 0, start)] if start else []
    if max(len(middle_old), len(middle_new)) > MAX_COMPARED or not (middle_old and middle_new):
        if middle_old or middle_new:
            kind = "replace" if middle_old and middle_new else "delete" if middle_old else "insert"
            codes.append((kind, start, start + len(middle_old), start, start + len(middle_new)))
    else:
        found = SequenceMatcher(
            None, middle_old, middle_new, autojunk=len(middle_old) > MAX_COMPARED // 4
        ).get_opcodes()
        codes.extend((kind, a + start, b + start, c + start, d + start) for kind, a, b, c, d in found)
    if end:
        codes.append(("equal", len(old) - end, len(old), len(new) - end, len(new)))
    return codes


class DiffHunk(NamedTuple):
    """Lines of a diff that stand together, from these lines of the old and of the new file on."""

    old: int
    new: int
    lines: list[DiffLine]

    @property
    def header(self) -> str:
        """As unified diffs have it: a side without lines is told by the line before."""
        counts = [sum(line.type != other for line in self.lines) for other in ("add", "remove")]
        old, new = (
            f"{first if count else first - 1},{count}"
            for first, count in zip((self.old, self.new), counts, strict=True)
        )
        return f"@@ -{old} +{new} @@"

    @property
    def written(self) -> tuple[int, int]:
        """The first and the last line that are new; the second is before the first where lines were only removed."""
        added = [line.line_number for line in self.lines if line.type == "add"]
        if added:
            return added[0], added[-1]
        before = next(place for place, line in enumerate(self.lines) if line.type == "remove")
        return self.new + before, self.new + before - 1


def hunks(lines: Sequence[DiffLine]) -> list[DiffHunk]:
    """The lines of a diff by where they stand together in the file."""
    found: list[DiffHunk] = []
    ahead, after = 0, -1
    for line in lines:
        place = line.line_number + ahead if line.type == "remove" else line.line_number
        if not found or place > after:
            found.append(DiffHunk(place - ahead, place, []))
        found[-1].lines.append(line)
        ahead += {"add": 1, "remove": -1, "context": 0}[line.type]
        after = place if line.type == "remove" else place + 1
    return found


def as_text(preview: DiffPreview) -> str:
    """The preview as people read it in a terminal."""
    told = [_title(preview)]
    for number, hunk in enumerate(hunks(preview.diff_lines)):
        told += ["   …"] if number else []
        told += [f"{SIGNS[line.type]}{line.line_number:>5} {line.content}" for line in hunk.lines]
    return "\n".join(told).rstrip()


def as_unified(preview: DiffPreview) -> str:
    """The preview as a unified diff under a title."""
    told = [_title(preview)]
    for hunk in hunks(preview.diff_lines):
        told += [hunk.header, *(f"{SIGNS[line.type]}{line.content}" for line in hunk.lines)]
    return "\n".join(told)


def _title(preview: DiffPreview) -> str:
    where = preview.file_path if preview.source_path is None else f"{preview.source_path} → {preview.file_path}"
    return f"{preview.change_type} {where}"
