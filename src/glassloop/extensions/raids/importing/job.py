"""The job that imports a log: reads it in a process of its own and stores what it finds, fight by fight.

Nobody sees the report before all of it is stored. A job that is cancelled or fails leaves nothing; one whose worker is
lost is begun again from the start.
"""

import asyncio
from collections import Counter
from collections.abc import Sequence
from contextlib import aclosing, suppress
from pathlib import Path

import msgspec

from glassloop.core.errors import GlassloopError, UnknownName, UsageError
from glassloop.core.records import Json
from glassloop.extensions.raids.importing.frames import Instructions, Progress, ReadFight, ReadReport
from glassloop.extensions.raids.importing.metrics import IMPORTED, LINES
from glassloop.extensions.raids.importing.process import MODULE, read_frames
from glassloop.extensions.raids.records import BadLines, ReportRecord
from glassloop.extensions.raids.storage.reports import RaidStore
from glassloop.extensions.raids.storage.rows import CharacterRow
from glassloop.python_child import cpu_seconds_for
from glassloop.runtime.durable.jobs import JobContext, JobKind
from glassloop.runtime.extensions import RuntimeContext
from glassloop.runtime.importers import Tell
from glassloop.runtime.uploads import Uploads

IMPORT = "raids_import"
"""The kind of job. Its parameters are those of `RaidImport`."""


FIRST_TOLD = 3
MAX_AT_ONCE = 2
"""Logs that are read at the same time, each in a process with memory of its own; others wait."""


WRONG_ORDER = (
    "The log goes back in time: parts of it were joined in the wrong order. A fight that lies in two of them is there "
    "in parts or not at all: join them by date, or pack them as they are into one .zip file."
)


class RaidImport(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A file to import. `name` is what it is called, where its path does not say it; `upload_id` of one that is deleted
    when it is imported; `me` the player who becomes a character of the user's."""

    path: str
    name: str = ""
    reference: bool = False
    year: int | None = None
    zone: str = ""
    me: str = ""
    upload_id: str = ""


class ImportedReport(msgspec.Struct, frozen=True, kw_only=True):
    """The result of the job. `lines` = `taken` + `bad` + `outside`; `bad_lines` by reason, with the first of each.
    `is_new` of a `character` that the user did not have before, or of another class or spec."""

    code: str
    title: str
    fights: int
    kills: int
    lines: int
    taken: int
    bad: int
    outside: int
    bad_lines: Sequence[Json] = ()
    same_night: Sequence[str] = ()
    character: CharacterRow | None = None
    notes: Sequence[str] = ()
    is_new: bool = False


class RaidImporter:
    """Imports of an open runtime."""

    def __init__(self, context: RuntimeContext, module: str = MODULE) -> None:
        self._module = module
        self._places = asyncio.Semaphore(MAX_AT_ONCE)
        self._raids = RaidStore(context.store)
        self._uploads = Uploads(context.settings)

    def kind(self) -> JobKind:
        return JobKind(name=IMPORT, run=self.run, resumable=True)

    async def run(self, job: JobContext, params: dict[str, Json]) -> Json:
        wanted = msgspec.convert(params, RaidImport)
        # A worker may have been lost between the report's last row and the end of its job.
        code = await self._raids.code_of_job(job.job_id)
        if code is None:
            job.progress("Waiting for other imports")
            code = await self.store_file(job, wanted, job.progress)
        if wanted.upload_id:
            with suppress(UnknownName):
                await self._uploads.delete(job.user, wanted.upload_id)
        result = await self._result(job.user, code, wanted)
        return msgspec.to_builtins(result)

    async def store_file(
        self,
        job: JobContext,
        wanted: RaidImport,
        tell: Tell = lambda _message, _fraction: None,
        *,
        shared: bool = False,
    ) -> str:
        """Reads a file and stores its report; the report's code. What is read of one that fails is deleted."""
        async with self._places:
            return await self._store_file(job, wanted, tell, shared=shared)

    async def _store_file(self, job: JobContext, wanted: RaidImport, tell: Tell, *, shared: bool) -> str:
        path = Path(wanted.path)
        if not await asyncio.to_thread(path.is_file):
            raise UsageError(f"The file {wanted.name or path.name!r} is not there any more: hand it over again.")
        name = wanted.name or path.name
        tell("Reading the log", 0.0)
        report_id = await self._raids.begin(
            job.user, reference=wanted.reference, name=name, job=job.job_id, shared=shared
        )
        try:
            record = await self._store_all(report_id, wanted, tell)
            code = await self._raids.complete(report_id, record)
        except BaseException:
            await asyncio.shield(self._raids.discard(report_id))
            raise
        IMPORTED.inc()
        for became in ("taken", "bad", "outside"):
            LINES.labels(became).inc(getattr(record, became))
        return code

    async def _store_all(self, report_id: int, wanted: RaidImport, tell: Tell) -> ReportRecord:
        fights, fraction = 0, 0.0
        cpu_s = await asyncio.to_thread(cpu_seconds_for, Path(wanted.path))
        instructions = Instructions(path=wanted.path, cpu_s=cpu_s, year=wanted.year, zone=wanted.zone)
        async with aclosing(read_frames(instructions, self._module)) as frames:
            async for frame in frames:
                if isinstance(frame, ReadReport):
                    return frame.record
                if isinstance(frame, ReadFight):
                    await self._raids.add_fight(report_id, frame.record)
                    fights += 1
                elif isinstance(frame, Progress):
                    fraction = frame.fraction
                tell(f"Reading the log: {fights} fight{'' if fights == 1 else 's'} so far", fraction)
        raise GlassloopError(
            "The reader of the log came to its end by a fault or for lack of memory or time: split the file."
        )

    async def _result(self, user: str, code: str, wanted: RaidImport) -> ImportedReport:
        stored = await self._raids.report(user, code)
        if stored is None:
            raise GlassloopError(f"The report {code!r} was deleted meanwhile: import the log again.")
        row, record = stored.row, stored.record
        before = {_played(one) for one in await self._raids.characters(user)} if wanted.me else set[tuple[str, ...]]()
        character = await self.add_character(user, wanted.me, code) if wanted.me else None
        notes: list[str] = []
        if not row.fights:
            notes.append("No fight with a known boss is in this log: is it of another raid or game version?")
        if record.turns_back:
            notes.append(WRONG_ORDER)
        if wanted.me and character is None:
            notes.append(f"Nobody called {wanted.me!r} is in this log: check the name.")
        return ImportedReport(
            code=code, title=row.title, fights=row.fights, kills=row.kills, lines=row.lines, taken=row.taken,
            bad=row.bad, outside=row.outside, bad_lines=[_short(each) for each in record.bad_lines],
            same_night=stored.same_night, character=character, notes=notes,
            is_new=character is not None and _played(character) not in before,
        )  # fmt: skip

    async def add_character(self, user: str, name: str, code: str = "") -> CharacterRow | None:
        """The player of that name in the report, or in any of the user's, with the class and spec played most there."""
        rows = [row for row in await self._raids.performances(user, player=name) if row.own and code in ("", row.code)]
        if not rows:
            return None
        (class_name, spec), _ = Counter((row.class_name, row.spec) for row in rows).most_common(1)[0]
        return await self._raids.add_character(user, rows[0].name, rows[0].realm, class_name, spec)


def _played(character: CharacterRow) -> tuple[str, ...]:
    return character.name, character.realm, character.class_name, character.spec


def _short(lines: BadLines) -> Json:
    """For the job's result, which is bounded; the report has more of them."""
    return msgspec.to_builtins(msgspec.structs.replace(lines, first=lines.first[:FIRST_TOLD]))


def result_lines(result: Json) -> list[str]:
    """What became of a log, by the job's result, for a person."""
    done = msgspec.convert(result, ImportedReport)
    lines = [
        f"{done.code}: {done.title}, fights: {done.fights}, kills: {done.kills}. {done.lines:,} lines: {done.taken:,} "
        f"taken, {done.outside:,} outside fights, {done.bad:,} could not be read."
    ]
    for each in msgspec.convert(done.bad_lines, list[BadLines]):
        number, text = each.first[0] if each.first else (0, "")
        lines.append(f"{each.count:,} line{'' if each.count == 1 else 's'}: {each.reason}, first line {number}: {text}")
    if done.same_night:
        lines.append(f"The same night is in {', '.join(done.same_night)} too.")
    if done.character is not None and done.is_new:
        spec = f"{done.character.spec} {done.character.class_name}".strip()
        lines.append(f"{done.character.name} ({spec}) is a character of yours.")
    return [*lines, *done.notes]
