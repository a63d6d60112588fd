"""The page: a few files, served as they are. No build, no template; what they show comes from the API."""

import hashlib
from pathlib import Path
from typing import NamedTuple

from fastapi import APIRouter, Request
from starlette.exceptions import HTTPException
from starlette.responses import Response

router = APIRouter(include_in_schema=False)

FOLDER = Path(__file__).parent.parent / "page"
INDEX = "index.html"
ICON = "logo.svg"
_KINDS = {".html": "text/html", ".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}


class File(NamedTuple):
    """A file of the page; `tag` changes with every byte of it."""

    body: bytes
    kind: str
    tag: str


def _read() -> dict[str, File]:
    found: dict[str, File] = {}
    for path in FOLDER.iterdir():
        if path.suffix in _KINDS:
            body = path.read_bytes()
            found[path.name] = File(body, _KINDS[path.suffix], f'"{hashlib.sha256(body).hexdigest()[:32]}"')
    return found


FILES = _read()
"""By name. They change with the version only."""


@router.api_route("/", methods=["GET", "HEAD"])
async def index(request: Request) -> Response:
    return _answer(request, INDEX)


@router.api_route("/favicon.ico", methods=["GET", "HEAD"])
@router.api_route("/favicon.svg", methods=["GET", "HEAD"])
async def icon(request: Request) -> Response:
    return _answer(request, ICON)


@router.api_route("/page/{name}", methods=["GET", "HEAD"])
async def part(request: Request, name: str) -> Response:
    return _answer(request, name)


def _answer(request: Request, name: str) -> Response:
    """Browsers keep a file and ask whether it is still the one: the page is never half old and half new."""
    file = FILES.get(name)
    if file is None:
        raise HTTPException(404)
    headers = {"cache-control": "no-cache", "etag": file.tag}
    if file.tag in request.headers.get("if-none-match", ""):
        return Response(status_code=304, headers=headers)
    return Response(file.body, headers=headers, media_type=file.kind)
