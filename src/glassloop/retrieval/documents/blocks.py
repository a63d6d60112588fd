"""Blocks of a text (headings, paragraphs, parts to keep whole), as Markdown and plain text have them, and their split
into chunks; and the limits on how much of a document is read."""

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Literal

import msgspec

from glassloop.retrieval.index.sources import Chunk
from glassloop.retrieval.query.search_terms import count_tokens

MAX_TEXT_BYTES = 20_000_000
MAX_OTHER_BYTES = 200_000_000
"""Of formats that are mostly pictures and packing: PDF and DOCX."""

MAX_UNPACKED_BYTES = 100_000_000
MAX_PAGES = 5_000
MAX_CHARS = 20_000_000
MAX_CHUNKS = 50_000

CHUNK_TOKENS = 200
"""What an embedder still sees of one chunk, with room for the headings before it."""

OVERLAP_TOKENS = 35
WHOLE_TOKENS = 800
"""A table or a piece of code in a text stays in one chunk up to here."""

_HEADING = re.compile(r"(#{1,6})\s++(\S.*)")
_UNDERLINE = re.compile(r"(=+|-+|~+|\*+)\s*$")
MAX_HEADING = 500
_FENCE = re.compile(r"\s*(```+|~~~+)")
_SENTENCE = re.compile(r".+?(?:(?<=[.!?])[\"')\]]*\s+|(?<=[。！？；])|\n|$)", re.DOTALL)
HEADING_CHARS = 200
MAX_LINE = 2_000

BlockKind = Literal["heading", "text", "whole"]


class Unreadable(Exception):
    """Why this document cannot be read, as the end of a sentence that begins with its name."""


class Block(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """`whole`: a table or a listing, cut only between lines and only where it is very long; `head` is repeated then."""

    kind: BlockKind
    text: str
    level: int = 0
    line: int = 0
    page: int = 0
    head: str = ""


class _Unit(msgspec.Struct, frozen=True, gc=False):
    """A sentence with the white space after it."""

    text: str
    line: int
    tokens: int


class _Prose:
    """Sentences gathered into chunks of one heading and one page."""

    def __init__(self) -> None:
        self.headings: list[tuple[int, str]] = []
        self.used = True
        self.page = 0
        self._units: list[_Unit] = []
        self._carried = 0
        self._tokens = 0

    @property
    def path(self) -> tuple[str, ...]:
        return tuple(text for _, text in self.headings)

    def put(self, unit: _Unit) -> Iterator[Chunk]:
        if self._tokens + unit.tokens > CHUNK_TOKENS and len(self._units) > self._carried:
            tail = self._tail()
            yield from self.flush()
            self._units, self._carried = tail, len(tail)
            self._tokens = sum(each.tokens for each in tail)
        self._units.append(unit)
        self._tokens += unit.tokens

    def flush(self) -> Iterator[Chunk]:
        """What is gathered, unless it is nothing but the end of the chunk before."""
        units, carried = self._units, self._carried
        self._units, self._carried, self._tokens = [], 0, 0
        text = "".join(unit.text for unit in units).rstrip()
        if len(units) > carried and text:
            self.used = True
            yield Chunk(
                text=text,
                headings=self.path,
                first_line=units[0].line,
                last_line=units[-1].line and units[-1].line + units[-1].text.strip().count("\n"),
                page=self.page,
                overlap=sum(len(unit.text) for unit in units[:carried]),
            )

    def _tail(self) -> list[_Unit]:
        """The last sentences, as far as they fit into the overlap."""
        tail: list[_Unit] = []
        for unit in reversed(self._units):
            if sum(each.tokens for each in tail) + unit.tokens > OVERLAP_TOKENS:
                break
            tail.insert(0, unit)
        return tail


def chunk_blocks(blocks: Iterable[Block]) -> Iterator[Chunk]:
    """The chunks of a text. A heading without a text of its own is kept as the heading of what is under it."""
    prose = _Prose()
    for block in blocks:
        if block.kind == "heading" or block.page != prose.page:
            yield from prose.flush()
            prose.page = block.page
        if block.kind == "heading":
            yield from _lonely(prose, block.level)
            title = " ".join(block.text.split())[:HEADING_CHARS]
            prose.headings = [each for each in prose.headings if each[0] < block.level] + [(block.level, title)]
            prose.used = False
        elif block.kind == "whole":
            yield from prose.flush()
            prose.used = True
            yield from _whole(block, prose.path)
        else:
            for unit in _units(block):
                yield from prose.put(unit)
    yield from prose.flush()
    yield from _lonely(prose, 0)


def _lonely(prose: _Prose, level: int) -> Iterator[Chunk]:
    """A heading that nothing came under would be lost."""
    if not prose.used and prose.headings and prose.headings[-1][0] >= level:
        yield Chunk(text=prose.headings[-1][1], headings=prose.path[:-1], page=prose.page)
        prose.used = True


def _units(block: Block) -> Iterator[_Unit]:
    line = block.line
    text = block.text.strip()
    for sentence in _SENTENCE.findall(text):
        for piece in _bounded(sentence):
            if piece.strip():
                yield _Unit(piece, line, count_tokens(piece))
            if line:
                line += piece.count("\n")
    yield _Unit("\n\n", line, 0)


def _bounded(sentence: str) -> Iterator[str]:
    """A sentence without an end is cut at white space near the bound."""
    begin = 0
    while begin < len(sentence):
        most = (
            CHUNK_TOKENS
            if count_tokens(sentence[begin : begin + CHUNK_TOKENS]) > CHUNK_TOKENS // 2
            else CHUNK_TOKENS * 4
        )
        end = begin + most
        if end < len(sentence):
            end = sentence.rfind(" ", begin + most // 2, end) + 1 or end
        yield sentence[begin:end]
        begin = end


def _whole(block: Block, headings: tuple[str, ...]) -> Iterator[Chunk]:
    lines = block.text.rstrip().split("\n")
    first = last = tokens = 0
    taken: list[str] = []
    fixed = count_tokens(block.head)
    for place, line in enumerate(lines):
        for begin in range(0, len(line) or 1, MAX_LINE):
            piece = line[begin : begin + MAX_LINE]
            size = count_tokens(piece) + 1
            if taken and fixed + tokens + size > WHOLE_TOKENS:
                yield _rows(block, headings, first, last, taken)
                first, taken, tokens = place, [], 0
            taken.append(piece)
            last = place
            tokens += size
    if any(line.strip() for line in taken):
        yield _rows(block, headings, first, last, taken)


def _rows(block: Block, headings: tuple[str, ...], first: int, last: int, taken: list[str]) -> Chunk:
    again = block.head + "\n" if block.head and first else ""
    return Chunk(
        text=again + "\n".join(taken),
        headings=headings,
        first_line=block.line and block.line + first,
        last_line=block.line and block.line + last,
        page=block.page,
        overlap=len(again),
    )


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
