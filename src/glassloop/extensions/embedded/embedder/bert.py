"""The weights of a BERT encoder, in the order the sums need them; and the encoder itself in plain numpy.

The plain one is slow and is what the quick one is checked against.
"""

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]

EPSILON = 1e-12


class Bert:
    """An encoder by its tensors; `heads` is not written in them."""

    def __init__(self, tensors: "Mapping[str, Floats]", heads: int) -> None:
        self._tensors = tensors
        self.heads = heads
        self.layers = 1 + max(int(name.split(".")[2]) for name in tensors if name.startswith("encoder.layer."))
        self.hidden = tensors["embeddings.word_embeddings.weight"].shape[1]

    @property
    def words(self) -> "Floats":
        return self._tensors["embeddings.word_embeddings.weight"]

    @property
    def places(self) -> "Floats":
        """Embeddings of positions, with that of the first kind of segment in them: there is no second one here."""
        kinds = self._tensors["embeddings.token_type_embeddings.weight"]
        return self._tensors["embeddings.position_embeddings.weight"] + kinds[0]

    def norm(self, name: str) -> "Pair":
        return Pair(self._tensors[f"{name}.LayerNorm.weight"], self._tensors[f"{name}.LayerNorm.bias"])

    def dense(self, name: str) -> "Pair":
        """Weights as they are multiplied from the right, and the bias."""
        return Pair(self._tensors[f"{name}.weight"].T, self._tensors[f"{name}.bias"])

    def attention(self, layer: str) -> "Pair":
        """Query, key and value side by side."""
        import numpy as np

        parts = [self.dense(f"{layer}.attention.self.{name}") for name in ("query", "key", "value")]
        return Pair(
            np.concatenate([part.weight for part in parts], axis=1), np.concatenate([part.bias for part in parts])
        )


class Pair(msgspec.Struct, frozen=True):
    """A weight and a bias."""

    weight: "Floats"
    bias: "Floats"


def encode_plainly(bert: Bert, ids: "NDArray[np.int32]") -> "Floats":
    """The vector of one text, by its token ids: no batch, no padding, no tricks."""
    import numpy as np

    size = bert.hidden // bert.heads
    state = _norm(bert.words[ids] + bert.places[: len(ids)], bert.norm("embeddings"))
    for number in range(bert.layers):
        layer = f"encoder.layer.{number}"
        joined = bert.attention(layer)
        query, key, value = np.split(state @ joined.weight + joined.bias, 3, axis=1)
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


def _norm(state: "Floats", pair: Pair) -> "Floats":
    import numpy as np

    centred = state - state.mean(axis=-1, keepdims=True)
    return centred / np.sqrt(centred.var(axis=-1, keepdims=True) + EPSILON) * pair.weight + pair.bias


def _gelu(state: "Floats") -> "Floats":
    import numpy as np

    erf = np.fromiter((math.erf(x) for x in (state / math.sqrt(2)).ravel()), np.float32, state.size)
    return 0.5 * state * (1 + erf.reshape(state.shape))
