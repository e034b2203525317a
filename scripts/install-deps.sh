#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs what Tilewave needs to be built and tested, on Debian and Ubuntu. Does nothing, and needs no
# network, when all is there. Elsewhere, or with packages of your own: TILEWAVE_SKIP_DEPS=1.
set -euo pipefail

PACKAGES=(
  g++ cmake ninja-build ccache pkg-config python3 python3-dev python3-venv
  libsystemc-dev libboost-program-options-dev nlohmann-json3-dev libfmt-dev
  libsqlite3-dev
  catch2 libbenchmark-dev clang-format
)

if [[ -n "${TILEWAVE_SKIP_DEPS:-}" ]]; then
  echo "== Packages: not looked at (TILEWAVE_SKIP_DEPS)"
  exit 0
fi
if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
  echo "This script knows apt only. Install the equivalents of: ${PACKAGES[*]}" >&2
  echo "and call it, or the script that called it, again with TILEWAVE_SKIP_DEPS=1." >&2
  exit 1
fi

# dpkg-query fails when it doesn't know one of them, but lists the others.
table="$(dpkg-query -W -f='${Package} ${db:Status-Status}\n' "${PACKAGES[@]}" 2>/dev/null || true)"
missing=()
for package in "${PACKAGES[@]}"; do
  grep -qxF "$package installed" <<<"$table" || missing+=("$package")
done
if ((${#missing[@]} == 0)); then
  echo "== Packages: all there"
  exit 0
fi

as_root=()
if ((EUID != 0)); then
  if ! command -v sudo >/dev/null; then
    echo "Missing packages: ${missing[*]}" >&2
    echo "Run this script as root, or install sudo." >&2
    exit 1
  fi
  as_root=(sudo)
fi

echo "== Packages: installing ${missing[*]}"
apt() {
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq -o Acquire::Retries=3 \
    -o Dpkg::Use-Pty=0 "$@"
}
apt update
apt install -y --no-install-recommends "${missing[@]}" >/dev/null
