"""Commands held by Landlock and a filter of system calls, where `bwrap` cannot be used.

Landlock allows, and cannot take back below: where a workspace has a `.git`, what lies beside it is allowed piece by
piece, so that a command cannot make new files at the top of it. It knows nothing of modes, owners and times, nor of
sockets by name, so that commands may not change or make any. No namespace is needed, so that it works in containers.
"""

import ctypes
import marshal
import os
import sys
import tempfile
from collections.abc import Generator, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from functools import cache
from pathlib import Path
from typing import Final

from glassloop.extensions.code.sandbox import seccomp
from glassloop.extensions.code.sandbox.control_groups import command_group
from glassloop.extensions.code.sandbox.prepared_command import (
    PreparedCommand,
    SandboxCommand,
    SandboxName,
    bounded,
    is_administrators,
    memory_file,
    open_path,
    owner_of,
    shell,
)
from glassloop.extensions.code.sandbox.repositories import outer_repository
from glassloop.extensions.code.sandbox.visible import VisiblePaths, visible_paths
from glassloop.extensions.code.sandbox.watch import CommandWatch
from glassloop.python_child import bare_python

CHILD: Final = Path(__file__).with_name("landlock_child.py")
MIN_ABI: Final = 3
"""Before it files could be cut off that may not be written."""
SIGNALS_ABI: Final = 6

_EXECUTE, _WRITE_FILE, _READ_FILE, _READ_DIR, _TRUNCATE, _IOCTL = 1 << 0, 1 << 1, 1 << 2, 1 << 3, 1 << 14, 1 << 15
_MADE = 1 << 4 | 1 << 5 | 1 << 7 | 1 << 8 | 1 << 10 | 1 << 12 | 1 << 13
"""Remove, make folders, files, pipes and links, and move; no sockets and devices."""
_ALL = (1 << 15) - 1
_READ = _EXECUTE | _READ_FILE | _READ_DIR
_WRITE_A_FILE = _EXECUTE | _READ_FILE | _WRITE_FILE | _TRUNCATE
_WRITE = _READ | _WRITE_FILE | _TRUNCATE | _MADE
_SCOPES = 0b11
"""Abstract sockets and signals."""

DEVICES: Final = ("/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom")
KERNEL_FILES: Final = (
    *("/proc/cpuinfo", "/proc/meminfo", "/proc/stat", "/proc/loadavg", "/proc/uptime", "/proc/version"),
    *("/proc/filesystems", "/proc/sys", "/proc/self"),
)

Rule = tuple[str | int, int]


class Landlock:
    """Holds commands with rules of the kernel; `abi` is the version of them that it has."""

    name: SandboxName = "landlock"
    has_gate = True

    def __init__(self, abi: int) -> None:
        self._abi = abi

    @contextmanager
    def prepared(self, command: SandboxCommand) -> Generator[PreparedCommand]:
        limits = command.limits
        with ExitStack() as stack:
            groups = stack.enter_context(command_group(limits))
            workspace = open_path(command.root, stack)
            opened = os.open(command.folder or ".", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC, dir_fd=workspace)
            stack.callback(os.close, opened)
            temporary = stack.enter_context(tempfile.TemporaryDirectory(ignore_cleanup_errors=True))
            owner = owner_of(workspace)
            user = None if owner is None else owner[0]
            _give(temporary, owner)
            paths = visible_paths(command.root, command.own, command.protected, user)
            also = (*seccomp.UNMOUNTED, *(seccomp.SIGNALS if self._abi < SIGNALS_ABI else ()))
            families = (seccomp.AF_INET, seccomp.AF_INET6) if command.network else ()
            wanted = {
                "abi": self._abi,
                "files": _ALL | (_IOCTL if self._abi >= 5 else 0),
                "scoped": _SCOPES if self._abi >= SIGNALS_ABI else 0,
                "rules": list(_rules(command, paths, workspace, temporary)),
                "filter": seccomp.program(families, also, among_others=True),
                "processes": _processes(owner) + limits.processes,
                "nice": limits.nice,
                "folder": opened,
                "gate": command.gate,
                "owner": owner,
                "argv": shell(command.line),
                "env": {**paths.variables, "HOME": f"{temporary}/home", "TMPDIR": temporary},
            }
            described = memory_file(marshal.dumps(wanted), stack)
            yield PreparedCommand(
                argv=bounded(groups, limits, [*bare_python(CHILD, str(described))]),
                cwd="/",
                pass_fds=(workspace, opened, described, *(() if command.gate is None else (command.gate,))),
                watch=CommandWatch(opened, limits, count_processes=is_administrators(workspace) and not groups),
            )


def find_landlock() -> tuple[Landlock | None, str]:
    """The sandbox, or why it cannot be used here, as a sentence."""
    abi = landlock_abi()
    if abi < MIN_ABI:
        has = f"only version {abi} of Landlock" if abi > 0 else "no Landlock"
        return None, f"The kernel has {has}: Linux 6.2 or newer is needed, with Landlock enabled."
    if not seccomp.supported():
        return None, f"Commands are not filtered on this processor ({os.uname().machine})."
    return Landlock(abi), f"The kernel has version {abi} of Landlock."


@cache
def landlock_abi() -> int:
    """The version that the kernel has; 0 or less where it has none."""
    if sys.platform != "linux":
        return 0
    call = ctypes.CDLL(None, use_errno=True).syscall
    call.restype = ctypes.c_long
    return call(ctypes.c_long(444), None, ctypes.c_size_t(0), ctypes.c_uint32(1))


def _rules(command: SandboxCommand, paths: VisiblePaths, workspace: int, temporary: str) -> Iterator[Rule]:
    for path, _ in paths.folders:
        yield from _without(path, paths.hidden, _READ)
    for path in KERNEL_FILES:
        yield path, _fitting(path, _READ)
    for path in DEVICES:
        yield path, _READ_FILE | _WRITE_FILE
    for path in outer_repository(command.root):
        yield path, _READ
    if command.network:
        yield os.path.realpath("/etc/resolv.conf"), _READ_FILE
    yield temporary, _WRITE
    kept = (*paths.protected, *paths.hidden)
    root = str(command.root)
    if not any(_is_in(path, root) for path in kept):
        yield workspace, _WRITE
        return
    # To be listed, it has to be readable from the top; what is hidden in it then shows its names, and no more.
    yield workspace, _READ_DIR
    yield from _without(root, paths.hidden, _READ)
    yield from _without(root, kept, _WRITE)


def _without(path: str, left_out: Iterable[str], access: int) -> Iterator[Rule]:
    """Rules for a folder and all below but what is left out."""
    inside = [each for each in left_out if _is_in(each, path)]
    if path in inside or os.path.islink(path):  # noqa: PTH114
        if path not in inside and not inside:
            yield os.path.realpath(path), _fitting(path, access)
        return
    if not inside:
        yield path, _fitting(path, access)
        return
    yield path, access & _READ_DIR
    try:
        entries = os.listdir(path)  # noqa: PTH208
    except OSError:
        return
    for name in entries:
        below = f"{path.rstrip('/')}/{name}"
        # A link is no place of its own: where it leads is allowed by itself, or not.
        if not os.path.islink(below):  # noqa: PTH114
            yield from _without(below, inside, access)


def _fitting(path: str, access: int) -> int:
    """Files have fewer rights than folders, and the kernel refuses the others for them."""
    return access if os.path.isdir(path) else access & _WRITE_A_FILE  # noqa: PTH112


def _is_in(path: str, folder: str) -> bool:
    return path == folder or path.startswith(f"{folder.rstrip('/')}/")


def _give(temporary: str, owner: tuple[int, int] | None) -> None:
    os.mkdir(f"{temporary}/home")  # noqa: PTH102
    if owner is not None:
        os.chown(temporary, *owner)
        os.chown(f"{temporary}/home", *owner)


def _processes(owner: tuple[int, int] | None) -> int:
    """Those of the user that the command runs as: the kernel's limit counts them all."""
    user, count = os.getuid() if owner is None else owner[0], 0
    for entry in os.scandir("/proc"):
        if entry.name.isdigit():
            try:
                if entry.stat().st_uid == user:
                    count += len(os.listdir(f"{entry.path}/task"))  # noqa: PTH208
            except OSError:
                continue
    return count
