"""The program that a Landlock sandbox runs a command with: `python -I -S landlock_child.py FD`.

Reads from the descriptor what may be read and written, starts the command so confined, stays outside of it as its
parent, and ends with it, with all that it left behind. Has the standard library only and imports nothing of ours: its
start is part of the time of every command.
"""

import ctypes
import marshal
import os
import resource
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    import signal
    from typing import Any
else:
    # `signal` itself brings enumerations and regular expressions with it, half of the start.
    import _signal as signal

_CREATE, _ADD, _RESTRICT = 444, 445, 446
_SET_PDEATHSIG, _SET_SECCOMP, _SET_SUBREAPER, _SET_NO_NEW_PRIVS = 1, 22, 36, 38
_DROP_FROM_BOUNDS, _CAPABILITIES, _CAPABILITY_VERSION = 24, 64, 0x20080522
_FAILED = 125

_libc = ctypes.CDLL(None, use_errno=True)
_libc.syscall.restype = ctypes.c_long


class _Ruleset(ctypes.Structure):
    _fields_ = (("files", ctypes.c_uint64), ("network", ctypes.c_uint64), ("scoped", ctypes.c_uint64))


class _PathRule(ctypes.Structure):
    _pack_ = 1
    _fields_ = (("access", ctypes.c_uint64), ("parent", ctypes.c_int32))


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("filter", ctypes.c_char_p))


def main() -> int:
    with os.fdopen(int(sys.argv[1]), "rb") as file:
        wanted: dict[str, Any] = marshal.load(file)  # noqa: S302
    # Asked to stop, also because whoever started us is gone: all of it ends.
    signal.signal(signal.SIGTERM, _stop)
    _prctl(_SET_PDEATHSIG, signal.SIGTERM)
    _prctl(_SET_SUBREAPER, 1)
    child = os.fork()
    if child == 0:
        try:
            _start(wanted)
        except BaseException as error:
            os.write(2, f"The sandbox could not be set up: {error}\n".encode())
        os._exit(_FAILED)
    while True:
        ended, status = os.waitpid(-1, 0)
        if ended == child:
            code = os.waitstatus_to_exitcode(status)
            _end(code if code >= 0 else 128 - code)


def _stop(number: int, _frame: object) -> None:
    _end(128 + number)


def _start(wanted: "dict[str, Any]") -> None:
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    # Python ignores it: a writer whose reader is gone would go on with errors.
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    os.setsid()
    os.fchdir(wanted["folder"])
    os.nice(wanted["nice"])
    resource.setrlimit(resource.RLIMIT_NPROC, (wanted["processes"], wanted["processes"]))
    _drop_rights(wanted["owner"])
    _prctl(_SET_NO_NEW_PRIVS, 1)
    _restrict(wanted)
    code = wanted["filter"]
    program = _Program(len(code) // 8, code)
    _prctl(_SET_SECCOMP, 2, ctypes.byref(program))
    # Whoever started us writes when it may begin; nothing comes where that is gone.
    if wanted["gate"] is not None and not os.read(wanted["gate"], 1):
        return
    os.closerange(3, 4_096)
    os.execve(wanted["argv"][0], wanted["argv"], wanted["env"])  # noqa: S606


def _drop_rights(owner: "tuple[int, int] | None") -> None:
    """No capability, now or by a program; as the owner of the workspace where the administrator runs it."""
    if os.geteuid() != 0:
        return
    for number in range(_CAPABILITIES):
        _libc.prctl(_DROP_FROM_BOUNDS, number, 0, 0, 0)
    if owner is not None:
        os.setgroups([])
        os.setresgid(owner[1], owner[1], owner[1])
        os.setresuid(owner[0], owner[0], owner[0])
    header = (ctypes.c_uint32 * 2)(_CAPABILITY_VERSION, 0)
    if _libc.capset(header, (ctypes.c_uint32 * 6)()) != 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


def _restrict(wanted: "dict[str, Any]") -> None:
    ruleset = _Ruleset(wanted["files"], 0, wanted["scoped"])
    size = 8 if wanted["abi"] < 4 else 16 if wanted["abi"] < 6 else 24
    rules = _call(_CREATE, ctypes.byref(ruleset), size, 0)
    for path, access in wanted["rules"]:
        try:
            opened = path if isinstance(path, int) else os.open(path, os.O_PATH | os.O_CLOEXEC)
        except OSError:
            # Gone since it was looked for: there is nothing to allow.
            continue
        _call(_ADD, rules, 1, ctypes.byref(_PathRule(access, opened)), 0)
    _call(_RESTRICT, rules, 0)


def _end(code: int) -> None:
    """Kills what is left. What a process leaves behind becomes our child, so that nothing is missed."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    while True:
        for pid in _children(os.getpid()):
            _kill(pid)
        try:
            os.waitpid(-1, 0)
        except ChildProcessError:
            os._exit(code)


def _kill(pid: int) -> None:
    for child in _children(pid):
        _kill(child)
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        pass


def _children(pid: int) -> list[int]:
    try:
        with open(f"/proc/{pid}/task/{pid}/children", "rb") as file:  # noqa: PTH123
            return [int(number) for number in file.read().split()]
    except OSError:
        return []


def _call(number: int, *arguments: "Any") -> int:
    made = _libc.syscall(number, *arguments)
    if made < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return made


def _prctl(option: int, value: int, pointer: "Any" = 0) -> None:
    if _libc.prctl(option, value, pointer, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


if __name__ == "__main__":
    main()
