"""Backend on the disk: documents in SQLite, words in tantivy, vectors in memory."""

import shutil
import sqlite3
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Concatenate, ParamSpec, TypeVar

from glassloop.retrieval.backends.backend import IndexTask, PassageChoice, QueryVector, ResultLimits
from glassloop.retrieval.backends.disk import document_db as truth
from glassloop.retrieval.backends.disk.connections import Connections
from glassloop.retrieval.backends.disk.document_writer import DiskDocumentWriter, catch_up
from glassloop.retrieval.backends.disk.index_paths import IndexPaths
from glassloop.retrieval.backends.disk.lexical_index import SMALL_HEAP, LexicalWriter
from glassloop.retrieval.backends.disk.partition_search import OpenPartitions
from glassloop.retrieval.backends.disk.purge import is_dirty, purge
from glassloop.retrieval.backends.disk.write_lock import WriteLock
from glassloop.retrieval.backends.vector_index import to_blob
from glassloop.retrieval.index.index_writer import IndexWriter
from glassloop.retrieval.index.sources import ChunkRow, DocumentSummary, IndexReport, summarize_document
from glassloop.retrieval.query.passage_budget import choose_passages, fit_budget
from glassloop.retrieval.query.query_parser import LexicalHits
from glassloop.retrieval.query.search_query import SearchQuery

if TYPE_CHECKING:
    from array import array

P = ParamSpec("P")
T = TypeVar("T")


class DiskBackend:
    faults: tuple[type[Exception], ...] = (sqlite3.Error, OSError)
    medium = "disk"

    def __init__(self, folder: Path, name: str) -> None:
        self._place = IndexPaths(folder)
        self._lock = WriteLock(folder / "lock", name)
        self._connections = Connections(self._place.truth)
        self._partitions = OpenPartitions(self._place)

    def add(self, task: IndexTask, wait_s: float) -> IndexReport:
        with (
            self._lock.hold(wait_s),
            self._connections.use() as connection,
            DiskDocumentWriter(self._place, connection, task.owner, task.domain) as writer,
        ):
            return IndexWriter(writer).write(task)

    def remove(self, names: Sequence[str] | None, owner: str, domain: str, wait_s: float) -> int:
        with (
            self._lock.hold(wait_s),
            self._connections.use() as connection,
            DiskDocumentWriter(self._place, connection, owner, domain, heap=SMALL_HEAP, purges=True) as writer,
        ):
            return IndexWriter(writer).remove(names)

    def purge(self) -> None:
        purge(self._place, self._connections, self._lock)

    def documents(self, owner: str, domain: str | None) -> list[DocumentSummary]:
        with self._connections.use() as connection:
            partition = truth.find_partition(connection, owner)
            return (
                []
                if partition is None
                else [summarize_document(known) for known in truth.documents(connection, partition, domain)]
            )

    def domains(self, owner: str) -> list[str]:
        with self._connections.use() as connection:
            partition = truth.find_partition(connection, owner)
            return [] if partition is None else truth.domains(connection, partition)

    def find(self, question: SearchQuery) -> LexicalHits | None:
        return self._with(self._partitions.find, question)

    def mend(self, wait_s: float) -> bool:
        with self._lock.hold(wait_s), self._connections.use() as connection:
            token = str(truth.get(connection, "token"))
            for partition, _, seq in truth.partitions(connection):
                if seq:
                    lexical_writer = LexicalWriter(self._place.lexical(partition), token)
                    try:
                        catch_up(connection, lexical_writer, partition)
                    finally:
                        lexical_writer.close()
            return any(is_dirty(self._place, partition) for partition, _, _ in truth.partitions(connection))

    def decide(
        self, question: SearchQuery, found: LexicalHits, meaning: QueryVector | None, wanted: ResultLimits
    ) -> PassageChoice:
        return self._with(self._decide, question, found, meaning, wanted)

    def _decide(
        self,
        connection: sqlite3.Connection,
        question: SearchQuery,
        found: LexicalHits,
        meaning: QueryVector | None,
        wanted: ResultLimits,
    ) -> PassageChoice:
        if meaning is not None and truth.get(connection, "embedder", "") not in ("", meaning.embedder):
            meaning = None
        ranked = self._partitions.order(connection, question, found, meaning)
        good = choose_passages(ranked.candidates, wanted)
        rows = truth.chunk_rows(connection, [each.chunk for each in good])
        return PassageChoice(passages=fit_budget(good, rows, wanted), missing=ranked.missing)

    def rows(self, chunks: Sequence[int]) -> list[ChunkRow]:
        return list(self._with(truth.chunk_rows, chunks).values())

    def begin_vectors(self, embedder: str, dimensions: int | None, wait_s: float) -> int:  # noqa: ARG002
        with (
            self._lock.hold(wait_s),
            self._connections.use() as connection,
            truth.transaction(connection),
        ):
            if truth.get(connection, "embedder", "") != embedder:
                connection.execute("DELETE FROM vectors")
                truth.put(connection, "embedder", embedder)
                truth.put(connection, "epoch", int(truth.get(connection, "epoch")) + 1)
            return truth.count_pending(connection)

    def without_vector(self, after: int, most: int) -> list[ChunkRow]:
        return self._with(truth.without_vector, after, most)

    def store_vectors(self, vectors: "Sequence[tuple[ChunkRow, array[float]]]", wait_s: float) -> None:
        with (
            self._lock.hold(wait_s),
            self._connections.use() as connection,
            truth.transaction(connection),
        ):
            for partition in {row.partition for row, _ in vectors}:
                mine = [(row.id, to_blob(vector)) for row, vector in vectors if row.partition == partition]
                truth.write_vectors(connection, partition, mine)

    def end_vectors(self, stop: threading.Event) -> None:
        """They are quick as they are."""

    def drop(self, wait_s: float) -> None:
        """The name goes first: without one there is no index."""
        with self._lock.hold(wait_s):
            (self._place.folder / "name").unlink(missing_ok=True)
            self._connections.close()
            shutil.rmtree(self._place.folder, ignore_errors=True)

    def close(self) -> None:
        self._connections.close()

    def _with(
        self, function: Callable[Concatenate[sqlite3.Connection, P], T], *arguments: P.args, **named: P.kwargs
    ) -> T:
        """Calls it with a connection, on one state of the truth."""
        with self._connections.use() as connection:
            connection.execute("BEGIN")
            try:
                return function(connection, *arguments, **named)
            finally:
                connection.execute("COMMIT")
