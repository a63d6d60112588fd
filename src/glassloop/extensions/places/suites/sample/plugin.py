"""The tools of the places analyst over a sample of a fixed day, in a folder of its own in the home.

The user's own data is not touched. The sample is made at the first call; later runs find it there.
"""

import asyncio
import hashlib
from collections.abc import Callable, Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import Any

import msgspec

from glassloop.extensions.places.data_set.database import PlacesDatabase
from glassloop.extensions.places.data_set.open_databases import OpenDatabases
from glassloop.extensions.places.query.data_facts import data_facts
from glassloop.extensions.places.sample import write_sample
from glassloop.extensions.places.tools import tools_over
from glassloop.extensions.places.tools.reader import PlacesReader
from glassloop.tools.plugin import Plugin
from glassloop.tools.tool import Tool

FOLDER = Path("evals")
DAY = date(2026, 11, 16)
SEED = 1
MADE_BY = ("sample", "data_set")
"""Parts of the extension that the sample depends on: where one changes, it is made anew."""
FIRST_CALL_S = 300.0

Write = Callable[[Path], object]


def write_fixed_sample(folder: Path) -> None:
    write_sample(folder, seed=SEED, today=DAY)


class SamplePlaces(Plugin):
    """Tests give another way to write the sample."""

    name = "sample_places"

    def __init__(self, write: Write = write_fixed_sample) -> None:
        self._write = write
        self._databases: SampleDatabases | None = None

    def tools(self, home: Path, offered: Mapping[str, Any]) -> Sequence[Tool]:  # noqa: ARG002
        self._databases = SampleDatabases(home / FOLDER / f"places-{_digest()}", self._write)
        made = tools_over(PlacesReader(self._databases))
        for each in made:
            each.timeout_s = FIRST_CALL_S
            each.spec = msgspec.structs.replace(each.spec, timeout_s=FIRST_CALL_S)
        return made

    async def prompt_facts(self, user: str) -> Mapping[str, str]:
        return {} if self._databases is None else {"places.data": await data_facts(self._databases, user)}


class SampleDatabases(OpenDatabases):
    """The sample for everybody, made where it is not there yet."""

    def __init__(self, home: Path, write: Write) -> None:
        super().__init__(home, size=1)
        self._write = write
        self._making: asyncio.Task[None] | None = None

    async def of(self, user: str) -> PlacesDatabase:
        if self._making is None or (self._making.done() and self._making.exception() is not None):
            self._making = asyncio.ensure_future(asyncio.to_thread(self._make))
        # A call that gives up does not end what the next one waits for.
        await asyncio.shield(self._making)
        return await super().of(user)

    def _make(self) -> None:
        if self.data_sets.shared() is None:
            with self.data_sets.staged() as staged:
                self._write(staged)
                self.data_sets.put(staged, user=None)


def _digest() -> str:
    root = Path(__file__).parents[2]
    found = hashlib.sha256()
    for path in sorted(path for part in MADE_BY for path in (root / part).rglob("*")):
        if path.is_file() and path.suffix in (".py", ".toml"):
            found.update(f"{path.relative_to(root).as_posix()}\0".encode())
            found.update(path.read_bytes())
    return found.hexdigest()[:12]
