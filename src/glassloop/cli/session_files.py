"""Conversations as files: written whole or not at all, read with a bound."""

import os
import stat
import sys
import tempfile
from collections.abc import Generator, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import BinaryIO

from glassloop.cli.resources import find_session, use_store
from glassloop.cli.ui.progress import ProgressBar, progress_bar
from glassloop.cli.ui.safe_text import plain_json
from glassloop.core.errors import UsageError
from glassloop.store.tables.session_export import MAX_LINE_BYTES

MAX_PIPED_BYTES = 1_000_000_000
PROGRESS_BYTES = 65_536
"""How much is read or written before the bar moves."""


def export_session(session_id: str, file: str, *, user: str | None) -> None:
    """Writes a session as JSON lines. A file that is there already is not touched."""
    if file != "-" and Path(file).exists():
        raise UsageError(f"The file {file!r} already exists: choose another path.")
    with use_store() as (runner, store), progress_bar("Reading the session") as bar:
        session = runner.run(find_session(store, session_id, user))
        lines = runner.run(store.exports.dump(session.id))
        bar.stage(f"Writing {file}" if file != "-" else "Writing", sum(map(len, lines)))
        if file == "-":
            _write(sys.stdout.buffer, map(plain_json, lines), bar)
            sys.stdout.buffer.flush()
            return
        with _made_whole(Path(file)) as out:
            _write(out, lines, bar)


def import_session(file: str, *, user: str | None) -> str:
    """Stores a session from JSON lines; its id."""
    with ExitStack() as stack:
        source = sys.stdin.buffer if file == "-" else stack.enter_context(_opened(file))
        if not stat.S_ISREG(os.fstat(source.fileno()).st_mode):
            source = stack.enter_context(_spooled(source))
        size = os.fstat(source.fileno()).st_size
        runner, store = stack.enter_context(use_store())
        bar = stack.enter_context(progress_bar(f"Reading {file}" if file != "-" else "Reading", size))
        # Closed before the store is: an import that is interrupted must not read on in its thread.
        stack.callback(source.close)
        return runner.run(store.exports.load(_lines(source, bar), user_id=user))


def _opened(file: str) -> BinaryIO:
    try:
        return Path(file).open("rb")
    except OSError as error:
        why = error.strerror or type(error).__name__
        raise UsageError(f"The file {file!r} cannot be read ({why}): give a file written by export.") from None


@contextmanager
def _spooled(source: BinaryIO) -> Generator[BinaryIO]:
    """What a pipe has to say, as a file: waiting for it here can be interrupted, in the store's thread it could not."""
    with tempfile.TemporaryFile() as spool:
        # As it comes: a read that waits for more of it would not be interrupted by what it gets meanwhile.
        while chunk := os.read(source.fileno(), PROGRESS_BYTES):
            spool.write(chunk)
            if spool.tell() > MAX_PIPED_BYTES:
                raise UsageError(f"Standard input exceeds {MAX_PIPED_BYTES:,} bytes: give the path of a file instead.")
        spool.seek(0)
        yield spool


def _lines(source: BinaryIO, bar: ProgressBar) -> Iterator[bytes]:
    """The lines; of one that is too long only as much as shows that it is."""
    unseen = 0
    while line := source.readline(MAX_LINE_BYTES + 1):
        unseen += len(line)
        if unseen >= PROGRESS_BYTES:
            bar.advance(unseen)
            unseen = 0
        yield line
    bar.stage("Storing")


def _write(out: BinaryIO, lines: Iterable[bytes], bar: ProgressBar) -> None:
    unseen = 0
    for line in lines:
        out.write(line + b"\n")
        unseen += len(line)
        if unseen >= PROGRESS_BYTES:
            bar.advance(unseen)
            unseen = 0


@contextmanager
def _made_whole(path: Path) -> Generator[BinaryIO]:
    """A new file, readable by its owner only, that is there when all of it is written."""
    try:
        number, partial = tempfile.mkstemp(dir=path.parent, prefix=f"{path.name}.", suffix=".partial")
        with os.fdopen(number, "wb") as out:
            try:
                yield out
                out.flush()
                os.fsync(out.fileno())
                # Unlike a rename this refuses where somebody else was quicker.
                os.link(partial, path)
            finally:
                Path(partial).unlink(missing_ok=True)
    except OSError as error:
        why = error.strerror or type(error).__name__
        raise UsageError(f"The export {str(path)!r} cannot be written ({why}): choose another path.") from error
