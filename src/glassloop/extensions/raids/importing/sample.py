"""The sample's raids in a store that has none: written and imported by a job, while the server answers already.

Everybody sees them. They belong to nobody, and a server loads them once: what is deleted of them stays deleted.
"""

import asyncio
import tempfile
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

from glassloop.core.errors import GlassloopError
from glassloop.core.records import Json
from glassloop.extensions.raids.importing.job import RaidImport, RaidImporter
from glassloop.extensions.raids.storage.reports import RaidStore
from glassloop.extensions.raids.storage.rows import ReportRow
from glassloop.python_child import python_child
from glassloop.runtime.durable.jobs import JobContext, JobKind
from glassloop.runtime.extensions import RuntimeContext
from glassloop.store.store import Store

SAMPLE = "raids_sample"
NOBODY = ""
"""Whose they are: no user has that name."""
LOCAL_USER = "anonymous"
"""Whoever uses a server alone: one of the sample's players is theirs."""
WRITER = "glassloop.extensions.raids.importing.sample_child"
_PATTERN = "*.txt*"


async def enqueue_sample(store: Store) -> bool:
    """Has the sample loaded where nobody has imported anything and it was not loaded before; whether it is now."""
    raids = RaidStore(store)
    if await raids.characters(NOBODY) or await raids.has_others(NOBODY):
        return False
    for job in await store.jobs.unfinished():
        if job.kind == SAMPLE:
            return False
    await store.jobs.enqueue(SAMPLE, NOBODY, {"day": datetime.now(UTC).date().isoformat()})
    return True


class SampleLoader:
    """Loads the sample for an open runtime."""

    def __init__(self, context: RuntimeContext, importer: RaidImporter, writer: str = WRITER) -> None:
        self._importer = importer
        self._writer = writer
        self._raids = RaidStore(context.store)
        self._is_local = context.settings.auth == "local"

    def kind(self) -> JobKind:
        return JobKind(name=SAMPLE, run=self.run, resumable=True)

    async def run(self, job: JobContext, params: dict[str, Json]) -> Json:
        """`day` is the one after the guild's last night: part of the job, so that one that is taken up on another day
        finds the files that it has imported. Another `seed` makes other raids."""
        from glassloop.extensions.raids.sample import REFERENCES
        from glassloop.extensions.raids.sample.guild import SAMPLE_DAY

        day = str(params.get("day") or SAMPLE_DAY.isoformat())

        job.progress("Writing the sample's combat logs")
        with tempfile.TemporaryDirectory(prefix="glassloop-raids-") as made:
            folder = Path(made)
            await _write(self._writer, folder, day, str(params.get("seed") or 1))
            files = await asyncio.to_thread(lambda: sorted(folder.rglob(_PATTERN)))
            there = {row.name for row in await self._rows()}
            for number, path in enumerate(files):
                name = path.relative_to(folder).as_posix()
                if name not in there:
                    wanted = RaidImport(path=str(path), name=name, reference=path.parent.name == REFERENCES)
                    job.progress(f"Importing the sample's raids: {number} of {len(files)}", number / len(files))
                    await self._importer.store_file(job, wanted, shared=True)
        await self._add_characters()
        return {"reports": len(files)}

    async def _rows(self) -> list[ReportRow]:
        return [*await self._raids.reports(NOBODY), *await self._raids.reports(NOBODY, reference=True)]

    async def _add_characters(self) -> None:
        """The player who has got worse: there is something to tell. Nobody's own character marks the end."""
        from glassloop.extensions.raids.sample.guild import REGRESSION

        made = await self._importer.add_character(NOBODY, REGRESSION[0])
        if made is not None and self._is_local and not await self._raids.characters(LOCAL_USER):
            await self._raids.add_character(LOCAL_USER, made.name, made.realm, made.class_name, made.spec)


async def _write(writer: str, folder: Path, day: str, seed: str) -> None:
    child = python_child(writer, str(folder), day, seed)
    process = await asyncio.create_subprocess_exec(
        *child.argv,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.DEVNULL,
        cwd=child.cwd,
        env=child.env,
        start_new_session=True,
    )
    try:
        code = await process.wait()
    finally:
        with suppress(ProcessLookupError):
            process.kill()
        await asyncio.shield(process.wait())
    if code:
        raise GlassloopError(f"The sample's combat logs could not be written (exit code {code}): free disk space.")
