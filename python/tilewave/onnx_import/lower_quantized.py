# SPDX-License-Identifier: Apache-2.0
"""Graphs with integers in them: Q/DQ pairs around products, and ONNX's integer ops."""

from tilewave.onnx_import.graph import DTYPES
from tilewave.onnx_import.lower_conv import convolution
from tilewave.onnx_import.lower_matmul import product
from tilewave.onnx_import.lower_pointwise import BINARY, _chain
from tilewave.onnx_import.registry import lowers


@lowers("DequantizeLinear")
def lower_dequantize(context, node):
    """No work yet: a product takes the integers. Whoever wants numbers converts them first."""
    kind = DTYPES.get(context.graph.types.get(node.inputs[0]), "int8")
    context.builder.alias(node.out, node.inputs[0], quantized=kind)


@lowers("QuantizeLinear", "DynamicQuantizeLinear")
def lower_quantize(context, node):
    graph, builder = context.graph, context.builder
    tensor = node.inputs[0]
    op = builder.open_op(tensor)
    if op is not None and builder.fuse(op, "requantize", node.out):
        return
    kind = DTYPES.get(graph.types.get(node.out), "int8")
    builder.add("quantize", context.name_of(node), node.out, [context.read(tensor)],
                elements=graph.elements(tensor), to=kind)


def _steps(has_bias):
    return (["bias"] if has_bias else []) + ["requantize"]


@lowers("QLinearConv")
def lower_qlinear_conv(context, node):
    convolution(context, node, node.inputs[0], node.inputs[3], bool(node.input(8)), "int8",
                ["requantize"])


@lowers("ConvInteger")
def lower_conv_integer(context, node):
    convolution(context, node, node.inputs[0], node.inputs[1], False, "int8")


@lowers("QLinearMatMul", "QGemm")
def lower_qlinear_matmul(context, node):
    a, b = node.inputs[0], node.inputs[3]
    shapes = [list(context.graph.shape(tensor)) for tensor in (a, b)]
    product(context, node, a, b, *shapes, node.attribute("transA", 0), node.attribute("transB", 0),
            _steps(node.op == "QGemm" and bool(node.input(6))), "int8")


@lowers("MatMulInteger", "MatMulIntegerToFloat", "DynamicQuantizeMatMul")
def lower_matmul_integer(context, node):
    a, b = node.inputs[:2]
    shapes = [list(context.graph.shape(tensor)) for tensor in (a, b)]
    product(context, node, a, b, *shapes, 0, 0, [], "int8")


@lowers("QLinearAdd", "QLinearMul")
def lower_qlinear_binary(context, node):
    kind = BINARY[node.op[len("QLinear"):]]
    _chain(context, node, [node.inputs[0], node.inputs[3]], kind)
