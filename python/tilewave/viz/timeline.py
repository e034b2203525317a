# SPDX-License-Identifier: Apache-2.0
"""What the machine did over time."""

from tilewave.viz import style

_SCALES = ((1, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns"))


def time_scale(seconds):
    """(seconds of the unit, its name) in which a time reads well."""
    return next((scale for scale in _SCALES if seconds >= scale[0]), _SCALES[-1])


def draw(report, ax):
    timeline, clock = report.get("timeline", {}), report["arch"]["clock_ghz"]
    bins = timeline.get("bin_cycles", 0)
    total = report["total"]["cycles"]
    scale, unit = time_scale(total / clock * 1e-9)

    def steps(name):
        values = timeline.get(name, [])
        edges = [min(i * bins, total) / clock * 1e-9 / scale for i in range(len(values) + 1)]
        return values, edges

    ax.set(title=style.escaped(style.title(report)), xlabel=f"time ({unit})",
           ylabel="matrix utilization", ylim=(0, 1), xlim=(0, total / clock * 1e-9 / scale))
    values, edges = steps("matrix_utilization")
    if values:
        ax.stairs(values, edges, fill=True, color=style.color("blue"), alpha=0.35)
        ax.stairs(values, edges, color=style.color("blue"), label="matrix utilization")
    lines, labels = ax.get_legend_handles_labels()
    offset = 0
    for name, words, shade in (("dram_gb_per_s", "DRAM (GB/s)", "red"), ("power_w", "power (W)", "green")):
        values, edges = steps(name)
        if not values or max(values) <= 0:
            continue
        other = ax.twinx()
        other.grid(False)
        other.spines["right"].set_visible(True)
        other.spines["right"].set_position(("outward", offset))
        other.spines["right"].set_color(style.color(shade))
        offset += 46
        other.tick_params(axis="y", colors=style.color(shade))
        other.set_ylabel(words, color=style.color(shade))
        other.set_ylim(0, max(values) * 1.15)
        other.stairs(values, edges, color=style.color(shade), label=words, linewidth=1.0,
                     linestyle="-" if name == "dram_gb_per_s" else "--")
        more_lines, more_labels = other.get_legend_handles_labels()
        lines, labels = lines + more_lines, labels + more_labels
    if lines:
        ax.legend(lines, labels, loc="upper center", bbox_to_anchor=(0.5, -0.2), ncols=3)
