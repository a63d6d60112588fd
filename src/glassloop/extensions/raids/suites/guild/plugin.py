"""The tools of the raid analyst over the sample's raids, in a database of their own in the home.

The user's own reports are not touched. The sample is written and imported at the first call, which takes a minute or
two; later runs find it there.
"""

import asyncio
import hashlib
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast

import msgspec

from glassloop.extensions.raids.knowledge.loader import load_knowledge
from glassloop.extensions.raids.storage.reports import RaidStore
from glassloop.extensions.raids.tools import tools_over
from glassloop.extensions.raids.tools.reader import RaidReader
from glassloop.own_folder import make_own
from glassloop.runtime.durable.jobs import JobContext
from glassloop.runtime.extensions import RuntimeContext
from glassloop.runtime.settings import Settings
from glassloop.store.records import EVAL_USER
from glassloop.tools.plugin import Plugin
from glassloop.tools.tool import Tool

if TYPE_CHECKING:
    from glassloop.store.engine.database import SqlConnection
    from glassloop.store.store import Store

FOLDER = Path("evals")
FILE = "raids.db"
MADE_BY = ("sample", "log", "analysis", "knowledge", "data", "storage", "migrations")
"""Parts of the extension that the database depends on: where one changes, it is made anew."""
FIRST_CALL_S = 900.0
DAY = "2026-11-16"
"""Of the sample: questions have fixed answers."""

T = TypeVar("T")

LoadSample = Callable[[RuntimeContext], Awaitable[object]]
"""Puts the sample into the store of a context, with a character of nobody's at the end."""


async def load_sample(context: RuntimeContext) -> None:
    """The sample as servers have it, at a fixed day."""
    from glassloop.extensions.raids.importing.job import RaidImporter
    from glassloop.extensions.raids.importing.sample import NOBODY, SampleLoader

    await SampleLoader(context, RaidImporter(context)).run(JobContext("sample", NOBODY), {"day": DAY})


class SampleGuild(Plugin):
    """Closed with its agent."""

    name = "sample_guild"

    def __init__(self, load: LoadSample = load_sample) -> None:
        self._load = load
        self._sample: SampleDatabase | None = None

    def tools(self, home: Path, offered: Mapping[str, Any]) -> Sequence[Tool]:
        settings: Settings = offered.get("settings") or Settings(home=str(home))
        self._sample = sample = SampleDatabase(home / FOLDER / f"raids-{_digest()}", settings, self._load)
        # The store itself is opened at the first call: what is asked of it until then waits.
        made = tools_over(RaidReader(RaidStore(cast("Store", sample)), load_knowledge()))
        for each in made:
            each.timeout_s = FIRST_CALL_S
            each.spec = msgspec.structs.replace(each.spec, timeout_s=FIRST_CALL_S)
        return made

    async def aclose(self) -> None:
        if self._sample is not None:
            await self._sample.aclose()


def _digest() -> str:
    root = Path(__file__).parents[2]
    found = hashlib.sha256()
    for path in sorted(path for part in MADE_BY for path in (root / part).rglob("*")):
        if path.is_file() and path.suffix in (".py", ".toml", ".xz"):
            found.update(f"{path.relative_to(root).as_posix()}\0".encode())
            found.update(path.read_bytes())
    return found.hexdigest()[:12]


class SampleDatabase:
    """A store that opens itself, and loads the sample where it is not there yet: as much of one as `RaidStore` uses."""

    def __init__(self, folder: Path, settings: Settings, load: LoadSample) -> None:
        self._folder, self._settings, self._load = folder, settings, load
        self._opening: asyncio.Task[Store] | None = None

    @property
    def engine(self) -> "SampleDatabase":
        return self

    @staticmethod
    def clock() -> float:
        return time.time()

    async def read(self, work: "Callable[[SqlConnection], T]") -> T:
        return await (await self._opened()).engine.read(work)

    async def write(self, work: "Callable[[SqlConnection], T]", **options: Any) -> T:
        return await (await self._opened()).engine.write(work, **options)

    async def aclose(self) -> None:
        if self._opening is not None and self._opening.done() and self._opening.exception() is None:
            await self._opening.result().aclose()
        elif self._opening is not None:
            self._opening.cancel()

    async def _opened(self) -> "Store":
        if self._opening is None or (self._opening.done() and self._opening.exception() is not None):
            self._opening = asyncio.ensure_future(self._open())
        # A call that gives up does not end what the next one waits for.
        return await asyncio.shield(self._opening)

    async def _open(self) -> "Store":
        from glassloop.extensions.raids.importing.sample import NOBODY
        from glassloop.store import open_store

        await asyncio.to_thread(make_own, self._folder)
        store = await open_store(str(self._folder / FILE), branches=self._settings.extensions.branches)
        try:
            raids = RaidStore(store)
            if not await raids.characters(NOBODY):
                await self._load(RuntimeContext(settings=self._settings, store=store, refresh=lambda: None))
            if not await raids.characters(EVAL_USER):
                (mine, *_) = await raids.characters(NOBODY)
                await raids.add_character(EVAL_USER, mine.name, mine.realm, mine.class_name, mine.spec)
        except BaseException:
            await store.aclose()
            raise
        return store
