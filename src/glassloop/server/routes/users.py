"""Users and their API keys, for operators: added, removed, made and revoked while the server runs."""

from collections.abc import Sequence
from typing import Annotated

import msgspec
from fastapi import APIRouter, Query, Request
from pydantic import Field

from glassloop.runtime.settings.settings import Auth
from glassloop.server.auth.identity import Admin
from glassloop.server.dependencies import Body, runtime_of, settings_of
from glassloop.server.http.routing import route
from glassloop.server.routes.turns import ActionResult
from glassloop.store.tables.keys import KeyRow
from glassloop.store.tables.users import MAX_NAME_CHARS, UserRow

router = APIRouter(prefix="/admin", tags=["users"])

UserName = Annotated[str, Field(min_length=1, max_length=MAX_NAME_CHARS)]


class UsersView(msgspec.Struct, frozen=True, kw_only=True):
    """Users by name, and keys with the newest first, those that no longer work too. `auth` says who is let in: keys
    count only where it is `keys`."""

    auth: Auth
    users: Sequence[UserRow]
    keys: Sequence[KeyRow]


class NewUser(Body):
    """Somebody who may have keys."""

    name: UserName


class NewKey(Body):
    """A key for a user."""

    user: UserName
    name: Annotated[str, Field(max_length=MAX_NAME_CHARS, description="What it is for.")] = ""
    days: Annotated[float, Field(gt=0, le=36_500, description="Default: it does not expire.")] | None = None


class CreatedKey(msgspec.Struct, frozen=True, kw_only=True):
    """A key that was made now. `key` is told here and never again."""

    key: str
    row: KeyRow


@route(router.get, "/users", "All of them.")
async def users(request: Request, _caller: Admin) -> UsersView:
    """Users and their API keys, without the secrets."""
    store = runtime_of(request).store
    return UsersView(auth=settings_of(request).auth, users=await store.users.list(), keys=await store.keys.list())


@route(router.post, "/users", "Added.", 400, status=201)
async def add_user(request: Request, body: NewUser, caller: Admin) -> UserRow:
    """Add a user; a key lets them in."""
    return await runtime_of(request).store.users.add(body.name, by=caller.user)


@route(router.delete, "/users", "Removed, with all keys and sign-ins.", 404)
async def remove_user(
    request: Request, name: Annotated[str, Query(min_length=1, max_length=MAX_NAME_CHARS)], caller: Admin
) -> ActionResult:
    """Remove a user at once. Their conversations stay."""
    await runtime_of(request).store.users.remove(name, by=caller.user)
    return ActionResult(done=True)


@route(router.post, "/keys", "Made; the key is told this once.", 400, 404, status=201)
async def create_key(request: Request, body: NewKey, caller: Admin) -> CreatedKey:
    """Make an API key for a user."""
    key, row = await runtime_of(request).store.keys.create(body.user, body.name, body.days, by=caller.user)
    return CreatedKey(key=key, row=row)


@route(router.delete, "/keys", "It no longer works, nor what browsers signed in with it.", 404)
async def revoke_key(
    request: Request, key: Annotated[str, Query(min_length=1, max_length=40)], caller: Admin
) -> ActionResult:
    """Revoke an API key."""
    await runtime_of(request).store.keys.revoke(key, by=caller.user)
    return ActionResult(done=True)
