"""Signing in and out of a browser, and who one is."""

import msgspec
from fastapi import APIRouter, Request
from starlette.responses import Response

from glassloop.runtime.settings import Auth
from glassloop.server.auth.authentication import Authenticator
from glassloop.server.auth.identity import Caller, User, cookie_name, csrf_token, delete_cookie, set_cookie
from glassloop.server.auth.request_info import RequestInfo
from glassloop.server.dependencies import MeChange, SignIn, runtime_of, settings_of
from glassloop.server.http.responses import json_response
from glassloop.server.http.routing import route

router = APIRouter(prefix="/api", tags=["access"])


class Me(msgspec.Struct, frozen=True, kw_only=True):
    """Who is asking. With a cookie, `csrf_token` is what every request that changes something sends as the header
    `x-csrf-token`; without one it is null and not needed. `extensions` are those in use, by name: the page shows the
    parts it has of them. `display_name` is what the user wants to be called, if they said so."""

    user: str
    display_name: str | None
    admin: bool
    auth: Auth
    csrf_token: str | None
    extensions: tuple[str, ...]


class Visitor(msgspec.Struct, frozen=True, kw_only=True):
    """Who is asking, or null for somebody who has not signed in."""

    me: Me | None


class SignedIn(msgspec.Struct, frozen=True, kw_only=True):
    """The browser holds a cookie now; `csrf_token` as in `/api/me`."""

    csrf_token: str


class SignedOut(msgspec.Struct, frozen=True, kw_only=True):
    """Whether there was a cookie to end."""

    done: bool


@route(router.post, "/sign-in", "Signed in; the answer sets a cookie.")
async def sign_in(request: Request, body: SignIn) -> SignedIn | Response:
    """Sign a browser in with an API key, or with the admin token. Ten wrong attempts a minute."""
    authenticator, info = _authenticator(request), _info(request)
    token = await authenticator.sign_in(info, body.key)
    if former := info.cookie(cookie_name(info.https, info.mounted_at)):
        await authenticator.sign_out(former)
    response = json_response(SignedIn(csrf_token=csrf_token(token)))
    set_cookie(response, token, https=info.https, mounted_at=info.mounted_at)
    return response


@route(router.post, "/sign-out", "Signed out.")
async def sign_out(request: Request, _caller: User) -> SignedOut | Response:
    """Sign this browser out, everywhere at once."""
    token = _token(request)
    if token is None:
        return SignedOut(done=False)
    await _authenticator(request).sign_out(token)
    response = json_response(SignedOut(done=True))
    info = _info(request)
    delete_cookie(response, https=info.https, mounted_at=info.mounted_at)
    return response


@route(router.get, "/me", "Who is asking.")
async def me(request: Request, caller: User) -> Me | Response:
    """Who is asking. A cookie lasts longer by this."""
    return _renewed(request, json_response(await _me(request, caller)))


@route(router.patch, "/me", "Changed; as it is now.")
async def change_me(request: Request, body: MeChange, caller: User) -> Me:
    """Say what you want to be called: assistants whose prompts ask for it are told. Null takes it back."""
    await runtime_of(request).store.users.set_display_name(caller.user, body.display_name)
    return await _me(request, caller)


@route(router.get, "/visitor", "Who is asking, if anybody.")
async def visitor(request: Request) -> Visitor | Response:
    """Who is asking, for a page that anybody may open: as `/api/me`, and null in place of 401 for nobody."""
    caller = request.scope.get("caller")
    if not isinstance(caller, Caller):
        return Visitor(me=None)
    return _renewed(request, json_response(Visitor(me=await _me(request, caller))))


async def _me(request: Request, caller: Caller) -> Me:
    token = _token(request)
    return Me(
        user=caller.user,
        display_name=await runtime_of(request).store.users.display_name(caller.user),
        admin=caller.admin,
        auth=_authenticator(request).mode,
        csrf_token=None if token is None else csrf_token(token),
        extensions=tuple(each.name for each in settings_of(request).extensions),
    )


def _renewed(request: Request, response: Response) -> Response:
    """With the cookie for another while, where there is one."""
    if (token := _token(request)) is not None:
        info = _info(request)
        set_cookie(response, token, https=info.https, mounted_at=info.mounted_at)
    return response


def _token(request: Request) -> str | None:
    """The token of the cookie that this request was let in with."""
    info = _info(request)
    return info.cookie(cookie_name(info.https, info.mounted_at)) if request.scope.get("by_cookie") else None


def _authenticator(request: Request) -> Authenticator:
    return request.app.state.authenticator


def _info(request: Request) -> RequestInfo:
    return request.scope["request_info"]
