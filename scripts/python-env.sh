#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Makes build/venv, a virtual environment with the Python package as `pip install` makes it and with what
# its tests need. With --editable, changes of python/tilewave/*.py take effect without another call.
# Compiling takes long only the first time, or not even then, with ccache: the libraries are those of
# the other build folders.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
VENV="$PWD/build/venv"

target=(".[test]")
case "${1:-}" in
  --editable) target=(--editable ".[test]") ;;
  "") ;;
  *) echo "usage: scripts/python-env.sh [--editable]" >&2; exit 2 ;;
esac

[[ -x "$VENV/bin/python" ]] || quietly "Python environment" python3 -m venv "$VENV"
# The compiler by the name under which CMake found it for the other folders: ccache takes c++ and g++ for two.
quietly "Python package" env CMAKE_BUILD_PARALLEL_LEVEL="$JOBS" CXX="${CXX:-c++}" \
  "$VENV/bin/python" -m pip install --quiet --disable-pip-version-check "${target[@]}"
say "Python package: $VENV/bin/python"
