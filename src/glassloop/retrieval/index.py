"""One named index: documents in, passages out. Async outside; all that blocks runs in threads of the library."""

import asyncio
import shutil
import sqlite3
import threading
from array import array
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Executor
from contextlib import closing
from functools import partial
from pathlib import Path
from time import monotonic
from typing import ParamSpec, TypeVar

import msgspec

from glassloop.core.errors import ModelError, StoreAway
from glassloop.core.ports import Embedder, Passage, Progress
from glassloop.retrieval import truth
from glassloop.retrieval.asking import Found
from glassloop.retrieval.connections import Connections
from glassloop.retrieval.dense import to_blob
from glassloop.retrieval.embedding import BATCH, embedded_text
from glassloop.retrieval.folders import Wanted, folder_sources
from glassloop.retrieval.lexical import LexicalPen
from glassloop.retrieval.lock import WriteLock
from glassloop.retrieval.packing import pack
from glassloop.retrieval.searching import Question, Shelves
from glassloop.retrieval.sources import Problem, Report, Source
from glassloop.retrieval.writing import Place, Writer, catch_up

WAIT_S = 10.0
PATIENCE_S = 600.0
AGAIN_S = 0.5
ON_DEMAND_S = 1.0
"""How long a question may wait for vectors that are not there yet."""

ON_DEMAND_BATCH = 16
MOST_UNSTORED = 2_000

P = ParamSpec("P")
T = TypeVar("T")


class Listed(msgspec.Struct, frozen=True, kw_only=True):
    """A document in a list."""

    name: str
    domain: str
    title: str
    size: int
    chunks: int


class Shown(msgspec.Struct, frozen=True, kw_only=True):
    """How much is to be shown."""

    max_results: int
    min_relevance: float
    token_budget: int


class Index:
    """Made by `Library`. `owner` '' is everybody's; others see nothing of what is one owner's."""

    def __init__(
        self, folder: Path, name: str, embedder: Embedder | None, threads: Executor, writers: Executor
    ) -> None:
        self.name = name
        self._place = Place(folder)
        self._embedder = embedder
        self._threads = threads
        self._writers = writers
        self._lock = WriteLock(folder / "lock", name)
        self._connections = Connections(self._place.truth)
        self._shelves = Shelves(self._place)
        self._unstored: dict[int, array[float]] = {}
        self._mended = False

    async def add(
        self, sources: Iterable[Source], *, owner: str = "", domain: str = "", progress: Progress | None = None,
        only_these: bool = False, wait_s: float = WAIT_S,
    ) -> Report:  # fmt: skip
        """Takes the sources in; those that are known and unchanged cost next to nothing. Cancelled, it ends after the
        document that it is at; what was taken in until then stays."""
        stop = threading.Event()
        told = self._teller(progress)

        def work() -> Report:
            with self._lock.hold(wait_s), self._connections.use() as connection:
                writer = Writer(self._place, connection, owner, domain)
                return writer.write(sources, stop, told, only_these=only_these)

        return await self._write(work, stop)

    async def add_folder(
        self, folder: Path, *, owner: str = "", domain: str = "", progress: Progress | None = None,
        wanted: Wanted | None = None, wait_s: float = WAIT_S,
    ) -> Report:  # fmt: skip
        """All readable files below it; documents whose files are gone are removed."""
        problems: list[Problem] = []

        def tell(name: str, reason: str) -> None:
            problems.append(Problem(document=name, reason=f"{name} {reason}."))

        sources = folder_sources(folder, tell, wanted)
        report = await self.add(sources, owner=owner, domain=domain, progress=progress, only_these=True, wait_s=wait_s)
        for problem in problems:
            report.tell(problem.document, problem.reason)
        return report

    async def remove(
        self, names: Sequence[str] | None = None, *, owner: str = "", domain: str = "", wait_s: float = WAIT_S
    ) -> int:
        """These documents, or all of the owner's in the domain; how many there were."""

        def work() -> int:
            with self._lock.hold(wait_s), self._connections.use() as connection:
                return Writer(self._place, connection, owner, domain).remove(names)

        return await self._write(work, threading.Event())

    async def documents(self, *, owner: str = "", domain: str | None = None) -> list[Listed]:
        def work() -> list[Listed]:
            with self._connections.use() as connection:
                shelf = truth.find_shelf(connection, owner)
                known = () if shelf is None else truth.documents(connection, shelf, domain)
                return [
                    Listed(name=each.name, domain=each.domain, title=each.title, size=each.size, chunks=each.chunks)
                    for each in known
                ]

        return await self._run(work)

    async def search(
        self, question: Question, *, max_results: int, min_relevance: float, token_budget: int
    ) -> list[Passage]:
        vector, found = await asyncio.gather(self._vector(question), self._find(question))
        wanted = Shown(max_results=max_results, min_relevance=min_relevance, token_budget=token_budget)
        passages, missing = await self._run(self._with, self._decide, question, found, vector, wanted)
        if vector is not None and missing and await self._embed_now(missing):
            passages, _ = await self._run(self._with, self._decide, question, found, vector, wanted)
        return passages

    async def embed_pending(self, progress: Progress | None = None, patience_s: float = PATIENCE_S) -> int:
        """Gives every chunk its vector; how many got one. Can be cancelled and begun again at any time. While others
        write it waits, but not for longer than `patience_s` at a time."""
        if self._embedder is None:
            return 0
        await self._patiently(self._begin_vectors, patience_s)
        total = await self._run(self._with, _count_pending)
        done = after = 0
        while rows := await self._run(self._with, truth.without_vector, after, BATCH):
            vectors = await self._embedder.embed([embedded_text(row) for row in rows])
            stored = [(row.shelf, row.id, to_blob(vector)) for row, vector in zip(rows, vectors, strict=True)]
            await self._patiently(partial(self._store, stored), patience_s)
            after = rows[-1].id
            done += len(rows)
            if progress is not None:
                progress(f"{done:,} of {total:,} passages embedded", min(1.0, done / max(1, total)))
        self._unstored.clear()
        return done

    async def drop(self, wait_s: float = WAIT_S) -> None:
        """Removes all of it. The name goes first: without one there is no index."""

        def work() -> None:
            with self._lock.hold(wait_s):
                (self._place.folder / "name").unlink(missing_ok=True)
                self._connections.close()
                shutil.rmtree(self._place.folder, ignore_errors=True)

        await self._write(work, threading.Event())

    def close(self) -> None:
        self._connections.close()

    async def _vector(self, question: Question) -> "array[float] | None":
        if self._embedder is None or not question.needs_vector:
            return None
        try:
            (vector,) = await self._embedder.embed([question.text])
        except ModelError:
            # The words still find what they find.
            return None
        return vector

    async def _find(self, question: Question) -> Found:
        """By words; these are made from the truth first, where they are missing."""
        found = await self._run(self._with, self._shelves.find, question)
        if self._mended and found is not None:
            return found
        await self._mend(missing=found is None)
        return await self._run(self._with, self._shelves.find, question) or Found({}, 0.0)

    def _decide(
        self,
        connection: sqlite3.Connection,
        question: Question,
        found: Found,
        vector: "array[float] | None",
        wanted: "Shown",
    ) -> tuple[list[Passage], list[int]]:
        """The passages to show, and the chunks whose vectors would make them better."""
        if self._embedder is not None and truth.get(connection, "embedder", "") not in ("", self._embedder.name):
            vector = None
        ranked = self._shelves.order(connection, question, found, vector, self._unstored)
        good = [each for each in ranked.candidates if each.relevance >= wanted.min_relevance]
        good = good[: 4 * wanted.max_results + 10]
        rows = truth.chunk_rows(connection, [each.chunk for each in good])
        shown = pack(good, rows, max_results=wanted.max_results, token_budget=wanted.token_budget)
        return shown, ranked.missing

    async def _embed_now(self, chunks: Sequence[int]) -> bool:
        """The best by their words first, as many as there is time for; whether any vector came of it."""
        wanted = [chunk for chunk in chunks if chunk not in self._unstored]
        until = monotonic() + ON_DEMAND_S
        came = False
        for begin in range(0, len(wanted), ON_DEMAND_BATCH):
            if monotonic() > until or self._embedder is None:
                break
            rows = list(
                (await self._run(self._with, truth.chunk_rows, wanted[begin : begin + ON_DEMAND_BATCH])).values()
            )
            try:
                vectors = await self._embedder.embed([embedded_text(row) for row in rows])
            except ModelError:
                break
            if len(self._unstored) > MOST_UNSTORED:
                self._unstored.clear()
            self._unstored |= {row.id: vector for row, vector in zip(rows, vectors, strict=True)}
            came = came or bool(rows)
        return came

    async def _mend(self, *, missing: bool) -> None:
        """Once in a process, and whenever the words of a shelf cannot be read: makes them from the truth."""
        self._mended = True
        try:
            await self._write(lambda: self._catch_up(WAIT_S if missing else 0.0), threading.Event())
        except StoreAway:
            # Whoever writes now does it as well.
            if missing:
                raise

    def _catch_up(self, wait_s: float) -> None:
        with self._lock.hold(wait_s), self._connections.use() as connection:
            token = str(truth.get(connection, "token"))
            for shelf, _, seq in truth.shelves(connection):
                if seq:
                    with closing(LexicalPen(self._place.lexical(shelf), token)) as pen:
                        catch_up(connection, pen, shelf)

    async def _patiently(self, work: Callable[[], None], patience_s: float) -> None:
        until = monotonic() + patience_s
        while True:
            try:
                return await self._write(work, threading.Event())
            except StoreAway:
                if monotonic() > until:
                    raise
            await asyncio.sleep(AGAIN_S)

    def _begin_vectors(self) -> None:
        """Vectors of another embedder cannot be compared: they go."""
        name = self._embedder.name if self._embedder else ""
        with self._lock.hold(AGAIN_S), self._connections.use() as connection, truth.transaction(connection):
            if truth.get(connection, "embedder", "") != name:
                connection.execute("DELETE FROM vectors")
                truth.put(connection, "embedder", name)
                truth.put(connection, "epoch", int(truth.get(connection, "epoch")) + 1)

    def _store(self, vectors: Sequence[tuple[int, int, bytes]]) -> None:
        with self._lock.hold(AGAIN_S), self._connections.use() as connection, truth.transaction(connection):
            for shelf in {shelf for shelf, _, _ in vectors}:
                mine = [(chunk, vector) for each, chunk, vector in vectors if each == shelf]
                truth.write_vectors(connection, shelf, mine)

    def _with(self, function: "Callable[..., T]", *arguments: object) -> T:
        """Calls it with a connection, on one state of the truth."""
        with self._connections.use() as connection:
            connection.execute("BEGIN")
            try:
                return function(connection, *arguments)
            finally:
                connection.execute("COMMIT")

    async def _run(self, function: Callable[P, T], *arguments: P.args, **named: P.kwargs) -> T:
        return await asyncio.get_running_loop().run_in_executor(
            self._threads, self._told, partial(function, *arguments, **named)
        )

    async def _write(self, work: Callable[[], T], stop: threading.Event) -> T:
        """A cancelled caller still waits for the end of what is under way: nothing may write after it."""
        future = asyncio.get_running_loop().run_in_executor(self._writers, self._told, work)
        try:
            return await asyncio.shield(future)
        except asyncio.CancelledError:
            stop.set()
            await asyncio.wait([future])
            raise

    def _told(self, work: Callable[[], T]) -> T:
        """What the disk or the database refuses, as an error that people can read."""
        try:
            return work()
        except (sqlite3.Error, OSError) as error:
            raise StoreAway(
                f"The index {self.name!r} cannot be read or written ({error}): check the disk, then try again."
            ) from error

    def _teller(self, progress: Progress | None) -> Callable[[str, int], None]:
        loop = asyncio.get_running_loop()

        def told(name: str, done: int) -> None:
            if progress is not None:
                loop.call_soon_threadsafe(progress, f"{done:,} documents read, {name} the last", None)

        return told


def _count_pending(connection: sqlite3.Connection) -> int:
    row = connection.execute("SELECT (SELECT count(*) FROM chunks) - (SELECT count(*) FROM vectors)").fetchone()
    return int(row[0])
