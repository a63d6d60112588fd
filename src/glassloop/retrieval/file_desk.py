"""Writing one owner's documents of one domain into an index on the disk: the truth first, then its words.

What the word index has not of the truth, after a crash, the next desk gives it.
"""

import sqlite3
from collections.abc import Iterator, Sequence
from types import TracebackType
from typing import Self

from glassloop.retrieval import truth
from glassloop.retrieval.lexical import HEAP, LexicalPen
from glassloop.retrieval.place import Place
from glassloop.retrieval.reading.files import chunk_words
from glassloop.retrieval.records import Known
from glassloop.retrieval.sources import Read, Source
from glassloop.retrieval.writing import Became


class FileDesk:
    """Only under the write lock. `purges`: what is removed here is to go from the files too."""

    def __init__(
        self,
        place: Place,
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
            self._shelf = truth.make_shelf(connection, owner)
        self._pen = LexicalPen(place.lexical(self._shelf), str(truth.get(connection, "token")), heap=heap)

    def __enter__(self) -> Self:
        try:
            catch_up(self._connection, self._pen, self._shelf)
        except BaseException:
            self._pen.close()
            raise
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._pen.close()

    def find(self, name: str) -> Known | None:
        return truth.find_document(self._connection, self._shelf, self._domain, name)

    def known(self) -> list[Known]:
        return list(truth.documents(self._connection, self._shelf, self._domain))

    def write(self, group: Sequence[tuple[Source, Read]]) -> Sequence[tuple[str, Became, int]]:
        told: list[tuple[str, Became, int]] = []
        written: list[tuple[Known, Read, bool]] = []
        with truth.transaction(self._connection):
            for source, read in group:
                known = self.find(source.name)
                if read.same and known is not None:
                    truth.touch(self._connection, known, read)
                    told.append((source.name, "unchanged", 0))
                else:
                    new = truth.write_document(self._connection, self._shelf, self._domain, source, read, known)
                    written.append((new, read, known is None))
        for document, read, is_new in written:
            if not is_new:
                self._pen.remove(document.id)
            self._pen.put(document.id, self._domain, enumerate(read.words, document.first_chunk))
            told.append((document.name, "added" if is_new else "changed", document.chunks))
        return told

    def remove(self, gone: Sequence[Known]) -> None:
        with truth.transaction(self._connection):
            for known in gone:
                truth.remove_document(self._connection, self._shelf, known)
        for known in gone:
            self._pen.remove(known.id)
        if self._purges:
            self._pen.purge = last_change(self._connection, self._shelf)

    def commit(self) -> None:
        self._pen.commit(last_change(self._connection, self._shelf))


def last_change(connection: sqlite3.Connection, shelf: int) -> int:
    return next((seq for number, _, seq in truth.shelves(connection) if number == shelf), 0)


def catch_up(connection: sqlite3.Connection, pen: LexicalPen, shelf: int) -> bool:
    """Brings the words of a shelf to what the truth says; whether there was anything to do."""
    last = last_change(connection, shelf)
    if pen.seq == last and last:
        return False
    if pen.seq > last or pen.seq < int(truth.get(connection, "pruned")):
        pen.start_anew()
    fresh = pen.seq == 0
    for numbers in _batches(truth.changed_since(connection, shelf, pen.seq), 500):
        if not fresh:
            for number in numbers:
                pen.remove(number)
        there = truth.documents_by_id(connection, numbers)
        if not fresh and len(there) < len(numbers):
            # Whoever removed them did not live to say that their words must go.
            pen.purge = last
        for known in there:
            rows = truth.chunks_of(connection, known)
            pen.put(
                known.id,
                known.domain,
                [(row.id, chunk_words(row.name, row.title, row.headings, row.text)) for row in rows],
            )
    pen.commit(last)
    return True


def _batches(values: Sequence[int], size: int) -> Iterator[Sequence[int]]:
    for begin in range(0, len(values), size):
        yield values[begin : begin + size]
