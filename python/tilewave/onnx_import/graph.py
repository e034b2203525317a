# SPDX-License-Identifier: Apache-2.0
"""A graph as the importer sees it: nodes, shapes of all tensors, what is constant, who reads what."""

import dataclasses
import math

# Names of onnx.TensorProto.DataType in ours.
DTYPES = {1: "fp32", 10: "fp16", 16: "bf16", 11: "fp64", 2: "int8", 3: "int8", 4: "int16", 5: "int16",
          6: "int32", 17: "fp8", 18: "fp8", 19: "fp8", 20: "fp8", 21: "int4", 22: "int4", 23: "fp4"}
FLOATS = (1, 10, 16, 11)
DEFAULT_DOMAINS = ("", "ai.onnx")


@dataclasses.dataclass
class Node:
    index: int
    op: str
    domain: str
    name: str
    inputs: list  # tensor names; "" where an optional one is not given
    outputs: list
    attributes: dict
    proto: object

    def input(self, position):
        """Name of the input, or "" if it is not there."""
        return self.inputs[position] if position < len(self.inputs) else ""

    def attribute(self, name, default=None):
        return self.attributes.get(name, default)

    @property
    def out(self):
        return self.outputs[0]


class Graph:
    def __init__(self, opset):
        self.opset = opset
        self.nodes = []
        self.shapes = {}      # tensor -> tuple of ints; not there: not known
        self.types = {}       # tensor -> onnx.TensorProto.DataType
        self.data = {}        # small constants -> numpy array
        self.constants = set()
        self.outputs = set()  # of the graph
        self.inputs = set()
        self.producer = {}
        self.consumers = {}   # tensor -> nodes, one for each time it is read

    def index(self):
        """Who makes and who reads each tensor."""
        for node in self.nodes:
            for tensor in node.outputs:
                if tensor:
                    self.producer[tensor] = node
            for tensor in node.inputs:
                if tensor:
                    self.consumers.setdefault(tensor, []).append(node)

    def shape(self, tensor):
        return self.shapes[tensor]

    def elements(self, tensor):
        return math.prod(self.shapes[tensor])

    def known(self, *tensors):
        return all(tensor in self.shapes for tensor in tensors if tensor)

    def is_constant(self, tensor):
        return tensor in self.constants

    def scalar(self, tensor):
        """The number of a constant with one element, or None."""
        data = self.data.get(tensor)
        return float(data.reshape(-1)[0]) if data is not None and data.size == 1 else None

    def is_scalar(self, tensor):
        return self.is_constant(tensor) and tensor in self.shapes and self.elements(tensor) == 1

    def readers(self, tensor, besides=()):
        """Indices of the nodes that read the tensor; -1 stands for the graph's own output."""
        indices = {node.index for node in self.consumers.get(tensor, ())} - set(besides)
        return indices | ({-1} if tensor in self.outputs else set())

    def only_reader(self, tensor):
        """The one node that reads the tensor, or None."""
        readers = self.readers(tensor)
        return self.nodes[readers.pop()] if len(readers) == 1 and -1 not in readers else None

    def dtype(self):
        """The type of most weights; without any, of the first input with a floating type."""
        sizes = {}
        for tensor in self.constants:
            kind = self.types.get(tensor)
            if kind in FLOATS and tensor in self.shapes and tensor not in self.producer:
                sizes[kind] = sizes.get(kind, 0) + self.elements(tensor)
        if not sizes:
            sizes = {self.types[t]: 1 for t in sorted(self.inputs) if self.types.get(t) in FLOATS}
        return DTYPES[max(sizes, key=lambda kind: (sizes[kind], -kind))] if sizes else "fp32"
