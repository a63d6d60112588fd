"""Markdown and plain text to blocks."""

import re
from collections.abc import Callable, Iterator

from glassloop.retrieval.documents.blocks import Block

_HEADING = re.compile(r"(#{1,6})\s++(\S.*)")
_UNDERLINE = re.compile(r"(=+|-+|~+|\*+)\s*$")
MAX_HEADING = 500
_FENCE = re.compile(r"\s*(```+|~~~+)")


def markdown_blocks(text: str) -> Iterator[Block]:
    lines = text.split("\n")
    place = 0
    while place < len(lines):
        line = lines[place]
        end = place + 1
        if not line.strip():
            pass
        elif found := _heading(line):
            title = found[2].rstrip()
            yield Block(kind="heading", text=title.rstrip("#").rstrip() or "#", level=len(found[1]), line=place + 1)
        elif fence := _FENCE.match(line):
            while end < len(lines) and not lines[end].lstrip().startswith(fence[1]):
                end += 1
            end = min(end + 1, len(lines))
            yield Block(kind="whole", text="\n".join(lines[place:end]), line=place + 1)
        elif line.lstrip().startswith("|"):
            end = _while(lines, end, lambda row: row.lstrip().startswith("|"))
            head = "\n".join(lines[place : place + 2]) if end > place + 2 else ""
            yield Block(kind="whole", text="\n".join(lines[place:end]), line=place + 1, head=head)
        elif _is_underlined(lines, place):
            yield Block(kind="heading", text=line, level=1 if lines[end].startswith("=") else 2, line=place + 1)
            end += 1
        else:
            end = _while(lines, end, _goes_on)
            yield Block(kind="text", text="\n".join(lines[place:end]), line=place + 1)
        place = end


def text_blocks(text: str) -> Iterator[Block]:
    """Paragraphs by empty lines; lines that are underlined are headings."""
    lines = text.split("\n")
    place = 0
    while place < len(lines):
        end = place + 1
        if _is_underlined(lines, place):
            level = "=*-~".find(lines[end][0]) + 1
            yield Block(kind="heading", text=lines[place], level=level, line=place + 1)
            end += 1
        elif lines[place].strip():
            while end < len(lines) and lines[end].strip() and not _is_underlined(lines, end):
                end += 1
            yield Block(kind="text", text="\n".join(lines[place:end]), line=place + 1)
        place = end


def _heading(line: str) -> re.Match[str] | None:
    return _HEADING.match(line) if len(line) <= MAX_HEADING else None


def _is_underlined(lines: list[str], place: int) -> bool:
    if place + 1 >= len(lines) or not lines[place].strip() or len(lines[place]) > 120:
        return False
    line = lines[place + 1]
    return len(line.strip()) >= 3 and _UNDERLINE.match(line) is not None and not _UNDERLINE.match(lines[place])


def _goes_on(line: str) -> bool:
    """Whether a paragraph goes on with this line."""
    return bool(line.strip()) and not (_heading(line) or _FENCE.match(line) or line.lstrip().startswith("|"))


def _while(lines: list[str], place: int, holds: Callable[[str], bool]) -> int:
    while place < len(lines) and holds(lines[place]) and not _is_underlined(lines, place):
        place += 1
    return place
