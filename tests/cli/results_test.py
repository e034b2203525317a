# SPDX-License-Identifier: Apache-2.0
"""What a run gives: table, report, CSV, trace, page; and that files are written whole or not at all."""

import csv
import json
import os
import pathlib
import re
import stat
import unittest

from _support import CliTest

RUN = ("run", "--arch", "tpu_v1", "--workload", "tiny_cnn")


def without_host(report):
    return {key: value for key, value in report.items() if key != "host"}


class ReportTest(CliTest):
    def test_standard_output_and_file_are_the_same(self):
        text = self.results(*RUN, "--json", "--out", "r.json")
        self.assertEqual(text, (self.folder / "r.json").read_text(encoding="utf-8"))
        self.assertEqual(json.loads(text)["workload"]["name"], "tiny_cnn")

    def test_a_run_has_one_result(self):
        for fidelity in ("fast", "detailed"):
            reports = [json.loads(self.results(*RUN, "--json", "--fidelity", fidelity)) for _ in range(2)]
            self.assertEqual(without_host(reports[0]), without_host(reports[1]))
            self.assertEqual(reports[0]["fidelity"], fidelity)

    def test_the_shown_machine_and_workload_give_the_same_report(self):
        self.write("m.json", self.results("show", "arch", "tpu_v1", "--set", "clock_ghz=0.9"))
        self.write("w.json", self.results("show", "workload", "resnet18", "--set", "workload.batch=2"))
        named = self.results("run", "--arch", "tpu_v1", "--set", "clock_ghz=0.9", "--json",
                             "--workload", "resnet18", "--batch", "2")
        shown = self.results("run", "--arch", "m.json", "--workload", "w.json", "--json")
        self.assertEqual(without_host(json.loads(named)), without_host(json.loads(shown)))

    def test_options_and_set_say_the_same_about_a_workload(self):
        by_option = self.results("run", "--arch", "tpu_v1", "--workload", "mlp", "--json",
                                 "--batch", "3", "--dtype", "int16")
        by_set = self.results("run", "--arch", "tpu_v1", "--workload", "mlp", "--json",
                              "--set", "workload.batch=3", "--set", "workload.dtype=int16")
        self.assertEqual(without_host(json.loads(by_option)), without_host(json.loads(by_set)))

    def test_quiet_prints_nothing_and_writes_all(self):
        result = self.call(*RUN, "--quiet", "--out", "r.json", "--csv", "l.csv", "--trace", "t.json",
                           "--html", "p.html")
        self.assertEqual((result.returncode, result.stdout, result.stderr), (0, "", ""))
        self.assertEqual(self.files(), ["l.csv", "p.html", "r.json", "t.json"])

    def test_dump_program_prints_kernels_and_runs_nothing(self):
        text = self.results(*RUN, "--dump-program")
        self.assertIn('kernel "stem"', text)
        self.assertNotIn("total", text)

    def test_scale_sim_ceil_changes_a_stride_that_does_not_divide(self):
        self.write("t.csv", "Layer,IFMAP Height,IFMAP Width,Filter Height,Filter Width,Channels,"
                            "Num Filter,Strides\nc,8,8,3,3,3,8,2\n")
        macs = [json.loads(self.results("run", "--arch", "scale_sim_8_os", "--workload", "t.csv", "--json",
                                        *extra))["total"]["macs"] for extra in ((), ("--scale-sim-ceil",))]
        self.assertEqual(macs, [3 * 3 * 27 * 8, 4 * 4 * 27 * 8])


class TableTest(CliTest):
    def test_it_has_a_row_a_layer_and_fits_80_columns(self):
        for network in ("resnet50", "mobilenet_v2", "alexnet"):
            report = json.loads(self.results("run", "--arch", "tpu_v1", "--workload", network, "--json"))
            lines = self.results("run", "--arch", "tpu_v1", "--workload", network).splitlines()
            self.assertLessEqual(max(map(len, lines)), 80)
            cycles = [int(match.group(1)) for line in lines
                      if (match := re.match(r"^\S+ +(\d+)  +\d", line))]
            self.assertEqual(cycles, [layer["cycles"] for layer in report["layers"]] +
                             [report["total"]["cycles"]])

    def test_it_names_the_slowest_layers_and_the_bottleneck(self):
        report = json.loads(self.results(*RUN, "--json"))
        text = self.results(*RUN)
        slowest = sorted(report["layers"], key=lambda layer: -layer["cycles"])[:3]
        shares = [f"{100 * layer['cycles'] / report['total']['cycles']:.1f} %  {layer['name']}: "
                  for layer in slowest]
        place = text.index("slowest layers")
        for share in shares:
            place = text.index(share, place)
        classes = report["total"]["breakdown"]
        largest = max(classes, key=classes.get)
        share = round(100 * classes[largest] / report["total"]["cycles"])
        bottleneck = " ".join(text[text.index("bottleneck"):].split())
        self.assertIn(f"{share} % of the time", bottleneck)

    def test_narrow_terminals(self):
        for columns in (40, 60, 79):
            text = self.results(*RUN, environment={"COLUMNS": str(columns)})
            self.assertLessEqual(max(map(len, text.splitlines())), columns)
            self.assertIn("classifier", text)

    def test_warnings_go_to_standard_error(self):
        result = self.call("run", "--arch", "scale_sim_8_os", "--workload", "tiny_cnn")
        self.assertEqual(result.returncode, 0)
        self.assertRegex(result.stderr, "^warning: ")
        self.assertNotIn("warning", result.stdout)


class CsvTest(CliTest):
    NAMES = ['comma, in it', 'a "quoted" one', "two\nlines", " spaces ", "größe=1", "plain"]

    def test_names_come_back_as_they_were(self):
        self.write("w.json", {"ops": [{"op": "gemm", "name": name, "m": 4, "n": 4, "k": 4}
                                      for name in self.NAMES]})
        self.results("run", "--arch", "tpu_v1", "--workload", "w.json", "--csv", "l.csv", "--out", "r.json")
        with open(self.folder / "l.csv", encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual([row["name"] for row in rows], self.NAMES)
        # A line end in a name does not tear the table on the terminal either.
        text = self.results("run", "--arch", "tpu_v1", "--workload", "w.json")
        self.assertIn("two lines", text)

    def test_columns_are_the_values_of_the_report(self):
        self.results(*RUN, "--csv", "l.csv", "--out", "r.json", "--quiet")
        report = json.loads((self.folder / "r.json").read_text(encoding="utf-8"))
        with open(self.folder / "l.csv", encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual(len(rows), len(report["layers"]))
        for row, layer in zip(rows, report["layers"]):
            self.assertNotIn(None, row)  # as many cells as columns
            self.assertEqual(row["op"], layer["op"])
            self.assertEqual(int(row["cycles"]), layer["cycles"])
            self.assertEqual(float(row["utilization"]), layer["utilization"])
            self.assertEqual(int(row["traffic.dram.read_bytes"]), layer["traffic"]["dram"]["read_bytes"])
            self.assertEqual(float(row["energy_j.static"]), layer["energy_j"]["static"])
            self.assertEqual(sum(int(row[f"breakdown.{name}_cycles"]) for name in layer["breakdown"]),
                             layer["cycles"])
        self.assertEqual(rows[0]["shape.padding"], "1 1")
        self.assertEqual(rows[0]["shape.m"], "")  # a convolution has none


class TraceTest(CliTest):
    def test_it_is_a_chrome_trace_of_the_run(self):
        self.results(*RUN, "--trace", "t.json", "--out", "r.json", "--quiet")
        trace = json.loads((self.folder / "t.json").read_text(encoding="utf-8"))
        report = json.loads((self.folder / "r.json").read_text(encoding="utf-8"))
        tracks = {event["tid"]: event["args"]["name"] for event in trace["traceEvents"]
                  if event["name"] == "thread_name"}
        slices = [event for event in trace["traceEvents"] if event["ph"] == "X"]
        layers = [event for event in slices if tracks[event["tid"]] == "layers"]
        self.assertEqual([event["name"] for event in layers], [layer["name"] for layer in report["layers"]])
        end_us = report["total"]["time_s"] * 1e6
        self.assertAlmostEqual(layers[-1]["ts"] + layers[-1]["dur"], end_us, places=3)
        self.assertIn("core0.matrix0", tracks.values())
        last = {}
        for event in slices:  # on a track, one after another
            self.assertGreaterEqual(event["ts"] + 1e-5, last.get(event["tid"], 0))
            last[event["tid"]] = event["ts"] + event["dur"]
            self.assertLessEqual(last[event["tid"]], end_us + 1e-3)

    def events_are_valid(self, trace):
        """What the trace-event format asks for, and what makes a track readable."""
        threads = {event["tid"] for event in trace["traceEvents"] if event["name"] == "thread_name"}
        names = [event["args"]["name"] for event in trace["traceEvents"] if event["name"] == "thread_name"]
        self.assertEqual(len(names), len(set(names)))
        slices = {}
        for event in trace["traceEvents"]:
            self.assertIn(event["ph"], ("M", "X", "C"))
            self.assertEqual(event["pid"], 1)
            self.assertIsInstance(event["tid"], int)
            self.assertIsInstance(event["name"], str)
            if event["ph"] == "M":
                self.assertIn(event["name"], ("process_name", "thread_name", "thread_sort_index"))
                continue
            self.assertGreaterEqual(event["ts"], 0)
            if event["ph"] == "X":
                self.assertIn(event["tid"], threads)  # each slice lies on a track with a name
                args = event["args"]
                self.assertGreaterEqual(event["dur"], 0)
                slices.setdefault(event["tid"], []).append(
                    (args["begin_cycle"], args["begin_cycle"] + args["cycles"]))
        self.assertEqual(set(slices), threads)  # no track is empty
        for of_track in slices.values():  # in whole cycles: not even a partial overlap
            for before, after in zip(of_track, of_track[1:]):
                self.assertLessEqual(before[1], after[0])

    def test_events_are_valid_and_tracks_do_not_overlap(self):
        for arch in ("tpu_v1", "a100_sxm_40gb"):
            with self.subTest(arch):
                self.results("run", "--arch", arch, "--workload", "tiny_cnn", "--trace", "t.json", "--quiet")
                trace = json.loads((self.folder / "t.json").read_text(encoding="utf-8"))
                self.events_are_valid(trace)
                name, = [event["args"]["name"] for event in trace["traceEvents"]
                         if event["name"] == "process_name"]
                self.assertEqual(name, f"tilewave: tiny_cnn on {arch}")

    def test_counters_are_the_timeline(self):
        shown = {"matrix utilization": ("matrix_utilization", "share"), "DRAM bandwidth": ("dram_gb_per_s", "GB/s"),
                 "L2 bandwidth": ("l2_gb_per_s", "GB/s"), "power": ("power_w", "W")}
        for arch in ("tpu_v1", "a100_sxm_40gb"):
            with self.subTest(arch):
                self.results("run", "--arch", arch, "--workload", "tiny_cnn", "--trace", "t.json", "--out", "r.json",
                             "--quiet")
                trace = json.loads((self.folder / "t.json").read_text(encoding="utf-8"))
                report = json.loads((self.folder / "r.json").read_text(encoding="utf-8"))
                timeline, total = report["timeline"], report["total"]
                us_per_cycle = total["time_s"] * 1e6 / total["cycles"]
                counters = {}
                for event in trace["traceEvents"]:
                    if event["ph"] == "C":
                        counters.setdefault(event["name"], []).append(event)
                self.assertEqual(set(counters), {name for name, (key, _) in shown.items() if key in timeline})
                for name, samples in counters.items():
                    key, unit = shown[name]
                    self.assertEqual([sample["args"][unit] for sample in samples], [*timeline[key], 0])
                    self.assertLessEqual(len(samples), 513)
                    for i, sample in enumerate(samples[:-1]):
                        self.assertAlmostEqual(sample["ts"], i * timeline["bin_cycles"] * us_per_cycle, places=3)
                    self.assertAlmostEqual(samples[-1]["ts"], total["time_s"] * 1e6, places=3)

    def test_it_is_the_same_each_time_and_bounded(self):
        self.write("w.json", {"ops": [{"op": "gemm", "m": 4096, "n": 4096, "k": 32}]})
        texts = []
        for name in ("a.json", "b.json"):
            self.results("run", "--arch", "scale_sim_8_os", "--workload", "w.json", "--trace", name, "--quiet")
            texts.append((self.folder / name).read_text(encoding="utf-8"))
        self.assertEqual(texts[0], texts[1])
        trace = json.loads(texts[0])
        self.events_are_valid(trace)
        self.assertLessEqual(sum(event["ph"] == "X" for event in trace["traceEvents"]), 200_000 + 1)  # + the layer
        self.assertLess(len(texts[0]), 64 << 20)  # 200,000 slices of at most about 300 bytes
        resolution = trace["otherData"]["resolution_cycles"]
        self.assertGreater(resolution, 0)
        self.assertIn(f"at most {resolution} cycles", trace["otherData"]["note"])  # the sampling is stated
        for event in trace["traceEvents"]:
            if event["ph"] == "X" and event["args"].get("slices", 1) > 1:
                self.assertLessEqual(event["args"]["cycles"], resolution)
        arrays = {event["tid"] for event in trace["traceEvents"] if event["name"] == "thread_name"
                  and event["args"]["name"].startswith("core0.matrix0")}
        folds = sum(event["args"].get("slices", 1) for event in trace["traceEvents"]
                    if event["ph"] == "X" and event["tid"] in arrays)
        self.assertEqual(folds, 512 * 512)  # none is lost

    def test_of_a_gpu_it_has_every_cta(self):
        self.write("w.json", {"dtype": "fp16", "ops": [{"op": "gemm", "name": "p", "m": 8192, "n": 4096, "k": 512},
                                                       {"op": "softmax", "name": "s", "rows": 4096, "cols": 512}]})
        self.results("run", "--arch", "t4", "--workload", "w.json", "--trace", "t.json", "--out", "r.json", "--quiet")
        trace = json.loads((self.folder / "t.json").read_text(encoding="utf-8"))
        report = json.loads((self.folder / "r.json").read_text(encoding="utf-8"))
        tracks = {event["tid"]: event["args"]["name"] for event in trace["traceEvents"]
                  if event["name"] == "thread_name"}
        slices = [event for event in trace["traceEvents"] if event["ph"] == "X"]
        for layer in report["layers"]:
            ctas = [e for e in slices if e["name"].startswith(f"{layer['name']}: CTA ")]
            skipped = [e for e in slices if tracks[e["tid"]] == "SMs" and e["name"].startswith(f"{layer['name']}: ")]
            of_skipped = sum(int(e["name"].split()[1]) for e in skipped)
            self.assertEqual(len(ctas) + of_skipped, layer["ctas"])
            self.assertEqual(len({e["name"] for e in ctas}), len(ctas))
            self.assertTrue(all(tracks[e["tid"]].startswith("SM ") for e in ctas))
            end = layer["start_cycle"] + layer["cycles"]
            self.assertTrue(all(layer["start_cycle"] <= e["args"]["begin_cycle"] <=
                                e["args"]["begin_cycle"] + e["args"]["cycles"] <= end for e in ctas))
        self.assertTrue(any(tracks[e["tid"]] == "SMs" for e in slices))  # its waves are alike


class OutputFileTest(CliTest):
    def test_places_that_cannot_be_written_are_found_before_the_run(self):
        run = ["run", "--arch", "tpu_v1", "--workload", "resnet18"]
        for option in ("--out", "--csv", "--trace", "--html"):
            self.assert_faults(run + [option, "none/x"], f"{option}: none/x cannot be written: there is no "
                                                         "such directory")
            self.assert_faults(run + [option, self.folder], f"{option}: .* is a directory")
            self.assert_faults(run + [option, "/proc/x"], f"{option}: /proc/x cannot be written: ")
        self.assert_faults(run + ["--out", "x", "--csv", "x"], "--csv: x is the target of --out already")
        self.write("w.json", {"ops": [{"op": "gemm", "m": 4, "n": 4, "k": 4}]})
        self.assert_faults(["run", "--arch", "tpu_v1", "--workload", "w.json", "--out", "w.json"],
                           "--out: w.json is what this run reads")

    @unittest.skipIf(os.geteuid() == 0, "root may write everywhere")
    def test_read_only_places(self):
        self.write("old.json", "old")
        os.chmod(self.folder / "old.json", 0o444)
        self.assert_faults([*RUN, "--out", "old.json"], "--out: old.json cannot be written: Permission")
        os.chmod(self.folder, 0o555)
        self.addCleanup(os.chmod, self.folder, 0o755)
        self.assert_faults([*RUN, "--out", "new.json"], "--out: new.json cannot be written: Permission")

    def test_a_full_disk_is_a_failure(self):
        self.write("l.csv", "old")
        result = self.call(*RUN, "--out", "/dev/full", "--csv", "l.csv", "--quiet")
        self.assertEqual(result.returncode, 1)
        self.assertEqual(result.stderr, "error: --out: /dev/full cannot be written: No space left on device\n")
        self.assertEqual(self.files(), ["l.csv"])
        self.assertEqual((self.folder / "l.csv").read_text(), "old")
        with open("/dev/full", "w", encoding="utf-8") as full:
            result = self.call(*RUN, stdout=full)
        self.assertEqual(result.returncode, 1)
        self.assertRegex(result.stderr, "^error: standard output cannot be written")

    def test_an_old_file_is_replaced_and_keeps_its_mode(self):
        self.write("r.json", "old")
        os.chmod(self.folder / "r.json", 0o640)
        os.symlink("r.json", self.folder / "link.json")
        self.results(*RUN, "--quiet", "--out", "link.json")
        self.assertTrue((self.folder / "link.json").is_symlink())
        self.assertIn("layers", json.loads((self.folder / "r.json").read_text(encoding="utf-8")))
        self.assertEqual(stat.S_IMODE((self.folder / "r.json").stat().st_mode), 0o640)
        self.assertEqual(self.files(), ["link.json", "r.json"])

    def test_what_is_no_file_is_written_straight(self):
        self.results(*RUN, "--quiet", "--out", "/dev/null")
        self.assertFalse(pathlib.Path("/dev/null").is_file())
        text = self.results(*RUN, "--quiet", "--csv", "/dev/stdout")
        self.assertTrue(text.startswith("name,op,"))

    def test_a_failed_run_writes_nothing(self):
        self.assert_faults([*RUN, "--dtype", "fp64", "--out", "r.json", "--csv", "l.csv"],
                           "fp64")


if __name__ == "__main__":
    unittest.main()
