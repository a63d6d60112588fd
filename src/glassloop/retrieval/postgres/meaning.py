"""Passages by their meaning in PostgreSQL: by pgvector, or where that is missing by a copy of the vectors in memory."""

import threading
from collections import OrderedDict
from collections.abc import Sequence
from typing import TYPE_CHECKING

from glassloop.retrieval.dense import Dense, to_blob
from glassloop.retrieval.postgres.graphs import as_graph, explore, graphs, is_large
from glassloop.retrieval.postgres.schema import Connection, Layout, run

if TYPE_CHECKING:
    from array import array

MOST_SHELVES = 64


def vector_text(layout: Layout, vector: "Sequence[float]") -> str:
    """As it is written into a statement; of length one."""
    blob = to_blob(vector)
    if layout.vectors is None:
        return blob.hex()
    import numpy as np

    return "[" + ",".join(format(value, ".5g") for value in np.frombuffer(blob, np.float16).tolist()) + "]"


class Nearness:
    """Cosines of stored vectors with that of a question."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._dense: OrderedDict[int, Dense] = OrderedDict()

    def cosines(
        self,
        connection: Connection,
        layout: Layout,
        shelves: Sequence[int],
        vector: "array[float]",
        chunks: Sequence[int],
        domains: Sequence[str] | None,
        limit: int,
    ) -> dict[int, float]:
        """Of these chunks, and of the nearest there are. All of `shelves` and nothing else counts."""
        if layout.vectors is None:
            return self._in_memory(connection, shelves, vector, chunks, domains, limit)
        near = f"vector {layout.nearness} %s::{layout.type}"
        asked = vector_text(layout, vector)
        there = {shelf: size for shelf, size in graphs(connection).items() if size == len(vector)}
        found: dict[int, float] = {}
        for shelf in shelves:
            by_graph = shelf in there and (domains is None or is_large(connection, layout, shelf, domains))
            found |= _nearest(connection, layout, shelf, asked, domains, limit, len(vector) if by_graph else None)
        best = dict(sorted(found.items(), key=lambda each: -each[1])[:limit])
        known = run(
            connection,
            f"SELECT chunk, {near} FROM retrieval_vectors WHERE chunk = ANY(%s) AND shelf = ANY(%s)",  # noqa: S608
            [asked, list(chunks), list(shelves)],
        )
        return {int(chunk): 1 - float(far) for chunk, far in known} | best

    def _in_memory(
        self,
        connection: Connection,
        shelves: Sequence[int],
        vector: "array[float]",
        chunks: Sequence[int],
        domains: Sequence[str] | None,
        limit: int,
    ) -> dict[int, float]:
        import numpy as np

        asked = np.frombuffer(vector, np.float32)
        best: list[tuple[int, float]] = []
        known: dict[int, float] = {}
        for shelf in shelves:
            dense = self._of(shelf)
            dense.refresh(Vectors(connection, shelf), len(asked))
            best += dense.best(asked, limit, domains)
            known |= dense.cosines(asked, chunks)
        best.sort(key=lambda each: -each[1])
        return known | dict(best[:limit])

    def _of(self, shelf: int) -> Dense:
        with self._lock:
            if shelf not in self._dense:
                self._dense[shelf] = Dense()
                if len(self._dense) > MOST_SHELVES:
                    self._dense.popitem(last=False)
            self._dense.move_to_end(shelf)
            return self._dense[shelf]


def _nearest(
    connection: Connection,
    layout: Layout,
    shelf: int,
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
        f"WHERE shelf = {shelf}{within} ORDER BY far LIMIT %s",
        [asked, *([] if domains is None else [list(domains)]), limit],
    )
    return {int(chunk): 1 - float(far) for chunk, far in rows}


class Vectors:
    """The vectors of a shelf, for whoever follows them. Any removal means: start anew."""

    change = forgotten = 0

    def __init__(self, connection: Connection, shelf: int) -> None:
        self._connection = connection
        self._shelf = shelf

    @property
    def epoch(self) -> int:
        row = self._connection.execute(
            "SELECT i.epoch, s.removals FROM retrieval_shelves s JOIN retrieval_indexes i ON i.id = s.index_id "
            "WHERE s.id = %s",
            [self._shelf],
        ).fetchone()
        return 0 if row is None else (int(row[0]) << 40) + int(row[1]) + 1

    def removed(self, after: int) -> Sequence[range]:  # noqa: ARG002
        return ()

    def added(self, after: int, most: int) -> Sequence[tuple[int, int, bytes, str]]:
        rows = self._connection.execute(
            "SELECT seq, chunk, vector, domain FROM retrieval_vectors WHERE shelf = %s AND seq > %s ORDER BY seq "
            "LIMIT %s",
            [self._shelf, after, most],
        )
        return [(seq, chunk, bytes(vector), domain) for seq, chunk, vector, domain in rows]
