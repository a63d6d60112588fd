"""Signing in and out of a browser, and who one is."""

from typing import Literal

import msgspec
from fastapi import APIRouter, Request
from starlette.responses import RedirectResponse, Response

from glassloop.core.errors import UnknownName
from glassloop.runtime.settings import Auth
from glassloop.server.auth.authentication import Authenticator, KnownBy
from glassloop.server.auth.identity import (
    Caller,
    NotSignedIn,
    User,
    cookie_name,
    csrf_token,
    delete_cookie,
    set_cookie,
)
from glassloop.server.auth.openid import ATTEMPT_S, CALLBACK, OpenIdProvider
from glassloop.server.auth.request_info import RequestInfo
from glassloop.server.dependencies import MeChange, SignIn, runtime_of, settings_of
from glassloop.server.http.responses import json_response
from glassloop.server.http.routing import route

router = APIRouter(prefix="/api", tags=["access"])

OPENID_COOKIE = "glassloop-openid"
"""What a browser keeps while somebody signs in at the OpenID provider; encrypted, and good for nothing else."""


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
    sharing: bool
    """Whether conversations may be shared by a link."""


class Visitor(msgspec.Struct, frozen=True, kw_only=True):
    """Who is asking, or null for somebody who has not signed in. `openid`: whether an OpenID provider signs people in,
    from `/api/sign-in/openid`."""

    me: Me | None
    openid: bool


class SignedIn(msgspec.Struct, frozen=True, kw_only=True):
    """The browser holds a cookie now; `csrf_token` as in `/api/me`."""

    csrf_token: str


class SignedOut(msgspec.Struct, frozen=True, kw_only=True):
    """Whether there was a cookie to end. `provider_url`: where to sign out of the OpenID provider too."""

    done: bool
    provider_url: str | None = None


@route(router.post, "/sign-in", "Signed in; the response sets a cookie.")
async def sign_in(request: Request, body: SignIn) -> SignedIn | Response:
    """Sign a browser in with an API key, or with the admin token. Ten wrong attempts a minute."""
    authenticator, info = _authenticator(request), _info(request)
    token = await authenticator.sign_in(info, body.key)
    if former := info.cookie(cookie_name(info.https, info.mounted_at)):
        await authenticator.sign_out(former)
    response = json_response(SignedIn(csrf_token=csrf_token(token)))
    set_cookie(response, token, https=info.https, mounted_at=info.mounted_at)
    return response


@route(
    router.get,
    "/sign-in/openid",
    "Redirects to the provider.",
    404,
    503,
    status=303,
)
async def begin_openid(request: Request, page: Literal["", "admin"] = "") -> Response:
    """Send this browser to the OpenID provider to sign in; `page=admin` leads to `/admin` afterwards."""
    provider, info = _openid(request), _info(request)
    url, kept = await provider.begin(page)
    response = RedirectResponse(url, 303)
    # Lax: the provider's page leads back here.
    https, path = info.https, f"{info.mounted_at}{CALLBACK}"
    response.set_cookie(OPENID_COOKIE, kept, max_age=ATTEMPT_S, path=path, secure=https, httponly=True, samesite="lax")
    return response


@route(
    router.get,
    "/sign-in/openid/callback",
    "Signed in and redirected to the web page; the response sets a cookie.",
    404,
    503,
    status=303,
)
async def finish_openid(request: Request) -> Response:
    """Where the OpenID provider sends a browser back to: signs it in, and goes on to the page."""
    authenticator, info, provider = _authenticator(request), _info(request), _openid(request)
    try:
        found = await provider.finish(info.cookie(OPENID_COOKIE), request.query_params)
    except NotSignedIn:
        await authenticator.refused(info, "a sign-in by the OpenID provider failed")
        raise
    store = runtime_of(request).store
    await store.users.ensure(found.name)
    await store.access.set_groups(found.name, found.groups, by=found.name)
    # Never the token that the browser had before: somebody else may know that one.
    if former := info.cookie(cookie_name(info.https, info.mounted_at)):
        await store.sign_ins.end(former)
    known_by: KnownBy = {"issuer": provider.issuer, "is_admin": found.is_admin}
    token = await authenticator.open_sign_in(info, found.name, provider.lasts_s, **known_by)
    response = RedirectResponse(f"{info.mounted_at}/{found.page}", 303)
    set_cookie(response, token, https=info.https, mounted_at=info.mounted_at)
    response.delete_cookie(OPENID_COOKIE, path=f"{info.mounted_at}{CALLBACK}", secure=info.https, httponly=True)
    return response


@route(router.post, "/sign-out", "Signed out.")
async def sign_out(request: Request, _caller: User) -> SignedOut | Response:
    """Sign this browser out, everywhere at once."""
    token = _token(request)
    if token is None:
        return SignedOut(done=False)
    url = await _authenticator(request).sign_out(token)
    response = json_response(SignedOut(done=True, provider_url=url))
    info = _info(request)
    delete_cookie(response, https=info.https, mounted_at=info.mounted_at)
    return response


@route(router.get, "/me", "The current user.")
async def me(request: Request, caller: User) -> Me | Response:
    """Who is asking. A cookie lasts longer by this."""
    return _renewed(request, json_response(await _me(request, caller)))


@route(router.patch, "/me", "The updated record.")
async def change_me(request: Request, body: MeChange, caller: User) -> Me:
    """Say what you want to be called: assistants whose prompts ask for it are told. Null takes it back."""
    await runtime_of(request).store.users.set_display_name(caller.user, body.display_name)
    return await _me(request, caller)


@route(router.get, "/visitor", "The current user, if signed in.")
async def visitor(request: Request) -> Visitor | Response:
    """Who is asking, for a page that anybody may open: as `/api/me`, and null in place of 401 for nobody."""
    caller = request.scope.get("caller")
    if not isinstance(caller, Caller):
        return Visitor(me=None, openid=_authenticator(request).openid is not None)
    found = Visitor(me=await _me(request, caller), openid=_authenticator(request).openid is not None)
    return _renewed(request, json_response(found))


async def _me(request: Request, caller: Caller) -> Me:
    token = _token(request)
    return Me(
        user=caller.user,
        display_name=await runtime_of(request).store.users.display_name(caller.user),
        admin=caller.admin,
        auth=_authenticator(request).mode,
        csrf_token=None if token is None else csrf_token(token),
        extensions=tuple(each.name for each in settings_of(request).extensions),
        sharing=settings_of(request).sharing,
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


def _openid(request: Request) -> OpenIdProvider:
    provider = _authenticator(request).openid
    if provider is None:
        raise UnknownName("No OpenID provider is configured: sign in with an API key, or set GLASSLOOP_OIDC_ISSUER.")
    return provider


def _authenticator(request: Request) -> Authenticator:
    return request.app.state.authenticator


def _info(request: Request) -> RequestInfo:
    return request.scope["request_info"]
