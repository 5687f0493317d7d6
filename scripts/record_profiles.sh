#!/usr/bin/env bash
# Records which reads the caches answer and what is left for L2 and memory, as Nsight Compute counts them for the launches of scripts/counters/profile_cases.txt on this
# machine's GPU. Needs ncu and Python 3 without packages; run it on the GPU machine, from anywhere:
#   PROGRAM=/path/to/gemmscope scripts/record_profiles.sh FOLDER        CASES=FILE: others, in the form of that file
# FOLDER then holds profiles.json for assets/recorded/profiles/, named after the GPU there, and what it was made of: ncu.csv,
# launches.json and provenance. It changes no setting of the GPU. scripts/counters/recorded_cases.py writes cases of all that was recorded.
set -euo pipefail
out=$(realpath -m "${1:?usage: record_profiles.sh FOLDER}")
root=$(cd "$(dirname "$0")/.." && pwd)
program=${PROGRAM:-$root/build/gemmscope}
cases=$(realpath "${CASES:-$root/scripts/counters/profile_cases.txt}")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$out"
cd "$root" # kernels that are files are named relative to here

command=(ncu --clock-control none --csv --print-units base --metrics
  "l1tex__t_sector_hit_rate.pct,lts__t_sector_hit_rate.pct,dram__bytes_read.sum,gpu__time_duration.sum,lts__t_sectors_srcunit_tex.sum")
gpu() { nvidia-smi --query-gpu="$1" --format=csv,noheader | head -n 1; }
{
  echo "device: $(gpu name)"
  echo "driver: $(gpu driver_version)"
  echo "cuda: $("$program" doctor | awk '$1 == "NVRTC" { sub(/,$/, "", $3); print $3 }')"
  echo "tool: Nsight Compute $(ncu --version | sed -n 's/^Version \([0-9.]*\).*/\1/p')"
  echo "date: $(date -u +%F)"
  echo "command: ${command[*]}"
} >"$out/provenance"

python3 "$root/scripts/counters/compile.py" "$program" "$cases" "$work" 90
cp "$work/launches.json" "$out/"
"${command[@]}" python3 "$root/scripts/counters/launch.py" "$work/launches.json" >"$out/ncu.csv" || { cat "$out/ncu.csv" >&2; exit 1; }
python3 "$root/scripts/counters/profiles.py" "$out" >"$out/profiles.json"
wc -l "$out/profiles.json" >&2
