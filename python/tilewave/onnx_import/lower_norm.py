# SPDX-License-Identifier: Apache-2.0
"""Normalizations, softmax and sums over axes."""

import math

from tilewave.onnx_import.lower_pool import whole_axes
from tilewave.onnx_import.registry import lowers


@lowers("BatchNormalization")
def lower_batch_norm(context, node):
    graph, builder = context.graph, context.builder
    shape = graph.shape(node.inputs[0])
    op = builder.open_op(node.inputs[0])
    if op is not None and op["op"].startswith("conv") and not set(op["epilogue"]) - {"bias"}:
        # Scale and shift of channels go into the filters and a bias.
        if "bias" in op["epilogue"]:
            builder.alias(node.out, node.inputs[0])
        else:
            builder.fuse(op, "bias", node.out)
        return
    channels = shape[1] if len(shape) > 1 else 1
    normalize(context, node, "batchnorm", math.prod(shape) // channels, channels)


def normalize(context, node, kind, rows, cols, tensor=None, out=None):
    tensor, out = tensor or node.inputs[0], out or node.out
    context.builder.add(kind, context.name_of(node), out, [context.read(tensor, rows * cols)],
                        rows=rows, cols=cols)


def _from_axis(context, node, default):
    shape = context.graph.shape(node.inputs[0])
    axis = node.attribute("axis", default) % len(shape)
    return math.prod(shape[:axis]), math.prod(shape[axis:])


@lowers("LayerNormalization")
def lower_layer_norm(context, node):
    normalize(context, node, "layernorm", *_from_axis(context, node, -1))


@lowers("RMSNormalization", "SimplifiedLayerNormalization", "LpNormalization",
        "MeanVarianceNormalization")
def lower_rms_norm(context, node):
    kind = "layernorm" if node.op == "MeanVarianceNormalization" else "rmsnorm"
    normalize(context, node, kind, *_from_axis(context, node, -1))


@lowers("InstanceNormalization")
def lower_instance_norm(context, node):
    shape = context.graph.shape(node.inputs[0])
    normalize(context, node, "layernorm", shape[0] * shape[1], math.prod(shape[2:]))


@lowers("GroupNormalization")
def lower_group_norm(context, node):
    shape = context.graph.shape(node.inputs[0])
    rows = shape[0] * node.attribute("num_groups")
    normalize(context, node, "layernorm", rows, math.prod(shape) // rows)


@lowers("LRN")
def lower_lrn(context, node):
    """x / (bias + alpha / size * sum of squares of neighbouring channels) ** beta."""
    graph, builder = context.graph, context.builder
    name, size = context.name_of(node), node.attribute("size")
    shape = graph.shape(node.out)
    elements = math.prod(shape)
    value = context.value(node.inputs[0])
    made = type(value)
    builder.add("elementwise", name + "/square", None, [(value, elements)], kind="mul",
                elements=elements)
    sums = builder.add("reduce", name + "/sums", None, [(None, elements * size)], kind="sum",
                       rows=elements, cols=size)
    power = builder.add("elementwise", name + "/power", None,
                        [(made(sums["name"], elements, elements), elements)], kind="pow",
                        elements=elements)
    builder.add("elementwise", name, node.out,
                [(value, elements), (made(power["name"], elements, elements), elements)], kind="div",
                elements=elements, operands=2)


@lowers("Softmax", "LogSoftmax", "Hardmax")
def lower_softmax(context, node):
    shape = context.graph.shape(node.inputs[0])
    if context.graph.opset < 13:
        # Older opsets flatten: all axes from `axis` on are one row.
        normalize(context, node, "softmax", *_from_axis(context, node, 1))
        return
    cols = shape[node.attribute("axis", -1)]
    normalize(context, node, "softmax", math.prod(shape) // cols, cols)


REDUCTIONS = {"ReduceMean": "mean", "ReduceMax": "max", "ReduceMin": "max", "ArgMax": "max",
              "ArgMin": "max", "ReduceSum": "sum", "ReduceProd": "sum", "ReduceL1": "sum",
              "ReduceL2": "sum", "ReduceLogSum": "sum", "ReduceLogSumExp": "sum",
              "ReduceSumSquare": "sum"}


@lowers(*REDUCTIONS)
def lower_reduce(context, node):
    graph = context.graph
    shape, rows = graph.shape(node.inputs[0]), graph.elements(node.out)
    elements = math.prod(shape)
    if rows == elements:
        context.builder.alias(node.out, node.inputs[0])
        return
    # The mean over all pixels of images is a global pool, whatever the exporter called it.
    if node.op in ("ReduceMean", "ReduceMax") and len(shape) == 4 and rows == shape[0] * shape[1]:
        if _axes(graph, node, len(shape)) == {2, 3}:
            whole_axes(context, node, shape, "max" if node.op == "ReduceMax" else "average")
            return
    context.builder.add("reduce", context.name_of(node), node.out, [context.read(node.inputs[0])],
                        kind=REDUCTIONS[node.op], rows=rows, cols=elements // rows)


def _axes(graph, node, rank):
    axes = node.attribute("axes")
    if axes is None and node.input(1) in graph.data:
        axes = graph.data[node.input(1)].reshape(-1).tolist()
    return {axis % rank for axis in axes} if axes else set(range(rank))
