# SPDX-License-Identifier: Apache-2.0
"""Lists, and machines and workloads as JSON."""

import json
import unittest

from _support import CliTest


class ListTest(CliTest):
    KINDS = {"arch": "tpu_v1", "workloads": "tiny_cnn", "models": "resnet50", "dtypes": "int8",
             "energy": "28nm"}

    def test_text_and_json_have_the_same_names(self):
        for kind, member in self.KINDS.items():
            with self.subTest(kind):
                text = self.results("list", kind)
                self.assertLessEqual(max(map(len, text.splitlines())), 80)
                entries = json.loads(self.results("list", kind, "--json"))
                names = [entry["name"] for entry in entries]
                self.assertIn(member, names)
                self.assertEqual(len(set(names)), len(names))
                listed = [line.split()[0] for line in text.splitlines() if not line.startswith(" ")]
                self.assertEqual(listed, names)
                for entry in entries:
                    self.assertTrue(entry["description"], entry)

    def test_a_family_is_listed_by_its_members_in_natural_order(self):
        names = [entry["name"] for entry in json.loads(self.results("list", "arch", "--json"))]
        family = [name for name in names if name.startswith("scale_sim_")]
        self.assertEqual(len(family), 15)
        self.assertEqual([int(name.split("_")[2]) for name in family[::3]], [8, 16, 32, 128, 256])

    def test_what_is_listed_can_be_shown(self):
        for entry in json.loads(self.results("list", "arch", "--json")):
            shown = json.loads(self.results("show", "arch", entry["name"]))
            self.assertEqual(shown["name"], entry["name"])
        for kind in ("models", "workloads"):
            for entry in json.loads(self.results("list", kind, "--json")):
                self.assertTrue(json.loads(self.results("show", "workload", entry["name"]))["ops"])

    def test_presets_of_another_folder(self):
        (self.folder / "arch").mkdir()
        (self.folder / "arch" / "mine.json").write_text('{"note": "a machine of mine"}', encoding="utf-8")
        text = self.results("list", "arch", environment={"TILEWAVE_CONFIG_DIR": str(self.folder)})
        self.assertRegex(text, r"^mine  \(faulty: tilewave check \S+mine\.json\)\n$")


class ShowTest(CliTest):
    def test_what_is_shown_can_be_read_again(self):
        for kind, name in (("arch", "tpu_v1"), ("arch", "gemmini_16x16"), ("workload", "mobilenet_v2")):
            text = self.results("show", kind, name)
            self.write("again.json", text)
            self.assertEqual(self.results("show", kind, "again.json"), text)

    def test_members_of_a_family(self):
        shown = json.loads(self.results("show", "arch", "scale_sim_32_is"))
        unit = shown["core"]["matrix_unit"]
        self.assertEqual((unit["rows"], unit["cols"], unit["dataflow"]), (32, 32, "input_stationary"))

    def test_extends(self):
        self.write("base.json", {"extends": "scale_sim_8_os", "clock_ghz": 2, "note": "the base",
                                 "core": {"matrix_unit": {"throughput": {"int8": 0.5}}}})
        (self.folder / "sub").mkdir()
        self.write("sub/m.json", {"extends": "../base.json", "core": {"matrix_unit": {"rows": 3}}})
        shown = json.loads(self.results("show", "arch", "sub/m.json", "--set", "core.matrix_unit.cols=5"))
        unit = shown["core"]["matrix_unit"]
        self.assertEqual(shown["name"], "m")
        self.assertEqual(shown["clock_ghz"], 2)
        self.assertEqual((unit["rows"], unit["cols"], unit["dataflow"]), (3, 5, "output_stationary"))
        self.assertEqual((unit["throughput"]["int8"], unit["throughput"]["fp32"]), (0.5, 1))

    def test_a_capacity_in_another_unit_replaces_the_old_one(self):
        shown = json.loads(self.results("show", "arch", "tpu_v1", "--set",
                                        "core.buffers.activation.capacity_kib=64"))
        self.assertEqual(shown["core"]["buffers"]["activation"]["capacity_bytes"], 65536)

    def test_an_energy_table_beside_the_machine(self):
        (self.folder / "sub").mkdir()
        self.write("sub/e.json", {"extends": "28nm", "name": "mine"})
        self.write("sub/m.json", {"extends": "tpu_v1", "energy": "e.json"})
        self.write("n.json", {"extends": "sub/m.json"})
        for arch in ("sub/m.json", "n.json"):
            self.assertEqual(json.loads(self.results("show", "arch", arch))["energy"], "e.json")
        self.results("show", "arch", "tpu_v1", "--set", "energy=sub/e.json")
        self.assert_faults(["show", "arch", "tpu_v1", "--set", "energy=e.json"], "e.json: no such file")

    def test_overrides_of_a_workload(self):
        shown = json.loads(self.results("show", "workload", "resnet18", "--set", "workload.batch=4",
                                        "--set", "workload.dtype=bf16"))
        self.assertEqual(shown["ops"][0]["n"], 4)
        self.assertEqual(shown["ops"][0]["dtype"], "bf16")
        self.assert_faults(["show", "workload", "resnet18", "--set", "clock_ghz=1"], "only workload.batch")
        self.assert_faults(["show", "arch", "tpu_v1", "--set", "workload.batch=1"], "there is no workload")


if __name__ == "__main__":
    unittest.main()
