# SPDX-License-Identifier: Apache-2.0
"""x cos + turned(x) sin, where turned(x) = [-x2, x1] of the halves of x: a rotary embedding."""

from tilewave.onnx_import.context import Match
from tilewave.onnx_import.lower_contrib import rotary


def find(context):
    graph = context.graph
    for node in graph.nodes:
        if node.op == "Add" and len(node.inputs) == 2 and graph.known(node.out):
            _match(context, node)


def _match(context, add):
    graph = context.graph
    products = [graph.producer.get(tensor) for tensor in add.inputs]
    if any(p is None or p.op != "Mul" or graph.only_reader(p.out) is not add for p in products):
        return
    for straight, turned in (products, products[::-1]):
        for tensor in turned.inputs:
            found = _turned(graph, tensor)
            if found and found[0] in straight.inputs:
                x, nodes = found
                nodes |= {add.index, straight.index, turned.index}
                width = graph.shape(add.out)[-1]
                if context.claim(Match(add.index, nodes, lambda c, x=x, w=width: rotary(
                        c, add, x, add.out, w))):
                    context.rotary[add.out] = x, nodes
                return


def _turned(graph, tensor):
    """(x, nodes) of Concat(Neg(second half), first half), or None."""
    concat = graph.producer.get(tensor)
    if concat is None or concat.op != "Concat" or len(concat.inputs) != 2:
        return None
    negative = graph.producer.get(concat.inputs[0])
    if negative is None or negative.op != "Neg":
        return None
    nodes, sources = {concat.index, negative.index}, []
    for half in (negative.inputs[0], concat.inputs[1]):
        part = graph.producer.get(half)
        if part is None or part.op not in ("Slice", "Split"):
            return None
        nodes.add(part.index)
        sources.append(part.inputs[0])
    return (sources[0], nodes) if sources[0] == sources[1] else None
