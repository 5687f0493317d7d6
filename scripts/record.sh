#!/usr/bin/env bash
# Records the ladder on this machine's GPU, beside cuBLAS, into assets/recorded/NAME.json: what a session without a GPU
# then shows. Run it on the GPU machine, from anywhere:
#   scripts/record.sh h200                            with build/gemmscope
#   PROGRAM=/path/to/gemmscope SIZES=1024 OUT=/tmp scripts/record.sh test
# Each line is a point as `gemmscope bench --json` prints it; the first says how they were made. It changes no setting of
# the GPU. A kernel that fails is reported and left out; the exit code is then 1.
set -uo pipefail
name=${1:?usage: record.sh NAME}
root=$(cd "$(dirname "$0")/.." && pwd)
program=${PROGRAM:-$root/build/gemmscope}
kernels=${KERNELS:-naive_uncoalesced naive shared_tile register_tile conflict_free double_buffer}
sizes=${SIZES:-512,1024,2048,4096,8192}
file=${OUT:-$root/assets/recorded}/$name.json

quoted() { printf '"%s"' "$(printf %s "$1" | tr '\n\t' '  ' | sed 's/["\\]/\\&/g')"; }
gpu() { nvidia-smi --query-gpu="$1" --format=csv,noheader 2>/dev/null | head -n 1; }

mkdir -p "$(dirname "$file")"
{
  printf '{"provenance":{"command":%s' "$(quoted "gemmscope bench $kernels --sizes $sizes")"
  printf ',"revision":%s' "$(quoted "${REVISION:-$(git -C "$root" describe --always --dirty 2>/dev/null)}")"
  printf ',"gpu":%s' "$(quoted "$(gpu name), power limit $(gpu power.limit), clocks up to $(gpu clocks.max.sm)")"
  printf ',"started":%s}}\n' "$(quoted "$(date -u +%FT%TZ)")"
} >"$file.part"
failed=0
for kernel in $kernels; do
  echo "$kernel" >&2
  "$program" bench "$kernel" --sizes "$sizes" --json | grep '^{"kernel":' >>"$file.part" || { echo "record.sh: $kernel failed" >&2; failed=1; }
done
if [ "$(wc -l <"$file.part")" -lt 2 ]; then
  echo "record.sh: nothing was measured; $file stays as it was" >&2
  rm -f "$file.part"
  exit 1
fi
mv "$file.part" "$file"
echo "$file: $(($(wc -l <"$file") - 1)) points" >&2
exit $failed
