"""`/api/places`: imports, and the data set that one's questions are answered from."""

import asyncio
from collections.abc import Sequence
from datetime import date

import msgspec
from fastapi import APIRouter, Request
from pydantic import Field

from glassloop.core.records import Json
from glassloop.extensions.places.data_set.about import DataSetImport
from glassloop.extensions.places.data_set.data_sets import DataSets
from glassloop.extensions.places.importing.job import IMPORT, PlacesImport
from glassloop.runtime.uploads import Uploads
from glassloop.server.auth.identity import User
from glassloop.server.dependencies import Body, Flag, Ident, runtime_of
from glassloop.server.http.responses import view_of
from glassloop.server.http.routing import route
from glassloop.server.routes.jobs import JobView
from glassloop.server.routes.turns import ActionResult

router = APIRouter(prefix="/api/places", tags=["places"])

MAX_IMPORTS_SHOWN = 100


class NewPlacesImport(Body):
    """An upload of yours with places, visits or areas."""

    upload_id: Ident
    replace: Flag = Field(False, description="Begin anew instead of adding to your data.")
    near: Flag = Field(False, description="Take places of the same name within 50 m too.")


class PlacesDataSet(msgspec.Struct, frozen=True, kw_only=True):
    """The data set that your questions are answered from. `own`: it is only yours; else everybody's. `missing` views
    are empty. The latest imports come first."""

    id: str
    own: bool
    name: str
    first_day: date
    last_day: date
    as_of: date
    sample: bool
    missing: Sequence[str]
    imports: Sequence[DataSetImport]


def data_sets_of(request: Request) -> DataSets:
    return DataSets(runtime_of(request).context.settings.home_path)


@route(router.post, "/imports", "A job reads it; `GET /api/jobs/{id}` tells how far.", 400, 404, status=202)
async def begin_places_import(request: Request, body: NewPlacesImport, caller: User) -> JobView:
    """Have a file of places, visits or areas added to your data: an upload, which is deleted when it is imported."""
    uploads: Uploads = request.app.state.uploads
    upload, path = await uploads.get(caller.user, body.upload_id)
    wanted = PlacesImport(
        path=str(path), name=upload.name, replace=bool(body.replace), near=bool(body.near), upload_id=upload.id
    )
    params: dict[str, Json] = msgspec.to_builtins(wanted)
    return view_of(JobView, await runtime_of(request).jobs.submit(IMPORT, params, user=caller.user))


@route(router.get, "/data-set", "The data set, or null where there is none yet.")
async def show_places_data_set(request: Request, caller: User) -> PlacesDataSet | None:
    """The data set that your questions are answered from."""
    data_sets = data_sets_of(request)
    own = await asyncio.to_thread(data_sets.own, caller.user)
    found = own or await asyncio.to_thread(data_sets.shared)
    if found is None:
        return None
    about = found.about
    return PlacesDataSet(
        id=found.id, own=own is not None, name=about.name, first_day=about.first_day, last_day=about.last_day,
        as_of=about.as_of, sample=about.sample, missing=found.missing,
        imports=about.imports[::-1][:MAX_IMPORTS_SHOWN] if own is not None else (),
    )  # fmt: skip


@route(router.delete, "/data-set", "Whether there was any: your questions are answered from everybody's data then.")
async def delete_places_data_set(request: Request, caller: User) -> ActionResult:
    """Delete the data that you imported."""
    return ActionResult(done=await asyncio.to_thread(data_sets_of(request).erase, caller.user))
