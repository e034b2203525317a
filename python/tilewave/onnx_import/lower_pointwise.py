# SPDX-License-Identifier: Apache-2.0
"""Element by element: activations, sums of tensors, comparisons."""

from tilewave.onnx_import.registry import lowers

# ONNX op -> (our kind, can it be an epilogue). What has no kind of its own takes one with the same cost:
# all kinds are one operation an element.
UNARY = {
    "Relu": ("relu", True), "LeakyRelu": ("relu", True), "Elu": ("relu", True), "Selu": ("relu", True),
    "Celu": ("relu", True), "ThresholdedRelu": ("relu", True), "Clip": ("relu", True),
    "Sigmoid": ("sigmoid", True), "Tanh": ("tanh", True), "Gelu": ("gelu", True),
    "FastGelu": ("gelu", True), "QuickGelu": ("silu", True), "Swish": ("silu", True),
    "HardSigmoid": ("hard_sigmoid", True), "HardSwish": ("hard_swish", True), "Mish": ("silu", True),
    "Softplus": ("exp", False), "Softsign": ("sigmoid", False), "Erf": ("tanh", False),
    "Exp": ("exp", False), "Log": ("exp", False), "Sqrt": ("pow", False), "Reciprocal": ("div", False),
    "Neg": ("scale", False), "Abs": ("relu", False), "Floor": ("cast", False), "Ceil": ("cast", False),
    "Round": ("cast", False), "Sign": ("relu", False), "Not": ("sub", False), "BitwiseNot": ("sub", False),
    "IsNaN": ("sub", False), "IsInf": ("sub", False), "Shrink": ("relu", False),
    **{op: ("tanh", False) for op in ("Sin", "Cos", "Tan", "Asin", "Acos", "Atan", "Sinh", "Cosh",
                                      "Asinh", "Acosh", "Atanh")},
    "CumSum": ("add", False), "Trilu": ("mul", False),
}
BINARY = {
    "Add": "add", "Sub": "sub", "Mul": "mul", "Div": "div", "Pow": "pow", "Mod": "div", "PRelu": "relu",
    "Max": "relu", "Min": "relu", "Sum": "add", "Mean": "add", "BitShift": "mul",
    **{op: "sub" for op in ("Equal", "Greater", "GreaterOrEqual", "Less", "LessOrEqual")},
    **{op: "mul" for op in ("And", "Or", "Xor", "BitwiseAnd", "BitwiseOr", "BitwiseXor")},
}


@lowers(*UNARY)
def lower_unary(context, node):
    kind, fusible = UNARY[node.op]
    activation(context, node, node.inputs[0], node.out, kind, fusible)


def activation(context, node, tensor, out, kind, fusible=True, besides=()):
    """A function of each element; fused into the product before it where that can be."""
    builder = context.builder
    if fusible:
        op = builder.open_op(tensor, besides)
        if op is not None and builder.fuse(op, kind, out):
            return
    elements = context.graph.elements(out)
    builder.add("elementwise", context.name_of(node), out, [context.read(tensor, elements)], kind=kind,
                elements=elements)


@lowers("Cast", "CastLike")
def lower_cast(context, node):
    graph = context.graph
    if graph.types.get(node.inputs[0]) == graph.types.get(node.out):
        context.builder.alias(node.out, node.inputs[0])
        return
    activation(context, node, node.inputs[0], node.out, "cast", fusible=False)


@lowers(*BINARY)
def lower_binary(context, node):
    graph = context.graph
    tensors = [tensor for tensor in node.inputs if tensor]
    if len(tensors) == 1:
        context.builder.alias(node.out, tensors[0])
        return
    constants = [tensor for tensor in tensors if graph.is_constant(tensor)]
    varying = [tensor for tensor in tensors if tensor not in constants]
    kind = BINARY[node.op]
    if len(varying) == 1 and len(constants) == 1:
        with_constant(context, node, varying[0], constants[0], kind)
        return
    if node.op == "Add" and len(varying) == 2 and _fuse_residual(context, node, varying):
        return
    _chain(context, node, [*varying, *constants], kind)


def with_constant(context, node, tensor, constant, kind):
    """One operand is a constant: a bias, a scale, or a table as large as the other."""
    graph, builder = context.graph, context.builder
    elements = graph.elements(node.out)
    size = graph.elements(constant)
    step = {"add": "bias", "sub": "bias", "mul": "scale", "div": "scale"}.get(kind)
    op = builder.open_op(tensor)
    if step and op is not None and (size == 1 or _is_a_channel(graph, constant, op, node.out)):
        # Another bias or scale is folded into the one that is there, unless something bends in between.
        steps = op["epilogue"]
        if step in steps and set(steps[steps.index(step):]) <= {"bias", "scale"}:
            builder.alias(node.out, tensor)
            return
        if builder.fuse(op, step, node.out):
            return
    if size == 1:
        builder.add("elementwise", context.name_of(node), node.out, [context.read(tensor, elements)],
                    kind="scale" if step == "scale" else kind, elements=elements)
        return
    builder.add("elementwise", context.name_of(node), node.out,
                [context.read(tensor, elements), (None, size)], kind=kind, elements=elements, operands=2,
                second_elements=size if size != elements else None)


def _is_a_channel(graph, constant, op, out):
    """Has the constant a number for each output channel of the product?"""
    channels = op["n"] if op["op"] == "gemm" else op["k"]
    shape, result = graph.shape(constant), graph.shape(out)
    if graph.elements(constant) != channels:
        return False
    axis = len(result) - 1 if op["op"] == "gemm" else 1
    offset = len(result) - len(shape)
    return axis >= offset and shape[axis - offset] == channels


def _fuse_residual(context, node, tensors):
    """x + f(x): into f's last product, if that is the last thing before."""
    graph, builder = context.graph, context.builder
    elements = graph.elements(node.out)
    if any(graph.elements(tensor) != elements for tensor in tensors) or tensors[0] == tensors[1]:
        return False
    candidates = []
    for tensor, other in (tensors, tensors[::-1]):
        op = builder.open_op(tensor)
        if op is not None:
            candidates.append((builder.position(op), op, other))
    for _, op, other in sorted(candidates, key=lambda c: -c[0]):
        if "residual" in op["epilogue"]:
            continue
        value = builder.value(other)
        if not value.quantized and builder.fuse(op, "residual", node.out, value):
            return True
    return False


def _chain(context, node, tensors, kind):
    """Several operands, two at a time."""
    graph, builder = context.graph, context.builder
    elements = graph.elements(node.out)
    # The largest first: what is smaller serves several results.
    tensors = sorted(tensors, key=lambda t: -graph.elements(t))
    first = context.value(tensors[0])
    for position, tensor in enumerate(tensors[1:]):
        last = position == len(tensors) - 2
        size = graph.elements(tensor)
        second = None if graph.is_constant(tensor) else context.value(tensor)
        name = context.name_of(node) + ("" if last else f"/{position}")
        op = builder.add("elementwise", name, node.out if last else None,
                         [(first, elements), (second, size)], elements=elements, kind=kind, operands=2,
                         second_elements=size if size != elements else None)
        if not last:
            first = type(first)(op["name"], elements, elements)


@lowers("Where")
def lower_where(context, node):
    graph = context.graph
    elements = graph.elements(node.out)
    varying = [tensor for tensor in node.inputs[1:3] if not graph.is_constant(tensor)]
    values = sorted(varying or node.inputs[1:2], key=lambda t: -graph.elements(t))
    condition = node.inputs[0]
    size = graph.elements(condition)
    second = None if graph.is_constant(condition) else context.value(condition)
    if len(values) == 2:
        second, size = context.value(values[1]), graph.elements(values[1])
    context.builder.add("elementwise", context.name_of(node), node.out,
                        [context.read(values[0], elements), (second, size)], kind="mul",
                        elements=elements, operands=2,
                        second_elements=size if size != elements else None)
