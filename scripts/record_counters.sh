#!/usr/bin/env bash
# Records what Nsight Compute counts for the kernels of tests/data/counters/cases.txt on this machine's GPU, and what the
# toolkit's disassembler says of their machine code: what the tests then compare with on every machine. Needs ncu, nvdisasm and
# Python 3 without packages; run it on the GPU machine:
#   PROGRAM=/path/to/gemmscope scripts/record_counters.sh FOLDER
# FOLDER then holds counters.csv, opcodes.csv and machine_code.csv for tests/data/counters/, and beside them ncu.csv.gz, as ncu printed it.
# It changes no setting of the GPU. Architectures of machine_code.csv: ARCHITECTURES="75 80 86 89 90 100 120".
# KERNELS="tile prefetch": only these; PARTS="machine_code" needs no GPU, PARTS="counters" no nvdisasm. What was recorded in part is put
# into what is there by scripts/counters/merge.py FOLDER.
set -euo pipefail
out=$(realpath -m "${1:?usage: record_counters.sh FOLDER}")
root=$(cd "$(dirname "$0")/.." && pwd)
program=${PROGRAM:-$root/build/gemmscope}
data=$root/tests/data/counters
parts=" ${PARTS:-counters machine_code} "
architectures=${ARCHITECTURES:-75 80 86 89 90 100 120}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$out"
cd "$root" # kernels of the tests are named relative to here

has() { [[ $parts == *" $1 "* ]]; }
gpu() { nvidia-smi --query-gpu="$1" --format=csv,noheader | head -n 1; }
{
  ! has counters || echo "# device: $(gpu name), compute capability $(gpu compute_cap), driver $(gpu driver_version), clocks up to $(gpu clocks.max.sm), now $(gpu clocks.sm), untouched"
  echo "# NVRTC: $("$program" doctor | awk '$1 == "NVRTC" { sub(/,$/, "", $3); print $3 }')"
  ! has counters || echo "# ncu: $(ncu --version | tail -n 1)"
  ! has machine_code || echo "# nvdisasm: $(nvdisasm --version | tail -n 1)"
  echo "# date: $(date -u +%F)"
  echo "# revision: ${REVISION:-$(git -C "$root" describe --always --dirty 2>/dev/null || echo unknown)}"
} >"$work/provenance"
cat "$work/provenance"

section() { echo "record_counters.sh: $1" >&2; }
section "compiling"
python3 "$root/scripts/counters/compile.py" "$program" "$data/cases.txt" "$work" "$architectures" "${KERNELS:-}"
if has counters; then
  section "counting"
  for turn in 1 2; do # what differs between the two, or from what is recorded of the same machine code, is no property of the kernel
    ncu --clock-control none --section SourceCounters --export "$work/report" --force-overwrite \
      python3 "$root/scripts/counters/launch.py" "$work/launches.json" >"$work/ncu.log" 2>&1 || { cat "$work/ncu.log" >&2; exit 1; }
    ncu --import "$work/report.ncu-rep" --page source --print-source sass --csv >"$work/ncu.$turn.csv"
  done
  gzip -9 -c "$work/ncu.1.csv" >"$out/ncu.csv.gz"
  python3 "$root/scripts/counters/counters.py" "$work" "$data" "$out"
fi
if has machine_code; then
  section "disassembling"
  find "$work" -name "*.cubin" -print0 | xargs -0 -P 16 -I{} sh -c 'for kind in g gp; do nvdisasm -c -hex -$kind "$0" >"${0%.cubin}.$kind.sass"; done' {}

  python3 "$root/scripts/counters/machine_code.py" "$work" >"$out/machine_code.csv"
fi
wc -l "$out"/*.csv >&2
