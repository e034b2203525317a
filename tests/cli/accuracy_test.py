# SPDX-License-Identifier: Apache-2.0
"""docs/accuracy.md is what scripts/accuracy.py would write now, and every shipped suite keeps its limits."""

import json
import pathlib
import subprocess
import sys
import unittest

import _support

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "scripts" / "accuracy.py"


class AccuracyTest(_support.CliTest):
    def test_the_page_is_current_and_no_limit_is_exceeded(self):
        check = subprocess.run([sys.executable, SCRIPT, "--check"], check=False, text=True, capture_output=True,
                               env={**_support.ENVIRONMENT, "TILEWAVE": _support.PROGRAM}, timeout=1180)
        self.assertEqual(check.returncode, 0,
                         f"\n{check.stdout}{check.stderr}\nput right by scripts/accuracy.py, if that is what is meant")

    def test_every_suite_has_limits(self):
        suites = sorted((SCRIPT.parents[1] / "configs" / "validation").glob("*.json"))
        self.assertTrue(suites)
        for suite in suites:
            measured = json.loads(suite.read_text(encoding="utf-8"))["measured"]
            self.assertTrue(any(column.get("limit") for column in measured), suite.name)


if __name__ == "__main__":
    unittest.main()
