"""Worker identity: this worker's name, and how it tells whether another one is alive.

Processes that share a SQLite file hold an OS lock each: a turn is taken over only when its owner's lock is free. On
PostgreSQL workers may be anywhere: a turn is held by a lease that its worker renews.
"""

import os
import secrets
import socket
import time
from typing import Protocol

from glassloop.core.ports import Clock
from glassloop.runtime.durable.process_lock import ProcessLock

LEASE_S = 15.0


class WorkerIdentity(Protocol):
    name: str
    lease_s: float
    """How long a claim holds without being renewed; 0 where it holds as long as the process lives."""

    def is_gone(self, worker: str, lease_until: float) -> bool: ...

    def close(self) -> None: ...


class LockIdentity:
    """For a SQLite file."""

    def __init__(self, path: str) -> None:
        self._holder = ProcessLock(path)
        self.name = self._holder.name
        self.lease_s = 0.0

    def is_gone(self, worker: str, lease_until: float) -> bool:  # noqa: ARG002
        return self._holder.is_gone(worker)

    def close(self) -> None:
        self._holder.close()


class LeaseIdentity:
    """For PostgreSQL."""

    def __init__(self, lease_s: float = LEASE_S, clock: Clock = time.time) -> None:
        self.name = f"{socket.gethostname()}-{os.getpid()}-{secrets.token_hex(3)}"
        self.lease_s = lease_s
        self._clock = clock

    def is_gone(self, worker: str, lease_until: float) -> bool:  # noqa: ARG002
        return lease_until < self._clock()

    def close(self) -> None:
        """Leases end by themselves."""
