# SPDX-License-Identifier: Apache-2.0
"""softmax(scale Q K' + mask) V, in whatever nodes: one attention op, which takes Q, K and V where they
lie. The moves between the projections and the products (heads to the front and back, repeated heads of
grouped queries, new keys behind those of a cache) are no work then."""

import dataclasses
import math

from tilewave.onnx_import.context import Match
from tilewave.onnx_import.lower_contrib import attend

# Between the first product and the softmax, and behind it.
STEPS = {"Mul", "Div", "Add", "Sub", "Where", "Cast", "Identity", "Dropout", "Reshape", "Max", "Min"}
VIEW_OPS = {"Reshape", "Squeeze", "Unsqueeze", "Identity", "Flatten", "Cast"}
PRODUCTS = {"MatMul", "FusedMatMul"}


@dataclasses.dataclass
class Trace:
    """Where an operand comes from, moves left out."""
    source: str
    nodes: list           # stepped past, from the product backwards
    cached: bool = False  # behind keys or values from outside
    elements: int = 0     # before heads were repeated


def find(context):
    candidates = []
    for node in context.graph.nodes:
        if node.op == "Softmax" and context.graph.known(*node.inputs, *node.outputs):
            shape = context.graph.shape(node.inputs[0])
            if node.attribute("axis", -1 if context.graph.opset >= 13 else 1) % len(shape) != len(
                    shape) - 1:
                continue
            candidate = _products(context, node)
            if candidate:
                candidates.append(candidate)
    # A move that all its readers take as a view is none. What another node reads too, stays.
    stepped = set()
    for scores, product, nodes in candidates:
        stepped |= {scores.index, product.index}
        for tensor in (*scores.inputs[:2], product.inputs[1]):
            trace = _trace(context, tensor, None)
            stepped |= {node.index for node in trace.nodes}
            # A rotary embedding turns each head wherever it lies: the moves before it are none either.
            if trace.source in context.rotary:
                before, turning = context.rotary[trace.source]
                stepped |= turning | {node.index for node in _trace(context, before, None).nodes}
    for scores, product, nodes in candidates:
        _claim(context, scores, product, nodes, stepped)


def _products(context, softmax):
    """(first product, second product, nodes between) of a softmax, or None."""
    up = _up(context.graph, softmax.inputs[0], 0)
    down = _down(context.graph, softmax.out)
    if up is None or down is None:
        return None
    scores, above = up
    product, below = down
    return scores, product, {softmax.index, scores.index, product.index, *above, *below}


def _up(graph, tensor, depth):
    """The product that made the scores and the nodes after it."""
    node = graph.producer.get(tensor)
    if node is None or graph.only_reader(tensor) is None or depth > 8:
        return None
    if node.op in PRODUCTS:
        varying = not any(graph.is_constant(t) for t in node.inputs[:2])
        return (node, set()) if varying else None
    if node.op not in STEPS:
        return None
    size = graph.elements(tensor)
    for operand in node.inputs:
        if not operand or graph.is_constant(operand) or not graph.known(operand):
            continue
        if graph.elements(operand) != size:
            continue  # a mask for all heads
        found = _up(graph, operand, depth + 1)
        if found:
            return found[0], {node.index, *found[1]}
    return None


def _down(graph, tensor):
    """The product that takes the probabilities, and the nodes before it."""
    nodes = set()
    for _ in range(8):
        node = graph.only_reader(tensor)
        if node is None:
            return None
        if node.op in PRODUCTS:
            right = node.inputs[0] == tensor and not graph.is_constant(node.inputs[1])
            return (node, nodes) if right else None
        if node.op not in STEPS or not node.outputs or graph.elements(node.out) != graph.elements(
                tensor):
            return None
        nodes.add(node.index)
        tensor = node.out
    return None


def _trace(context, tensor, allowed):
    """Steps back over moves. allowed: indices of nodes that may be passed; None: all that are moves."""
    graph, trace = context.graph, Trace(tensor, [], False, context.graph.elements(tensor))
    while True:
        node = graph.producer.get(trace.source)
        if node is None or (allowed is not None and node.index not in allowed):
            return trace
        step = _step(graph, node, trace)
        if step is None:
            return trace
        trace.nodes.append(node)
        trace.source = step
        if trace.cached:
            return trace


def _step(graph, node, trace):
    """The tensor before a move, or None if the node is none."""
    if not graph.known(*node.inputs, *node.outputs) or graph.is_constant(node.out):
        return None
    if node.op == "Transpose" or node.op in VIEW_OPS:
        return node.inputs[0]
    if node.op in ("Mul", "Div"):
        varying = [t for t in node.inputs if not graph.is_constant(t)]
        scale = [t for t in node.inputs if graph.is_scalar(t)]
        return varying[0] if len(varying) == 1 and scale else None
    if node.op in ("Expand", "Tile"):
        trace.elements = graph.elements(node.inputs[0])
        return node.inputs[0]
    if node.op == "Gather" and graph.is_scalar(node.inputs[1]):
        return node.inputs[0]  # one of Q, K, V that were made together
    if node.op == "Concat" and len(node.inputs) == 2 and node.inputs[0] in graph.inputs:
        trace.cached = True
        return node.inputs[1]
    return None


def _claim(context, scores, product, nodes, stepped):
    graph = context.graph
    traces = []
    for tensor in (scores.inputs[0], scores.inputs[1], product.inputs[1]):
        # New keys join a cache in its place, though the graph makes a new one of both.
        free = {node.index for node in _trace(context, tensor, None).nodes
                if _is_free(graph, node, stepped)}
        traces.append(_trace(context, tensor, free))
    shape_q, shape_k = graph.shape(scores.inputs[0]), graph.shape(scores.inputs[1])
    q_len, d = shape_q[-2:] if not scores.attribute("transA", 0) else shape_q[:-3:-1]
    kv_len = shape_k[-2] if scores.attribute("transB", 0) else shape_k[-1]
    v_d = graph.shape(product.out)[-1]
    together = math.prod(graph.shape(scores.out)[:-2])
    batch, heads = _heads(graph, scores, nodes, together)
    # The traces know how many keys there are before they were repeated for groups of heads.
    kv_heads = traces[1].elements // (batch * kv_len * d)
    if not kv_heads or heads % kv_heads or traces[2].elements != batch * kv_heads * kv_len * v_d:
        kv_heads = heads
    sizes = {"batch": batch, "heads": heads, "kv_heads": kv_heads, "q_len": q_len, "kv_len": kv_len,
             "head_dim": d, "v_head_dim": v_d}

    def emit(context):
        values = [None if trace.cached else context.value(trace.source) for trace in traces]
        attend(context, product, product.out, *values, **sizes)

    if context.claim(Match(product.index, nodes, emit)):
        for trace in [*traces, *_before_rotary(context, traces, stepped)]:
            context.views |= {node.index for node in trace.nodes if not context.is_claimed(node.index)}
        _take_output(context, product)


def _before_rotary(context, traces, stepped):
    for trace in traces:
        if trace.source in context.rotary:
            before = context.rotary[trace.source][0]
            free = {node.index for node in _trace(context, before, None).nodes
                    if _is_free(context.graph, node, stepped)}
            yield _trace(context, before, free)


def _is_free(graph, node, stepped):
    """Does nobody need the result of this move itself?"""
    if node.op in VIEW_OPS or node.op == "Gather":
        return True
    if node.op == "Concat":
        return True
    return all(reader in stepped for reader in graph.readers(node.out))


def _heads(graph, scores, nodes, together):
    """Sequences and heads. Old exports multiply all heads as one batch and reshape the scores."""
    shapes = [graph.shape(scores.out)] + [graph.shape(graph.nodes[i].out) for i in sorted(nodes)]
    for shape in shapes:
        if len(shape) >= 4 and math.prod(shape[:-2]) == together:
            return shape[0], math.prod(shape[1:-2])
    return 1, together


def _take_output(context, product):
    """The heads go back beside each other: the attention writes them so."""
    graph, tensor = context.graph, product.out
    node = graph.only_reader(tensor)
    while node is not None and node.op in VIEW_OPS:
        tensor = node.out
        node = graph.only_reader(tensor)
    if node is not None and node.op == "Transpose" and not context.is_claimed(node.index):
        rank = len(graph.shape(tensor))
        permutation = list(node.attribute("perm") or ())
        if rank in (3, 4) and sorted(permutation[-3:-1]) == [rank - 3, rank - 2] and (
                permutation[-1] == rank - 1):
            context.views.add(node.index)
