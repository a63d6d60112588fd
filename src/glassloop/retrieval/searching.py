"""One question over the shelves of an index on the disk that its asker may see. Blocks."""

import sqlite3
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable
from typing import TypeVar

import msgspec

from glassloop.retrieval import truth
from glassloop.retrieval.asking import Found, search_words
from glassloop.retrieval.backend import Meaning
from glassloop.retrieval.dense import Dense
from glassloop.retrieval.lexical import Lexical
from glassloop.retrieval.place import Place
from glassloop.retrieval.question import CANDIDATES, DEPTH, Question, best_by_words, fresh_cosines, in_order, scores_of
from glassloop.retrieval.ranking import Candidate

MOST_SHELVES = 64
"""So many shelves are kept open; of more, those used longest ago are opened again when they are needed."""

Part = TypeVar("Part")


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
        return self._of(self._dense, shelf, Dense)

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
        self, connection: sqlite3.Connection, question: Question, found: Found, meaning: Meaning | None
    ) -> Ranked:
        """By both."""
        best = best_by_words(found)
        cosines = {} if meaning is None else self._cosines(connection, question, best, meaning)
        visible = [shelf for shelf, _, _ in truth.shelves(connection, question.owners)]
        wanted = list(scores_of(found, cosines).keys() | cosines.keys())
        unspaced = truth.unspaced(connection, wanted, visible)
        missing = [chunk for chunk in best if chunk in unspaced and chunk not in cosines]
        return Ranked(
            candidates=in_order(question, found, cosines, unspaced), missing=missing if meaning is not None else []
        )

    def _cosines(
        self, connection: sqlite3.Connection, question: Question, by_words: Iterable[int], meaning: Meaning
    ) -> dict[int, float]:
        import numpy as np

        asked = np.frombuffer(meaning.vector, np.float32)
        best: list[tuple[int, float]] = []
        known: dict[int, float] = {}
        for shelf, _, seq in truth.shelves(connection, question.owners):
            if seq:
                dense = self.dense(shelf)
                dense.refresh(truth.Vectors(connection, shelf), len(asked))
                best += dense.best(asked, CANDIDATES, question.domains)
                known |= dense.cosines(asked, by_words)
        best.sort(key=lambda each: -each[1])
        fresh = fresh_cosines(list(by_words), known, meaning.more, meaning.vector)
        return known | fresh | dict(best[:CANDIDATES])
