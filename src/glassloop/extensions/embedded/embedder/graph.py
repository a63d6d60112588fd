"""The encoder as an ONNX graph of onnxruntime's fused operators: embeddings, attention, norms, pooling, unit length;
its matrices in eight bits.

Written node by node: no tracer and no torch. `onnx` is needed here only.
"""

from typing import TYPE_CHECKING, Any

from glassloop.extensions.embedded.embedder.bert import EPSILON, Bert, Pair

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

FUSED = "com.microsoft"
OPSET = 17
IR_VERSION = 9
BLOCKS = (128, 64, 32, 16)
"""Weights that share a scale: the largest that a matrix has a whole number of."""
INTEGERS = 4
"""onnxruntime's number for products of integers; else it would multiply floats, and be no quicker."""


class _Graph:
    """Nodes and weights as they are added. `exact`: matrices stay as they are."""

    def __init__(self, exact: bool) -> None:
        self.exact = exact
        self.nodes: list[Any] = []
        self.weights: list[Any] = []

    def weight(self, name: str, value: "NDArray[np.generic]") -> str:
        import numpy as np
        from onnx import numpy_helper

        self.weights.append(numpy_helper.from_array(np.ascontiguousarray(value), name))
        return name

    def add(self, operator: str, inputs: list[str], outputs: list[str], domain: str = "", **attributes: Any) -> str:
        from onnx import helper

        self.nodes.append(helper.make_node(operator, inputs, outputs, outputs[0], domain=domain, **attributes))
        return outputs[0]


def write_graph(bert: Bert, *, exact: bool = False) -> Any:
    """The model: `ids` and `mask` (batch by length, int32) to `vectors` (batch by hidden), each of length one.

    `exact`: in floats, for comparison; twice as slow.
    """
    from onnx import TensorProto, helper

    graph = _Graph(exact)
    norm = bert.norm("embeddings")
    state = graph.add(
        "EmbedLayerNormalization",
        [
            "ids",
            "",
            graph.weight("words", bert.words),
            graph.weight("places", bert.places),
            "",
            graph.weight("words.scale", norm.weight),
            graph.weight("words.shift", norm.bias),
            "mask",
        ],
        ["embedded", "lengths"],
        FUSED,
        epsilon=EPSILON,
    )
    for number in range(bert.layers):
        state = _add_layer(graph, bert, f"encoder.layer.{number}", state)
    _add_pooling(graph, state)
    shape, whole = ["batch", "length"], TensorProto.INT32
    made = helper.make_graph(
        graph.nodes,
        "encoder",
        [helper.make_tensor_value_info("ids", whole, shape), helper.make_tensor_value_info("mask", whole, shape)],
        [helper.make_tensor_value_info("vectors", TensorProto.FLOAT, ["batch", bert.hidden])],
        graph.weights,
    )
    opsets = [helper.make_opsetid("", OPSET), helper.make_opsetid(FUSED, 1)]
    return helper.make_model(made, opset_imports=opsets, ir_version=IR_VERSION)


def _add_layer(graph: _Graph, bert: Bert, layer: str, state: str) -> str:
    parts = [bert.dense(f"{layer}.attention.self.{name}") for name in ("query", "key", "value")]
    asked = [_add_product(graph, f"{layer}.part{number}", state, part) for number, part in enumerate(parts)]
    bias = graph.weight(f"{layer}.parts.bias", bert.attention(layer).bias)
    seen = graph.add("MultiHeadAttention", [*asked, bias, "lengths"], [f"{layer}.seen"], FUSED, num_heads=bert.heads)
    state = _add_sum(graph, bert, f"{layer}.attention.output", seen, state)
    wide = bert.dense(f"{layer}.intermediate.dense")
    grown = _add_product(graph, f"{layer}.grown", state, wide)
    bent = graph.add("BiasGelu", [grown, graph.weight(f"{layer}.grown.bias", wide.bias)], [f"{layer}.bent"], FUSED)
    return _add_sum(graph, bert, f"{layer}.output", bent, state)


def _add_sum(graph: _Graph, bert: Bert, name: str, value: str, state: str) -> str:
    """A dense layer whose result is added to the state and normed."""
    dense, norm = bert.dense(f"{name}.dense"), bert.norm(name)
    given = [
        _add_product(graph, f"{name}.product", value, dense),
        state,
        graph.weight(f"{name}.scale", norm.weight),
        graph.weight(f"{name}.shift", norm.bias),
        graph.weight(f"{name}.bias", dense.bias),
    ]
    return graph.add("SkipLayerNormalization", given, [f"{name}.state"], FUSED, epsilon=EPSILON)


def _add_product(graph: _Graph, name: str, value: str, dense: Pair) -> str:
    """The product with a matrix of eight bits: each block of a column has a scale of its own.

    The values are rounded to eight bits too, row by row. `quantize_dynamic` has one scale for the values of a whole
    batch, so that the vector of a text depends on its neighbours; here that is below 0.001 in the cosine.
    """
    import numpy as np

    if graph.exact:
        return graph.add("MatMul", [value, graph.weight(f"{name}.floats", dense.weight)], [name])
    rows, columns = dense.weight.shape
    block = next(size for size in BLOCKS if rows % size == 0)
    blocks = dense.weight.T.reshape(columns, rows // block, block)
    scales = np.maximum(np.abs(blocks).max(axis=2), np.finfo(np.float32).tiny) / np.float32(127)
    levels = np.clip(np.rint(blocks / scales[:, :, None]), -127, 127) + 128
    weights = [
        graph.weight(f"{name}.levels", levels.astype(np.uint8)),
        graph.weight(f"{name}.scales", scales.astype(np.float32).ravel()),
    ]
    sizes = {"K": rows, "N": columns, "bits": 8, "block_size": block, "accuracy_level": INTEGERS}
    return graph.add("MatMulNBits", [value, *weights], [name], FUSED, **sizes)


def _add_pooling(graph: _Graph, state: str) -> None:
    """The mean over the tokens that are no padding, made one long."""
    import numpy as np
    from onnx import TensorProto

    last, middle = graph.weight("last", np.array([2], np.int64)), graph.weight("middle", np.array([1], np.int64))
    share = graph.add("Cast", ["mask"], ["mask.float"], to=TensorProto.FLOAT)
    share = graph.add("Unsqueeze", [share, last], ["mask.wide"])
    kept = graph.add("Mul", [state, share], ["kept"])
    summed = graph.add("ReduceSum", [kept, middle], ["summed"], keepdims=0)
    counted = graph.add("ReduceSum", [share, middle], ["counted"], keepdims=0)
    mean = graph.add("Div", [summed, counted], ["mean"])
    graph.add("LpNormalization", [mean], ["vectors"], axis=1, p=2)
