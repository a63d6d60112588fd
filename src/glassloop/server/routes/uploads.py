"""Uploads: hand a file over, list, fetch, delete."""

from typing import Annotated
from urllib.parse import quote

from fastapi import APIRouter, Query, Request
from starlette.requests import ClientDisconnect
from starlette.responses import Response, StreamingResponse

from glassloop.core.errors import UsageError
from glassloop.runtime.uploads import Upload, Uploads, read_pieces
from glassloop.server.answers import json_answer, shows
from glassloop.server.bodies import Ident
from glassloop.server.caller import User
from glassloop.server.errors import failures
from glassloop.server.routes.turns import Done

router = APIRouter(prefix="/api/uploads", tags=["uploads"])

_FILE = {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}}
_SENT = {"application/octet-stream": {"schema": {"type": "string", "format": "binary", "minLength": 1}}}


def uploads_of(request: Request) -> Uploads:
    return request.app.state.uploads


@router.post(
    "",
    status_code=201,
    responses={**shows(Upload, "Stored.", 201), **failures(400, 408)},
    openapi_extra={"requestBody": {"required": True, "content": _SENT}},
    response_class=Response,
)
async def upload(
    request: Request,
    caller: User,
    name: Annotated[str, Query(min_length=1, max_length=255, description="What the file is called.")],
) -> Response:
    """Hand a file over: its bytes are the body, as they are."""
    try:
        made = await uploads_of(request).save(caller.user, name, request.stream())
    except ClientDisconnect:
        raise UsageError("The upload broke off before its end: send it again.") from None
    return json_answer(made, 201)


@router.get("", responses={**shows(list[Upload], "Newest first."), **failures()}, response_class=Response)
async def list_uploads(request: Request, caller: User) -> Response:
    """Your uploads."""
    return json_answer(await uploads_of(request).list(caller.user))


@router.get(
    "/{upload_id}",
    responses={200: {"description": "The file, as it was handed over.", "content": _FILE}, **failures(404)},
    response_class=Response,
)
async def fetch(request: Request, upload_id: Ident, caller: User) -> Response:
    """An upload's bytes, to be saved and not shown."""
    found, path = await uploads_of(request).get(caller.user, upload_id)
    headers = {
        "content-length": str(found.size),
        "content-disposition": f"attachment; filename*=UTF-8''{quote(found.name, safe='')}",
        "content-security-policy": "default-src 'none'; sandbox",
    }
    return StreamingResponse(read_pieces(path), headers=headers, media_type="application/octet-stream")


@router.delete("/{upload_id}", responses={**shows(Done, "Gone."), **failures(404)}, response_class=Response)
async def delete(request: Request, upload_id: Ident, caller: User) -> Response:
    """Delete an upload."""
    await uploads_of(request).delete(caller.user, upload_id)
    return json_answer(Done(done=True))
