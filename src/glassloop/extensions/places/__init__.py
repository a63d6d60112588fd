"""The places assistant: location analytics over visits to places, in a database of its own in the home folder."""

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

    from glassloop.runtime.durable.jobs import JobKind

ONCE_S = 30 * 86_400.0
"""At every start, and hardly ever again."""
DISCARD_S = 3_600.0


class PlacesSettings(msgspec.Struct, frozen=True, kw_only=True):
    """`[places]`"""

    upload_limit: Annotated[
        Count, setting("Bytes of a file of places or visits at most, and of all of one user that wait to be imported.")
    ] = 2_000_000_000
    sample: Annotated[bool, setting("Make sample data in the background where there is none.")] = False


class PlacesExtension(Extension):
    name = "places"
    settings = PlacesSettings

    def assistants(self) -> Sequence[Path]:
        return (Path(__file__).parent,)

    def suites(self) -> Path:
        return Path(__file__).parent / "suites"

    async def prompt_facts(self, settings: Settings, user: str) -> Mapping[str, str]:
        from glassloop.extensions.places.data_set.open_databases import databases_in
        from glassloop.extensions.places.query.data_facts import data_facts

        return {"data": await data_facts(databases_in(settings.home_path), user)}

    def upload_limits(self, settings: Settings) -> Mapping[str, int]:
        return {self.name: settings.of(PlacesSettings).upload_limit}

    def importers(self) -> Sequence[FileImporter]:
        return (
            FileImporter(
                name=self.name,
                title="Import places, visits and areas for the places assistant.",
                details="CSV, GeoJSON or Parquet: places in our own columns, of Overture, Foursquare or SafeGraph; "
                "visits by day; SafeGraph or Advan patterns by week or month; areas with centroids. Each file adds to "
                "your own data set, places first; the same file again changes nothing.",
                job="places_import",
                options=(
                    ImportOption(
                        name="replace",
                        kind="flag",
                        help="Begin anew with the first file instead of adding to your data.",
                        first_only=True,
                    ),
                    ImportOption(name="near", kind="flag", help="Take places of the same name within 50 m too."),
                ),
                tell=_tell,
            ),
        )

    def routers(self) -> "Sequence[APIRouter]":
        from glassloop.extensions.places.importing.routes import router

        return (router,)

    def commands(self) -> "Mapping[str, typer.Typer]":
        from glassloop.extensions.places.commands import commands

        return {"": commands}

    def jobs(self, context: RuntimeContext) -> "Sequence[JobKind]":
        from glassloop.extensions.places.importing.job import PlacesImporter
        from glassloop.extensions.places.sample.job import SampleMaker

        return (SampleMaker(context.settings.home_path).kind(), PlacesImporter(context).kind())

    def maintenance(self, context: RuntimeContext) -> Sequence[MaintenanceTask]:
        async def discard() -> None:
            import asyncio

            from glassloop.extensions.places.data_set.data_sets import DataSets

            await asyncio.to_thread(DataSets(context.settings.home_path).discard_unused)

        async def make_sample() -> None:
            from glassloop.extensions.places.sample.job import enqueue_sample

            await enqueue_sample(context.store, context.settings.home_path)

        tasks = [MaintenanceTask(name="places unused", every_s=DISCARD_S, run=discard)]
        if context.settings.of(PlacesSettings).sample:
            tasks.append(MaintenanceTask(name="places sample", every_s=ONCE_S, run=make_sample))
        return tasks

    async def erase(self, context: RuntimeContext, user: str | None, sessions: Sequence[str]) -> Mapping[str, int]:  # noqa: ARG002
        import asyncio

        from glassloop.extensions.places.data_set.data_sets import DataSets

        if user is None:
            return {}
        erased = await asyncio.to_thread(DataSets(context.settings.home_path).erase, user)
        return {"place data sets": int(erased)}


def _tell(result: Json) -> Sequence[str]:
    from glassloop.extensions.places.importing.job import result_lines

    return result_lines(result)
