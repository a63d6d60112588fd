"""Index of the code of one workspace: what changed since the last search is read first, and only that.

Owns when files are looked at. Which of them count is `workspace`'s business, what is found in them the index's.
"""

import asyncio
import logging
from collections.abc import Sequence
from pathlib import Path

from glassloop.core.errors import StoreAway
from glassloop.core.ports import Passage, Progress
from glassloop.retrieval.code.workspace import IndexedFiles
from glassloop.retrieval.index.index import Index
from glassloop.retrieval.index.library import Library
from glassloop.retrieval.index.sources import DocumentSource, IndexReport

_log = logging.getLogger(__name__)

POLL_S = 2.0
"""How long a search may look for changes; what is not reached is looked at by the next."""

LOOK_S = 5.0
"""How long a search waits for that look, which goes on without it."""

WAIT_S = 3.0
"""For another process that writes: what does not go in now goes in with the next search."""

MAX_TOLD = 1_000
MIN_RELEVANCE = 0.7
TOKEN_BUDGET = 8_000


class CodeIndex:
    """One workspace in one index of a library."""

    def __init__(
        self, library: Library, name: str, root: Path, *, wait_s: float = WAIT_S, look_s: float = LOOK_S
    ) -> None:
        self._library = library
        self._name = name
        self.root = root
        self._wait_s, self._look_s = wait_s, look_s
        self._workspace: IndexedFiles | None = None
        self._left_out: list[tuple[str, str]] = []
        self._waiting: set[str] = set()
        """What came or went and is not in the index yet: another process may be writing that."""
        self._noted: set[str] = set()
        self._lock = asyncio.Lock()
        self._look: asyncio.Task[IndexReport] | None = None
        self.building = False
        """Whether all files are being read: not all of them may be found by now."""

    @property
    def complete(self) -> bool:
        """Whether this process has read all files once."""
        return self._workspace is not None

    async def aclose(self) -> None:
        """Ends a look that goes on."""
        if self._look is not None:
            self._look.cancel()
            await asyncio.wait([self._look])

    def note(self, names: Sequence[str]) -> None:
        """Files that were just written: the next look begins with them, however long a look at all of them takes."""
        self._noted.update(names[: MAX_TOLD - len(self._noted)])

    async def count(self) -> tuple[int, int]:
        """Files and passages that are in it."""
        found = [each.chunks for each in await self._index().documents() if each.chunks]
        return len(found), sum(found)

    async def build(self, progress: Progress | None = None) -> IndexReport:
        """All of it, by its words; files that are there and unchanged are not read again. Cancelled or killed, it goes
        on from where it was."""
        async with self._lock:
            return await self._build(progress)

    async def refresh(self) -> IndexReport:
        """What changed since the last look, in this process; all of it at the first."""
        async with self._lock:
            if self._workspace is None:
                return await self._build(None)
            noted, self._noted = self._noted, set()
            changes = await asyncio.to_thread(self._workspace.changes, POLL_S, sorted(noted))
            self._waiting.update(changes.changed, changes.gone)
            return await self._take(self._workspace)

    async def embed_pending(self, progress: Progress | None = None) -> int:
        """What was read, by its meaning too; how many passages."""
        return await self._index().embed_pending(progress)

    async def search(
        self,
        query: str,
        *,
        max_results: int = 10,
        min_relevance: float = MIN_RELEVANCE,
        token_budget: int = TOKEN_BUDGET,
    ) -> Sequence[Passage]:
        """Best first, in what the files hold now; while the index is made or written by another process, and where a
        look at the files takes long, in what it holds by then."""
        if not self.building:
            await self._refresh_for_search()
        return await self._library.search(
            query,
            index=self._name,
            max_results=max_results,
            min_relevance=min_relevance,
            token_budget=token_budget,
        )

    async def _refresh_for_search(self) -> None:
        if self._look is None or self._look.done():
            self._look = asyncio.create_task(self.refresh())
        done, _ = await asyncio.wait([self._look], timeout=self._look_s)
        error = self._look.exception() if done and not self._look.cancelled() else None
        if isinstance(error, StoreAway):
            _log.warning("a search goes on with what is in the index: %s", error)
        elif error is not None:
            raise error

    def _index(self) -> Index:
        return self._library.index(self._name, make=True)

    async def _build(self, progress: Progress | None) -> IndexReport:
        self.building = True
        try:
            return await self._read_all(progress)
        finally:
            self.building = False

    async def _read_all(self, progress: Progress | None) -> IndexReport:
        self._left_out.clear()
        workspace = await asyncio.to_thread(IndexedFiles, self.root, self._leave_out)
        index = self._index()
        report = await index.add(workspace.sources(), progress=progress, only_these=True)
        self._workspace = workspace
        self._waiting.clear()
        await self._remove(index, sorted(_unread(report)))
        self._tell(report)
        return report

    async def _take(self, workspace: IndexedFiles) -> IndexReport:
        report, index, names = IndexReport(), self._index(), sorted(self._waiting)
        changed = [workspace.source(name) for name in names if workspace.is_wanted(name)]
        if changed:
            report = await index.add(changed, wait_s=self._wait_s)
        # What cannot be read any more is not found by what it was before.
        gone = {name for name in names if not workspace.is_wanted(name)} | _unread(report)
        report.removed += await self._remove(index, sorted(gone))
        self._waiting.difference_update(names)
        self._tell(report)
        return report

    async def _remove(self, index: Index, names: Sequence[str]) -> int:
        """Leaves nothing of them to be found, and their names to the next build. `Index.remove` does more, which takes
        as long as all words of the workspace: it has them gone from every file, and these were the user's own."""
        if not names:
            return 0
        return (await index.add([DocumentSource(name=name, text="") for name in names], wait_s=self._wait_s)).changed

    def _leave_out(self, name: str, why: str) -> None:
        if len(self._left_out) < MAX_TOLD:
            self._left_out.append((name, why))

    def _tell(self, report: IndexReport) -> None:
        for name, why in self._left_out:
            report.tell(name, f"{name} {why}.")
        self._left_out.clear()


def _unread(report: IndexReport) -> set[str]:
    return {problem.document for problem in report.problems}
