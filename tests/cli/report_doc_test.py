# SPDX-License-Identifier: Apache-2.0
"""docs/report.md names every field of a report, and no field that no report has."""

import json
import pathlib
import re
import unittest

from _support import CliTest

ROOT = pathlib.Path(__file__).parents[2]

# Documented elsewhere, or as a whole: a machine, a workload, counters, kinds of DRAM commands, causes of stalls.
WHOLE = {"arch", "workload", "shape", "statistics", "values", "commands", "stall_cycles", "breakdown",
         "sub_core_cycles"}
RUNS = [["tpu_v1", "--dtype", "int8"], ["a100_sxm_80gb", "--dtype", "fp16"],
        ["a100_sxm_80gb", "--dtype", "fp16", "--fidelity", "detailed"], ["ascend_910b", "--dtype", "fp16"],
        ["tpu_v2_board", "--dtype", "bf16"], ["dgx_a100", "--dtype", "fp16"]]


def fields(value, out):
    if isinstance(value, dict):
        for key, inner in value.items():
            out.add(key)
            if key not in WHOLE:
                fields(inner, out)
    elif isinstance(value, list):
        for inner in value:
            fields(inner, out)


def names(text):
    """Words within backquotes."""
    return {word for code in re.findall(r"`([^`]+)`", text) for word in re.split(r"[^A-Za-z0-9_]+", code) if word}


class ReportDocTest(CliTest):
    def test_the_page_and_the_reports_have_the_same_fields(self):
        there = set()
        for arch, *words in RUNS:
            self.results("run", "--arch", arch, "--workload", "tiny_cnn", *words, "--quiet", "--out",
                         self.folder / "r.json")
            fields(json.loads((self.folder / "r.json").read_text(encoding="utf-8")), there)
        page = (ROOT / "docs" / "report.md").read_text(encoding="utf-8")
        page = page[page.index("## JSON, field by field"):page.index("## CSV")]
        page = re.sub(r"```.*?```", "", page, flags=re.S)
        self.assertEqual(sorted(there - names(page) - {"tilewave", "total"}), [])
        first_cells = "\n".join(re.findall(r"^\|([^|]*)\|", page, flags=re.M))
        # Layers bound by these, and values of a functional run, are in none of the reports above.
        absent = {"latency", "launch", "matrix", "vector", "values"}
        self.assertEqual(sorted(names(first_cells) - there - absent), [])


if __name__ == "__main__":
    unittest.main()
