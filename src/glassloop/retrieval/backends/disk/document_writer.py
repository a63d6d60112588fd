"""Writer of one owner's documents of one domain on the disk: first the document database, then the lexical index.

After a crash the next writer adds what the lexical index lacks.
"""

import sqlite3
from collections.abc import Iterator, Sequence
from types import TracebackType
from typing import Self

from glassloop.retrieval.backends.disk import document_db as truth
from glassloop.retrieval.backends.disk.index_paths import IndexPaths
from glassloop.retrieval.backends.disk.lexical_index import HEAP, LexicalWriter
from glassloop.retrieval.documents.files import chunk_words
from glassloop.retrieval.index.index_writer import Became
from glassloop.retrieval.index.sources import DocumentSource, SourceContent, StoredDocument


class DiskDocumentWriter:
    """Only under the write lock. `purges`: what is removed here is to go from the files too."""

    def __init__(
        self,
        place: IndexPaths,
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
        with truth.transaction(connection):
            self._partition = truth.make_partition(connection, owner)
        self._lexical_writer = LexicalWriter(
            place.lexical(self._partition), str(truth.get(connection, "token")), heap=heap
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
        return truth.find_document(self._connection, self._partition, self._domain, name)

    def known(self) -> list[StoredDocument]:
        return list(truth.documents(self._connection, self._partition, self._domain))

    def write(self, group: Sequence[tuple[DocumentSource, SourceContent]]) -> Sequence[tuple[str, Became, int]]:
        told: list[tuple[str, Became, int]] = []
        written: list[tuple[StoredDocument, SourceContent, bool]] = []
        with truth.transaction(self._connection):
            for source, read in group:
                known = self.find(source.name)
                if read.same and known is not None:
                    truth.touch(self._connection, known, read)
                    told.append((source.name, "unchanged", 0))
                else:
                    new = truth.write_document(self._connection, self._partition, self._domain, source, read, known)
                    written.append((new, read, known is None))
        for document, read, is_new in written:
            if not is_new:
                self._lexical_writer.remove(document.id)
            self._lexical_writer.put(document.id, self._domain, enumerate(read.words, document.first_chunk))
            told.append((document.name, "added" if is_new else "changed", document.chunks))
        return told

    def remove(self, gone: Sequence[StoredDocument]) -> None:
        with truth.transaction(self._connection):
            for known in gone:
                truth.remove_document(self._connection, self._partition, known)
        for known in gone:
            self._lexical_writer.remove(known.id)
        if self._purges:
            self._lexical_writer.purge = last_change(self._connection, self._partition)

    def commit(self) -> None:
        self._lexical_writer.commit(last_change(self._connection, self._partition))


def last_change(connection: sqlite3.Connection, partition: int) -> int:
    return next((seq for number, _, seq in truth.partitions(connection) if number == partition), 0)


def catch_up(connection: sqlite3.Connection, lexical_writer: LexicalWriter, partition: int) -> bool:
    """Brings the words of a partition to what the truth says; whether there was anything to do."""
    last = last_change(connection, partition)
    if lexical_writer.seq == last and last:
        return False
    if lexical_writer.seq > last or lexical_writer.seq < int(truth.get(connection, "pruned")):
        lexical_writer.start_anew()
    fresh = lexical_writer.seq == 0
    for numbers in _batches(truth.changed_since(connection, partition, lexical_writer.seq), 500):
        if not fresh:
            for number in numbers:
                lexical_writer.remove(number)
        there = truth.documents_by_id(connection, numbers)
        if not fresh and len(there) < len(numbers):
            # Whoever removed them did not live to say that their words must go.
            lexical_writer.purge = last
        for known in there:
            rows = truth.chunks_of(connection, known)
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
