# SPDX-License-Identifier: Apache-2.0
"""What the tests of the program have in common: a folder of their own, and ways to call it."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

PROGRAM = os.environ.get("TILEWAVE", "")
if not PROGRAM:
    sys.exit("set TILEWAVE to the path of the program to test")

# Nothing of the caller's terminal or set-up may show in a result.
ENVIRONMENT = {name: value for name, value in os.environ.items()
               if name not in ("COLUMNS", "LINES", "TILEWAVE_CONFIG_DIR")}

# A run that takes far longer than any test waits: 1024 folds of a 256 x 256 array, PE by PE.
ENDLESS = {"ops": [{"op": "gemm", "name": "endless", "m": 1 << 20, "n": 8192, "k": 8192}]}


class CliTest(unittest.TestCase):
    """Each test works in an empty folder."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="tilewave-cli-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name).resolve()

    def write(self, name, content):
        """A file: text as it is, anything else as JSON."""
        text = content if isinstance(content, str) else json.dumps(content)
        path = self.folder / name
        path.write_text(text, encoding="utf-8", newline="")
        return path

    def call(self, *words, environment=None, **options):
        """Runs the program and returns what came out, as text."""
        return subprocess.run([PROGRAM, *map(str, words)], cwd=self.folder, check=False,
                              env={**ENVIRONMENT, **(environment or {})}, text=True,
                              stdin=subprocess.DEVNULL, stdout=options.pop("stdout", subprocess.PIPE),
                              stderr=subprocess.PIPE, timeout=50, **options)

    def results(self, *words, **options):
        """Standard output of a call that must succeed."""
        result = self.call(*words, **options)
        self.assertEqual(result.returncode, 0, result.stderr)
        return result.stdout

    def files(self):
        return sorted(path.name for path in self.folder.iterdir())

    def assert_faults(self, words, *patterns, status=2):
        """The call fails with one line for each pattern, prints nothing else and writes nothing."""
        before = self.files()
        result = self.call(*words)
        self.assertEqual(result.returncode, status, result.stdout + result.stderr)
        self.assertEqual(result.stdout, "")
        lines = result.stderr.splitlines()
        for line in lines:
            self.assertTrue(line.startswith("error: "), line)
        for pattern in patterns:
            self.assertRegex(result.stderr, pattern)
        self.assertEqual(len(lines), len(patterns), result.stderr)
        self.assertEqual(self.files(), before)
