"""Workspaces that were indexed, by the names their users gave them. A user sees only their own.

Each is a small file that says whose it is and where the workspace lies, and an index of its own in the library.
"""

import asyncio
import hashlib
import time
from collections import OrderedDict
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import msgspec

from glassloop.core.errors import UnknownName, UsageError
from glassloop.core.ports import Embedder, Passage, Progress
from glassloop.own_folder import make_own
from glassloop.ready_types import make_ready
from glassloop.retrieval.code.code_index import MIN_RELEVANCE, TOKEN_BUDGET, CodeIndex
from glassloop.retrieval.index.library import Library
from glassloop.retrieval.index.sources import IndexReport
from glassloop.whole_file import write_whole

MAX_NAME = 100
MAX_OPEN = 16
MAX_CONTEXTS = 100


class NothingIndexed(UnknownName):
    """A user has no index at all."""


class CodeContext(msgspec.Struct, frozen=True, kw_only=True):
    """`root` is a whole path: for the operator and the user, never for what goes to a model."""

    user: str
    name: str
    root: str
    files: int = 0
    passages: int = 0
    embedded: int = 0
    updated_at: float = 0.0
    """When all of it was last read; 0 before the first time."""

    @property
    def key(self) -> str:
        raw = msgspec.json.encode([self.user, self.name])
        return hashlib.blake2b(raw, digest_size=16).hexdigest()


make_ready(CodeContext)


class CodeContexts:
    """In a library of their own, which they close. `runtime.tools.code_search` searches in them; who makes and removes
    them, and which folders a user may have indexed, an assistant that works on code knows."""

    def __init__(self, library: Library, folder: Path, most: int = MAX_CONTEXTS) -> None:
        """`folder`: where it is written down which there are. `most`: of one user."""
        self._library = library
        self._folder = folder
        self._most = most
        self._open: OrderedDict[str, CodeIndex] = OrderedDict()

    async def aclose(self) -> None:
        for index in self._open.values():
            await index.aclose()
        self._open.clear()
        await self._library.aclose()

    async def create(self, user: str, name: str, root: Path, progress: Progress | None = None) -> IndexReport:
        """Indexes a workspace under a name; one of that name is brought up to date, or to its new place."""
        if not name.strip() or len(name) > MAX_NAME or not name.isprintable():
            raise UsageError(f"{name[:MAX_NAME]!r} cannot name an index: give it 1 to {MAX_NAME} printable characters.")
        whole = await asyncio.to_thread(root.resolve)
        if not await asyncio.to_thread(whole.is_dir):
            raise UsageError(f"There is no folder {root.name!r}: check the path of the workspace.")
        context = CodeContext(user=user, name=name, root=str(whole))
        mine = {each.name: each for each in await self.of(user)}
        if name not in mine and len(mine) >= self._most:
            raise UsageError(f"There are {len(mine)} indexes already, which is the limit: remove one first.")
        if name in mine and mine[name].root != context.root:
            await self.remove(user, name)
        elif name in mine:
            context = mine[name]
        await asyncio.to_thread(self._write, context)
        index = self._index(context)
        report = await index.build(progress)
        await self._count(context, index)
        return report

    async def of(self, user: str) -> Sequence[CodeContext]:
        return [each for each in await asyncio.to_thread(self._read) if each.user == user]

    async def index_of(self, user: str, root: Path) -> str | None:
        """The name of the user's index of that very folder, whose path is without links."""
        return next((each.name for each in await self.of(user) if each.root == str(root)), None)

    async def remove(self, user: str, name: str) -> bool:
        """Whether there was one."""
        context = CodeContext(user=user, name=name, root="")
        self._open.pop(context.key, None)
        await self._library.drop(context.key)
        path = self._folder / f"{context.key}.json"
        there = await asyncio.to_thread(path.is_file)
        await asyncio.to_thread(path.unlink, missing_ok=True)
        return there

    async def forget_user(self, user: str) -> int:
        """Removes all of a user's; how many there were."""
        mine = await self.of(user)
        for context in mine:
            await self.remove(user, context.name)
        return len(mine)

    async def embed_pending(self, user: str, name: str | None = None, progress: Progress | None = None) -> int:
        """Has a workspace found by its meaning too; how many passages. Long, and can be begun again."""
        context = await self.find(user, name)
        index = self._index(context)
        done = await index.embed_pending(progress)
        if self.embeds:
            await self._count(context, index, embedded=True)
        return done

    @property
    def embeds(self) -> bool:
        """Whether there is an embedder."""
        return self._library.embedder is not None

    def use(self, embedder: Embedder | None) -> None:
        """From now on."""
        self._library.use(embedder)

    def note_changes(self, root: Path, paths: Sequence[str]) -> None:
        """Files below a folder were just written: the next search in it looks at these first."""
        for index in self._open.values():
            if root.is_relative_to(index.root):
                below = root.relative_to(index.root)
                index.note([(below / path).as_posix() for path in paths])
            elif index.root.is_relative_to(root):
                above = index.root.relative_to(root).as_posix() + "/"
                index.note([path.removeprefix(above) for path in paths if path.startswith(above)])

    async def search(
        self,
        user: str,
        query: str,
        name: str | None = None,
        *,
        max_results: int = 10,
        min_relevance: float = MIN_RELEVANCE,
        token_budget: int = TOKEN_BUDGET,
    ) -> Sequence[Passage]:
        """Best first, in what the files of the workspace hold now."""
        index = self._index(await self.find(user, name))
        return await index.search(
            query, max_results=max_results, min_relevance=min_relevance, token_budget=token_budget
        )

    async def is_building(self, user: str, name: str | None = None) -> bool:
        """Whether not all files of a workspace were read yet, here or by another process."""
        context = await self.find(user, name)
        index = self._index(context)
        return index.building or not (index.complete or context.updated_at)

    async def find(self, user: str, name: str | None = None) -> CodeContext:
        """The user's index of that name; without one, the only one there is."""
        mine = await self.of(user)
        if not mine:
            raise NothingIndexed("No workspace is indexed yet: make an index of one first.")
        there = ", ".join(repr(each.name) for each in mine[:20])
        if name is None:
            if len(mine) > 1:
                raise UnknownName(f"There are {len(mine)} indexes: say which as context_name ({there}).")
            return mine[0]
        found = next((each for each in mine if each.name == name), None)
        if found is None:
            raise UnknownName(f"There is no index {name[:MAX_NAME]!r}: choose from those there are ({there}).")
        return found

    async def _count(self, context: CodeContext, index: CodeIndex, *, embedded: bool = False) -> None:
        """Writes down how much is in it now, unless it was removed meanwhile."""
        files, passages = await index.count()
        counted = msgspec.structs.replace(
            context,
            files=files,
            passages=passages,
            embedded=passages if embedded else min(context.embedded, passages),
            updated_at=time.time(),
        )
        if any(each.name == context.name for each in await self.of(context.user)):
            await asyncio.to_thread(self._write, counted)

    def _index(self, context: CodeContext) -> CodeIndex:
        key = context.key
        if key not in self._open:
            self._open[key] = CodeIndex(self._library, key, Path(context.root))
            if len(self._open) > MAX_OPEN:
                self._open.popitem(last=False)
        self._open.move_to_end(key)
        return self._open[key]

    def _write(self, context: CodeContext) -> None:
        make_own(self._folder)
        write_whole(self._folder / f"{context.key}.json", msgspec.json.encode(context))

    def _read(self) -> list[CodeContext]:
        found: list[CodeContext] = []
        for path in sorted(self._folder.glob("*.json")):
            with suppress(OSError, msgspec.MsgspecError):
                found.append(msgspec.json.decode(path.read_bytes(), type=CodeContext))
        return sorted(found, key=lambda each: each.name)
