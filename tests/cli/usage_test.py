# SPDX-License-Identifier: Apache-2.0
"""How the program is called: commands, options, help, exit statuses."""

import unittest

from _support import CliTest

COMMANDS = ("run", "sweep", "list", "show", "check", "validate")


class HelpTest(CliTest):
    def test_every_page_fits_80_columns_and_has_an_example(self):
        for words in ((), *((command,) for command in COMMANDS)):
            with self.subTest(words):
                page = self.results(*words, "--help")
                self.assertLessEqual(max(map(len, page.splitlines())), 80)
                self.assertIn("Usage: tilewave", page)
                self.assertRegex(page, r"Examples?:\n  tilewave ")

    def test_the_pages_name_every_command_and_option(self):
        page = self.results("--help")
        for command in COMMANDS:
            self.assertRegex(page, rf"\n  {command} ")
        page = self.results("run", "--help")
        for option in ("arch", "workload", "set", "batch", "dtype", "fidelity", "out", "csv", "trace",
                       "html", "quiet", "json", "scale-sim-ceil", "dump-program", "help"):
            self.assertRegex(page, rf"\n  --{option}\b")

    def test_help_wins_over_what_else_is_wrong(self):
        self.assertIn("Usage: tilewave run", self.results("run", "--nonsense", "--help"))

    def test_version(self):
        self.assertRegex(self.results("--version"), r"^tilewave \d+\.\d+\.\d+\n$")


class WrongUsageTest(CliTest):
    def test_commands(self):
        self.assert_faults([], "no command")
        self.assert_faults(["lst"], r'unknown command "lst"; there are run, .*did you mean "list"')
        self.assert_faults(["--verson"], r'unknown option "--verson".*did you mean "--version"')
        self.assert_faults(["--version", "run"], 'stands alone, found "run"')

    def test_options(self):
        for words, pattern in (
                (["run", "--archh", "x"], r"unknown option --archh; did you mean --arch\?"),
                (["run", "--arc", "x"], r"unknown option --arc; did you mean --arch\?"),
                (["run", "-a"], "unknown option -a"),
                (["run", "--out"], "--out needs an argument: FILE"),
                (["run", "--out="], "--out needs an argument: FILE"),
                (["run", "--json=1"], "--json takes no argument"),
                (["run", "--arch", "a", "--arch", "b"], "--arch is given twice"),
                (["run", "--json", "--json"], "--json is given twice"),
                (["run", "resnet50"], 'unexpected argument "resnet50"'),
                (["run"], "--arch and --workload must be given"),
                (["run", "--arch", "tpu_v1"], "--workload must be given"),
                (["list"], r"needs arch\|workloads"),
                (["list", "arch", "models"], 'unexpected argument "models"'),
                (["list", "workload"], 'no list of "workload"; did you mean "workloads"'),
                (["list", "drams"], 'no list of "drams"'),
                (["show", "arch"], "needs arch.workload NAME"),
                (["show", "archs", "tpu_v1"], 'not "archs"; did you mean "arch"'),
                (["check"], "needs FILE"),
        ):
            with self.subTest(words):
                self.assert_faults(words, pattern)

    def test_values_of_options(self):
        run = ["run", "--arch", "tpu_v1", "--workload", "resnet18"]
        for words, pattern in (
                (["--batch", "0"], '--batch: must be a whole number of at least 1, is "0"'),
                (["--batch", "-1"], '--batch: must be .* is "-1"'),
                (["--batch", "2x"], '--batch: must be .* is "2x"'),
                (["--dtype", "int9"], '--dtype: must be one of int4, .* is "int9"'),
                (["--fidelity", "fst"], '--fidelity: must be one of .*did you mean "fast"'),
                (["--set", "clock_ghz"], "--set: .*no '='"),
                (["--set", "clock_ghz=slow"], "--set: clock_ghz: must be a number"),
                (["--set", "core.matrix_unit.rws=1"], r'--set: core\.matrix_unit\.rws: unknown key; '
                                                      'did you mean "rows"'),
                (["--set", "new.object=1"], "--set: new: unknown key"),
                (["--set", "fidelity=fast"], "--set: fidelity: unknown key"),
                (["--set", "workload.batch=0"], "--set: workload.batch: must be"),
                (["--set", "workload.m=0"], "--set: workload.m: .*only workload.batch and"),
                (["--set", "workload.batch=2", "--batch", "2"], "workload.batch: is given already"),
                (["--set", "energy=44nm"], '--set: energy: no energy table "44nm"; did you mean "45nm"'),
                (["--set", "memory.dram.preset=core"], 'no memory "core"'),
                (["--dump-program", "--json"], "--dump-program runs nothing"),
        ):
            with self.subTest(words):
                self.assert_faults(run + words, pattern)

    def test_all_that_is_wrong_is_said_at_once(self):
        self.assert_faults(["run", "--arch", "tpu_v11", "--workload", "resnet51", "--batch", "x",
                            "--out", "no/folder/here", "--set", "workload.x=1"],
                           'no machine "tpu_v11" .*did you mean "tpu_v1"', '"resnet51"', "--batch",
                           "--out: no/folder/here cannot be written: there is no such directory",
                           "workload.x")

    def test_presets_that_are_nowhere(self):
        result = self.call("list", "arch", environment={"TILEWAVE_CONFIG_DIR": "nowhere"})
        self.assertEqual(result.returncode, 2)
        self.assertEqual(result.stderr, "error: TILEWAVE_CONFIG_DIR: nowhere is no folder\n")


if __name__ == "__main__":
    unittest.main()
