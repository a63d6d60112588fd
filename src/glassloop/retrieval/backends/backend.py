"""Backend port of an index: on the disk, or in PostgreSQL. Every call blocks: use it in threads.

A write waits for another writer of the same index, and raises `StoreAway` where that takes too long.
"""

import threading
from array import array
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Protocol

import msgspec

from glassloop.core.ports import Passage
from glassloop.retrieval.documents.readers import Readers
from glassloop.retrieval.index.sources import ChunkRow, DocumentSource, IndexReport, StoredDocument
from glassloop.retrieval.query.query_parser import LexicalHits
from glassloop.retrieval.query.search_query import SearchQuery

Tell = Callable[[str, int], None]
"""A document that is done, and how many are."""


class IndexTask(msgspec.Struct, frozen=True, kw_only=True):
    """What is to be written, for whom, and who reads it. `only_these`: other documents of the owner and domain are
    removed."""

    sources: Iterable[DocumentSource]
    owner: str
    domain: str
    readers: Readers
    stop: threading.Event
    tell: Tell
    only_these: bool = False


class QueryVector(msgspec.Struct, frozen=True, kw_only=True):
    """The vector of a question. `embedder`: whose it is; `more`: vectors of chunks that are not stored yet."""

    vector: "array[float]"
    embedder: str
    more: Mapping[int, "array[float]"]


class ResultLimits(msgspec.Struct, frozen=True, kw_only=True):
    """How much is to be shown."""

    max_results: int
    min_relevance: float
    token_budget: int


class PassageChoice(msgspec.Struct, frozen=True, kw_only=True):
    """The passages to show, and the chunks whose vectors would make them better."""

    passages: list[Passage]
    missing: list[int]


class Backend(Protocol):
    faults: tuple[type[Exception], ...]
    """What it raises when the disk or the database refuses."""

    medium: str
    """Which of the two."""

    def add(self, task: IndexTask, wait_s: float) -> IndexReport: ...

    def remove(self, names: Sequence[str] | None, owner: str, domain: str, wait_s: float) -> int: ...

    def purge(self) -> None:
        """What was removed is gone from the files as well, after this."""
        ...

    def documents(self, owner: str, domain: str | None) -> list[StoredDocument]: ...

    def domains(self, owner: str) -> list[str]: ...

    def find(self, question: SearchQuery) -> LexicalHits | None:
        """By words; None where these cannot be read and must be mended."""
        ...

    def mend(self, wait_s: float) -> bool:
        """Makes words from the documents, where they are missing or behind; whether there is something to purge."""
        ...

    def decide(
        self, question: SearchQuery, found: LexicalHits, meaning: QueryVector | None, wanted: ResultLimits
    ) -> PassageChoice: ...

    def rows(self, chunks: Sequence[int]) -> list[ChunkRow]: ...

    def begin_vectors(self, embedder: str, dimensions: int | None, wait_s: float) -> int:
        """Forgets vectors of another embedder; how many chunks have none."""
        ...

    def without_vector(self, after: int, most: int) -> list[ChunkRow]: ...

    def store_vectors(self, vectors: Sequence[tuple[ChunkRow, "array[float]"]], wait_s: float) -> None: ...

    def end_vectors(self, stop: threading.Event) -> None:
        """After all that were missing: what makes searching them quick may be made now, until told to stop."""
        ...

    def drop(self, wait_s: float) -> None: ...

    def close(self) -> None: ...
