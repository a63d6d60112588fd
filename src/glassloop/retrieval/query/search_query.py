"""Search query, and the order of its hits: by words, by meaning, and both combined. Pure."""

from array import array
from collections.abc import Mapping, Sequence
from itertools import islice

import msgspec

from glassloop.retrieval.query.query_parser import LexicalHits, ParsedQuery
from glassloop.retrieval.query.score_fusion import Candidate, ScoreWeights, rank
from glassloop.retrieval.query.search_terms import unspaced_share

CANDIDATES = 100
"""Of each kind."""

DEPTH = 400
"""So many are found by words: beyond the candidates, to know the words of those that are near by meaning."""


class SearchQuery(msgspec.Struct, frozen=True, kw_only=True):
    """`owners`: whose documents may be seen; '' is everybody's."""

    text: str
    asked: ParsedQuery
    owners: tuple[str, ...]
    domains: tuple[str, ...] | None
    weights: ScoreWeights

    @property
    def unspaced(self) -> float:
        return unspaced_share(self.text)

    @property
    def needs_vector(self) -> bool:
        """Not where meaning would hardly count."""
        return self.weights.dense * (1 - self.unspaced * (1 - self.weights.unspaced)) > 0.05 * self.weights.sparse


def best_by_words(found: LexicalHits) -> dict[int, float]:
    return dict(islice(found.scores.items(), CANDIDATES))


def fresh_cosines(
    by_words: Sequence[int], known: Mapping[int, float], more: Mapping[int, "array[float]"], vector: "array[float]"
) -> dict[int, float]:
    """By vectors that are not stored yet; only of what this asker's words found: the others are of anybody's
    questions."""
    import numpy as np

    asked = np.frombuffer(vector, np.float32)
    new = [chunk for chunk in by_words if chunk in more and chunk not in known]
    return {chunk: float(np.frombuffer(more[chunk], np.float32) @ asked) for chunk in new}


def scores_of(found: LexicalHits, cosines: Mapping[int, float]) -> dict[int, float]:
    """Of the candidates by words, and of what is near by meaning as far as its words are known."""
    return best_by_words(found) | {chunk: found.scores[chunk] for chunk in cosines if chunk in found.scores}


def in_order(
    question: SearchQuery,
    found: LexicalHits,
    cosines: Mapping[int, float],
    unspaced: Mapping[int, float],
) -> list[Candidate]:
    """Best first. `unspaced`: of those chunks that are still there and may be seen; others are left out."""
    scores = {chunk: score for chunk, score in scores_of(found, cosines).items() if chunk in unspaced}
    near = {chunk: cosine for chunk, cosine in cosines.items() if chunk in unspaced}
    return rank(scores, found.full, near, unspaced, question.unspaced, question.weights)
