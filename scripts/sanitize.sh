#!/usr/bin/env bash
# Runs every kernel of tests/data/counters/cases.txt, each at three settings and at sizes that divide nothing, under the four
# tools of NVIDIA's compute-sanitizer on this machine's GPU:
#   PROGRAM=/path/to/gemmscope scripts/sanitize.sh            TOOLS="memcheck racecheck synccheck initcheck" KERNELS="tile prefetch"
# Prints a line for each tool, and what it found; the exit code is 1 if that is anything. Needs compute-sanitizer of the CUDA
# Toolkit, and Python 3 without packages.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
program=${PROGRAM:-$root/build/gemmscope}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$root" # kernels of the tests are named relative to here
python3 scripts/counters/compile.py "$program" tests/data/counters/cases.txt "$work" 90 "${KERNELS:-}"
launches=$(grep -c '"entry"' "$work/launches.json")
status=0
for tool in ${TOOLS:-memcheck racecheck synccheck initcheck}; do
  if compute-sanitizer --tool "$tool" --error-exitcode 1 python3 scripts/counters/launch.py "$work/launches.json" >"$work/$tool" 2>&1; then
    echo "$tool: $launches launches, clean"
  else
    status=1
    echo "$tool: $launches launches, and this:"
    head -n 60 "$work/$tool"
  fi
done
exit $status
