"""A seccomp filter: the system calls that a command may not make, as a BPF program for the kernel.

Refuses what namespaces and mounts do not cover: other namespaces, keyrings, sockets to the machine that hosts this one,
set-user-id bits, typing into a terminal, and calls that are not known here. Loads nothing: bubblewrap and the Landlock
program do.
"""

import errno
import platform
import struct
from collections.abc import Iterable
from typing import Final

from glassloop.extensions.code.sandbox.system_calls import AUDIT_ARCH, NEWEST

AF_UNIX, AF_INET, AF_INET6, AF_NETLINK = 1, 2, 10, 16

_LOAD, _JUMP_EQ, _JUMP_GT, _JUMP_SET, _RETURN = 0x20, 0x15, 0x25, 0x45, 0x06
_ALLOW, _ERRNO = 0x7FFF0000, 0x00050000
_NUMBER, _ARCH, _ARGS = 0, 4, 16

_SET_ID = 0o6000
_CREATES = 0o100 | 0o20000000
"""`O_CREAT`, or the bit of `O_TMPFILE` that is not `O_DIRECTORY`."""
_NEW_NAMESPACES = 0x02000000 | 0x00020000 | 0x04000000 | 0x08000000 | 0x10000000 | 0x20000000 | 0x40000000
_TYPES_INTO_TERMINAL: Final = (0x5412, 0x541C)
"""`TIOCSTI` and `TIOCLINUX`."""

REFUSED: Final = (
    *("mount", "umount2", "pivot_root", "open_tree", "open_tree_attr", "move_mount", "fsopen", "fsconfig", "fsmount"),
    *("fspick", "mount_setattr", "unshare", "setns", "keyctl", "add_key", "request_key", "bpf", "perf_event_open"),
    *("userfaultfd", "kexec_load", "kexec_file_load", "init_module", "finit_module", "delete_module", "acct"),
    *("open_by_handle_at", "name_to_handle_at", "swapon", "swapoff", "reboot", "quotactl", "quotactl_fd", "syslog"),
    *("settimeofday", "clock_settime", "adjtimex", "clock_adjtime", "vhangup", "iopl", "ioperm", "io_uring_setup"),
    *("io_uring_enter", "io_uring_register", "sethostname", "setdomainname"),
)
"""In every sandbox."""

UNMOUNTED: Final = (
    *("chmod", "fchmod", "fchmodat", "fchmodat2", "chown", "lchown", "fchown", "fchownat", "utime", "utimes"),
    *("utimensat", "futimesat", "setxattr", "lsetxattr", "fsetxattr", "setxattrat", "removexattr", "lremovexattr"),
    *("fremovexattr", "removexattrat", "file_setattr", "mq_open", "shmget", "msgget", "semget"),
    *("ptrace", "process_vm_readv", "process_vm_writev", "pidfd_open", "pidfd_getfd", "process_madvise"),
    *("migrate_pages", "move_pages"),
)
"""Where nothing but Landlock holds a command: it knows nothing of modes, owners and times, nor of shared memory."""

_OF_ONE: Final = {
    "prlimit64": (0,),
    "sched_setaffinity": (0,),
    "sched_setattr": (0,),
    "sched_setscheduler": (0,),
    "sched_setparam": (0,),
    "setpriority": (0, 1),
    "ioprio_set": (1,),
}
"""There as well, only of the process itself: the arguments that are 0 then."""

SIGNALS: Final = ("kill", "tkill", "tgkill", "rt_sigqueueinfo", "rt_tgsigqueueinfo", "pidfd_send_signal")
"""Where the kernel's Landlock does not hold signals within the sandbox."""

_MODES: Final = {
    "chmod": (None, 1),
    "fchmod": (None, 1),
    "fchmodat": (None, 2),
    "fchmodat2": (None, 2),
    "creat": (None, 1),
    "mknod": (None, 1),
    "mknodat": (None, 2),
    "open": (1, 2),
    "openat": (2, 3),
}
"""Where a call has its flags and its mode. Without `O_CREAT` a mode is whatever was in the register."""


def supported() -> bool:
    """Whether the filter knows this processor."""
    return platform.machine() in AUDIT_ARCH


def program(
    families: Iterable[int],
    also: Iterable[str] = (),
    *,
    among_others: bool = False,
    machine: str | None = None,
) -> bytes:
    """The filter. `families`: of sockets that may be made. `also`: calls to refuse beside those always refused.
    `among_others`: where the command can name processes that are not its own."""
    arch, numbers = AUDIT_ARCH[machine or platform.machine()]
    refused = [numbers[name] for name in (*REFUSED, *also) if name in numbers]
    code = [
        *(_load(_ARCH), _jump(_JUMP_EQ, arch, 1, 0), _refuse(errno.EPERM)),
        # Also the calls of the 32-bit form of the processor, which have a bit of their own.
        *(_load(_NUMBER), _jump(_JUMP_GT, NEWEST, 0, 1), _refuse(errno.ENOSYS)),
    ]
    for number in refused:
        code += [_jump(_JUMP_EQ, number, 0, 1), _refuse(errno.EPERM)]
    # What it asks for lies in memory, where a filter cannot look; every library knows how to do without.
    for name in ("clone3", "openat2"):
        code += [_jump(_JUMP_EQ, numbers[name], 0, 1), _refuse(errno.ENOSYS)]
    code += _when(numbers["clone"], [_argument(0), *_unless_set(_NEW_NAMESPACES)])
    code += _when(numbers["ioctl"], [_argument(1), *(_line for each in _TYPES_INTO_TERMINAL for _line in _not(each))])
    code += _when(numbers["socket"], _one_of(0, families))
    code += _when(numbers["socketpair"], _one_of(0, (AF_UNIX,)))
    for name, arguments in _OF_ONE.items() if among_others else ():
        code += _when(numbers[name], [line for place in arguments for line in _one_of(place, (0,))])
    for name, (flags, mode) in _MODES.items():
        if name in numbers:
            check = [_argument(mode), *_unless_set(_SET_ID)]
            if flags is not None:
                check = [_argument(flags), _jump(_JUMP_SET, _CREATES, 0, len(check)), *check]
            code += _when(numbers[name], check)
    return b"".join((*code, _return(_ALLOW)))


def _one_of(argument: int, allowed: Iterable[int]) -> list[bytes]:
    values = sorted(allowed)
    checks = [_jump(_JUMP_EQ, value, len(values) - place, 0) for place, value in enumerate(values)]
    return [_argument(argument), *checks, _refuse(errno.EPERM)]


def _not(value: int) -> list[bytes]:
    return [_jump(_JUMP_EQ, value, 0, 1), _refuse(errno.EPERM)]


def _unless_set(bits: int) -> list[bytes]:
    return [_jump(_JUMP_SET, bits, 0, 1), _refuse(errno.EPERM)]


def _when(number: int, check: list[bytes]) -> list[bytes]:
    """The check for one call, and then the call's number again for those that follow."""
    return [_jump(_JUMP_EQ, number, 0, len(check)), *check, _load(_NUMBER)]


def _argument(place: int) -> bytes:
    """Its lower half: all of these arguments have 32 bits."""
    return _load(_ARGS + 8 * place)


def _load(offset: int) -> bytes:
    return _line(_LOAD, 0, 0, offset)


def _jump(kind: int, value: int, then: int, otherwise: int) -> bytes:
    return _line(kind, then, otherwise, value)


def _refuse(number: int) -> bytes:
    return _return(_ERRNO | number)


def _return(value: int) -> bytes:
    return _line(_RETURN, 0, 0, value)


def _line(code: int, then: int, otherwise: int, value: int) -> bytes:
    return struct.pack("=HBBI", code, then, otherwise, value & 0xFFFFFFFF)
