"""Sources into one index: read, written to the truth in groups, then found by their words. Under the write lock.

Killed at any moment it leaves the truth as of its last group, and a word index that the next writer brings up to it.
"""

import sqlite3
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from pathlib import Path

import msgspec

from glassloop.retrieval import truth
from glassloop.retrieval.lexical import HEAP, SMALL_HEAP, LexicalPen
from glassloop.retrieval.reading.files import chunk_words
from glassloop.retrieval.reading.readers import Asked, Readers
from glassloop.retrieval.sources import Read, Report, Source
from glassloop.retrieval.truth import Known

GROUP_CHUNKS = 1_000
GROUP_S = 1.0
COMMIT_S = 5.0
"""How often, in long work, what is written so far can be found."""

SETTLED_NS = 2_000_000_000
"""A file changed this recently may change again without its time or size telling."""

Tell = Callable[[str, int], None]
"""A document that is done, and how many are."""


class Place(msgspec.Struct, frozen=True):
    """Where an index lies."""

    folder: Path

    @property
    def truth(self) -> Path:
        return self.folder / "truth.db"

    def lexical(self, shelf: int) -> Path:
        return self.folder / "lexical" / str(shelf)


class Writer:
    """Writes into one shelf and domain."""

    def __init__(self, place: Place, connection: sqlite3.Connection, owner: str, domain: str) -> None:
        self._place = place
        self._connection = connection
        self._domain = domain
        with truth.transaction(connection):
            self._shelf = truth.make_shelf(connection, owner)
        self._group: list[tuple[Source, Read]] = []
        self._chunks = 0
        self._since = self._committed = time.monotonic()
        self.report = Report()

    def write(
        self, sources: Iterable[Source], stop: threading.Event, tell: Tell, *, only_these: bool = False
    ) -> Report:
        """`only_these`: documents that are not among the sources are removed."""
        names: set[str] | None = set() if only_these else None
        with closing(self._pen(HEAP)) as pen, Readers() as readers:
            catch_up(self._connection, pen, self._shelf)
            for done, (source, read) in enumerate(readers.read(self._asked(sources, names, stop)), 1):
                if stop.is_set():
                    break
                self._take(pen, source, read)
                tell(source.name, done)
            self._flush(pen)
            if names is not None and not stop.is_set():
                gone = list(truth.documents(self._connection, self._shelf, self._domain))
                self._remove(pen, [known for known in gone if known.name not in names])
            self._commit(pen)
        return self.report

    def remove(self, names: Sequence[str] | None) -> int:
        """These documents of the domain, or all of them; how many there were."""
        wanted = None if names is None else set(names)
        with closing(self._pen(SMALL_HEAP)) as pen:
            catch_up(self._connection, pen, self._shelf)
            known = list(truth.documents(self._connection, self._shelf, self._domain))
            self._remove(pen, [each for each in known if wanted is None or each.name in wanted])
            self._commit(pen)
        return self.report.removed

    def _pen(self, heap: int) -> LexicalPen:
        return LexicalPen(self._place.lexical(self._shelf), str(truth.get(self._connection, "token")), heap=heap)

    def _asked(self, sources: Iterable[Source], names: set[str] | None, stop: threading.Event) -> Iterator[Asked]:
        for source in sources:
            if stop.is_set():
                return
            if names is not None:
                names.add(source.name)
            known = truth.find_document(self._connection, self._shelf, self._domain, source.name)
            if known is not None and _is_untouched(source, known):
                self.report.unchanged += 1
            else:
                yield source, known.digest if known else b""

    def _take(self, pen: LexicalPen, source: Source, read: Read) -> None:
        if read.problem:
            self.report.tell(source.name, f"{source.name} {read.problem}.")
            return
        self._group.append((source, read))
        self._chunks += len(read.chunks)
        now = time.monotonic()
        if self._chunks >= GROUP_CHUNKS or len(self._group) >= GROUP_CHUNKS or now - self._since > GROUP_S:
            self._flush(pen)
        if now - self._committed > COMMIT_S:
            self._commit(pen)

    def _flush(self, pen: LexicalPen) -> None:
        """The truth first: what the word index has not of it, it gets again."""
        written: list[tuple[Known, Read, bool]] = []
        with truth.transaction(self._connection):
            for source, read in self._group:
                known = truth.find_document(self._connection, self._shelf, self._domain, source.name)
                read = msgspec.structs.replace(read, modified=_settled(read.modified))
                if read.same and known is not None:
                    truth.touch(self._connection, known, read)
                    self.report.unchanged += 1
                else:
                    new = truth.write_document(self._connection, self._shelf, self._domain, source, read, known)
                    written.append((new, read, known is None))
        for document, read, is_new in written:
            if is_new:
                self.report.added += 1
            else:
                self.report.changed += 1
                pen.remove(document.id)
            self.report.chunks += document.chunks
            pen.put(document.id, self._domain, enumerate(read.words, document.first_chunk))
        self._group, self._chunks, self._since = [], 0, time.monotonic()

    def _remove(self, pen: LexicalPen, gone: Sequence[Known]) -> None:
        with truth.transaction(self._connection):
            for known in gone:
                truth.remove_document(self._connection, self._shelf, known)
        for known in gone:
            pen.remove(known.id)
        self.report.removed += len(gone)

    def _commit(self, pen: LexicalPen) -> None:
        self._flush(pen)
        pen.commit(_last_change(self._connection, self._shelf))
        self._committed = time.monotonic()


def _last_change(connection: sqlite3.Connection, shelf: int) -> int:
    return next((seq for number, _, seq in truth.shelves(connection) if number == shelf), 0)


def _settled(modified: int) -> int:
    return modified if modified < time.time_ns() - SETTLED_NS else 0


def _is_untouched(source: Source, known: Known) -> bool:
    if source.path is None or not known.modified or source.title != known.title:
        return False
    try:
        found = source.path.lstat()
    except OSError:
        return False
    return found.st_size == known.size and found.st_mtime_ns == known.modified


def catch_up(connection: sqlite3.Connection, pen: LexicalPen, shelf: int) -> bool:
    """Brings the words of a shelf to what the truth says; whether there was anything to do."""
    last = _last_change(connection, shelf)
    if pen.seq == last and last:
        return False
    if pen.seq > last or pen.seq < int(truth.get(connection, "pruned")):
        pen.start_anew()
    fresh = pen.seq == 0
    for numbers in _batches(truth.changed_since(connection, shelf, pen.seq), 500):
        if not fresh:
            for number in numbers:
                pen.remove(number)
        for known in truth.documents_by_id(connection, numbers):
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
