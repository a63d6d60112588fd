"""Notes of `remember`, for their user to see, add, change and delete."""

import asyncio
import time
from collections.abc import Sequence
from typing import Annotated

import msgspec
from fastapi import APIRouter, Path, Request
from pydantic import Field

from glassloop.core.errors import BadArguments, UnknownName, UsageError
from glassloop.runtime.tools.notes import MAX_NOTES, MAX_TEXT_CHARS, MAX_TOPIC_CHARS, Notes
from glassloop.runtime.tools.notes_file import NotesFile
from glassloop.server.auth.identity import User
from glassloop.server.dependencies import Body, settings_of
from glassloop.server.http.routing import route
from glassloop.server.routes.turns import ActionResult
from glassloop.store.log.redaction import Redactor

router = APIRouter(prefix="/api/notes", tags=["notes"])

NoteId = Annotated[int, Path(ge=1, le=2**53)]


class NoteView(msgspec.Struct, frozen=True, kw_only=True):
    """A note. `saved` is when; `integrity` is `untrusted` where strangers may have had it kept."""

    id: int
    text: str
    topic: str = ""
    saved: str = ""
    integrity: str = "trusted"


class NoteText(Body):
    """A fact to keep, as one full sentence."""

    text: Annotated[str, Field(min_length=1, max_length=MAX_TEXT_CHARS, pattern=r"\S")]
    topic: Annotated[str, Field(max_length=MAX_TOPIC_CHARS)] = ""


def _notes(request: Request) -> Notes:
    return Notes(NotesFile(settings_of(request).home_path), time.time, Redactor().text)


@route(router.get, "", "Newest first.")
async def list_notes(request: Request, caller: User) -> Sequence[NoteView]:
    """Everything that you had assistants remember."""
    found = await asyncio.to_thread(_notes(request).every, caller.user, MAX_NOTES)
    return [msgspec.convert(note, NoteView) for note in found]


@route(router.post, "", "Kept; what looks like a key or a password is left out.", 400, status=201)
async def add(request: Request, body: NoteText, caller: User) -> NoteView:
    """Have assistants remember something."""
    try:
        note = await asyncio.to_thread(_notes(request).remember, caller.user, "", body.text, body.topic)
    except BadArguments as error:
        raise UsageError(str(error)) from error
    return msgspec.convert(note, NoteView)


@route(router.put, "/{note_id}", "Changed; as it is now.", 404)
async def change(request: Request, note_id: NoteId, body: NoteText, caller: User) -> NoteView:
    """Give a note other words. They are yours, and so it is trusted from now on."""
    note = await asyncio.to_thread(_notes(request).change, caller.user, note_id, body.text, body.topic)
    if note is None:
        raise UnknownName(f"There is no note {note_id}: GET /api/notes lists yours.")
    return msgspec.convert(note, NoteView)


@route(router.delete, "/{note_id}", "Gone.", 404)
async def delete(request: Request, note_id: NoteId, caller: User) -> ActionResult:
    """Have assistants forget a note for good."""
    try:
        await asyncio.to_thread(_notes(request).forget, caller.user, "", note_id)
    except BadArguments:
        raise UnknownName(f"There is no note {note_id}: GET /api/notes lists yours.") from None
    return ActionResult(done=True)
