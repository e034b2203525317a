# SPDX-License-Identifier: Apache-2.0
"""tilewave sweep: the same results however it is run, stopped, killed and resumed; faults."""

import csv
import json
import os
import pathlib
import random
import resource
import signal
import sqlite3
import subprocess
import time
import unittest

from _support import ENDLESS, ENVIRONMENT, PROGRAM, CliTest

SMALL = {"ops": [{"op": "gemm", "m": 32, "n": 32, "k": 32}]}
KEEP_WAITING_S = 30
SEED = 20261201  # of the moments at which processes are killed


def sweep(values=6, **changes):
    return {"arch": "gemmini_16x16", "workload": SMALL,
            "parameters": {"core.matrix_unit.rows": [4, 8, 16],
                           "clock_ghz": {"range": [0.5, 2.0], "values": values}},
            "objectives": ["total.cycles", "total.energy_j"], **changes}


def one_endless(values):
    """Points 0 and 2 to values - 1 are quick, point 1 never ends."""
    works = [SMALL, ENDLESS, *[{"ops": [{**SMALL["ops"][0], "m": 16 + i}]} for i in range(values - 2)]]
    return {"arch": "tpu_v1", "fidelity": "detailed", "parameters": {"workload": works}}


def drop_privileges():
    """In a child of root's: what is read-only is so for it."""
    nobody = 65534
    os.setgroups([])
    os.setgid(nobody)
    os.setuid(nobody)


def workers_of(process):
    """The process ids of the workers of a running sweep."""
    found = []
    for entry in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            parts = entry.read_text().rpartition(")")[2].split()
        except OSError:  # it has ended meanwhile
            continue
        if int(parts[1]) == process.pid and parts[0] != "Z":
            found.append(int(entry.parent.name))
    return found


class SweepTest(CliTest):
    def start(self, *words, **options):
        process = subprocess.Popen([PROGRAM, "sweep", *map(str, words)], cwd=self.folder, env=ENVIRONMENT,
                                   stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True, **options)

        def end():
            process.kill()
            process.communicate()

        self.addCleanup(end)
        return process

    def rows(self, folder):
        """What the store says of each point."""
        with sqlite3.connect(self.folder / folder / "sweep.sqlite") as database:
            rows = database.execute("SELECT point, parameters, key, objectives, total, error, warnings "
                                    "FROM sweep_rows ORDER BY sweep, point").fetchall()
        database.close()
        return rows

    def count(self, folder):
        try:
            return len(self.rows(folder))
        except sqlite3.Error:
            return 0

    def wait_until(self, condition):
        deadline = time.monotonic() + KEEP_WAITING_S
        while not condition():
            self.assertLess(time.monotonic(), deadline, "it took too long")
            time.sleep(0.01)


class ResultsTest(SweepTest):
    def test_any_number_of_jobs_gives_the_same(self):
        self.write("s.json", sweep(reports=True))
        page = self.results("sweep", "s.json", "--out", "one", "--jobs", 1, "--csv", "one.csv")
        self.assertEqual(page, self.results("sweep", "s.json", "--out", "two", "--jobs", 3, "--csv", "two.csv"))
        self.assertEqual(self.rows("one"), self.rows("two"))
        self.assertEqual((self.folder / "one.csv").read_bytes(), (self.folder / "two.csv").read_bytes())
        self.assertLessEqual(max(map(len, page.splitlines())), 80)
        self.assertRegex(page, r"\As: 18 points\n")
        self.assertIn("best for total.cycles (less is better)", page)
        self.assertIn("Pareto front of total.cycles, total.energy_j", page)

    def test_a_point_is_the_run_of_the_same_input(self):
        self.write("small.json", SMALL)
        self.write("s.json", sweep(2, workload="small.json"))
        self.results("sweep", "s.json", "--out", "out", "--csv", "s.csv", "--quiet")
        report = json.loads(self.results("run", "--arch", "gemmini_16x16", "--workload", "small.json", "--set",
                                         "core.matrix_unit.rows=8", "--set", "clock_ghz=2.0", "--json"))
        point, parameters, _, objectives, total, error, _ = self.rows("out")[3]
        self.assertEqual((point, json.loads(parameters)), (3, {"core.matrix_unit.rows": 8, "clock_ghz": 2.0}))
        self.assertEqual(json.loads(total), report["total"])
        self.assertEqual(json.loads(objectives)["total.cycles"], report["total"]["cycles"])
        self.assertIsNone(error)
        with open(self.folder / "s.csv", newline="", encoding="utf-8") as file:
            row = list(csv.DictReader(file))[3]
        self.assertEqual(int(row["total.cycles"]), report["total"]["cycles"])
        self.assertEqual(float(row["total.energy_j"]), report["total"]["energy_j"])
        self.assertEqual(row["clock_ghz"], "2.0")

    def test_constraints_and_expressions(self):
        self.write("s.json", sweep(parameters={"core.matrix_unit.rows": [4, 8, 16],
                                               "core.matrix_unit.cols": "=core.matrix_unit.rows * 2"},
                                   constraints=["core.matrix_unit.rows * core.matrix_unit.cols < 512"]))
        page = self.results("sweep", "s.json", "--out", "out")
        self.assertIn("s: 2 points, 1 more left out by constraints", page)
        self.assertEqual([json.loads(row[1])["core.matrix_unit.cols"] for row in self.rows("out")], [8, 16])

    def test_a_failing_point_carries_its_error(self):
        self.write("s.json", sweep(parameters={"core.matrix_unit.rows": [8, 0, 16]}))
        result = self.call("sweep", "s.json", "--out", "out")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertRegex(result.stderr, r"\Awarning: point 1 failed: core.matrix_unit.rows: must be .*, is 0\n\Z")
        self.assertIn("3 points, 1 failed", result.stdout)
        errors = [row[5] for row in self.rows("out")]
        self.assertEqual([bool(error) for error in errors], [False, True, False])

    def test_every_point_failing_is_exit_status_1(self):
        self.write("s.json", sweep(objectives=["1 / (total.cycles - total.cycles)"]))
        result = self.call("sweep", "s.json", "--out", "out")
        self.assertEqual(result.returncode, 1)
        self.assertIn("objective 1 / (total.cycles - total.cycles): division by zero", result.stderr)
        self.assertIn("error: every point of the sweep failed\n", result.stderr)

    def test_equal_points_are_not_run_again(self):
        self.write("s.json", sweep(3))
        self.results("sweep", "s.json", "--out", "out", "--quiet")
        before = self.rows("out")
        # A total that no run gives shows where the result is from.
        with sqlite3.connect(self.folder / "out" / "sweep.sqlite") as database:
            database.execute("UPDATE results SET total = json_set(total, '$.cycles', 5)")
        database.close()
        self.write("s.json", sweep(5, objectives=["total.cycles"]))
        self.results("sweep", "s.json", "--out", "out", "--quiet", "--resume")
        cycles = [json.loads(row[3])["total.cycles"] for row in self.rows("out")[len(before):]]
        self.assertEqual([value == 5 for value in cycles], [True, False, True, False, True] * 3)

    def test_equal_points_of_another_file_are_not_run_again(self):
        (self.folder / "a").mkdir()
        (self.folder / "b").mkdir()
        self.write("a/net.json", SMALL)
        self.write("a/s.json", sweep(2, workload="net.json"))
        # Another name, other values, the same machine and ops in a file of its own elsewhere.
        self.write("b/chip.json", {"extends": "gemmini_16x16", "name": "gemmini_16x16"})
        self.write("b/other.json", {"name": "other", "arch": "chip.json", "workload": {"name": "net", **SMALL},
                                    "mode": "zip", "objectives": ["total.macs / total.cycles"],
                                    "parameters": {"core.matrix_unit.rows": [16, 16, 32, 4],
                                                   "clock_ghz": [0.5, 0.7, 2.0, 2.0]}})
        self.results("sweep", "a/s.json", "--out", "out", "--quiet")
        with sqlite3.connect(self.folder / "out" / "sweep.sqlite") as database:
            database.execute("UPDATE results SET total = json_set(total, '$.cycles', 5)")
        database.close()
        self.results("sweep", "b/other.json", "--out", "out", "--quiet", "--resume")
        cycles = [json.loads(row[4])["cycles"] for row in self.rows("out")[6:]]
        self.assertEqual([value == 5 for value in cycles], [True, False, False, True])
        self.assertEqual(json.loads(self.rows("out")[6][3])["total.macs / total.cycles"], 32 ** 3 / 5)

    def test_presets_are_sound(self):
        names = [line.split()[0] for line in self.results("list", "sweeps").splitlines()
                 if not line.startswith(" ")]
        self.assertIn("array_size", names)
        folder = pathlib.Path(__file__).resolve().parents[2] / "configs" / "sweeps"
        files = sorted(folder.glob("*.json"))
        self.assertEqual([file.stem for file in files], names)
        for line in self.results("check", *files).splitlines():
            self.assertRegex(line, r": ok \(sweep \w+, \d+ points\)$")


class KillTest(SweepTest):
    """Whatever is killed, after --resume the store is as if nothing had happened."""

    KILLS = 40  # and ten of a cluster's workers: tests/python/sweep_test.py
    POINTS = 300  # take about as long as some kills
    PAUSE_S = (0.0, 0.06)  # between kills

    def setUp(self):
        super().setUp()
        self.random = random.Random(SEED)

    def kill_one(self, process):
        """A process of the sweep, the parent as often as each worker; None: it was gone already."""
        victim = self.random.choice([process.pid, *workers_of(process)])
        try:
            os.kill(victim, signal.SIGKILL)
        except ProcessLookupError:
            return None
        return victim

    def disturbed(self, folder, kills):
        """Runs the sweep to its end in spite of at most so many kills; returns how many workers and parents."""
        killed = {"worker": 0, "parent": 0}
        resume = []
        while True:
            process = self.start("s.json", "--out", folder, "--jobs", 2, "--quiet", *resume)
            victim = None
            while victim != process.pid and process.poll() is None and sum(killed.values()) < kills:
                time.sleep(self.random.uniform(*self.PAUSE_S))
                victim = None if process.poll() is not None else self.kill_one(process)
                if victim is not None:
                    killed["parent" if victim == process.pid else "worker"] += 1
            workers = workers_of(process)
            _, errors = process.communicate(timeout=KEEP_WAITING_S)
            resume = ["--resume"] if self.count(folder) else []
            if process.returncode == -signal.SIGKILL:
                for worker in workers:  # they end with their parent
                    self.wait_until(lambda w=worker: not pathlib.Path(f"/proc/{w}").exists())
            elif process.returncode == 0:
                return killed
            else:  # five new workers in a row were hit before they were ready
                self.assertIn("worker processes do not start", errors)

    def test_random_kills(self):
        self.write("s.json", sweep(self.POINTS // 3))
        self.results("sweep", "s.json", "--out", "whole", "--jobs", 2, "--quiet")
        undisturbed = self.rows("whole")
        self.assertEqual(len(undisturbed), self.POINTS)
        total = {"worker": 0, "parent": 0}
        while sum(total.values()) < self.KILLS:
            folder = f"out{sum(total.values())}"
            for kind, number in self.disturbed(folder, self.KILLS - sum(total.values())).items():
                total[kind] += number
            # The same point may have been hit twice: it is tried again.
            self.results("sweep", "s.json", "--out", folder, "--resume", "--quiet")
            self.assertEqual(self.rows(folder), undisturbed)
        self.assertGreater(total["worker"], 5)
        self.assertGreater(total["parent"], 5)

    def test_a_point_that_ends_two_workers_fails_and_the_sweep_goes_on(self):
        self.write("s.json", one_endless(8))
        process = self.start("s.json", "--out", "out", "--jobs", 2)
        self.wait_until(lambda: self.count("out") == 7)
        # One is busy with the endless point. If that one is hit first, the other may have got the point before it
        # is hit, too: then once is enough.
        deadline = time.monotonic() + KEEP_WAITING_S
        while process.poll() is None and time.monotonic() < deadline:
            for worker in workers_of(process):
                os.kill(worker, signal.SIGKILL)
            time.sleep(0.3)
        _, errors = process.communicate(timeout=KEEP_WAITING_S)
        self.assertEqual(process.returncode, 0, errors)
        self.assertRegex(errors, r"point 1 failed: the process that ran it was ended by signal 9 .*, twice")
        self.assertEqual([bool(row[5]) for row in self.rows("out")], [False, True] + [False] * 6)


class StopTest(SweepTest):
    def test_control_c_keeps_what_has_ended(self):
        self.write("s.json", one_endless(6))
        process = self.start("s.json", "--out", "out", "--jobs", 2, start_new_session=True)
        self.wait_until(lambda: self.count("out") == 5)
        os.killpg(process.pid, signal.SIGINT)  # as a terminal does: the workers get it, too
        out, errors = process.communicate(timeout=KEEP_WAITING_S)
        self.assertEqual(process.returncode, 130, errors)
        self.assertEqual(out, "")
        self.assertIn("warning: 5 of 6 points are done; --resume goes on\n", errors)
        self.assertEqual(self.count("out"), 5)

    def test_a_second_sweep_in_the_folder_is_refused(self):
        self.write("s.json", one_endless(3))
        process = self.start("s.json", "--out", "out", "--jobs", 1)
        self.wait_until(lambda: self.count("out") >= 1)
        result = self.call("sweep", "s.json", "--out", "out", "--resume")
        self.assertEqual(result.returncode, 2)
        self.assertEqual(result.stderr, f"error: --out: out is in use by another sweep (process {process.pid}): "
                                        "wait for it or choose another folder\n")
        process.kill()
        process.wait()

    def test_a_full_disk_loses_nothing(self):
        self.write("s.json", sweep(100))
        result = self.call("sweep", "s.json", "--out", "out", "--quiet", preexec_fn=lambda: (
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN),
            resource.setrlimit(resource.RLIMIT_FSIZE, (150_000, resource.RLIM_INFINITY))))
        self.assertEqual(result.returncode, 1, result.stderr)
        self.assertRegex(result.stderr, r"\Aerror: out/sweep.sqlite cannot be written: .*; what was there "
                                        r"before is kept\n\Z")
        kept = self.rows("out")
        self.assertGreater(len(kept), 5)
        self.results("sweep", "s.json", "--out", "out", "--quiet", "--resume")
        rows = self.rows("out")
        self.assertEqual(len(rows), 300)
        self.assertEqual(rows, sorted({*kept, *rows}))


class MemoryTest(SweepTest):
    MOST_GROWTH_KIB = 4096  # SQLite's cache of 2 MiB fills; what is kept of a point takes about 100 bytes

    def peak_kib(self, points):
        """The most memory that the sweep's parent had. Workers are replaced (WorkerPool)."""
        self.write("s.json", sweep(workload={"ops": [{"op": "gemm", "m": 8, "n": 8, "k": 8}]}, mode="random",
                                   samples=points,
                                   parameters={"clock_ghz": {"range": [0.5, 2.0], "continuous": True}}))
        process = self.start("s.json", "--out", f"out{points}", "--jobs", 2, "--quiet")
        peak = 0
        while process.poll() is None:
            status = pathlib.Path(f"/proc/{process.pid}/status").read_text(encoding="ascii")
            peak = max([peak, *(int(line.split()[1]) for line in status.splitlines() if "VmHWM" in line)])
            time.sleep(0.005)
        self.assertEqual(process.returncode, 0, process.communicate())
        return peak

    def test_points_stream(self):
        few, many = self.peak_kib(200), self.peak_kib(4000)
        self.assertGreater(few, 0)
        self.assertLess(many - few, self.MOST_GROWTH_KIB)


class FaultsTest(SweepTest):
    def test_folders(self):
        self.write("s.json", sweep(2))
        self.assert_faults(["sweep", "s.json"], "--out must be given")
        self.assert_faults(["sweep", "s.json", "--out", "s.json"], "--out: s.json is no folder|cannot be made")
        self.assert_faults(["sweep", "s.json", "--out", "/proc/x"], "--out: /proc/x cannot be made")
        self.results("sweep", "s.json", "--out", "out", "--quiet")
        self.assert_faults(["sweep", "s.json", "--out", "out"], "--out: out has results of a sweep: --resume")

    def test_read_only_folders(self):
        self.write("s.json", sweep(2))
        self.results("sweep", "s.json", "--out", "full", "--quiet")
        (self.folder / "closed").mkdir()
        before = self.rows("full")
        for folder in ("closed", "full"):
            (self.folder / folder).chmod(0o555)
        self.folder.chmod(0o755)
        options = {"preexec_fn": drop_privileges} if os.geteuid() == 0 else {}
        try:
            self.call("--version", **options)
        except (PermissionError, subprocess.SubprocessError) as error:
            self.skipTest(f"root may write everywhere, and nobody may not run the program: {error}")
        for folder, resume in (("closed", []), ("full", ["--resume"])):
            result = self.call("sweep", "s.json", "--out", folder, *resume, **options)
            self.assertEqual((result.returncode, result.stdout), (2, ""), result.stderr)
            self.assertRegex(result.stderr, rf"\Aerror: --out: {folder}.* cannot be (written|opened): Perm.*\n\Z")
        self.assertEqual(self.rows("full"), before)

    def test_stores_of_others(self):
        self.write("s.json", sweep(2))

        def change(sql):
            self.results("sweep", "s.json", "--out", "out", "--quiet", "--resume")
            with sqlite3.connect(self.folder / "out" / "sweep.sqlite") as database:
                database.execute(sql)
            database.close()

        change("UPDATE store SET version = '0.0.1'")
        words = ["sweep", "s.json", "--out", "out", "--resume"]
        self.assert_faults(words, "out/sweep.sqlite is from version 0.0.1, this is .*choose another folder")
        with sqlite3.connect(self.folder / "out" / "sweep.sqlite") as database:
            database.execute("PRAGMA user_version = 99")
        database.close()
        self.assert_faults(words, "out/sweep.sqlite has format 99, this program reads and writes 1")
        (self.folder / "out" / "sweep.sqlite").write_text("x" * 5000)
        self.assert_faults(words, "out/sweep.sqlite is no database of results")

    def test_files(self):
        out = ["--out", "out"]
        self.assert_faults(["sweep", "array_sizes", *out], 'no sweep "array_sizes".*did you mean "array_size"')
        self.assert_faults(["sweep", "no.json", *out], "no.json: .*no such file")
        self.write("s.json", "{")
        self.assert_faults(["sweep", "s.json", *out], r"s.json:1:2: ")
        self.write("s.json", sweep(constraints=["clock <= 1"]))
        self.assert_faults(["sweep", "s.json", *out], r's.json: constraints\[0\]: "clock" is no parameter')
        self.write("s.json", sweep(constraints=["clock_ghz > 9"]))
        self.assert_faults(["sweep", "s.json", *out], "s.json: constraints: leave no point")
        self.write("s.json", sweep(parameters={"core.matrix_unit.rowz": [4, 8]}))
        for words in (["sweep", "s.json", *out], ["check", "s.json"]):
            self.assert_faults(words, r's.json: core.matrix_unit.rowz: unknown key; did you mean "rows"')
        self.write("s.json", sweep(arch="gemini_16x16"))
        self.assert_faults(["sweep", "s.json", *out], 's.json: arch: no machine "gemini_16x16"')
        self.write("s.json", sweep())
        self.assert_faults(["sweep", "s.json", *out, "--jobs", "0"], "--jobs: must be a whole number of at least 1")
        self.assert_faults(["sweep", "s.json", *out, "--jobs", "5000"], "--jobs: must be at most 1024")
        self.assert_faults(["sweep", "s.json", *out, "--csv", "no/x.csv"], "--csv: no/x.csv cannot be written")

    def test_objectives_of_ops_that_several_gpus_add(self):
        ops = [{"op": "gemm", "name": n, "m": 8, "n": 64, "k": 64, "dtype": "bf16"} for n in ("up", "down")]
        self.write("s.json", sweep(arch="dgx_a100", workload={"ops": ops}, objectives=["layers[2].cycles"],
                                   parameters={"links.latency_ns": [100, 5000]}))
        self.results("sweep", "s.json", "--out", "out", "--quiet")
        near, far = (json.loads(row[3])["layers[2].cycles"] for row in self.rows("out"))
        self.assertLess(near, far)

    def test_misspelt_objectives_are_found_before_a_point_runs(self):
        for objective, pattern in (
                ("total.cycels", 'total.cycels: there is no "cycels" in total .*did you mean "cycles"'),
                ("total.time_s / totl.macs", 'totl.macs: there is no "totl" in a report; did you mean "total"'),
                ("clock_ghz * core.matrix_unit.row", 'there is no "core" in a report; there are '),
                ("total.breakdown.wait_drum", "did you mean \"wait_dram\""),
                ("total.breakdown", "total.breakdown of a report is no number"),
                ("total.cycles.x", r"total.cycles of a report is \d+, with nothing below"),
                ("layers[1].cycles", r"the report has 1 layer, the first is layers\[0\]"),
                ("layers[0].cycle", 'there is no "cycle" in layers\\[0\\] .*did you mean "cycles"'),
                ("host.wall_s", "host.wall_s: host is about the simulation: it differs from run to run"),
                ("layers.mean", "layers of a report are an array"),
                ("workload.ops[0].mm", 'there is no "mm" in workload.ops')):
            with self.subTest(objective):
                self.write("s.json", sweep(objectives=["total.cycles", {"name": "x", "value": objective}]))
                for words in (["sweep", "s.json", "--out", "out"], ["check", "s.json"]):
                    self.assert_faults(words, r"\Aerror: s.json: objectives\[1\]: .*" + pattern)

    def test_objectives_that_some_machines_have(self):
        works = sweep(arch=None, parameters={"arch": ["gemmini_16x16", "a100_sxm_40gb"], "clock_ghz": 1},
                      workload={"dtype": "int8", **SMALL},
                      objectives=["arch == 'a100_sxm_40gb' ? total.kernels : total.kept_results",
                                  "layers[0].shape.m", "layers[0].traffic.dram.commands.ACT"])
        del works["arch"]
        self.write("s.json", works)
        self.assertRegex(self.results("check", "s.json"), "ok .*2 points")

    def test_hostile_files(self):
        out = ["--out", "out"]
        self.write("s.json", '{"parameters": ' + "[" * 100000)
        self.assert_faults(["sweep", "s.json", *out], "nested|deep")
        self.write("s.json", sweep(constraints=["(" * 100000]))
        self.assert_faults(["sweep", "s.json", *out], "is longer than 4096 ")
        self.write("s.json", sweep(parameters={f"p{i}": {"range": [1, 1000]} for i in range(9)}))
        self.assert_faults(["sweep", "s.json", *out], "parameters: make a grid of more than 1000000000 points")
        self.write("s.json", '{"arch": "tpu_v1", "workload": "mlp", "parameters": {"cores": [1e999]}}')
        self.assertEqual(self.call("sweep", "s.json", *out).returncode, 2)
        self.write("s.json", '{"arch": "tpu_v1", "workload": "mlp", "parameters": {"cores": [1], "cores": [2]}}')
        self.assert_faults(["sweep", "s.json", *out], "cores.*twice|given twice")


if __name__ == "__main__":
    unittest.main()
