# SPDX-License-Identifier: Apache-2.0
import os
import pathlib
import subprocess
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
ROOT = pathlib.Path(__file__).resolve().parents[2]

# A run that takes far longer than any test waits.
ENDLESS = {"ops": [{"op": "gemm", "name": "endless", "m": 1 << 20, "n": 8192, "k": 8192}]}
MLP = {"name": "mlp", "ops": [
    {"op": "gemm", "name": "up", "m": 64, "n": 256, "k": 64, "epilogue": ["bias", "relu"]},
    {"op": "gemm", "name": "down", "m": 64, "n": 64, "k": 256}]}


@pytest.fixture
def cli():
    """Calls the command line: the program that TILEWAVE names, else the package's own."""
    program = [os.environ["TILEWAVE"]] if os.environ.get("TILEWAVE") else [sys.executable, "-m",
                                                                           "tilewave"]
    environment = {**os.environ, "TILEWAVE_PYTHON": sys.executable}

    def call(*words, **changes):
        return subprocess.run([*program, *map(str, words)], text=True, capture_output=True, check=False,
                              env={**environment, **changes}, timeout=50)
    return call
