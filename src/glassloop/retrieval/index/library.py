"""Library: all indexes of one home, by name; the entry point of retrieval for the rest of Glassloop."""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec
from pathlib import Path
from types import TracebackType
from typing import Self

from glassloop.core.errors import UnknownName, UsageError
from glassloop.core.ports import Embedder, Passage
from glassloop.retrieval.backends.backend import FolderStorage, IndexStorage, PostgresStorage
from glassloop.retrieval.collections.conversation_ledger import ConversationLedger
from glassloop.retrieval.documents.readers import Readers
from glassloop.retrieval.index.index import Index
from glassloop.retrieval.query.query_parser import Synonyms, parse_query
from glassloop.retrieval.query.search_query import DENSE_WEIGHT, SPARSE_WEIGHT, ScoreWeights, SearchQuery

MAX_QUESTION = 4_000
MAX_RESULTS = 100
MAX_NAME = 100
SEARCHES = 4
WRITES = 4


class Library:
    """Indexes in a folder, or in PostgreSQL by its URL. `synonyms`: lists of words that mean the same, for every
    question. `pgvector=False`: tables that are made now keep vectors as bytes, even where the extension is.
    `graph_from`: with it, a partition of so many vectors gets a graph."""

    def __init__(
        self,
        folder: Path,
        embedder: Embedder | None = None,
        *,
        synonyms: Mapping[str, Iterable[str]] | None = None,
        dense_weight: float = DENSE_WEIGHT,
        sparse_weight: float = SPARSE_WEIGHT,
        database_url: str | None = None,
        pgvector: bool = True,
        graph_from: int | None = None,
    ) -> None:
        try:
            self._weights = ScoreWeights(dense=dense_weight, sparse=sparse_weight)
        except ValueError as error:
            raise UsageError(f"The retrieval {error}.") from error
        self._room: IndexStorage = FolderStorage(folder)
        if database_url:
            self._room = PostgresStorage(database_url, pgvector=pgvector, graph_from=graph_from)
        self._embedder = _usable(embedder)
        self._lists = {word: tuple(others) for word, others in (synonyms or {}).items()}
        self._synonyms: Synonyms | None = None
        self._searches = ThreadPoolExecutor(SEARCHES, "glassloop-search")
        self._writes = ThreadPoolExecutor(WRITES, "glassloop-index")
        self._readers = Readers()
        self._open: dict[str, tuple[object, Index]] = {}
        """By name, with what told it apart from another of the same name when it was opened."""

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """Waits for what is being written."""
        for pool in (self._writes, self._searches):
            await asyncio.to_thread(pool.shutdown)
        await asyncio.to_thread(self._readers.close)
        for name in list(self._open):
            self._forget(name)
        self._room.close()

    def use(self, embedder: Embedder | None) -> None:
        """From now on. Vectors of another one are made anew by the next `embed_pending`."""
        self._embedder = _usable(embedder)
        for _, index in self._open.values():
            index.use(self._embedder)

    def learn(self, synonyms: Mapping[str, Iterable[str]]) -> None:
        """More lists of words that mean the same, from now on."""
        for word, others in synonyms.items():
            known = self._lists.get(word, ())
            if new := tuple(other for other in others if other not in known):
                self._lists[word] = (*known, *new)
                self._synonyms = None

    @property
    def embedder(self) -> Embedder | None:
        return self._embedder

    def names(self) -> list[str]:
        """Of the indexes that there are. Blocks while it looks."""
        return self._room.names()

    def index(self, name: str, *, make: bool = False) -> Index:
        """The index of that name. `make`: an empty one where there is none. In PostgreSQL whether it is there shows
        when it is used: `UnknownName` is raised then."""
        if not name or len(name) > MAX_NAME or "\n" in name:
            raise UsageError(
                f"{name[:MAX_NAME]!r} cannot name an index: give it 1 to {MAX_NAME} characters in one line."
            )
        known = self._open.get(name)
        try:
            made = self._room.identify(name, make=make)
        except UnknownName:
            self._forget(name)
            raise
        if known is None or known[0] != made:
            self._forget(name)
            backend = self._room.open(name, make=make)
            workers = {"threads": self._searches, "writers": self._writes}
            known = (made, Index(name, backend, self._embedder, **workers, readers=self._readers))
            self._open[name] = known
        return known[1]

    def ledger(self, name: str) -> ConversationLedger:
        """What is written down of the conversations in the index of that name, in the same place."""
        return self._room.ledger(name)

    async def drop(self, name: str) -> bool:
        """Removes the index and all that is in it; whether there was one. Waits for who writes it now."""
        try:
            await self.index(name).drop()
        except UnknownName:
            return False
        finally:
            self._forget(name)
        return True

    def _same(self) -> Synonyms:
        if self._synonyms is None:
            self._synonyms = Synonyms(self._lists)
        return self._synonyms

    def _forget(self, name: str) -> None:
        """Another process may have removed the index, or made another in its place."""
        known = self._open.pop(name, None)
        if known is not None:
            known[1].close()

    async def search(
        self,
        query: str,
        *,
        index: str,
        user: str = "",
        owners: Sequence[str] | None = None,
        domains: Sequence[str] | None = None,
        max_results: int = 10,
        min_relevance: float = 0.0,
        token_budget: int = 8_000,
    ) -> Sequence[Passage]:
        """Passages for one user, best first: what others keep has no influence at all. `owners`: whose documents, in
        place of the user's own and everybody's. `domains`: only documents of these; raises `UnknownName` where there
        is no such index."""
        # Half characters, as broken JSON brings them, are text for nobody below.
        text = query[:MAX_QUESTION].encode("utf-8", "replace").decode().strip()
        found = self.index(index)
        if owners is not None and not owners:
            return []
        if not text or max_results < 1 or token_budget < 1:
            return []
        question = SearchQuery(
            text=text,
            asked=parse_query(text, self._same()),
            owners=tuple({user, ""} if owners is None else dict.fromkeys(owners)),
            domains=None if domains is None else tuple(domains),
            weights=self._weights,
        )
        return await found.search(
            question,
            max_results=min(max_results, MAX_RESULTS),
            min_relevance=min_relevance,
            token_budget=token_budget,
        )


def _usable(embedder: Embedder | None) -> Embedder | None:
    if embedder is not None and find_spec("numpy") is None:
        raise UsageError("Searching by meaning needs numpy: install glassloop[retrieval], or give no embedder.")
    return embedder
