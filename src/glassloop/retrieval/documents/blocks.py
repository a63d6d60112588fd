"""Blocks of a text once its format is read (headings, paragraphs, parts to keep whole), and their split into chunks."""

import re
from collections.abc import Iterable, Iterator
from typing import Literal

import msgspec

from glassloop.retrieval.documents.limits import CHUNK_TOKENS, OVERLAP_TOKENS, WHOLE_TOKENS
from glassloop.retrieval.index.sources import Chunk
from glassloop.retrieval.query.search_terms import count_tokens

_SENTENCE = re.compile(r".+?(?:(?<=[.!?])[\"')\]]*\s+|(?<=[。！？；])|\n|$)", re.DOTALL)
HEADING_CHARS = 200
MAX_LINE = 2_000


class Block(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """`whole`: a table or a listing, cut only between lines and only where it is very long; `head` is repeated then."""

    kind: Literal["heading", "text", "whole"]
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
