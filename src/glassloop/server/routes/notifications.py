"""Notifications of a user: the address they are sent to while no page is in view, and a test of it."""

from collections.abc import Sequence
from typing import Annotated

import msgspec
from fastapi import APIRouter, Request
from pydantic import Field

from glassloop.core.errors import UsageError
from glassloop.runtime.notifications.delivery import MAX_URL_CHARS, NotDelivered
from glassloop.server.auth.identity import User
from glassloop.server.dependencies import Body, runtime_of
from glassloop.server.http.routing import route
from glassloop.server.routes.turns import ActionResult
from glassloop.store.tables.inbox import NotificationFormat

router = APIRouter(prefix="/api", tags=["notifications"])


class NotificationState(msgspec.Struct, frozen=True, kw_only=True):
    """Where you are notified; an empty `url` is nowhere. `domains` are those that the operator allows: none where
    notifications are switched off. `problem` says why the last one was not delivered."""

    domains: Sequence[str]
    url: str = ""
    format: NotificationFormat = "ntfy"
    details: bool = False
    problem: str = ""


class NewNotificationAddress(Body):
    """Where to notify you: a topic of ntfy, or any receiver of JSON."""

    url: Annotated[str, Field(min_length=1, max_length=MAX_URL_CHARS)]
    format: NotificationFormat = "ntfy"
    details: bool = Field(False, description="Also send the beginning of what was asked or answered.")
    page: Annotated[
        str, Field(max_length=MAX_URL_CHARS, pattern="^(https?://[^\\s#]+)?$", description="The page that links open.")
    ] = ""


@route(router.get, "/notifications", "How it stands.")
async def state(request: Request, caller: User) -> NotificationState:
    """Where you are notified while no page of yours is in view."""
    runtime = runtime_of(request)
    domains, found = runtime.notifier.domains, await runtime.store.notifications.of_user(caller.user)
    if found is None:
        return NotificationState(domains=domains)
    return NotificationState(
        domains=domains, url=found.url, format=found.format, details=found.details, problem=found.problem
    )


@route(router.put, "/notifications", "In use from now on.", 400)
async def change(request: Request, body: NewNotificationAddress, caller: User) -> NotificationState:
    """Set the address that you are notified at. Only https, and only domains that the operator allows."""
    runtime = runtime_of(request)
    url = runtime.notifier.check(body.url)
    await runtime.store.notifications.set(caller.user, url, body.format, details=body.details, page=body.page)
    return await state(request, caller)


@route(router.delete, "/notifications", "Nothing is sent any more; false where there was no address.")
async def remove(request: Request, caller: User) -> ActionResult:
    """Remove the address that you are notified at."""
    return ActionResult(done=await runtime_of(request).store.notifications.remove(caller.user))


@route(router.post, "/notifications/test", "The receiver has taken it.", 400)
async def test(request: Request, caller: User) -> ActionResult:
    """Send a notification to your address now, once."""
    runtime = runtime_of(request)
    found = await runtime.store.notifications.of_user(caller.user)
    if found is None:
        raise UsageError("There is no address to notify you at: save one first.")
    try:
        await runtime.notifier.test(found)
    except NotDelivered as error:
        raise UsageError(f"The test was not delivered. {error}") from None
    return ActionResult(done=True)
