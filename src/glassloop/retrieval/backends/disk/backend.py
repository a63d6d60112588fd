"""Backend on the disk: documents in SQLite, words in tantivy, vectors in memory."""

import shutil
import sqlite3
import threading
from collections import OrderedDict
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from glassloop.retrieval.backends.backend import IndexTask, PassageChoice, QueryVector, ResultLimits
from glassloop.retrieval.backends.disk import document_db
from glassloop.retrieval.backends.disk.document_writer import DiskDocumentWriter, catch_up, is_dirty, purge
from glassloop.retrieval.backends.disk.lexical_index import SMALL_HEAP, LexicalIndex, LexicalWriter, lexical_folder
from glassloop.retrieval.backends.disk.write_lock import WriteLock
from glassloop.retrieval.backends.vector_index import MAX_OPEN, VectorIndexes, to_blob
from glassloop.retrieval.index.index_writer import IndexWriter
from glassloop.retrieval.index.sources import ChunkRow, IndexReport, StoredDocument
from glassloop.retrieval.query.passage_budget import choose_passages
from glassloop.retrieval.query.query_parser import LexicalHits, search_words
from glassloop.retrieval.query.search_query import CANDIDATES, DEPTH, SearchQuery

if TYPE_CHECKING:
    from array import array


class DiskBackend:
    faults: tuple[type[Exception], ...] = (sqlite3.Error, OSError)
    medium = "disk"

    def __init__(self, folder: Path, name: str) -> None:
        self._folder = folder
        self._lock = WriteLock(folder / "lock", name)
        self._connections = document_db.Connections(folder / "truth.db")
        self._opening = threading.Lock()
        self._open: OrderedDict[int, LexicalIndex] = OrderedDict()
        self._vectors = VectorIndexes()

    def add(self, task: IndexTask, wait_s: float) -> IndexReport:
        with (
            self._lock.hold(wait_s),
            self._connections.use() as connection,
            DiskDocumentWriter(self._folder, connection, task.owner, task.domain) as writer,
        ):
            return IndexWriter(writer).write(task)

    def remove(self, names: Sequence[str] | None, owner: str, domain: str, wait_s: float) -> int:
        with (
            self._lock.hold(wait_s),
            self._connections.use() as connection,
            DiskDocumentWriter(self._folder, connection, owner, domain, heap=SMALL_HEAP, purges=True) as writer,
        ):
            return IndexWriter(writer).remove(names)

    def purge(self) -> None:
        purge(self._folder, self._connections, self._lock)

    def documents(self, owner: str, domain: str | None) -> list[StoredDocument]:
        with self._connections.use() as connection:
            partition = document_db.find_partition(connection, owner)
            return [] if partition is None else list(document_db.documents(connection, partition, domain))

    def domains(self, owner: str) -> list[str]:
        with self._connections.use() as connection:
            partition = document_db.find_partition(connection, owner)
            return [] if partition is None else document_db.domains(connection, partition)

    def find(self, question: SearchQuery) -> LexicalHits | None:
        """None where a partition has words that cannot be read."""
        with self._reading() as connection:
            every = document_db.partitions(connection, question.owners)
            partitions = [self._lexical(partition) for partition, _, seq in every if seq]
        if any(lexical.searcher() is None for lexical in partitions):
            return None
        return search_words(question.asked, partitions, question.domains, DEPTH)

    def _lexical(self, partition: int) -> LexicalIndex:
        with self._opening:
            if partition not in self._open:
                self._open[partition] = LexicalIndex(lexical_folder(self._folder, partition))
                if len(self._open) > MAX_OPEN:
                    self._open.popitem(last=False)
            self._open.move_to_end(partition)
            return self._open[partition]

    def mend(self, wait_s: float) -> bool:
        with self._lock.hold(wait_s), self._connections.use() as connection:
            token = str(document_db.get(connection, "token"))
            for partition, _, seq in document_db.partitions(connection):
                if seq:
                    lexical_writer = LexicalWriter(lexical_folder(self._folder, partition), token)
                    try:
                        catch_up(connection, lexical_writer, partition)
                    finally:
                        lexical_writer.close()
            return any(is_dirty(self._folder, partition) for partition, _, _ in document_db.partitions(connection))

    def decide(
        self, question: SearchQuery, found: LexicalHits, meaning: QueryVector | None, wanted: ResultLimits
    ) -> PassageChoice:
        with self._reading() as connection:
            if meaning is not None and document_db.get(connection, "embedder", "") not in ("", meaning.embedder):
                meaning = None
            sources = _RankedSources(connection, self._vectors, question)
            return choose_passages(question, found, meaning, wanted, sources)

    def rows(self, chunks: Sequence[int]) -> list[ChunkRow]:
        with self._reading() as connection:
            return list(document_db.chunk_rows(connection, chunks).values())

    def begin_vectors(self, embedder: str, dimensions: int | None, wait_s: float) -> int:  # noqa: ARG002
        with (
            self._lock.hold(wait_s),
            self._connections.use() as connection,
            document_db.transaction(connection),
        ):
            if document_db.get(connection, "embedder", "") != embedder:
                connection.execute("DELETE FROM vectors")
                document_db.put(connection, "embedder", embedder)
                document_db.put(connection, "epoch", int(document_db.get(connection, "epoch")) + 1)
            return document_db.count_pending(connection)

    def without_vector(self, after: int, most: int) -> list[ChunkRow]:
        with self._reading() as connection:
            return document_db.without_vector(connection, after, most)

    def store_vectors(self, vectors: "Sequence[tuple[ChunkRow, array[float]]]", wait_s: float) -> None:
        with (
            self._lock.hold(wait_s),
            self._connections.use() as connection,
            document_db.transaction(connection),
        ):
            for partition in {row.partition for row, _ in vectors}:
                mine = [(row.id, to_blob(vector)) for row, vector in vectors if row.partition == partition]
                document_db.write_vectors(connection, partition, mine)

    def end_vectors(self, stop: threading.Event) -> None:
        """They are quick as they are."""

    def drop(self, wait_s: float) -> None:
        """The name goes first: without one there is no index."""
        with self._lock.hold(wait_s):
            (self._folder / "name").unlink(missing_ok=True)
            self._connections.close()
            shutil.rmtree(self._folder, ignore_errors=True)

    def close(self) -> None:
        self._connections.close()

    @contextmanager
    def _reading(self) -> Generator[sqlite3.Connection]:
        """On one state of the documents."""
        with self._connections.use() as connection:
            connection.execute("BEGIN")
            try:
                yield connection
            finally:
                connection.execute("COMMIT")


class _RankedSources:
    """What the documents and vectors of the partitions that a question may see say of its candidates."""

    def __init__(self, connection: sqlite3.Connection, vectors: VectorIndexes, question: SearchQuery) -> None:
        self._connection = connection
        self._vectors = vectors
        self._domains = question.domains
        self._partitions = document_db.partitions(connection, question.owners)

    def cosines(self, chunks: Sequence[int], meaning: QueryVector) -> dict[int, float]:
        stored = {
            each: document_db.PartitionVectors(self._connection, each) for each, _, seq in self._partitions if seq
        }
        return self._vectors.cosines(stored, meaning.vector, chunks, self._domains, CANDIDATES)

    def unspaced(self, chunks: Sequence[int]) -> dict[int, float]:
        return document_db.unspaced(self._connection, chunks, [partition for partition, _, _ in self._partitions])

    def rows(self, chunks: Sequence[int]) -> dict[int, ChunkRow]:
        return document_db.chunk_rows(self._connection, chunks)
