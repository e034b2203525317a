# SPDX-License-Identifier: Apache-2.0
"""Stacked bars, a bar a layer: cycles by class, joules by component."""

from tilewave.viz import style
from tilewave.words import quantity


def _chosen(layers, size, most):
    """The largest layers in the order of the run, and the others as one."""
    if len(layers) <= most:
        return layers, []
    largest = set(sorted(range(len(layers)), key=lambda i: (-size(layers[i]), i))[:most - 1])
    return ([layer for i, layer in enumerate(layers) if i in largest],
            [layer for i, layer in enumerate(layers) if i not in largest])


def _stack(report, ax, parts, words, most, unit, axis_label):
    """parts: function from a layer to {key: number}."""
    layers, rest = _chosen(report["layers"], lambda layer: sum(parts(layer).values()), most)
    names = [style.escaped(style.shortened(layer["name"])) for layer in layers]
    columns = [parts(layer) for layer in layers]
    if rest:
        together = {}
        for layer in rest:
            for key, value in parts(layer).items():
                together[key] = together.get(key, 0) + value
        names.append(f"{len(rest)} others")
        columns.append(together)
    keys = [key for key in words if any(column.get(key) for column in columns)]
    keys += sorted({key for column in columns for key, value in column.items()
                    if value and key not in words})
    left = [0.0] * len(columns)
    for key in keys:
        name, shade = style.named(words, key)
        values = [column.get(key, 0) for column in columns]
        ax.barh(range(len(columns)), values, left=left, height=0.78, color=shade, label=name,
                edgecolor="white", linewidth=0.3)
        left = [a + b for a, b in zip(left, values)]
    ax.set_yticks(range(len(names)), names, fontsize=7 if len(names) > 16 else 8)
    ax.set_ylim(len(names) - 0.4, -0.6)
    ax.grid(axis="y", visible=False)
    ax.xaxis.set_major_formatter(lambda value, _: quantity(value, unit, 3))
    ax.set(xlabel=axis_label, title=style.escaped(style.title(report)))
    ax.legend(loc="upper left", bbox_to_anchor=(1.01, 1.0), borderaxespad=0)


def draw_breakdown(report, ax, most=30):
    _stack(report, ax, lambda layer: layer["breakdown"], style.CYCLE_CLASSES, most, "", "cycles")


def draw_energy(report, ax, most=30):
    _stack(report, ax, lambda layer: layer["energy_j"], style.COMPONENTS, most, "J", "energy")
