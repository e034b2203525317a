# SPDX-License-Identifier: Apache-2.0
# Sourced by the other scripts: settings from the environment and a few helpers.
#   JOBS              parallel jobs (default: all processors)
#   TILEWAVE_PRESET   CMake preset (default: release)

cd "$(dirname "${BASH_SOURCE[0]}")/.."
JOBS="${JOBS:-$(nproc)}"
PRESET="${TILEWAVE_PRESET:-release}"
BUILD_DIR="build/$PRESET"
export JOBS

say() { printf '== %s\n' "$*"; }

# quietly WHAT COMMAND...: on a terminal shows the command's output as it comes; elsewhere keeps it and
# shows it only if the command fails.
quietly() {
  local what="$1" started="$SECONDS" log
  shift
  say "$what"
  if [[ -t 1 ]]; then
    "$@"
    return
  fi
  log="$(mktemp)"
  if ! "$@" >"$log" 2>&1; then
    cat "$log"
    rm -f "$log"
    printf 'failed: %s\n' "$*" >&2
    return 1
  fi
  rm -f "$log"
  printf '   %d s\n' "$((SECONDS - started))"
}

# build [TARGET...]: configures the preset and builds the targets, by default all.
build() {
  local targets=()
  (($#)) && targets=(--target "$@")
  quietly "Configure ($PRESET)" cmake --preset "$PRESET"
  quietly "Build ${*:-everything} with $JOBS jobs" \
    cmake --build --preset "$PRESET" --parallel "$JOBS" "${targets[@]}"
}
