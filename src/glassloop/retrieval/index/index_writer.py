"""Index writer: reads sources and writes them in groups, under the write lock.

Killed at any moment, it leaves what was written up to its last group.
"""

import threading
import time
from collections.abc import Iterable, Iterator, Sequence
from typing import Literal, Protocol

import msgspec

from glassloop.retrieval.backends.backend import IndexTask, Tell
from glassloop.retrieval.documents.readers import Asked, Readers
from glassloop.retrieval.index.sources import DocumentSource, IndexReport, SourceContent, StoredDocument

GROUP_CHUNKS = 1_000
GROUP_S = 1.0
COMMIT_S = 5.0
"""How often, in long work, what is written so far can be found."""

SETTLED_NS = 2_000_000_000
"""A file changed this recently may change again without its time or size telling."""

Became = Literal["added", "changed", "unchanged"]


class DocumentWriter(Protocol):
    """Where one owner's documents of one domain are written."""

    def find(self, name: str) -> StoredDocument | None: ...

    def known(self) -> list[StoredDocument]: ...

    def write(self, group: Sequence[tuple[DocumentSource, SourceContent]]) -> Sequence[tuple[str, Became, int]]:
        """All of them or none; the name of each, what became of it, how many passages were written."""
        ...

    def remove(self, gone: Sequence[StoredDocument]) -> None: ...

    def commit(self) -> None:
        """What was written can be found."""
        ...


class IndexWriter:
    """Writes at one writer."""

    def __init__(self, writer: DocumentWriter) -> None:
        self._writer = writer
        self._group: list[tuple[DocumentSource, SourceContent]] = []
        self._chunks = 0
        self._since = self._committed = time.monotonic()
        self.report = IndexReport()

    def write(self, task: IndexTask) -> IndexReport:
        names: set[str] | None = set() if task.only_these else None
        self._read(task.readers, task.sources, names, task.stop, task.tell)
        self._flush()
        if names is not None and not task.stop.is_set():
            self._remove([known for known in self._writer.known() if known.name not in names])
        self._writer.commit()
        return self.report

    def remove(self, names: Sequence[str] | None) -> int:
        """These documents of the domain, or all of them; how many there were."""
        wanted = None if names is None else set(names)
        self._remove([each for each in self._writer.known() if wanted is None or each.name in wanted])
        self._writer.commit()
        return self.report.removed

    def _read(
        self,
        readers: Readers,
        sources: Iterable[DocumentSource],
        names: set[str] | None,
        stop: threading.Event,
        tell: Tell,
    ) -> None:
        for done, (source, read) in enumerate(readers.read(self._asked(sources, names, stop)), 1):
            if stop.is_set():
                break
            self._take(source, read)
            tell(source.name, done)

    def _asked(
        self, sources: Iterable[DocumentSource], names: set[str] | None, stop: threading.Event
    ) -> Iterator[Asked]:
        for source in sources:
            if stop.is_set():
                return
            if names is not None:
                names.add(source.name)
            known = self._writer.find(source.name)
            if known is not None and _is_untouched(source, known):
                self.report.count(source.name, "unchanged")
            else:
                yield source, known.digest if known else b""

    def _take(self, source: DocumentSource, read: SourceContent) -> None:
        if read.problem:
            self.report.tell(source.name, f"{source.name} {read.problem}.", stopped=read.stopped)
            return
        self._group.append((source, msgspec.structs.replace(read, modified=_settled(read.modified))))
        self._chunks += len(read.chunks)
        now = time.monotonic()
        if self._chunks >= GROUP_CHUNKS or len(self._group) >= GROUP_CHUNKS or now - self._since > GROUP_S:
            self._flush()
        if now - self._committed > COMMIT_S:
            self._flush()
            self._writer.commit()
            self._committed = time.monotonic()

    def _flush(self) -> None:
        for name, became, chunks in self._writer.write(self._group) if self._group else ():
            self.report.count(name, became, chunks)
        self._group, self._chunks, self._since = [], 0, time.monotonic()

    def _remove(self, gone: Sequence[StoredDocument]) -> None:
        if gone:
            self._writer.remove(gone)
        self.report.removed += len(gone)


def _settled(modified: int) -> int:
    return modified if modified < time.time_ns() - SETTLED_NS else 0


def _is_untouched(source: DocumentSource, known: StoredDocument) -> bool:
    if source.path is None or not known.modified or source.title != known.title:
        return False
    try:
        found = source.path.lstat()
    except OSError:
        return False
    return found.st_size == known.size and found.st_mtime_ns == known.modified
