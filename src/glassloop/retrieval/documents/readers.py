"""Many documents read at once, in processes that are stopped when one of them takes too long.

Owns the processes and their time; one of them waits a while for the next document. A little prose is read in the
caller's thread instead. Code whose grammar stopped its process is read again by lines.
"""

import os
import subprocess
import threading
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import suppress
from itertools import chain, islice
from time import monotonic
from types import TracebackType
from typing import BinaryIO, Self, cast

import msgspec

from glassloop.python_child import python_child, read_frame, write_frame
from glassloop.retrieval.documents.code import CUT_BY_LINES, LANGUAGES
from glassloop.retrieval.documents.files import is_quick, read_source, suffix_of
from glassloop.retrieval.index.sources import DocumentSource, SourceContent

LIMIT_S = 60.0
START_S = 60.0
FEW = 8
"""So many quick sources are read at once in the caller's thread: a process would take longer to start."""

MAX_STOPS = 3
"""After so many files that stopped their process, the others of their language are read by lines at once."""

IDLE_S = 300.0
"""How long a process waits for the next document: a start takes longer than a file that somebody has just saved."""

_decoder = msgspec.msgpack.Decoder(SourceContent)
_encoder = msgspec.msgpack.Encoder(enc_hook=str)

Asked = tuple[DocumentSource, bytes]
"""A source and the digest of what is known of it."""


class ProcessReader:
    """A process that reads one source after another, and is stopped when one takes too long."""

    def __init__(self, limit_s: float) -> None:
        self._limit_s = limit_s
        self._until: float | None = None
        self._late = self._ready = False
        child = python_child("glassloop.retrieval.documents.child", str(limit_s))
        self._process = subprocess.Popen(  # noqa: S603
            child.argv,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=child.cwd,
            env=child.env,
        )
        self._requests = cast("BinaryIO", self._process.stdin)
        self._answers = cast("BinaryIO", self._process.stdout)

    @property
    def pid(self) -> int:
        return self._process.pid

    def read(self, source: DocumentSource, known: bytes) -> SourceContent | None:
        """What was read; None when the process came to its end instead."""
        path, base = (None if each is None else each.absolute() for each in (source.path, source.base))
        request = (msgspec.structs.replace(source, path=path, base=base), known)
        raw: bytes | None = None
        try:
            if self._is_ready():
                self._until = monotonic() + self._limit_s
                write_frame(self._requests, _encoder.encode(request))
                raw = read_frame(self._answers)
        except OSError:
            raw = None
        finally:
            self._until = None
        return None if raw is None else _decoder.decode(raw)

    def _is_ready(self) -> bool:
        """Its start is not the document's time."""
        if not self._ready:
            self._until = monotonic() + START_S
            self._ready = read_frame(self._answers) is not None
        return self._ready

    def check(self) -> None:
        """Called now and then from another thread: stops what takes too long."""
        until = self._until
        if until is not None and monotonic() > until:
            self._late = True
            self._process.kill()

    def fault(self) -> str:
        """Why there was no answer. The reader is not used any more."""
        self.close()
        if self._late:
            return f"took longer than the {self._limit_s:g} s that a document may take: split it"
        return "stopped its reader in the middle, by its size or by a fault in it: save it anew or split it"

    def is_alive(self) -> bool:
        return self._process.poll() is None

    def close(self) -> None:
        self._process.kill()
        self._process.wait()
        # What was not sent any more is sent by `close`, to nobody.
        with suppress(OSError):
            self._requests.close()
        self._answers.close()


class Readers:
    """At most `processes` for each call of `read`, started when needed. One waits for the next call, `idle_s` at most;
    all are gone at the end of the `with`."""

    def __init__(
        self,
        processes: int | None = None,
        limit_s: float = LIMIT_S,
        start: Callable[[float], ProcessReader] = ProcessReader,
        idle_s: float = IDLE_S,
    ) -> None:
        self._start = start
        self._processes = processes or max(1, min(4, os.cpu_count() or 1))
        self._limit_s = limit_s
        self._idle_s = idle_s
        self._lock = threading.Lock()
        self._idle: list[ProcessReader] = []
        self._all: list[ProcessReader] = []
        self._reading = 0
        self._used = monotonic()
        self._over = threading.Event()
        self._watch: threading.Thread | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """To be called when nobody reads any more."""
        self._over.set()
        with self._lock:
            readers, self._idle = list(self._all), []
        self._end(readers)
        if (watch := self._watch) is not None:
            watch.join()

    def read(self, asked: Iterable[Asked]) -> Iterator[tuple[DocumentSource, SourceContent]]:
        """Each source with what it came to, as they are done."""
        rest = iter(asked)
        first = list(islice(rest, FEW + 1))
        if len(first) <= FEW and all(is_quick(source, _size(source)) for source, _ in first):
            for source, known in first:
                yield source, read_source(source, known)
            return
        with self._lock:
            self._reading += 1
        try:
            with ThreadPoolExecutor(self._processes, "glassloop-reader") as threads:
                yield from self._drain(threads, chain(first, rest))
        finally:
            with self._lock:
                self._reading -= 1
                self._used = monotonic()
                spare = [] if self._reading else self._idle[1:]
                self._idle = self._idle[: len(self._idle) - len(spare)]
            self._end(spare)

    def _drain(
        self, threads: ThreadPoolExecutor, asked: Iterator[Asked]
    ) -> Iterator[tuple[DocumentSource, SourceContent]]:
        """Few at once: what was read waits in memory until it is written."""
        waiting: set[Future[tuple[DocumentSource, SourceContent]]] = set()
        stops: Counter[str] = Counter()
        try:
            while True:
                for each in islice(asked, 3 * self._processes - len(waiting)):
                    waiting.add(threads.submit(self._read_one, each, stops))
                if not waiting:
                    return
                done, waiting = wait(waiting, return_when=FIRST_COMPLETED)
                for future in done:
                    yield future.result()
        finally:
            for future in waiting:
                future.cancel()

    def _read_one(self, asked: Asked, stops: "Counter[str]") -> tuple[DocumentSource, SourceContent]:
        """`stops` counts the files that stopped their process, by suffix."""
        source, known = asked
        suffix = suffix_of(source)
        if suffix not in LANGUAGES:
            return source, self._read_in_process(source, known)
        if stops[suffix] < MAX_STOPS:
            found = self._read_in_process(source, known)
            if not found.stopped:
                return source, found
            stops[suffix] += 1
        return source, self._read_in_process(msgspec.structs.replace(source, kind=CUT_BY_LINES), known)

    def _read_in_process(self, source: DocumentSource, known: bytes) -> SourceContent:
        reader = self._take()
        found = reader.read(source, known)
        if found is None:
            fault = reader.fault()
            self._end([reader])
            return SourceContent(problem=fault, stopped=True)
        with self._lock:
            self._idle.append(reader)
        return found

    def _take(self) -> ProcessReader:
        while True:
            with self._lock:
                idle = self._idle.pop() if self._idle else None
            if idle is None:
                break
            if idle.is_alive():
                return idle
            self._end([idle])
        reader = self._start(self._limit_s)
        with self._lock:
            self._all.append(reader)
            if self._watch is None:
                self._watch = threading.Thread(target=self._watch_over, name="glassloop-reader-watch", daemon=True)
                self._watch.start()
        return reader

    def _end(self, readers: Iterable[ProcessReader]) -> None:
        with self._lock:
            ended = list(readers)
            self._all = [each for each in self._all if each not in ended]
        for reader in ended:
            reader.close()

    def _watch_over(self) -> None:
        """Until there is nobody left to watch."""
        while not self._over.wait(min(0.5, self._limit_s / 4)):
            for reader in list(self._all):
                reader.check()
            with self._lock:
                is_long = not self._reading and monotonic() - self._used > self._idle_s
                waiting, self._idle = (self._idle, []) if is_long else ([], self._idle)
            self._end(waiting)
            with self._lock:
                if not self._all:
                    self._watch = None
                    return


def _size(source: DocumentSource) -> int:
    if source.text is not None:
        return len(source.text)
    try:
        return source.path.stat().st_size if source.path else 0
    except OSError:
        return 0
