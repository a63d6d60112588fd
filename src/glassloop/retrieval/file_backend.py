"""An index on the disk: the truth in SQLite, words by tantivy and vectors in memory beside it."""

import shutil
import sqlite3
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Concatenate, ParamSpec, TypeVar

from glassloop.retrieval import truth
from glassloop.retrieval.asking import Found
from glassloop.retrieval.backend import Decided, Meaning, Shown, Task
from glassloop.retrieval.connections import Connections
from glassloop.retrieval.dense import to_blob
from glassloop.retrieval.file_desk import FileDesk, catch_up
from glassloop.retrieval.lexical import SMALL_HEAP, LexicalPen
from glassloop.retrieval.lock import WriteLock
from glassloop.retrieval.packing import chosen, pack
from glassloop.retrieval.place import Place
from glassloop.retrieval.purging import is_dirty, purge
from glassloop.retrieval.question import Question
from glassloop.retrieval.records import Listed, Row, listed
from glassloop.retrieval.searching import Shelves
from glassloop.retrieval.sources import Report
from glassloop.retrieval.writing import Writer

if TYPE_CHECKING:
    from array import array

P = ParamSpec("P")
T = TypeVar("T")


class FileBackend:
    faults: tuple[type[Exception], ...] = (sqlite3.Error, OSError)
    medium = "disk"

    def __init__(self, folder: Path, name: str) -> None:
        self._place = Place(folder)
        self._lock = WriteLock(folder / "lock", name)
        self._connections = Connections(self._place.truth)
        self._shelves = Shelves(self._place)

    def add(self, task: Task, wait_s: float) -> Report:
        with (
            self._lock.hold(wait_s),
            self._connections.use() as connection,
            FileDesk(self._place, connection, task.owner, task.domain) as desk,
        ):
            return Writer(desk).write(task)

    def remove(self, names: Sequence[str] | None, owner: str, domain: str, wait_s: float) -> int:
        with (
            self._lock.hold(wait_s),
            self._connections.use() as connection,
            FileDesk(self._place, connection, owner, domain, heap=SMALL_HEAP, purges=True) as desk,
        ):
            return Writer(desk).remove(names)

    def purge(self) -> None:
        purge(self._place, self._connections, self._lock)

    def documents(self, owner: str, domain: str | None) -> list[Listed]:
        with self._connections.use() as connection:
            shelf = truth.find_shelf(connection, owner)
            return [] if shelf is None else [listed(known) for known in truth.documents(connection, shelf, domain)]

    def domains(self, owner: str) -> list[str]:
        with self._connections.use() as connection:
            shelf = truth.find_shelf(connection, owner)
            return [] if shelf is None else truth.domains(connection, shelf)

    def find(self, question: Question) -> Found | None:
        return self._with(self._shelves.find, question)

    def mend(self, wait_s: float) -> bool:
        with self._lock.hold(wait_s), self._connections.use() as connection:
            token = str(truth.get(connection, "token"))
            for shelf, _, seq in truth.shelves(connection):
                if seq:
                    pen = LexicalPen(self._place.lexical(shelf), token)
                    try:
                        catch_up(connection, pen, shelf)
                    finally:
                        pen.close()
            return any(is_dirty(self._place, shelf) for shelf, _, _ in truth.shelves(connection))

    def decide(self, question: Question, found: Found, meaning: Meaning | None, wanted: Shown) -> Decided:
        return self._with(self._decide, question, found, meaning, wanted)

    def _decide(
        self,
        connection: sqlite3.Connection,
        question: Question,
        found: Found,
        meaning: Meaning | None,
        wanted: Shown,
    ) -> Decided:
        if meaning is not None and truth.get(connection, "embedder", "") not in ("", meaning.embedder):
            meaning = None
        ranked = self._shelves.order(connection, question, found, meaning)
        good = chosen(ranked.candidates, wanted)
        rows = truth.chunk_rows(connection, [each.chunk for each in good])
        return Decided(passages=pack(good, rows, wanted), missing=ranked.missing)

    def rows(self, chunks: Sequence[int]) -> list[Row]:
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

    def without_vector(self, after: int, most: int) -> list[Row]:
        return self._with(truth.without_vector, after, most)

    def store_vectors(self, vectors: "Sequence[tuple[Row, array[float]]]", wait_s: float) -> None:
        with (
            self._lock.hold(wait_s),
            self._connections.use() as connection,
            truth.transaction(connection),
        ):
            for shelf in {row.shelf for row, _ in vectors}:
                mine = [(row.id, to_blob(vector)) for row, vector in vectors if row.shelf == shelf]
                truth.write_vectors(connection, shelf, mine)

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
