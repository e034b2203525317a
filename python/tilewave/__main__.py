# SPDX-License-Identifier: Apache-2.0
"""The command line: `tilewave ...` or `python -m tilewave ...`."""

import os
import sys


def main():
    from tilewave import _core, _data  # noqa: F401
    # For ONNX files the program calls the Python that has this package.
    os.environ.setdefault("TILEWAVE_PYTHON", sys.executable)
    sys.exit(_core.run_program(sys.argv[1:]))


if __name__ == "__main__":
    main()
