# SPDX-License-Identifier: Apache-2.0
"""Shapes of the ops of ONNX Runtime (domain com.microsoft) that the importer knows; their definitions:
docs/ContribOperators.md of microsoft/onnxruntime."""

SAME = {"BiasGelu", "FastGelu", "QuickGelu", "Gelu", "SimplifiedLayerNormalization", "LayerNormalization",
        "SkipLayerNormalization", "SkipSimplifiedLayerNormalization", "RotaryEmbedding", "BiasSoftmax",
        "DynamicQuantizeLinear", "QuantizeLinear", "DequantizeLinear", "QLinearAdd", "QLinearMul",
        "QLinearSigmoid", "QLinearLeakyRelu", "QLinearSoftmax"}


def contrib_shapes(node, graph):
    """[(shape, type) or None] of the outputs, or None if nothing is known."""
    if not node.inputs or node.inputs[0] not in graph.shapes:
        return None
    shape, kind = graph.shapes[node.inputs[0]], graph.types.get(node.inputs[0], 1)
    if node.op in SAME:
        outputs = [(shape, kind)] + [None] * (len(node.outputs) - 1)
        # The sum before the norm is the last output of Skip*.
        if node.op.startswith("Skip") and len(node.outputs) > 3:
            outputs[3] = (shape, kind)
        return outputs
    special = _SPECIAL.get(node.op)
    return special(node, graph, shape, kind) if special else None


def _fused_matmul(node, graph, shape, kind):
    if node.inputs[1] not in graph.shapes:
        return None
    a, b = list(shape), list(graph.shapes[node.inputs[1]])
    if len(a) < 2 or len(b) < 2:
        return None
    if node.attribute("transA", 0):
        a[-2:] = a[:-3:-1]
    if node.attribute("transB", 0):
        b[-2:] = b[:-3:-1]
    batch = a[:-2] if len(a) >= len(b) else b[:-2]
    return [((*batch, a[-2], b[-1]), kind)]


def _matmul_nbits(node, graph, shape, kind):
    return [((*shape[:-1], node.attribute("N")), kind)]


def _attention(node, graph, shape, kind):
    weights = graph.shapes.get(node.inputs[1])
    if weights is None or len(shape) != 3:
        return None
    sizes = node.attribute("qkv_hidden_sizes")
    return [((*shape[:2], sizes[2] if sizes else weights[-1] // 3), kind)] + [None] * 3


def _multi_head(node, graph, shape, kind):
    value = graph.shapes.get(node.input(2))
    if len(shape) != 3:
        return None
    width = value[-1] if value and len(value) == 3 else shape[-1]
    return [((*shape[:2], width), kind)] + [None] * 3


def _group_query(node, graph, shape, kind):
    heads, kv_heads = node.attribute("num_heads"), node.attribute("kv_num_heads")
    packed = not node.input(1)
    width = shape[-1] * heads // (heads + 2 * kv_heads) if packed else shape[-1]
    past = graph.shapes.get(node.input(3))
    present = None
    if past is not None and len(past) == 4:
        # The cache may be given as large as it will be, or grow by the new tokens.
        present = ((past[0], past[1], past[2] + shape[1], past[3]), kind)
    return [((*shape[:2], width), kind), present, present]


def _embed_layer_norm(node, graph, shape, kind):
    table = graph.shapes.get(node.input(2))
    return [((*shape, table[-1]), graph.types.get(node.input(2), 1))] if table else None


_SPECIAL = {"FusedMatMul": _fused_matmul, "MatMulNBits": _matmul_nbits, "Attention": _attention,
            "MultiHeadAttention": _multi_head, "GroupQueryAttention": _group_query,
            "EmbedLayerNormalization": _embed_layer_norm}
