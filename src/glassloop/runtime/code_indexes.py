"""The indexes of workspaces that users had made, opened when somebody first asks for one, and the jobs that fill them.

Offered to tool factories as `contexts`. A job ends when the files are found by their words; their meaning follows in a
job of its own. The indexes lie beside the workspaces, on this machine.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from glassloop.core.errors import UsageError
from glassloop.core.ports import Passage
from glassloop.core.records import Json
from glassloop.runtime.durable.jobs import JobContext, JobKind
from glassloop.runtime.embedding import ready_embedder
from glassloop.runtime.settings import Settings
from glassloop.runtime.workspaces import AllowedRoots
from glassloop.store.records import JobRow

if TYPE_CHECKING:
    from glassloop.retrieval.code.code_contexts import CodeContext, CodeContexts

INDEX = "code-index"
"""The kind of job. Its parameters are those of `IndexedFolder`."""
EMBED = "code-embed"
MAX_NAME = 100
"""Characters of what an index is called."""

Submit = Callable[[str, dict[str, Json], str], Awaitable[JobRow]]
"""Has a job of a kind done with these parameters for a user."""


class IndexedFolder(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A folder, as its user names it, and what its index is called."""

    name: str
    workspace: str


def index_name(workspace: str) -> str:
    """What the index of a folder is called where its user names none; without slashes, as it stands in addresses."""
    return workspace.replace("/", "-")[-MAX_NAME:].strip("-") or "index"


class CodeIndexes:
    """The indexes of all users, each found by their own only, and only while they may work in its folder."""

    def __init__(self, settings: Settings, roots: AllowedRoots) -> None:
        self._settings = settings
        self._roots = roots
        self._contexts: CodeContexts | None = None

    def contexts(self) -> "CodeContexts":
        if self._contexts is None:
            from glassloop.retrieval.code.code_contexts import CodeContexts
            from glassloop.retrieval.index.library import Library

            settings, folder = self._settings, self._settings.home_path / "code"
            library = Library(
                folder / "indexes",
                ready_embedder(settings),
                dense_weight=settings.rag_dense_weight,
                sparse_weight=settings.rag_sparse_weight,
            )
            self._contexts = CodeContexts(library, folder / "contexts")
        return self._contexts

    def renew(self) -> None:
        """Another embedder may be there now."""
        if self._contexts is not None:
            self._contexts.use(ready_embedder(self._settings))

    async def aclose(self) -> None:
        if self._contexts is not None:
            await self._contexts.aclose()

    async def of(self, user: str) -> Sequence[tuple["CodeContext", str]]:
        """A user's indexes, each with the folder as they may name it: empty where they may not work in it any more."""
        mine = await self.contexts().of(user)
        return [(each, await asyncio.to_thread(self._name, user, each.root)) for each in mine]

    async def search(
        self,
        user: str,
        query: str,
        name: str | None = None,
        *,
        max_results: int,
        min_relevance: float,
        token_budget: int,
    ) -> Sequence[Passage]:
        """Best first. Raises `UsageError` where there is no such index, or its folder may not be worked in."""
        found = await self.contexts().find(user, name)
        # Asked each time: what may be worked in may have changed.
        await asyncio.to_thread(self._roots.find, user, found.root)
        return await self.contexts().search(
            user, query, found.name, max_results=max_results, min_relevance=min_relevance, token_budget=token_budget
        )

    async def is_building(self, user: str, name: str | None = None) -> bool:
        """Whether not all files of an index were read yet."""
        return await self.contexts().is_building(user, name)

    async def index_of(self, user: str, root: Path) -> str | None:
        """The name of the user's index of that very folder, whose path is without links."""
        return await self.contexts().index_of(user, root)

    def note_changes(self, root: Path, paths: Sequence[str]) -> None:
        """Files below a folder were just written: the next search looks at these first."""
        if self._contexts is not None:
            self._contexts.note_changes(root, paths)

    async def remove(self, user: str, name: str) -> bool:
        """Whether there was one."""
        return await self.contexts().remove(user, name)

    async def forget_user(self, user: str) -> int:
        """Removes all of a user's; how many there were."""
        return await self.contexts().forget_user(user)

    def jobs(self, submit: Submit) -> Sequence[JobKind]:
        """The jobs that read folders, and that find out what their files mean."""

        async def index(context: JobContext, params: dict[str, Json]) -> Json:
            wanted = msgspec.convert(params, IndexedFolder)
            _, root = await asyncio.to_thread(self._roots.find, context.user, wanted.workspace)
            contexts = self.contexts()
            report = await contexts.create(context.user, wanted.name, root, context.progress)
            told: dict[str, Json] = {"name": wanted.name, "added": report.added, "changed": report.changed}
            if contexts.embeds:
                told["embed_job"] = (await submit(EMBED, params, context.user)).id
            return told

        async def embed(context: JobContext, params: dict[str, Json]) -> Json:
            name = msgspec.convert(params, IndexedFolder).name
            return {"embedded_passages": await self.contexts().embed_pending(context.user, name, context.progress)}

        return (
            JobKind(name=INDEX, run=index, resumable=True, one_at_a_time=INDEX),
            JobKind(name=EMBED, run=embed, resumable=True, one_at_a_time=EMBED),
        )

    def _name(self, user: str, root: str) -> str:
        try:
            return self._roots.find(user, root)[0]
        except UsageError:
            return ""
