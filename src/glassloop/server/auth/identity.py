"""The caller of a request, set by authentication; routes only read it."""

from typing import Annotated

import msgspec
from fastapi import Depends, Request

from glassloop.core.errors import GlassloopError

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


def caller_of(request: Request) -> Caller:
    """The caller of a request, or 401."""
    found = request.scope.get("caller")
    if isinstance(found, Caller):
        return found
    raise NotSignedIn(SIGN_IN_FIRST)


def check_proven(request: Request) -> None:
    """Refuses to start anything for a request that another page may have had the caller's browser send: 403."""
    if not request.scope.get("proven"):
        raise Forbidden(
            "This would start something, and nothing shows that you or our own page sent it: send an API key, or the "
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
    return caller_of(request)


async def _admin(request: Request) -> Caller:
    return admin_of(request)


User = Annotated[Caller, Depends(_user)]
Admin = Annotated[Caller, Depends(_admin)]
