#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# From a bare Debian or Ubuntu machine to a first result: installs what is missing, builds the simulator
# and runs ResNet-50 on TPU v1. Results: quickstart-out/ (or the folder given).
set -euo pipefail
out="$(realpath -m "${1:-$(dirname "${BASH_SOURCE[0]}")/../quickstart-out}")"
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

scripts/install-deps.sh
build tilewave

mkdir -p "$out"
say "Run: ResNet-50 on TPU v1"
"$BUILD_DIR/tilewave" run --arch tpu_v1 --workload resnet50 \
  --out "$out/report.json" --html "$out/report.html"

say "Done in $SECONDS s"
cat <<END
   program   $PWD/$BUILD_DIR/tilewave
   report    $out/report.json
   pages     $out/report.html
   next      $BUILD_DIR/tilewave list arch; $BUILD_DIR/tilewave run --help
END
