"""Commands in namespaces of their own, by `bwrap`: files read-only or not there, other processes and networks not seen.

Owns the arguments. The workspace is given by descriptor, so that what has its name meanwhile does not matter.
"""

import os
import shutil
import stat
import subprocess
from collections.abc import Generator, Iterator
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

FAMILIES: Final = (seccomp.AF_UNIX, seccomp.AF_INET, seccomp.AF_INET6, seccomp.AF_NETLINK)

INSIDE: Final = (
    'ulimit -u "$1" 2>/dev/null || ulimit -p "$1" || exit 125; '
    "echo 1000 2>/dev/null >/proc/self/oom_score_adj; echo 19 2>/dev/null >/proc/self/autogroup; "
    'shift; exec nice -n "$@"'
)
"""Counted from here on: the processes of this user namespace, and not all of the user's."""

MASKED: Final = (
    *("/proc/keys", "/proc/key-users", "/proc/timer_list", "/proc/kallsyms", "/proc/kcore", "/proc/sysrq-trigger"),
    *("/proc/acpi", "/proc/scsi", "/proc/asound", "/proc/dynamic_debug", "/proc/mtrr", "/proc/driver", "/proc/bus"),
    *(
        "/proc/irq",
        "/proc/fs",
        "/proc/pressure",
        "/proc/kmsg",
        "/proc/kpagecount",
        "/proc/kpageflags",
        "/proc/kpagecgroup",
    ),
)
KERNEL_SETTINGS: Final = "/proc/sys"
"""Read-only: the kernel lets whoever is the administrator outside write it, without any capability."""

SANDBOX_UID: Final = 1000
"""Of the administrator's commands: programs that think they are theirs do things that they then may not."""

_PROBE_S = 10.0
_working = set[str]()
"""Those that were tried; what failed may be passing, and is tried again."""


class Bubblewrap:
    """Holds commands with the program `bwrap`."""

    name: SandboxName = "bubblewrap"
    has_gate = True

    def __init__(self, program: str) -> None:
        self._program = program

    @contextmanager
    def prepared(self, command: SandboxCommand) -> Generator[PreparedCommand]:
        limits = command.limits
        with ExitStack() as stack:
            groups = stack.enter_context(command_group(limits))
            workspace = open_path(command.root, stack)
            rules = memory_file(seccomp.program(FAMILIES), stack)
            owner = owner_of(workspace)
            user = None if owner is None else owner[0]
            paths = visible_paths(command.root, command.own, command.protected, user)
            bound = _bound(workspace, str(command.root), _options(self._program))
            arguments = [
                *_namespaces(command.network, owner, _options(self._program)),
                *_mounts(command, paths, bound),
                *(() if command.gate is None else ("--block-fd", str(command.gate))),
                *("--chdir", str(command.root / command.folder), "--seccomp", str(rules), "--clearenv"),
                *(part for name, value in paths.variables.items() for part in ("--setenv", name, value)),
            ]
            become = (
                [] if owner is None else ["setpriv", f"--reuid={owner[0]}", f"--regid={owner[1]}", "--clear-groups"]
            )
            inside = ["/bin/sh", "-c", INSIDE, "sh", str(limits.processes), str(limits.nice)]
            yield PreparedCommand(
                argv=bounded(groups, limits, [*become, self._program, *arguments, "--", *inside, *shell(command.line)]),
                cwd="/",
                pass_fds=(workspace, rules, *(() if command.gate is None else (command.gate,))),
                watch=CommandWatch(
                    _folder_of(workspace, stack),
                    limits,
                    count_processes=is_administrators(workspace) and not groups,
                ),
            )


def find_bubblewrap() -> tuple[Bubblewrap | None, str]:
    """The sandbox, or why it cannot be used here, as a sentence."""
    program = shutil.which("bwrap")
    if program is None:
        return None, "The program bwrap is not installed: install the package bubblewrap."
    if not seccomp.supported():
        return None, f"Commands are not filtered on this processor ({os.uname().machine})."
    if program in _working:
        return Bubblewrap(program), _works(program)
    return _probed(program)


def _works(program: str) -> str:
    return f"bubblewrap works here ({program})."


def _probed(program: str) -> tuple[Bubblewrap | None, str]:
    """Tries it, as only that tells: many containers and some systems forbid what it needs."""
    sandbox = Bubblewrap(program)
    try:
        if "--clearenv" not in _options(program):
            return None, "The program bwrap is too old: version 0.5 or newer is needed."
        with sandbox.prepared(SandboxCommand(line="exit 42", root=Path("/usr"))) as ready:
            ran = subprocess.run(  # noqa: S603
                ready.argv,
                capture_output=True,
                cwd=ready.cwd,
                pass_fds=ready.pass_fds,
                timeout=_PROBE_S,
                stdin=subprocess.DEVNULL,
                check=False,
            )
    except (OSError, subprocess.SubprocessError) as error:
        return None, f"The program bwrap could not be run: {error}."
    if ran.returncode != 42:
        said = ran.stderr.decode("utf-8", "replace").strip()[-300:] or f"it ended with {ran.returncode}"
        return None, f"The program bwrap does not work here: {said}. Allow user namespaces, or run outside a container."
    _working.add(program)
    return sandbox, _works(program)


@cache
def _options(program: str) -> frozenset[str]:
    said = subprocess.run([program, "--help"], capture_output=True, timeout=_PROBE_S, check=False)  # noqa: S603
    return frozenset((said.stdout + said.stderr).decode("utf-8", "replace").split())


def _namespaces(network: bool, owner: tuple[int, int] | None, options: frozenset[str]) -> Iterator[str]:
    user, group = owner or (os.getuid(), os.getgid())
    yield from ("--unshare-user", "--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try")
    if not network:
        yield "--unshare-net"
    yield from ("--uid", str(user or SANDBOX_UID), "--gid", str(group or SANDBOX_UID))
    if "--disable-userns" in options:
        yield "--disable-userns"
    yield from ("--cap-drop", "ALL", "--hostname", "sandbox", "--die-with-parent", "--new-session")


def _mounts(command: SandboxCommand, paths: VisiblePaths, bound: list[str]) -> Iterator[str]:
    """In order: each covers what is there before it."""
    size = str(command.limits.temporary)
    for path, link in paths.folders:
        yield from ("--symlink", link, path) if link is not None else ("--ro-bind", path, path)
    yield from ("--proc", "/proc", "--dev", "/dev", "--perms", "1777", "--size", size)
    yield from ("--tmpfs", "/dev/shm", "--remount-ro", "/dev")  # noqa: S108
    yield from ("--ro-bind", KERNEL_SETTINGS, KERNEL_SETTINGS)
    for path in MASKED if os.getuid() == 0 else ():
        yield from _hidden(path)
    yield from ("--perms", "1777", "--size", size, "--tmpfs", "/tmp", "--dir", "/tmp/home", "--dir", "/run")  # noqa: S108
    yield from ("--symlink", "../tmp", "/var/tmp", "--symlink", "../run", "/var/run")  # noqa: S108
    if command.network and (resolver := os.path.realpath("/etc/resolv.conf")) != "/etc/resolv.conf":
        yield from ("--ro-bind-try", resolver, resolver)
    for path in outer_repository(command.root):
        yield from ("--ro-bind", path, path)
    yield from bound
    for path in paths.protected:
        yield from ("--ro-bind", path, path)
    for path in paths.hidden:
        yield from _hidden(path)
    yield from ("--remount-ro", "/")


def _bound(workspace: int, root: str, options: frozenset[str]) -> list[str]:
    if "--bind-fd" in options:
        return ["--bind-fd", str(workspace), root]
    return ["--bind", f"/proc/self/fd/{workspace}", root]


def _hidden(path: str) -> Iterator[str]:
    try:
        mode = os.lstat(path).st_mode
    except OSError:
        return
    if stat.S_ISDIR(mode):
        yield from ("--size", "4096", "--perms", "0000", "--tmpfs", path, "--remount-ro", path)
    elif not stat.S_ISLNK(mode):
        yield from ("--ro-bind", "/dev/null", path)


def _folder_of(workspace: int, stack: ExitStack) -> int:
    """The same folder, opened so that its disk can be asked for."""
    descriptor = os.open(".", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC, dir_fd=workspace)
    stack.callback(os.close, descriptor)
    return descriptor
