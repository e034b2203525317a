# SPDX-License-Identifier: Apache-2.0
"""An installed tree works after it was moved, from any folder, and reads its own presets.

Usage: relocated.py CMAKE BUILD_DIR BIN_DIR DATA_DIR  (the last two relative to the prefix)
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile


def list_arch(program: pathlib.Path, cwd: pathlib.Path) -> str:
    environment = {k: v for k, v in os.environ.items() if not k.startswith("TILEWAVE")}
    result = subprocess.run([program, "list", "arch"], cwd=cwd, env=environment,
                            capture_output=True, text=True, check=False)
    if result.returncode != 0:
        sys.exit(f"`tilewave list arch` ended with {result.returncode}:\n{result.stderr}")
    return result.stdout


def main() -> None:
    cmake, build_dir, bin_dir, data_dir = sys.argv[1:]
    with tempfile.TemporaryDirectory(prefix="tilewave-install-") as name:
        work = pathlib.Path(name)
        subprocess.run([cmake, "--install", build_dir, "--prefix", work / "first"],
                       check=True, stdout=subprocess.DEVNULL)
        moved = work / "moved" / "tree"
        moved.parent.mkdir()
        (work / "first").rename(moved)
        elsewhere = work / "elsewhere"
        elsewhere.mkdir()
        program = moved / bin_dir / "tilewave"

        if "tpu_v1" not in list_arch(program, elsewhere):
            sys.exit("the moved tree does not list tpu_v1")

        # A preset that only the moved tree has: its own configs are read, not the source's.
        presets = moved / data_dir / "tilewave" / "configs" / "arch"
        probe = json.loads((presets / "tpu_v1.json").read_text(encoding="utf-8"))
        probe["name"] = "install_probe"
        (presets / "install_probe.json").write_text(json.dumps(probe), encoding="utf-8")
        if "install_probe" not in list_arch(program, elsewhere):
            sys.exit("the moved tree does not read its own configs")

        # And found through a symbolic link, as in ~/.local/bin.
        link = elsewhere / "tilewave"
        link.symlink_to(program)
        if "install_probe" not in list_arch(link, work):
            sys.exit("through a symbolic link, the program does not find its configs")



if __name__ == "__main__":
    main()
