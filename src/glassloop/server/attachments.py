"""Images and files of questions over HTTP: brought inline as base64 or as uploads, and given back safely."""

import asyncio
from collections.abc import Sequence
from typing import Annotated
from urllib.parse import quote

from fastapi import Request
from pydantic import BaseModel, ConfigDict, Field, model_validator
from starlette.responses import Response

from glassloop.core.errors import UsageError
from glassloop.core.records import Attachment
from glassloop.runtime import ids
from glassloop.runtime.attachments.media import IMAGES, TEXT
from glassloop.runtime.attachments.parts import MAX_FILE_BYTES, File, Question, data_of
from glassloop.runtime.attachments.prompt import MAX_PARTS
from glassloop.runtime.uploads import Uploads

MAX_INLINE_CHARS = 4 * MAX_FILE_BYTES // 3 + 100


class NewAttachment(BaseModel):
    """An image or a file: `data` in base64 or as a data: URL, or the id of an upload."""

    model_config = ConfigDict(extra="forbid")

    name: Annotated[str, Field(max_length=255)] = ""
    data: Annotated[str, Field(min_length=1, max_length=MAX_INLINE_CHARS)] | None = None
    upload_id: Annotated[str, Field(min_length=1, max_length=ids.MAX_ID_CHARS, pattern=ids.FORM)] | None = None

    @model_validator(mode="after")
    def one(self) -> "NewAttachment":
        if (self.data is None) == (self.upload_id is None):
            raise ValueError("give 'data' or 'upload_id'")
        return self


NewAttachments = Annotated[
    list[NewAttachment], Field(max_length=MAX_PARTS, description="Images and files for models that see them.")
]


async def question_with(request: Request, text: str, given: Sequence[NewAttachment], user: str) -> Question:
    """The question with what is given with it; raises `UsageError` for what cannot be taken, and 404 for uploads of
    others."""
    if not given:
        return text
    uploads: Uploads = request.app.state.uploads
    return [text, *[await _part(each, uploads, user) for each in given]]


async def _part(given: NewAttachment, uploads: Uploads, user: str) -> File:
    if given.upload_id is None:
        return await asyncio.to_thread(lambda: File(data_of(given.data or "", "file"), name=given.name or None))
    found, path = await uploads.get(user, given.upload_id)
    if found.size > MAX_FILE_BYTES:
        raise UsageError(f"{found.name!r} has {found.size:,} bytes; the limit is {MAX_FILE_BYTES:,}: make it smaller.")
    return await asyncio.to_thread(lambda: File(path, name=given.name or found.name))


def attachment_response(attachment: Attachment, data: bytes) -> Response:
    """Its bytes, or the text that was read of it. Only kinds of images in which nothing runs are shown; their media
    type was found by their content."""
    shown = attachment.media_type in IMAGES
    name = f"{attachment.name}.txt" if attachment.chars and attachment.media_type != TEXT else attachment.name
    return Response(
        data,
        media_type=attachment.media_type if shown else "application/octet-stream",
        headers={
            "content-disposition": f"{'inline' if shown else 'attachment'}; filename*=UTF-8''{quote(name, safe='')}",
            "content-security-policy": "default-src 'none'; sandbox",
        },
    )
