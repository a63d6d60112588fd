"""Delivery of one notification over HTTP: in the format of the receiver, to an address that the operator allows.

A domain that the operator names exactly is trusted, whatever it resolves to. One that only matches a pattern must
resolve to public addresses, and that very address is connected to. No redirect is followed, and no answer is read.
"""

from collections.abc import Sequence
from typing import Literal
from urllib.parse import urlsplit, urlunsplit

import msgspec

from glassloop.core.egress import Egress
from glassloop.core.errors import UsageError
from glassloop.core.records import Json
from glassloop.store.tables.inbox import NotificationAddress
from glassloop.tools.public_address import (
    IsPublic,
    NotPublic,
    NoWebAddress,
    PinnedAddress,
    Resolver,
    is_public,
    pin,
    resolve,
)

Event = Literal["approval_requested", "question_asked", "turn_completed", "turn_failed", "test"]

TIMEOUT_S = 10.0
MAX_URL_CHARS = 500
MAX_DETAILS_CHARS = 300
_LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})
_MESSAGES: dict[Event, str] = {
    "approval_requested": "Waiting for your approval",
    "question_asked": "The assistant has a question for you",
    "turn_completed": "Your answer is ready",
    "turn_failed": "Your question could not be answered",
    "test": "Test notification",
}


class Notification(msgspec.Struct, frozen=True, kw_only=True):
    """What a user is told. `title` is that of the conversation; `details` is empty unless the user wants them."""

    event: Event
    title: str
    link: str
    session_id: str = ""
    turn_id: str = ""
    details: str = ""


class NotDelivered(Exception):
    """The receiver did not take it; the text says why. `again`: it may take it later."""

    def __init__(self, why: str, *, again: bool = False) -> None:
        super().__init__(why)
        self.again = again


def check_address(url: str, domains: Sequence[str]) -> str:
    """The address, if a user may be notified there; raises `UsageError` if not."""
    if not domains:
        raise UsageError("Notifications are switched off here: the operator names domains in GLASSLOOP_NOTIFY_DOMAINS.")
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname or "", parts.port
    except ValueError:
        host, parts = "", urlsplit("")
    if not host or len(url) > MAX_URL_CHARS or parts.username is not None or parts.fragment or not url.isprintable():
        raise UsageError("This is not an address to send notifications to: write it as https://ntfy.sh/your-topic.")
    if parts.scheme != "https" and not (parts.scheme == "http" and host in _LOOPBACK):
        raise UsageError("Notifications are only sent over https: write the address as https://….")
    if not Egress(domains=tuple(domains)).allows(url):
        raise UsageError(f"Notifications may not be sent to {host!r}: the operator allows {', '.join(domains)}.")
    return url


def body_of(address: NotificationAddress, note: Notification) -> tuple[str, dict[str, Json]]:
    """Where it is posted, and what."""
    message = _MESSAGES[note.event]
    if address.format == "ntfy":
        parts = urlsplit(address.url)
        folder, _, topic = parts.path.rstrip("/").rpartition("/")
        told: dict[str, Json] = {"topic": topic, "title": message, "message": "\n".join(_lines(note)), "tags": ["bell"]}
        if note.link:
            told["click"] = note.link
        return urlunsplit((parts.scheme, parts.netloc, f"{folder}/", parts.query, "")), told
    return address.url, {"message": message, **msgspec.to_builtins(note)}


async def deliver(
    address: NotificationAddress,
    note: Notification,
    domains: Sequence[str],
    resolver: Resolver = resolve,
    public: IsPublic = is_public,
) -> None:
    """Sends it once. Raises `NotDelivered`."""
    import httpx2

    try:
        check_address(address.url, domains)
    except UsageError as error:
        raise NotDelivered(str(error)) from None
    url, told = body_of(address, note)
    target = await _target(url, domains, resolver, public)
    headers = {"content-type": "application/json", "accept-encoding": "identity"}
    if isinstance(target, PinnedAddress):
        headers["host"] = target.name
    # Neither proxies nor keys of our environment.
    async with httpx2.AsyncClient(trust_env=False, follow_redirects=False, timeout=TIMEOUT_S) as client:
        try:
            request = client.build_request(
                "POST",
                target if isinstance(target, str) else target.url,
                headers=headers,
                content=msgspec.json.encode(told),
                extensions={} if isinstance(target, str) else {"sni_hostname": target.server},
            )
            response = await client.send(request, stream=True)
            await response.aclose()
        except (httpx2.HTTPError, httpx2.InvalidURL, OSError) as error:
            raise NotDelivered(f"The receiver cannot be reached ({type(error).__name__}).", again=True) from None
    if not 200 <= response.status_code < 300:
        again = response.status_code == 429 or response.status_code >= 500
        raise NotDelivered(f"The receiver answered {response.status_code}.", again=again)


async def _target(url: str, domains: Sequence[str], resolver: Resolver, public: IsPublic) -> str | PinnedAddress:
    host = urlsplit(url).hostname or ""
    if host in map(str.lower, domains):
        return url
    try:
        return await pin(url, resolver, public)
    except (NoWebAddress, NotPublic):
        raise NotDelivered(f"{host!r} has no public address.", again=True) from None


def _lines(note: Notification) -> list[str]:
    return [line for line in (note.title, note.details) if line] or [_MESSAGES[note.event]]
