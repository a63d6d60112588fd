"""Backend in PostgreSQL."""

import threading
from collections.abc import Generator, Sequence
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

import msgspec
import psycopg

from glassloop.core.errors import UnknownName
from glassloop.retrieval.backends.backend import IndexTask, PassageChoice, QueryVector, ResultLimits
from glassloop.retrieval.backends.postgres.document_writer import PgDocumentWriter, documents, plain, put_vectors
from glassloop.retrieval.backends.postgres.lexical_search import open_partitions, search_words
from glassloop.retrieval.backends.postgres.schema import Connection, DatabaseLayout, PgConnections, run, write_lock
from glassloop.retrieval.backends.postgres.vector_search import CosineSearch, build_graphs, drop_graphs, vector_text
from glassloop.retrieval.index.index_writer import IndexWriter
from glassloop.retrieval.index.sources import CHUNK_ROW, ChunkRow, IndexReport, StoredDocument, chunk_row
from glassloop.retrieval.query.passage_budget import choose_passages
from glassloop.retrieval.query.query_parser import LexicalHits
from glassloop.retrieval.query.search_query import CANDIDATES, DEPTH, SearchQuery

if TYPE_CHECKING:
    from array import array

_ROWS = f"SELECT {CHUNK_ROW} FROM retrieval_chunks c JOIN retrieval_documents d ON d.id = c.document"  # noqa: S608
_OWN = "SELECT id FROM retrieval_partitions WHERE index_id = %s"
_TABLES = ("documents", "chunks", "words", "frequencies", "vectors")


class IndexConnection(msgspec.Struct, frozen=True):
    """A connection while it is used for one index."""

    connection: Connection
    layout: DatabaseLayout
    index: int
    embedder: str


class PostgresBackend:
    faults: tuple[type[Exception], ...] = (psycopg.Error,)
    medium = "database"

    def __init__(self, connections: PgConnections, name: str, *, make: bool) -> None:
        self.name = name
        self.make = make
        self._connections = connections
        self._nearness = CosineSearch()

    def add(self, task: IndexTask, wait_s: float) -> IndexReport:
        with self._writing(wait_s) as opened:
            writer = PgDocumentWriter(opened.connection, opened.layout, opened.index, task.owner, task.domain)
            return IndexWriter(writer).write(task)

    def remove(self, names: Sequence[str] | None, owner: str, domain: str, wait_s: float) -> int:
        with self._writing(wait_s) as opened:
            writer = PgDocumentWriter(opened.connection, opened.layout, opened.index, owner, domain)
            return IndexWriter(writer).remove(None if names is None else [plain(name) for name in names])

    def purge(self) -> None:
        """Rows that were deleted are made free; copies in the server's log and backups are its operator's."""
        with self._connections.use() as (connection, _):
            for table in _TABLES:
                run(connection, f"VACUUM retrieval_{table}")

    def documents(self, owner: str, domain: str | None) -> list[StoredDocument]:
        with self._reading() as opened:
            partition = self._partition(opened, owner)
            wanted = None if domain is None else plain(domain)
            return [] if partition is None else documents(opened.connection, partition, wanted)

    def domains(self, owner: str) -> list[str]:
        with self._reading() as opened:
            rows = opened.connection.execute(
                "SELECT DISTINCT domain FROM retrieval_documents WHERE partition = %s", [self._partition(opened, owner)]
            )
            return sorted(str(row[0]) for row in rows)

    def find(self, question: SearchQuery) -> LexicalHits | None:
        with self._reading() as opened:
            words = sorted(question.asked.words)
            owners = [plain(owner) for owner in question.owners]
            partitions = open_partitions(opened.connection, opened.index, owners, words)
            return search_words(opened.connection, question.asked, partitions, question.domains, DEPTH)

    def mend(self, wait_s: float) -> bool:  # noqa: ARG002
        """Words are written with the text here: they are never behind."""
        return False

    def decide(
        self, question: SearchQuery, found: LexicalHits, meaning: QueryVector | None, wanted: ResultLimits
    ) -> PassageChoice:
        with self._reading() as opened:
            if meaning is not None and opened.embedder not in ("", meaning.embedder):
                meaning = None
            sources = _RankedSources(opened, self._nearness, question)
            return choose_passages(question, found, meaning, wanted, sources)

    def rows(self, chunks: Sequence[int]) -> list[ChunkRow]:
        with self._reading() as opened:
            return _rows(opened, chunks)

    def begin_vectors(self, embedder: str, dimensions: int | None, wait_s: float) -> int:  # noqa: ARG002
        with self._writing(wait_s) as opened, opened.connection.transaction():
            if opened.embedder != embedder:
                drop_graphs(opened.connection, opened.index)
                run(opened.connection, f"DELETE FROM retrieval_vectors WHERE partition IN ({_OWN})", [opened.index])  # noqa: S608
                opened.connection.execute(
                    "UPDATE retrieval_indexes SET embedder = %s, epoch = epoch + 1 WHERE id = %s",
                    [embedder, opened.index],
                )
            row = run(
                opened.connection,
                f"SELECT (SELECT count(*) FROM retrieval_chunks WHERE partition IN ({_OWN})) - "  # noqa: S608
                f"(SELECT count(*) FROM retrieval_vectors WHERE partition IN ({_OWN}))",
                [opened.index, opened.index],
            ).fetchone()
            return int((row or (0,))[0])

    def without_vector(self, after: int, most: int) -> list[ChunkRow]:
        with self._reading() as opened:
            rows = run(
                opened.connection,
                # The bound twice: a merge of the two would begin with the first vector each time.
                f"{_ROWS} LEFT JOIN retrieval_vectors v ON v.chunk = c.id AND v.chunk > %s "
                f"WHERE c.partition IN ({_OWN}) AND c.id > %s AND v.chunk IS NULL ORDER BY c.id LIMIT %s",
                [after, opened.index, after, most],
            )
            return [chunk_row(row) for row in rows]

    def store_vectors(self, vectors: "Sequence[tuple[ChunkRow, array[float]]]", wait_s: float) -> None:
        with self._writing(wait_s) as opened:
            written = [(row.id, vector_text(opened.layout, vector)) for row, vector in vectors]
            put_vectors(opened.connection, opened.layout, written)

    def end_vectors(self, stop: threading.Event) -> None:
        with self._connections.use() as (connection, layout):
            build_graphs(connection, layout, self._open(connection, layout).index, stop)

    def drop(self, wait_s: float) -> None:
        with self._writing(wait_s) as opened, opened.connection.transaction():
            drop_graphs(opened.connection, opened.index)
            opened.connection.execute("DELETE FROM retrieval_indexes WHERE id = %s", [opened.index])

    def close(self) -> None:
        """Connections are the library's."""

    @contextmanager
    def _reading(self) -> Generator[IndexConnection]:
        """On one state of the index."""
        with self._connections.use() as (connection, layout):
            if self.make:
                self._make(connection)
            connection.execute("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
            try:
                yield self._open(connection, layout)
            except BaseException:
                with suppress(psycopg.Error):
                    connection.execute("ROLLBACK")
                raise
            connection.execute("COMMIT")

    @contextmanager
    def _writing(self, wait_s: float) -> Generator[IndexConnection]:
        with self._connections.use() as (connection, layout):
            if self.make:
                self._make(connection)
            with write_lock(connection, self.name, wait_s):
                yield self._open(connection, layout)

    def _make(self, connection: Connection) -> None:
        """Once: who removed it meanwhile meant it."""
        connection.execute("INSERT INTO retrieval_indexes (name) VALUES (%s) ON CONFLICT DO NOTHING", [self.name])
        self.make = False

    def _open(self, connection: Connection, layout: DatabaseLayout) -> IndexConnection:
        row = connection.execute("SELECT id, embedder FROM retrieval_indexes WHERE name = %s", [self.name]).fetchone()
        if row is None:
            there = ", ".join(map(repr, names(connection)[:20])) or "none yet"
            raise UnknownName(
                f"There is no index {self.name!r}: make it first, or choose from those there are ({there})."
            )
        return IndexConnection(connection, layout, int(row[0]), str(row[1]))

    def _partition(self, opened: IndexConnection, owner: str) -> int | None:
        row = opened.connection.execute(
            "SELECT id FROM retrieval_partitions WHERE index_id = %s AND owner = %s", [opened.index, plain(owner)]
        ).fetchone()
        return None if row is None else int(row[0])


def names(connection: Connection) -> list[str]:
    rows = connection.execute("SELECT name FROM retrieval_indexes")
    return sorted(str(row[0]) for row in rows)


class _RankedSources:
    """What the tables say of the candidates of a question, in the partitions that it may see."""

    def __init__(self, opened: IndexConnection, nearness: CosineSearch, question: SearchQuery) -> None:
        self._opened = opened
        self._nearness = nearness
        self._domains = question.domains
        rows = opened.connection.execute(
            "SELECT id FROM retrieval_partitions WHERE index_id = %s AND owner = ANY(%s) ORDER BY id",
            [opened.index, [plain(owner) for owner in question.owners]],
        )
        self._partitions = [int(row[0]) for row in rows]

    def cosines(self, chunks: Sequence[int], meaning: QueryVector) -> dict[int, float]:
        connection, layout = self._opened.connection, self._opened.layout
        return self._nearness.cosines(
            connection, layout, self._partitions, meaning.vector, chunks, self._domains, CANDIDATES
        )

    def unspaced(self, chunks: Sequence[int]) -> dict[int, float]:
        rows = self._opened.connection.execute(
            "SELECT id, unspaced FROM retrieval_chunks WHERE id = ANY(%s) AND partition = ANY(%s)",
            [list(chunks), self._partitions],
        )
        return {int(number): float(share) for number, share in rows}

    def rows(self, chunks: Sequence[int]) -> dict[int, ChunkRow]:
        return {row.id: row for row in _rows(self._opened, chunks)}


def _rows(opened: IndexConnection, chunks: Sequence[int]) -> list[ChunkRow]:
    found = run(opened.connection, f"{_ROWS} WHERE c.id = ANY(%s)", [list(chunks)])
    return [chunk_row(row) for row in found]
