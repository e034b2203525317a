# SPDX-License-Identifier: Apache-2.0
"""Products."""

import math

from tilewave.onnx_import.lower_conv import macs_dtype
from tilewave.onnx_import.registry import lowers


@lowers("Gemm")
def lower_gemm(context, node):
    graph = context.graph
    a, b = node.inputs[:2]
    epilogue = []
    if node.attribute("alpha", 1.0) != 1.0:
        epilogue.append("scale")
    if node.input(2):
        epilogue.append("bias")
    shape_a, shape_b = list(graph.shape(a)), list(graph.shape(b))
    product(context, node, a, b, shape_a, shape_b, node.attribute("transA", 0),
            node.attribute("transB", 0), epilogue)


@lowers("MatMul", "FusedMatMul")
def lower_matmul(context, node):
    a, b = node.inputs[:2]
    shape_a, shape_b = list(context.graph.shape(a)), list(context.graph.shape(b))
    epilogue = ["scale"] if node.attribute("alpha", 1.0) != 1.0 else []
    product(context, node, a, b, shape_a, shape_b, node.attribute("transA", 0),
            node.attribute("transB", 0), epilogue)


def product(context, node, a, b, shape_a, shape_b, trans_a, trans_b, epilogue, dtype=None):
    """A times B with the last two axes as matrices and NumPy's broadcasting of the others."""
    graph, builder = context.graph, context.builder
    dtype = dtype or macs_dtype(context, a, b)
    value_a = builder.value(a) if dtype else context.value(a)
    value_b = builder.value(b) if dtype else context.value(b)
    if len(shape_a) == 1:
        shape_a = [1, *shape_a]
    if len(shape_b) == 1:
        shape_b = [*shape_b, 1]
    if trans_a:
        shape_a[-2:] = shape_a[:-3:-1]
    if trans_b:
        shape_b[-2:] = shape_b[:-3:-1]
    # A transpose that was taken as a view: the data lie the other way round.
    trans_a = bool(trans_a) != value_a.transposed
    trans_b = bool(trans_b) != value_b.transposed
    (m, k), n = shape_a[-2:], shape_b[-1]
    if shape_b[-2] != k:
        context.fail(node, f"multiplies {m} x {k} by {shape_b[-2]} x {n}")
    batch_a, batch_b = math.prod(shape_a[:-2]), math.prod(shape_b[:-2])
    batch = _batch(shape_a[:-2], shape_b[:-2])
    if graph.is_constant(a) and not graph.is_constant(b):
        # Weights on the left: the transposed product has them on the right.
        if batch_a == 1:
            _emit(context, node, value_b, None, batch * n, m, k, 1, not trans_b, not trans_a, epilogue,
                  dtype)
        else:
            _emit(context, node, value_b, None, n, m, k, batch, not trans_b, not trans_a, epilogue,
                  dtype)
        return
    weights = graph.is_constant(b)
    if batch_b == 1:
        # Matrices that share B are one taller one, unless they lie transposed.
        if trans_a and batch_a > 1:
            _emit(context, node, value_a, None if weights else value_b, m, n, k, batch, trans_a,
                  trans_b, epilogue, dtype)
        else:
            _emit(context, node, value_a, None if weights else value_b, batch * m, n, k, 1, trans_a,
                  trans_b, epilogue, dtype)
        return
    _emit(context, node, value_a, None if weights else value_b, m, n, k, batch, trans_a, trans_b,
          epilogue, dtype)


def _batch(a, b):
    a, b = [1] * (len(b) - len(a)) + a, [1] * (len(a) - len(b)) + b
    return math.prod(max(x, y) for x, y in zip(a, b))


def _emit(context, node, value_a, value_b, m, n, k, batch, trans_a, trans_b, epilogue, dtype):
    reads = [(value_a, batch * m * k)]
    if value_b is not None:
        reads.append((value_b, batch * k * n))
    context.builder.add(
        "gemm", context.name_of(node), node.out, reads, dtype=dtype, m=m, n=n, k=k,
        batch=batch if batch > 1 else None, transpose_a=trans_a or None, transpose_b=trans_b or None,
        b_is_activation=True if value_b is not None else None, epilogue=list(epilogue))


@lowers("Einsum")
def lower_einsum(context, node):
    graph = context.graph
    equation = node.attribute("equation", "").replace(" ", "")
    terms, arrow, result = equation.partition("->")
    parts = terms.split(",")
    if len(parts) != 2 or not arrow or "." in equation or any(
            len(set(part)) != len(part) for part in (*parts, result)):
        context.note_unknown(node)
        return
    sizes = {}
    for part, tensor in zip(parts, node.inputs):
        sizes.update(zip(part, graph.shape(tensor)))
    left, right = set(parts[0]), set(parts[1])

    def count(labels):
        return math.prod(sizes[label] for label in labels)

    kept = set(result)
    # A label that only one operand has and the result lacks is a sum of that operand, done before.
    batch, m = count(left & right & kept), count(left - right)
    n, k = count(right - left), count((left & right) - kept)
    values = [context.value(tensor) for tensor in node.inputs]
    if graph.is_constant(node.inputs[0]):
        m, n, values = n, m, values[::-1]
        weights = not graph.is_constant(node.inputs[1])
    else:
        weights = graph.is_constant(node.inputs[1])
    elements = batch * m * n
    if k == 1 and not (left & right) - kept:
        context.builder.add("elementwise", context.name_of(node), node.out,
                            [(values[0], elements), (values[1], values[1].elements)], kind="mul",
                            elements=elements, operands=2,
                            second_elements=values[1].elements if values[1].elements != elements
                            else None)
        return
    _emit(context, node, values[0], None if weights else values[1], m, n, k, batch, False, False, [],
          None)
