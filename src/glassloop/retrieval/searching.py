"""One question over the shelves that its asker may see: by words, by meaning, both as one order. Blocks."""

import sqlite3
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING, TypeVar

import msgspec

from glassloop.retrieval import truth
from glassloop.retrieval.asking import Asked, Found, search_words
from glassloop.retrieval.dense import Dense
from glassloop.retrieval.lexical import Lexical
from glassloop.retrieval.ranking import Candidate, Weights, rank
from glassloop.retrieval.words import unspaced_share
from glassloop.retrieval.writing import Place

if TYPE_CHECKING:
    from array import array

CANDIDATES = 100
"""Of each kind."""

DEPTH = 400
"""So many are found by words: beyond the candidates, to know the words of those that are near by meaning."""

MOST_SHELVES = 64
"""So many shelves are kept open; of more, those used longest ago are opened again when they are needed."""

Part = TypeVar("Part")


class Question(msgspec.Struct, frozen=True, kw_only=True):
    """`owners`: whose documents may be seen; '' is everybody's."""

    text: str
    asked: Asked
    owners: tuple[str, ...]
    domains: tuple[str, ...] | None
    weights: Weights

    @property
    def unspaced(self) -> float:
        return unspaced_share(self.text)

    @property
    def needs_vector(self) -> bool:
        """Not where meaning would hardly count."""
        return self.weights.dense * (1 - self.unspaced * (1 - self.weights.unspaced)) > 0.05 * self.weights.sparse


class Ranked(msgspec.Struct, frozen=True, kw_only=True):
    """An order, and the chunks whose vectors would make it better."""

    candidates: list[Candidate]
    missing: list[int]


class Shelves:
    """What is open for searching."""

    def __init__(self, place: Place) -> None:
        self._place = place
        self._lock = threading.Lock()
        self._lexical: OrderedDict[int, Lexical] = OrderedDict()
        self._dense: OrderedDict[int, Dense] = OrderedDict()

    def lexical(self, shelf: int) -> Lexical:
        return self._of(self._lexical, shelf, lambda: Lexical(self._place.lexical(shelf)))

    def dense(self, shelf: int) -> Dense:
        return self._of(self._dense, shelf, lambda: Dense(shelf))

    def _of(self, parts: "OrderedDict[int, Part]", shelf: int, make: Callable[[], Part]) -> Part:
        with self._lock:
            if shelf not in parts:
                parts[shelf] = make()
                if len(parts) > MOST_SHELVES:
                    parts.popitem(last=False)
            parts.move_to_end(shelf)
            return parts[shelf]

    def find(self, connection: sqlite3.Connection, question: Question) -> Found | None:
        """By words; None where a shelf has words that cannot be read."""
        shelves = self._visible(connection, question)
        if any(lexical.searcher() is None for lexical in shelves):
            return None
        return search_words(question.asked, shelves, question.domains, DEPTH)

    def _visible(self, connection: sqlite3.Connection, question: Question) -> list[Lexical]:
        return [self.lexical(shelf) for shelf, _, seq in truth.shelves(connection, question.owners) if seq]

    def order(
        self,
        connection: sqlite3.Connection,
        question: Question,
        found: Found,
        vector: "array[float] | None",
        more: Mapping[int, "array[float]"],
    ) -> Ranked:
        """By both. `more`: vectors that are not stored yet."""
        best = dict(islice(found.scores.items(), CANDIDATES))
        cosines = {} if vector is None else self._cosines(connection, question, best, vector, more)
        scores = best | {chunk: found.scores[chunk] for chunk in cosines if chunk in found.scores}
        visible = [shelf for shelf, _, _ in truth.shelves(connection, question.owners)]
        unspaced = _unspaced(connection, list(scores.keys() | cosines.keys()), visible)
        scores = {chunk: score for chunk, score in scores.items() if chunk in unspaced}
        cosines = {chunk: cosine for chunk, cosine in cosines.items() if chunk in unspaced}
        candidates = rank(scores, found.full, cosines, unspaced, question.unspaced, question.weights)
        missing = [chunk for chunk in best if chunk in unspaced and chunk not in cosines]
        return Ranked(candidates=candidates, missing=missing if vector is not None else [])

    def _cosines(
        self,
        connection: sqlite3.Connection,
        question: Question,
        by_words: Iterable[int],
        vector: "array[float]",
        more: Mapping[int, "array[float]"],
    ) -> dict[int, float]:
        import numpy as np

        asked = np.frombuffer(vector, np.float32)
        best: list[tuple[int, float]] = []
        known: dict[int, float] = {}
        for shelf, _, seq in truth.shelves(connection, question.owners):
            if seq:
                dense = self.dense(shelf)
                dense.refresh(connection, len(asked))
                best += dense.best(asked, CANDIDATES, question.domains)
                known |= dense.cosines(asked, by_words)
        best.sort(key=lambda each: -each[1])
        # Only of what this asker's words found: the others are of anybody's questions.
        new = [chunk for chunk in by_words if chunk in more and chunk not in known]
        fresh = {chunk: float(np.frombuffer(more[chunk], np.float32) @ asked) for chunk in new}
        return known | fresh | dict(best[:CANDIDATES])


def _unspaced(connection: sqlite3.Connection, chunks: Sequence[int], shelves: Sequence[int]) -> dict[int, float]:
    """Of those chunks that are still there, and on these shelves."""
    marks, places = ",".join("?" * len(chunks)), ",".join("?" * len(shelves))
    rows = connection.execute(
        f"SELECT id, unspaced FROM chunks WHERE id IN ({marks}) AND shelf IN ({places})",  # noqa: S608
        (*chunks, *shelves),
    )
    return dict(rows.fetchall())
