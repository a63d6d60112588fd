"""Vector search in PostgreSQL: by pgvector, or where that is missing by a copy of the vectors in memory."""

import threading
from collections import OrderedDict
from collections.abc import Sequence
from typing import TYPE_CHECKING

from glassloop.retrieval.backends.postgres.schema import Connection, DatabaseLayout, run
from glassloop.retrieval.backends.postgres.vector_graphs import as_graph, explore, graphs, is_large
from glassloop.retrieval.backends.vector_index import VectorIndex, to_blob

if TYPE_CHECKING:
    from array import array

MAX_SHELVES = 64


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
        self._lock = threading.Lock()
        self._dense: OrderedDict[int, VectorIndex] = OrderedDict()

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
            return self._in_memory(connection, partitions, vector, chunks, domains, limit)
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

    def _in_memory(
        self,
        connection: Connection,
        partitions: Sequence[int],
        vector: "array[float]",
        chunks: Sequence[int],
        domains: Sequence[str] | None,
        limit: int,
    ) -> dict[int, float]:
        import numpy as np

        asked = np.frombuffer(vector, np.float32)
        best: list[tuple[int, float]] = []
        known: dict[int, float] = {}
        for partition in partitions:
            dense = self._of(partition)
            dense.refresh(PgPartitionVectors(connection, partition), len(asked))
            best += dense.best(asked, limit, domains)
            known |= dense.cosines(asked, chunks)
        best.sort(key=lambda each: -each[1])
        return known | dict(best[:limit])

    def _of(self, partition: int) -> VectorIndex:
        with self._lock:
            if partition not in self._dense:
                self._dense[partition] = VectorIndex()
                if len(self._dense) > MAX_SHELVES:
                    self._dense.popitem(last=False)
            self._dense.move_to_end(partition)
            return self._dense[partition]


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
