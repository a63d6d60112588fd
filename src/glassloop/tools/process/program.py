"""Programs run for a tool: without a shell, a terminal or our secrets, and with nothing left behind.

Owns a run from its start until the last of its processes is gone, however it ends. A thread watches each run, so that
the event loop waits for nothing. POSIX only. What a program may do is not limited here: who may run what is policy, and
a sandbox is a program to run it with.
"""

import asyncio
import errno
import math
import os
import subprocess
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from time import monotonic
from typing import TypedDict, Unpack

import msgspec

from glassloop.core.errors import ToolError, ToolTimedOut, ToolUnavailable, UsageError
from glassloop.tools.context import ToolCancelled, ToolContext, refuse_on_loop
from glassloop.tools.execution.threads import ToolThreads
from glassloop.tools.process.pipes import Pipes
from glassloop.tools.process.process_group import GRACE_S, ProcessGroup

MAX_BYTES = 1_000_000
PROCESSES = 32
"""How many run at the same time; more wait for their turn."""

TICK_S = 0.02

PASSED_ON = (
    *("PATH", "HOME", "USER", "LOGNAME", "TMPDIR", "TZ"),
    *("LANG", "LANGUAGE", "LC_ALL", "LC_CTYPE", "SSL_CERT_FILE", "SSL_CERT_DIR"),
)
"""All that a program gets of our own environment: the rest may be secret."""

_PASSING = {errno.EAGAIN, errno.ENOMEM, errno.EMFILE, errno.ENFILE}

_runners = ToolThreads(limit=PROCESSES, purpose="process")


class ProcessResult(msgspec.Struct, frozen=True, kw_only=True):
    """What a program said. `truncated`: the middle of a stream is left out, and a line in it says how much."""

    returncode: int
    stdout: bytes
    stderr: bytes
    truncated: bool = False

    @property
    def text(self) -> str:
        """What it wrote to stdout; what is not UTF-8 is replaced."""
        return self.stdout.decode("utf-8", "replace")

    @property
    def error_text(self) -> str:
        return self.stderr.decode("utf-8", "replace")


class ProcessOptions(TypedDict, total=False):
    """How a program is run. `env` is added to the little it gets of ours, `max_bytes` are kept of each of its two
    streams, and `grace_s` after it was asked to stop it is killed.

    `merged`: what it writes to stderr comes with stdout, in order. `on_output` is given what it writes as it comes.
    `watch` is called while it runs, some 50 times a second, and ends it by raising. Both run in another thread and must
    not take long. `pass_fds` are open descriptors that it gets.
    """

    cwd: str | os.PathLike[str] | None
    env: Mapping[str, str] | None
    stdin: bytes
    timeout_s: float | None
    grace_s: float
    max_bytes: int
    merged: bool
    on_output: Callable[[bytes], None] | None
    watch: Callable[[], None] | None
    pass_fds: Sequence[int]


class _Command(msgspec.Struct, frozen=True, kw_only=True):
    argv: Sequence[str]
    cwd: str | os.PathLike[str] | None = None
    env: Mapping[str, str] | None = None
    stdin: bytes = b""
    timeout_s: float | None = None
    grace_s: float = GRACE_S
    max_bytes: int = MAX_BYTES
    merged: bool = False
    on_output: Callable[[bytes], None] | None = None
    watch: Callable[[], None] | None = None
    pass_fds: Sequence[int] = ()

    def __post_init__(self) -> None:
        if isinstance(self.argv, str) or not self.argv:
            raise UsageError(
                f"{self.argv!r} is not a command: give a list of the program and its arguments, as in ['ls', '-l']."
            )


async def run_process(argv: Sequence[str], **options: Unpack[ProcessOptions]) -> ProcessResult:
    """Runs a program to its end, whatever its exit status.

    Cancelled, it ends the program with all it started, and only then lets the cancellation pass. Raises `ToolError`
    where the program cannot be started, `ToolTimedOut` after `timeout_s`.
    """
    cancellation = threading.Event()
    command = _Command(argv=argv, **options)
    future = _runners.submit(_run, {"command": command, "cancellation": cancellation})
    waiting = asyncio.wrap_future(future)
    try:
        await asyncio.wait([waiting])
    except BaseException as error:
        cancellation.set()
        if isinstance(error, asyncio.CancelledError) and not future.cancel():
            await _settled(waiting)
        raise
    return waiting.result()


def run_process_sync(argv: Sequence[str], context: ToolContext, **options: Unpack[ProcessOptions]) -> ProcessResult:
    """`run_process` for a plain function: raises `ToolCancelled` when nobody waits for its call any more."""
    refuse_on_loop("run_process_sync()", "run_process()")
    return _run(_Command(argv=argv, **options), context.cancellation or threading.Event())


async def _settled(waiting: "asyncio.Future[ProcessResult]") -> None:
    """Waits for a run that was told to stop, also when cancelled once more: that takes no longer than it may."""
    while not waiting.done():
        with suppress(asyncio.CancelledError):
            await asyncio.wait([waiting])
    if not waiting.cancelled():
        # Looked at, so that asyncio does not report as lost what nobody wants.
        waiting.exception()


def _run(command: _Command, cancellation: threading.Event) -> ProcessResult:
    if cancellation.is_set():
        raise ToolCancelled
    process = _start(command)
    with Pipes(process, command.stdin, command.max_bytes, command.on_output) as pipes:
        group = ProcessGroup(process)
        try:
            _watch(command, process, pipes, cancellation)
        finally:
            group.end(pipes, command.grace_s)
        pipes.drain()
    out, err = pipes.out, pipes.err
    return ProcessResult(
        returncode=process.returncode,
        stdout=out.read(),
        stderr=err.read(),
        truncated=out.truncated or err.truncated,
    )


def _start(command: _Command) -> "subprocess.Popen[bytes]":
    ours = {name: os.environ[name] for name in PASSED_ON if name in os.environ}
    try:
        return subprocess.Popen(  # noqa: S603
            tuple(command.argv),
            bufsize=0,
            stdin=subprocess.PIPE if command.stdin else subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT if command.merged else subprocess.PIPE,
            cwd=command.cwd,
            env={"LANG": "C.UTF-8", **ours, **(command.env or {})},
            start_new_session=True,
            pass_fds=command.pass_fds,
        )
    except OSError as error:
        raise _refusal(command, error) from error
    except ValueError as error:
        raise ToolError(f"{command.argv[0]!r} cannot be run with these arguments: {error}.") from error


def _refusal(command: _Command, error: OSError) -> ToolError:
    program, why = command.argv[0], error.strerror or str(error)
    if error.errno in _PASSING:
        return ToolUnavailable(f"{program!r} cannot be started for now: {why}.")
    folder = None if command.cwd is None else os.fspath(command.cwd)
    if folder is not None and str(error.filename) == folder:
        return ToolError(f"{program!r} cannot be run in {folder!r}: {why}. Name a folder that exists.")
    if isinstance(error, FileNotFoundError):
        return ToolError(f"There is no program {program!r} here: install it, or give its full path.")
    if isinstance(error, PermissionError):
        return ToolError(f"{program!r} may not be run: give the path of a program that this user may execute.")
    return ToolError(f"{program!r} could not be started: {why}.")


def _watch(command: _Command, process: "subprocess.Popen[bytes]", pipes: Pipes, cancellation: threading.Event) -> None:
    """Until the program ends by itself; raises where it must not go on."""
    deadline = math.inf if command.timeout_s is None else monotonic() + command.timeout_s
    while process.poll() is None:
        if cancellation.is_set():
            raise ToolCancelled
        left = deadline - monotonic()
        if left <= 0.0:
            raise ToolTimedOut(f"{command.argv[0]!r} took longer than {command.timeout_s:g} s and was stopped.")
        if command.watch is not None:
            command.watch()
        pipes.rest(process, min(TICK_S, left))
