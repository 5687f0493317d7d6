#!/usr/bin/env bash
# On the GPU machine: measures settings by the thousand into assets/recorded/sweeps for as long as it is given, and continues where it
# stopped. First what differs from the initial settings in two parameters, then the tiles of the ladder, then more of its larger kernels.
#   scripts/record_sweeps.sh SECONDS [PROGRAM...]     PROGRAM defaults to build/gemmscope; of a carried one it is FOLDER/run gemmscope
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
end=$((SECONDS + ${1:?usage: record_sweeps.sh SECONDS [PROGRAM...]}))
shift
program=("$@")
[ $# -gt 0 ] || program=("$root/build/gemmscope")
sweep() {
  local left=$((end - SECONDS)) status=0
  [ $left -gt 10 ] || return 0
  echo "== sweep $*"
  timeout -s INT "$left" "${program[@]}" sweep "$@" --sizes "${SIZES:-1024,2048,4096}" --output "$root/assets/recorded/sweeps" || status=$?
  [ $status -eq 0 ] || [ $status -eq 124 ] || exit $status # 124: the time is up
}
sweep every --space near
sweep ladder --space tiles
sweep register_tile conflict_free double_buffer prefetch async_copy champion --space all --most 2000
du -sh "$root/assets/recorded/sweeps"
