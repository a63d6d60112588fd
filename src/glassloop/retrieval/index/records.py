"""Records of the documents and passages of an index, whatever its backend."""

import msgspec


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


class DocumentSummary(msgspec.Struct, frozen=True, kw_only=True):
    """A document in a list."""

    name: str
    domain: str
    title: str
    size: int
    chunks: int


def summarize_document(known: StoredDocument) -> DocumentSummary:
    return DocumentSummary(
        name=known.name, domain=known.domain, title=known.title, size=known.size, chunks=known.chunks
    )
