"""Builds the ONNX graph of multilingual-e5-small with 8-bit arithmetic from its weights.

The graph takes the summed embedding rows, so that the largest table never enters the runtime, and returns the last
hidden states. Each matrix product quantises its activations per call; weights are quantised per output, to 7 bits.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray

from extractors.embedders.e5_weights import E5Weights

INPUT = "embeddings"
OUTPUT = "hidden"

_RUNTIME_DOMAIN = "com.microsoft"  # operators that only onnxruntime has
_OPSET = 18
_IR_VERSION = 9
# 127 would be 8 bits. AVX2 without VNNI adds pairs of 8-bit products in 16 bits and saturates: 2 * 255 * 63 < 2**15.
_WEIGHT_LEVELS = 63
# GELU is never below -0.17, so after division by max(row's maximum, 0.17) every value lies within [-1, 1].
_GELU_DEPTH = np.float32(0.17)


def build_e5_graph(weights: E5Weights) -> bytes:
    """Return the serialised model: ``embeddings`` (1, tokens, hidden) to ``hidden`` (1, tokens, hidden)."""
    shape = weights.shape
    graph = _Graph(weights)
    hidden = graph.layer_norm(INPUT, "emb.ln")
    for layer in range(shape.layers):
        hidden = _encoder_layer(graph, f"l{layer}.", hidden)
    graph.node("Identity", [hidden], output=OUTPUT)
    return graph.serialised()


def _encoder_layer(graph: _Graph, prefix: str, hidden: str) -> str:
    shape = graph.weights.shape
    joined = graph.linear(hidden, [prefix + "q", prefix + "k", prefix + "v"], shape.hidden)
    graph.split_in_three(joined, prefix)
    attended = graph.node(
        "MultiHeadAttention",
        [prefix + "query", prefix + "key", prefix + "value"],
        domain=_RUNTIME_DOMAIN,
        num_heads=shape.heads,
    )
    projected = graph.linear(attended, [prefix + "ao"], shape.hidden)
    hidden = graph.layer_norm(graph.node("Add", [projected, hidden]), prefix + "aln")

    widened = graph.linear(hidden, [prefix + "fi"], shape.hidden, bias=False)
    activated = graph.node("BiasGelu", [widened, graph.bias([prefix + "fi"])], domain=_RUNTIME_DOMAIN)
    narrowed = _scaled_linear(graph, activated, prefix + "fo")
    return graph.layer_norm(graph.node("Add", [narrowed, hidden]), prefix + "oln")


def _scaled_linear(graph: _Graph, activated: str, name: str) -> str:
    """Multiply with each token scaled to [-1, 1] first.

    The operator quantises a whole tensor with one scale, and this model has a few tokens of massive activations here
    (Sun et al. 2024, arXiv:2402.17762), next to which every other token would round to nothing.
    """
    largest = graph.node("ReduceMax", [activated, graph.constant("last_axis", np.array([-1], np.int64))], keepdims=1)
    scale = graph.node("Max", [largest, graph.constant("gelu_depth", _GELU_DEPTH)])
    scaled = graph.node("Div", [activated, scale])
    product = graph.linear(scaled, [name], graph.weights.shape.feed_forward, bias=False)
    return graph.node("Add", [graph.node("Mul", [product, scale]), graph.bias([name])])


class _Graph:
    """Collects nodes and constants; every method returns the name of the value that it makes."""

    def __init__(self, weights: E5Weights) -> None:
        self.weights = weights
        self._nodes: list[onnx.NodeProto] = []
        self._constants: dict[str, onnx.TensorProto] = {}

    def constant(self, name: str, value: NDArray[Any] | np.float32) -> str:
        if name not in self._constants:
            self._constants[name] = onnx.numpy_helper.from_array(np.ascontiguousarray(value), name)
        return name

    def node(self, operator: str, inputs: list[str], *, domain: str = "", output: str = "", **attributes: Any) -> str:
        output = output or f"{operator}_{len(self._nodes)}"
        self._nodes.append(onnx.helper.make_node(operator, inputs, [output], domain=domain, **attributes))
        return output

    def split_in_three(self, joined: str, prefix: str) -> None:
        outputs = [prefix + "query", prefix + "key", prefix + "value"]
        self._nodes.append(onnx.helper.make_node("Split", [joined], outputs, axis=-1, num_outputs=3))

    def bias(self, names: list[str]) -> str:
        values = np.concatenate([self.weights.vector(name + ".b") for name in names])
        return self.constant("+".join(names) + ".bias", values)

    def layer_norm(self, value: str, name: str) -> str:
        scale = self.constant(name + ".scale", self.weights.vector(name + ".w"))
        shift = self.constant(name + ".shift", self.weights.vector(name + ".b"))
        return self.node("LayerNormalization", [value, scale, shift], axis=-1, epsilon=self.weights.shape.epsilon)

    def linear(self, value: str, names: list[str], inputs: int, *, bias: bool = True) -> str:
        """Multiply ``value`` with the matrices ``names`` side by side, in 8-bit arithmetic."""
        matrix = np.concatenate([self.weights.matrix(name + ".w", inputs) for name in names]).T
        scale = (np.abs(matrix).max(axis=0) / _WEIGHT_LEVELS).astype(np.float32)
        label = "+".join(names)
        operands = [
            value,
            self.constant(label + ".weight", np.rint(matrix / scale).astype(np.int8)),
            self.constant(label + ".weight_scale", scale),
            self.constant(label + ".weight_zero", np.zeros(len(scale), np.int8)),
        ]
        if bias:
            operands.append(self.bias(names))
        return self.node("DynamicQuantizeMatMul", operands, domain=_RUNTIME_DOMAIN)

    def serialised(self) -> bytes:
        sides: list[str | int | None] = [1, "tokens", self.weights.shape.hidden]
        graph = onnx.helper.make_graph(
            self._nodes,
            "multilingual-e5-small",
            [onnx.helper.make_tensor_value_info(INPUT, onnx.TensorProto.FLOAT, sides)],
            [onnx.helper.make_tensor_value_info(OUTPUT, onnx.TensorProto.FLOAT, sides)],
            initializer=list(self._constants.values()),
        )
        operator_sets = [onnx.helper.make_opsetid("", _OPSET), onnx.helper.make_opsetid(_RUNTIME_DOMAIN, 1)]
        model = onnx.helper.make_model(graph, opset_imports=operator_sets, ir_version=_IR_VERSION)
        serialised: bytes = model.SerializeToString()
        return serialised
