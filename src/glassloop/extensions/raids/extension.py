"""`RaidsExtension`: what the raid analyst brings along."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import msgspec

from glassloop.core.records import Json
from glassloop.runtime.extensions import Extension, MaintenanceTask, RuntimeContext
from glassloop.runtime.importers import FileImporter, ImportOption
from glassloop.runtime.settings import Settings
from glassloop.runtime.settings.fields import setting
from glassloop.runtime.settings.settings import Count

if TYPE_CHECKING:
    import typer
    from fastapi import APIRouter
    from prometheus_client.registry import Collector

    from glassloop.runtime.durable.jobs import JobKind

DISCARD_S = 600.0
ONCE_S = 30 * 86_400.0
"""At every start, and hardly ever again."""


class RaidsSettings(msgspec.Struct, frozen=True, kw_only=True):
    """`[raids]`"""

    upload_limit: Annotated[
        Count, setting("Bytes of a combat log at most, and of all of one user that wait to be imported.")
    ] = 2_000_000_000
    sample: Annotated[bool, setting("Load sample raids in the background where nobody has imported any.")] = False


class RaidsExtension(Extension):
    name = "raids"
    settings = RaidsSettings

    def assistants(self) -> Sequence[Path]:
        return (Path(__file__).parent,)

    def suites(self) -> Path:
        return Path(__file__).parent / "suites"

    def migrations(self) -> Path:
        return Path(__file__).parent / "migrations"

    def upload_limits(self, settings: Settings) -> Mapping[str, int]:
        return {self.name: settings.of(RaidsSettings).upload_limit}

    def importers(self) -> Sequence[FileImporter]:
        return (
            FileImporter(
                name=self.name,
                title="Import combat logs for the raid analyst.",
                details="The game's own log (plain, .gz or .zip), or the JSON of Warcraft Logs. The same log again "
                "replaces what was imported of it.",
                job="raids_import",
                options=(
                    ImportOption(
                        name="reference", kind="flag", help="Kills that everybody is compared with, not of one's own."
                    ),
                    ImportOption(name="year", kind="number", metavar="Y", help="Of a log that does not tell it."),
                    ImportOption(name="zone", metavar="Z", help="Where the raid was. Else what the log tells."),
                    ImportOption(
                        name="me", metavar="NAME", help="The player that is you: becomes a character of yours."
                    ),
                ),
                tell=_tell,
            ),
        )

    def commands(self) -> "Mapping[str, typer.Typer]":
        from glassloop.extensions.raids.commands import commands

        return {"": commands}

    def routers(self) -> "Sequence[APIRouter]":
        from glassloop.extensions.raids.routes import page, router

        return (router, page)

    def jobs(self, context: RuntimeContext) -> "Sequence[JobKind]":
        from glassloop.extensions.raids.importing.job import RaidImporter
        from glassloop.extensions.raids.importing.sample import SampleLoader

        importer = RaidImporter(context)
        return (importer.kind(), SampleLoader(context, importer).kind())

    def maintenance(self, context: RuntimeContext) -> Sequence[MaintenanceTask]:
        from glassloop.extensions.raids.storage.reports import RaidStore

        async def load_sample() -> None:
            from glassloop.extensions.raids.importing.sample import enqueue_sample

            await enqueue_sample(context.store)

        discard = RaidStore(context.store).discard_incomplete
        tasks = [MaintenanceTask(name="raids incomplete", every_s=DISCARD_S, run=discard)]
        if context.settings.of(RaidsSettings).sample:
            tasks.append(MaintenanceTask(name="raids sample", every_s=ONCE_S, run=load_sample))
        return tasks

    def metrics(self, context: RuntimeContext) -> "Sequence[Collector]":  # noqa: ARG002
        from glassloop.extensions.raids.importing.metrics import IMPORTED, LINES

        return (IMPORTED, LINES)

    async def erase(self, context: RuntimeContext, user: str | None, sessions: Sequence[str]) -> Mapping[str, int]:  # noqa: ARG002
        from glassloop.extensions.raids.storage.reports import RaidStore

        if user is None:
            return {}
        reports, characters = await RaidStore(context.store).delete_user(user)
        return {"raid reports": reports, "characters": characters}


def _tell(result: Json) -> Sequence[str]:
    from glassloop.extensions.raids.importing.job import result_lines

    return result_lines(result)
