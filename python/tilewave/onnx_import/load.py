# SPDX-License-Identifier: Apache-2.0
"""Reads a model and gives its symbolic dimensions numbers."""

import ast
import operator
import os

from tilewave import _core
from tilewave.inputs import config_error
from tilewave.words import suggestion

OLDEST_OPSET, NEWEST_OPSET = 7, 21
MOST_BYTES = 2 << 30  # protobuf has no larger messages


def load_model(onnx, model, label):
    """(ModelProto, warnings). Weights in other files are not read: their shapes are enough."""
    if isinstance(model, onnx.ModelProto):
        proto = onnx.ModelProto()
        proto.CopyFrom(model)
    else:
        if not isinstance(model, (bytes, bytearray)):
            _core.check_file(os.fsencode(model), MOST_BYTES)
        try:
            if isinstance(model, (bytes, bytearray)):
                proto = onnx.load_model_from_string(bytes(model))
            else:
                proto = onnx.load(os.fspath(model), load_external_data=False)
        except OSError as error:
            raise config_error(f"cannot be read: {error.strerror or error}", label) from None
        except Exception as error:  # protobuf has exceptions of its own, which differ by version
            words = str(error).splitlines() or [type(error).__name__]
            raise config_error(f"is no ONNX model: {words[0]}", label) from None
    if proto.ir_version < 1 or not proto.graph.node:
        raise config_error("is no ONNX model: there is no graph with nodes in it", label)
    opset = default_opset(proto)
    if opset < OLDEST_OPSET:
        raise config_error(f"has opset {opset}, the oldest that is read is {OLDEST_OPSET}; "
                           "onnx.version_converter converts it", label)
    warnings = []
    if opset > NEWEST_OPSET:
        warnings.append(f"{label}: has opset {opset}, newer than {NEWEST_OPSET}, up to which the ops "
                        "are known")
    if proto.functions:
        from onnx import inliner
        proto = inliner.inline_local_functions(proto)
    return proto, warnings


def default_opset(proto):
    versions = [entry.version for entry in proto.opset_import if entry.domain in ("", "ai.onnx")]
    return max(versions, default=1)


_OPERATORS = {ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul,
              ast.Div: operator.floordiv, ast.FloorDiv: operator.floordiv}


def evaluate(text, dims):
    """The number of a dimension's name or of an expression of names, "past_len + 1"; None: unknown."""
    if text in dims:
        return dims[text]
    try:
        tree = ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None

    def value(node):
        if isinstance(node, ast.BinOp) and type(node.op) in _OPERATORS:
            left, right = value(node.left), value(node.right)
            if left is None or right is None or (right == 0 and isinstance(
                    node.op, (ast.Div, ast.FloorDiv))):
                return None
            return _OPERATORS[type(node.op)](left, right)
        if isinstance(node, ast.Constant) and isinstance(node.value, int):
            return node.value
        if isinstance(node, ast.Name):
            return dims.get(node.id)
        return None

    try:
        return value(tree)
    except RecursionError:
        return None


def _number(value, name, label):
    if isinstance(value, bool) or not hasattr(value, "__index__") or int(value) < 1:
        raise config_error(f"must be a whole number of at least 1, is {value!r}", label, name)
    return int(value)


def resolve_dims(proto, batch, dims, label):
    """Puts numbers in the place of the inputs' symbolic dimensions; returns warnings."""
    dims = {str(k): _number(v, f"dims.{k}", label) for k, v in dims.items()}
    if batch is not None:
        batch = _number(batch, "batch", label)
    weights = {tensor.name for tensor in proto.graph.initializer}
    inputs = [value for value in proto.graph.input if value.name not in weights]
    used, missing, batch_used = set(), [], False
    if batch is not None:
        # One name for the batch may stand at other axes too (caches, masks).
        for value in inputs:
            shape = value.type.tensor_type.shape
            if shape.dim and shape.dim[0].dim_param and shape.dim[0].dim_param not in dims:
                dims[shape.dim[0].dim_param] = batch
                used.add(shape.dim[0].dim_param)
    for value in inputs:
        for axis, dim in enumerate(value.type.tensor_type.shape.dim):
            if dim.HasField("dim_value") and dim.dim_value > 0:
                continue
            name = dim.dim_param
            number = evaluate(name, dims) if name else None
            if number is None and axis == 0 and batch is not None:
                number = batch
            if number is None:
                missing.append((value.name, axis, name))
                continue
            used.update(known for known in dims if name and known in name)
            batch_used = batch_used or (axis == 0 and batch is not None)
            dim.dim_value = number
    if missing:
        words = "; ".join(f'axis {axis} of input "{tensor}" is {name and repr(name) or "unnamed"}'
                          for tensor, axis, name in missing)
        names = ", ".join(f"{name!r}: N" for name in dict.fromkeys(n for _, _, n in missing if n))
        ways = [f"dims={{{names}}}"] if names else []
        ways += ["batch=N"] if any(axis == 0 for _, axis, _ in missing) else []
        raise config_error(f"dimensions without a size: {words}; give {' or '.join(ways) or 'a model with sizes'}",
                           label)
    known = {d.dim_param for value in inputs for d in value.type.tensor_type.shape.dim
             if d.dim_param} | used
    for name in dims:
        if name not in used:
            raise config_error(f"no dimension of an input is called {name!r}"
                               f"{suggestion(name, known)}", label, f"dims.{name}")
    if batch is not None and not batch_used:
        fixed = [value.type.tensor_type.shape.dim[0].dim_value for value in inputs
                 if value.type.tensor_type.shape.dim]
        if all(number != batch for number in fixed):
            raise config_error(f"the graph's batch is fixed at {fixed[0] if fixed else 1}: export it "
                               "with a symbolic first dimension", label, "batch")
    return []
