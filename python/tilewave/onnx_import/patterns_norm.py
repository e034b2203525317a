# SPDX-License-Identifier: Apache-2.0
"""Layer norms and RMS norms in single nodes, as exporters write them below opset 17."""

from tilewave.onnx_import.context import Match
from tilewave.onnx_import.lower_norm import normalize


def find(context):
    for node in context.graph.nodes:
        if node.op == "Sqrt" and context.graph.known(node.out):
            _match(context, node)


def _maker(graph, tensor, *ops):
    node = graph.producer.get(tensor)
    return node if node is not None and node.op in ops else None


def _last_axis_mean(graph, node):
    """Is it a mean over the last axis?"""
    if node is None or node.op != "ReduceMean" or not graph.known(node.inputs[0]):
        return False
    rank = len(graph.shape(node.inputs[0]))
    axes = node.attribute("axes")
    if axes is None and node.input(1) in graph.data:
        axes = graph.data[node.input(1)].reshape(-1).tolist()
    return axes is not None and len(axes) == 1 and axes[0] % rank == rank - 1


def _without_cast(graph, tensor, nodes):
    node = _maker(graph, tensor, "Cast")
    if node is not None:
        nodes.add(node.index)
        return node.inputs[0]
    return tensor


def _squared(graph, tensor, nodes):
    """t of t * t or t ** 2."""
    node = _maker(graph, tensor, "Pow", "Mul")
    if node is None:
        return None
    square = (node.op == "Pow" and graph.scalar(node.inputs[1]) == 2.0) or (
        node.op == "Mul" and node.inputs[0] == node.inputs[1])
    if not square:
        return None
    nodes.add(node.index)
    return _without_cast(graph, node.inputs[0], nodes)


def _match(context, root):
    """root: the Sqrt of variance (or mean square) + epsilon."""
    graph, nodes = context.graph, {root.index}
    add = _maker(graph, root.inputs[0], "Add")
    if add is None:
        return
    varying = [t for t in add.inputs if not graph.is_constant(t)]
    mean_square = _maker(graph, varying[0], "ReduceMean") if len(varying) == 1 else None
    if not _last_axis_mean(graph, mean_square):
        return
    nodes |= {add.index, mean_square.index}
    base = _squared(graph, mean_square.inputs[0], nodes)
    if base is None:
        return
    # base / root, or base * (1 / root)
    last, scaled = graph.only_reader(root.out), None
    if last is None:
        return
    if last.op == "Reciprocal" or (last.op == "Div" and graph.is_constant(last.inputs[0])):
        nodes.add(last.index)
        reciprocal = last.out
        last = graph.only_reader(reciprocal)
        if last is None or last.op != "Mul":
            return
        scaled = next((t for t in last.inputs if t != reciprocal), None)
    elif last.op == "Div" and last.inputs[1] == root.out:
        scaled = last.inputs[0]
    if scaled is None:
        return
    nodes.add(last.index)
    if _without_cast(graph, scaled, nodes) != _without_cast(graph, base, nodes):
        return
    x, kind = base, "rmsnorm"
    centred = _maker(graph, base, "Sub")
    if centred is not None:
        mean = _maker(graph, centred.inputs[1], "ReduceMean")
        if _last_axis_mean(graph, mean) and mean.inputs[0] == centred.inputs[0]:
            nodes |= {centred.index, mean.index}
            x, kind = centred.inputs[0], "layernorm"
    last = _take_weights(graph, last, nodes)
    shape = graph.shape(last.out)
    rows = graph.elements(last.out) // shape[-1]
    context.claim(Match(last.index, nodes, lambda c: normalize(c, last, kind, rows, shape[-1], x,
                                                               last.out)))


def _take_weights(graph, last, nodes):
    """A factor and a shift for each column behind the norm are its own."""
    for op in ("Mul", "Add"):
        reader = graph.only_reader(last.out)
        if reader is not None and reader.op == "Cast":
            behind = graph.only_reader(reader.out)
            if behind is not None and behind.op == op:
                nodes.add(reader.index)
                reader = behind
        if reader is None or reader.op != op or not any(
                graph.is_constant(t) and graph.known(t)
                and graph.elements(t) == graph.shape(last.out)[-1] for t in reader.inputs):
            break
        nodes.add(reader.index)
        last = reader
    return last
