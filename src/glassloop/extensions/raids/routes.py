"""`/api/raids`: imports, reports and their fights, one's characters, and what is known of encounters."""

import asyncio
from collections.abc import Sequence
from typing import Annotated

import msgspec
from fastapi import APIRouter, Path, Query, Request
from pydantic import Field
from starlette.responses import Response

from glassloop.core.errors import UnknownName
from glassloop.core.records import Json
from glassloop.extensions.raids.analysis.parses import ParsePopulation
from glassloop.extensions.raids.class_names import find_class_and_spec
from glassloop.extensions.raids.fight_log import FightLog
from glassloop.extensions.raids.importing.job import IMPORT, RaidImport
from glassloop.extensions.raids.knowledge.loader import load_knowledge
from glassloop.extensions.raids.player_view import RaidPlayerFight, player_view
from glassloop.extensions.raids.storage.reports import RaidStore, no_report
from glassloop.extensions.raids.storage.rows import CharacterRow, ReportRow, StoredFight
from glassloop.extensions.raids.views import (
    RaidEncounter,
    RaidFight,
    RaidReport,
    encounter_view,
    fight_view,
    report_view,
)
from glassloop.runtime.uploads import Uploads
from glassloop.server.auth.identity import Admin, Forbidden, User
from glassloop.server.dependencies import Body, Flag, Ident, runtime_of
from glassloop.server.http.responses import view_of
from glassloop.server.http.routing import route
from glassloop.server.routes.jobs import JobView
from glassloop.server.routes.page import place_in_page
from glassloop.server.routes.turns import ActionResult

router = APIRouter(prefix="/api/raids", tags=["raids"])
page = APIRouter(include_in_schema=False)
"""Places of the web page, typed without their `#`."""

LAST = "last"
MAX_NUMBER = 1_000_000_000
Code = Annotated[str, Path(min_length=1, max_length=40, pattern="^[A-Za-z0-9]+$", description="A report, or `last`.")]
FightNumber = Annotated[int, Path(ge=1, le=MAX_NUMBER)]


@page.api_route("/raids", methods=["GET", "HEAD"])
async def nights_page() -> Response:
    return place_in_page("raids")


@page.api_route("/raids/{code}", methods=["GET", "HEAD"])
async def night_page(code: str) -> Response:
    return place_in_page("raids", code)


@page.api_route("/raids/{code}/{number}", methods=["GET", "HEAD"])
async def fight_page(code: str, number: str) -> Response:
    return place_in_page("raids", code, number)


class NewImport(Body):
    """An upload of yours that is a combat log."""

    upload_id: Ident
    reference: Flag = Field(False, description="Everybody is compared with it: for the operator only.")
    year: Annotated[int, Field(ge=2004, le=2100)] | None = Field(None, description="Of a log that does not tell it.")
    zone: str = Field("", max_length=100, description="Where the raid was; absent is what the log tells.")


class NewCharacter(Body):
    """A character that you play."""

    name: Annotated[str, Field(min_length=1, max_length=60, pattern=r"\S")]
    realm: Annotated[str, Field(max_length=60)] = ""
    class_name: Annotated[str, Field(min_length=1, max_length=60, alias="class")]
    spec: Annotated[str, Field(max_length=60)] = ""


class ReportSharing(Body):
    """Whether everybody sees a report."""

    shared: bool


def raids_of(request: Request) -> RaidStore:
    return RaidStore(runtime_of(request).store)


@route(router.post, "/imports", "A job reads it; `GET /api/jobs/{id}` tells how far.", 400, 403, 404, status=202)
async def begin_import(request: Request, body: NewImport, caller: User) -> JobView:
    """Have a combat log read: one of your uploads, which is deleted when the job is completed."""
    if body.reference and not caller.admin:
        raise Forbidden("What everybody is compared with is the operator's to add: this needs the admin token.")
    uploads: Uploads = request.app.state.uploads
    upload, path = await uploads.get(caller.user, body.upload_id)
    wanted = RaidImport(
        path=str(path),
        name=upload.name,
        reference=bool(body.reference),
        year=body.year,
        zone=body.zone,
        upload_id=upload.id,
    )
    params: dict[str, Json] = msgspec.to_builtins(wanted)
    return view_of(JobView, await runtime_of(request).jobs.submit(IMPORT, params, user=caller.user))


@route(router.get, "/reports", "Newest first.")
async def list_reports(
    request: Request,
    caller: User,
    reference: Annotated[bool, Query(description="The references instead.")] = False,
    limit: Annotated[int, Query(ge=1, le=1000)] = 200,
) -> Sequence[ReportRow]:
    """The reports that you see: your own, and shared ones."""
    return await raids_of(request).reports(caller.user, reference=reference, limit=limit)


@route(router.get, "/reports/{code}", "The report with its fights.", 404)
async def show_report(request: Request, code: Code, caller: User) -> RaidReport:
    """A report."""
    raids = raids_of(request)
    stored = await raids.report(caller.user, await _code(raids, caller.user, code))
    if stored is None:
        raise no_report(code)
    return report_view(stored)


@route(router.get, "/reports/{code}/fights/{number}", "The fight with everybody in it.", 404)
async def show_fight(request: Request, code: Code, number: FightNumber, caller: User) -> RaidFight:
    """A fight of a report, by its number there."""
    raids = raids_of(request)
    stored, log = await _fight(raids, caller.user, code, number)
    values = await raids.parse_values(caller.user, [stored.row.encounter_id]) if stored.row.kill else []
    return await asyncio.to_thread(lambda: fight_view(stored, log, ParsePopulation(values)))


@route(router.get, "/reports/{code}/fights/{number}/players/{player}", "The player in that fight.", 404)
async def show_player(
    request: Request, code: Code, number: FightNumber, player: Annotated[str, Path(max_length=120)], caller: User
) -> RaidPlayerFight:
    """A player of a fight by name, with or without realm: abilities, and uptimes of buffs and debuffs."""
    stored, log = await _fight(raids_of(request), caller.user, code, number)
    shown = await asyncio.to_thread(player_view, stored, log, player)
    if shown is None:
        raise UnknownName(f"Nobody called {player!r} is in fight {number} of {code!r}: the fight lists its players.")
    return shown


@route(router.delete, "/reports/{code}", "Gone.", 404)
async def delete_report(request: Request, code: Code, caller: User) -> ActionResult:
    """Delete a report of yours with everything in it; the operator may delete any."""
    await raids_of(request).delete_report(caller.scope, code)
    return ActionResult(done=True)


@route(router.put, "/reports/{code}/sharing", "Everybody sees it, or only its owner.", 401, 404)
async def share_report(request: Request, code: Code, body: ReportSharing, _caller: Admin) -> ActionResult:
    """Have a report seen by everybody, or only by its owner."""
    await raids_of(request).share(code, body.shared)
    return ActionResult(done=True)


@route(router.get, "/characters", "In the order they were added.")
async def list_characters(request: Request, caller: User) -> Sequence[CharacterRow]:
    """The characters that you play: what "my" means in a question."""
    return await raids_of(request).characters(caller.user)


@route(router.post, "/characters", "Added.", 400, status=201)
async def add_character(request: Request, body: NewCharacter, caller: User) -> CharacterRow:
    """Add a character, or change the class and spec of one."""
    class_name, spec = find_class_and_spec(body.class_name, body.spec)
    return await raids_of(request).add_character(caller.user, body.name.strip(), body.realm.strip(), class_name, spec)


@route(router.delete, "/characters/{character_id}", "Gone.", 404)
async def delete_character(request: Request, character_id: Ident, caller: User) -> ActionResult:
    """Remove a character."""
    await raids_of(request).delete_character(caller.user, character_id)
    return ActionResult(done=True)


@route(router.get, "/encounters", "By raid.")
async def list_encounters(_caller: User) -> Sequence[RaidEncounter]:
    """What is known of each encounter."""
    return [encounter_view(encounter) for encounter in load_knowledge().encounters.values()]


async def _fight(raids: RaidStore, user: str, code: str, number: int) -> tuple[StoredFight, FightLog]:
    code = await _code(raids, user, code)
    stored, log = await raids.fight(user, code, number), await raids.events(user, code, number)
    if stored is None or log is None:
        raise UnknownName(f"There is no fight {number} in report {code!r}: GET /api/raids/reports/{code} lists them.")
    return stored, log


async def _code(raids: RaidStore, user: str, code: str) -> str:
    if code.lower() != LAST:
        return code
    found = await raids.last_report(user)
    if found is None:
        raise UnknownName("There is no report yet: POST /api/raids/imports imports a combat log.")
    return found
