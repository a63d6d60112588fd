"""The job that imports a file: a process of its own makes the new data set, which is then put in place in one step.

A job that is cancelled or fails changes nothing; one whose worker is lost is begun again from the start. Imports of a
user run one after the other, also in several processes, as each adds to what the former one made.
"""

import asyncio
import hashlib
import os
import shutil
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing, asynccontextmanager, suppress
from pathlib import Path

import msgspec

from glassloop.core.errors import GlassloopError, UnknownName, UsageError
from glassloop.core.records import Json
from glassloop.extensions.places.data_set.data_sets import STAGED, DataSets
from glassloop.extensions.places.importing.frames import MAX_FRAME_BYTES, Frame, Imported, ImportProgress, RefusedFile
from glassloop.extensions.places.importing.importer import FileToImport
from glassloop.extensions.places.importing.report import FileRefused, ImportReport, report_lines
from glassloop.file_lock import take_lock
from glassloop.own_folder import make_own
from glassloop.python_child import cpu_seconds_for, python_child
from glassloop.runtime.child_processes.frames import child_frames
from glassloop.runtime.durable.jobs import JobContext, JobKind
from glassloop.runtime.extensions import RuntimeContext
from glassloop.runtime.uploads import Uploads

IMPORT = "places_import"
"""The kind of job. Its parameters are those of `PlacesImport`."""
MODULE = "glassloop.extensions.places.importing.child"
MAX_AT_ONCE = 2
"""Files that are read at the same time; others wait."""
LOCK_S = 0.2
"""How often it is looked whether another import of the user is over."""
LOCK = "importing.lock"

_decoder = msgspec.msgpack.Decoder(Frame)


class PlacesImport(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A file to import. `name` is what it is called, where its path does not say it; `upload_id` of one that is deleted
    when it is imported; `replace` what was imported before; `near`: take places of the same name within 50 m too."""

    path: str
    name: str = ""
    replace: bool = False
    near: bool = False
    upload_id: str = ""


class PlacesImporter:
    """Imports of an open runtime."""

    def __init__(self, context: RuntimeContext, module: str = MODULE) -> None:
        self._module = module
        self._slots = asyncio.Semaphore(MAX_AT_ONCE)
        self._data_sets = DataSets(context.settings.home_path)
        self._uploads = Uploads(context.settings)

    def kind(self) -> JobKind:
        return JobKind(name=IMPORT, run=self.run, resumable=True)

    async def run(self, job: JobContext, params: dict[str, Json]) -> Json:
        wanted = msgspec.convert(params, PlacesImport)
        job.progress("Waiting for other imports")
        async with self._slots, self._alone(job.user):
            report = await self._import(job, wanted)
        if wanted.upload_id:
            with suppress(UnknownName):
                await self._uploads.delete(job.user, wanted.upload_id)
        return msgspec.to_builtins(report)

    async def _import(self, job: JobContext, wanted: PlacesImport) -> ImportReport:
        path = Path(wanted.path)
        name = wanted.name or path.name
        if not await asyncio.to_thread(path.is_file):
            raise UsageError(f"The file {name!r} is not there any more: hand it over again.")
        own = None if wanted.replace else await asyncio.to_thread(self._data_sets.own, job.user)
        async with self._staged() as staged:
            cpu_s = await asyncio.to_thread(cpu_seconds_for, path)
            file = FileToImport(
                path=str(path), cpu_s=cpu_s, name=name, user=job.user, staged=str(staged),
                base=str(own.folder) if own else "", near=wanted.near,
            )  # fmt: skip
            report = await self._read(file, job)
            if report.taken:
                await self._put(staged, job.user)
        return report

    async def _read(self, file: FileToImport, job: JobContext) -> ImportReport:
        child = python_child(self._module, msgspec.json.encode(file).decode())
        async with aclosing(child_frames(child, _decoder, MAX_FRAME_BYTES)) as frames:
            async for frame in frames:
                if isinstance(frame, Imported):
                    return frame.report
                if isinstance(frame, RefusedFile):
                    raise FileRefused(f"{file.name}: {frame.reason}")
                if isinstance(frame, ImportProgress):
                    job.progress(frame.message, frame.fraction)
        raise GlassloopError(
            f"The process that reads {file.name!r} came to its end by a fault or for lack of memory or time: nothing "
            "was imported. Split the file."
        )

    async def _put(self, staged: Path, user: str) -> None:
        """Waits for the step also where it is cancelled meanwhile: the folder must not be removed during it."""
        await asyncio.to_thread((staged / LOCK).unlink, missing_ok=True)
        putting = asyncio.ensure_future(asyncio.to_thread(self._data_sets.put, staged, user=user))
        try:
            await asyncio.shield(putting)
        finally:
            await asyncio.wait([putting])

    @asynccontextmanager
    async def _staged(self) -> AsyncGenerator[Path]:
        """A folder that is removed at the end, and by the next import where this process is killed."""
        await asyncio.to_thread(self._remove_abandoned)
        staging = asyncio.ensure_future(asyncio.to_thread(self._stage))
        try:
            yield (await asyncio.shield(staging))[0]
        finally:
            staged, file = await staging
            os.close(file)
            await asyncio.shield(asyncio.to_thread(shutil.rmtree, staged, ignore_errors=True))

    def _stage(self) -> tuple[Path, int]:
        """A new folder and its lock, which is taken."""
        staged = self._data_sets.stage()
        file = os.open(staged / LOCK, os.O_RDWR | os.O_CREAT, 0o600)
        take_lock(file)
        return staged, file

    def _remove_abandoned(self) -> None:
        """Folders of imports whose process is gone: nobody has their lock."""
        for lock in self._data_sets.folder.glob(f"{STAGED}*/{LOCK}"):
            with suppress(OSError):
                file = os.open(lock, os.O_RDWR)
                try:
                    take_lock(file)
                    shutil.rmtree(lock.parent, ignore_errors=True)
                finally:
                    os.close(file)

    @asynccontextmanager
    async def _alone(self, user: str) -> AsyncGenerator[None]:
        """One import of a user at a time; the lock goes with its process, however that ends."""
        folder = self._data_sets.folder / "locks"
        await asyncio.to_thread(make_own, folder)
        key = hashlib.sha256(user.encode()).hexdigest()[:32]
        file = os.open(folder / key, os.O_RDWR | os.O_CREAT, 0o600)
        try:
            while True:
                try:
                    take_lock(file)
                    break
                except OSError:
                    await asyncio.sleep(LOCK_S)
            yield
        finally:
            os.close(file)


def result_lines(result: Json) -> Sequence[str]:
    """What became of a file, by the job's result, for a person."""
    return report_lines(msgspec.convert(result, ImportReport))
