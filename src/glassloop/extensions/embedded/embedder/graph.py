"""A BERT encoder, read from safetensors and written as an ONNX graph of onnxruntime's fused operators: embeddings,
attention, norms, pooling, unit length; its matrices in eight bits.

Written node by node: no tracer and no torch. Imports `onnx` and numpy, so only the conversion imports it.
"""

import json
import struct
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

from glassloop.core.errors import UsageError

Floats = NDArray[np.float32]

EPSILON = 1e-12
MAX_HEADER_BYTES = 10_000_000
FUSED = "com.microsoft"
OPSET = 17
IR_VERSION = 9
BLOCKS = (128, 64, 32, 16)
"""Weights that share a scale: the largest that a matrix has a whole number of."""
INTEGERS = 4
"""onnxruntime's number for products of integers; else it would multiply floats, and be no quicker."""


class Pair(NamedTuple):
    """A weight and a bias."""

    weight: Floats
    bias: Floats


class Bert:
    """An encoder by its tensors; `heads` is not written in them."""

    def __init__(self, tensors: Mapping[str, Floats], heads: int) -> None:
        self._tensors = tensors
        self.heads = heads
        self.layers = 1 + max(int(name.split(".")[2]) for name in tensors if name.startswith("encoder.layer."))
        self.words = tensors["embeddings.word_embeddings.weight"]
        self.hidden = self.words.shape[1]
        kinds = tensors["embeddings.token_type_embeddings.weight"]
        # With the embedding of the first kind of segment in them: there is no second one here.
        self.places: Floats = tensors["embeddings.position_embeddings.weight"] + kinds[0]

    def norm(self, name: str) -> Pair:
        return Pair(self._tensors[f"{name}.LayerNorm.weight"], self._tensors[f"{name}.LayerNorm.bias"])

    def dense(self, name: str) -> Pair:
        """Weights as they are multiplied from the right, and the bias."""
        return Pair(self._tensors[f"{name}.weight"].T, self._tensors[f"{name}.bias"])


def read_tensors(path: Path) -> dict[str, Floats]:
    """The float32 tensors of a safetensors file by name, as views of the file; others are passed over."""
    try:
        raw = np.memmap(path, np.uint8, "r")
        (length,) = struct.unpack("<Q", raw[:8].tobytes())
        if length > MAX_HEADER_BYTES:
            raise ValueError(f"a header of {length:,} bytes")
        header = cast("dict[str, Any]", json.loads(raw[8 : 8 + length].tobytes()))
        found: dict[str, Floats] = {}
        for name, entry in header.items():
            if entry.get("dtype") == "F32":
                begin, end = (8 + length + place for place in entry["data_offsets"])
                found[name] = raw[begin:end].view(np.float32).reshape(entry["shape"])
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError, struct.error) as error:
        raise UsageError(f"{path.name} is no safetensors file: {error}.") from error
    return found


def write_graph(bert: Bert, *, exact: bool = False) -> bytes:
    """The model: `ids` and `mask` (batch by length, int32) to `vectors` (batch by hidden), each of length one.

    `exact`: in floats, for comparison; twice as slow.
    """
    graph = _Graph(bert, exact)
    scale, shift = bert.norm("embeddings")
    weights = {"words": bert.words, "places": bert.places, "words.scale": scale, "words.shift": shift}
    words, places, *norm = (graph.weight(name, value) for name, value in weights.items())
    outputs = ["embedded", "lengths"]
    state = graph.add(
        "EmbedLayerNormalization", ["ids", "", words, places, "", *norm, "mask"], outputs, FUSED, epsilon=EPSILON
    )
    for number in range(bert.layers):
        state = graph.add_layer(f"encoder.layer.{number}", state)
    graph.add_pooling(state)
    made = helper.make_graph(
        graph.nodes,
        "encoder",
        [helper.make_tensor_value_info(name, TensorProto.INT32, ["batch", "length"]) for name in ("ids", "mask")],
        [helper.make_tensor_value_info("vectors", TensorProto.FLOAT, ["batch", bert.hidden])],
        graph.weights,
    )
    opsets = [helper.make_opsetid("", OPSET), helper.make_opsetid(FUSED, 1)]
    return helper.make_model(made, opset_imports=opsets, ir_version=IR_VERSION).SerializeToString()


class _Graph:
    """Nodes and weights as they are added; each method gives the name of what it added."""

    def __init__(self, bert: Bert, exact: bool) -> None:
        self._bert = bert
        self._exact = exact
        self.nodes: list[Any] = []
        self.weights: list[Any] = []

    def weight(self, name: str, value: NDArray[np.generic]) -> str:
        self.weights.append(numpy_helper.from_array(np.ascontiguousarray(value), name))
        return name

    def add(self, operator: str, inputs: list[str], outputs: list[str], domain: str = "", **attributes: Any) -> str:
        self.nodes.append(helper.make_node(operator, inputs, outputs, outputs[0], domain=domain, **attributes))
        return outputs[0]

    def add_layer(self, layer: str, state: str) -> str:
        bert = self._bert
        parts = [bert.dense(f"{layer}.attention.self.{name}") for name in ("query", "key", "value")]
        asked = [self._add_product(f"{layer}.part{number}", state, part) for number, part in enumerate(parts)]
        bias = self.weight(f"{layer}.parts.bias", np.concatenate([part.bias for part in parts]))
        inputs = [*asked, bias, "lengths"]
        seen = self.add("MultiHeadAttention", inputs, [f"{layer}.seen"], FUSED, num_heads=bert.heads)
        state = self._add_sum(f"{layer}.attention.output", seen, state)
        wide = bert.dense(f"{layer}.intermediate.dense")
        grown = self._add_product(f"{layer}.grown", state, wide)
        bent = self.add("BiasGelu", [grown, self.weight(f"{layer}.grown.bias", wide.bias)], [f"{layer}.bent"], FUSED)
        return self._add_sum(f"{layer}.output", bent, state)

    def _add_sum(self, name: str, value: str, state: str) -> str:
        """A dense layer whose result is added to the state and normed."""
        dense, norm = self._bert.dense(f"{name}.dense"), self._bert.norm(name)
        weights = {"scale": norm.weight, "shift": norm.bias, "bias": dense.bias}
        given = [self.weight(f"{name}.{kind}", weight) for kind, weight in weights.items()]
        product = self._add_product(f"{name}.product", value, dense)
        return self.add("SkipLayerNormalization", [product, state, *given], [f"{name}.state"], FUSED, epsilon=EPSILON)

    def _add_product(self, name: str, value: str, dense: Pair) -> str:
        """The product with a matrix of eight bits: each block of a column has a scale of its own.

        The values are rounded to eight bits too, row by row. `quantize_dynamic` has one scale for the values of a whole
        batch, so that the vector of a text depends on its neighbours; here that is below 0.001 in the cosine.
        """
        if self._exact:
            return self.add("MatMul", [value, self.weight(f"{name}.floats", dense.weight)], [name])
        rows, columns = dense.weight.shape
        block = next(size for size in BLOCKS if rows % size == 0)
        blocks = dense.weight.T.reshape(columns, rows // block, block)
        scales = np.maximum(np.abs(blocks).max(axis=2), np.finfo(np.float32).tiny) / np.float32(127)
        levels = np.clip(np.rint(blocks / scales[:, :, None]), -127, 127) + 128
        weights = [
            self.weight(f"{name}.levels", levels.astype(np.uint8)),
            self.weight(f"{name}.scales", scales.astype(np.float32).ravel()),
        ]
        sizes = {"K": rows, "N": columns, "bits": 8, "block_size": block, "accuracy_level": INTEGERS}
        return self.add("MatMulNBits", [value, *weights], [name], FUSED, **sizes)

    def add_pooling(self, state: str) -> None:
        """The mean over the tokens that are no padding, made one long."""
        last, middle = self.weight("last", np.array([2], np.int64)), self.weight("middle", np.array([1], np.int64))
        share = self.add("Cast", ["mask"], ["mask.float"], to=TensorProto.FLOAT)
        share = self.add("Unsqueeze", [share, last], ["mask.wide"])
        kept = self.add("Mul", [state, share], ["kept"])
        summed = self.add("ReduceSum", [kept, middle], ["summed"], keepdims=0)
        counted = self.add("ReduceSum", [share, middle], ["counted"], keepdims=0)
        mean = self.add("Div", [summed, counted], ["mean"])
        self.add("LpNormalization", [mean], ["vectors"], axis=1, p=2)
