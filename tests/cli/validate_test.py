# SPDX-License-Identifier: Apache-2.0
"""tilewave validate: suites of one's own, what is printed, exit statuses."""

import json
import unittest

from _support import CliTest

TABLE = "m,n,k,us,kind\n64,64,64,5,small\n256,256,256,40,large\n64,128,64,8,small\n"


def suite(**changes):
    return {"note": "made up for a test", "source": "nowhere", "data": "rows.csv",
            "arch": "gemmini_16x16", "label": "$m x $n x $k",
            "ops": [{"op": "gemm", "m": "$m", "n": "$n", "k": "$k"}],
            "measured": [{"column": "us", "name": "time", "quantity": "time_us"}], **changes}


class ValidateTest(CliTest):
    def setUp(self):
        super().setUp()
        self.write("rows.csv", TABLE)

    def test_a_suite_of_ones_own(self):
        self.write("mine.json", suite(split_by="kind"))
        page = self.results("validate", "mine.json")
        self.assertLessEqual(max(map(len, page.splitlines())), 80)
        self.assertIn("mine: made up for a test", page)
        self.assertRegex(page, r"\ntime +3 +[\d.]+ %")
        self.assertRegex(page, r"\n  small +2 ")
        self.assertRegex(page, r"\n  256 x 256 x 256, time: [\d.]+ us, measured 40 us \([-+][\d.]+ %\)")

    def test_json_has_every_row(self):
        self.write("mine.json", suite())
        result = json.loads(self.results("validate", "./mine.json", "--json"))["suites"][0]
        self.assertEqual(result["rows"], 3)
        errors = [abs(case["error"]) for case in result["cases"]]
        self.assertEqual(len(errors), 3)
        score = result["scores"][0]
        self.assertAlmostEqual(score["mean"], sum(errors) / 3)
        self.assertAlmostEqual(score["worst"], max(errors))
        case = result["cases"][0]
        self.assertAlmostEqual(case["error"], 100 * (case["simulated"] / case["measured"] - 1))

    def test_two_runs_are_the_same(self):
        self.write("mine.json", suite())
        self.assertEqual(self.results("validate", "mine.json", "--json"),
                         self.results("validate", "mine.json", "--json"))

    def test_a_limit_that_is_exceeded_is_exit_status_1(self):
        measured = [{"column": "us", "quantity": "time_us", "limit": {"each": 0.001}}]
        self.write("strict.json", suite(measured=measured))
        result = self.call("validate", "strict.json")
        self.assertEqual(result.returncode, 1)
        self.assertIn("EXCEEDED", result.stdout)
        self.assertEqual(result.stderr, "error: errors exceed the limits of strict\n")

    def test_a_part_of_the_rows(self):
        self.write("mine.json", suite())
        result = json.loads(self.results("validate", "mine.json", "--rows", "2", "--json"))
        self.assertEqual(result["suites"][0]["rows"], 2)
        self.assert_faults(["validate", "mine.json", "--rows", "0"], "--rows: must be .* at least 1")

    def test_quiet(self):
        self.write("mine.json", suite())
        self.assertEqual(self.results("validate", "mine.json", "--quiet"), "")

    def test_check_reads_suites(self):
        self.write("mine.json", suite())
        self.assertEqual(self.results("check", "mine.json"), "mine.json: ok (suite mine, 3 rows)\n")
        self.write("wrong.json", suite(label="$x"))
        self.assert_faults(["check", "wrong.json"], 'wrong.json: label: .*no column "x"')


class FaultsTest(CliTest):
    def test_names(self):
        self.assert_faults(["validate", "no_such_suite"], 'there is no suite "no_such_suite"; there are: ')
        self.assert_faults(["validate", "no_such.json"], "no_such.json: .*no such file")

    def test_files(self):
        self.write("rows.csv", TABLE)
        self.write("text.json", "measured")
        self.assert_faults(["validate", "text.json"], r"text.json:1:1: ")
        self.write("array.json", [1])
        self.assert_faults(["validate", "array.json"], "array.json: a suite is a JSON object")
        self.write("lost.json", suite(data="lost.csv"))
        self.assert_faults(["validate", "lost.json"], "lost.csv: .*no such file")
        self.write("wrong.json", suite(measurd=1, arch="$machine"))
        self.assert_faults(["validate", "wrong.json"], 'measurd: unknown key; did you mean "measured"',
                           'arch: .*no column "machine"')

    def test_rows(self):
        self.write("rows.csv", "m,n,k,us\n64,64,64,5\n64,64,none,5\n")
        self.write("mine.json", suite())
        self.assert_faults(["validate", "mine.json"], r"rows\.csv: line 3\.k: must be an integer")
        self.write("rows.csv", "m,n,k,us\n64,64,64,5\n64,64,64,-5\n")
        self.assert_faults(["validate", "mine.json"], r'rows\.csv:3: us: must be a number more than 0')


if __name__ == "__main__":
    unittest.main()
