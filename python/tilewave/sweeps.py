# SPDX-License-Identifier: Apache-2.0
"""Sweeps: many points in worker processes here, or on a Dask cluster."""

import json
import os
import sys
import tempfile

from tilewave import _core
from tilewave.inputs import config_error, is_path, json_text


def sweep(file_or_dict, out=None, jobs=1, client=None, resume=False):
    """Runs every point of a sweep and returns what came of them, a row a point.

    file_or_dict: a preset (list_sweeps()), a path to a sweep file, or a dict as such a file has it
    (docs/sweep_file.md); files that a dict names are found from the current folder.
    out: the folder for the results (sweep.sqlite); None: nothing is left behind.
    jobs: worker processes on this machine, one simulation each.
    client: a dask.distributed.Client; the points run on its workers instead, and the results are the
    same to the last byte. Its workers need this package in the same version and see the same files.
    resume: go on in a folder that has results; only what is missing is run.

    Returns a pandas.DataFrame with the points' numbers as index: a column for each parameter (by
    path), each objective, the report's totals ("total.cycles", ...; units in the names), and "error",
    None where the point ran. attrs: "name", "parameters", "objectives", "out".

    Raises ConfigError (the sweep or the folder is wrong), OSError (the results cannot be written;
    what was there before is kept), KeyboardInterrupt (likewise).
    """
    plan = _plan(file_or_dict)
    if not isinstance(jobs, int) or isinstance(jobs, bool) or jobs < 1:
        raise config_error(f"must be a whole number of at least 1, is {jobs!r}", "jobs")
    if out is None:
        with tempfile.TemporaryDirectory(prefix="tilewave-sweep-") as folder:
            return _run(plan, folder, jobs, client, resume, out)
    return _run(plan, os.fspath(out), jobs, client, resume, os.fspath(out))


def _plan(source):
    if isinstance(source, dict):
        return _core.SweepPlan.parse(json_text(source, "sweep"), os.getcwd())
    if isinstance(source, (str, os.PathLike)):
        text = os.fspath(source)
        if is_path(source) and os.sep not in text:
            text = os.path.join(os.curdir, text)
        return _core.SweepPlan.load(text)
    raise config_error(f"is a name, a path or a dict, not a {type(source).__name__}", "sweep")


def _run(plan, folder, jobs, client, resume, out):
    opened = _core.OpenSweep(plan, folder, bool(resume))
    try:
        if client is None:
            opened.run(jobs, [sys.executable, "-m", "tilewave", "--sweep-worker"])
        else:
            from tilewave.cluster import run_on
            run_on(client, opened)
        frame = _frame(plan, opened)
    finally:
        opened.close()
    frame.attrs = {"name": plan.name, "parameters": plan.parameters, "objectives": plan.objectives,
                   "out": out}
    return frame


def _leaves(path, value, row):
    if isinstance(value, dict):
        for key, inner in value.items():
            _leaves(f"{path}.{key}", inner, row)
    elif not isinstance(value, list):
        row[path] = value


def _frame(plan, opened):
    import pandas
    rows, numbers, totals = [], [], {}

    def take(line):
        result = json.loads(line)
        row = dict(result["parameters"])
        total = {}
        _leaves("total", result.get("total", {}), total)
        totals.update(dict.fromkeys(total))
        row.update(result.get("objectives", {}))
        row.update(total)
        row["error"] = result.get("error")
        rows.append(row)
        numbers.append(result["point"])

    opened.each(take)
    columns = dict.fromkeys([*plan.parameters, *plan.objectives, *totals, "error"])
    return pandas.DataFrame(rows, columns=list(columns), index=pandas.Index(numbers, name="point"))
