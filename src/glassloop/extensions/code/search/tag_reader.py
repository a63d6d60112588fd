"""Source files parsed in a process that is stopped when one of them takes too long. Blocks.

Owns the process: it is started when needed, waits a while for the next file, and ends with this one. One file at a
time, whoever asks; of many files, one at a time in each of several processes.
"""

import os
import select
import subprocess
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from time import monotonic, sleep
from typing import BinaryIO, cast

import msgspec

from glassloop.core.errors import ToolUnavailable
from glassloop.extensions.code.search.tags import FileTags, NameUse
from glassloop.python_child import python_child, read_frame, write_frame

LIMIT_S = 5.0
"""Seconds that one file may take."""
START_S = 60.0
IDLE_S = 300.0
MAX_PROCESSES = 4
MANY = 8
"""Files that are worth more than one process."""

_encode = msgspec.msgpack.Encoder().encode
_decode_tags = msgspec.msgpack.Decoder(FileTags).decode
_decode_uses = msgspec.msgpack.Decoder(tuple[NameUse, ...]).decode


class TagReader:
    """For any thread."""

    def __init__(self, limit_s: float = LIMIT_S, idle_s: float = IDLE_S) -> None:
        self._limit_s = limit_s
        self._idle_s = idle_s
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._used = monotonic()
        self._watched = False
        self._others: list[TagReader] = []

    def tags(self, path: str, raw: bytes) -> FileTags:
        """What the file defines and uses; nothing where it took too long."""
        found = self._ask(path, raw, "")
        return FileTags() if found is None else _decode_tags(found)

    def tags_of(self, files: Sequence[tuple[str, bytes]]) -> list[FileTags]:
        """The same of many, in their order, by as many processes as there are processors for."""
        if len(files) < MANY:
            return [self.tags(path, raw) for path, raw in files]
        with self._lock:
            while len(self._others) < min(os.cpu_count() or 1, MAX_PROCESSES) - 1:
                self._others.append(TagReader(self._limit_s, self._idle_s))
        readers = [self, *self._others]
        found = [FileTags()] * len(files)

        def read(first: int) -> None:
            for place in range(first, len(files), len(readers)):
                found[place] = readers[first].tags(*files[place])

        with ThreadPoolExecutor(len(readers), thread_name_prefix="glassloop-tags") as threads:
            list(threads.map(read, range(len(readers))))
        return found

    def uses(self, path: str, raw: bytes, name: str) -> tuple[NameUse, ...]:
        """Where the name stands in the file."""
        found = self._ask(path, raw, name)
        return () if found is None else _decode_uses(found)

    def close(self) -> None:
        with self._lock:
            self._end()
            others, self._others = self._others, []
        for other in others:
            other.close()

    def _ask(self, path: str, raw: bytes, name: str) -> bytes | None:
        with self._lock:
            process = self._started()
            try:
                write_frame(cast("BinaryIO", process.stdin), _encode((path, raw, name)))
                found = _answer(process, self._limit_s)
            except OSError:
                found = None
            if found is None:
                self._end()
            self._used = monotonic()
            return found

    def _watch(self) -> None:
        """Ends a process that nobody used for a while."""
        while True:
            sleep(self._idle_s / 10)
            with self._lock:
                if self._process is None:
                    self._watched = False
                    return
                if monotonic() - self._used > self._idle_s:
                    self._end()

    def _started(self) -> "subprocess.Popen[bytes]":
        if self._process is not None and self._process.poll() is None:
            return self._process
        self._end()
        child = python_child("glassloop.extensions.code.search.tag_child", str(self._limit_s))
        self._process = subprocess.Popen(  # noqa: S603
            child.argv,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=child.cwd,
            env=child.env,
        )
        # Its start is not the file's time.
        if _answer(self._process, START_S) is None:
            self._end()
            raise ToolUnavailable("Source files cannot be parsed for now: try again, or use grep_files.")
        if not self._watched:
            self._watched = True
            threading.Thread(target=self._watch, name="glassloop-tags-watch", daemon=True).start()
        return self._process

    def _end(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.wait()
            with suppress(OSError):
                cast("BinaryIO", process.stdin).close()
            cast("BinaryIO", process.stdout).close()


def _answer(process: "subprocess.Popen[bytes]", seconds: float) -> bytes | None:
    """None where none came in time."""
    answers = cast("BinaryIO", process.stdout)
    poll = select.poll()
    poll.register(answers.fileno(), select.POLLIN)
    return read_frame(answers) if poll.poll(seconds * 1000) else None
