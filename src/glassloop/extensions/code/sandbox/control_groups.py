"""A control group for one command, where this process may make one: limits for all its processes together.

Mostly the administrator may. Both versions of the kernel's interface: of the second a group beside our own, as one with
processes cannot have others below; of the first, below our own. Blocks.
"""

import itertools
import logging
import os
import signal
import time
from collections.abc import Generator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from glassloop.extensions.code.sandbox.limits import SandboxLimits

ROOT: Final = Path("/sys/fs/cgroup")
PREFIX: Final = "glassloop-command-"
WEIGHT = 25
"""Of the processor, where a server beside it has 100."""

_EMPTY_S = 0.5
_numbers = itertools.count()
_logger = logging.getLogger("glassloop.code")


def own_groups(root: Path = ROOT, text: str | None = None) -> Mapping[str, Path]:
    """The folder in which to make a group, by controller (`pids`, `memory`, `cpu`)."""
    found: dict[str, Path] = {}
    for line in (_own() if text is None else text).splitlines():
        number, _, rest = line.partition(":")
        controllers, _, path = rest.partition(":")
        if number == "0":
            base = root if (root / "cgroup.controllers").is_file() else root / "unified"
            above = base / path.strip("/").rpartition("/")[0]
            with suppress(OSError):
                for controller in (above / "cgroup.subtree_control").read_text().split():
                    found.setdefault(controller, above)
        else:
            for controller in controllers.split(","):
                found[controller] = root / controllers / path.strip("/")
    return {name: found[name] for name in ("pids", "memory", "cpu") if name in found}


def available() -> bool:
    """Whether processes can be counted by a group; tried by making one."""
    with command_group(SandboxLimits()) as files:
        return bool(files)


@contextmanager
def command_group(limits: SandboxLimits) -> Generator[list[str]]:
    """The files to write a process's number to, which moves it into the group; none where no group can be made."""
    folders: dict[Path, None] = {}
    name = f"{PREFIX}{os.getpid()}-{next(_numbers)}"
    try:
        for controller, above in (own_groups() if limits.control_groups else dict[str, Path]()).items():
            try:
                _make(above / name, controller, limits)
            except OSError as error:
                _logger.debug("no control group for %s: %s", controller, error)
                _remove(above / name)
                if controller == "pids":
                    break
            else:
                folders[above / name] = None
        yield [str(folder / "cgroup.procs") for folder in folders]
    finally:
        for folder in folders:
            _remove(folder)


def _make(folder: Path, controller: str, limits: SandboxLimits) -> None:
    folder.mkdir(exist_ok=True)
    if controller == "pids":
        (folder / "pids.max").write_text(str(limits.processes))
    elif controller == "memory":
        second = (folder / "memory.max").exists()
        (folder / ("memory.max" if second else "memory.limit_in_bytes")).write_text(str(limits.memory))
        with suppress(OSError):
            (folder / ("memory.swap.max" if second else "memory.memsw.limit_in_bytes")).write_text(
                "0" if second else str(limits.memory)
            )
    elif (folder / "cpu.weight").exists():
        (folder / "cpu.weight").write_text(str(WEIGHT))
    else:
        (folder / "cpu.shares").write_text(str(1024 * WEIGHT // 100))


def _remove(folder: Path) -> None:
    """The group, with all that is still in it."""
    deadline = time.monotonic() + _EMPTY_S
    while folder.exists():
        with suppress(OSError):
            folder.rmdir()
            return
        with suppress(OSError, ValueError):
            for pid in (folder / "cgroup.procs").read_text().split():
                os.kill(int(pid), signal.SIGKILL)
        if time.monotonic() > deadline:
            _logger.warning("the control group %s is not empty", folder)
            return
        time.sleep(0.005)


def _own() -> str:
    try:
        return Path("/proc/self/cgroup").read_text()
    except OSError:
        return ""
