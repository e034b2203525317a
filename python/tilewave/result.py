# SPDX-License-Identifier: Apache-2.0
"""What a run gives back."""

import functools
import html
import json
import os

from tilewave import _core
from tilewave.frame import layers_frame
from tilewave.inputs import _written, config_error
from tilewave.record import Record, as_record
from tilewave.words import percent, quantity

_ROWS_IN_NOTEBOOK = 30
_NOTEBOOK_COLUMNS = ("name", "op", "cycles", "time_s", "macs", "utilization", "bound",
                     "traffic.dram.gb_per_s")


class Result:
    """The report of a run.

    total: cycles, time_s, macs, flops, utilization (0 to 1), achieved_tflops, dram_read_bytes,
        dram_write_bytes, dram_gb_per_s (1e9 bytes/s), energy_j, average_power_w, as attributes.
    layers: pandas.DataFrame, a row a layer, columns as in the CSV (docs/report.md).
    arch, workload, timeline, host: parts of the report, members as attributes.
    report: all of it, as a dict. warnings: list of str.
    """

    def __init__(self, report, warnings=(), trace=None):
        """report: JSON text or a dict, as `tilewave run --out` writes it."""
        self._text = report if isinstance(report, str) else json.dumps(report)
        self.warnings = list(warnings)
        self._trace = trace

    @functools.cached_property
    def report(self):
        return json.loads(self._text)

    @property
    def total(self):
        return as_record(self.report["total"])

    @property
    def arch(self):
        return as_record(self.report["arch"])

    @property
    def workload(self):
        return as_record(self.report["workload"])

    @property
    def timeline(self):
        return as_record(self.report.get("timeline", Record()))

    @property
    def host(self):
        return as_record(self.report.get("host", Record()))

    @property
    def fidelity(self):
        return self.report["fidelity"]

    @functools.cached_property
    def layers(self):
        return layers_frame(self.report["layers"])

    @property
    def name(self):
        """'resnet50 on tpu_v1'."""
        return f"{self.report['workload']['name']} on {self.report['arch']['name']}"

    @property
    def plot(self):
        """Figures: plot.roofline(), .timeline(), .breakdown(), .energy(), .array(); each takes ax= and
        returns the matplotlib Axes."""
        from tilewave.viz import Plots
        return Plots(self.report)

    def to_json(self, path=None):
        """The report as JSON text, as `--out` writes it; with a path, written there."""
        return _written(_core.report_text(self._text), path)

    def to_csv(self, path=None):
        """The layers as CSV text, as `--csv` writes it; with a path, written there."""
        return _written(_core.report_csv(self._text), path)

    def to_html(self, path=None):
        """The page with figures, as `--html` writes it: one file, no network."""
        return _written(_core.report_html(self._text), path)

    def to_trace(self, path=None):
        """What each unit did when, for ui.perfetto.dev; of a run with simulate(..., trace=True)."""
        if self._trace is None:
            raise config_error("no trace was recorded: give simulate() trace=True", "trace")
        return _written(self._trace, path)

    def compare(self, *others, labels=None, html=None):
        """This run beside others, a pandas.DataFrame: a row a layer and `total`; columns
        (quantity, run): cycles, time_s, utilization, dram_bytes, energy_j; and speedup, this run's time
        over the other's. Layers are matched by name; labels: names of the runs, this one's first; html:
        a file for the page with figures, as `tilewave compare --html` writes it."""
        from tilewave.compare import compare, page
        runs = [self, *others]
        if html is not None:
            _written(page(runs, labels), html)
        return compare(runs, labels)

    def __str__(self):
        return _core.report_table(self._text, 80)

    def __repr__(self):
        total = self.report["total"]
        return (f"<tilewave.Result {self.name}: {total['cycles']} cycles, "
                f"{quantity(total['time_s'], 's')}, {percent(total['utilization'])} utilization, "
                f"{quantity(total['energy_j'], 'J')}>")

    def _repr_html_(self):
        total = self.report["total"]
        rows = [("cycles", f"{total['cycles']:,}"), ("time", quantity(total["time_s"], "s")),
                ("MACs", quantity(total["macs"], "")), ("utilization", percent(total["utilization"])),
                ("DRAM read", quantity(total["dram_read_bytes"], "B")),
                ("DRAM written", quantity(total["dram_write_bytes"], "B")),
                ("energy", quantity(total["energy_j"], "J")),
                ("average power", quantity(total["average_power_w"], "W"))]
        summary = "".join(f"<tr><th style='text-align:left'>{k}</th><td>{html.escape(v)}</td></tr>"
                          for k, v in rows)
        columns = [c for c in _NOTEBOOK_COLUMNS if c in self.layers.columns]
        table = self.layers[columns].to_html(max_rows=_ROWS_IN_NOTEBOOK, index=False)
        return (f"<div><b>{html.escape(self.name)}</b>, {html.escape(self.fidelity)}"
                f"<table>{summary}</table>{table}</div>")


# What every report has (docs/report.md), as far as it is read here.
_FIELDS = {"arch": ("name",), "workload": ("name",),
           "total": ("cycles", "time_s", "macs", "utilization", "dram_read_bytes", "dram_write_bytes",
                     "energy_j", "average_power_w")}
_LAYER_FIELDS = ("name", "cycles", "time_s", "utilization")
_TEXTS = ("name",)
_OF_NUMBERS = ("breakdown", "energy_j", "roofline")  # parts of a layer


def _faults(values, fields, path):
    """What is wrong with fields of a part of a report, in words."""
    if not isinstance(values, dict):
        return [f"{path} is no object"]
    missing = [f"there is no {path}.{key}" for key in fields if key not in values]
    return missing + [f"{path}.{key} is no {'text' if key in _TEXTS else 'number'}" for key in fields
                      if key in values and not isinstance(values[key],
                                                          str if key in _TEXTS else (int, float))]


def _faults_inside(layer, path):
    """Of the parts of a layer, where there are such."""
    faults = [f"{path}.{key} is no object of numbers" for key in _OF_NUMBERS if key in layer and not (
        isinstance(layer[key], dict) and all(isinstance(v, (int, float)) for v in layer[key].values()))]
    traffic = layer.get("traffic", {})
    if not isinstance(traffic, dict) or not all(isinstance(v, dict) for v in traffic.values()):
        faults.append(f"{path}.traffic is no object of objects")
    return faults


def _check(report, path):
    """Raises ConfigError for what is no report."""
    missing = [key for key in ("arch", "workload", "fidelity", "total", "layers")
               if not isinstance(report, dict) or key not in report]
    if missing:
        raise config_error(f"is no report: there is no {', '.join(missing)}", str(path))
    faults = [fault for part, fields in _FIELDS.items() for fault in _faults(report[part], fields, part)]
    if not isinstance(report["layers"], list):
        faults.append("layers is no array")
    else:
        for i, layer in enumerate(report["layers"]):
            faults += _faults(layer, _LAYER_FIELDS, f"layers[{i}]")
            faults += [] if faults else _faults_inside(layer, f"layers[{i}]")
    if faults:
        raise config_error(f"is no report: {faults[0]}", str(path))


def load_report(path):
    """The Result that a report file (`tilewave run --out`, Result.to_json()) holds."""
    text = _core.json_file(os.fsencode(path))
    _check(json.loads(text), path)
    return Result(text)
