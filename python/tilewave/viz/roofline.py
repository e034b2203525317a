# SPDX-License-Identifier: Apache-2.0
"""The roofline: what each layer reached, and what its operations per byte allow."""

from tilewave.viz import style
from tilewave.viz.machine import dram_gb_per_s, peak_tflops, work_unit

LARGEST_MARK = 260.0  # points^2, of a layer that is the whole run
SMALLEST_MARK = 14.0


def _points(report):
    total = sum(layer["cycles"] for layer in report["layers"]) or 1
    for layer in report["layers"]:
        intensity = layer["roofline"]["flops_per_byte"]
        if layer["flops"] > 0 and intensity > 0 and layer["time_s"] > 0:
            yield (intensity, layer["flops"] / layer["time_s"] / 1e12, layer["cycles"] / total,
                   layer.get("bound", ""))


def draw(report, ax):
    points = list(_points(report))
    used = {layer["dtype"] for layer in report["layers"] if layer["macs"] > 0}
    peaks = {t: p for t, p in peak_tflops(report["arch"]).items() if t in used}
    bandwidth = dram_gb_per_s(report)
    unit = work_unit(report["layers"])
    heights = [p[1] for p in points] + list(peaks.values())
    widths = [p[0] for p in points]
    if bandwidth and peaks:
        widths.append(max(peaks.values()) * 1000 / bandwidth)
    if not heights or not widths:
        ax.text(0.5, 0.5, "no layer has operations and bytes", ha="center", transform=ax.transAxes)
        ax.set_axis_off()
        return
    left, right = min(widths) / 2.5, max(widths) * 4
    bottom, top = min(heights) / 2.5, max(heights) * 2.2
    ax.set(xscale="log", yscale="log", xlim=(left, right), ylim=(bottom, top),
           xlabel="operations per byte of DRAM and host traffic", ylabel=f"T{unit}",
           title=style.escaped(style.title(report)))
    _ceilings(ax, peaks, bandwidth, left, right, bottom, unit)
    for bound, (shade, mark) in style.BOUNDS.items():
        chosen = [p for p in points if p[3] == bound]
        if chosen:
            ax.scatter([p[0] for p in chosen], [p[1] for p in chosen],
                       s=[max(SMALLEST_MARK, LARGEST_MARK * p[2]) for p in chosen],
                       marker=mark, color=style.color(shade), edgecolor="white", linewidth=0.5,
                       alpha=0.85, label=bound, zorder=3)
    legend = ax.legend(title="bound by", loc="lower right")
    for handle in getattr(legend, "legend_handles", []):
        handle.set_sizes([36])


def _ceilings(ax, peaks, bandwidth, left, right, bottom, unit):
    best = max(peaks.values(), default=None)
    levels = {}
    for dtype, peak in peaks.items():
        levels.setdefault(peak, []).append(dtype)
    for peak, dtypes in levels.items():
        start = max(left, peak * 1000 / bandwidth) if bandwidth else left
        ax.plot([start, right], [peak, peak], color=style.TEXT, zorder=2)
        ax.annotate(f"{', '.join(dtypes)}: {peak:.4g} T{unit}", (right, peak), xytext=(-4, 4),
                    textcoords="offset points", ha="right", fontsize=8, color=style.DIM)
    if not bandwidth:
        return
    low = max(left, bottom * 1000 / bandwidth)
    high = min(right, best * 1000 / bandwidth) if best else right
    if low < high:
        ax.plot([low, high], [low * bandwidth / 1000, high * bandwidth / 1000], color=style.TEXT,
                zorder=2)
        at = low * (high / low) ** 0.08
        ax.annotate(f"DRAM {bandwidth:.4g} GB/s", (at, at * bandwidth / 1000), xytext=(-2, 5),
                    textcoords="offset points", fontsize=8, color=style.DIM, rotation=_slope(ax),
                    rotation_mode="anchor")


def _slope(ax):
    """Angle on the page of a line that grows as its x, in degrees."""
    import math
    width, height = ax.get_figure().get_size_inches()
    box = ax.get_position()
    (x0, x1), (y0, y1) = ax.get_xlim(), ax.get_ylim()
    decade_x = width * box.width / math.log10(x1 / x0)
    decade_y = height * box.height / math.log10(y1 / y0)
    return math.degrees(math.atan2(decade_y, decade_x))
