"""All indexes of one home, by name; the `Retriever` that the rest of Glassloop knows."""

import asyncio
import hashlib
import re
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from types import TracebackType
from typing import Self

from glassloop.core.errors import UnknownName, UsageError
from glassloop.core.ports import Embedder, Passage
from glassloop.retrieval.asking import Synonyms, ask
from glassloop.retrieval.index import Index
from glassloop.retrieval.ranking import DENSE_WEIGHT, SPARSE_WEIGHT, Weights
from glassloop.retrieval.searching import Question

MOST_QUESTION = 4_000
MOST_RESULTS = 100
MOST_NAME = 100
SEARCHES = 4
WRITES = 4


class Library:
    """Indexes in a folder. `synonyms`: lists of words that mean the same, for every question."""

    def __init__(
        self,
        folder: Path,
        embedder: Embedder | None = None,
        *,
        synonyms: Mapping[str, Iterable[str]] | None = None,
        dense_weight: float = DENSE_WEIGHT,
        sparse_weight: float = SPARSE_WEIGHT,
    ) -> None:
        try:
            self._weights = Weights(dense=dense_weight, sparse=sparse_weight)
        except ValueError as error:
            raise UsageError(f"The retrieval {error}.") from error
        if embedder is not None and find_spec("numpy") is None:
            raise UsageError("Searching by meaning needs numpy: install glassloop[retrieval], or give no embedder.")
        self._folder = folder
        self._embedder = embedder
        self._synonyms = Synonyms(synonyms)
        self._searches = ThreadPoolExecutor(SEARCHES, "glassloop-search")
        self._writes = ThreadPoolExecutor(WRITES, "glassloop-index")
        self._open: dict[str, tuple[int, Index]] = {}
        """By name, with what its folder was when it was opened."""

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
        for name in list(self._open):
            self._forget(name)

    def names(self) -> list[str]:
        """Of the indexes that there are."""
        found: list[str] = []
        for path in self._folder.glob("*/name"):
            with suppress(OSError):
                found.append(path.read_text("utf-8"))
        return sorted(found)

    def index(self, name: str, *, make: bool = False) -> Index:
        """The index of that name. `make`: an empty one where there is none."""
        folder = self._folder_of(name)
        if make and not (folder / "name").is_file():
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            (folder / "name").write_text(name, "utf-8")
        known = self._open.get(name)
        try:
            made = (folder / "name").stat().st_ino
        except OSError as error:
            self._forget(name)
            there = ", ".join(map(repr, self.names()[:20])) or "none yet"
            raise UnknownName(
                f"There is no index {name!r}: make it first, or choose from those there are ({there})."
            ) from error
        if known is None or known[0] != made:
            self._forget(name)
            known = (made, Index(folder, name, self._embedder, self._searches, self._writes))
            self._open[name] = known
        return known[1]

    async def drop(self, name: str) -> bool:
        """Removes the index and all that is in it; whether there was one. Waits for who writes it now."""
        try:
            index = self.index(name)
        except UnknownName:
            return False
        await index.drop()
        self._forget(name)
        return True

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
        domains: Sequence[str] | None = None,
        max_results: int = 10,
        min_relevance: float = 0.0,
        token_budget: int = 8_000,
    ) -> Sequence[Passage]:
        """As the port `Retriever` says."""
        # Half characters, as broken JSON brings them, are text for nobody below.
        text = query[:MOST_QUESTION].encode("utf-8", "replace").decode().strip()
        found = self.index(index)
        if not text or max_results < 1 or token_budget < 1:
            return []
        question = Question(
            text=text,
            asked=ask(text, self._synonyms),
            owners=tuple({user, ""}),
            domains=None if domains is None else tuple(domains),
            weights=self._weights,
        )
        return await found.search(
            question,
            max_results=min(max_results, MOST_RESULTS),
            min_relevance=min_relevance,
            token_budget=token_budget,
        )

    def _folder_of(self, name: str) -> Path:
        if not name or len(name) > MOST_NAME or "\n" in name:
            raise UsageError(
                f"{name[:MOST_NAME]!r} cannot name an index: give it 1 to {MOST_NAME} characters in one line."
            )
        readable = re.sub(r"[^A-Za-z0-9]+", "-", name).strip("-")[:40].lower()
        return self._folder / f"{readable or 'index'}-{hashlib.blake2b(name.encode(), digest_size=6).hexdigest()}"
