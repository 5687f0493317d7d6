#!/usr/bin/env bash
# Records the ladder on this machine's GPU, beside cuBLAS, into assets/recorded/NAME.json: what a session without a GPU
# then shows. Run it on the GPU machine, from anywhere:
#   scripts/record.sh h200                            with build/gemmscope
#   PROGRAM=/path/to/gemmscope SIZES=1024 OUT=/tmp scripts/record.sh test       TIME_LIMIT=8: seconds for a point, instead of 20. With
# less than 8 a GPU at its power limit does not come to the clock that is a kernel's own.
# Each line is a point as `gemmscope bench --json` prints it; the first says how they were made. It changes no setting of
# the GPU. A point that fails is reported and left out; the exit code is then 1. Killed, it continues where it was.
set -uo pipefail
name=${1:?usage: record.sh NAME}
root=$(cd "$(dirname "$0")/.." && pwd)
program=${PROGRAM:-$root/build/gemmscope}
kernels=${KERNELS:-$("$program" list | awk '/^[^ 0-9].*\)$/ { races = /\(races\)$/ } $1 ~ /^[0-9]+$/ && !races { print $2 }' | xargs)}
sizes=${SIZES:-square,transformer}
time_limit=${TIME_LIMIT:-20}
file=${OUT:-$root/assets/recorded}/$name.json

quoted() { printf '"%s"' "$(printf %s "$1" | tr '\n\t' '  ' | sed 's/["\\]/\\&/g')"; }
gpu() { nvidia-smi --query-gpu="$1" --format=csv,noheader 2>/dev/null | head -n 1; }

mkdir -p "$(dirname "$file")"
if [ ! -s "$file.part" ]; then
  printf '{"provenance":{"command":%s,"revision":%s,"gpu":%s,"started":%s}}\n' \
    "$(quoted "gemmscope bench $kernels --sizes $sizes --time-limit $time_limit")" \
    "$(quoted "${REVISION:-$(git -C "$root" describe --always --dirty 2>/dev/null)}")" \
    "$(quoted "$(gpu name), $(gpu uuid | cut -d- -f1,2), power limit $(gpu power.limit), clocks up to $(gpu clocks.max.sm)")" \
    "$(quoted "$(date -u +%FT%TZ)")" >"$file.part"
fi
stopped=
trap 'stopped=1' INT TERM
# shellcheck disable=SC2086 # a list
"$program" bench $kernels --sizes "$sizes" --time-limit "$time_limit" --output "$file.part" >&2
status=$?
points=$(($(wc -l <"$file.part") - 1))
if [ "$points" -eq 0 ]; then
  echo "record.sh: nothing was measured; $file stays as it was" >&2
  rm -f "$file.part"
  exit 1
fi
if [ -n "$stopped" ] || [ "$status" -gt 1 ]; then
  echo "record.sh: $points points so far in $file.part; the same command continues" >&2
  exit "$status"
fi
mv "$file.part" "$file"
echo "$file: $points points" >&2
exit "$status"
