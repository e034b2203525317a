# SPDX-License-Identifier: Apache-2.0
"""Wrong input: one clear message per fault, exit status 2, nothing written."""

import unittest

from _support import CliTest

GEMM = {"op": "gemm", "m": 8, "n": 8, "k": 8}
CONV = {"op": "conv2d", "c": 6, "h": 4, "w": 4, "k": 8, "r": 1, "s": 1}


def nested(path, value):
    """{"a": {"b": value}} of "a.b"."""
    for key in reversed(path.split(".")):
        value = {key: value}
    return value


class ArchTest(CliTest):
    def check(self, arch, *patterns):
        """Both a run and a check report the faults."""
        self.write("m.json", arch)
        self.assert_faults(["run", "--arch", "m.json", "--workload", "gemm_1024", "--out", "r.json"],
                           *patterns)
        if not isinstance(arch, str):  # what is no JSON at all may be anything for a check
            self.assert_faults(["check", "m.json"], *patterns)

    def test_faults_in_a_value(self):
        for path, value, pattern in (
                # unknown key, also through a wrong unit
                ("clok_ghz", 1, 'clok_ghz: unknown key; did you mean "clock_ghz"'),
                ("clock_mhz", 700, 'clock_mhz: unknown key; did you mean "clock_ghz"'),
                ("core.buffers.activation.capacity_mb", 24, 'unknown key; did you mean "capacity_mib"'),
                ("fidelity", "fast", "fidelity: unknown key"),
                # type
                ("clock_ghz", "fast", 'clock_ghz: must be a number .* is the string "fast"'),
                ("clock_ghz", "0.7 GHz", 'clock_ghz: must be a number .* is the string "0.7 GHz"'),
                ("memory", 3, "memory: must be an object, is 3"),
                ("core.matrix_unit.fold_overlap", 1, "fold_overlap: must be true or false"),
                ("core.matrix_unit.rows", 2.5, "rows: must be an integer .* is 2.5"),
                # range
                ("core.matrix_unit.rows", 0, "rows: must be from 1 to 65536, is 0"),
                ("core.matrix_unit.cols", -4, "cols: must be from 1 to 65536, is -4"),
                ("memory.dram.channels", 0, "channels: must be from 1 to 4096, is 0"),
                ("memory.dram.preset", "ddr3_2134", 'no memory "ddr3_2134"; did you mean "ddr3_2133"'),
                ("memory.dram.timing_cycles.nRCX", 3, 'nRCX: unknown key; did you mean "nRC'),
                ("memory.dram.controller.page_policy", "shut", 'must be one of .*open'),
                ("memory.host.bandwidth_gb_per_s", 0, "bandwidth_gb_per_s: must be from .* is 0"),
                ("core.matrix_unit.dataflow", "weights_stationary",
                 'dataflow: must be one of .*did you mean "weight_stationary"'),
                # other files
                ("extends", "tpu_v9", 'extends: no machine "tpu_v9" .*did you mean "tpu_v1"'),
                ("extends", "n.json", "extends: no such file: n.json"),
                ("extends", "m.json", "extends: goes in a circle: m.json -> m.json"),
                ("extends", 5, "extends: must be the name of a preset or a file, is 5"),
                ("extends", "scale_sim.json", "extends: no such file"),
                ("energy", "28mm", 'energy: no energy table "28mm"; did you mean "28nm"'),
                ("energy", "mine.json", "mine.json: no such file"),
        ):
            with self.subTest(f"{path}={value}"):
                arch = {"extends": "tpu_v1"}
                arch.update(nested(path, value))
                self.check(arch, pattern)

    def test_every_fault_is_reported_with_its_own_file(self):
        self.write("base.json", {"extends": "tpu_v1", "clock_ghz": 0,
                                 "core": {"matrix_unit": {"rows": 0, "cols": 0}}})
        self.write("m.json", {"extends": "base.json", "typo": 1, "core": {"matrix_unit": {"cols": -1}}})
        self.assert_faults(["run", "--arch", "m.json", "--workload", "gemm_1024",
                            "--set", "memory.dram.latency_ns=-1"],
                           r"base\.json: clock_ghz", r"base\.json: core\.matrix_unit\.rows",
                           r"m\.json: core\.matrix_unit\.cols", r"m\.json: typo",
                           "--set: memory.dram.latency_ns")

    def test_a_circle_of_files(self):
        self.write("a.json", {"extends": "b.json"})
        self.write("b.json", {"extends": "a.json"})
        self.assert_faults(["show", "arch", "a.json"], "a.json -> b.json -> a.json")

    def test_no_json(self):
        for text, pattern in (("{\"clock_ghz\": 1,}", r"m\.json:1:\d+: "), ("{", r"m\.json:1:\d+: "),
                              ("", "m.json: is empty"), ("[]", "m.json: a machine is a JSON object")):
            with self.subTest(text):
                self.check(text, pattern)

    def test_no_file(self):
        run = ["run", "--workload", "gemm_1024", "--arch"]
        self.assert_faults(run + ["tpu_v11"], 'no machine "tpu_v11" .*did you mean "tpu_v1"')
        self.assert_faults(run + ["scale_sim"], "stands for 15 machines; name one of them")
        self.assert_faults(run + ["none.json"], "none.json: no such file")
        self.assert_faults(run + [self.folder], "is a directory, not a file")
        self.assert_faults(run + [""], 'no machine ""')

    def test_buffers_too_small_for_one_tile(self):
        for buffer in ("activation", "accumulator"):
            with self.subTest(buffer):
                self.assert_faults(["run", "--arch", "tpu_v1", "--workload", "gemm_1024", "--out", "r.json",
                                    "--set", f"core.buffers.{buffer}.capacity_bytes=256"],
                                   rf"core\.buffers\.{buffer}.*too small for one tile")

    def test_a_data_type_the_machine_does_not_multiply(self):
        self.assert_faults(["run", "--arch", "tpu_v1", "--workload", "gemm_1024", "--dtype", "fp64"],
                           "fp64")

    def test_one_cause_is_one_message_however_many_ops_it_stops(self):
        self.assert_faults(["run", "--arch", "tpu_v1", "--workload", "resnet50", "--dtype", "fp64"],
                           r'fp64 .* int8, int16, int16xint8, int8xint16 \(op "conv1" and 53 more\)')

    def test_very_many_faults_are_cut_short(self):
        self.write("w.json", {"ops": [{"op": "gemm", "m": 0, "n": 1, "k": 1}] * 30})
        result = self.call("run", "--arch", "tpu_v1", "--workload", "w.json")
        self.assertEqual(result.returncode, 2)
        lines = result.stderr.splitlines()
        self.assertEqual(len(lines), 21)
        self.assertRegex(lines[-1], r"^error: \.\.\. and \d+ more$")


class FamilyTest(CliTest):
    FAMILY = {"name": "f_{size}", "parameters": {"size": [8, 16]},
              "set": {"core.matrix_unit.rows": "{size}"}}

    def check(self, family, *patterns):
        self.write("f.json", {"extends": "tpu_v1", "family": {**self.FAMILY, **family}})
        self.assert_faults(["check", "f.json"], *patterns)

    def test_faults(self):
        self.check({"name": "f"}, "family.name: must have {size} in it")
        self.check({"name": "f_{size}_{x}"}, 'family.name: "x" is no parameter')
        self.check({"set": {"clock_ghz": "{sise}"}}, 'set.clock_ghz: "sise" is no parameter.*"size"')
        self.check({"parameters": {}}, "family.parameters: must have a parameter")
        self.check({"parameters": {"size": []}}, "parameters.size: must be a list of values")
        self.check({"parameters": {"size": [8, 8]}}, 'two members are called "f_8"')
        self.check({"st": {}}, 'family.st: unknown key; did you mean "set"')
        self.check({"set": {"core.matrix_unit.rows": "{size}", "cores.x": 1}}, "cores.*is 1, not an object")

    def test_a_member_with_a_wrong_value_is_reported_once(self):
        self.check({"parameters": {"size": [0, 8]}}, "core.matrix_unit.rows: must be from 1 .* is 0")


class WorkloadTest(CliTest):
    def check(self, workload, *patterns, name="w.json"):
        self.write(name, workload)
        self.assert_faults(["run", "--arch", "tpu_v1", "--workload", name, "--csv", "l.csv"], *patterns)
        if workload not in ("[]", "{"):
            self.assert_faults(["check", name], *patterns)

    def test_faults_in_an_op(self):
        for op, pattern in (
                ({**GEMM, "kk": 1}, r"ops\[0\]\.kk: unknown key"),
                ({**GEMM, "m": "8"}, r'ops\[0\]\.m: must be an integer .* is the string "8"'),
                ({**GEMM, "m": 0}, r"ops\[0\]\.m: must be from 1 .* is 0"),
                ({**GEMM, "op": "gem"}, r'ops\[0\]\.op: must be one of .*did you mean "gemm"'),
                ({**GEMM, "dtype": "int7"}, r"ops\[0\]\.dtype: must be one of"),
                ({**GEMM, "inputs": ["x"]}, r'ops\[0\]\.inputs\[0\]: names no op, is "x"'),
                ({**CONV, "r": 5}, "the filter's height 5 is larger than the padded input's 4"),
                ({**CONV, "groups": 4}, r"ops\[0\]\.groups: must divide c = 6, is 4"),
                ({**CONV, "stride": [0, 1]}, "stride"),
        ):
            with self.subTest(op):
                self.check({"ops": [op]}, pattern)

    def test_names(self):
        named = {**GEMM, "name": "a"}
        self.check({"ops": [named, named]}, r'ops\[1\]\.name: "a" is the name of ops\[0\] already')

    def test_an_empty_workload(self):
        self.check({"ops": []}, "ops: must be an array of 1 to .*is an array of 0")

    def test_no_json(self):
        self.check("{", r"w\.json:1:\d+: ")
        self.check("[]", r"w\.json: ")

    def test_no_file(self):
        run = ["run", "--arch", "tpu_v1", "--workload"]
        self.assert_faults(run + ["resnet5"], '"resnet5"; did you mean "resnet50"')
        self.assert_faults(run + ["none.csv"], "none.csv: no such file")
        self.assert_faults(run + [self.folder], "is a directory, not a file")
        self.assert_faults(run + ["resnet50:batch=0"], "batch")

    def test_a_batch_for_a_list_of_ops(self):
        self.assert_faults(["run", "--arch", "tpu_v1", "--workload", "gemm_1024", "--batch", "2"],
                           "--batch: .*fixed sizes")

    def test_a_topology(self):
        header = "Layer name,IFMAP Height,IFMAP Width,Filter Height,Filter Width,Channels,Num Filter,Strides,\n"
        self.check(header + "c,4,x,3,3,3,8,1,\n", r't\.csv:2: column "IFMAP Width".* is "x"', name="t.csv")
        self.check(header, "t.csv: has no layers", name="t.csv")


class CheckTest(CliTest):
    def test_neither_machine_nor_workload(self):
        self.write("x.json", {"name": "x"})
        self.assert_faults(["check", "x.json"], "x.json: is no machine .*, no workload .* and no energy table")

    def test_files_that_are_sound_are_named_on_standard_output(self):
        self.write("bad.json", {"ops": []})
        self.write("topology", "Layer,M,N,K\na,1,2,3\n")
        self.write("w.json", {"ops": [GEMM]})
        self.write("m.json", {"extends": "tpu_v1"})
        result = self.call("check", "m.json", "bad.json", "w.json", "topology")
        self.assertEqual(result.returncode, 2)
        self.assertEqual(result.stdout.splitlines(),
                         ["m.json: ok (machine m)", "w.json: ok (workload w, 1 op)",
                          "topology: ok (workload topology, 1 op)"])
        self.assertEqual(len(result.stderr.splitlines()), 1)

    def test_every_preset_is_sound(self):
        names = self.results("list", "arch")
        self.assertNotIn("faulty", names)
        self.assertNotIn("faulty", self.results("list", "energy"))


if __name__ == "__main__":
    unittest.main()
