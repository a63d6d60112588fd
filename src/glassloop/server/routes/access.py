"""Signing in and out of a browser, and who one is."""

import msgspec
from fastapi import APIRouter, Request
from starlette.responses import Response

from glassloop.runtime.settings import Auth
from glassloop.server.answers import json_answer, shows
from glassloop.server.bodies import SignIn
from glassloop.server.caller import Caller, User
from glassloop.server.cookie import cookie_name, csrf_token, delete_cookie, set_cookie
from glassloop.server.errors import failures
from glassloop.server.gate import Gate
from glassloop.server.visit import Visit

router = APIRouter(prefix="/api", tags=["access"])


class Me(msgspec.Struct, frozen=True, kw_only=True):
    """Who is asking. With a cookie, `csrf_token` is what every request that changes something sends as the header
    `x-csrf-token`; without one it is null and not needed."""

    user: str
    admin: bool
    auth: Auth
    csrf_token: str | None


class Visitor(msgspec.Struct, frozen=True, kw_only=True):
    """Who is asking, or null for somebody who has not signed in."""

    me: Me | None


class SignedIn(msgspec.Struct, frozen=True, kw_only=True):
    """The browser holds a cookie now; `csrf_token` as in `/api/me`."""

    csrf_token: str


class SignedOut(msgspec.Struct, frozen=True, kw_only=True):
    """Whether there was a cookie to end."""

    done: bool


@router.post(
    "/sign-in",
    responses={**shows(SignedIn, "Signed in; the answer sets a cookie."), **failures()},
    response_class=Response,
)
async def sign_in(request: Request, body: SignIn) -> Response:
    """Sign a browser in with an API key, or with the admin token. Ten attempts a minute."""
    gate, visit = _gate(request), _visit(request)
    token = await gate.sign_in(visit, body.key)
    if former := visit.cookie(cookie_name(visit.https)):
        await gate.sign_out(former)
    response = json_answer(SignedIn(csrf_token=csrf_token(token)))
    set_cookie(response, token, https=visit.https)
    return response


@router.post(
    "/sign-out",
    responses={**shows(SignedOut, "Signed out."), **failures()},
    response_class=Response,
)
async def sign_out(request: Request, _caller: User) -> Response:
    """Sign this browser out, everywhere at once."""
    token = _token(request)
    if token is None:
        return json_answer(SignedOut(done=False))
    await _gate(request).sign_out(token)
    response = json_answer(SignedOut(done=True))
    delete_cookie(response, https=_visit(request).https)
    return response


@router.get("/me", responses={**shows(Me, "Who is asking."), **failures()}, response_class=Response)
async def me(request: Request, caller: User) -> Response:
    """Who is asking. A cookie lasts longer by this."""
    return _renewed(request, json_answer(_me(request, caller)))


@router.get(
    "/visitor", responses={**shows(Visitor, "Who is asking, if anybody."), **failures()}, response_class=Response
)
async def visitor(request: Request) -> Response:
    """Who is asking, for a page that anybody may open: as `/api/me`, and null in place of 401 for nobody."""
    caller = request.scope.get("caller")
    if not isinstance(caller, Caller):
        return json_answer(Visitor(me=None))
    return _renewed(request, json_answer(Visitor(me=_me(request, caller))))


def _me(request: Request, caller: Caller) -> Me:
    token = _token(request)
    return Me(
        user=caller.user,
        admin=caller.admin,
        auth=_gate(request).mode,
        csrf_token=None if token is None else csrf_token(token),
    )


def _renewed(request: Request, response: Response) -> Response:
    """With the cookie for another while, where there is one."""
    if (token := _token(request)) is not None:
        set_cookie(response, token, https=_visit(request).https)
    return response


def _token(request: Request) -> str | None:
    """The token of the cookie that this request was let in with."""
    visit = _visit(request)
    return visit.cookie(cookie_name(visit.https)) if request.scope.get("by_cookie") else None


def _gate(request: Request) -> Gate:
    return request.app.state.gate


def _visit(request: Request) -> Visit:
    return request.scope["visit"]
