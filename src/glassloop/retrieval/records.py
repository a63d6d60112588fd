"""What an index knows of its documents and passages, wherever it is kept."""

import msgspec


class Known(msgspec.Struct, frozen=True, gc=False):
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


class Row(msgspec.Struct, frozen=True, gc=False):
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
    shelf: int


class Listed(msgspec.Struct, frozen=True, kw_only=True):
    """A document in a list."""

    name: str
    domain: str
    title: str
    size: int
    chunks: int


def listed(known: Known) -> Listed:
    return Listed(name=known.name, domain=known.domain, title=known.title, size=known.size, chunks=known.chunks)
