"""The encoder in plain numpy: slow, without a graph, and what the quick one is checked against."""

import math

import numpy as np
from numpy.typing import NDArray

from glassloop.extensions.embedded.embedder.graph import EPSILON, Bert, Pair

Floats = NDArray[np.float32]


def encode_plainly(bert: Bert, ids: NDArray[np.int32]) -> Floats:
    """The vector of one text, by its token ids: no batch, no padding, no tricks."""
    size = bert.hidden // bert.heads
    state = _norm(bert.words[ids] + bert.places[: len(ids)], bert.norm("embeddings"))
    for number in range(bert.layers):
        layer = f"encoder.layer.{number}"
        joined = [bert.dense(f"{layer}.attention.self.{name}") for name in ("query", "key", "value")]
        query, key, value = (state @ part.weight + part.bias for part in joined)
        parts: list[Floats] = []
        for head in range(bert.heads):
            at = slice(head * size, (head + 1) * size)
            scores = query[:, at] @ key[:, at].T / math.sqrt(size)
            scores = np.exp(scores - scores.max(axis=1, keepdims=True))
            parts.append(scores / scores.sum(axis=1, keepdims=True) @ value[:, at])
        out = bert.dense(f"{layer}.attention.output.dense")
        mixed = np.concatenate(parts, axis=1) @ out.weight + out.bias
        state = _norm(mixed + state, bert.norm(f"{layer}.attention.output"))
        wide, back = bert.dense(f"{layer}.intermediate.dense"), bert.dense(f"{layer}.output.dense")
        grown = _gelu(state @ wide.weight + wide.bias) @ back.weight + back.bias
        state = _norm(grown + state, bert.norm(f"{layer}.output"))
    mean = state.mean(axis=0)
    return mean / np.linalg.norm(mean)


def _norm(state: Floats, pair: Pair) -> Floats:
    centred = state - state.mean(axis=-1, keepdims=True)
    return centred / np.sqrt(centred.var(axis=-1, keepdims=True) + EPSILON) * pair.weight + pair.bias


def _gelu(state: Floats) -> Floats:
    erf = np.fromiter((math.erf(x) for x in (state / math.sqrt(2)).ravel()), np.float32, state.size)
    return 0.5 * state * (1 + erf.reshape(state.shape))
