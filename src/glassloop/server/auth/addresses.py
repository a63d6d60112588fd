"""Addresses of the network: which are this machine's, which are a proxy's, and which belong together."""

import ipaddress
from collections.abc import Sequence

from glassloop.core.errors import UsageError

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
