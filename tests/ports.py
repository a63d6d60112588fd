"""Ports for servers that must be told theirs before they start."""

import random
import socket
from contextlib import suppress


def free_port() -> int:
    """One that a server can have again and again: none of those that the system gives to whoever wants any."""
    while True:
        port = random.SystemRandom().randrange(10_000, 30_000)
        with suppress(OSError), socket.socket() as place:
            place.bind(("127.0.0.1", port))
            return port
