#!/usr/bin/env bash
# Records, on this machine's GPU, how many wavefronts Nsight Compute's source page calls ideal for single accesses to shared
# memory: FOLDER/shared_ideal.csv for tests/data/counters/. Needs what record_counters.sh needs; changes no setting of the GPU.
#   PROGRAM=/path/to/gemmscope scripts/record_shared_ideal.sh FOLDER
set -euo pipefail
out=$(realpath -m "${1:?usage: record_shared_ideal.sh FOLDER}")
root=$(cd "$(dirname "$0")/.." && pwd)
program=${PROGRAM:-$root/build/gemmscope}
patterns=$root/tests/data/shared_wavefronts_h200.csv
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$out"
gpu() { nvidia-smi --query-gpu="$1" --format=csv,noheader | head -n 1; }
"$program" compile "$root/tests/data/counters/access.cu" -o "$work/access.cubin" >/dev/null
python3 "$root/scripts/counters/ideal.py" launches "$patterns" "$work/access.cubin" >"$work/launches.json"
ncu --clock-control none --section SourceCounters --export "$work/report" --force-overwrite \
  python3 "$root/scripts/counters/launch.py" "$work/launches.json" >"$work/ncu.log" 2>&1 || { cat "$work/ncu.log" >&2; exit 1; }
ncu --import "$work/report.ncu-rep" --page source --print-source sass --csv >"$work/ncu.csv"
{
  echo "# L1 Wavefronts Shared and its Ideal of single accesses, ncu's source page: $(gpu name), driver $(gpu driver_version), $(ncu --version | tail -n 1), $(date -u +%F)"
  echo "# made by scripts/record_shared_ideal.sh; offsets: byte address of lanes 0..31, -1 = lane inactive"
  python3 "$root/scripts/counters/ideal.py" table "$patterns" "$work/ncu.csv"
} >"$out/shared_ideal.csv"
wc -l "$out/shared_ideal.csv" >&2
