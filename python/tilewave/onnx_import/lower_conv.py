# SPDX-License-Identifier: Apache-2.0
"""Convolutions."""

import math

from tilewave.onnx_import.registry import lowers


def resolve_pads(node, sizes, kernel, strides, dilations):
    """Zeros before and after each axis, from `pads` or `auto_pad`."""
    rank = len(sizes)
    auto = node.attribute("auto_pad", "NOTSET")
    if auto in ("SAME_UPPER", "SAME_LOWER"):
        begins, ends = [], []
        for size, k, stride, dilation in zip(sizes, kernel, strides, dilations):
            outputs = -(-size // stride)
            total = max(0, (outputs - 1) * stride + (k - 1) * dilation + 1 - size)
            small, large = total // 2, total - total // 2
            begins.append(small if auto == "SAME_UPPER" else large)
            ends.append(large if auto == "SAME_UPPER" else small)
        return begins, ends
    pads = list(node.attribute("pads") or [0] * 2 * rank) if auto == "NOTSET" else [0] * 2 * rank
    return pads[:rank], pads[rank:]


def window_attributes(node, rank):
    return (list(node.attribute("strides") or [1] * rank),
            list(node.attribute("dilations") or [1] * rank))


def macs_dtype(context, *tensors):
    """The integer type that a product works in if all its operands stand for integers."""
    kinds = [context.builder.value(tensor).quantized or
             ("int8" if _is_dequantized_constant(context, tensor) else "") for tensor in tensors]
    return "int8" if all(kinds) else None


def _is_dequantized_constant(context, tensor):
    maker = context.graph.producer.get(tensor)
    return (context.graph.is_constant(tensor) and maker is not None
            and maker.op == "DequantizeLinear")


@lowers("Conv")
def lower_conv(context, node):
    convolution(context, node, node.inputs[0], node.inputs[1], bool(node.input(2)))


def convolution(context, node, x, w, has_bias, dtype=None, steps=()):
    """x, w: the tensors; steps: epilogues besides the bias."""
    graph = context.graph
    dtype = dtype or macs_dtype(context, x, w)
    before, after = [0] * 8, [0] * 8
    if x in context.padding:
        x, before, after = context.padding[x]
    shape, filters = graph.shape(x), graph.shape(w)
    rank = len(shape) - 2
    if rank not in (1, 2, 3):
        context.fail(node, f"has {rank} spatial dimensions; 1 to 3 can be simulated")
    if not graph.is_constant(w):
        context.note("filters that are no constants are read as weights")
    strides, dilations = window_attributes(node, rank)
    padded = [size + b + a for size, b, a in zip(shape[2:], before, after)]
    begins, ends = resolve_pads(node, padded, filters[2:], strides, dilations)
    begins = [p + b for p, b in zip(begins, before)]
    ends = [p + a for p, a in zip(ends, after)]
    value = context.builder.value(x) if dtype else context.value(x)
    epilogue = (["bias"] if has_bias else []) + list(steps)
    emit = (_conv1d, _conv2d, _conv3d)[rank - 1]
    emit(context, node, value, shape, filters, strides, dilations, begins, ends, epilogue, dtype)


def _conv1d(context, node, value, shape, filters, strides, dilations, begins, ends, epilogue, dtype):
    context.builder.add(
        "conv1d", context.name_of(node), node.out, [(value, math.prod(shape))], dtype=dtype,
        n=shape[0], c=shape[1], w=shape[2], k=filters[0], s=filters[2], stride=strides[0],
        padding=[begins[0], ends[0]], dilation=dilations[0], groups=node.attribute("group", 1),
        epilogue=epilogue)


def _conv2d(context, node, value, shape, filters, strides, dilations, begins, ends, epilogue, dtype):
    context.builder.add(
        "conv2d", context.name_of(node), node.out, [(value, math.prod(shape))], dtype=dtype,
        n=shape[0], c=shape[1], h=shape[2], w=shape[3], k=filters[0], r=filters[2], s=filters[3],
        stride=strides, padding=begins, padding_end=ends if ends != begins else None,
        dilation=dilations, groups=node.attribute("group", 1), layout=context.builder.layout,
        epilogue=epilogue)


def _conv3d(context, node, value, shape, filters, strides, dilations, begins, ends, epilogue, dtype):
    sizes, reads = list(shape[2:]), (value, math.prod(shape))
    if begins != ends:
        # conv3d pads both sides alike: the rest of the zeros are read with the input.
        even = [min(b, e) for b, e in zip(begins, ends)]
        sizes = [size + b + e - 2 * p for size, b, e, p in zip(sizes, begins, ends, even)]
        begins = even
        reads = (None, shape[0] * shape[1] * math.prod(sizes))
        context.note("3-D convolutions whose padding differs between the sides read it from memory")
    context.builder.add(
        "conv3d", context.name_of(node), node.out, [reads], dtype=dtype, n=shape[0], c=shape[1],
        d=sizes[0], h=sizes[1], w=sizes[2], k=filters[0], t=filters[2], r=filters[3], s=filters[4],
        stride=strides, padding=begins, dilation=dilations, groups=node.attribute("group", 1),
        epilogue=epilogue)


@lowers("ConvTranspose")
def lower_conv_transpose(context, node):
    graph = context.graph
    x, w = node.inputs[:2]
    shape, filters, out = graph.shape(x), graph.shape(w), graph.shape(node.out)
    rank = len(shape) - 2
    groups = node.attribute("group", 1)
    epilogue = ["bias"] if node.input(2) else []
    if rank not in (1, 2):
        _as_product(context, node, shape, filters, groups, epilogue)
        return
    strides, dilations = window_attributes(node, rank)
    extra = list(node.attribute("output_padding") or [0] * rank)
    padding = []
    for axis in range(rank):
        # The output's size says how much is cut off, whichever attributes led to it. Where the sides
        # differ, both are cut like the longer, and the rest is put back.
        full = (shape[2 + axis] - 1) * strides[axis] + (filters[2 + axis] - 1) * dilations[axis] + 1
        cut = max(0, full + extra[axis] - out[2 + axis])
        padding.append(-(-cut // 2))
        extra[axis] = out[2 + axis] - full + 2 * padding[axis]
    one, none = [1] * (2 - rank), [0] * (2 - rank)
    (h, w), (r, s) = one + list(shape[2:]), one + list(filters[2:])
    context.builder.add(
        "conv2d", context.name_of(node), node.out, [context.read(x)], n=shape[0], c=shape[1], h=h, w=w,
        k=filters[1] * groups, r=r, s=s, stride=one + strides, padding=none + padding,
        output_padding=none + extra, dilation=one + dilations, groups=groups,
        layout=context.builder.layout, transposed=True, epilogue=epilogue)


def _as_product(context, node, shape, filters, groups, epilogue):
    """Each input position times all taps: the product of a transposed convolution."""
    context.note("3-D transposed convolutions are products; adding up what overlaps takes no time")
    positions = shape[0] * math.prod(shape[2:])
    context.builder.add(
        "gemm", context.name_of(node), node.out, [context.read(node.inputs[0])], m=positions,
        n=filters[1] * math.prod(filters[2:]), k=shape[1] // groups, batch=groups, epilogue=epilogue,
        makes=positions * filters[1] * math.prod(filters[2:]) * groups)
