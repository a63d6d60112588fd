"""One named index: documents in, passages out. Async outside; all that blocks runs in threads of the library."""

import asyncio
import logging
import threading
from array import array
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Executor
from functools import partial
from pathlib import Path
from time import monotonic
from typing import ParamSpec, TypeVar

from glassloop.core.errors import ModelError, StoreAway, StoreError
from glassloop.core.ports import Embedder, Passage, Progress
from glassloop.retrieval.backends.backend import Backend, IndexTask, QueryVector, ResultLimits
from glassloop.retrieval.documents.folder_sources import folder_sources
from glassloop.retrieval.documents.readers import Readers
from glassloop.retrieval.index.embedding import BATCH, embedded_text
from glassloop.retrieval.index.sources import DocumentSource, IndexReport, SourceProblem, StoredDocument
from glassloop.retrieval.query.query_parser import LexicalHits
from glassloop.retrieval.query.search_query import SearchQuery

_log = logging.getLogger(__name__)

WAIT_S = 10.0
TIMEOUT_S = 600.0
AGAIN_S = 0.5
ON_DEMAND_S = 1.0
"""How long a question may wait for vectors that are not there yet."""

ON_DEMAND_BATCH = 16
MAX_UNSTORED = 2_000

P = ParamSpec("P")
T = TypeVar("T")


class Index:
    """Made by `Library`. `owner` '' is everybody's; others see nothing of what is one owner's."""

    def __init__(
        self,
        name: str,
        backend: Backend,
        embedder: Embedder | None,
        *,
        threads: Executor,
        writers: Executor,
        readers: Readers,
    ) -> None:
        self.name = name
        self._backend = backend
        self._embedder = embedder
        self._threads = threads
        self._writers = writers
        self._readers = readers
        self._unstored: dict[int, array[float]] = {}
        self._mended = False
        self._purging: set[asyncio.Future[None]] = set()
        self._unpurged = False

    async def add(
        self, sources: Iterable[DocumentSource], *, owner: str = "", domain: str = "", progress: Progress | None = None,
        only_these: bool = False, wait_s: float = WAIT_S,
    ) -> IndexReport:  # fmt: skip
        """Takes the sources in; those that are known and unchanged cost next to nothing. Cancelled, it ends after the
        document that it is at; what was taken in until then stays."""
        task = IndexTask(
            sources=sources,
            owner=owner,
            domain=domain,
            readers=self._readers,
            stop=threading.Event(),
            tell=self._teller(progress),
            only_these=only_these,
        )
        report = await self._write(partial(self._backend.add, task, wait_s), task.stop)
        if self._unpurged:
            self._purge_later()
        return report

    async def add_folder(
        self, folder: Path, *, owner: str = "", domain: str = "", progress: Progress | None = None,
        wait_s: float = WAIT_S,
    ) -> IndexReport:  # fmt: skip
        """All readable files below it; documents whose files are gone are removed."""
        problems: list[SourceProblem] = []

        def tell(name: str, reason: str) -> None:
            problems.append(SourceProblem(document=name, reason=f"{name} {reason}."))

        sources = folder_sources(folder, tell)
        report = await self.add(sources, owner=owner, domain=domain, progress=progress, only_these=True, wait_s=wait_s)
        for problem in problems:
            report.tell(problem.document, problem.reason)
        return report

    async def remove(
        self, names: Sequence[str] | None = None, *, owner: str = "", domain: str = "", wait_s: float = WAIT_S
    ) -> int:
        """These documents, or all of the owner's in the domain; how many there were. They are not found any more when
        this returns; soon after, they are not in the files either: `settled` waits for that."""
        gone = await self._write(partial(self._backend.remove, names, owner, domain, wait_s), threading.Event())
        if gone:
            self._purge_later()
        return gone

    async def settled(self) -> None:
        """When nothing of what was removed here is left in the files."""
        while self._purging:
            await asyncio.wait(self._purging)

    async def documents(self, *, owner: str = "", domain: str | None = None) -> list[StoredDocument]:
        return await self._run(self._backend.documents, owner, domain)

    async def domains(self, *, owner: str = "") -> list[str]:
        """Those that there are documents of."""
        return await self._run(self._backend.domains, owner)

    async def search(
        self, question: SearchQuery, *, max_results: int, min_relevance: float, token_budget: int
    ) -> list[Passage]:
        meaning, found = await asyncio.gather(self._meaning(question), self._find(question))
        wanted = ResultLimits(max_results=max_results, min_relevance=min_relevance, token_budget=token_budget)
        decided = await self._run(self._backend.decide, question, found, meaning, wanted)
        if meaning is not None and decided.missing and await self._embed_now(decided.missing):
            decided = await self._run(self._backend.decide, question, found, meaning, wanted)
        return decided.passages

    async def embed_pending(self, progress: Progress | None = None, patience_s: float = TIMEOUT_S) -> int:
        """Gives every chunk its vector; how many got one. Can be cancelled and begun again at any time. While others
        write it waits, but not for longer than `patience_s` at a time."""
        embedder = self._embedder
        if embedder is None:
            return 0
        begin = partial(self._backend.begin_vectors, embedder.name, embedder.dimensions, AGAIN_S)
        total = await self._patiently(begin, patience_s)
        done = after = 0
        while rows := await self._run(self._backend.without_vector, after, BATCH):
            vectors = await embedder.embed([embedded_text(row) for row in rows])
            stored = list(zip(rows, vectors, strict=True))
            await self._patiently(partial(self._backend.store_vectors, stored, AGAIN_S), patience_s)
            after = rows[-1].id
            done += len(rows)
            if progress is not None:
                progress(f"{done:,} of {total:,} passages embedded", min(1.0, done / max(1, total)))
        self._unstored.clear()
        stop = threading.Event()
        await self._write(partial(self._backend.end_vectors, stop), stop)
        return done

    async def drop(self, wait_s: float = WAIT_S) -> None:
        """Removes all of it."""
        await self._write(partial(self._backend.drop, wait_s), threading.Event())

    def use(self, embedder: Embedder | None) -> None:
        """Another embedder, from now on."""
        self._embedder = embedder
        self._unstored.clear()

    def close(self) -> None:
        self._backend.close()

    async def _meaning(self, question: SearchQuery) -> QueryVector | None:
        embedder = self._embedder
        if embedder is None or not question.needs_vector:
            return None
        try:
            (vector,) = await embedder.embed([question.text])
        except ModelError:
            # The words still find what they find.
            return None
        return QueryVector(vector=vector, embedder=embedder.name, more=self._unstored)

    async def _find(self, question: SearchQuery) -> LexicalHits:
        """By words; these are made from the documents first, where they are missing."""
        found = await self._run(self._backend.find, question)
        if self._mended and found is not None:
            return found
        await self._mend(missing=found is None)
        return await self._run(self._backend.find, question) or LexicalHits({}, 0.0)

    async def _embed_now(self, chunks: Sequence[int]) -> bool:
        """The best by their words first, as many as there is time for; whether any vector came of it."""
        wanted = [chunk for chunk in chunks if chunk not in self._unstored]
        until = monotonic() + ON_DEMAND_S
        came = False
        for begin in range(0, len(wanted), ON_DEMAND_BATCH):
            if monotonic() > until or self._embedder is None:
                break
            rows = await self._run(self._backend.rows, wanted[begin : begin + ON_DEMAND_BATCH])
            try:
                vectors = await self._embedder.embed([embedded_text(row) for row in rows])
            except ModelError:
                break
            if len(self._unstored) > MAX_UNSTORED:
                self._unstored.clear()
            self._unstored |= {row.id: vector for row, vector in zip(rows, vectors, strict=True)}
            came = came or bool(rows)
        return came

    async def _mend(self, *, missing: bool) -> None:
        """Once in a process, and whenever the words of a partition cannot be read: makes them from the documents."""
        self._mended = True
        try:
            left = await self._write(partial(self._backend.mend, WAIT_S if missing else 0.0), threading.Event())
        except StoreAway:
            # Whoever writes now does it as well.
            if missing:
                raise
            return
        if left:
            self._purge_later()

    def _purge_later(self) -> None:
        """In a thread, after whoever asked: words of a large partition take a while to be written anew."""
        self._unpurged = False
        future = _given(self._writers, self._purge)
        self._purging.add(future)
        future.add_done_callback(self._purging.discard)

    def _purge(self) -> None:
        try:
            self._backend.purge()
        except (StoreError, *self._backend.faults) as error:
            # What is left to do is remembered there: it is done after the next import, or by the next process.
            self._unpurged = True
            _log.warning("index %r still holds words of what was removed: %s", self.name, error)

    async def _patiently(self, work: Callable[[], T], patience_s: float) -> T:
        until = monotonic() + patience_s
        while True:
            try:
                return await self._write(work, threading.Event())
            except StoreAway:
                if monotonic() > until:
                    raise
            await asyncio.sleep(AGAIN_S)

    async def _run(self, function: Callable[P, T], *arguments: P.args, **named: P.kwargs) -> T:
        return await _given(self._threads, partial(self._told, partial(function, *arguments, **named)))

    async def _write(self, work: Callable[[], T], stop: threading.Event) -> T:
        """A cancelled caller still waits for the end of what is under way: nothing may write after it."""
        future = _given(self._writers, partial(self._told, work))
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
        except self._backend.faults as error:
            said = (str(error).splitlines() or [type(error).__name__])[0]
            raise StoreAway(
                f"The index {self.name!r} cannot be read or written ({said}): check the {self._backend.medium}, then "
                "try again."
            ) from error

    def _teller(self, progress: Progress | None) -> Callable[[str, int], None]:
        loop = asyncio.get_running_loop()

        def told(name: str, done: int) -> None:
            if progress is not None:
                read = "1 document" if done == 1 else f"{done:,} documents"
                loop.call_soon_threadsafe(progress, f"{read} read, {name} the last", None)

        return told


def _given(threads: Executor, work: Callable[[], T]) -> "asyncio.Future[T]":
    """The work in a thread of the library; raises `StoreError` where that is closed."""
    try:
        return asyncio.get_running_loop().run_in_executor(threads, work)
    except RuntimeError as error:
        raise StoreError("The library is closed: open it again.") from error
