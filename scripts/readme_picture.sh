#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Makes docs/img/report.png, the picture of a report in README.md, with a headless Chromium.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
"$BUILD_DIR/tilewave" run --arch a100_sxm_80gb --workload bert_base:batch=8,dtype=fp16 --quiet --html "$folder/report.html"
chromium --headless --no-sandbox --disable-gpu --hide-scrollbars --window-size=1180,1250 --virtual-time-budget=20000 \
  --user-data-dir="$folder/profile" --screenshot="$folder/report.png" "file://$folder/report.html" >/dev/null 2>&1
mv "$folder/report.png" docs/img/report.png
say "docs/img/report.png, $(stat -c %s docs/img/report.png) bytes"
