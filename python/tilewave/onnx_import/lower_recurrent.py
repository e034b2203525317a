# SPDX-License-Identifier: Apache-2.0
"""Recurrent layers."""

from tilewave.onnx_import.builder import Value
from tilewave.onnx_import.registry import lowers

KINDS = {"LSTM": "lstm", "GRU": "gru", "RNN": "rnn"}


@lowers(*KINDS)
def lower_recurrent(context, node):
    graph, builder = context.graph, context.builder
    shape = graph.shape(node.inputs[0])
    steps, batch = (shape[1], shape[0]) if node.attribute("layout", 0) else shape[:2]
    hidden = node.attribute("hidden_size")
    directions = 2 if node.attribute("direction", "forward") == "bidirectional" else 1
    if node.input(7):
        context.note("peepholes of LSTM layers take no time")
    name, made = context.name_of(node), steps * batch * hidden
    values = []
    for direction in range(directions):
        op = builder.add(KINDS[node.op], name if directions == 1 else f"{name}/{direction}", None,
                         [context.read(node.inputs[0])], batch=batch, input=shape[2], hidden=hidden,
                         steps=steps)
        values.append(Value(op["name"], made, made))
    sequence = node.outputs[0] if node.outputs else ""
    if sequence and directions == 2:
        builder.add("concat", name, sequence, [(value, made) for value in values], parts=[made, made])
    elif sequence:
        builder.alias(sequence, values[0])
    for tensor in node.outputs[1:]:  # the last state: a part of the results
        if tensor:
            builder.alias(tensor, values[-1])
