# SPDX-License-Identifier: Apache-2.0
"""Activations in single nodes: GELU (with erf or tanh), SiLU, hard swish."""

from tilewave.onnx_import.context import Match
from tilewave.onnx_import.lower_pointwise import activation

MOST_INNER = 8  # nodes of the polynomial inside a tanh


def find(context):
    graph = context.graph
    for node in graph.nodes:
        if not graph.known(*node.inputs, *node.outputs):
            continue
        if node.op in ("Erf", "Tanh"):
            _match_gelu(context, node)
        elif node.op in ("Sigmoid", "HardSigmoid", "Softplus"):
            _match_swish(context, node)
        elif node.op == "Clip":
            _match_hard_swish(context, node)


def _varying(graph, node):
    return [tensor for tensor in node.inputs if tensor and not graph.is_constant(tensor)]


def _before(graph, tensor, ops):
    """(x, nodes): the nodes of `ops` with constants that make the tensor of one x."""
    nodes, todo, roots = set(), [tensor], set()
    # x itself may be made by such a node: it is where the ways meet, the tensor read several times.
    while todo:
        current = todo.pop()
        node = graph.producer.get(current)
        several = len(graph.readers(current)) > 1
        if node is None or node.op not in ops or len(nodes) >= MOST_INNER or (
                several and not all(r in nodes for r in graph.readers(current))):
            roots.add(current)
            continue
        nodes.add(node.index)
        todo += _varying(graph, node)
    return roots, nodes


def _claim(context, last, nodes, x, kind):
    context.claim(Match(last.index, nodes | {last.index}, lambda c: activation(
        c, last, x, last.out, kind, besides=nodes | {last.index})))


def _match_gelu(context, function):
    """x * (1 + f(inner of x)) * 0.5 in any order."""
    graph = context.graph
    ops = {"Mul", "Div"} if function.op == "Erf" else {"Mul", "Add", "Pow", "Div"}
    roots, inner = _before(graph, function.inputs[0], ops)
    # The ways inside a tanh meet in x: what they find before it belongs to the product before.
    if not inner:
        return
    nodes, last = {function.index}, graph.only_reader(function.out)
    if last is None or last.op != "Add" or len(_varying(graph, last)) != 1:
        return
    nodes.add(last.index)
    x = None
    halved = None
    while True:
        reader = graph.only_reader(last.out)
        if reader is None or reader.op not in ("Mul", "Div"):
            break
        others = [t for t in reader.inputs if t != last.out]
        if len(others) != 1:
            break
        if graph.is_constant(others[0]):
            if x is not None and (halved or not graph.is_scalar(others[0])):
                break  # a scale that is not the GELU's
            halved = True
        elif x is None:
            x = others[0]
            before = graph.producer.get(x)
            if x not in roots and before is not None and before.op in ("Mul", "Div"):
                inputs = _varying(graph, before)
                if len(inputs) == 1 and inputs[0] in roots:
                    nodes.add(before.index)  # 0.5 x
                    x, halved = inputs[0], True
        else:
            break
        nodes.add(reader.index)
        last = reader
    if x is None or roots != {x}:
        return
    _claim(context, last, nodes | inner, x, "gelu")


def _match_swish(context, function):
    """x * sigmoid(x), also with a factor inside."""
    graph = context.graph
    x, nodes = function.inputs[0], {function.index}
    last = graph.only_reader(function.out)
    if function.op == "Softplus":  # mish: x * tanh(softplus(x))
        if last is None or last.op != "Tanh":
            return
        nodes.add(last.index)
        last = graph.only_reader(last.out)
    if last is None or last.op != "Mul":
        return
    kind = "hard_swish" if function.op == "HardSigmoid" else "silu"
    if x in last.inputs:
        _claim(context, last, nodes, x, kind)
        return
    scale = graph.producer.get(x)
    if scale is not None and scale.op == "Mul" and len(_varying(graph, scale)) == 1:
        x = _varying(graph, scale)[0]
        if x in last.inputs:
            _claim(context, last, nodes | {scale.index}, x, kind)


def _match_hard_swish(context, clip):
    """x * clip(x + 3, 0, 6) / 6, the division before or after."""
    graph = context.graph
    add = graph.producer.get(clip.inputs[0])
    if add is None or add.op != "Add" or len(_varying(graph, add)) != 1:
        return
    x, nodes = _varying(graph, add)[0], {clip.index, add.index}
    last, multiplied, divided = clip, False, False
    while not (multiplied and divided):
        reader = graph.only_reader(last.out)
        if reader is None:
            break
        if reader.op == "Mul" and x in reader.inputs and not multiplied:
            multiplied = True
        elif reader.op in ("Div", "Mul") and not divided and any(
                graph.is_scalar(t) for t in reader.inputs):
            divided = True
        else:
            break
        nodes.add(reader.index)
        last = reader
    if divided:
        _claim(context, last, nodes, x, "hard_swish" if multiplied else "hard_sigmoid")
