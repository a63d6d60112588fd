"""The caller of a request, set by authentication; routes only read it. And the cookie of a browser that is signed in.

Scripts cannot read the cookie, and browsers send it with nothing that another site has them send. What our own page
proves itself with besides is made from it, so that it is good for this sign-in only.
"""

from typing import Annotated

import msgspec
from fastapi import Depends, Request
from starlette.requests import HTTPConnection
from starlette.responses import Response

from glassloop.core.errors import GlassloopError
from glassloop.store.tables.keys import digest_of

SIGN_IN_FIRST = "Sign in first: send your API key as `Authorization: Bearer …`, or sign in on the page."


class Caller(msgspec.Struct, frozen=True, kw_only=True):
    """A user, or an operator with the admin token."""

    user: str
    admin: bool = False

    @property
    def scope(self) -> str | None:
        """Whose things this caller may see: their own; None is everybody's."""
        return None if self.admin else self.user


class NotSignedIn(GlassloopError):
    """Nobody is named, or the key is wrong: 401."""

    error_type = "validation_error"


class Forbidden(GlassloopError):
    """Somebody is named, and may not do this: 403."""

    error_type = "validation_error"


class ProviderAway(GlassloopError):
    """The OpenID provider cannot be reached, or answers what it should not: 503."""


def check_not_forgeable(request: HTTPConnection) -> None:
    """Refuses to start anything for a request that another page may have had the caller's browser send: 403."""
    if not request.scope.get("not_forgeable"):
        raise Forbidden(
            "This request has side effects and may come from another website: send an API key, or the "
            "header `x-requested-with` with any value."
        )


def admin_of(request: Request) -> Caller:
    """The caller, who must be an operator: with the admin token, or 401."""
    found = request.scope.get("caller")
    if isinstance(found, Caller) and found.admin:
        return found
    raise NotSignedIn("This needs the admin token: send it as the header `admin-token`, or sign in with it.")


# Coroutines, though nothing is waited for: FastAPI takes anything else to a thread, for every request.
async def _user(request: Request) -> Caller:
    found = request.scope.get("caller")
    if isinstance(found, Caller):
        return found
    raise NotSignedIn(SIGN_IN_FIRST)


async def _admin(request: Request) -> Caller:
    return admin_of(request)


User = Annotated[Caller, Depends(_user)]
Admin = Annotated[Caller, Depends(_admin)]


SIGNED_IN_S = 30 * 86_400
"""How long it lasts after its last use."""


def cookie_name(https: bool, mounted_at: str = "") -> str:
    """With a prefix, browsers let no page set it that came without https; with the stronger one none of another name
    either, which is to be had at the root only."""
    if not https:
        return "glassloop"
    return "__Secure-glassloop" if mounted_at else "__Host-glassloop"


def csrf_token(token: str) -> str:
    """What our own page sends with everything that changes something, and no other page can read."""
    return digest_of(f"csrf {token}")


def set_cookie(response: Response, token: str, *, https: bool, mounted_at: str = "") -> None:
    response.set_cookie(
        cookie_name(https, mounted_at),
        token,
        max_age=SIGNED_IN_S,
        path=mounted_at or "/",
        secure=https,
        httponly=True,
        samesite="strict",
    )


def delete_cookie(response: Response, *, https: bool, mounted_at: str = "") -> None:
    name = cookie_name(https, mounted_at)
    response.delete_cookie(name, path=mounted_at or "/", secure=https, httponly=True, samesite="strict")
