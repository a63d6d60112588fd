"""Backend port of an index, and the storage that opens one: a folder on the disk, or PostgreSQL.

Every call of a backend blocks: use it in threads. A write waits for another writer of the same index, and raises
`StoreAway` where that takes too long.
"""

import hashlib
import re
import threading
from array import array
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import msgspec

from glassloop.core.errors import StoreAway, UnknownName, UsageError
from glassloop.core.ports import Passage
from glassloop.own_folder import make_own
from glassloop.retrieval.collections.conversation_ledger import ConversationLedger, FileLedger
from glassloop.retrieval.documents.readers import Readers
from glassloop.retrieval.index.sources import ChunkRow, DocumentSource, IndexReport, StoredDocument
from glassloop.retrieval.query.query_parser import LexicalHits
from glassloop.retrieval.query.search_query import SearchQuery
from glassloop.whole_file import write_whole

if TYPE_CHECKING:
    from glassloop.retrieval.backends.postgres.backend import PostgresBackend


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


LEDGER = "ledger.db"


class IndexStorage(Protocol):
    def names(self) -> list[str]: ...

    def identify(self, name: str, *, make: bool) -> object:
        """What tells the index of that name from another that takes its place later. Quick."""
        ...

    def open(self, name: str, *, make: bool) -> Backend: ...

    def ledger(self, name: str) -> ConversationLedger:
        """Of the conversations in the index of that name."""
        ...

    def close(self) -> None: ...


class FolderStorage:
    """A folder for each index; a file in it says its name."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def names(self) -> list[str]:
        found: list[str] = []
        for path in self._folder.glob("*/name"):
            with suppress(OSError):
                found.append(path.read_text("utf-8"))
        return sorted(found)

    def identify(self, name: str, *, make: bool) -> object:
        folder = self._of(name)
        if make and not (folder / "name").is_file():
            make_own(folder)
            write_whole(folder / "name", name.encode())
        try:
            return (folder / "name").stat().st_ino
        except OSError as error:
            there = ", ".join(map(repr, self.names()[:20])) or "none yet"
            raise UnknownName(
                f"There is no index {name!r}: make it first, or choose from those there are ({there})."
            ) from error

    def open(self, name: str, *, make: bool) -> Backend:  # noqa: ARG002
        from glassloop.retrieval.backends.disk.backend import DiskBackend

        return DiskBackend(self._of(name), name)

    def ledger(self, name: str) -> ConversationLedger:  # noqa: ARG002
        return FileLedger(self._folder / LEDGER)

    def close(self) -> None:
        """Each index closes what it holds."""

    def _of(self, name: str) -> Path:
        readable = re.sub(r"[^A-Za-z0-9]+", "-", name).strip("-")[:40].lower()
        return self._folder / f"{readable or 'index'}-{hashlib.blake2b(name.encode(), digest_size=6).hexdigest()}"


class PostgresStorage:
    """Tables in a database. Nothing is asked of it before an index is used."""

    def __init__(self, url: str, *, pgvector: bool, graph_from: int | None) -> None:
        try:
            from glassloop.retrieval.backends.postgres.schema import PgConnections
        except ImportError as error:
            raise UsageError(
                f"Indexes in PostgreSQL need the extra: pip install 'glassloop[postgres]' ({error})."
            ) from error
        self._connections: PgConnections = PgConnections(url, pgvector=pgvector, graph_from=graph_from)
        self._backends: dict[str, PostgresBackend] = {}

    def names(self) -> list[str]:
        import psycopg

        from glassloop.retrieval.backends.postgres.backend import names

        try:
            with self._connections.use() as (connection, _):
                return names(connection)
        except psycopg.Error as error:
            raise StoreAway(f"The indexes cannot be listed ({error}): check the database, then try again.") from error

    def identify(self, name: str, *, make: bool) -> object:
        """Names are all there is; what is to be made is made with its next use."""
        if make and name in self._backends:
            self._backends[name].make = True
        return name

    def open(self, name: str, *, make: bool) -> Backend:
        from glassloop.retrieval.backends.postgres.backend import PostgresBackend

        opened = self._backends[name] = PostgresBackend(self._connections, name, make=make)
        return opened

    def ledger(self, name: str) -> ConversationLedger:
        from glassloop.retrieval.backends.postgres.conversation_ledger import PgLedger

        return PgLedger(self._connections, name)

    def close(self) -> None:
        self._connections.close()
