# SPDX-License-Identifier: Apache-2.0
"""python -m tilewave.viz FILE [-o DIR] [--format png,svg] [--only NAME,...] [--x COLUMN --y COLUMN]

FILE: a report (JSON, `tilewave run --out`): roofline, timeline, breakdown, energy, array; or the points of
a sweep (CSV): pareto, by two columns.
"""

import argparse
import io
import os
import sys

FORMATS = ("png", "svg", "pdf")
MOST_COLUMNS = 10_000  # of a sweep's table


def _fail(text):
    print(f"error: {text}", file=sys.stderr)
    sys.exit(2)


def _save(draw, name, folder, formats):
    """A file for each format; what cannot be drawn is said and left out."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure
    from tilewave.viz import style
    with style.applied():
        figure = Figure(figsize=style.SIZES[name], layout="constrained")
        FigureCanvasAgg(figure)
        try:
            draw(figure.add_subplot())
        except ValueError as error:
            print(f"{name}: not drawn: {error}", file=sys.stderr)
            return []
        made = []
        for kind in formats:
            path = os.path.join(folder, f"{name}.{kind}")
            # No date and no version in a file: the same report gives the same bytes.
            metadata = {"png": {"Software": None}, "svg": {"Date": None, "Creator": None},
                        "pdf": {"CreationDate": None, "Creator": None, "Producer": None}}[kind]
            figure.savefig(path, metadata=metadata)
            made.append(path)
    return made


def _of_report(report):
    from tilewave.viz import array, roofline, stacks, timeline
    return {"roofline": lambda ax: roofline.draw(report, ax),
            "timeline": lambda ax: timeline.draw(report, ax),
            "breakdown": lambda ax: stacks.draw_breakdown(report, ax),
            "energy": lambda ax: stacks.draw_energy(report, ax),
            "array": lambda ax: array.draw(report, ax)}


def _of_points(path, x, y, label):
    import pandas
    from tilewave import _core
    from tilewave.viz import front
    try:
        text = _core.text_file(os.fsencode(path))
        if text.count(",", 0, max(text.find("\n"), 0)) > MOST_COLUMNS:
            _fail(f"{path}: has more than {MOST_COLUMNS} columns")
        points = pandas.read_csv(io.StringIO(text))
    except _core.ConfigError as error:
        _fail(error)
    except ValueError as error:
        _fail(f"{path}: is no table: {error}")
    numbers = [c for c in points.columns if c.startswith("total.")]
    x, y = x or (numbers + [""])[0], y or (numbers + ["", ""])[1]
    if not x or not y:
        _fail(f"{path}: give --x and --y; there are: {', '.join(points.columns)}")
    return {"pareto": lambda ax: front.draw(points, x, y, ax, label)}


def main():
    parser = argparse.ArgumentParser(prog="python -m tilewave.viz",
                                     description="Writes figures of a report or a sweep.")
    parser.add_argument("file", help="a report (JSON) or the points of a sweep (CSV)")
    parser.add_argument("-o", "--out", default=".", metavar="DIR", help="folder, made if not there")
    parser.add_argument("--format", default="png,svg", help="of " + ", ".join(FORMATS))
    parser.add_argument("--only", help="names of figures, with commas between")
    parser.add_argument("--x", help="column of a sweep; default: the first objective")
    parser.add_argument("--y", help="column of a sweep; default: the second objective")
    parser.add_argument("--label", help="column of a sweep written beside the front's points")
    arguments = parser.parse_args()
    formats = arguments.format.split(",")
    for kind in formats:
        if kind not in FORMATS:
            _fail(f'--format: must be of {", ".join(FORMATS)}; is "{kind}"')
    if arguments.file.lower().endswith(".csv"):
        figures = _of_points(arguments.file, arguments.x, arguments.y, arguments.label)
    else:
        from tilewave._core import ConfigError
        from tilewave.result import load_report
        try:
            figures = _of_report(load_report(arguments.file).report)
        except ConfigError as error:
            _fail(error)
    wanted = arguments.only.split(",") if arguments.only else list(figures)
    for name in wanted:
        if name not in figures:
            _fail(f'--only: must be of {", ".join(figures)}; is "{name}"')
    os.makedirs(arguments.out, exist_ok=True)
    for name in wanted:
        for path in _save(figures[name], name, arguments.out, formats):
            print(path)


if __name__ == "__main__":
    main()
