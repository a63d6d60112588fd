"""The sample as everybody's data set where there is none: made by a job, in a process of its own, with progress."""

import asyncio
from contextlib import suppress
from pathlib import Path

import msgspec

from glassloop.core.errors import GlassloopError
from glassloop.core.records import Json
from glassloop.extensions.places.data_set.data_sets import DataSets
from glassloop.python_child import python_child
from glassloop.runtime.durable.jobs import JobContext, JobKind
from glassloop.store.store import Store

SAMPLE = "places_sample"
NOBODY = ""
"""Whose job it is: no user has that name."""
WRITER = "glassloop.extensions.places.sample.child"
MAX_LINE_BYTES = 1_000


class Step(msgspec.Struct, frozen=True):
    """A line of the process: what it does now, and how far it is, from 0 to 1."""

    title: str
    fraction: float


_decoder = msgspec.json.Decoder(Step)


async def enqueue_sample(store: Store, home: Path) -> bool:
    """Has the sample made where everybody has no data set and nobody makes it already; whether it is made now."""
    if await asyncio.to_thread(DataSets(home).shared) is not None:
        return False
    for job in await store.jobs.unfinished():
        if job.kind == SAMPLE:
            return False
    await store.jobs.enqueue(SAMPLE, NOBODY, {})
    return True


class SampleMaker:
    """Makes the sample for a home folder."""

    def __init__(self, home: Path, writer: str = WRITER) -> None:
        self._data_sets = DataSets(home)
        self._writer = writer

    def kind(self) -> JobKind:
        return JobKind(name=SAMPLE, run=self.run, resumable=True)

    async def run(self, job: JobContext, _params: dict[str, Json]) -> Json:
        job.progress("Making the sample of places", 0.0)
        staged = await asyncio.to_thread(self._data_sets.stage)
        try:
            await _write(self._writer, staged, job)
            made = await asyncio.to_thread(self._data_sets.put, staged, user=None)
        finally:
            await asyncio.to_thread(self._data_sets.unstage, staged)
        return {"id": made.id, "first_day": str(made.about.first_day), "last_day": str(made.about.last_day)}


async def _write(writer: str, folder: Path, job: JobContext) -> None:
    child = python_child(writer, str(folder))
    process = await asyncio.create_subprocess_exec(
        *child.argv,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
        cwd=child.cwd,
        env=child.env,
        limit=MAX_LINE_BYTES,
        start_new_session=True,
    )
    try:
        if process.stdout is not None:
            async for line in process.stdout:
                step = _decoder.decode(line)
                job.progress(f"Making the sample of places: {step.title}", step.fraction)
        code = await process.wait()
    finally:
        with suppress(ProcessLookupError):
            process.kill()
        await asyncio.shield(process.wait())
    if code:
        raise GlassloopError(
            f"The sample could not be made (exit code {code}): free disk space and memory, then run `glassloop places "
            "sample` to see why."
        )
