# SPDX-License-Identifier: Apache-2.0
"""Writes ops down, and knows for each of the graph's tensors which op made it."""

import dataclasses

EPILOGUE_OPS = {"gemm", "conv1d", "conv2d", "conv3d"}


@dataclasses.dataclass
class Value:
    """A tensor as a workload knows it: the result of an op, or a part or another view of it."""
    op: str = "input"        # "input": from outside
    made: int = 0            # elements the op makes
    elements: int = 0        # of this tensor
    quantized: str = ""      # integer type of the numbers it stands for (behind DequantizeLinear)
    transposed: bool = False  # lies with its last two axes exchanged


class Builder:
    def __init__(self, graph, layout):
        self.graph = graph
        self.layout = layout
        self._ops = []
        self._position = {}  # name -> index
        self._values = {}    # tensor -> Value

    # Tensors

    def value(self, tensor):
        """Constants and what no op has made are from outside."""
        if tensor in self._values:
            return self._values[tensor]
        elements = self.graph.elements(tensor) if tensor in self.graph.shapes else 0
        return Value(elements=elements, made=elements)

    def has_value(self, tensor):
        return tensor in self._values

    def alias(self, tensor, source, **changes):
        """`tensor` is `source`, or a part of it: no work."""
        value = source if isinstance(source, Value) else self.value(source)
        if "elements" not in changes and tensor in self.graph.shapes:
            changes["elements"] = self.graph.elements(tensor)
        self._values[tensor] = dataclasses.replace(value, **changes)

    # Ops

    def add(self, kind, node_name, out, reads=(), /, *, makes=None, dtype=None, **sizes):
        """Adds an op that makes the tensor `out`. reads: (Value or None, elements) of each input, as the
        op counts them. makes: elements, if not the tensor's. Returns the op."""
        op = {"op": kind, "name": self._unique(node_name or kind)}
        op.update({key: value for key, value in sizes.items() if value is not None})
        if dtype:
            op["dtype"] = dtype
        inputs, partial = [], False
        for value, wanted in reads:
            name, part = self._reference(value, wanted)
            inputs.append(name)
            partial = partial or part
        if inputs:
            op["inputs"] = inputs
        if partial:
            op["partial_inputs"] = True
        self._position[op["name"]] = len(self._ops)
        self._ops.append(op)
        if out:
            made = self.graph.elements(out) if makes is None else makes
            self._values[out] = Value(op["name"], made, made)
        return op

    @staticmethod
    def _reference(value, wanted):
        # What is read wider than it was made (a broadcast) counts as read from outside.
        if value is None or value.op == "input" or value.made < wanted:
            return "input", False
        return value.op, value.made > wanted

    def _unique(self, name):
        name = "".join(c if c.isprintable() else "?" for c in name)
        name = "input_" if name == "input" else name
        unique, number = name, 1
        while unique in self._position:
            number += 1
            unique = f"{name}_{number}"
        return unique

    def position(self, op):
        """Place of the op in the list."""
        return self._position[op["name"]]

    # Epilogues

    def open_op(self, tensor, besides=()):
        """The product whose whole result the tensor is, if nobody else reads it (`besides` these nodes)
        on the way to here, so that a step on it can be its epilogue; else None."""
        value = self._values.get(tensor)
        if value is None or value.op == "input" or value.made != value.elements or value.quantized:
            return None
        op = self._ops[self._position[value.op]]
        if op["op"] not in EPILOGUE_OPS:
            return None
        graph = self.graph
        while True:
            if len(graph.readers(tensor, besides)) > (0 if besides else 1) or -1 in graph.readers(tensor):
                return None
            maker = graph.producer.get(tensor)
            source = maker.inputs[0] if maker is not None and maker.inputs else None
            same = source in self._values and self._values[source].op == value.op
            if not same:
                return op
            tensor, besides = source, ()

    def fuse(self, op, step, out, residual=None):
        """Makes `step` the op's last epilogue, `out` being the result; False if it can't be."""
        epilogue = op.setdefault("epilogue", [])
        if step in epilogue:
            return False
        if residual is not None:
            elements = self.graph.elements(out)
            if residual.op != "input":
                if self._position[residual.op] >= self._position[op["name"]]:
                    return False
                if residual.made != elements:
                    return False
            op.setdefault("inputs", ["input"]).append(residual.op)
        epilogue.append(step)
        made = self.graph.elements(out)
        self._values[out] = Value(op["name"], made, made)
        return True

    def finished_ops(self):
        for op in self._ops:
            if op.get("epilogue") == []:
                del op["epilogue"]
        return self._ops
