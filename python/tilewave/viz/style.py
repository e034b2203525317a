# SPDX-License-Identifier: Apache-2.0
"""How figures look. Colours are those of the HTML report (viz/report/style.css), told apart by readers
with any colour vision; marks differ in shape too."""

import matplotlib

COLORS = {"blue": "#0072c0", "sky": "#3dbbf2", "orange": "#ec9000", "yellow": "#f3e545",
          "red": "#c24600", "pink": "#a97db0", "green": "#3da56a", "wine": "#6a1e65",
          "violet": "#34159a", "teal": "#7fedcd", "grey": "#72726f"}
OTHERS = ("#6b4f3a", "#b7c94c", "#2f4b7c", "#f4a6a6")
TEXT, DIM, GRID = "#1b1f24", "#59636e", "#e9ecef"

# Inches: one column of a page, or its width.
SIZES = {"roofline": (6.4, 4.2), "timeline": (6.4, 3.2), "breakdown": (7.2, 5.0), "energy": (7.2, 5.0),
         "array": (5.2, 4.4), "pareto": (5.6, 4.0)}
DPI = 200

_PARAMETERS = {
    "font.family": "DejaVu Sans", "font.size": 9, "axes.titlesize": 10, "axes.titleweight": "bold",
    "axes.titlelocation": "left", "axes.edgecolor": DIM, "axes.labelcolor": TEXT, "text.color": TEXT,
    "xtick.color": DIM, "ytick.color": DIM, "axes.spines.top": False, "axes.spines.right": False,
    "axes.grid": True, "axes.axisbelow": True, "grid.color": GRID, "grid.linewidth": 0.8,
    "legend.frameon": False, "legend.fontsize": 8, "lines.linewidth": 1.4, "savefig.dpi": DPI,
    # The same report gives the same bytes.
    "svg.hashsalt": "tilewave", "svg.fonttype": "path",
}

# Names and colours of the report's words: viz/report/words.js.
CYCLE_CLASSES = {
    "matrix_busy": ("matrix busy", "blue"), "vector_busy": ("vector busy", "sky"),
    "weight_load": ("weight load", "orange"), "fill_drain": ("fill and drain", "yellow"),
    "wait_weights": ("wait: weights", "red"), "wait_activations": ("wait: activations", "pink"),
    "wait_output": ("wait: accumulators", "green"), "wait_dram": ("wait: DRAM", "wine"),
    "wait_host": ("wait: host", "violet"), "wait_link": ("wait: links", OTHERS[2]),
    "wait_store": ("wait: store", "teal"), "wait_cores": ("wait: cores", OTHERS[1]),
    "wait_l2": ("wait: L2", "pink"), "sync": ("synchronize", OTHERS[3]),
    "launch": ("launch", OTHERS[0]), "idle": ("idle", "grey")}
COMPONENTS = {
    "matrix": ("matrix unit", "blue"), "vector": ("vector unit", "sky"),
    "register_file": ("registers", "yellow"), "l1": ("on-chip buffers (L1)", "green"),
    "l2": ("L2", "pink"), "dram": ("DRAM", "red"), "interconnect": ("links", "violet"),
    "static": ("static", "grey")}
BOUNDS = {"matrix": ("blue", "o"), "vector": ("sky", "v"), "dram": ("red", "s"), "l2": ("pink", "P"),
          "l1": ("green", "X"), "latency": ("orange", "^"), "launch": ("wine", "<"),
          "host": ("violet", "D"), "link": ("teal", "d")}


def color(name):
    return COLORS.get(name, name)


def named(words, key):
    """(name, colour) of a class or component; of one that is new, its own words in grey."""
    name, shade = words.get(key, (key.replace("_", " "), OTHERS[sum(map(ord, key)) % len(OTHERS)]))
    return name, color(shade)


def applied():
    """A context in which figures look like this."""
    return matplotlib.rc_context(_PARAMETERS)


def title(report):
    return f"{report['workload']['name']} on {report['arch']['name']}"


def shortened(text, most=32):
    return text if len(text) <= most else text[:most // 2 - 1] + "…" + text[-(most // 2):]


def escaped(text):
    """Text in which a dollar sign is no formula."""
    return str(text).replace("$", r"\$")
