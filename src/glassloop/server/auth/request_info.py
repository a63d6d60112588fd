"""A request before anybody believes it: its headers, where it comes from, whether it came by https.

What a proxy adds to a request counts only when the proxy is trusted; who that is, the authenticator says. `Origins`
holds under which names the server may be called and from which pages, against DNS rebinding and forged requests:
browsers say where a request comes from (`Origin`, `Sec-Fetch-Site`); programs say nothing, and need not.
"""

import ipaddress
import re
from collections.abc import Callable, Sequence
from typing import Any

from starlette.types import Scope

from glassloop.core.errors import UsageError
from glassloop.runtime.settings import Settings
from glassloop.server.auth.identity import Forbidden
from glassloop.server.http.root_path import mounted_at

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
Network = ipaddress.IPv4Network | ipaddress.IPv6Network

NAME_CHARS = 100
NEIGHBOURS = 64
"""Bits of an IPv6 address that one household or machine has for itself: limits count them as one."""


def read_address(text: str) -> Address | None:
    """An address as it is written, with or without brackets; None for a name."""
    try:
        found = ipaddress.ip_address(text.removeprefix("[").removesuffix("]").partition("%")[0])
    except ValueError:
        return None
    mapped = found.ipv4_mapped if isinstance(found, ipaddress.IPv6Address) else None
    return mapped or found


def is_loopback(host: str) -> bool:
    """Whether a name or address can only be this machine, whoever answers for names."""
    found = read_address(host)
    return host.lower() == "localhost" if found is None else found.is_loopback


def counted_as(address: str) -> str:
    """The name under which limits count an address."""
    found = read_address(address)
    if isinstance(found, ipaddress.IPv6Address):
        return str(ipaddress.ip_network((found, NEIGHBOURS), strict=False))
    return str(found or address[:NAME_CHARS])


class Networks:
    """Addresses and networks from a setting, with commas between."""

    def __init__(self, given: str | None, variable: str) -> None:
        self._networks: Sequence[Network] = [_network(part, variable) for part in listed(given)]

    def __bool__(self) -> bool:
        return bool(self._networks)

    def __contains__(self, address: object) -> bool:
        found = read_address(address) if isinstance(address, str) else None
        return found is not None and any(found in network for network in self._networks)


def listed(given: str | None) -> list[str]:
    """The parts of a setting that holds several."""
    return [part.strip() for part in (given or "").split(",") if part.strip()]


def _network(text: str, variable: str) -> Network:
    try:
        return ipaddress.ip_network(text, strict=False)
    except ValueError:
        raise UsageError(
            f"{variable} has {text!r}, which is not an address or network: write 10.0.0.5 or 10.0.0.0/8."
        ) from None


SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
NOWHERE = "a local socket"

_HOST = re.compile(r"(\[[0-9A-Fa-f:.]{2,45}\]|[A-Za-z0-9._-]{1,253})(?::[0-9]{1,5})?")
_PORT = re.compile(r"\A(\[[^\]]*\]|[^:\[\]]+):[0-9]{1,5}\Z")


class RequestInfo:
    """One request. `trusts` says whether the other end of its connection may speak for somebody else."""

    def __init__(self, scope: Scope, trusts: "Callable[[RequestInfo], bool]", proxies: Networks) -> None:
        self._headers: list[tuple[bytes, bytes]] = scope["headers"]
        self.method: str = scope.get("method", "GET")
        self.is_socket = scope["type"] == "websocket"
        self.path: str = scope["path"]
        self.mounted_at = mounted_at(scope)
        client: Any = scope.get("client")
        self.peer: str | None = client[0] if client else None
        trusted = trusts(self)
        self.address = self._forwarded(proxies) if trusted else self.peer or NOWHERE
        self.https = scope.get("scheme") in ("https", "wss")
        if trusted and (scheme := self.header("x-forwarded-proto")):
            self.https = scheme.partition(",")[0].strip().lower() in ("https", "wss")

    @property
    def unsafe(self) -> bool:
        """Whether it may change something by what HTTP says of its method."""
        return self.method not in SAFE_METHODS

    def has(self, name: str) -> bool:
        return any(key == name.encode() for key, _ in self._headers)

    def header(self, name: str) -> str | None:
        """The header's value. One that is there twice could mean one thing to a proxy and another to us."""
        wanted = name.encode()
        found = [value for key, value in self._headers if key == wanted]
        if len(found) > 1:
            raise Forbidden(f"The header {name!r} was sent {len(found)} times: send it once.")
        if not found:
            return None
        try:
            return found[0].decode("utf-8")
        except UnicodeDecodeError:
            return found[0].decode("latin-1")

    def host(self) -> tuple[str, str]:
        """The name this server was called by, without and with its port; raises `Forbidden` for what is no name."""
        given = self.header("host") or ""
        shaped = _HOST.fullmatch(given)
        if shaped is None:
            raise Forbidden(f"The header 'host' is {given[:100]!r}, which is not a host name: send the server's name.")
        return shaped[1].lower(), given.lower()

    def cookie(self, name: str) -> str | None:
        """The cookie's value; None where it is there twice, as when another site under the same name set one too."""
        pairs = [part.strip().partition("=") for part in (self.header("cookie") or "").split(";")]
        found = {value for key, _, value in pairs if key == name}
        return found.pop() if len(found) == 1 else None

    def _forwarded(self, proxies: Networks) -> str:
        """Proxies add to the right: the first from there that is none of ours."""
        given = b",".join(value for key, value in self._headers if key == b"x-forwarded-for").decode("latin-1")
        parts = [_PORT.sub(r"\1", part.strip()) for part in given.split(",") if part.strip()]
        return next((part for part in reversed(parts) if part not in proxies), self.peer or NOWHERE)


_ORIGIN = re.compile(r"[a-z][a-z0-9+.-]*://[^/\s,*]+")
_NAME = re.compile(r"\[[0-9a-f:.]+\]|[a-z0-9._-]+")
_ELSEWHERE = ("cross-site", "same-site")
_PREFLIGHT = (
    (b"access-control-allow-methods", b"GET, HEAD, POST, PUT, PATCH, DELETE"),
    (b"access-control-max-age", b"600"),
)
_HEADER_NAMES = re.compile(r"[A-Za-z0-9_, -]{1,2000}")


class Origins:
    """The names and pages of these settings."""

    def __init__(self, settings: Settings) -> None:
        self._local = settings.auth == "local"
        self._hosts = frozenset(map(_host, listed(settings.allowed_hosts)))
        self._origins = frozenset(map(_origin, listed(settings.allowed_origins)))

    def check_host(self, info: RequestInfo) -> None:
        """In `local` mode a name that others answer for is refused: a page could have it point here."""
        name, _ = info.host()
        if name in self._hosts or (is_loopback(name) if self._local else not self._hosts):
            return
        raise Forbidden(
            f"This server does not serve the host {name[:100]!r}: use "
            f"{'127.0.0.1 or localhost' if self._local else 'one of its names'}, or add it to GLASSLOOP_ALLOWED_HOSTS."
        )

    def check_page(self, info: RequestInfo) -> None:
        """Refuses what another page has a browser send."""
        origin = info.header("origin")
        if origin is None:
            if info.header("sec-fetch-site") in _ELSEWHERE:
                raise Forbidden(
                    "Another site sent this request through your browser: open the address directly instead."
                )
        elif not self.is_own(info, origin) and not self.allows(origin):
            raise Forbidden(
                f"Pages of {origin[:100]!r} may not call this server: if they should, name them in "
                "GLASSLOOP_ALLOWED_ORIGINS."
            )

    def is_from_own_page(self, info: RequestInfo) -> bool:
        """Whether a browser says that our own page sent this."""
        origin = info.header("origin")
        return self.is_own(info, origin) if origin is not None else info.header("sec-fetch-site") == "same-origin"

    def is_own(self, info: RequestInfo, origin: str) -> bool:
        """Under http our page may still have come by https: the proxy that ends that for us need not say so."""
        scheme, _, place = origin.lower().partition("://")
        return place == info.host()[1] and scheme in (("https",) if info.https else ("http", "https"))

    def allows(self, origin: str | None) -> bool:
        """Whether it is a page that settings name."""
        return origin is not None and origin.lower() in self._origins

    def is_preflight(self, info: RequestInfo) -> bool:
        """Whether a browser asks, for a page that may, what the page may send."""
        asks = info.method == "OPTIONS" and info.header("access-control-request-method") is not None
        return asks and self.allows(info.header("origin"))

    def headers(self, info: RequestInfo, *, preflight: bool = False) -> list[tuple[bytes, bytes]]:
        """What lets another page read the answer. Never with cookies: other pages use keys."""
        origin = info.header("origin")
        if not self._origins or origin is None or not self.allows(origin):
            return [(b"vary", b"Origin")] if self._origins else []
        found = [
            (b"access-control-allow-origin", origin.encode()),
            (b"access-control-expose-headers", b"Retry-After"),
            (b"vary", b"Origin"),
        ]
        if preflight:
            wanted = info.header("access-control-request-headers") or ""
            found += _PREFLIGHT
            if _HEADER_NAMES.fullmatch(wanted):
                found.append((b"access-control-allow-headers", wanted.encode()))
        return found


def _host(text: str) -> str:
    name = text.lower()
    if _NAME.fullmatch(name) is None:
        raise UsageError(
            f"GLASSLOOP_ALLOWED_HOSTS has {text!r}, which is not a host name: write chat.example.org, without "
            "scheme, port or star."
        )
    return name


def _origin(text: str) -> str:
    origin = text.lower().removesuffix("/")
    if _ORIGIN.fullmatch(origin) is None:
        raise UsageError(
            f"GLASSLOOP_ALLOWED_ORIGINS has {text!r}, which is not an origin: write https://example.org, without "
            "path or star."
        )
    return origin
