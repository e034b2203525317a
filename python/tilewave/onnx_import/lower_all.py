# SPDX-License-Identifier: Apache-2.0
"""Goes over the nodes in the graph's order and lowers each."""

from tilewave._core import ConfigError
from tilewave.onnx_import import (lower_contrib, lower_conv, lower_matmul, lower_move, lower_norm,  # noqa: F401
                                  lower_pointwise, lower_pool, lower_quantized, lower_recurrent)
from tilewave.onnx_import.graph import DEFAULT_DOMAINS
from tilewave.onnx_import.registry import LOWERINGS, VIEWS

DOMAINS = (*DEFAULT_DOMAINS, "com.microsoft")


def lower(context):
    graph = context.graph
    for node in graph.nodes:
        if node.index in context.anchors:
            context.anchors[node.index].emit(context)
        elif node.index in context.silent or all(
                graph.is_constant(tensor) for tensor in node.outputs if tensor):
            continue
        elif node.index in context.views or node.op in VIEWS:
            _view(context, node)
        else:
            _lower_node(context, node)


def _view(context, node):
    for tensor in node.outputs[:1]:
        if context.graph.known(tensor):
            context.builder.alias(tensor, node.inputs[0])


def _lower_node(context, node):
    function = LOWERINGS.get(node.op) if node.domain in DOMAINS else None
    if function is None or not context.graph.known(*node.inputs, *node.outputs):
        # Also what depends on data: its size is not known before it runs.
        context.note_unknown(node)
        return
    try:
        function(context, node)
    except ConfigError:
        raise
    except (KeyError, IndexError, TypeError, ValueError, ZeroDivisionError) as error:
        context.fail(node, f"is malformed: {type(error).__name__}: {error}")
