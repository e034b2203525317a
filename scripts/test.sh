#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# All tests: installs what is missing, checks the format, builds everything (on top of what
# scripts/quickstart.sh built) and the Python package, runs ctest. Arguments go to ctest:
# scripts/test.sh -L unit
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

scripts/install-deps.sh
scripts/format.sh --check
build
scripts/python-env.sh

say "Test"
log="$(mktemp)"
trap 'rm -f "$log"' EXIT
status=0
ctest --preset "$PRESET" --parallel "$JOBS" "$@" 2>&1 | tee "$log" || status=$?
say "Done in $SECONDS s"
grep -E '^[0-9]+% tests passed' "$log" || true
exit "$status"
