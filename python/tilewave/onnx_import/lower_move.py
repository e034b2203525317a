# SPDX-License-Identifier: Apache-2.0
"""What moves data: transposes, parts, tables, copies."""

import math

from tilewave.onnx_import.registry import lowers


def _squeezed(shape, permutation):
    """Without axes of size 1, which do not matter, and with neighbours that stay together as one."""
    axes = [axis for axis in permutation if shape[axis] > 1]
    groups = []
    for axis in axes:
        between = range(groups[-1][-1] + 1, axis) if groups else ()
        if groups and axis > groups[-1][-1] and all(shape[a] == 1 for a in between):
            groups[-1].append(axis)
        else:
            groups.append([axis])
    order = sorted(range(len(groups)), key=lambda g: groups[g][0])
    dims = [math.prod(shape[axis] for axis in groups[g]) for g in order]
    rank = {g: position for position, g in enumerate(order)}
    return dims, [rank[g] for g in range(len(groups))]


@lowers("Transpose")
def lower_transpose(context, node):
    graph, builder = context.graph, context.builder
    shape = graph.shape(node.inputs[0])
    permutation = list(node.attribute("perm") or range(len(shape))[::-1])
    dims, order = _squeezed(shape, permutation)
    if len(dims) < 2:
        builder.alias(node.out, node.inputs[0])
        return
    rank = len(shape)
    swaps = rank >= 2 and permutation == [*range(rank - 2), rank - 1, rank - 2]
    readers = graph.readers(node.out)
    if swaps and readers and -1 not in readers and all(
            graph.nodes[i].op in ("MatMul", "Gemm") and not context.is_claimed(i) for i in readers):
        # A product reads its operands either way round.
        value = builder.value(node.inputs[0])
        builder.alias(node.out, node.inputs[0], transposed=not value.transposed)
        return
    if len(dims) > 8:
        context.note_unknown(node)
        return
    builder.add("transpose", context.name_of(node), node.out, [context.read(node.inputs[0])],
                dims=dims, permutation=order)


@lowers("DepthToSpace", "SpaceToDepth")
def lower_depth_to_space(context, node):
    n, c, h, w = context.graph.shape(node.inputs[0])
    block = node.attribute("blocksize")
    if node.op == "DepthToSpace":
        dims, order = [n, block, block, c // block ** 2, h, w], [0, 3, 4, 1, 5, 2]
    else:
        dims, order = [n, c, h // block, block, w // block, block], [0, 3, 5, 1, 2, 4]
    context.builder.add("transpose", context.name_of(node), node.out,
                        [context.read(node.inputs[0])], dims=dims, permutation=order)


@lowers("Slice", "Split", "SplitToSequence")
def lower_part(context, node):
    """A part is read where it lies."""
    for tensor in node.outputs:
        if tensor:
            context.builder.alias(tensor, node.inputs[0])


@lowers("Concat")
def lower_concat(context, node):
    graph = context.graph
    parts = [tensor for tensor in node.inputs if graph.elements(tensor) > 0]
    if len(parts) == 1:
        context.builder.alias(node.out, parts[0])
        return
    context.builder.add(
        "concat", context.name_of(node), node.out,
        [context.read(t) if not graph.is_constant(t) else (None, graph.elements(t)) for t in parts],
        parts=[graph.elements(tensor) for tensor in parts])


@lowers("Pad")
def lower_pad(context, node):
    graph = context.graph
    tensor = node.inputs[0]
    pads = node.attribute("pads")
    if pads is None and node.input(1) in graph.data:
        pads = graph.data[node.input(1)].reshape(-1).tolist()
    value = node.attribute("value", 0.0) if not node.input(2) else graph.scalar(node.input(2))
    rank = len(graph.shape(tensor))
    readers = graph.readers(node.out)
    zeros = node.attribute("mode", "constant") == "constant" and not value
    if (pads is not None and len(pads) == 2 * rank and zeros and min(pads) >= 0 and readers
            and -1 not in readers and not any(pads[:2]) and not any(pads[rank:rank + 2])
            and all(graph.nodes[i].op == "Conv" for i in readers)):
        # Zeros around images are the convolution's own padding.
        context.padding[node.out] = tensor, pads[2:rank], pads[rank + 2:]
        context.builder.alias(node.out, tensor, elements=graph.elements(tensor))
        return
    elements, extra = graph.elements(tensor), graph.elements(node.out) - graph.elements(tensor)
    if extra <= 0:
        context.builder.alias(node.out, tensor)
        return
    context.builder.add("concat", context.name_of(node), node.out,
                        [context.read(tensor), (None, extra)], parts=[elements, extra])


@lowers("Gather")
def lower_gather(context, node):
    graph = context.graph
    table, indices = node.inputs[:2]
    shape, axis = graph.shape(table), node.attribute("axis", 0)
    if graph.is_constant(table) and not graph.is_constant(indices) and axis == 0:
        rows = graph.elements(indices)
        width = math.prod(shape[1:])
        context.builder.add("embedding", context.name_of(node), node.out, [context.read(indices, rows)],
                            rows=rows, width=width, table_rows=shape[0])
    elif graph.is_constant(indices) and graph.elements(indices) == 1:
        context.builder.alias(node.out, table)  # a part
    else:
        copy(context, node, table)


def copy(context, node, tensor, kind="copy"):
    """Elements of the tensor, as many as the result has, are read and written."""
    elements = context.graph.elements(node.out)
    context.builder.add("elementwise", context.name_of(node), node.out,
                        [context.read(tensor, elements)], kind=kind, elements=elements)


@lowers("GatherElements", "GatherND", "Compress", "ReverseSequence")
def lower_gather_elements(context, node):
    copy(context, node, node.inputs[0])


@lowers("ScatterND", "ScatterElements", "TensorScatter")
def lower_scatter(context, node):
    """What is put in is written; the rest stays where it is."""
    updates = node.inputs[2 if node.op != "TensorScatter" else 1]
    elements = context.graph.elements(updates)
    context.builder.add("elementwise", context.name_of(node), None,
                        [context.read(updates, elements)], kind="copy", elements=elements)
    context.builder.alias(node.out, node.inputs[0])


@lowers("Expand", "Tile")
def lower_expand(context, node):
    """The same numbers several times: an elementwise op reads the small tensor itself."""
    graph = context.graph
    if graph.elements(node.out) == graph.elements(node.inputs[0]):
        context.builder.alias(node.out, node.inputs[0])
        return
    pointwise = {"Add", "Sub", "Mul", "Div", "Where", "Equal", "Less", "Greater", "And", "Or"}
    readers = graph.readers(node.out)
    if readers and -1 not in readers and all(graph.nodes[i].op in pointwise for i in readers):
        context.builder.alias(node.out, node.inputs[0])
        return
    copy(context, node, node.inputs[0])


@lowers("Resize", "Upsample")
def lower_resize(context, node):
    """Nearest: a copy. Linear in two directions: four taps a result; cubic: sixteen."""
    taps = {"linear": 4, "cubic": 16}.get(node.attribute("mode", "nearest"), 1)
    if taps == 1:
        copy(context, node, node.inputs[0])
        return
    rows = context.graph.elements(node.out)
    context.builder.add("reduce", context.name_of(node), node.out, [(None, rows * taps)], kind="sum",
                        rows=rows, cols=taps)
