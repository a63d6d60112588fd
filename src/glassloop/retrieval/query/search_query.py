"""Search query, and the order of its hits: lexical and vector scores in, candidates with a relevance out. Pure.

The order comes from both scores, each stretched over 0 to 1 within this question: from nothing in common to the best
that was found. The relevance compares over questions, so it is made from what does not depend on the other candidates.
"""

import math
from array import array
from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Literal

import msgspec

from glassloop.retrieval.query.query_parser import LexicalHits, ParsedQuery
from glassloop.retrieval.query.search_terms import unspaced_share

Why = Literal["lexical", "dense", "both"]

DENSE_WEIGHT = 0.7
SPARSE_WEIGHT = 0.3
UNSPACED_WEIGHT = 0.02
"""What is left of the dense weight where the embedder does not know the script."""


class ScoreWeights(msgspec.Struct, frozen=True, kw_only=True):
    """`dense` and `sparse` count by their ratio. `unspaced`: the share of `dense` in Chinese and the like."""

    dense: float = DENSE_WEIGHT
    sparse: float = SPARSE_WEIGHT
    unspaced: float = UNSPACED_WEIGHT

    def __post_init__(self) -> None:
        if min(self.dense, self.sparse, self.unspaced) < 0 or self.dense + self.sparse <= 0:
            raise ValueError(
                f"weights {self.dense:g} and {self.sparse:g} cannot be used: give two numbers from 0, not both 0"
            )


class Calibration(msgspec.Struct, frozen=True, kw_only=True):
    """Relevance = logistic(bias + lexical * coverage + dense * cosine), fitted on right and wrong passages."""

    bias: float
    lexical: float
    dense: float

    def relevance(self, coverage: float, cosine: float) -> float:
        return 1 / (1 + math.exp(-(self.bias + self.lexical * coverage + self.dense * cosine)))


# Logistic regressions on 500 questions of `bench/retrieval.py` over MiniLM (code and English together), right and wrong
# candidates weighing the same: 0.7 keeps 79 % of the right ones and lets 4 % of the wrong ones through. Fitted on one
# set and tried on the other, it keeps 77 and 81 %.
BOTH = Calibration(bias=-5.4, lexical=5.5, dense=11.7)
WORDS_ONLY = Calibration(bias=-2.6, lexical=8.6, dense=0.0)
# Pairs of characters match by chance far less often. The Chinese set is small, so its fit is softened.
UNSPACED_WORDS = Calibration(bias=-2.6, lexical=16.0, dense=0.0)


class Candidate(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """A chunk with its place in the order: `score` within the question, `relevance` over questions."""

    chunk: int
    score: float
    relevance: float
    why: Why


def rank(
    lexical: Mapping[int, float],
    full: float,
    cosines: Mapping[int, float],
    unspaced: Mapping[int, float],
    question_unspaced: float,
    weights: ScoreWeights,
) -> list[Candidate]:
    """Best first. `full`: what a passage with all words would score; `unspaced`: how much of each chunk, and of the
    question, is in a script that the embedder does not know."""
    chunks = lexical.keys() | cosines.keys()
    by_words = _stretched({chunk: lexical.get(chunk, 0.0) for chunk in chunks})
    by_meaning = _stretched(cosines)
    found: list[Candidate] = []
    for chunk in chunks:
        known = 1 - max(question_unspaced, unspaced.get(chunk, 0.0)) * (1 - weights.unspaced)
        dense = weights.dense * known if chunk in cosines else 0.0
        # A passage that has no vector yet is not worse for it: its words count for both.
        whole = dense + weights.sparse if cosines and chunk in cosines else weights.sparse
        score = (dense * by_meaning.get(chunk, 0.0) + weights.sparse * by_words[chunk]) / (whole or 1.0)
        coverage = min(1.0, lexical.get(chunk, 0.0) / full) if full > 0 else 0.0
        found.append(
            Candidate(
                chunk=chunk,
                score=score,
                relevance=_relevance(coverage, cosines.get(chunk), known),
                why=_why(lexical.get(chunk, 0.0) > 0, chunk in cosines and known > 0.5 and by_meaning[chunk] > 0.5),
            )
        )
    return sorted(found, key=lambda each: (-each.score, -each.relevance, each.chunk))


def _stretched(scores: Mapping[int, float]) -> dict[int, float]:
    if not scores:
        return {}
    # Not from the least of them: where the best is poor already, that would make much of small differences.
    best = max(scores.values())
    return {chunk: max(0.0, score) / best if best > 0 else 0.0 for chunk, score in scores.items()}


def _relevance(coverage: float, cosine: float | None, known: float) -> float:
    """By words alone as far as the script is not one that the embedder knows."""
    both = WORDS_ONLY.relevance(coverage, 0.0) if cosine is None else BOTH.relevance(coverage, cosine)
    return both if known == 1 else known * both + (1 - known) * UNSPACED_WORDS.relevance(coverage, 0.0)


def _why(by_words: bool, by_meaning: bool) -> Why:
    if by_words and by_meaning:
        return "both"
    return "lexical" if by_words else "dense"


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
