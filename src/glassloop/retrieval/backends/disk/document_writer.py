"""Writer of one owner's documents of one domain on the disk: first the document database, then the lexical index.

After a crash the next writer adds what the lexical index lacks.
"""

import shutil
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from time import monotonic, sleep
from types import TracebackType
from typing import Self

from glassloop.core.errors import StoreAway
from glassloop.retrieval.backends.disk import document_db
from glassloop.retrieval.backends.disk.document_db import Connections
from glassloop.retrieval.backends.disk.lexical_index import (
    HEAP,
    LexicalState,
    LexicalWriter,
    lexical_folder,
    read_state,
    write_state,
)
from glassloop.retrieval.backends.disk.write_lock import WriteLock
from glassloop.retrieval.documents.files import chunk_words
from glassloop.retrieval.index.index_writer import Became
from glassloop.retrieval.index.sources import DocumentSource, SourceContent, StoredDocument


class DiskDocumentWriter:
    """Only under the write lock. `purges`: what is removed here is to go from the files too."""

    def __init__(
        self,
        folder: Path,
        connection: sqlite3.Connection,
        owner: str,
        domain: str,
        *,
        heap: int = HEAP,
        purges: bool = False,
    ) -> None:
        self._connection = connection
        self._purges = purges
        self._domain = domain
        with document_db.transaction(connection):
            self._partition = document_db.make_partition(connection, owner)
        self._lexical_writer = LexicalWriter(
            lexical_folder(folder, self._partition), str(document_db.get(connection, "token")), heap=heap
        )

    def __enter__(self) -> Self:
        try:
            catch_up(self._connection, self._lexical_writer, self._partition)
        except BaseException:
            self._lexical_writer.close()
            raise
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._lexical_writer.close()

    def find(self, name: str) -> StoredDocument | None:
        return document_db.find_document(self._connection, self._partition, self._domain, name)

    def known(self) -> list[StoredDocument]:
        return list(document_db.documents(self._connection, self._partition, self._domain))

    def write(self, group: Sequence[tuple[DocumentSource, SourceContent]]) -> Sequence[tuple[str, Became, int]]:
        told: list[tuple[str, Became, int]] = []
        written: list[tuple[StoredDocument, SourceContent, bool]] = []
        with document_db.transaction(self._connection):
            for source, read in group:
                known = self.find(source.name)
                if read.same and known is not None:
                    document_db.touch(self._connection, known, read)
                    told.append((source.name, "unchanged", 0))
                else:
                    new = document_db.write_document(
                        self._connection, self._partition, self._domain, source, read, known
                    )
                    written.append((new, read, known is None))
        for document, read, is_new in written:
            if not is_new:
                self._lexical_writer.remove(document.id)
            self._lexical_writer.put(document.id, self._domain, enumerate(read.words, document.first_chunk))
            told.append((document.name, "added" if is_new else "changed", document.chunks))
        return told

    def remove(self, gone: Sequence[StoredDocument]) -> None:
        with document_db.transaction(self._connection):
            for known in gone:
                document_db.remove_document(self._connection, self._partition, known)
        for known in gone:
            self._lexical_writer.remove(known.id)
        if self._purges:
            self._lexical_writer.purge = last_change(self._connection, self._partition)

    def commit(self) -> None:
        self._lexical_writer.commit(last_change(self._connection, self._partition))


def last_change(connection: sqlite3.Connection, partition: int) -> int:
    return next((seq for number, _, seq in document_db.partitions(connection) if number == partition), 0)


def catch_up(connection: sqlite3.Connection, lexical_writer: LexicalWriter, partition: int) -> bool:
    """Brings the words of a partition to what the document database has; whether there was anything to do."""
    last = last_change(connection, partition)
    if lexical_writer.seq == last and last:
        return False
    if lexical_writer.seq > last or lexical_writer.seq < int(document_db.get(connection, "pruned")):
        lexical_writer.start_anew()
    fresh = lexical_writer.seq == 0
    for numbers in _batches(document_db.changed_since(connection, partition, lexical_writer.seq), 500):
        if not fresh:
            for number in numbers:
                lexical_writer.remove(number)
        there = document_db.documents_by_id(connection, numbers)
        if not fresh and len(there) < len(numbers):
            # Whoever removed them did not live to say that their words must go.
            lexical_writer.purge = last
        for known in there:
            rows = document_db.chunks_of(connection, known)
            lexical_writer.put(
                known.id,
                known.domain,
                [(row.id, chunk_words(row.name, row.title, row.headings, row.text)) for row in rows],
            )
    lexical_writer.commit(last)
    return True


def _batches(values: Sequence[int], size: int) -> Iterator[Sequence[int]]:
    for begin in range(0, len(values), size):
        yield values[begin : begin + size]


ROUNDS = 10
"""Who removes while words are written anew makes one more necessary."""

PURGE_WAIT_S = 120.0
WRITE_WAIT_S = 300.0
EMPTY_S = 5.0
POLL_S = 0.05


def purge(folder: Path, connections: Connections, lock: WriteLock) -> None:
    """Quick where there is nothing to do."""
    purging = WriteLock(folder / "purging", folder.name)
    for _ in range(ROUNDS):
        with connections.use() as connection:
            partitions = [partition for partition, _, _ in document_db.partitions(connection)]
        dirty = [partition for partition in partitions if is_dirty(folder, partition)]
        if not dirty:
            break
        with purging.hold(PURGE_WAIT_S):
            for partition in filter(lambda each: is_dirty(folder, each), dirty):
                _write_anew(folder, connections, lock, partition)
    _empty_log(connections)


def is_dirty(folder: Path, partition: int) -> bool:
    """Whether words of what was removed are still in the files of this partition."""
    state = read_state(lexical_folder(folder, partition))
    return state is not None and state.purge > 0


def _write_anew(folder: Path, connections: Connections, lock: WriteLock, partition: int) -> None:
    here = lexical_folder(folder, partition)
    beside = here.with_name(f"{partition}.new")
    shutil.rmtree(beside, ignore_errors=True)
    try:
        with connections.use() as connection:
            token = str(document_db.get(connection, "token"))
            with closing(LexicalWriter(beside, token)) as lexical_writer:
                catch_up(connection, lexical_writer, partition)
                begun = lexical_writer.seq
            with lock.hold(WRITE_WAIT_S):
                with closing(LexicalWriter(beside, token)) as lexical_writer:
                    catch_up(connection, lexical_writer, partition)
                made, before = read_state(beside), read_state(here)
                if made is None or before is None:
                    raise StoreAway(f"The words of partition {partition} cannot be written anew: check the disk.")
                (beside / made.folder).rename(here / made.folder)
                left = before.purge if before.purge > begun else 0
                write_state(here, LexicalState(token, made.folder, made.seq, left))
                if before.folder != made.folder:
                    shutil.rmtree(here / before.folder, ignore_errors=True)
    finally:
        shutil.rmtree(beside, ignore_errors=True)


def _empty_log(connections: Connections) -> None:
    """Waits a little for those who read an earlier state; the next one who removes tries again."""
    until = monotonic() + EMPTY_S
    with connections.use() as connection:
        while connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0] and monotonic() < until:
            sleep(POLL_S)
