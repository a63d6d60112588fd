"""Folders that would decide something here, and an operator's decision about each: `glassloop trust` over HTTP."""

import asyncio
import logging
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

from fastapi import APIRouter, Request
from pydantic import Field

from glassloop.core.errors import UnknownName
from glassloop.runtime.assistants.assistant_files import list_assistants
from glassloop.runtime.settings import Settings, trusted_folders
from glassloop.runtime.trust.trusted_folders import FolderView
from glassloop.server.auth.identity import Admin
from glassloop.server.dependencies import Body, settings_of
from glassloop.server.http.routing import route

_log = logging.getLogger(__name__)

router = APIRouter(prefix="/api/folders", tags=["folders"])

_FREE_AT_HOME = ("assistant", "code")
"""Kinds that need no trust in the folders of assistants that are found by their names."""


class FolderDecision(Body):
    """Trusts a folder with exactly the content that a listing showed, or takes that back."""

    folder: Annotated[str, Field(min_length=1, max_length=4_096)] = Field(description="As it was listed.")
    digest: Annotated[str, Field(min_length=64, max_length=64, pattern="^[0-9a-f]{64}$")] = Field(
        description="The digest of what was shown."
    )
    trusted: bool = Field(description="`false`: nothing of it counts, and nobody is asked about it.")


@route(router.get, "", "The folder the server was started in first, then those of assistants.")
async def folders(request: Request, _caller: Admin) -> Sequence[FolderView]:
    """Folders whose files would decide something here, and whether they are trusted."""
    return await asyncio.to_thread(_listed, settings_of(request))


@route(router.post, "/trust", "Decided; how it stands now.", 400, 404, 409)
async def trust(request: Request, body: FolderDecision, caller: Admin) -> FolderView:
    """Trust a folder as it was shown, or do not. Counts for exactly that content."""
    found = await asyncio.to_thread(_decided, settings_of(request), body)
    _log.warning("%s decided about the folder %r: %s, digest %s", caller.user, body.folder, found.state, body.digest)
    return found


def _listed(settings: Settings) -> list[FolderView]:
    trust, here = trusted_folders(settings.home_path, settings.extensions), Path.cwd()
    found = [trust.look(here)]
    for place in dict.fromkeys(Path(each.folder) for each in list_assistants(settings) if each.folder):
        if here not in (place, *place.parents[:2]):
            of_assistant = trust.look(place)
            if any(part.kind not in _FREE_AT_HOME for part in of_assistant.survey.waiting):
                found.append(of_assistant)
    return [each.view() for each in found if each.survey.parts or each.survey.problem]


def _decided(settings: Settings, body: FolderDecision) -> FolderView:
    if body.folder not in {each.folder for each in _listed(settings)}:
        raise UnknownName("This folder is not listed: choose one that is.")
    trust = trusted_folders(settings.home_path, settings.extensions)
    decision = "trusted" if body.trusted else "refused"
    return trust.decide_shown(Path(body.folder), body.digest, decision).view()
