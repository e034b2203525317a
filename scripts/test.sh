#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# All tests: installs what is missing, checks the format, builds everything (on top of what
# scripts/quickstart.sh built) and the Python package, runs ctest. Arguments go to ctest:
# scripts/test.sh -L unit
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

# Pages are tested in a headless Chromium; without one those tests are skipped, so a failure here is none.
install_browser() {
  command -v chromium >/dev/null || command -v google-chrome >/dev/null && return
  [[ -n "${TILEWAVE_SKIP_DEPS:-}" ]] || ! command -v apt-get >/dev/null && return
  local as_root=()
  ((EUID == 0)) || as_root=(sudo -n)
  say "Chromium, for the tests of pages"
  local apt=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive timeout 300 apt-get -qq
    -o Acquire::Retries=3 -o Dpkg::Use-Pty=0)
  local get=("${apt[@]}" install -y --no-install-recommends chromium fonts-dejavu-core)
  # Lists of packages may be old or not there.
  "${get[@]}" >/dev/null 2>&1 || { "${apt[@]}" update && "${get[@]}"; } >/dev/null 2>&1 ||
    echo "   not there: the tests of pages are skipped"
}

scripts/install-deps.sh
install_browser
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
