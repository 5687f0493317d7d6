#!/usr/bin/env bash
# Records what the warps of a kernel wait for, as Nsight Compute counts it for the launches of scripts/counters/wait_cases.txt on this machine's
# GPU: warps in each state for every cycle in which one issues. Needs ncu and Python 3 without packages; run it on the GPU machine, from anywhere:
#   PROGRAM=/path/to/gemmscope scripts/record_waits.sh FOLDER        CASES=FILE: others, in the form of that file
#   COMPILED=FOLDER scripts/record_waits.sh FOLDER                   compiled there before, by --compile FOLDER; then no program is needed
# FOLDER then holds waits.json for assets/recorded/waits/, named after the GPU there, and what it was made of, for tests/data/waits: ncu.csv, launches.json and
# provenance. It changes no setting of the GPU.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
program=${PROGRAM:-$root/build/gemmscope}

compile() { # FOLDER
  mkdir -p "$1"
  (cd "$1" && python3 "$root/scripts/counters/compile.py" "$program" "$(realpath "${CASES:-$root/scripts/counters/wait_cases.txt}")" . 90)
  "$program" doctor 2>/dev/null | awk '$1 == "NVRTC" { sub(/,$/, "", $3); print $3 }' >"$1/nvrtc"
}
if [[ ${1:-} == --compile ]]; then
  compile "${2:?usage: record_waits.sh --compile FOLDER}"
  exit
fi
out=$(realpath -m "${1:?usage: record_waits.sh FOLDER}")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$out"
compiled=${COMPILED:-$work}
[[ -n ${COMPILED:-} ]] || compile "$work"
cd "$compiled"

command=(ncu --clock-control none --section WarpStateStats --metrics
  "gpu__time_duration.sum,sm__cycles_elapsed.max,smsp__inst_executed.sum,l1tex__t_sector_hit_rate.pct,lts__t_sectors.sum,lts__t_sector_hit_rate.pct,dram__bytes_read.sum,dram__bytes_write.sum")
gpu() { nvidia-smi --query-gpu="$1" --format=csv,noheader | head -n 1; }
{
  echo "device: $(gpu name)"
  echo "driver: $(gpu driver_version)"
  echo "cuda: $(cat nvrtc)"
  echo "tool: Nsight Compute $(ncu --version | sed -n 's/^Version \([0-9.]*\).*/\1/p')"
  echo "date: $(date -u +%F)"
  echo "command: ${command[*]}"
} >"$out/provenance"
cp launches.json "$out/"
"${command[@]}" --export "$work/report" --force-overwrite python3 "$root/scripts/counters/launch.py" launches.json >"$work/ncu.log" 2>&1 || { cat "$work/ncu.log" >&2; exit 1; }
ncu --import "$work/report.ncu-rep" --page raw --csv --print-units base | python3 "$root/scripts/counters/waits.py" --columns >"$out/ncu.csv"
python3 "$root/scripts/counters/waits.py" "$out" >"$out/waits.json"
echo "$out/waits.json: $(grep -c "\"kernel\"" "$out/waits.json") launches" >&2
