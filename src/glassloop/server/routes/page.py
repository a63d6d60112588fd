"""The web page as it was built into the folder beside this one: an index, and files whose names change with them.

What the page shows comes from the API. How it is made is in `web/`; a wheel holds it ready.
"""

import asyncio
import gzip
import hashlib
import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote

from fastapi import APIRouter, Request
from starlette.exceptions import HTTPException
from starlette.responses import PlainTextResponse, RedirectResponse, Response

router = APIRouter(include_in_schema=False)

FOLDER = Path(__file__).parent.parent / "page"
INDEX = "index.html"
ICON = "logo.svg"
ASSETS = "assets"
NOT_BUILT = (
    "The page is not built: run `make page` in the clone of Glassloop, then `pip install PATH-OF-THE-CLONE` again "
    "where it is installed, and restart the server. The API works: /docs."
)
_IDENT = re.compile(r"[\w.:@-]{1,200}", re.ASCII)
"""What the page takes for an id in its own addresses."""
_KINDS = {
    ".html": "text/html",
    ".css": "text/css",
    ".js": "text/javascript",
    ".svg": "image/svg+xml",
    ".woff2": "font/woff2",
}
_PACKED = frozenset({".html", ".css", ".js", ".svg"})
_CHECKED = "no-cache"
_DIAGRAM = frozenset({"diagram.html", "diagram.css", "diagram.js", "mermaid.js"})
_DIAGRAM_HEADERS = {
    "content-security-policy": (
        "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; base-uri 'none'; form-action 'none'; "
        "frame-ancestors 'self'; sandbox allow-scripts"
    ),
    "cross-origin-resource-policy": "cross-origin",
}
"""The frame that draws diagrams has no origin, so even its own scripts are another's to it."""
_FOR_EVER = "public, max-age=31536000, immutable"


class PageFile(NamedTuple):
    """A file of the page; `tag` changes with every byte of it."""

    body: bytes
    kind: str
    tag: str
    packs: bool


def _read(folder: Path) -> dict[str, PageFile]:
    found: dict[str, PageFile] = {}
    for path in (*folder.glob("*"), *(folder / ASSETS).glob("*")):
        if path.suffix in _KINDS and path.is_file():
            body = path.read_bytes()
            tag = f'"{hashlib.sha256(body).hexdigest()[:32]}"'
            name = path.relative_to(folder).as_posix()
            found[name] = PageFile(body, _KINDS[path.suffix], tag, path.suffix in _PACKED)
    return found


FILES = _read(FOLDER)
"""By name, with their folder. They change with the version only."""


def is_built() -> bool:
    return INDEX in FILES


@router.api_route("/", methods=["GET", "HEAD"])
@router.api_route("/admin", methods=["GET", "HEAD"])
async def index(request: Request) -> Response:
    if not is_built():
        return PlainTextResponse(NOT_BUILT, 503)
    return await _answer(request, INDEX, _CHECKED)


@router.api_route("/inbox", methods=["GET", "HEAD"])
async def inbox() -> Response:
    return place_in_page("inbox")


@router.api_route("/settings", methods=["GET", "HEAD"])
async def settings() -> Response:
    return place_in_page("settings")


@router.api_route("/s/{session}", methods=["GET", "HEAD"])
async def conversation(session: str) -> Response:
    return place_in_page("s", session)


@router.api_route("/t/{turn}", methods=["GET", "HEAD"])
async def replay(turn: str) -> Response:
    return place_in_page("t", turn)


@router.api_route("/t/{turn}/{other}", methods=["GET", "HEAD"])
async def beside(turn: str, other: str) -> Response:
    return place_in_page("t", turn, other)


def place_in_page(*parts: str) -> Response:
    """A place in the page, typed without its `#`. The way there is relative: a proxy may serve us under any path."""
    if not all(map(_IDENT.fullmatch, parts)):
        raise HTTPException(404)
    up = "../" * (len(parts) - 1) or "./"
    where = f"{up}#/{'/'.join(quote(part, safe='') for part in parts)}"
    return RedirectResponse(where, 307, headers={"cache-control": _CHECKED})


@router.api_route("/favicon.ico", methods=["GET", "HEAD"])
@router.api_route("/favicon.svg", methods=["GET", "HEAD"])
async def icon(request: Request) -> Response:
    return await _answer(request, ICON, _CHECKED)


@router.api_route("/assets/{name}", methods=["GET", "HEAD"])
async def part(request: Request, name: str) -> Response:
    if name in _DIAGRAM:
        return await _answer(request, f"{ASSETS}/{name}", _CHECKED, _DIAGRAM_HEADERS)
    return await _answer(request, f"{ASSETS}/{name}", _FOR_EVER)


async def _answer(request: Request, name: str, kept: str, more: Mapping[str, str] | None = None) -> Response:
    """Browsers ask whether the index is still the one; what it names never changes under its name."""
    file = FILES.get(name)
    if file is None:
        raise HTTPException(404)
    headers = {"cache-control": kept, "etag": file.tag, "vary": "accept-encoding", **(more or {})}
    if file.tag in request.headers.get("if-none-match", ""):
        return Response(status_code=304, headers=headers)
    body = file.body
    if file.packs and "gzip" in request.headers.get("accept-encoding", ""):
        body = await asyncio.to_thread(_packed, name)
        headers["content-encoding"] = "gzip"
    return Response(body, headers=headers, media_type=file.kind)


@cache
def _packed(name: str) -> bytes:
    return gzip.compress(FILES[name].body, 6, mtime=0)
