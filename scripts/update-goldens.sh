#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Writes the golden files anew from what the simulator says now. Read the difference before you commit it:
# each changed number needs a reason. Arguments select test cases, as for any Catch2 program.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

build tilewave_golden_tests
TILEWAVE_UPDATE_GOLDENS=1 "$BUILD_DIR/tests/tilewave_golden_tests" "$@"
say "Golden files written; now read: git diff tests/golden"
