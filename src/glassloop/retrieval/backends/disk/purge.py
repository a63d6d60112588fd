"""Purge of removed text from the files of an index on the disk.

A lexical index only hides what is removed from it. So the words of a partition are written anew from the document
database, beside the present ones and without blocking writers, and then replace them. SQLite overwrites deleted rows;
its write-ahead log is emptied.
"""

import shutil
from contextlib import closing
from time import monotonic, sleep

from glassloop.core.errors import StoreAway
from glassloop.retrieval.backends.disk import document_db as truth
from glassloop.retrieval.backends.disk.connections import Connections
from glassloop.retrieval.backends.disk.document_writer import catch_up
from glassloop.retrieval.backends.disk.index_paths import IndexPaths
from glassloop.retrieval.backends.disk.lexical_index import LexicalState, LexicalWriter, read_state, write_state
from glassloop.retrieval.backends.disk.write_lock import WriteLock

ROUNDS = 10
"""Who removes while words are written anew makes one more necessary."""

PURGE_WAIT_S = 120.0
WRITE_WAIT_S = 300.0
EMPTY_S = 5.0
POLL_S = 0.05


def purge(place: IndexPaths, connections: Connections, lock: WriteLock) -> None:
    """Quick where there is nothing to do."""
    purging = WriteLock(place.folder / "purging", place.folder.name)
    for _ in range(ROUNDS):
        with connections.use() as connection:
            partitions = [partition for partition, _, _ in truth.partitions(connection)]
        dirty = [partition for partition in partitions if is_dirty(place, partition)]
        if not dirty:
            break
        with purging.hold(PURGE_WAIT_S):
            for partition in filter(lambda each: is_dirty(place, each), dirty):
                _write_anew(place, connections, lock, partition)
    _empty_log(connections)


def is_dirty(place: IndexPaths, partition: int) -> bool:
    """Whether words of what was removed are still in the files of this partition."""
    state = read_state(place.lexical(partition))
    return state is not None and state.purge > 0


def _write_anew(place: IndexPaths, connections: Connections, lock: WriteLock, partition: int) -> None:
    here = place.lexical(partition)
    beside = here.with_name(f"{partition}.new")
    shutil.rmtree(beside, ignore_errors=True)
    try:
        with connections.use() as connection:
            token = str(truth.get(connection, "token"))
            with closing(LexicalWriter(beside, token)) as lexical_writer:
                catch_up(connection, lexical_writer, partition)
                begun = lexical_writer.seq
            with lock.hold(WRITE_WAIT_S):
                with closing(LexicalWriter(beside, token)) as lexical_writer:
                    catch_up(connection, lexical_writer, partition)
                made, before = read_state(beside), read_state(here)
                if made is None or before is None:
                    raise StoreAway(f"The words of partition {partition} cannot be written anew: check the disk.")
                (beside / made.folder).rename(here / made.folder)
                left = before.purge if before.purge > begun else 0
                write_state(here, LexicalState(token, made.folder, made.seq, left))
                if before.folder != made.folder:
                    shutil.rmtree(here / before.folder, ignore_errors=True)
    finally:
        shutil.rmtree(beside, ignore_errors=True)


def _empty_log(connections: Connections) -> None:
    """Waits a little for those who read an earlier state; the next one who removes tries again."""
    until = monotonic() + EMPTY_S
    with connections.use() as connection:
        while connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0] and monotonic() < until:
            sleep(POLL_S)
