# SPDX-License-Identifier: Apache-2.0
"""Several runs side by side."""

from tilewave import _core
from tilewave.inputs import config_error

QUANTITIES = ("cycles", "time_s", "utilization", "dram_bytes", "energy_j")


def _of_layer(layer):
    dram = layer.get("traffic", {}).get("dram", {})
    return {"cycles": layer["cycles"], "time_s": layer["time_s"], "utilization": layer["utilization"],
            "dram_bytes": dram.get("read_bytes", 0) + dram.get("write_bytes", 0),
            "energy_j": sum(layer.get("energy_j", {}).values())}


def _of_total(total):
    return {"cycles": total["cycles"], "time_s": total["time_s"], "utilization": total["utilization"],
            "dram_bytes": total["dram_read_bytes"] + total["dram_write_bytes"],
            "energy_j": total["energy_j"]}


def _labels(results, labels):
    if labels is not None:
        if len(labels) != len(results):
            raise config_error(f"are {len(labels)}, there are {len(results)} runs", "labels")
        return list(labels)
    # What differs names a run: the machine, the workload, or both.
    machines = [r.report["arch"]["name"] for r in results]
    workloads = [r.report["workload"]["name"] for r in results]
    names = (machines if len(set(workloads)) == 1 else
             workloads if len(set(machines)) == 1 else [r.name for r in results])
    seen, unique = {}, []
    for name in names:
        seen[name] = seen.get(name, 0) + 1
        unique.append(name if seen[name] == 1 else f"{name} ({seen[name]})")
    return unique


def compare(results, labels=None):
    """pandas.DataFrame of Results, see Result.compare()."""
    import pandas
    labels = _labels(results, labels)
    rows = []  # in the order of the first run that has them
    tables = []
    for result in results:
        table = {layer["name"]: _of_layer(layer) for layer in result.report["layers"]}
        rows += [name for name in table if name not in rows]
        table["total"] = _of_total(result.report["total"])
        tables.append(table)
    rows.append("total")
    columns = {}
    for quantity in QUANTITIES:
        for label, table in zip(labels, tables):
            columns[quantity, label] = [table.get(row, {}).get(quantity) for row in rows]
    for label in labels[1:]:
        columns["speedup", label] = [
            a / b if a is not None and b else None
            for a, b in zip(columns["time_s", labels[0]], columns["time_s", label])]
    return pandas.DataFrame(columns, index=pandas.Index(rows, name="layer"))


def page(results, labels=None):
    """The comparison as one HTML file."""
    return _core.comparison_html([r.to_json() for r in results], _labels(results, labels))
