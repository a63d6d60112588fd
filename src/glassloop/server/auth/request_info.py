"""A request before anybody believes it: its headers, where it comes from, whether it came by https.

What a proxy adds to a request counts only when the proxy is trusted; who that is, the authenticator says.
"""

import ipaddress
import re
from collections.abc import Callable, Sequence
from typing import Any

from starlette.types import Scope

from glassloop.core.errors import UsageError
from glassloop.server.auth.identity import Forbidden

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
            f"{variable} has {text!r}, which is no address and no network: write 10.0.0.5 or 10.0.0.0/8."
        ) from None


SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
NOWHERE = "a local socket"

_HOST = re.compile(r"(\[[0-9A-Fa-f:.]{2,45}\]|[A-Za-z0-9._-]{1,253})(?::[0-9]{1,5})?")
_WITH_PORT = re.compile(r"(\[[^\]]*\]|[^:\[\]]+):[0-9]{1,5}")


class RequestInfo:
    """One request. `trusts` says whether the other end of its connection may speak for somebody else."""

    def __init__(self, scope: Scope, trusts: "Callable[[RequestInfo], bool]", proxies: Networks) -> None:
        self._headers: list[tuple[bytes, bytes]] = scope["headers"]
        self.method: str = scope.get("method", "GET")
        self.path = _path(scope)
        client: Any = scope.get("client")
        self.peer: str | None = client[0] if client else None
        trusted = trusts(self)
        self.address = self._forwarded(proxies) if trusted else self.peer or NOWHERE
        self.https = scope.get("scheme") in ("https", "wss")
        if trusted and (told := self.header("x-forwarded-proto")):
            self.https = told.partition(",")[0].strip().lower() in ("https", "wss")

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
            raise Forbidden(f"The header {name!r} is there {len(found)} times: send it once.")
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
            raise Forbidden(f"The header 'host' is {given[:100]!r}, which names no server: send the server's name.")
        return shaped[1].lower(), given.lower()

    def cookie(self, name: str) -> str | None:
        """The cookie's value; None where it is there twice, as when another site under the same name set one too."""
        pairs = [part.strip().partition("=") for part in (self.header("cookie") or "").split(";")]
        found = {value for key, _, value in pairs if key == name}
        return found.pop() if len(found) == 1 else None

    def _forwarded(self, proxies: Networks) -> str:
        """Proxies add to the right: the first from there that is none of ours."""
        told = b",".join(value for key, value in self._headers if key == b"x-forwarded-for").decode("latin-1")
        parts = [_without_port(part.strip()) for part in told.split(",") if part.strip()]
        return next((part for part in reversed(parts) if part not in proxies), self.peer or NOWHERE)


def _path(scope: Scope) -> str:
    """The path as routes know it, without what the server is mounted under."""
    path, root = str(scope["path"]), str(scope.get("root_path", ""))
    return path[len(root) :] if root and path.startswith(f"{root}/") else path


def _without_port(text: str) -> str:
    shaped = _WITH_PORT.fullmatch(text)
    return shaped[1] if shaped else text
