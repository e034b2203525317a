# SPDX-License-Identifier: Apache-2.0
"""`tilewave compare`: reports side by side."""

import csv
import io
import json
import unittest

from _support import CliTest


class CompareTest(CliTest):
    def report(self, name, *words):
        self.results("run", "--arch", "tpu_v1", "--workload", "tiny_cnn", *words, "--out", name, "--quiet")
        return json.loads((self.folder / name).read_text(encoding="utf-8"))

    def test_totals_and_layers_are_the_reports(self):
        a = self.report("a.json")
        b = self.report("b.json", "--set", "memory.dram.preset=gddr5_7000")
        compared = json.loads(self.results("compare", "a.json", "b.json", "--label", "slow", "--label", "fast", "--json",
                                           "--csv", "c.csv"))
        self.assertEqual([run["label"] for run in compared["runs"]], ["slow", "fast"])
        self.assertEqual(compared["total"]["cycles"], [r["total"]["cycles"] for r in (a, b)])
        self.assertEqual([layer["name"] for layer in compared["layers"]], [layer["name"] for layer in a["layers"]])
        for i, layer in enumerate(compared["layers"]):
            times = [r["layers"][i]["time_s"] for r in (a, b)]
            self.assertEqual(layer["time_s"], times)
            self.assertEqual(layer["speedup"], [None, times[0] / times[1]])
        rows = list(csv.DictReader(io.StringIO((self.folder / "c.csv").read_text(encoding="utf-8"))))
        self.assertEqual([row["layer"] for row in rows], [layer["name"] for layer in a["layers"]] + ["total"])
        self.assertEqual(int(rows[-1]["cycles.fast"]), b["total"]["cycles"])
        table = self.results("compare", "a.json", "b.json")
        self.assertIn("tpu_v1 (2) against tpu_v1", table)

    def test_layers_that_a_run_lacks(self):
        self.report("a.json")
        self.write("w.json", {"ops": [{"op": "gemm", "name": "stem", "m": 8, "n": 8, "k": 8}]})
        self.results("run", "--arch", "tpu_v1", "--workload", "w.json", "--out", "b.json", "--quiet")
        layers = {layer["name"]: layer for layer in
                  json.loads(self.results("compare", "a.json", "b.json", "--json"))["layers"]}
        self.assertIsNone(layers["pool"]["time_s"][1])
        self.assertIsNone(layers["pool"]["speedup"][1])
        self.assertGreater(layers["stem"]["speedup"][1], 0)

    def test_wrong_input(self):
        self.report("a.json")
        self.write("other.json", {"ops": []})
        self.write("cut.json", (self.folder / "a.json").read_text(encoding="utf-8")[:500])
        self.assert_faults(["compare", "a.json"], "REPORT")
        self.assert_faults(["compare", "a.json", "none.json"], "none.json: no such file")
        self.assert_faults(["compare", "a.json", "other.json"], "other.json: is no report")
        self.assert_faults(["compare", "a.json", "cut.json"], "cut.json")
        self.assert_faults(["compare", "a.json", "a.json", "--label", "x"], "--label: are 1, there are 2 runs")
        self.assert_faults(["compare", "a.json", "a.json", "--label", "x", "--label", "x"], "given twice")
        self.assert_faults(["compare", "a.json", "a.json", "--csv", "a.json"], "is one of the reports")

    def test_a_report_may_be_odd(self):
        report = self.report("a.json")
        for change in ({"layers": {}}, {"layers": [7]}, {"total": []}, {"arch": "x"}, {"workload": {"name": 3}}):
            self.write("odd.json", {**report, **change})
            result = self.call("compare", "a.json", "odd.json")
            self.assertEqual(result.returncode, 2, change)
            self.assertIn("odd.json", result.stderr)


if __name__ == "__main__":
    unittest.main()
