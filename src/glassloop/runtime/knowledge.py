"""The knowledge base of these settings: where its library is, and the jobs that fill it.

An import ends when its documents are found by their words; their meaning follows in a job of its own. Both go on where
they stood when another worker begins them again.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from glassloop.core.errors import GlassloopError, UsageError
from glassloop.core.records import Json
from glassloop.runtime.durable.jobs import JobContext, JobKind
from glassloop.runtime.embedding import ready_embedder
from glassloop.runtime.settings import Settings
from glassloop.runtime.settings.folder import read_toml
from glassloop.store.engine.urls import is_postgres
from glassloop.store.records import JobRow

if TYPE_CHECKING:
    from glassloop.core.ports import Embedder, Progress
    from glassloop.retrieval.collections.knowledge import KnowledgeBase
    from glassloop.retrieval.index.library import Library
    from glassloop.retrieval.index.sources import IndexReport

_log = logging.getLogger(__name__)

IMPORT = "knowledge"
"""The kind of job. Its parameters are those of `Import`."""

EMBED = "knowledge-embed"
FOLDER = "knowledge"
SYNONYMS = "synonyms.toml"
"""In that folder, written by whoever keeps the knowledge base."""

MAX_TOLD_BYTES = 500_000
"""Of what became of single documents, in the result of a job."""

Submit = Callable[[str, str], Awaitable[JobRow]]
"""Has a job of a kind done for a user."""


class Import(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What to take in. `owner` '' is shared; `name` is what a single file is called, where its path does not say it."""

    path: str
    owner: str
    domain: str = ""
    name: str = ""
    mirror: bool = False


def open_library(settings: Settings, embedder: "Embedder | None") -> "Library":
    """Whoever opens it closes it. Nothing is written, and no library imported, before it is used."""
    from glassloop.retrieval.index.library import Library

    url = settings.database_url
    folder = settings.home_path / FOLDER
    return Library(
        folder,
        embedder,
        synonyms=read_synonyms(folder / SYNONYMS),
        dense_weight=settings.rag_dense_weight,
        sparse_weight=settings.rag_sparse_weight,
        database_url=url if url and is_postgres(url) else None,
    )


def read_synonyms(path: Path) -> dict[str, list[str]]:
    """Lists of words that mean the same: `flash = ["披锋", "飞边"]`; none where there is no such file."""
    try:
        return msgspec.convert(read_toml(path), dict[str, list[str]])
    except msgspec.ValidationError as error:
        raise UsageError(
            f'{path} cannot be used ({error}): write a list of words for each word, such as flash = ["burr"].'
        ) from None


class Knowledge:
    """The knowledge base of a process, opened when somebody first asks for it: most turns never do. `ready` says which
    embedder is there now; waiting passages are looked for `rest_s` after a start, or after another came."""

    def __init__(
        self,
        settings: Settings,
        *,
        ready: "Callable[[Settings], Embedder | None]" = ready_embedder,
        rest_s: float = 3.0,
    ) -> None:
        self._settings = settings
        self._ready = ready
        self._rest_s = rest_s
        self._base: KnowledgeBase | None = None
        self._embedding = asyncio.Lock()
        self._renewed = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        """From now on, in the background: passages that wait for their meaning get it, now and whenever another
        embedder is there."""
        self._renewed.set()
        self._task = asyncio.create_task(self._fill())

    async def embed_pending(self, progress: "Progress | None" = None) -> int:
        """Gives passages their vectors; how many got one. One at a time: two would each embed the same."""
        async with self._embedding:
            return await self.base().embed_pending(progress)

    async def _fill(self) -> None:
        while True:
            await self._renewed.wait()
            # Not at once: whoever has just started has better things to do.
            await asyncio.sleep(self._rest_s)
            self._renewed.clear()
            if self._ready(self._settings) is None:
                continue
            try:
                await self.embed_pending()
            except GlassloopError as error:
                _log.warning("passages of the knowledge base wait for their meaning until the next start: %s", error)
            except Exception:
                _log.exception("passages of the knowledge base wait for their meaning until the next start")

    def base(self) -> "KnowledgeBase":
        if self._base is None:
            from glassloop.retrieval.collections.knowledge import KnowledgeBase

            self._base = KnowledgeBase(
                open_library(self._settings, self._ready(self._settings)), quota=self._settings.upload_quota
            )
        return self._base

    def renew(self) -> None:
        """Another embedder may be there now."""
        if self._base is not None:
            self._base.library.use(self._ready(self._settings))
        self._renewed.set()

    async def aclose(self) -> None:
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait([self._task])
            self._task = None
        if self._base is not None:
            await self._base.library.aclose()


async def count_own(settings: Settings, user: str) -> int:
    """How many documents are this user's own."""
    knowledge = Knowledge(settings)
    try:
        return sum(not each.shared for each in await knowledge.base().documents(user))
    finally:
        await knowledge.aclose()


async def forget_own(settings: Settings, user: str) -> int:
    """Removes all documents of a user's own; how many there were. Nothing of them is left in the files after it."""
    knowledge = Knowledge(settings)
    try:
        return await knowledge.base().forget(user)
    finally:
        await knowledge.aclose()


def knowledge_kinds(knowledge: Knowledge, submit: Submit) -> Sequence[JobKind]:
    """The jobs that take documents in, and that find out what they mean."""

    async def take_in(context: JobContext, params: dict[str, Json]) -> Json:
        report = await _import(knowledge.base(), context, msgspec.convert(params, Import))
        told = _told(report)
        if knowledge.base().library.embedder is not None:
            told["embed_job"] = (await submit(EMBED, context.user)).id
        return told

    async def embed(context: JobContext, _params: dict[str, Json]) -> Json:
        return {"embedded_passages": await knowledge.embed_pending(context.progress)}

    return (
        JobKind(name=IMPORT, run=take_in, resumable=True, one_at_a_time=FOLDER),
        JobKind(name=EMBED, run=embed, resumable=True),
    )


async def _import(knowledge: "KnowledgeBase", context: JobContext, wanted: Import) -> "IndexReport":
    from glassloop.retrieval.index.sources import DocumentSource

    path = Path(wanted.path)
    if not wanted.name:
        return await knowledge.import_path(
            path, domain=wanted.domain, user=wanted.owner, progress=context.progress, mirror=wanted.mirror
        )
    if not await asyncio.to_thread(path.is_file):
        raise UsageError(f"The file {wanted.name!r} no longer exists: upload it again.")
    source = DocumentSource(name=wanted.name, path=path)
    report = await knowledge.add([source], domain=wanted.domain, user=wanted.owner, progress=context.progress)
    if report.stopped:
        raise UsageError(report.problems[0].reason)
    return report


def _told(report: "IndexReport") -> dict[str, Json]:
    """The report as a job can keep it: all numbers, and as many of the documents as there is room for."""
    told: dict[str, Json] = msgspec.to_builtins(report)
    while len(msgspec.json.encode(told)) > MAX_TOLD_BYTES:
        for part in ("documents", "problems"):
            told[part] = told[part][: len(told[part]) // 2]
    return told
