# SPDX-License-Identifier: Apache-2.0
"""python -m tilewave.onnx_import FILE [--batch N] [--dim NAME=N]... [--dtype T] [--layout L] [-o FILE]

Prints the workload of an ONNX graph as JSON. Warnings and errors go to standard error, a line each, after
"warning: " or "error: "; exit status 2 after an error. `tilewave run --workload FILE.onnx` calls this.
"""

import argparse
import json
import os
import sys


def _fail(text):
    for line in str(text).splitlines():
        print(f"error: {line}", file=sys.stderr)
    sys.exit(2)


def _dims(words):
    dims = {}
    for word in words:
        name, equals, value = word.rpartition("=")
        if not equals or not name or not value.isdigit():
            _fail(f'--dim: is NAME=NUMBER, not "{word}"')
        dims[name] = int(value)
    return dims


def main():
    parser = argparse.ArgumentParser(prog="python -m tilewave.onnx_import",
                                     description="Prints the workload of an ONNX graph as JSON.")
    parser.add_argument("file")
    parser.add_argument("--batch", type=int, help="first dimension of the inputs where symbolic")
    parser.add_argument("--dim", action="append", default=[], metavar="NAME=N",
                        help="a symbolic dimension; may be given again")
    parser.add_argument("--dtype", help="data type of all ops; default: the weights'")
    parser.add_argument("--layout", choices=("nhwc", "nchw"), default="nhwc")
    parser.add_argument("-o", "--out", metavar="FILE", help="write there, not to standard output")
    arguments = parser.parse_args()
    dims = _dims(arguments.dim)

    from tilewave._core import ConfigError
    from tilewave.onnx_import.importer import import_model
    name = os.path.splitext(os.path.basename(arguments.file))[0]
    try:
        source, warnings, _ = import_model(arguments.file, arguments.batch, dims, arguments.dtype,
                                           arguments.layout, name)
    except ConfigError as error:
        _fail(error)
    for text in warnings:
        print(f"warning: {text}", file=sys.stderr)
    text = json.dumps(source, indent=1) + "\n"
    if arguments.out is None:
        sys.stdout.write(text)
    else:
        with open(arguments.out, "w", encoding="utf-8") as file:
            file.write(text)


if __name__ == "__main__":
    main()
