# SPDX-License-Identifier: Apache-2.0
"""Static figures of reports and sweeps, for papers and notebooks. Everything drawn is in the report.

`python -m tilewave.viz report.json -o figures` writes all of them as PNG and SVG.
"""


class Plots:
    """Figures of one report. Each function takes ax= (default: a figure of its own) and returns the
    matplotlib Axes."""

    def __init__(self, report):
        self._report = report

    def _draw(self, draw, name, ax, **options):
        from tilewave.viz import style
        with style.applied():
            if ax is None:
                import matplotlib.pyplot
                _, ax = matplotlib.pyplot.subplots(figsize=style.SIZES[name],
                                                   layout="constrained")
            draw(self._report, ax, **options)
        return ax

    def roofline(self, ax=None):
        """TFLOP/s of each layer over its FLOPs per byte, under the machine's ceilings. A mark's area is
        the layer's share of the time."""
        from tilewave.viz.roofline import draw
        return self._draw(draw, "roofline", ax)

    def timeline(self, ax=None):
        """Matrix utilization (0 to 1), DRAM bandwidth (GB/s) and power (W) over time."""
        from tilewave.viz.timeline import draw
        return self._draw(draw, "timeline", ax)

    def breakdown(self, ax=None, layers=30):
        """Where the cycles of the longest `layers` layers go, in the order of the run."""
        from tilewave.viz.stacks import draw_breakdown
        return self._draw(draw_breakdown, "breakdown", ax, most=layers)

    def energy(self, ax=None, layers=30):
        """Joules by component, of the `layers` layers with the most energy."""
        from tilewave.viz.stacks import draw_energy
        return self._draw(draw_energy, "energy", ax, most=layers)

    def array(self, ax=None, layer=None):
        """Share of the folds in which each PE of the systolic array has work; of one layer, or the mean
        over all weighted by cycles. ValueError for a machine or layer without an array."""
        from tilewave.viz.array import draw
        return self._draw(draw, "array", ax, layer=layer)


def pareto(points, x, y, ax=None, label=None):
    """The points of a sweep by two columns, of both less being better, and their Pareto front.

    points: pandas.DataFrame. x, y: columns, as "total.cycles". label: column whose values are written
    beside the points of the front. Returns the matplotlib Axes.
    """
    from tilewave.viz import style
    from tilewave.viz.front import draw
    with style.applied():
        if ax is None:
            import matplotlib.pyplot
            _, ax = matplotlib.pyplot.subplots(figsize=style.SIZES["pareto"], layout="constrained")
        draw(points, x, y, ax, label)
    return ax
