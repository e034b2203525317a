# SPDX-License-Identifier: Apache-2.0
"""From a model to a workload's dict."""

import os

from tilewave.inputs import config_error


def _import_onnx():
    try:
        import onnx
    except ImportError:
        raise config_error("ONNX files are read with the package onnx, which is not there: "
                           "pip install onnx") from None
    return onnx


def import_model(model, batch, dims, dtype, layout, name):
    """(workload dict, warnings, {unknown op type: [node names]})."""
    onnx = _import_onnx()
    from tilewave.onnx_import import lower_all, patterns
    from tilewave.onnx_import.builder import Builder
    from tilewave.onnx_import.context import Context
    from tilewave.onnx_import.load import load_model, resolve_dims
    from tilewave.onnx_import.shapes import build_graph

    label = os.fspath(model) if isinstance(model, (str, os.PathLike)) else name
    if layout not in ("nhwc", "nchw"):
        raise config_error(f'must be one of nhwc, nchw; is "{layout}"', label, "layout")
    proto, warnings = load_model(onnx, model, label)
    warnings += resolve_dims(proto, batch, dims or {}, label)
    graph = build_graph(proto, label)
    context = Context(graph, Builder(graph, layout), label)
    context.warnings = warnings
    patterns.find_all(context)
    lower_all.lower(context)
    ops = context.builder.finished_ops()
    if not ops:
        unknown = "; not known: " + ", ".join(context.unknown) if context.unknown else ""
        raise config_error(f"has nothing to do: no node is work{unknown}", label)
    source = {"name": name, "dtype": dtype or graph.dtype(),
              "note": f"from an ONNX graph, opset {graph.opset}", "ops": ops}
    return source, context.all_warnings(), context.unknown
