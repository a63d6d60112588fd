"""The process group of a running program: the program and all it started, ended together.

Owns that none of them is left: when the program is done, when it is to stop, and when this process is killed and can no
longer do it. A process that leaves the group, as a daemon does, is out of reach.
"""

import logging
import os
import signal
import subprocess
from contextlib import suppress
from pathlib import Path
from time import monotonic

from glassloop.tools.process.pipes import Pipes

GRACE_S = 1.0
"""From SIGTERM to SIGKILL."""

DEATH_S = 1.0
"""How long to wait for the killed: longer they stay only where the kernel holds them."""

TICK_S = 0.02

# Its stdin closes when this process dies, however it dies.
_GUARD = 'read -r _; kill -s KILL -- "-$1"'

_logger = logging.getLogger("glassloop.tools")


class ProcessGroup:
    """The group that `leader` was started as the first of."""

    def __init__(self, leader: "subprocess.Popen[bytes]") -> None:
        self._leader = leader
        self._guard = _guard(leader.pid)

    def end(self, pipes: Pipes, grace_s: float = GRACE_S) -> None:
        """Ends what is left, also what the program started and did not wait for."""
        if self._is_left():
            self._stop(signal.SIGTERM, grace_s, pipes)
            self._stop(signal.SIGKILL, DEATH_S, pipes)
            if self._is_left():
                _logger.warning("processes of group %d are killed, but not gone", self._leader.pid)
        if self._guard is not None:
            # Killed before its pipe is closed, else it would do what it is there for.
            self._guard.kill()
            self._guard.communicate()

    def _stop(self, number: signal.Signals, patience: float, pipes: Pipes) -> None:
        self._signal(number)
        deadline = monotonic() + patience
        while self._is_left() and monotonic() < deadline:
            # Read on: a program that says goodbye must not be held up by a full pipe.
            pipes.rest(self._leader, TICK_S)

    def _is_left(self) -> bool:
        """Whether any of them lives. As long as one is left, dead or alive, the group's number is not given away."""
        if self._leader.poll() is None:
            return True
        # Where we are process 1 of a container, the program's orphans are ours to bury.
        with suppress(ChildProcessError):
            while os.waitpid(-self._leader.pid, os.WNOHANG)[0]:
                pass
        return self._signal(0) and _has_living(self._leader.pid)

    def _signal(self, number: int) -> bool:
        """Whether there was anyone to send it to."""
        try:
            os.killpg(self._leader.pid, number)
        except (ProcessLookupError, PermissionError):
            # Not permitted: on macOS, of a group in which only the dead are left.
            return False
        return True


def _has_living(group: int) -> bool:
    """Whether not only the dead are left, who stay until process 1 buries them: some take their time."""
    seen = False
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError, ValueError):
            # After the name, which may hold anything: state, parent, group.
            state, _, found = stat.read_bytes().rpartition(b")")[2].split()[:3]
            seen = True
            if int(found) == group and state not in (b"Z", b"X"):
                return True
    # Where there is no /proc, all that is known is that the group exists.
    return not seen


def _guard(group: int) -> "subprocess.Popen[bytes] | None":
    """A process that kills the group when we are killed and cannot. On a machine without a shell there is none."""
    with suppress(OSError):
        return subprocess.Popen(  # noqa: S603
            ["/bin/sh", "-c", _GUARD, "guard", str(group)],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd="/",
            env={},
            start_new_session=True,
        )
    return None
