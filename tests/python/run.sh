# SPDX-License-Identifier: Apache-2.0
# sh tests/python/run.sh FILE...: runs tests of the Python package in the environment that
# scripts/python-env.sh makes. Status 77, which ctest takes for skipped: there is none.
root="$(cd "$(dirname "$0")/../.." && pwd)"
python="$root/build/venv/bin/python"
if ! [ -x "$python" ]; then
  echo "skipped: scripts/python-env.sh makes the environment that this runs in"
  exit 77
fi
# From here, so that what was installed is tested and not the source tree.
cd "$root/tests/python" && exec "$python" -m pytest -q -p no:cacheprovider --rootdir "$root/tests" "$@"
