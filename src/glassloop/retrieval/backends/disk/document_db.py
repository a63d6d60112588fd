"""Document database of an index, in SQLite: documents, chunks and vectors by owner. Everything else is derived from it.

Every change of a document has a number (`seq`); derived indexes store the last one they have seen. Only the holder of
the write lock may call what writes. Blocks; to be called in a thread.
"""

import queue
import secrets
import sqlite3
from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from glassloop.core.errors import StoreError
from glassloop.own_folder import make_own_file
from glassloop.retrieval.index.sources import (
    CHUNK_ROW,
    ChunkRow,
    DocumentSource,
    SourceContent,
    StoredDocument,
    chunk_row,
    chunk_values,
    passage_key,
)

VERSION = 1
MAX_REMOVED = 100_000
"""So many removals are remembered; who is further behind starts anew."""

_SCHEMA = """
CREATE TABLE meta (key TEXT PRIMARY KEY, value) WITHOUT ROWID;
CREATE TABLE partitions (id INTEGER PRIMARY KEY AUTOINCREMENT, owner TEXT NOT NULL UNIQUE, seq INTEGER NOT NULL);
CREATE TABLE documents (
    id INTEGER PRIMARY KEY AUTOINCREMENT, partition INTEGER NOT NULL, domain TEXT NOT NULL, name TEXT NOT NULL,
    title TEXT NOT NULL, digest BLOB NOT NULL, size INTEGER NOT NULL, modified INTEGER NOT NULL, seq INTEGER NOT NULL,
    first_chunk INTEGER NOT NULL, chunks INTEGER NOT NULL, UNIQUE (partition, domain, name)
);
CREATE INDEX documents_by_seq ON documents (partition, seq);
CREATE TABLE chunks (
    id INTEGER PRIMARY KEY, document INTEGER NOT NULL, partition INTEGER NOT NULL, ordinal INTEGER NOT NULL,
    headings TEXT NOT NULL, text TEXT NOT NULL, first_line INTEGER NOT NULL, last_line INTEGER NOT NULL,
    page INTEGER NOT NULL, overlap INTEGER NOT NULL, tokens INTEGER NOT NULL, unspaced REAL NOT NULL
);
CREATE TABLE vectors (seq INTEGER PRIMARY KEY AUTOINCREMENT, chunk INTEGER NOT NULL UNIQUE, partition INTEGER NOT NULL,
    vector BLOB NOT NULL);
CREATE INDEX vectors_by_partition ON vectors (partition, seq);
CREATE TABLE removed (seq INTEGER PRIMARY KEY, partition INTEGER NOT NULL, document INTEGER NOT NULL,
    first_chunk INTEGER NOT NULL, chunks INTEGER NOT NULL);
CREATE INDEX removed_by_partition ON removed (partition, seq);
"""


_DOCUMENT = "id, domain, name, title, digest, size, modified, seq, first_chunk, chunks"


def connect(path: Path) -> sqlite3.Connection:
    """To the file, made when it is not there. Whoever gets it closes it."""
    make_own_file(path)
    connection = sqlite3.connect(path, timeout=10, isolation_level=None, check_same_thread=False)
    try:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = NORMAL")
        connection.execute("PRAGMA secure_delete = ON")
        if _version(connection) == 0:
            with transaction(connection):
                if _version(connection) == 0:
                    _make(connection)
        if (version := _version(connection)) != VERSION:
            raise StoreError(
                f"The index in {path.parent.name!r} was written by another version of Glassloop ({version}, here "
                f"{VERSION}): use that one, or remove the index and make it again."
            )
    except sqlite3.DatabaseError as error:
        connection.close()
        raise StoreError(
            f"The index in {path.parent.name!r} cannot be used ({error}): restore it from a copy, or remove it and "
            "make it again."
        ) from error
    except BaseException:
        connection.close()
        raise
    return connection


def _version(connection: sqlite3.Connection) -> int:
    return connection.execute("PRAGMA user_version").fetchone()[0]


def _make(connection: sqlite3.Connection) -> None:
    for statement in _SCHEMA.split(";"):
        connection.execute(statement)
    connection.execute("INSERT INTO meta VALUES ('token', ?)", (secrets.token_hex(8),))
    connection.execute(f"PRAGMA user_version = {VERSION}")


@contextmanager
def transaction(connection: sqlite3.Connection) -> Generator[None]:
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
    except BaseException:
        connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")


def get(connection: sqlite3.Connection, key: str, default: int | str = 0) -> int | str:
    row = connection.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
    return default if row is None else row[0]


def put(connection: sqlite3.Connection, key: str, value: int | str) -> None:
    connection.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (key, value))


def partitions(connection: sqlite3.Connection, owners: Sequence[str] | None = None) -> list[tuple[int, str, int]]:
    """Id, owner and last change of each partition; of these owners, or of all."""
    if owners is None:
        return connection.execute("SELECT id, owner, seq FROM partitions ORDER BY id").fetchall()
    marks = ",".join("?" * len(owners))
    return connection.execute(
        f"SELECT id, owner, seq FROM partitions WHERE owner IN ({marks}) ORDER BY id",  # noqa: S608
        owners,
    ).fetchall()


def find_partition(connection: sqlite3.Connection, owner: str) -> int | None:
    row = connection.execute("SELECT id FROM partitions WHERE owner = ?", (owner,)).fetchone()
    return None if row is None else row[0]


def make_partition(connection: sqlite3.Connection, owner: str) -> int:
    connection.execute("INSERT OR IGNORE INTO partitions (owner, seq) VALUES (?, 0)", (owner,))
    return connection.execute("SELECT id FROM partitions WHERE owner = ?", (owner,)).fetchone()[0]


def find_document(connection: sqlite3.Connection, partition: int, domain: str, name: str) -> StoredDocument | None:
    row = connection.execute(
        f"SELECT {_DOCUMENT} FROM documents WHERE partition = ? AND domain = ? AND name = ?",  # noqa: S608
        (partition, domain, name),
    ).fetchone()
    return None if row is None else StoredDocument(*row)


def documents(connection: sqlite3.Connection, partition: int, domain: str | None = None) -> Iterator[StoredDocument]:
    rows = connection.execute(
        f"SELECT {_DOCUMENT} FROM documents WHERE partition = ? AND (? IS NULL OR domain = ?) ORDER BY domain, name",  # noqa: S608
        (partition, domain, domain),
    )
    return (StoredDocument(*row) for row in rows)


def domains(connection: sqlite3.Connection, partition: int) -> list[str]:
    rows = connection.execute("SELECT DISTINCT domain FROM documents WHERE partition = ? ORDER BY domain", (partition,))
    return [row[0] for row in rows]


def documents_by_id(connection: sqlite3.Connection, ids: Sequence[int]) -> list[StoredDocument]:
    marks = ",".join("?" * len(ids))
    rows = connection.execute(f"SELECT {_DOCUMENT} FROM documents WHERE id IN ({marks})", ids)  # noqa: S608
    return [StoredDocument(*row) for row in rows]


def changed_since(connection: sqlite3.Connection, partition: int, seq: int) -> list[int]:
    """Ids of the documents that were written or removed after that change."""
    rows = connection.execute(
        "SELECT id FROM documents WHERE partition = ?1 AND seq > ?2 UNION SELECT document FROM removed "
        "WHERE partition = ?1 AND seq > ?2 ORDER BY 1",
        (partition, seq),
    )
    return [row[0] for row in rows]


def chunk_rows(connection: sqlite3.Connection, ids: Sequence[int]) -> dict[int, ChunkRow]:
    """The chunks that are still there, by id."""
    marks = ",".join("?" * len(ids))
    rows = connection.execute(
        f"SELECT {CHUNK_ROW} FROM chunks c JOIN documents d ON d.id = c.document WHERE c.id IN ({marks})",  # noqa: S608
        ids,
    )
    return {row[0]: chunk_row(row) for row in rows}


def chunks_of(connection: sqlite3.Connection, known: StoredDocument) -> list[ChunkRow]:
    rows = connection.execute(
        f"SELECT {CHUNK_ROW} FROM chunks c JOIN documents d ON d.id = c.document "  # noqa: S608
        "WHERE c.id >= ? AND c.id < ? ORDER BY c.id",
        (known.first_chunk, known.first_chunk + known.chunks),
    )
    return [chunk_row(row) for row in rows]


def next_seq(connection: sqlite3.Connection, partition: int) -> int:
    seq = int(get(connection, "seq")) + 1
    put(connection, "seq", seq)
    connection.execute("UPDATE partitions SET seq = ? WHERE id = ?", (seq, partition))
    return seq


def write_document(
    connection: sqlite3.Connection,
    partition: int,
    domain: str,
    source: DocumentSource,
    read: SourceContent,
    known: StoredDocument | None,
) -> StoredDocument:
    """Puts the document there, in place of what was known of it. Passages that stay as they are keep their vectors."""
    kept: dict[str, bytes] = {}
    if known is not None:
        kept = dict(_vectors_by_text(connection, known))
        _forget(connection, partition, known)
    seq = next_seq(connection, partition)
    first = int(get(connection, "chunk", 1))
    put(connection, "chunk", first + len(read.chunks))
    values = (
        partition,
        domain,
        source.name,
        source.title,
        read.digest,
        read.size,
        read.modified,
        seq,
        first,
        len(read.chunks),
    )
    if known is None:
        cursor = connection.execute(
            "INSERT INTO documents (partition, domain, name, title, digest, size, modified, seq, first_chunk, chunks) "
            "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            values,
        )
        number = int(cursor.lastrowid or 0)
    else:
        number = known.id
        connection.execute(
            "UPDATE documents SET title = ?, digest = ?, size = ?, modified = ?, seq = ?, first_chunk = ?, chunks = ? "
            "WHERE id = ?",
            (*values[3:], number),
        )
    connection.executemany(
        "INSERT INTO chunks VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (chunk_values(chunk, first + place, number, partition, place) for place, chunk in enumerate(read.chunks)),
    )
    if kept:
        same = (
            (first + place, kept.get(passage_key(chunk.headings, chunk.text)))
            for place, chunk in enumerate(read.chunks)
        )
        write_vectors(connection, partition, [(chunk, vector) for chunk, vector in same if vector is not None])
    return StoredDocument(number, domain, *values[2:])


def _vectors_by_text(connection: sqlite3.Connection, known: StoredDocument) -> Iterator[tuple[str, bytes]]:
    rows = connection.execute(
        "SELECT c.headings, c.text, v.vector FROM chunks c JOIN vectors v ON v.chunk = c.id WHERE c.id >= ? "
        "AND c.id < ?",
        (known.first_chunk, known.first_chunk + known.chunks),
    )
    for headings, text, vector in rows:
        yield passage_key(headings.split("\n") if headings else (), text), vector


def _forget(connection: sqlite3.Connection, partition: int, known: StoredDocument) -> None:
    """The chunks of a document, remembered as removed."""
    span = (known.first_chunk, known.first_chunk + known.chunks)
    connection.execute("DELETE FROM vectors WHERE chunk >= ? AND chunk < ?", span)
    connection.execute("DELETE FROM chunks WHERE id >= ? AND id < ?", span)
    seq = next_seq(connection, partition)
    connection.execute(
        "INSERT INTO removed VALUES (?, ?, ?, ?, ?)", (seq, partition, known.id, known.first_chunk, known.chunks)
    )
    oldest = connection.execute("SELECT seq FROM removed ORDER BY seq DESC LIMIT 1 OFFSET ?", (MAX_REMOVED,)).fetchone()
    if oldest is not None:
        connection.execute("DELETE FROM removed WHERE seq <= ?", oldest)
        put(connection, "pruned", oldest[0])


def touch(connection: sqlite3.Connection, known: StoredDocument, read: SourceContent) -> None:
    """The same content at another time."""
    connection.execute("UPDATE documents SET modified = ? WHERE id = ?", (read.modified, known.id))


def remove_document(connection: sqlite3.Connection, partition: int, known: StoredDocument) -> None:
    _forget(connection, partition, known)
    connection.execute("DELETE FROM documents WHERE id = ?", (known.id,))


def write_vectors(connection: sqlite3.Connection, partition: int, vectors: Iterable[tuple[int, bytes]]) -> None:
    """Those of chunks that are still there."""
    connection.executemany(
        "INSERT OR IGNORE INTO vectors (chunk, partition, vector) SELECT ?1, ?2, ?3 WHERE EXISTS (SELECT 1 FROM chunks "
        "WHERE id = ?1)",
        ((chunk, partition, vector) for chunk, vector in vectors),
    )


def without_vector(connection: sqlite3.Connection, after: int, most: int) -> list[ChunkRow]:
    """Chunks that have no vector yet, in order."""
    rows = connection.execute(
        f"SELECT {CHUNK_ROW} FROM chunks c JOIN documents d ON d.id = c.document LEFT JOIN vectors v ON v.chunk = c.id "  # noqa: S608
        "WHERE c.id > ? AND v.chunk IS NULL ORDER BY c.id LIMIT ?",
        (after, most),
    )
    return [chunk_row(row) for row in rows]


def unspaced(connection: sqlite3.Connection, chunks: Sequence[int], partitions: Sequence[int]) -> dict[int, float]:
    """Of those chunks that are still there, and on these partitions."""
    marks, places = ",".join("?" * len(chunks)), ",".join("?" * len(partitions))
    rows = connection.execute(
        f"SELECT id, unspaced FROM chunks WHERE id IN ({marks}) AND partition IN ({places})",  # noqa: S608
        (*chunks, *partitions),
    )
    return dict(rows.fetchall())


def count_pending(connection: sqlite3.Connection) -> int:
    row = connection.execute("SELECT (SELECT count(*) FROM chunks) - (SELECT count(*) FROM vectors)").fetchone()
    return int(row[0])


class PartitionVectors:
    """The vectors of a partition, for whoever follows them."""

    def __init__(self, connection: sqlite3.Connection, partition: int) -> None:
        self._connection = connection
        self._partition = partition

    @property
    def epoch(self) -> int:
        return int(get(self._connection, "epoch"))

    @property
    def change(self) -> int:
        return int(get(self._connection, "seq"))

    @property
    def forgotten(self) -> int:
        return int(get(self._connection, "pruned"))

    def removed(self, after: int) -> list[range]:
        rows = self._connection.execute(
            "SELECT first_chunk, chunks FROM removed WHERE partition = ? AND seq > ? ORDER BY seq",
            (self._partition, after),
        )
        return [range(first, first + chunks) for first, chunks in rows]

    def added(self, after: int, most: int) -> list[tuple[int, int, bytes, str]]:
        return self._connection.execute(
            "SELECT v.seq, v.chunk, v.vector, d.domain FROM vectors v JOIN chunks c ON c.id = v.chunk "
            "JOIN documents d ON d.id = c.document WHERE v.partition = ? AND v.seq > ? ORDER BY v.seq LIMIT ?",
            (self._partition, after, most),
        ).fetchall()


KEPT = 8


class Connections:
    def __init__(self, path: Path) -> None:
        self._path = path
        self._idle: queue.LifoQueue[sqlite3.Connection] = queue.LifoQueue(KEPT)

    @contextmanager
    def use(self) -> Generator[sqlite3.Connection]:
        try:
            connection = self._idle.get_nowait()
        except queue.Empty:
            connection = connect(self._path)
        try:
            yield connection
        except BaseException:
            connection.close()
            raise
        try:
            self._idle.put_nowait(connection)
        except queue.Full:
            connection.close()

    def close(self) -> None:
        while True:
            try:
                self._idle.get_nowait().close()
            except queue.Empty:
                return
