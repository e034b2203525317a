# SPDX-License-Identifier: Apache-2.0
"""Which PEs of a systolic array have work. A fold puts a tile of at most rows x cols on the array; in the
last fold of an axis the tile is smaller, and the PEs beyond it have none. So the share of folds in which
PE (r, c) works is a product of one share for its row and one for its column, from the layer's sizes alone;
its mean over the array is the report's `mapping_efficiency`, which is checked."""

import numpy

from tilewave.viz import style
from tilewave.viz.machine import is_gpu

# Sizes along the rows and columns of the array: k is the length of the sums.
AXES = {"weight_stationary": ("k", "n"), "output_stationary": ("m", "n"), "input_stationary": ("k", "m")}
TOLERANCE = 1e-6


def _product(layer):
    """(m, n, k) of the products a layer is, or None."""
    shape, op = layer["shape"], layer["op"]
    if op == "gemm":
        return shape["m"], shape["n"], shape["k"]
    if op == "conv2d" and not shape.get("transposed") and not shape.get("weight_gradient"):
        groups = shape["groups"]
        pixels = layer["macs"] * groups // (shape["k"] * shape["c"] * shape["r"] * shape["s"])
        return pixels, shape["k"] // groups, shape["c"] // groups * shape["r"] * shape["s"]
    return None


def _used(size, places):
    """Share of the folds along an axis in which each of its places is used."""
    folds = -(-size // places)
    used = numpy.full(places, (folds - 1) / folds)
    used[:size - (folds - 1) * places] += 1 / folds
    return used


def layer_use(arch, layer):
    """Array [rows, cols] of shares, or None where the layer's mapping is not one tile a fold."""
    unit = arch["core"]["matrix_unit"]
    sizes = _product(layer)
    if sizes is None or layer["macs"] == 0 or unit.get("dataflow") not in AXES:
        return None
    named = dict(zip("mnk", sizes))
    along_rows, along_cols = AXES[unit["dataflow"]]
    use = numpy.outer(_used(named[along_rows], unit["rows"]), _used(named[along_cols], unit["cols"]))
    return use if abs(use.mean() - layer["mapping_efficiency"]) < TOLERANCE else None


def array_use(report, layer=None):
    """(array of shares, words): of the layer by name, or the mean over all, weighted by cycles."""
    arch = report["arch"]
    if is_gpu(arch) or "rows" not in arch.get("core", {}).get("matrix_unit", {}) or (
            arch["core"]["matrix_unit"].get("kind") == "cube"):
        raise ValueError(f"{arch['name']} has no systolic array")
    layers = [entry for entry in report["layers"] if layer in (None, entry["name"])]
    if not layers:
        raise ValueError(f"there is no layer {layer!r}")
    total, cycles, shown = None, 0, 0
    for entry in layers:
        use = layer_use(arch, entry)
        if use is not None:
            total = use * entry["cycles"] + (0 if total is None else total)
            cycles += entry["cycles"]
            shown += 1
    if total is None:
        raise ValueError("no layer's folds are known from its sizes alone")
    words = layer or f"{shown} of {len(layers)} layers, by cycles"
    return total / cycles, words


def draw(report, ax, layer=None):
    use, words = array_use(report, layer)
    rows, cols = use.shape
    image = ax.imshow(use, cmap="cividis", vmin=0, vmax=1, origin="upper", interpolation="nearest",
                      extent=(0, cols, rows, 0), aspect="equal")
    bar = ax.get_figure().colorbar(image, ax=ax, shrink=0.85)
    bar.set_label("share of folds in which the PE has work")
    bar.outline.set_visible(False)
    ax.grid(False)
    ax.set(xlabel="column", ylabel="row",
           title=style.escaped(f"{style.title(report)}\n{style.shortened(words, 48)}: "
                               f"{100 * use.mean():.1f} % of {rows} × {cols}"))
