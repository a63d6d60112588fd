"""The berths of a harbour: an example of everything that an extension can bring."""

import time
from pathlib import Path
from typing import Annotated

import msgspec

from glassloop import Extension, setting
from glassloop.runtime.durable.jobs import JobKind
from glassloop.runtime.extensions import MaintenanceTask
from glassloop.runtime.importers import Importer
from glassloop.runtime.providers import Provider
from glassloop_harbour.berths import load_berths
from glassloop_harbour.bookings import Bookings

HERE = Path(__file__).parent


class HarbourSettings(msgspec.Struct, frozen=True, kw_only=True):
    port: Annotated[str, setting("The name of the port.", env="HARBOUR_PORT")] = "Seabright"
    keep_days: Annotated[int, setting("Bookings are deleted after so many days.")] = 365


class HarbourExtension(Extension):
    name = "harbour"
    settings = HarbourSettings

    def providers(self):
        from glassloop_harbour.model import make_model

        return {"harbour": Provider(make=make_model, configured=lambda _settings: True, note="repeats the question")}

    def importers(self):
        return [Importer(name="berths", title="Load the berths of a harbour.", load=load_berths, has_sample=True)]

    def assistants(self):
        return [HERE]

    def migrations(self):
        return HERE / "migrations"

    def commands(self):
        from glassloop_harbour.commands import app

        return {"": app}

    def routers(self):
        from glassloop_harbour.routes import router

        return [router]

    def jobs(self, context):
        async def count(job, params):
            job.progress("Counting")
            return {"booked": len(await Bookings(context.store).list())}

        return [JobKind(name="harbour_count", run=count, resumable=True)]

    def plugins(self):
        from glassloop_harbour.plugin import HarbourPlugin

        return [HarbourPlugin]

    def metrics(self, context):
        from glassloop_harbour.plugin import BOOKED

        return [BOOKED]

    def suites(self):
        return HERE / "suites"

    def maintenance(self, context):
        async def delete_old():
            days = context.settings.of(HarbourSettings).keep_days
            await Bookings(context.store).delete_before(time.time() - days * 86_400)

        return [MaintenanceTask(name="harbour_bookings", every_s=3600, run=delete_old)]

    async def erase(self, context, user, sessions):
        return {"bookings": await Bookings(context.store).delete_of(user)} if user else {}
