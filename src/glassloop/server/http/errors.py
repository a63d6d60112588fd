"""Every mistake as an answer: `ErrorResponse` for our own endpoints, OpenAI's shape under `/v1`, a page for browsers.

The page is self-contained: its few styles are in it, named by their digest, and it works without the built page.

What we raise on purpose is said; of anything else only a reference is, and the stack goes to the log.
"""

import base64
import hashlib
import logging
import math
import re
import time
import uuid
from datetime import UTC, datetime
from html import escape
from pathlib import Path
from typing import Any

import msgspec
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import HTMLResponse, Response
from starlette.routing import Match

from glassloop.core.errors import (
    AccessDenied,
    ApprovalMismatch,
    BadArguments,
    ErrorType,
    GlassloopError,
    ModelError,
    SpendLimitReached,
    StoreAway,
    StoreError,
    TooManyTurns,
    UnknownName,
    UsageError,
    text_for_users,
)
from glassloop.core.events import NOTHING_READ, Event, TurnFinished
from glassloop.server.auth.identity import Forbidden, NotSignedIn, ProviderAway
from glassloop.server.http.responses import POLICY, described, json_response
from glassloop.server.http.root_path import mounted_at
from glassloop.server.observability.metrics import METHODS
from glassloop.store.errors import ScheduleChanged, SessionBusy

_log = logging.getLogger(__name__)

_TYPES: dict[int, ErrorType] = {500: "system_error", 503: "db_error"}
_FAILED: dict[ErrorType, int] = {"validation_error": 400, "llm_error": 502, "db_error": 503}
_BRANCH = re.compile(r"constrained-\w++|\w++\[.*\]|function-\w.*")
"""What the validator puts into a field's name for a branch of a type: nobody outside knows it."""
_HERE = Path(__file__).parent
_STYLE = (_HERE / "error_page.css").read_text("utf-8")
_DIGEST = base64.b64encode(hashlib.sha256(_STYLE.encode()).digest()).decode()
_ANYWHERE = (401, 403, 408, 413, 422, 429, 431, 500, 503)
MAX_DETAILS = 20
GONE = 499


class UnansweredTurn(GlassloopError):
    """A turn ended without an answer, and the dialect has no other way to say so."""

    def __init__(self, end: Event) -> None:
        finished = end if isinstance(end, TurnFinished) else None
        self.cancelled = finished is None or finished.status == "cancelled"
        unread = finished is not None and finished.status == "completed"
        nothing = NOTHING_READ[:-1] if unread else "The turn was cancelled before it was answered"
        super().__init__((finished and finished.error) or f"{nothing}: ask again.")
        default: ErrorType = "validation_error" if self.cancelled else "llm_error" if unread else "system_error"
        self.kind: ErrorType = (finished and finished.error_type) or default


class SwitchedOff(GlassloopError):
    """Settings say no: 503."""


class ServerStopping(GlassloopError):
    """The server stopped before the turn of a request ended: 503."""

    def __init__(self, remedy: str = "ask again") -> None:
        super().__init__(f"The server is shutting down before the answer was finished: {remedy}.")


class ClientGone(Exception):
    """Nobody waits for the answer any more."""


_STATUS: tuple[tuple[type[GlassloopError], int], ...] = (
    (NotSignedIn, 401),
    (Forbidden, 403),
    (SwitchedOff, 503),
    (ProviderAway, 503),
    (ServerStopping, 503),
    (SessionBusy, 409),
    (ScheduleChanged, 409),
    (ApprovalMismatch, 409),
    (AccessDenied, 403),
    (SpendLimitReached, 429),
    (BadArguments, 400),
    (TooManyTurns, 429),
    (UnknownName, 404),
    (UsageError, 400),
    (StoreAway, 503),
    (StoreError, 500),
    (ModelError, 502),
)


class StatusText(msgspec.Struct, frozen=True, kw_only=True):
    """What is said of a status. `code` is `details.code`: the contract's `error_type` has one word for all that a
    caller can do wrong."""

    code: str = "went_wrong"
    meaning: str = ""
    title: str = "Something went wrong"
    suggestions: list[str] = []


_STATUSES = msgspec.toml.decode((_HERE / "statuses.toml").read_bytes(), type=dict[str, StatusText])


class ErrorResponse(msgspec.Struct, frozen=True, kw_only=True):
    """The answer to what could not be done. `details.code` says which kind of mistake it is in one word more than
    `error_type`, `details.fields` names fields and reasons, `suggestions` what to try."""

    success: bool = False
    error: str
    error_type: ErrorType
    details: dict[str, Any] = {}
    suggestions: list[str] = []
    timestamp: str


def install(app: FastAPI) -> None:
    """Has every error answered in our words."""
    app.add_exception_handler(GlassloopError, ours)
    app.add_exception_handler(RequestValidationError, _unfit)
    app.add_exception_handler(HTTPException, _http)
    app.add_exception_handler(ClientGone, _gone)
    app.add_exception_handler(Exception, unexpected)


class OpenAIError(msgspec.Struct, frozen=True, kw_only=True):
    """The same as OpenAI's clients know it."""

    error: dict[str, str | None]


def failures(*statuses: int, shape: type[msgspec.Struct] = ErrorResponse) -> dict[int | str, Any]:
    """Entries for a route's `responses`: what else it may answer, beside what every route may."""
    found: dict[int | str, Any] = {}
    for status in sorted({*_ANYWHERE, *statuses}):
        found |= described(shape, _text(status).meaning, status)
    return found


def status_of(error: GlassloopError) -> int:
    if isinstance(error, UnansweredTurn):
        return 409 if error.cancelled else _FAILED.get(error.kind, 500)
    return next((status for kind, status in _STATUS if isinstance(error, kind)), 500)


def as_response(
    text: str, kind: ErrorType, details: dict[str, Any] | None = None, suggestions: list[str] | None = None
) -> ErrorResponse:
    told = _text(_FAILED.get(kind, 500))
    return ErrorResponse(
        error=text,
        error_type=kind,
        details=details or {"code": told.code},
        suggestions=told.suggestions if suggestions is None else suggestions,
        timestamp=datetime.now(UTC).isoformat(),
    )


def answer(
    request: Request,
    status: int,
    text: str,
    kind: ErrorType,
    *,
    details: dict[str, Any] | None = None,
    headers: dict[str, str] | None = None,
    helps: bool = True,
) -> Response:
    """The error in the shape that the caller's dialect knows; a person who typed an address gets a page. `helps`:
    whether what its status suggests does."""
    if request.method == "GET" and "text/html" in request.headers.get("accept", ""):
        return _page(status, text, headers, mounted_at(request.scope))
    if request.scope["path"].startswith("/v1/"):
        shown: Any = {"error": {"message": text, "type": _openai_type(status), "param": None, "code": None}}
    else:
        told = _text(status)
        shown = as_response(text, kind, {"code": told.code, **(details or {})}, told.suggestions if helps else [])
    return json_response(shown, status, headers)


def _page(status: int, text: str, headers: dict[str, str] | None, root: str) -> HTMLResponse:
    """What happened, and the way back; everything in it is text."""
    title, way = escape(_text(status).title), "Sign in" if status == 401 else "Back to chat"
    body = (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{title} · Glassloop</title>'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f'<link rel="icon" href="{root}/favicon.svg"><style>{_STYLE}</style></head><body><main>'
        f'<p class="brand"><img src="{root}/favicon.svg" alt="" width="24" height="24">Glassloop</p>'
        f'<h1>{title}</h1><p>{escape(text)}</p><a href="{root}/">{way}</a></main></body></html>'
    )
    policy = f"{POLICY.decode()}; style-src 'sha256-{_DIGEST}'"
    return HTMLResponse(body, status, {**(headers or {}), "content-security-policy": policy, "vary": "accept"})


def _text(status: int) -> StatusText:
    return _STATUSES.get(str(status), StatusText())


def error_record(error: GlassloopError) -> ErrorResponse:
    """The same where there is no status to answer with: it stands in `details`."""
    status = status_of(error)
    told = _text(status)
    kind: ErrorType = "validation_error" if status < 500 else error.error_type
    return as_response(str(error), kind, {"code": told.code, "status": status}, told.suggestions)


async def ours(request: Request, error: Exception) -> Response:
    """The answer to what was raised on purpose."""
    assert isinstance(error, GlassloopError)  # noqa: S101
    status, headers, details = status_of(error), dict[str, str](), dict[str, Any]()
    kind = error.kind if isinstance(error, UnansweredTurn) else error.error_type
    if isinstance(error, UnansweredTurn | ServerStopping):
        # Some clients ask again by themselves, and what the turn has done already would be done twice.
        headers["x-should-retry"] = "false"
    if isinstance(error, TooManyTurns):
        headers["retry-after"] = str(max(1, math.ceil(error.retry_after)))
    if isinstance(error, SpendLimitReached):
        headers["retry-after"] = str(max(1, math.ceil(error.resets_at - time.time())))
    if isinstance(error, StoreAway):
        headers["retry-after"] = "2"
    if isinstance(error, ScheduleChanged):
        kind = "validation_error"
    if isinstance(error, SessionBusy):
        # The database is well: it is the request that comes at the wrong moment.
        kind, details["turn_id"] = "validation_error", error.turn_id
    if status == 401:
        headers["www-authenticate"] = "Bearer"
    if status >= 500:
        _log.error("%s %s: %s", request.method, request.scope["path"], error)
    helps = not isinstance(error, SwitchedOff)
    return answer(request, status, text_for_users(error), kind, details=details, headers=headers, helps=helps)


async def _unfit(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)  # noqa: S101
    fields: dict[str, Any] = {}
    for problem in error.errors()[:MAX_DETAILS]:
        name = ".".join(str(part) for part in problem.get("loc", ()) if not _BRANCH.fullmatch(str(part))) or "body"
        fields[name[:200]] = str(problem.get("msg", ""))[:500]
    text = "; ".join(f"{name}: {reason}" for name, reason in fields.items())
    return answer(request, 422, f"Invalid request: {text}.", "validation_error", details={"fields": fields})


async def _http(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)  # noqa: S101
    path, root = request.scope["path"][:200], mounted_at(request.scope)
    # Newer clients of OpenAI ask elsewhere first.
    there = f"use {root}/v1/chat/completions" if path.startswith("/v1/") else f"{root}/docs lists all endpoints"
    texts = {
        404: f"There is no {root + path!r} here: {there}.",
        405: f"{root + path!r} does not take {request.method[:20]}: {root}/docs lists the allowed methods.",
    }
    text = texts.get(error.status_code, str(error.detail))
    kind = _TYPES.get(error.status_code, "validation_error")
    headers = dict(error.headers or {})
    if error.status_code == 405:
        headers = {"allow": ", ".join(_taken_here(request))}
    return answer(request, error.status_code, text, kind, headers=headers)


def _taken_here(request: Request) -> list[str]:
    """The methods of every route with this path: a router tells only those of the first."""

    def takes(method: str) -> bool:
        scope = {**request.scope, "method": method}
        return any(route.matches(scope)[0] is Match.FULL for route in request.app.routes)

    return [method for method in METHODS if takes(method)]


async def _gone(_request: Request, _error: Exception) -> Response:
    """For the log and the metrics: there is nobody to read it."""
    return Response(status_code=GONE)


async def unexpected(request: Request, error: Exception) -> Response:
    """The answer to anything else."""
    text, reference = _refer(error, f"{request.method} {request.scope['path']}")
    return answer(request, 500, text, "system_error", details={"reference": reference})


def explain(error: Exception, what: str) -> tuple[str, ErrorType]:
    """What may be said of an error, and its kind; the log has the rest."""
    if not isinstance(error, GlassloopError):
        return _refer(error, what)[0], "system_error"
    _log.warning("%s ended early: %s", what, error)
    return str(error), error.error_type


def _refer(error: Exception, what: str) -> tuple[str, str]:
    reference = uuid.uuid4().hex[:12]
    _log.error("%s failed, reference %s", what, reference, exc_info=error)
    return f"Internal server error. The log has the details under {reference}.", reference


def _openai_type(status: int) -> str:
    names = {401: "authentication_error", 403: "permission_error", 404: "not_found_error", 429: "rate_limit_error"}
    return names.get(status, "server_error" if status >= 500 else "invalid_request_error")
