# SPDX-License-Identifier: Apache-2.0
"""Shapes of all tensors and values of small constants, node by node in the graph's order. With concrete
inputs, what a graph computes of shapes (Shape, Gather, Concat, Reshape ...) is constant."""

import math

import numpy
import onnx
from onnx import helper, numpy_helper, shape_inference

from tilewave.inputs import config_error
from tilewave.onnx_import.contrib_shapes import contrib_shapes
from tilewave.onnx_import.graph import DEFAULT_DOMAINS, Graph, Node
from tilewave.onnx_import.load import default_opset

# Constants of at most so many elements are evaluated: shapes, indices, and masks of 2048 x 2048.
MOST_ELEMENTS = 1 << 22
# What makes other values each time is not constant.
RANDOM = {"RandomNormal", "RandomUniform", "RandomNormalLike", "RandomUniformLike", "Multinomial",
          "Bernoulli"}
# Not worth evaluating: weights stay weights.
NOT_EVALUATED = {"DequantizeLinear", "QuantizeLinear", "If", "Loop", "Scan"}


def _node(index, proto):
    attributes = {}
    for attribute in proto.attribute:
        value = helper.get_attribute_value(attribute)
        attributes[attribute.name] = value.decode("utf-8", "replace") if isinstance(
            value, bytes) else value
    return Node(index, proto.op_type, proto.domain, proto.name, list(proto.input),
                list(proto.output), attributes, proto)


def _shape_of(value):
    """Shape of a ValueInfoProto or TypeProto; None if a dimension is not known."""
    tensor = value.tensor_type if isinstance(value, onnx.TypeProto) else value.type.tensor_type
    if not tensor.HasField("shape"):
        return None
    if any(not dim.HasField("dim_value") or dim.dim_value < 0 for dim in tensor.shape.dim):
        return None
    return tuple(dim.dim_value for dim in tensor.shape.dim)


def _has_data(tensor):
    return tensor.data_location != onnx.TensorProto.EXTERNAL


def build_graph(proto, label):
    graph = Graph(default_opset(proto))
    for tensor in proto.graph.initializer:
        graph.shapes[tensor.name] = tuple(tensor.dims)
        graph.types[tensor.name] = tensor.data_type
        graph.constants.add(tensor.name)
        if math.prod(tensor.dims) <= MOST_ELEMENTS and _has_data(tensor):
            try:
                graph.data[tensor.name] = numpy_helper.to_array(tensor)
            except (ValueError, TypeError) as error:
                raise config_error(f'the weights "{tensor.name}" are damaged: {error}',
                                   label) from None
    for value in proto.graph.input:
        if value.name in graph.constants:
            continue
        graph.inputs.add(value.name)
        graph.types[value.name] = value.type.tensor_type.elem_type
        shape = _shape_of(value)
        if shape is None:
            raise config_error(f'input "{value.name}" has no shape', label)
        graph.shapes[value.name] = shape
    graph.outputs = {value.name for value in proto.graph.output}
    declared = {}
    for value in [*proto.graph.value_info, *proto.graph.output]:
        shape = _shape_of(value)
        if shape is not None:
            declared[value.name] = shape, value.type.tensor_type.elem_type
    graph.nodes = [_node(i, node) for i, node in enumerate(proto.graph.node)]
    graph.index()
    inference = _Inference(graph, proto, declared)
    for node in graph.nodes:
        inference.visit(node)
    return graph


class _Inference:
    def __init__(self, graph, proto, declared):
        self.graph = graph
        self.imports = list(proto.opset_import)
        self.ir_version = proto.ir_version
        self.declared = declared

    def visit(self, node):
        graph = self.graph
        given = [tensor for tensor in node.inputs if tensor]
        constant = node.op not in RANDOM and all(tensor in graph.constants for tensor in given)
        if node.op in ("Shape", "Size") and graph.known(*given):
            self._fold_shape(node)
            return
        self._infer(node)
        if not constant:
            return
        graph.constants.update(tensor for tensor in node.outputs if tensor)
        small = all(tensor in graph.shapes and graph.elements(tensor) <= MOST_ELEMENTS
                    for tensor in node.outputs if tensor)
        if (node.op not in NOT_EVALUATED and node.domain in DEFAULT_DOMAINS and small
                and all(tensor in graph.data for tensor in given)):
            self._evaluate(node)

    def _fold_shape(self, node):
        graph = self.graph
        shape = graph.shapes[node.inputs[0]]
        if node.op == "Size":
            value = numpy.array(math.prod(shape), dtype=numpy.int64)
        else:
            start, end = node.attribute("start", 0), node.attribute("end")
            value = numpy.array(shape[slice(start, end)], dtype=numpy.int64)
        self._set_constant(node.out, value)

    def _set_constant(self, tensor, value):
        graph = self.graph
        graph.data[tensor] = value
        graph.shapes[tensor] = tuple(value.shape)
        graph.types[tensor] = helper.np_dtype_to_tensor_dtype(value.dtype)
        graph.constants.add(tensor)

    def _evaluate(self, node):
        from onnx.reference import ReferenceEvaluator
        try:
            feeds = {tensor: self.graph.data[tensor] for tensor in node.inputs if tensor}
            # A node by itself has no opset: the evaluator takes a model.
            model = helper.make_model(
                helper.make_graph([node.proto], "node",
                                  [self._value_info(name) for name in feeds],
                                  [helper.make_empty_tensor_value_info(name)
                                   for name in node.outputs if name]),
                opset_imports=self.imports, ir_version=self.ir_version)
            values = ReferenceEvaluator(model).run(None, feeds)
        except Exception:  # what the evaluator cannot do has no value here, and that is all
            return
        for tensor, value in zip([name for name in node.outputs if name], values):
            if isinstance(value, (numpy.ndarray, numpy.generic)):
                self._set_constant(tensor, numpy.asarray(value))

    def _value_info(self, tensor):
        return helper.make_tensor_value_info(tensor, self.graph.types[tensor],
                                             self.graph.shapes[tensor])

    def _infer(self, node):
        graph = self.graph
        shapes = None
        if node.domain not in DEFAULT_DOMAINS:
            shapes = contrib_shapes(node, graph)
        elif graph.known(*node.inputs):
            shapes = self._infer_known(node)
        for position, tensor in enumerate(node.outputs):
            if not tensor:
                continue
            found = shapes[position] if shapes and position < len(shapes) else None
            if found is None or found[0] is None:
                found = self.declared.get(tensor)
            if found is not None:
                graph.shapes[tensor] = tuple(found[0])
                graph.types[tensor] = found[1]

    def _infer_known(self, node):
        graph = self.graph
        given = [tensor for tensor in node.inputs if tensor]
        types = {t: helper.make_tensor_type_proto(graph.types[t], graph.shapes[t]) for t in given
                 if graph.types.get(t)}
        # Values matter where they say sizes.
        data = {t: numpy_helper.from_array(graph.data[t], t) for t in given
                if t in graph.data and graph.data[t].size <= 4096}
        try:
            schema = onnx.defs.get_schema(node.op, graph.opset, "")
            inferred = shape_inference.infer_node_outputs(
                schema, node.proto, types, data, opset_imports=self.imports,
                ir_version=self.ir_version)
        except Exception:  # onnx has exceptions of its own; the caller sees that nothing is known
            return None
        result = []
        for tensor in node.outputs:
            kind = inferred.get(tensor)
            result.append(None if kind is None or not kind.HasField("tensor_type") else
                          (_shape_of(kind), kind.tensor_type.elem_type))
        return result
