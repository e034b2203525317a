# SPDX-License-Identifier: Apache-2.0
"""Pools."""

import math

from tilewave.onnx_import.lower_conv import resolve_pads, window_attributes
from tilewave.onnx_import.registry import lowers


@lowers("MaxPool", "AveragePool", "LpPool")
def lower_pool(context, node):
    graph = context.graph
    shape, out = graph.shape(node.inputs[0]), graph.shape(node.out)
    rank = len(shape) - 2
    kernel = list(node.attribute("kernel_shape"))
    strides, dilations = window_attributes(node, rank)
    begins, ends = resolve_pads(node, shape[2:], kernel, strides, dilations)
    if any(d != 1 for d in dilations):
        context.note("pools with distances between the taps are taken as dense")
    kind = "max" if node.op == "MaxPool" else "average"
    axes = []
    for axis in range(rank):
        padding = _padding(shape[2 + axis], kernel[axis], strides[axis], begins[axis], ends[axis],
                           out[2 + axis])
        axes.append((shape[2 + axis], kernel[axis], strides[axis], padding, out[2 + axis]))
    pools(context, node, node.inputs[0], shape[0], shape[1], axes, kind)


def _padding(size, kernel, stride, begin, end, outputs):
    """Zeros on both sides that give as many outputs, the given ones first; None if there are none."""
    for padding in (begin, end, *range(kernel)):
        if padding < kernel and size + 2 * padding >= kernel and (
                size + 2 * padding - kernel) // stride + 1 == outputs:
            return padding
    return None


def pools(context, node, tensor, n, c, axes, kind):
    """axes: (size, window, stride, padding, outputs) each. A pool is 2-D: of three axes the last two are
    pooled first, then the first, which is the same maximum or mean."""
    if len(axes) == 1:
        axes = [(1, 1, 1, 0, 1), *axes]
    name, value = context.name_of(node), context.value(tensor)
    if len(axes) == 3:
        depth, inner = axes[0], axes[1:]
        made = n * c * depth[0] * inner[0][4] * inner[1][4]
        op = _pool(context, name + "/planes", None, value, n * depth[0], c, inner, kind)
        first = type(value)(op["name"], made, made)
        plane = inner[0][4] * inner[1][4]
        _pool(context, name, node.out, first, n, c, [depth, (plane, 1, 1, 0, plane)], kind)
        return
    if len(axes) != 2:
        context.note_unknown(node)
        return
    _pool(context, name, node.out, value, n, c, axes, kind)


def _pool(context, name, out, value, n, c, axes, kind):
    (h, r, stride_h, pad_h, _), (w, s, stride_w, pad_w, _) = axes
    elements = n * c * h * w
    if pad_h is None or pad_w is None:
        # No even padding gives this size: an elementwise pass with as many taps.
        context.note("pools whose output no even padding gives are taken as sums over their windows")
        rows = n * c * axes[0][4] * axes[1][4]
        return context.builder.add("reduce", name, out, [(None, rows * r * s)],
                                   kind="max" if kind == "max" else "mean", rows=rows, cols=r * s)
    return context.builder.add(
        "pool", name, out, [(value, elements)],
        kind=kind, n=n, c=c, h=h, w=w, r=r, s=s,
        stride=[stride_h, stride_w], padding=[pad_h, pad_w], layout=context.builder.layout)


@lowers("GlobalAveragePool", "GlobalMaxPool", "GlobalLpPool")
def lower_global_pool(context, node):
    shape = context.graph.shape(node.inputs[0])
    whole_axes(context, node, shape, "max" if node.op == "GlobalMaxPool" else "average")


def whole_axes(context, node, shape, kind):
    """One number a channel."""
    pixels = list(shape[2:])
    if len(pixels) > 2:
        pixels = [pixels[0], math.prod(pixels[1:])]
    axes = [(size, size, 1, 0, 1) for size in pixels]
    pools(context, node, node.inputs[0], shape[0], shape[1], axes, kind)
