# SPDX-License-Identifier: Apache-2.0
"""Points of a sweep by two objectives, both the less the better."""

import matplotlib.ticker

from tilewave.viz import style
from tilewave.words import quantity


def front(points):
    """Indices of the (x, y) that no other is at least as good as in both and better in one."""
    order = sorted(range(len(points)), key=lambda i: points[i])
    best, chosen = float("inf"), []
    for i in order:
        if points[i][1] < best:
            best = points[i][1]
            chosen.append(i)
    return chosen


def draw(points, x, y, ax, label=None):
    for column in (x, y, *([label] if label else [])):
        if column not in points.columns:
            raise ValueError(f"there is no column {column!r}; there are: {', '.join(points.columns)}")
    valid = points[[x, y]].apply(lambda c: c.astype(float)).dropna()
    if valid.empty:
        raise ValueError(f"no point has both {x} and {y}")
    pairs = list(map(tuple, valid.to_numpy()))
    chosen = front(pairs)
    ax.scatter(valid[x], valid[y], s=18, color=style.color("grey"), alpha=0.6, edgecolor="none",
               label="points")
    xs, ys = [pairs[i][0] for i in chosen], [pairs[i][1] for i in chosen]
    ax.step(xs, ys, where="post", color=style.color("blue"), zorder=3)
    ax.scatter(xs, ys, s=30, color=style.color("blue"), edgecolor="white", linewidth=0.6, zorder=4,
               label="Pareto front")
    if label:
        for i in chosen:
            ax.annotate(style.escaped(points.loc[valid.index[i], label]), pairs[i], xytext=(5, 4),
                        textcoords="offset points", fontsize=7, color=style.DIM)
    for axis, values in ((ax.xaxis, valid[x]), (ax.yaxis, valid[y])):
        if values.min() > 0 and values.max() / values.min() > 20:
            (ax.set_xscale if axis is ax.xaxis else ax.set_yscale)("log")
            axis.set_minor_formatter(matplotlib.ticker.NullFormatter())
        axis.set_major_formatter(lambda value, _: quantity(value, "", 3))
    ax.set(xlabel=x, ylabel=y)
    ax.legend()
