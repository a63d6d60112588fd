"""Uploads: hand a file over, list, fetch, delete."""

from collections.abc import Sequence
from typing import Annotated
from urllib.parse import quote

from fastapi import APIRouter, Query, Request
from starlette.requests import ClientDisconnect
from starlette.responses import Response, StreamingResponse

from glassloop.core.errors import UsageError
from glassloop.runtime.uploads import Upload, Uploads, read_pieces
from glassloop.server.auth.identity import User
from glassloop.server.dependencies import Ident
from glassloop.server.http.routing import route
from glassloop.server.routes.turns import ActionResult

router = APIRouter(prefix="/api/uploads", tags=["uploads"])

_FILE = {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}}
_SENT = {"application/octet-stream": {"schema": {"type": "string", "format": "binary", "minLength": 1}}}


def uploads_of(request: Request) -> Uploads:
    return request.app.state.uploads


@route(
    router.post,
    "",
    "Stored.",
    400,
    408,
    status=201,
    openapi_extra={"requestBody": {"required": True, "content": _SENT}},
)
async def upload(
    request: Request,
    caller: User,
    name: Annotated[str, Query(min_length=1, max_length=255, description="What the file is called.")],
    purpose: Annotated[
        str, Query(max_length=40, description="What an extension takes it for, such as `raids`: larger files may be.")
    ] = "",
) -> Upload:
    """Hand a file over: its bytes are the body, as they are."""
    try:
        made = await uploads_of(request).save(caller.user, name, request.stream(), purpose)
    except ClientDisconnect:
        raise UsageError("The upload was interrupted: send it again.") from None
    return made


@route(router.get, "", "Newest first.")
async def list_uploads(request: Request, caller: User) -> Sequence[Upload]:
    """Your uploads."""
    return await uploads_of(request).list(caller.user)


@route(router.get, "/{upload_id}", "The file, as it was handed over.", 404, content=_FILE)
async def fetch(request: Request, upload_id: Ident, caller: User) -> Response:
    """An upload's bytes, to be saved and not shown."""
    found, path = await uploads_of(request).get(caller.user, upload_id)
    headers = {
        "content-length": str(found.size),
        "content-disposition": f"attachment; filename*=UTF-8''{quote(found.name, safe='')}",
        "content-security-policy": "default-src 'none'; sandbox",
    }
    return StreamingResponse(read_pieces(path), headers=headers, media_type="application/octet-stream")


@route(router.delete, "/{upload_id}", "Gone.", 404)
async def delete(request: Request, upload_id: Ident, caller: User) -> ActionResult:
    """Delete an upload."""
    await uploads_of(request).delete(caller.user, upload_id)
    return ActionResult(done=True)
