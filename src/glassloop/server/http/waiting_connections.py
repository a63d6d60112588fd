"""Connections that wait for a request to be whole, by the address they come from: of each address a bounded number.

One that sends half a head, or nothing, costs nobody anything but a place among all connections. Beyond the bound the
oldest of the same address is closed, so that whoever comes from there is still served, and from elsewhere too.
"""

from collections import OrderedDict
from typing import Protocol
from weakref import WeakKeyDictionary

MIN_EACH = 10
SHARES = 10
"""Of all connections there may be, those of one address that wait are at most this part."""


class WaitingConnection(Protocol):
    def close_waiting(self) -> None: ...


class WaitingConnections:
    """Of one server; in the order in which they began to wait."""

    def __init__(self, most: int | None) -> None:
        self._each = None if most is None else max(MIN_EACH, most // SHARES)
        self._waiting: dict[str, OrderedDict[WaitingConnection, None]] = {}

    def add(self, address: str, connection: WaitingConnection) -> None:
        waiting = self._waiting.setdefault(address, OrderedDict())
        waiting[connection] = None
        if self._each is not None and len(waiting) > self._each:
            oldest, _ = waiting.popitem(last=False)
            oldest.close_waiting()

    def remove(self, address: str, connection: WaitingConnection) -> None:
        waiting = self._waiting.get(address)
        if waiting is not None:
            waiting.pop(connection, None)
            if not waiting:
                del self._waiting[address]


_of_servers: WeakKeyDictionary[object, WaitingConnections] = WeakKeyDictionary()


def waiting_connections(server_state: object, most: int | None) -> WaitingConnections:
    """Those of the server with that state, which takes at most so many connections in all."""
    found = _of_servers.get(server_state)
    if found is None:
        found = _of_servers[server_state] = WaitingConnections(most)
    return found
