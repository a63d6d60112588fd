"""Vector search in PostgreSQL: by pgvector, or where that is missing by a copy of the vectors in memory.

Large partitions have a graph (HNSW) each, so that other partitions have no influence: an index of the database, built
concurrently and kept up to date by the database itself. Where it cannot be built, vectors are scanned exactly, as those
of small partitions always are.
"""

import logging
import re
import threading
from collections.abc import Generator, Sequence
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

import psycopg

from glassloop.retrieval.backends.postgres.schema import Connection, DatabaseLayout, run
from glassloop.retrieval.backends.vector_index import VectorIndexes, to_blob

if TYPE_CHECKING:
    from array import array


_log = logging.getLogger(__name__)

MAX_GRAPHS = 64
"""In one database: each is asked whether it wants a vector that is stored."""

MAX_DIMENSIONS = 4_000
"""Of a `halfvec` in a graph."""

EXPLORED = 400
"""How many neighbours a question follows: four times what is wanted of it."""

BUILD_S = 3_600
POLL_S = 0.1
MAX_MEMORY_MB = 1_024

_BUILDS = "hashtextextended(current_schema() || '/retrieval-graphs', 7)"
_NAME = re.compile(r"retrieval_near_(\d+)_(\d+)")
_NAMES = """SELECT c.relname, i.indisvalid FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
 WHERE i.indrelid = 'retrieval_vectors'::regclass AND c.relname LIKE 'retrieval!_near!_%%' ESCAPE '!'"""


def graphs(connection: Connection, *, valid: bool = True) -> dict[int, int]:
    """Of how many dimensions the graph of each partition is; those that can be used, or those that cannot."""
    found: dict[int, int] = {}
    for name, is_valid in run(connection, _NAMES):
        match = _NAME.fullmatch(name)
        if match is not None and is_valid == valid:
            found[int(match[1])] = int(match[2])
    return found


def drop_graphs(connection: Connection, index: int) -> None:
    """Of all partitions of an index: its vectors are about to become others, or none."""
    rows = connection.execute("SELECT id FROM retrieval_partitions WHERE index_id = %s", [index])
    partitions = {int(row[0]) for row in rows}
    for valid in (True, False):
        for partition, dimensions in graphs(connection, valid=valid).items():
            if partition in partitions:
                run(connection, f"DROP INDEX IF EXISTS {_graph(partition, dimensions)}")


def build_graphs(connection: Connection, layout: DatabaseLayout, index: int, stop: threading.Event) -> None:
    """For each large partition that has none. Vectors can be stored and searched meanwhile; one process builds at a
    time, until told to stop."""
    if layout.vectors is None or not _locked(connection, "pg_try_advisory_lock"):
        return
    try:
        rows = connection.execute(
            "SELECT id, chunks FROM retrieval_partitions WHERE index_id = %s AND chunks >= %s ORDER BY id",
            [index, layout.graph_from],
        ).fetchall()
        there = graphs(connection)
        for partition, chunks in rows:
            if partition not in there and len(there) < MAX_GRAPHS:
                dimensions = _dimensions(connection, layout, partition)
                if 0 < dimensions <= MAX_DIMENSIONS and not stop.is_set():
                    _build(connection, layout, partition, dimensions, chunks, stop)
                    there[partition] = dimensions
    finally:
        if not connection.closed and not connection.broken:
            _locked(connection, "pg_advisory_unlock")


def _build(
    connection: Connection, layout: DatabaseLayout, partition: int, dimensions: int, chunks: int, stop: threading.Event
) -> None:
    name = _graph(partition, dimensions)
    memory = min(MAX_MEMORY_MB, 64 + chunks * (2 * dimensions + 600) // 1_000_000)
    # Processes that build together need shared memory, which containers often have little of.
    for together in ("", "SET max_parallel_maintenance_workers = 0"):
        with _long_work(connection, memory, stop):
            try:
                # What an interrupted build has left is no graph.
                run(connection, f"DROP INDEX IF EXISTS {name}")
                if together:
                    run(connection, together)
                run(
                    connection,
                    f"CREATE INDEX CONCURRENTLY {name} ON retrieval_vectors USING hnsw "
                    f"(({as_graph(layout, 'vector', dimensions)}) {layout.vectors}.halfvec_cosine_ops) "
                    f"WHERE partition = {partition}",
                )
            except psycopg.Error as error:
                if stop.is_set() or connection.closed or connection.broken:
                    raise
                reason = error
            else:
                return
    run(connection, f"DROP INDEX IF EXISTS {name}")
    _log.warning(
        "the vectors of partition %d are scanned exactly, as no graph of them can be made: %s", partition, reason
    )


@contextmanager
def _long_work(connection: Connection, memory_mb: int, stop: threading.Event) -> Generator[None]:
    """Waits for whoever reads an older state, and takes the memory it needs; within bounds, and until told to stop."""
    run(connection, f"SET lock_timeout = 0; SET statement_timeout = '{BUILD_S}s'")
    run(connection, f"SET maintenance_work_mem = '{memory_mb}MB'")
    done = threading.Event()
    watcher = threading.Thread(target=_watch, args=(connection, stop, done), daemon=True)
    watcher.start()
    try:
        yield
    finally:
        done.set()
        watcher.join()
        if not connection.closed and not connection.broken:
            for name in (
                "lock_timeout",
                "statement_timeout",
                "maintenance_work_mem",
                "max_parallel_maintenance_workers",
            ):
                run(connection, f"RESET {name}")


def _watch(connection: Connection, stop: threading.Event, done: threading.Event) -> None:
    while not done.wait(POLL_S):
        if stop.is_set():
            with suppress(psycopg.Error):
                connection.cancel_safe()
            return


def as_graph(layout: DatabaseLayout, value: str, dimensions: int) -> str:
    """The vector as the graph has it: a question is only answered by it when it names the same expression."""
    return f"{value}::{layout.vectors}.halfvec({dimensions})"


def explore(connection: Connection, layout: DatabaseLayout) -> None:
    """Until the end of the transaction: how far a question looks around."""
    run(connection, f"SET LOCAL hnsw.ef_search = {EXPLORED}")
    if layout.goes_on:
        run(connection, "SET LOCAL hnsw.iterative_scan = strict_order")


def is_large(connection: Connection, layout: DatabaseLayout, partition: int, domains: Sequence[str]) -> bool:
    """Whether the graph finds what is in these domains: on its way it would hardly pass a vector of a small one."""
    if not layout.goes_on:
        return False
    row = connection.execute(
        "SELECT count(*) FROM (SELECT 1 FROM retrieval_vectors WHERE partition = %s"
        " AND domain = ANY(%s) LIMIT %s) AS few",
        [partition, list(domains), layout.graph_from],
    ).fetchone()
    return row is not None and int(row[0]) >= layout.graph_from


def _graph(partition: int, dimensions: int) -> str:
    return f"retrieval_near_{partition}_{dimensions}"


def _dimensions(connection: Connection, layout: DatabaseLayout, partition: int) -> int:
    row = run(
        connection,
        f"SELECT {layout.vectors}.vector_dims(vector) FROM retrieval_vectors WHERE partition = %s LIMIT 1",  # noqa: S608
        [partition],
    ).fetchone()
    return 0 if row is None else int(row[0])


def _locked(connection: Connection, function: str) -> bool:
    row = run(connection, f"SELECT {function}({_BUILDS})").fetchone()
    return bool(row and row[0])


def vector_text(layout: DatabaseLayout, vector: "Sequence[float]") -> str:
    """As it is written into a statement; of length one."""
    blob = to_blob(vector)
    if layout.vectors is None:
        return blob.hex()
    import numpy as np

    return "[" + ",".join(format(value, ".5g") for value in np.frombuffer(blob, np.float16).tolist()) + "]"


class CosineSearch:
    """Cosines of stored vectors with that of a question."""

    def __init__(self) -> None:
        self._in_memory = VectorIndexes()

    def cosines(
        self,
        connection: Connection,
        layout: DatabaseLayout,
        partitions: Sequence[int],
        vector: "array[float]",
        chunks: Sequence[int],
        domains: Sequence[str] | None,
        limit: int,
    ) -> dict[int, float]:
        """Of these chunks, and of the nearest there are. All of `partitions` and nothing else counts."""
        if layout.vectors is None:
            sources = {partition: PgPartitionVectors(connection, partition) for partition in partitions}
            return self._in_memory.cosines(sources, vector, chunks, domains, limit)
        near = f"vector {layout.nearness} %s::{layout.type}"
        asked = vector_text(layout, vector)
        there = {partition: size for partition, size in graphs(connection).items() if size == len(vector)}
        found: dict[int, float] = {}
        for partition in partitions:
            by_graph = partition in there and (domains is None or is_large(connection, layout, partition, domains))
            found |= _nearest(connection, layout, partition, asked, domains, limit, len(vector) if by_graph else None)
        best = dict(sorted(found.items(), key=lambda each: -each[1])[:limit])
        known = run(
            connection,
            f"SELECT chunk, {near} FROM retrieval_vectors WHERE chunk = ANY(%s) AND partition = ANY(%s)",  # noqa: S608
            [asked, list(chunks), list(partitions)],
        )
        return {int(chunk): 1 - float(far) for chunk, far in known} | best


def _nearest(
    connection: Connection,
    layout: DatabaseLayout,
    partition: int,
    asked: str,
    domains: Sequence[str] | None,
    limit: int,
    dimensions: int | None,
) -> dict[int, float]:
    """By the graph, where that is of so many `dimensions`; else by a scan of all."""
    within = "" if domains is None else " AND domain = ANY(%s)"
    mine, theirs = "vector", f"%s::{layout.type}"
    if dimensions is not None:
        explore(connection, layout)
        mine, theirs = (as_graph(layout, value, dimensions) for value in ("vector", "%s"))
    rows = run(
        connection,
        f"SELECT chunk, {mine} {layout.nearness} {theirs} AS far FROM retrieval_vectors "  # noqa: S608
        f"WHERE partition = {partition}{within} ORDER BY far LIMIT %s",
        [asked, *([] if domains is None else [list(domains)]), limit],
    )
    return {int(chunk): 1 - float(far) for chunk, far in rows}


class PgPartitionVectors:
    """The vectors of a partition, for whoever follows them. Any removal means: start anew."""

    change = forgotten = 0

    def __init__(self, connection: Connection, partition: int) -> None:
        self._connection = connection
        self._partition = partition

    @property
    def epoch(self) -> int:
        row = self._connection.execute(
            "SELECT i.epoch, s.removals FROM retrieval_partitions s JOIN retrieval_indexes i ON i.id = s.index_id "
            "WHERE s.id = %s",
            [self._partition],
        ).fetchone()
        return 0 if row is None else (int(row[0]) << 40) + int(row[1]) + 1

    def removed(self, after: int) -> Sequence[range]:  # noqa: ARG002
        return ()

    def added(self, after: int, most: int) -> Sequence[tuple[int, int, bytes, str]]:
        rows = self._connection.execute(
            "SELECT seq, chunk, vector, domain FROM retrieval_vectors WHERE partition = %s AND seq > %s ORDER BY seq "
            "LIMIT %s",
            [self._partition, after, most],
        )
        return [(seq, chunk, bytes(vector), domain) for seq, chunk, vector, domain in rows]
