"""Vectors in memory: what eight bits keep, and what removals and domains leave out."""

import numpy as np
import pytest

from glassloop.retrieval.backends.vector_index import _Rows

DIMENSIONS = 64


@pytest.fixture
def vectors():
    made = np.random.default_rng(1).standard_normal((600, DIMENSIONS)).astype(np.float32)
    return made / np.linalg.norm(made, axis=1, keepdims=True)


def filled(vectors, compress_at):
    rows = _Rows(DIMENSIONS, compress_at)
    for begin in range(0, len(vectors), 150):
        rows.add(vectors[begin : begin + 150])
    return rows


@pytest.mark.parametrize("compress_at", [300, 10_000], ids=["packed", "plain"])
def test_the_nearest_are_those_of_the_exact_sum(vectors, compress_at):
    rows = filled(vectors, compress_at)
    assert (rows._packed is not None) == (compress_at == 300)
    exact = vectors @ vectors[7]
    found = dict(rows.best(vectors[7], 20, None))
    assert len(set(found) & set(np.argsort(-exact)[:20])) >= 19
    assert all(abs(score - exact[place]) < 0.01 for place, score in found.items())
    assert np.allclose(rows.cosines(vectors[7], [7, 3, 599]), exact[[7, 3, 599]], atol=0.01)


@pytest.mark.parametrize("compress_at", [300, 10_000], ids=["packed", "plain"])
def test_only_those_that_may_be_seen_are_found(vectors, compress_at):
    rows = filled(vectors, compress_at)
    among = np.arange(len(vectors)) % 50 == 3
    found = rows.best(vectors[7], 20, among)
    assert {place % 50 for place, _ in found} == {3}
    assert len(found) == 12
