"""Sources of an index, their content once read, the report on an import, and the records that an index stores."""

from collections.abc import Iterable
from pathlib import Path
from typing import Literal

import msgspec

from glassloop.retrieval.query.search_terms import count_tokens, unspaced_share


class DocumentSource(msgspec.Struct, frozen=True, kw_only=True):
    """A document to be: a file by its path, or a text. `name` is what it is called in the index, and in citations.

    `kind` is the suffix its content is read by, where the name does not say it. `base`: a folder, resolved, that the
    path leads down from without any link.
    """

    name: str
    path: Path | None = None
    base: Path | None = None
    text: str | None = None
    title: str = ""
    kind: str = ""


class Chunk(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """A passage of a document. Lines and pages count from 1; 0 is none.

    `overlap`: so many of its first characters are also the end of the chunk before. `headings` is the way to it:
    headings of a text, enclosing classes and functions of code.
    """

    text: str
    headings: tuple[str, ...] = ()
    first_line: int = 0
    last_line: int = 0
    page: int = 0
    overlap: int = 0


class SourceContent(msgspec.Struct, frozen=True, kw_only=True):
    """What reading a source came to. One of three: `chunks`, `same` as known, or a `problem` in one sentence."""

    digest: bytes = b""
    size: int = 0
    modified: int = 0
    chunks: tuple[Chunk, ...] = ()
    words: tuple[str, ...] = ()
    """The search words of each chunk."""

    same: bool = False
    problem: str = ""
    stopped: bool = False
    """The problem is that its reader came to an end, by time or by itself."""


class SourceProblem(msgspec.Struct, frozen=True, kw_only=True):
    """A document that could not be taken in, and why, in one sentence."""

    document: str
    reason: str


class DocumentOutcome(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """A document that was taken in, or was there already; `chunks` are its passages."""

    document: str
    status: Literal["added", "changed", "unchanged"]
    chunks: int = 0


MAX_OUTCOMES = 5_000


class IndexReport(msgspec.Struct, kw_only=True):
    """What became of the sources. The first documents and problems are told one by one; the numbers count all."""

    added: int = 0
    changed: int = 0
    unchanged: int = 0
    removed: int = 0
    failed: int = 0
    stopped: int = 0
    """Of the failed, those whose reader was stopped."""

    chunks: int = 0
    problems: list[SourceProblem] = msgspec.field(default_factory=list[SourceProblem])
    documents: list[DocumentOutcome] = msgspec.field(default_factory=list[DocumentOutcome])

    def count(self, document: str, status: Literal["added", "changed", "unchanged"], chunks: int = 0) -> None:
        """One more that is in."""
        match status:
            case "added":
                self.added += 1
            case "changed":
                self.changed += 1
            case "unchanged":
                self.unchanged += 1
        self.chunks += chunks
        if len(self.documents) < MAX_OUTCOMES:
            self.documents.append(DocumentOutcome(document=_shown(document), status=status, chunks=chunks))

    def tell(self, document: str, reason: str, most: int = 1000, *, stopped: bool = False) -> None:
        self.failed += 1
        self.stopped += stopped
        if len(self.problems) < most:
            self.problems.append(SourceProblem(document=_shown(document), reason=_shown(reason)))


def _shown(text: str) -> str:
    """A file may be named anything: one line of what can be printed."""
    return "".join(mark if mark.isprintable() else "\ufffd" for mark in text)


class StoredDocument(msgspec.Struct, frozen=True, gc=False):
    """A document as the index has it."""

    id: int
    domain: str
    name: str
    title: str
    digest: bytes
    size: int
    modified: int
    seq: int
    first_chunk: int
    chunks: int


class ChunkRow(msgspec.Struct, frozen=True, gc=False):
    """A chunk with its document."""

    id: int
    document: int
    ordinal: int
    headings: tuple[str, ...]
    text: str
    first_line: int
    last_line: int
    page: int
    overlap: int
    tokens: int
    unspaced: float
    name: str
    title: str
    domain: str
    partition: int


CHUNK_ROW = (
    "c.id, c.document, c.ordinal, c.headings, c.text, c.first_line, c.last_line, c.page, c.overlap, c.tokens, "
    "c.unspaced, d.name, d.title, d.domain, c.partition"
)
"""The columns of a `ChunkRow`, of chunks `c` and documents `d`."""


def chunk_row(row: tuple[object, ...]) -> ChunkRow:
    values = list(row)
    values[3] = tuple(str(values[3]).split("\n")) if values[3] else ()
    return ChunkRow(*values)  # pyright: ignore[reportArgumentType]


def chunk_values(chunk: Chunk, number: int, document: int, partition: int, place: int) -> tuple[object, ...]:
    """A chunk as it is stored."""
    headings = "\n".join(heading.replace("\n", " ") for heading in chunk.headings)
    return (
        *(number, document, partition, place, headings, chunk.text, chunk.first_line, chunk.last_line, chunk.page),
        *(chunk.overlap, count_tokens(chunk.text), unspaced_share(chunk.text)),
    )


def passage_key(headings: Iterable[str], text: str) -> str:
    """The same for passages that need no new vector."""
    return "\n".join((*headings, text))
