# SPDX-License-Identifier: Apache-2.0
"""A suite's scatter plot as SVG: simulated over measured, both logarithmic. Only text, so that the same results are
the same bytes with any version of any library."""

import html
import math

SIZE, LEFT, RIGHT, TOP = 360, 52, 18, 8  # pixels
EDGE = SIZE - LEFT - RIGHT  # of the square
HEIGHT = TOP + EDGE + 38
BAND = 1.2  # the shaded band: 20 % on both sides
# Okabe and Ito's colours, told apart by colour-blind eyes; marks differ in shape, too.
COLOURS = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9"]
STYLE = ("text{font:11px sans-serif;fill:#333}.grid{stroke:#ddd}.equal{stroke:#333}.band{fill:#0072B2;fill-opacity:.08}"
         "@media(prefers-color-scheme:dark){text{fill:#ddd}.grid{stroke:#444}.equal{stroke:#ddd}}")


def decades(values):
    return math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)) + 1e-9)


def words(exponent):
    return {-3: "0.001", -2: "0.01", -1: "0.1"}.get(exponent, f"{10 ** max(exponent, 0):g}" if exponent < 4 else f"1e{exponent}")


def mark(kind, x, y, colour, title):
    shape = [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3"', f'<rect x="{x - 2.6:.1f}" y="{y - 2.6:.1f}" width="5.2" height="5.2"',
             f'<path d="M{x:.1f} {y - 3.6:.1f}l3.4 6h-6.8z"'][kind % 3]
    name = shape[1:].split(" ", 1)[0]
    return f'{shape} fill="{colour}" fill-opacity=".75"><title>{html.escape(title)}</title></{name}>'


def scatter(score, cases, parts):
    """`parts`: words of labels, each with a colour and a shape of its own; may be empty."""
    low, high = decades([v for c in cases for v in (c["simulated"], c["measured"])])
    span = max(high - low, 1)

    def at(value):
        return (math.log10(value) - low) / span * EDGE

    def x(value):
        return LEFT + at(value)

    def y(value):
        return TOP + EDGE - at(value)

    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {SIZE} {HEIGHT}" width="{SIZE}" height="{HEIGHT}">',
           f"<style>{STYLE}</style>"]
    bottom, right = TOP + EDGE, LEFT + EDGE
    # The band's ends leave the square where it does.
    shift = math.log10(BAND) / span * EDGE
    out.append(f'<path class="band" d="M{LEFT} {bottom}V{bottom - shift:.1f}L{right - shift:.1f} {TOP}H{right}V{TOP + shift:.1f}'
               f'L{LEFT + shift:.1f} {bottom}z"/>')
    for exponent in range(low, high + 1):
        value = 10.0 ** exponent
        out.append(f'<path class="grid" d="M{x(value):.1f} {TOP}V{bottom}M{LEFT} {y(value):.1f}H{right}"/>')
        out.append(f'<text x="{x(value):.1f}" y="{bottom + 14}" text-anchor="middle">{words(exponent)}</text>')
        out.append(f'<text x="{LEFT - 5}" y="{y(value) + 4:.1f}" text-anchor="end">{words(exponent)}</text>')
    out.append(f'<path class="equal" d="M{LEFT} {bottom}L{right} {TOP}"/>')
    for c in cases:
        part = next((i for i, name in enumerate(parts) if name in c["label"].split()), 0)
        out.append(mark(part, x(c["measured"]), y(c["simulated"]), COLOURS[part % len(COLOURS)],
                        f"{c['label']}: {c['error']:+.1f} %"))
    for i, name in enumerate(parts):
        line = TOP + 14 + 15 * i
        out.append(mark(i, LEFT + 12, line - 4, COLOURS[i % len(COLOURS)], name))
        out.append(f'<text x="{LEFT + 20}" y="{line}">{html.escape(name)}</text>')
    unit = html.escape(score["unit"])
    out.append(f'<text x="{LEFT + EDGE / 2}" y="{bottom + 32}" text-anchor="middle">measured, {unit}</text>')
    out.append(f'<text transform="translate(12 {TOP + EDGE / 2}) rotate(-90)" text-anchor="middle">simulated, {unit}</text>')
    return "\n".join(out) + "\n</svg>\n"
