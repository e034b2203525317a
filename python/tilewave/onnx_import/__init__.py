# SPDX-License-Identifier: Apache-2.0
"""ONNX graphs as workloads. Needs the package onnx (`pip install onnx`).

load.py reads a file and puts numbers in the place of symbolic dimensions; graph.py and shapes.py know
each tensor's shape and what is constant; the patterns_*.py recognise what a graph has in many nodes
(attention, norms, activations); lower*.py turn nodes into ops; builder.py writes the ops down.
"""

import os

from tilewave.inputs import Workload, warn_all


def from_onnx(model, batch=None, dims=None, dtype=None, layout="nhwc", name=None):
    """The workload of an ONNX graph (opset 7 to 21).

    model: a path, the bytes of a file, or an onnx.ModelProto.
    batch: int, the first dimension of the graph's inputs where that is symbolic.
    dims: {name: int} for other symbolic dimensions; one without a number is a ConfigError that names it.
    dtype: data type of all ops; default: that of the graph's weights.
    layout: "nhwc" (as compilers for accelerators lay images out) or "nchw" (as ONNX does).

    Constants are folded; batch norms into the convolution before them; biases, activations and residual
    sums become epilogues; the products and the softmax of an attention become one `attention` op, with all
    pairs of queries and keys, as the graph computes them. What is not known takes no time: it is in
    `unknown_ops` {op type: [node names]} of the Workload and in its warnings, never dropped in silence.
    Raises ConfigError.
    """
    from tilewave.onnx_import.importer import import_model
    if name is None:
        name = (os.path.splitext(os.path.basename(os.fspath(model)))[0]
                if isinstance(model, (str, os.PathLike)) else "onnx_model")
    source, warnings, unknown = import_model(model, batch, dims, dtype, layout, name)
    workload = Workload(source, warnings)
    workload.unknown_ops = unknown
    warn_all(warnings)
    return workload
