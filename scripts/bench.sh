#!/usr/bin/env bash
# Builds and runs the benchmarks and prints how much faster `fast` is than `detailed`. Arguments go to
# Google Benchmark.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
quietly "configure" cmake --preset "$PRESET" -DTILEWAVE_BUILD_BENCH=ON
quietly "build" cmake --build --preset "$PRESET" --target tilewave_bench -j "$JOBS"
result=$(mktemp)
trap 'rm -f "$result"' EXIT
"$BUILD_DIR/bench/tilewave_bench" --benchmark_out="$result" --benchmark_out_format=json "$@"
python3 scripts/bench_ratios.py "$result"
