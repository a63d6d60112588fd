"""Lexical index of one partition in tantivy, beside the document database. Rebuilt whenever it may be out of date.

A file `state` names the folder of the index and the last change of the document database it surely has. It is written
after each commit: what was committed and not recorded is done again.
"""

import secrets
import shutil
import threading
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec

from glassloop.core.errors import StoreError, UsageError
from glassloop.own_folder import make_own, make_own_file, restrict
from glassloop.ready_types import make_ready

HEAP = 50_000_000
SMALL_HEAP = 15_000_000


class LexicalState(msgspec.Struct, frozen=True):
    """`token` is that of the document database it was made from. `purge`: words of what was removed at this change are
    still in its files, since removing only hides them; 0 is none."""

    token: str
    folder: str
    seq: int
    purge: int = 0


class LexicalSizes(msgspec.Struct, frozen=True):
    """`written`: all chunks in its files, of which `hidden` were replaced or removed since. tantivy counts those too,
    until it merges its parts, in how rare a word is."""

    written: int = 0
    hidden: int = 0


class _Deletes(msgspec.Struct, frozen=True):
    num_deleted_docs: int = 0


class _Segment(msgspec.Struct, frozen=True):
    max_doc: int
    deletes: _Deletes | None = None


class _Meta(msgspec.Struct, frozen=True):
    """What tantivy writes down of its parts."""

    segments: list[_Segment]


make_ready(LexicalState, _Meta)


def lexical_folder(index: Path, partition: int) -> Path:
    """Where an index has the words of a partition."""
    return index / "lexical" / str(partition)


def _tantivy() -> Any:
    try:
        import tantivy
    except ImportError as error:
        raise UsageError("Searching by words needs tantivy: install glassloop[retrieval].") from error
    return tantivy


def _schema() -> Any:
    builder = _tantivy().SchemaBuilder()
    # Integers: in this version a deletion by an unsigned term finds nothing.
    builder.add_integer_field("chunk", indexed=True, fast=True)
    builder.add_integer_field("document", indexed=True)
    builder.add_text_field("domain", tokenizer_name="raw", index_option="basic")
    builder.add_text_field("body", tokenizer_name="whitespace", index_option="freq")
    return builder.build()


class LexicalIndex:
    """The index of one partition, to search. Reloads when a writer, here or elsewhere, has written."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._lock = threading.Lock()
        self._seen: tuple[int, int, int] | None = None
        self._index: Any = None
        self._searcher: Any = None
        self.state: LexicalState | None = None
        self.schema: Any = None
        self.sizes = LexicalSizes()

    def searcher(self) -> Any:
        """As of the last commit; None where there is no index that can be read."""
        with self._lock:
            for _ in range(2):
                try:
                    self._refresh()
                    break
                except (OSError, ValueError):
                    # A writer may have put another folder in its place between two looks.
                    self._seen = self._index = self._searcher = self.state = None
            return self._searcher

    def _refresh(self) -> None:
        found = (self._folder / "state").stat()
        seen = (found.st_mtime_ns, found.st_ino, found.st_size)
        if seen == self._seen:
            return
        state = read_state(self._folder)
        if state is None:
            raise ValueError("no state")
        if self._index is None or self.state is None or self.state.folder != state.folder:
            self._index = _tantivy().Index.open(str(self._folder / state.folder))
            self.schema = self._index.schema
        self._index.reload()
        self._searcher = self._index.searcher()
        self.sizes = read_sizes(self._folder / state.folder)
        self._seen, self.state = seen, state


class LexicalWriter:
    """The index of one partition, to write. Only under the write lock."""

    def __init__(self, folder: Path, token: str, *, heap: int = HEAP) -> None:
        self._folder = folder
        self._token = token
        self._heap = heap
        self._tantivy = _tantivy()
        state = read_state(folder)
        self.seq = self.purge = 0
        self._name = ""
        self._writer: Any = None
        if state is not None and state.token == token:
            try:
                self._begin(self._tantivy.Index.open(str(folder / state.folder)), state.folder)
                self.seq, self.purge = state.seq, state.purge
            except (ValueError, OSError):
                self._writer = None
        if self._writer is None:
            self.start_anew()

    def start_anew(self) -> None:
        """An empty index, which takes the place of the present one with the next commit."""
        self.close()
        name = secrets.token_hex(6)
        make_own(self._folder / name)
        self._begin(self._tantivy.Index(_schema(), path=str(self._folder / name)), name)
        self.seq = self.purge = 0

    def _begin(self, index: Any, name: str) -> None:
        try:
            self._writer = index.writer(self._heap, 1)
        except (ValueError, OSError) as error:
            if "lock" in str(error).lower():
                raise StoreError(f"The word index cannot be written ({error}): try again.") from error
            raise
        self._name = name

    def remove(self, document: int) -> None:
        self._writer.delete_documents_by_term("document", document)

    def put(self, document: int, domain: str, words: Iterable[tuple[int, str]]) -> None:
        make = self._tantivy.Document
        for chunk, body in words:
            entry = make()
            entry.add_integer("chunk", chunk)
            entry.add_integer("document", document)
            entry.add_text("domain", domain or "-")
            entry.add_text("body", body)
            self._writer.add_document(entry)

    def commit(self, seq: int) -> None:
        """All that was put so far can be found; it has all up to that change."""
        self._writer.commit()
        restrict(self._folder / self._name)
        self.seq = seq
        write_state(self._folder, LexicalState(self._token, self._name, seq, self.purge))

    def close(self) -> None:
        """What was not committed is dropped; folders that are not the index are removed."""
        if self._writer is None:
            return
        with suppress(ValueError, OSError):
            self._writer.rollback()
        with suppress(ValueError, OSError):
            self._writer.wait_merging_threads()
        self._writer = None
        restrict(self._folder / self._name)
        state = read_state(self._folder)
        for each in self._folder.iterdir():
            if each.is_dir() and (state is None or each.name != state.folder):
                shutil.rmtree(each, ignore_errors=True)


def read_state(folder: Path) -> LexicalState | None:
    try:
        state = msgspec.json.decode((folder / "state").read_bytes(), type=LexicalState)
    except (OSError, msgspec.MsgspecError):
        return None
    return state if state.folder.isalnum() else None


def read_sizes(folder: Path) -> LexicalSizes:
    try:
        meta = msgspec.json.decode((folder / "meta.json").read_bytes(), type=_Meta)
    except msgspec.MsgspecError as error:
        raise ValueError("no sizes") from error
    hidden = sum(each.deletes.num_deleted_docs for each in meta.segments if each.deletes)
    return LexicalSizes(sum(each.max_doc for each in meta.segments), hidden)


def write_state(folder: Path, state: LexicalState) -> None:
    new = folder / "state.new"
    make_own_file(new)
    new.write_bytes(msgspec.json.encode(state))
    new.replace(folder / "state")


def hits(searcher: Any, query: Any, limit: int) -> list[tuple[int, float]]:
    """Chunks and their scores, best first."""
    found: Sequence[tuple[float, Any]] = searcher.search(query, limit, count=False).hits
    chunks: list[int] = searcher.fast_field_values("chunk", [address for _, address in found])
    return [(chunk, float(score)) for chunk, (score, _) in zip(chunks, found, strict=True)]
