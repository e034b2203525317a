# SPDX-License-Identifier: Apache-2.0
"""Fused ops of ONNX Runtime, and the Attention op of newer opsets."""

import math

from tilewave.onnx_import.builder import Value
from tilewave.onnx_import.lower_norm import normalize
from tilewave.onnx_import.lower_pointwise import activation
from tilewave.onnx_import.registry import lowers


@lowers("SkipLayerNormalization", "SkipSimplifiedLayerNormalization")
def lower_skip_norm(context, node):
    graph, builder = context.graph, context.builder
    shape = graph.shape(node.inputs[0])
    elements = math.prod(shape)
    name = context.name_of(node)
    op = builder.open_op(node.inputs[0])
    other = builder.value(node.inputs[1])
    total = node.outputs[3] if len(node.outputs) > 3 else ""
    out = total or name + "/sum"
    graph.shapes.setdefault(out, shape)
    if op is None or not builder.fuse(op, "residual", out, other):
        builder.add("elementwise", name + "/sum", out,
                    [context.read(node.inputs[0], elements), context.read(node.inputs[1])], kind="add",
                    elements=elements, operands=2)
    kind = "layernorm" if node.op == "SkipLayerNormalization" else "rmsnorm"
    normalize(context, node, kind, elements // shape[-1], shape[-1], out)


@lowers("EmbedLayerNormalization")
def lower_embed_norm(context, node):
    graph, builder = context.graph, context.builder
    name, (batch, length, width) = context.name_of(node), graph.shape(node.out)
    tokens, value = batch * length, None
    for part, table, ids in (("words", 2, 0), ("positions", 3, None), ("segments", 4, 1)):
        if not node.input(table):
            continue
        rows = length if ids is None else tokens
        op = builder.add("embedding", f"{name}/{part}", None, [(None, rows)], rows=rows, width=width,
                         table_rows=graph.shape(node.input(table))[0])
        made = Value(op["name"], rows * width, rows * width)
        if value is None:
            value = made
            continue
        op = builder.add("elementwise", f"{name}/add_{part}", None,
                         [(value, tokens * width), (made, rows * width)], kind="add",
                         elements=tokens * width, operands=2,
                         second_elements=rows * width if rows != tokens else None)
        value = Value(op["name"], tokens * width, tokens * width)
    builder.add("layernorm", name, node.out, [(value, tokens * width)], rows=tokens, cols=width)


@lowers("BiasGelu")
def lower_bias_gelu(context, node):
    op = context.builder.open_op(node.inputs[0])
    if op is not None and "bias" not in op["epilogue"] and "gelu" not in op["epilogue"]:
        context.builder.fuse(op, "bias", node.out)
        context.builder.fuse(op, "gelu", node.out)
        return
    activation(context, node, node.inputs[0], node.out, "gelu")


@lowers("RotaryEmbedding")
def lower_rotary(context, node):
    shape = context.graph.shape(node.inputs[0])
    heads = node.attribute("num_heads", 0)
    width = shape[-1] if len(shape) == 4 or not heads else shape[-1] // heads
    rotary(context, node, node.inputs[0], node.out, width)


def rotary(context, node, tensor, out, width):
    elements = context.graph.elements(out)
    context.builder.add("rotary", context.name_of(node), out, [context.read(tensor, elements)],
                        rows=elements // width, cols=width)


@lowers("MatMulNBits")
def lower_matmul_nbits(context, node):
    shape = context.graph.shape(node.inputs[0])
    bits = node.attribute("bits", 4)
    context.builder.add(
        "gemm", context.name_of(node), node.out, [context.read(node.inputs[0])],
        m=math.prod(shape[:-1]), n=node.attribute("N"), k=node.attribute("K"), transpose_b=True,
        dtype="int4_weight_only" if bits <= 4 else "int8_weight_only", epilogue=[])


def attend(context, node, out, q, k, v, **sizes):
    """q, k, v: Values. The keys and values that a cache adds come from outside."""
    batch, heads, kv_heads = sizes["batch"], sizes["heads"], sizes["kv_heads"]
    q_len, kv_len, d, v_d = (sizes["q_len"], sizes["kv_len"], sizes["head_dim"], sizes["v_head_dim"])
    context.builder.add(
        "attention", context.name_of(node), out,
        [(q, batch * heads * q_len * d), (k, batch * kv_heads * kv_len * d),
         (v, batch * kv_heads * kv_len * v_d)],
        batch=batch, heads=heads,
        kv_heads=kv_heads if kv_heads != heads else None, q_len=q_len,
        kv_len=kv_len if kv_len != q_len else None, head_dim=d,
        v_head_dim=v_d if v_d != d else None)


@lowers("MultiHeadAttention", "GroupQueryAttention", "Attention")
def lower_attention(context, node):
    if node.op == "Attention" and node.domain == "com.microsoft":
        _projected_attention(context, node)
        return
    graph = context.graph
    query = graph.shape(node.inputs[0])
    if node.op == "Attention" and len(query) == 4:
        batch, heads, q_len, d = query
        key, value = graph.shape(node.inputs[1]), graph.shape(node.inputs[2])
        kv_heads, kv_len, v_d = key[1], key[2], value[3]
    elif len(query) == 3:
        heads = node.attribute("num_heads") or node.attribute("q_num_heads")
        kv_heads = node.attribute("kv_num_heads") or heads
        batch, q_len, width = query
        packed = not node.input(1)
        d = width // (heads + 2 * kv_heads) if packed else width // heads
        key = graph.shape(node.inputs[1]) if not packed else query
        kv_len = key[1] if len(key) == 3 else key[-2]
        v_d = graph.elements(node.out) // (batch * q_len * heads)
    else:
        context.note_unknown(node)
        return
    past = {"MultiHeadAttention": 6, "GroupQueryAttention": 3, "Attention": 4}[node.op]
    cached = bool(node.input(past))
    if cached:
        kv_len += graph.shape(node.input(past))[-2]
    q = context.value(node.inputs[0])
    k = None if cached else (context.value(node.inputs[1]) if node.input(1) else q)
    v = None if cached else (context.value(node.inputs[2]) if node.input(2) else q)
    if node.attribute("do_rotary", 0):
        context.note("rotary embeddings inside GroupQueryAttention take no time")
    attend(context, node, node.out, q, k, v, batch=batch, heads=heads, kv_heads=kv_heads, q_len=q_len,
           kv_len=kv_len, head_dim=d, v_head_dim=v_d)


def _projected_attention(context, node):
    """ONNX Runtime's Attention: the projection to Q, K and V is part of it."""
    graph = context.graph
    batch, length, width = graph.shape(node.inputs[0])
    columns = graph.shape(node.inputs[1])[-1]
    heads, out = node.attribute("num_heads"), graph.shape(node.out)[-1]
    op = context.builder.add(
        "gemm", context.name_of(node) + "/qkv", None, [context.read(node.inputs[0])],
        m=batch * length, n=columns, k=width, epilogue=["bias"] if node.input(2) else [])
    made = batch * length * columns
    value = Value(op["name"], made, made)
    past = graph.shape(node.input(4))[-2] if node.input(4) else 0
    attend(context, node, node.out, value, None if past else value, None if past else value,
           batch=batch, heads=heads, kv_heads=heads, q_len=length, kv_len=length + past,
           head_dim=(columns - out) // 2 // heads, v_head_dim=out // heads)
