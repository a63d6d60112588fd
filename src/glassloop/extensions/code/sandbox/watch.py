"""Limits that the kernel does not keep for us, looked after while a command runs: the disk, and how many processes.

Processes are counted only where neither a control group nor a limit of the user bounds them, as for the administrator
in most containers.
"""

import os
from pathlib import Path
from time import monotonic

from glassloop.core.errors import ToolError
from glassloop.extensions.code.sandbox.limits import SandboxLimits

INTERVAL_S = 0.05


class CommandStopped(ToolError):
    """A command that reached a limit and was ended; the message says which."""


class CommandWatch:
    """Called again and again while the command runs; raises `CommandStopped`. `folder` is an open descriptor."""

    def __init__(self, folder: int, limits: SandboxLimits, *, count_processes: bool) -> None:
        self._folder = folder
        self._limits = limits
        self._tasks = _tasks() if count_processes else None
        self._next = 0.0
        disk = os.fstatvfs(folder)
        self._floor = min(limits.free_disk // disk.f_frsize, disk.f_blocks // 10)
        # A disk that is nearly full already is no fault of the command: it may use half of what is left.
        self._floor = min(self._floor, disk.f_bavail // 2)
        self._files = min(10_000, disk.f_favail // 2)

    def __call__(self) -> None:
        now = monotonic()
        if now < self._next:
            return
        self._next = now + INTERVAL_S
        disk = os.fstatvfs(self._folder)
        # Some file systems count no files: they say that there are none.
        if disk.f_bavail < self._floor or (disk.f_files and disk.f_favail < self._files):
            raise CommandStopped("The command was stopped because the disk was nearly full: it has to write less.")
        if self._tasks is not None and _tasks() - self._tasks > 2 * self._limits.processes:
            raise CommandStopped(
                f"The command was stopped because it started too many processes: at most {self._limits.processes}."
            )


def _tasks() -> int:
    """Threads of the whole machine: the one count that costs nothing, however many there are."""
    try:
        return int(Path("/proc/loadavg").read_bytes().split()[3].partition(b"/")[2])
    except (OSError, ValueError, IndexError):
        return 0
