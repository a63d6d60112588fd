"""Search of one query over the partitions of an index on the disk that its asker may see. Blocks."""

import sqlite3
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable
from typing import TypeVar

import msgspec

from glassloop.retrieval.backends.backend import QueryVector
from glassloop.retrieval.backends.disk import document_db as truth
from glassloop.retrieval.backends.disk.index_paths import IndexPaths
from glassloop.retrieval.backends.disk.lexical_index import LexicalIndex
from glassloop.retrieval.backends.vector_index import VectorIndex
from glassloop.retrieval.query.query_parser import LexicalHits, search_words
from glassloop.retrieval.query.search_query import (
    CANDIDATES,
    DEPTH,
    Candidate,
    SearchQuery,
    best_by_words,
    fresh_cosines,
    in_order,
    scores_of,
)

MAX_SHELVES = 64
"""So many partitions are kept open; of more, those used longest ago are opened again when they are needed."""

Part = TypeVar("Part")


class RankedChunks(msgspec.Struct, frozen=True, kw_only=True):
    """An order, and the chunks whose vectors would make it better."""

    candidates: list[Candidate]
    missing: list[int]


class OpenPartitions:
    """What is open for searching."""

    def __init__(self, place: IndexPaths) -> None:
        self._place = place
        self._lock = threading.Lock()
        self._lexical: OrderedDict[int, LexicalIndex] = OrderedDict()
        self._dense: OrderedDict[int, VectorIndex] = OrderedDict()

    def lexical(self, partition: int) -> LexicalIndex:
        return self._of(self._lexical, partition, lambda: LexicalIndex(self._place.lexical(partition)))

    def dense(self, partition: int) -> VectorIndex:
        return self._of(self._dense, partition, VectorIndex)

    def _of(self, parts: "OrderedDict[int, Part]", partition: int, make: Callable[[], Part]) -> Part:
        with self._lock:
            if partition not in parts:
                parts[partition] = make()
                if len(parts) > MAX_SHELVES:
                    parts.popitem(last=False)
            parts.move_to_end(partition)
            return parts[partition]

    def find(self, connection: sqlite3.Connection, question: SearchQuery) -> LexicalHits | None:
        """By words; None where a partition has words that cannot be read."""
        partitions = self._visible(connection, question)
        if any(lexical.searcher() is None for lexical in partitions):
            return None
        return search_words(question.asked, partitions, question.domains, DEPTH)

    def _visible(self, connection: sqlite3.Connection, question: SearchQuery) -> list[LexicalIndex]:
        return [self.lexical(partition) for partition, _, seq in truth.partitions(connection, question.owners) if seq]

    def order(
        self, connection: sqlite3.Connection, question: SearchQuery, found: LexicalHits, meaning: QueryVector | None
    ) -> RankedChunks:
        """By both."""
        best = best_by_words(found)
        cosines = {} if meaning is None else self._cosines(connection, question, best, meaning)
        visible = [partition for partition, _, _ in truth.partitions(connection, question.owners)]
        wanted = list(scores_of(found, cosines).keys() | cosines.keys())
        unspaced = truth.unspaced(connection, wanted, visible)
        missing = [chunk for chunk in best if chunk in unspaced and chunk not in cosines]
        return RankedChunks(
            candidates=in_order(question, found, cosines, unspaced), missing=missing if meaning is not None else []
        )

    def _cosines(
        self, connection: sqlite3.Connection, question: SearchQuery, by_words: Iterable[int], meaning: QueryVector
    ) -> dict[int, float]:
        import numpy as np

        asked = np.frombuffer(meaning.vector, np.float32)
        best: list[tuple[int, float]] = []
        known: dict[int, float] = {}
        for partition, _, seq in truth.partitions(connection, question.owners):
            if seq:
                dense = self.dense(partition)
                dense.refresh(truth.PartitionVectors(connection, partition), len(asked))
                best += dense.best(asked, CANDIDATES, question.domains)
                known |= dense.cosines(asked, by_words)
        best.sort(key=lambda each: -each[1])
        fresh = fresh_cosines(list(by_words), known, meaning.more, meaning.vector)
        return known | fresh | dict(best[:CANDIDATES])
