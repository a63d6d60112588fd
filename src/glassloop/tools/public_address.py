"""Addresses of the public internet: names that somebody else chose are resolved once, and that very address is used.

Which names may be asked for at all is the caller's to decide.
"""

import asyncio
import ipaddress
import socket
from collections.abc import Awaitable, Callable, Sequence
from typing import NamedTuple
from urllib.parse import urlsplit, urlunsplit

Resolver = Callable[[str, int], Awaitable[Sequence[str]]]
"""All addresses of a name, as text."""
IsPublic = Callable[[str], bool]

_NAT64 = ipaddress.ip_network("64:ff9b::/96")
_COMPATIBLE = ipaddress.ip_network("::/96")


class PinnedAddress(NamedTuple):
    """`url` has the address in the place of the name; `name` is what the server is called, with its port."""

    url: str
    name: str

    @property
    def server(self) -> str:
        """The name that the server's certificate must have."""
        return self.name.partition(":")[0]


class NoWebAddress(ValueError):
    """It is no address of a web server."""


class NotPublic(ValueError):
    """It cannot be resolved, or one of its addresses is not public."""


async def resolve(host: str, port: int) -> Sequence[str]:
    """By the system. Raises `OSError`."""
    found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return [str(address[0]) for *_, address in found]


def is_public(address: str) -> bool:
    """Whether an address is one of the public internet; one of IPv4 in one of IPv6 counts as what it stands for."""
    try:
        found = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return False
    if isinstance(found, ipaddress.IPv6Address):
        inner = found.ipv4_mapped or found.sixtofour or (found.teredo[1] if found.teredo else None)
        if inner is None and (found in _NAT64 or found in _COMPATIBLE):
            inner = ipaddress.IPv4Address(int(found) & 0xFFFFFFFF)
        if inner is not None:
            return is_public(str(inner))
    return found.is_global and not (found.is_multicast or found.is_reserved or found.is_unspecified)


async def pin(url: str, resolver: Resolver = resolve, public: IsPublic = is_public) -> PinnedAddress:
    """The URL by its address. Raises `NoWebAddress`, and `NotPublic` where any of its addresses is not public."""
    try:
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port
    except ValueError:
        raise NoWebAddress(url) from None
    if parts.scheme not in ("http", "https") or not host or parts.username is not None:
        raise NoWebAddress(url)
    try:
        found = await resolver(host, port or (443 if parts.scheme == "https" else 80))
    except (OSError, UnicodeError):
        found = ()
    if not found or not all(map(public, found)):
        raise NotPublic(url)
    address = f"[{found[0]}]" if ":" in found[0] else found[0]
    place = address if port is None else f"{address}:{port}"
    name = host if port is None else f"{host}:{port}"
    return PinnedAddress(urlunsplit((parts.scheme, place, parts.path or "/", parts.query, "")), name)
