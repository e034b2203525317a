#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Formats all C++ sources, or with --check says which are not formatted and fails. Versions of
# clang-format differ in what they do with the same settings, so only version 14 (Debian 12) counts:
# with another one, the check is skipped.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
VERSION=14

case "${1:-}" in
  --check) check=1 ;;
  "") check="" ;;
  *) echo "usage: scripts/format.sh [--check]" >&2; exit 2 ;;
esac

tool="$(command -v "clang-format-$VERSION" || command -v clang-format || true)"
found="$([[ -n "$tool" ]] && "$tool" --version | grep -oE 'version [0-9]+' | head -1 || true)"
if [[ "$found" != "version $VERSION" ]]; then
  say "Format: needs clang-format $VERSION, here is ${found:-none}: skipped"
  [[ -n "$check" ]] || exit 1
  exit 0
fi

folders=()
for folder in sim arch workloads app python tests bench; do
  [[ -d "$folder" ]] && folders+=("$folder")
done
mapfile -t files < <(find "${folders[@]}" -name '*.cpp' -o -name '*.hpp' | sort)
if [[ -z "$check" ]]; then
  "$tool" -i "${files[@]}"
  say "Format: ${#files[@]} files"
elif "$tool" --dry-run --Werror --ferror-limit=1 "${files[@]}"; then
  say "Format: ${#files[@]} files are as they should be"
else
  say "Format: run scripts/format.sh"
  exit 1
fi
