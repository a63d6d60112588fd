"""A command made ready to run, and what every sandbox is asked for."""

import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack
from pathlib import Path
from typing import Literal, Protocol

import msgspec

from glassloop.extensions.code.sandbox.limits import SandboxLimits

SandboxName = Literal["bubblewrap", "landlock", "off"]

ENTER = 'while [ "$1" != -- ]; do echo $$ > "$1" || exit 125; shift; done; shift; '
"""Moves itself into the control groups that are named before `--`."""

BOUND = 'ulimit -c 0 && ulimit -f "$1" && ulimit -d "$2" && ulimit -n "$3" || exit 125; shift 3; exec "$@"'
"""In the units of a POSIX shell: blocks of 512 bytes, then kilobytes, then a count."""


class SandboxCommand(msgspec.Struct, frozen=True, kw_only=True):
    """A shell line for one workspace. `folder` is where it runs, `protected` what stays read-only, both from the root;
    `own` are files and folders of Glassloop's that are not to be seen. `gate`: an open descriptor; the line runs once
    something can be read from it."""

    line: str
    root: Path
    folder: str = ""
    network: bool = False
    protected: Sequence[str] = ()
    own: Sequence[Path] = ()
    limits: SandboxLimits = SandboxLimits()
    gate: int | None = None


class PreparedCommand(msgspec.Struct, frozen=True, kw_only=True):
    """What to start. `watch` is called while it runs."""

    argv: Sequence[str]
    cwd: str | None = None
    env: Mapping[str, str] = {}
    pass_fds: Sequence[int] = ()
    watch: Callable[[], None] | None = None


class Sandbox(Protocol):
    """One way to hold commands."""

    @property
    def name(self) -> SandboxName: ...

    @property
    def has_gate(self) -> bool:
        """Whether a command can be started that waits."""
        ...

    def prepared(self, command: SandboxCommand) -> AbstractContextManager[PreparedCommand]:
        """The command, ready; what it needs is let go of with the `with`. Blocks."""
        ...


def bounded(groups: Sequence[str], limits: SandboxLimits, argv: Sequence[str]) -> list[str]:
    """The program within its control groups and limits."""
    sizes = (str(limits.file_size // 512), str(limits.memory // 1024), str(limits.open_files))
    return ["/bin/sh", "-c", ENTER + BOUND, "sh", *groups, "--", *sizes, *argv]


def shell(line: str) -> list[str]:
    """The program for a shell line. Models write for bash, where a pipe fails with any command in it; the shell of the
    system where there is none."""
    if os.path.exists("/bin/bash"):  # noqa: PTH110
        return ["/bin/bash", "-o", "pipefail", "-c", line]
    return ["/bin/sh", "-c", line]


def open_path(path: str | Path, stack: ExitStack) -> int:
    """A descriptor that stands for the file or folder itself, whatever becomes of its name; never of a link."""
    descriptor = os.open(path, os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC)
    stack.callback(os.close, descriptor)
    return descriptor


def owner_of(folder: int) -> tuple[int, int] | None:
    """User and group that the administrator's commands run as: those of the workspace; None where it is their own."""
    facts = os.fstat(folder)
    return (facts.st_uid, facts.st_gid) if os.geteuid() == 0 and facts.st_uid != 0 else None


def is_administrators(folder: int) -> bool:
    """Whether commands run as the administrator, for whom the kernel counts no processes."""
    return os.geteuid() == 0 and owner_of(folder) is None


def memory_file(data: bytes, stack: ExitStack) -> int:
    """A descriptor to read these bytes from."""
    descriptor = os.memfd_create("sandbox")
    stack.callback(os.close, descriptor)
    with os.fdopen(os.dup(descriptor), "wb") as file:
        file.write(data)
    os.lseek(descriptor, 0, os.SEEK_SET)
    return descriptor
