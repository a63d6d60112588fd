"""The pipes of a running program: fed and read without ever blocking it, keeping no more than allowed.

Owns what is kept of the output. When to read, and for how long, is the caller's.
"""

import os
import selectors
import subprocess
from collections.abc import Callable
from contextlib import suppress
from time import monotonic
from typing import IO, Any, Self

CHUNK = 65_536

DRAIN_S = 1.0
"""How long to read on after the end: longer only where a process that left the group goes on writing."""


class ClippedOutput:
    """The beginning and the end of a stream, `limit` bytes of it in all."""

    def __init__(self, limit: int) -> None:
        self._head = bytearray()
        self._tail = bytearray()
        self._head_limit = limit // 2
        self._tail_limit = limit - limit // 2
        self._left_out = 0

    @property
    def truncated(self) -> bool:
        return self._left_out + max(0, len(self._tail) - self._tail_limit) > 0

    def add(self, data: bytes) -> None:
        left = self._head_limit - len(self._head)
        self._head += data[:left]
        self._tail += data[left:]
        # Not at every chunk: each cut moves all that stays.
        if len(self._tail) > 2 * self._tail_limit + CHUNK:
            self._cut()

    def read(self) -> bytes:
        self._cut()
        gap = b"\n[... %d bytes left out ...]\n" % self._left_out if self._left_out else b""
        return bytes(self._head + gap + self._tail)

    def _cut(self) -> None:
        surplus = max(0, len(self._tail) - self._tail_limit)
        del self._tail[:surplus]
        self._left_out += surplus


class Pipes:
    """Stdin, stdout and stderr of a process; closed with the `with`. `on_output` is given what was read."""

    def __init__(
        self,
        process: "subprocess.Popen[bytes]",
        stdin: bytes,
        limit: int,
        on_output: Callable[[bytes], None] | None = None,
    ) -> None:
        self.out, self.err = ClippedOutput(limit), ClippedOutput(limit)
        self._on_output = on_output
        self._input = memoryview(stdin)
        self._selector = selectors.PollSelector()
        self._register(process.stdin, selectors.EVENT_WRITE, None)
        self._register(process.stdout, selectors.EVENT_READ, self.out)
        self._register(process.stderr, selectors.EVENT_READ, self.err)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for key in list(self._selector.get_map().values()):
            self._close(key.fileobj)
        self._selector.close()

    @property
    def open(self) -> bool:
        return bool(self._selector.get_map())

    def pump(self, seconds: float) -> bool:
        """Moves what can be moved, waiting at most so long for it; whether there was anything."""
        ready = self._selector.select(seconds)
        for key, _ in ready:
            try:
                done = self._feed(key.fd) if key.data is None else self._take(key.fd, key.data)
            except BlockingIOError:
                continue
            except OSError:
                # The other side is gone: of what it did not read nobody needs to know.
                done = True
            if done:
                self._close(key.fileobj)
        return bool(ready)

    def rest(self, process: "subprocess.Popen[bytes]", seconds: float) -> None:
        """Waits for something to happen, at most so long: to a pipe, or to the process where all are closed."""
        if self.open or process.returncode is not None:
            self.pump(seconds)
        else:
            with suppress(subprocess.TimeoutExpired):
                process.wait(seconds)

    def drain(self) -> None:
        """Takes what a program that has ended left in its pipes."""
        deadline = monotonic() + DRAIN_S
        while self.open and self.pump(0.0) and monotonic() < deadline:
            pass

    def _register(self, pipe: IO[bytes] | None, events: int, kept: ClippedOutput | None) -> None:
        if pipe is not None:
            os.set_blocking(pipe.fileno(), False)
            self._selector.register(pipe, events, kept)

    def _feed(self, fd: int) -> bool:
        self._input = self._input[os.write(fd, self._input[:CHUNK]) :]
        return not self._input

    def _take(self, fd: int, kept: ClippedOutput) -> bool:
        data = os.read(fd, CHUNK)
        kept.add(data)
        if data and self._on_output is not None:
            self._on_output(data)
        return not data

    def _close(self, pipe: Any) -> None:
        self._selector.unregister(pipe)
        pipe.close()
